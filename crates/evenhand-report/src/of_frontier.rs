//! From a path of corrections to its report: what less violation costs.
//!
//! Both ends of the path are measured as before and after; every point of it is a place of the trade-off.

use evenhand::correction::{Binding, Frontier, Observer, Problem};
use evenhand::{Correction, Dataset, Learner, Warning};

use crate::compared::Compared;
use crate::measuring::{Measuring, Rows};
use crate::of_fit::{first_panel, told};
use crate::report::{Kind, NotionLine};
use crate::{Bias, Error, Place, Record, Report, Result, Rival, Tradeoff};

/// What a report of a frontier is made of.
pub struct FrontierResult<'a, L: Learner> {
    /// What was asked.
    pub correction: &'a Correction,
    /// Who learned.
    pub learner: &'a L,
    /// What training rows taught.
    pub binding: &'a Binding,
    /// The training rows as the learner saw them.
    pub trained_on: &'a Problem,
    /// What was found.
    pub frontier: &'a Frontier<L::Predictor>,
    /// The rows to measure on.
    pub rows: Rows<'a>,
    /// Training rows whose labels are asked about themselves; without any they are not asked.
    pub asked_about: Option<&'a Dataset>,
    /// Of the intervals.
    pub confidence: f64,
    /// What weakens the numbers.
    pub warnings: Vec<Warning>,
    /// What is needed to do it again.
    pub record: Record,
}

impl Report {
    /// The report of a frontier. The learner is called for methods to compare with; the observer is told.
    ///
    /// # Errors
    /// What the engine says of rows, confidence or learner; [`Error::Empty`] for a path without points.
    pub fn of_frontier<L: Learner>(traced: &FrontierResult<'_, L>, observer: &mut dyn Observer) -> Result<Self> {
        let (correction, points) = (traced.correction, &traced.frontier.points);
        let (Some(first), Some(last)) = (points.first(), points.last()) else { return Err(Error::Empty) };
        let measuring = Measuring::new(correction, traced.binding, traced.rows, traced.confidence)?;
        let compared = Compared::new(correction, &measuring, [&first.solution, &last.solution])?;
        let panel = first_panel(correction, &compared.panels);
        let mut places = Vec::with_capacity(points.len());
        for (at, point) in points.iter().enumerate() {
            let between;
            let measured = match at {
                0 => &compared.before,
                at if at + 1 == points.len() => &compared.after,
                _ => {
                    between = measuring.of(&point.solution)?;
                    &between
                }
            };
            places.push(Place::of_asked(point.asked, &measured.evaluated, &measured.audit, &compared.panels[panel]));
        }
        let rivals = Rival::all(correction, traced.trained_on, traced.learner, &measuring, observer)?;
        let audit = &compared.after.audit;
        Ok(Self {
            kind: Kind::Frontier,
            method: Some(correction.method.name().to_owned()),
            about: measuring.about(audit, traced.trained_on.features().rows()),
            notions: correction.notions.iter().map(NotionLine::of).collect(),
            change: Some(compared.change),
            constraints: compared.constraints,
            verdicts: Vec::new(),
            bound: None,
            intersections_left_out: audit.intersections_left_out,
            bias: traced.asked_about.and_then(|train| Bias::asked(correction, train, traced.confidence)),
            tradeoff: Some(Tradeoff { places, chosen: None, rivals, panel }),
            search: None,
            panels: compared.panels,
            warnings: told(&traced.warnings),
            record: traced.record.clone(),
        })
    }
}

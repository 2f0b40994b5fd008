//! From a path of corrections to its report: what less violation costs.
//!
//! Both ends of the path are measured as before and after; every point of it is one of the trade-off.

use evenhand::correction::{Binding, Frontier, Observer, Problem};
use evenhand::{Correction, Dataset, Learner, Warning};

use crate::comparison::Comparison;
use crate::from_fit::{first_panel, messages};
use crate::metrics::{Evaluator, Rows};
use crate::report::{Kind, NotionLine};
use crate::{Baseline, Bias, Error, Record, Report, Result, Tradeoff, TradeoffPoint};

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
    /// Training rows whose label bias is identified; without any it is not.
    pub identify_on: Option<&'a Dataset>,
    /// Of the intervals.
    pub confidence: f64,
    /// What weakens the numbers.
    pub warnings: Vec<Warning>,
    /// What is needed to do it again.
    pub record: Record,
}

impl Report {
    /// The report of a frontier. The learner is called for methods to compare with; the observer is notified.
    ///
    /// # Errors
    /// What the engine says of rows, confidence or learner; [`Error::Empty`] for a path without points.
    pub fn from_frontier<L: Learner>(traced: &FrontierResult<'_, L>, observer: &mut dyn Observer) -> Result<Self> {
        let (correction, points) = (traced.correction, &traced.frontier.points);
        let (Some(first), Some(last)) = (points.first(), points.last()) else { return Err(Error::Empty) };
        let evaluator = Evaluator::new(correction, traced.binding, traced.rows, traced.confidence)?;
        let compared = Comparison::new(correction, &evaluator, [&first.solution, &last.solution])?;
        let panel = first_panel(correction, &compared.panels);
        let mut path = Vec::with_capacity(points.len());
        for (at, point) in points.iter().enumerate() {
            let between;
            let measured = match at {
                0 => &compared.before,
                at if at + 1 == points.len() => &compared.after,
                _ => {
                    between = evaluator.of(&point.solution)?;
                    &between
                }
            };
            path.push(TradeoffPoint::of_asked(
                point.asked,
                &measured.metrics,
                &measured.audit,
                &compared.panels[panel],
            ));
        }
        let baselines = Baseline::all(correction, traced.trained_on, traced.learner, &evaluator, observer)?;
        let audit = &compared.after.audit;
        Ok(Self {
            kind: Kind::Frontier,
            method: Some(correction.method.name().to_owned()),
            about: evaluator.about(audit, traced.trained_on.features().rows()),
            notions: correction.notions.iter().map(NotionLine::of).collect(),
            change: Some(compared.change),
            constraints: compared.constraints,
            verdicts: Vec::new(),
            bound: None,
            intersections_left_out: audit.intersections_left_out,
            bias: traced.identify_on.and_then(|train| Bias::identify(correction, train, traced.confidence)),
            tradeoff: Some(Tradeoff { points: path, chosen: None, baselines, panel }),
            search: None,
            panels: compared.panels,
            warnings: messages(&traced.warnings),
            record: traced.record.clone(),
        })
    }
}

//! From a path of corrections to its report: what less violation costs.
//!
//! Both ends of the path are measured as before and after; every point of it is one of the trade-off.

use evenhand::correction::{Binding, Evaluated, Frontier, Observer, Problem};
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
    /// The training rows as they were read. Their label bias is identified.
    pub train: &'a Dataset,
    /// Other rows to measure on, as they were read and made ready; without any, the training rows are measured on.
    pub test: Option<(&'a Dataset, &'a Problem)>,
    /// Every point on the rows to measure on, with decisions; computed where they are not at hand.
    pub evaluated: Option<&'a [Evaluated<'a>]>,
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
        if points.is_empty() {
            return Err(Error::Empty);
        }
        let rows = Rows::of((traced.train, traced.trained_on), traced.test);
        let evaluator = Evaluator::new(correction, traced.binding, rows, traced.confidence)?;
        let computed: Vec<Evaluated<'_>>;
        let evaluated = if let Some(evaluated) = traced.evaluated {
            evaluated
        } else {
            let each = points.iter().map(|point| evaluator.evaluated(&point.solution));
            computed = each.collect::<evenhand::Result<_>>()?;
            &computed
        };
        let last = evaluated.len() - 1;
        let compared = Comparison::new(correction, &evaluator, [&evaluated[0], &evaluated[last]])?;
        let panel = first_panel(correction, &compared.panels);
        let mut path = Vec::with_capacity(points.len());
        for (at, (point, evaluated)) in points.iter().zip(evaluated).enumerate() {
            let between;
            let measured = match at {
                0 => &compared.before,
                at if at == last => &compared.after,
                _ => {
                    between = evaluator.describe(evaluated)?;
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
            bias: Bias::identify(correction, traced.train, traced.confidence),
            tradeoff: Some(Tradeoff { points: path, chosen: None, baselines, panel }),
            search: None,
            panels: compared.panels,
            warnings: messages(&traced.warnings),
            record: traced.record.clone(),
        })
    }
}

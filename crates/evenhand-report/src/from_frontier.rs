//! From a path of corrections to its report: what less violation costs.
//!
//! Both ends of the path are measured as before and after; every point of it is one of the trade-off.

use evenhand::Learner;
use evenhand::correction::{Evaluated, Frontier, Observer};

use crate::comparison::Comparison;
use crate::from_fit::{Trained, first_panel};
use crate::report::Kind;
use crate::{Baseline, Bias, Blind, Error, Report, Result, Tradeoff, TradeoffPoint};

/// What a report of a frontier is made of.
pub struct FrontierResult<'a, L: Learner> {
    /// What was asked, and of which rows. The bias in the labels of training rows is identified.
    pub trained: Trained<'a, L>,
    /// What was found.
    pub frontier: &'a Frontier<L::Predictor>,
    /// Every point on the rows to measure on, with decisions; computed where they are not at hand.
    pub evaluated: Option<&'a [Evaluated<'a>]>,
}

impl Report {
    /// The report of a frontier. The learner is called for methods to compare with; the observer is notified.
    ///
    /// # Errors
    /// What the engine says of rows, confidence or learner; [`Error::Empty`] for a path without points.
    pub fn from_frontier<L: Learner>(traced: &FrontierResult<'_, L>, observer: &mut dyn Observer) -> Result<Self> {
        let (trained, points) = (&traced.trained, &traced.frontier.points);
        let (correction, trained_on) = (trained.correction, trained.trained_on);
        if points.is_empty() {
            return Err(Error::Empty);
        }
        let evaluator = trained.evaluator()?;
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
        let baselines = Baseline::all(correction, trained_on, trained.learner, &evaluator, observer)?;
        Ok(Self {
            blind: Blind::of(trained.binding, points.iter().map(|point| &point.solution)),
            decided_from: traced.frontier.decided_from(correction),
            bias: Bias::identify(correction, trained.train, trained.confidence),
            tradeoff: Some(Tradeoff { points: path, chosen: None, baselines, panel }),
            ..trained.report(Kind::Frontier, &evaluator, compared)
        })
    }
}

//! What less violation costs in error: points on the way from no correction on, and other methods beside them.
//!
//! Holds [`Tradeoff`]. Each point has the rates of groups there, for the page to show as one goes along.

use evenhand::audit::{Audit, Rate};
use evenhand::correction::{
    Apply, Asked, CovariateShift, Lagrangian, Metrics, Observer, Problem, Technique, Validation,
};
use evenhand::{Correction, Error, Learner, Method};
use serde::{Deserialize, Serialize};

use crate::groups::Panel;
use crate::metrics::Evaluator;
use crate::number::{counted, percent_whole, points};

/// Error against violation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tradeoff {
    /// From no correction on.
    pub points: Vec<TradeoffPoint>,
    /// The point that was chosen.
    pub chosen: Option<usize>,
    /// Where other methods are.
    pub baselines: Vec<Baseline>,
    /// Which panel of the groups the rates of points are of.
    pub panel: usize,
}

/// A classifier on the way.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TradeoffPoint {
    /// What it is: `70 % of the correction`.
    pub name: String,
    /// How much of the correction, where that is what differs: 0 is none, 1 what was found.
    pub strength: Option<f64>,
    /// The violation asked for, where that is what differs.
    pub asked: Option<f64>,
    /// The share of rows predicted otherwise than labelled.
    pub error: f64,
    /// The largest violation.
    pub violation: Option<f64>,
    /// The rate of everyone, then of each group in the order of the panel, with the ends of its interval.
    pub rates: Vec<[Option<f64>; 3]>,
}

/// A baseline: another method, asked for the same.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Baseline {
    /// Its name.
    pub method: String,
    /// Whether it needs the groups to decide.
    pub by_group: bool,
    /// How many training rows, drawn at random, it was trained on, where these are not all.
    pub sample: Option<usize>,
    /// The share of rows predicted otherwise than labelled.
    pub error: Option<f64>,
    /// The largest violation.
    pub violation: Option<f64>,
    /// Why there are no numbers.
    pub why: Option<String>,
}

/// The Lagrangian approach goes through its rows a hundred times and more: beside a fit that takes a few passes it is
/// trained on this many at most. On more its classifier hardly changes.
const LAGRANGIAN_ROWS: usize = 50_000;

/// No correction.
pub(crate) const NOTHING: &str = "no correction";

impl TradeoffPoint {
    pub(crate) fn new(name: String, metrics: &Metrics, audit: &Audit, panel: &Panel) -> Self {
        let ends = |rate: Rate| [rate.value, rate.low, rate.high];
        Self {
            name,
            strength: None,
            asked: None,
            error: metrics.error,
            violation: metrics.violation,
            rates: panel.rates_of(audit).into_iter().map(ends).collect(),
        }
    }

    /// With so much of a correction.
    pub(crate) fn of_strength(strength: f64, metrics: &Metrics, audit: &Audit, panel: &Panel) -> Self {
        let name = match strength {
            strength if strength <= 0.0 => NOTHING.to_owned(),
            strength if (strength - 1.0).abs() < 1e-9 => "the whole correction".to_owned(),
            strength => format!("{} of the correction", percent_whole(strength)),
        };
        Self { strength: Some(strength), ..Self::new(name, metrics, audit, panel) }
    }

    /// Where so little violation was asked for.
    pub(crate) fn of_asked(asked: Asked, metrics: &Metrics, audit: &Audit, panel: &Panel) -> Self {
        let name = match asked {
            Asked::Nothing => NOTHING.to_owned(),
            Asked::MaxViolation(most) => format!("at most {} points asked for", points(most)),
            Asked::Evenness => "as even as the training rows can tell".to_owned(),
        };
        Self { asked: asked.bound(), ..Self::new(name, metrics, audit, panel) }
    }

    /// What it is and how it does, in one line.
    pub(crate) fn describe(&self) -> String {
        describe(&self.name, self.error, self.violation)
    }
}

impl Baseline {
    /// How every other method does that can be asked for the same.
    pub(crate) fn all<L: Learner>(
        correction: &Correction,
        trained_on: &Problem,
        learner: &L,
        evaluator: &Evaluator<'_>,
        observer: &mut dyn Observer,
    ) -> evenhand::Result<Vec<Self>> {
        // Percentile thresholds are there to repeat the paper's numbers: threshold post-processing is their optimum.
        let shown = |method: &Method| !matches!(method, Method::Unconstrained | Method::PercentileThresholds);
        let other = |method: &Method| method.name() != correction.method.name() && shown(method);
        let of = |method: Method| {
            let (method, sample) = sampled(method, trained_on.features().rows());
            let mut asked = correction.clone().method(method);
            (asked.validation, asked.technique, asked.covariate_shift, asked.apply) =
                (Validation::Training, Technique::Weighting, CovariateShift::Ignored, Apply::Weights);
            let named = Self {
                method: method.name().to_owned(),
                by_group: method.decides_by_group(),
                sample,
                error: None,
                violation: None,
                why: None,
            };
            let metrics = asked.solve(trained_on, learner, observer).and_then(|solution| evaluator.evaluate(&solution));
            match metrics {
                Ok(found) => Ok(Self { error: Some(found.error), violation: found.violation, ..named }),
                // Not every method is for every notion, number of classes and learner.
                Err(refused @ Error::Setting { .. }) => Ok(Self { why: Some(refused.to_string()), ..named }),
                Err(other) => Err(other),
            }
        };
        Method::all().into_iter().filter(other).map(of).collect()
    }

    /// How it does, or why that is not known.
    pub(crate) fn describe(&self) -> String {
        match (&self.why, self.error) {
            (Some(why), _) => format!("{}: not for this ({why})", self.method),
            (None, Some(error)) => describe(&self.method, error, self.violation),
            (None, None) => format!("{}: not measured", self.method),
        }
    }

    /// The remark beside it; empty where there is nothing to say.
    pub(crate) fn remark(&self) -> String {
        match self.sample.filter(|_| self.error.is_some()) {
            _ if self.by_group => "needs the group of everyone it decides about".to_owned(),
            Some(rows) => format!("trained on {} drawn at random", counted(rows, "row")),
            None => String::new(),
        }
    }
}

/// A method as it is trained beside a fit to so many rows, and on how many, where these are not all.
fn sampled(method: Method, rows: usize) -> (Method, Option<usize>) {
    match method {
        Method::Lagrangian(settings) if rows > LAGRANGIAN_ROWS => {
            let sample = Some(LAGRANGIAN_ROWS);
            (Method::Lagrangian(Lagrangian { sample, ..settings }), sample)
        }
        other => (other, None),
    }
}

fn describe(name: &str, error: f64, violation: Option<f64>) -> String {
    let violation = crate::number::or_none(violation, points);
    format!("{name}: error {}, largest violation {violation} points", crate::number::percent(error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_many_rows_the_lagrangian_approach_sees_some_and_this_is_said() {
        for method in Method::all() {
            let is_lagrangian = matches!(method, Method::Lagrangian(_));
            assert_eq!(sampled(method, LAGRANGIAN_ROWS), (method, None));
            let (asked, sample) = sampled(method, 1_000_000);
            assert_eq!((asked != method, sample), (is_lagrangian, is_lagrangian.then_some(LAGRANGIAN_ROWS)));
        }
        let (method, sample) = ("lagrangian".to_owned(), Some(50_000));
        let (error, violation) = (Some(0.2), Some(0.1));
        let baseline = Baseline { method, by_group: false, sample, error, violation, why: None };
        assert_eq!(baseline.remark(), "trained on 50,000\u{a0}rows drawn at random");
        assert_eq!(Baseline { sample: None, ..baseline }.remark(), "");
    }
}

//! What less violation costs in error: places on the way from no correction on, and other methods beside them.
//!
//! Holds [`Tradeoff`]. Each place has the rates of groups there, for the page to show as one goes along.

use evenhand::audit::{Audit, Rate};
use evenhand::correction::{Asked, CovariateShift, Metrics, Observer, Problem, Technique, Validation};
use evenhand::{Correction, Error, Learner, Method};
use serde::{Deserialize, Serialize};

use crate::groups::Panel;
use crate::measuring::Measuring;
use crate::number::{percent_whole, points};

/// Error against violation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tradeoff {
    /// From no correction on.
    pub places: Vec<Place>,
    /// The place that was chosen.
    pub chosen: Option<usize>,
    /// Where other methods are.
    pub rivals: Vec<Rival>,
    /// Which panel of the groups the rates of places are of.
    pub panel: usize,
}

/// A classifier on the way.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Place {
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

/// Another method, asked for the same.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Rival {
    /// Its name.
    pub method: String,
    /// Whether it must be told the groups to decide.
    pub by_group: bool,
    /// The share of rows predicted otherwise than labelled.
    pub error: Option<f64>,
    /// The largest violation.
    pub violation: Option<f64>,
    /// Why there are no numbers.
    pub why: Option<String>,
}

/// No correction.
pub(crate) const NOTHING: &str = "no correction";

impl Place {
    pub(crate) fn new(name: String, evaluated: &Metrics, audit: &Audit, panel: &Panel) -> Self {
        let ends = |rate: Rate| [rate.value, rate.low, rate.high];
        Self {
            name,
            strength: None,
            asked: None,
            error: evaluated.error,
            violation: evaluated.violation,
            rates: panel.rates_of(audit).into_iter().map(ends).collect(),
        }
    }

    /// With so much of a correction.
    pub(crate) fn of_strength(strength: f64, evaluated: &Metrics, audit: &Audit, panel: &Panel) -> Self {
        let name = match strength {
            strength if strength <= 0.0 => NOTHING.to_owned(),
            strength if (strength - 1.0).abs() < 1e-9 => "the whole correction".to_owned(),
            strength => format!("{} of the correction", percent_whole(strength)),
        };
        Self { strength: Some(strength), ..Self::new(name, evaluated, audit, panel) }
    }

    /// Where so little violation was asked for.
    pub(crate) fn of_asked(asked: Asked, evaluated: &Metrics, audit: &Audit, panel: &Panel) -> Self {
        let name = match asked {
            Asked::Nothing => NOTHING.to_owned(),
            Asked::MaxViolation(most) => format!("at most {} points asked for", points(most)),
            Asked::Evenness => "as even as the training rows can tell".to_owned(),
        };
        Self { asked: asked.bound(), ..Self::new(name, evaluated, audit, panel) }
    }

    /// What it is and how it does, in one line.
    pub(crate) fn said(&self) -> String {
        told(&self.name, self.error, self.violation)
    }
}

impl Rival {
    /// How every other method does that can be asked for the same.
    pub(crate) fn all<L: Learner>(
        correction: &Correction,
        trained_on: &Problem,
        learner: &L,
        measuring: &Measuring<'_>,
        observer: &mut dyn Observer,
    ) -> evenhand::Result<Vec<Self>> {
        let other = |method: &Method| method.name() != correction.method.name() && *method != Method::Unconstrained;
        let of = |method: Method| {
            let mut asked = correction.clone().method(method);
            (asked.validation, asked.technique, asked.covariate_shift) =
                (Validation::Training, Technique::Weighting, CovariateShift::Ignored);
            let named = Self {
                method: method.name().to_owned(),
                by_group: method.decides_by_group(),
                error: None,
                violation: None,
                why: None,
            };
            let evaluated =
                asked.solve(trained_on, learner, observer).and_then(|solution| measuring.evaluate(&solution));
            match evaluated {
                Ok(found) => Ok(Self { error: Some(found.error), violation: found.violation, ..named }),
                // Not every method is for every notion, number of classes and learner.
                Err(refused @ Error::Setting { .. }) => Ok(Self { why: Some(refused.to_string()), ..named }),
                Err(other) => Err(other),
            }
        };
        Method::all().into_iter().filter(other).map(of).collect()
    }

    /// How it does, or why that is not known.
    pub(crate) fn said(&self) -> String {
        match (&self.why, self.error) {
            (Some(why), _) => format!("{}: not for this ({why})", self.method),
            (None, Some(error)) => told(&self.method, error, self.violation),
            (None, None) => format!("{}: not measured", self.method),
        }
    }

    /// The remark beside it.
    pub(crate) fn remark(&self) -> &'static str {
        if self.by_group { "must be told the group of everyone it decides about" } else { "" }
    }
}

fn told(name: &str, error: f64, violation: Option<f64>) -> String {
    let violation = crate::number::or_none(violation, points);
    format!("{name}: error {}, largest violation {violation} points", crate::number::percent(error))
}

//! The violation of every constraint on some rows, each with its confidence interval.
//!
//! Holds [`Estimated`]. Each interval is that of one constraint by itself; whether a bound on all of them holds is for
//! `bound` to say.

use serde::{Deserialize, Serialize};

use crate::Result;
use crate::bound::{Bound, Contrast, Contrasts};
use crate::constraint::{Constraint, Measure};
use crate::correction::problem::Problem;
use crate::interval::quantile;
use crate::kernel::CellSums;

/// The violation of one constraint on some rows, and how far it can be trusted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Estimated {
    /// The constraint.
    pub name: String,
    /// Overall (or asked) rate minus group rate; `None` where these rows have none of the group's.
    pub value: Option<f64>,
    /// The lower end of its interval.
    pub low: Option<f64>,
    /// The upper end of its interval.
    pub high: Option<f64>,
}

impl Estimated {
    /// The violation of every constraint by the sums of a classifier, in the order of the constraints.
    ///
    /// # Errors
    /// [`crate::Error::Setting`] for a confidence outside 0.5 to 0.999999.
    pub(super) fn all(problem: &Problem, sums: &CellSums, measure: Measure, confidence: f64) -> Result<Vec<Self>> {
        let z = quantile(confidence)?;
        // The limit of the bound plays no part: its kind says which contrasts there are.
        let contrasts = Contrasts::new(problem.constrained_rows(), sums, measure, Bound::MaxViolation(0.0), |_| true);
        let each = |(at, constraint): (usize, &Constraint)| {
            let contrast = problem.constrained_rows().functionals[at].as_ref().map(|_| Contrast::Less(at));
            let interval = contrast.map(|contrast| contrasts.interval(contrast, z));
            Self {
                name: constraint.name.clone(),
                value: contrast.map(|contrast| contrasts.value(contrast)),
                low: interval.map(|interval| interval.0),
                high: interval.map(|interval| interval.1),
            }
        };
        Ok(problem.measured_constraints().iter().enumerate().map(each).collect())
    }
}

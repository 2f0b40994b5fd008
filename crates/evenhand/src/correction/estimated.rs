//! The violation of every constraint with its interval, and decisions row by row: what a report shows of some rows.
//!
//! Holds [`Estimated`]. Each interval is that of one constraint by itself; whether a bound on all of them holds is for
//! `verdict` to say. Leans on `compared`.

use serde::{Deserialize, Serialize};

use super::contrast::{Contrast, Contrasts};
use super::{Bound, Problem, Solution};
use crate::constraint::Measure;
use crate::data::Codes;
use crate::group::Membership;
use crate::interval::quantile;
use crate::kernel::decide;
use crate::learner::{Predictor, scores};
use crate::{Error, Result};

/// The violation of one constraint on some rows, and how far it can be trusted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
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

impl<P: Predictor> Solution<P> {
    /// The violation of every constraint on some rows, in the order of the constraints, each with an interval of its own.
    ///
    /// Rows are taken as drawn independently, and as new to the predictor; see [`Problem::test_bounds`].
    ///
    /// # Errors
    /// [`Error::Setting`] for a confidence outside 0.5 to 0.999999, and what the predictor says.
    pub fn estimate(&self, problem: &Problem, measure: Measure, confidence: f64) -> Result<Vec<Estimated>> {
        let z = quantile(confidence)?;
        let sums = self.classifier().cell_sums(problem)?;
        // The number of the bound plays no part: it names which all there are.
        let contrasts = Contrasts::new(problem, &sums, measure, Bound::MaxViolation(0.0));
        let each = |(at, constraint): (usize, &crate::constraint::Constraint)| {
            let contrast = problem.functionals()[at].as_ref().map(|_| Contrast::Less(at));
            let interval = contrast.map(|contrast| contrasts.interval(contrast, z));
            Estimated {
                name: constraint.name.clone(),
                value: contrast.map(|contrast| contrasts.value(contrast)),
                low: interval.map(|interval| interval.0),
                high: interval.map(|interval| interval.1),
            }
        };
        Ok(problem.constraints().iter().enumerate().map(each).collect())
    }

    /// The class that is decided for in every row. `membership` is that of the same rows, as
    /// [`Binding::membership`](super::Binding::membership) gives it; it matters where thresholds by group decide.
    ///
    /// # Errors
    /// [`Error::Length`] when the membership is of other rows, and what the predictor says.
    pub fn decisions(&self, problem: &Problem, membership: &Membership) -> Result<Codes> {
        let (rows, classes) = (problem.features().rows(), problem.classes());
        if membership.rows() != rows {
            return Err(Error::Length { what: "rows of the membership", expected: rows, found: membership.rows() });
        }
        let scores = scores(&self.predictor, problem.features(), classes)?;
        let decisions = match &self.thresholds {
            Some(thresholds) => thresholds.decide(membership, &scores).0,
            None => scores.chunks(classes).map(|scores| decide(scores) as u32).collect(),
        };
        Ok(Codes::narrow(decisions, classes))
    }
}

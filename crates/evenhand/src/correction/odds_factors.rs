//! Multipliers as factors on odds: what they do for a member of a group, against everybody else.
//!
//! A learner that is given the weights `w(x, y)` models odds that are `w(x, 1) / w(x, 0)` times those of the labels; where multipliers tilt probabilities, they
//! multiply the odds of these by `exp` of the difference of exponents. The logarithm of that factor is averaged over the rows of a group and over all others: what
//! all multipliers together do counts, since groups overlap, and one multiplier moves everybody.

use super::evaluation::{NamedMultiplier, TiltedRows};
use super::fitted::Fitted;
use super::problem::Problem;
use super::settings::Apply;
use super::solution::Solution;
use crate::constraint::{Constraint, Event};
use crate::learner::Predictor;
use crate::{Result, exact};

impl<P: Predictor> Solution<P> {
    /// Per multiplier, by which factor the correction multiplies the odds of the constraint's class for a row of its group, over that for a row outside of it: a
    /// geometric mean over the rows of each, on the rows it was found on. `None` for a constraint that is about everyone, or about right predictions, which
    /// are of different classes; and where multipliers weigh no rows (the Lagrangian approach).
    ///
    /// # Errors
    /// What the models of membership say, where tilts are expectations.
    pub fn odds_factors(&self, trained_on: &Problem) -> Result<Vec<Option<f64>>> {
        if self.multipliers.is_empty() || self.slack.is_some() {
            return Ok(vec![None; self.multipliers.len()]);
        }
        let changes = self.log_odds(trained_on)?;
        Ok(trained_on.constraints().iter().map(|constraint| changes.factor(trained_on, constraint)).collect())
    }

    /// What multipliers add to the logarithm of each class, up to what all classes share.
    fn log_odds(&self, problem: &Problem) -> Result<LogOdds> {
        let (cells, classes) = (problem.cells(), problem.classes());
        if let Some(expected) = &self.expected {
            let own = |row: usize| cells.row_weights().map_or(1.0, |weights| weights[row]);
            let values = match self.apply {
                Apply::Weights => self.tilt_table(problem)?.exponents(&self.multipliers),
                Apply::Tilt => {
                    let rows = TiltedRows::of(&*self.predictor, &**expected, problem)?;
                    let mut exponents = vec![0.0; cells.rows() * classes];
                    rows.tilts().add_exponents(0..cells.rows(), &self.multipliers, &mut exponents);
                    exponents
                }
            };
            return Ok(LogOdds {
                classes,
                values,
                weights: (0..cells.rows()).map(own).collect(),
                cells: cells.cell_of_row().iter().collect(),
            });
        }
        let weights = problem.label_table(self.rule).weights(&self.multipliers);
        Ok(LogOdds {
            classes,
            values: weights.into_iter().map(f64::ln).collect(),
            weights: (0..cells.len()).map(|cell| cells.weight(cell)).collect(),
            cells: (0..cells.len()).collect(),
        })
    }
}

impl<P: Predictor> Fitted<P> {
    /// The multipliers with their constraints' names, and what they come to: see [`Solution::odds_factors`].
    ///
    /// # Errors
    /// Those of [`Solution::odds_factors`].
    pub fn named_multipliers(&self) -> Result<Vec<NamedMultiplier>> {
        let factors = self.solution().odds_factors(self.problem())?;
        let named = |((name, value), odds_factor): ((&str, f64), Option<f64>)| NamedMultiplier {
            name: name.to_owned(),
            value: Some(value),
            odds_factor,
        };
        Ok(self.multipliers().zip(factors).map(named).collect())
    }
}

/// A number per class for each cell, or for each row.
struct LogOdds {
    classes: usize,
    values: Vec<f64>,
    weights: Vec<f64>,
    /// The cell of each.
    cells: Vec<usize>,
}

impl LogOdds {
    fn factor(&self, problem: &Problem, constraint: &Constraint) -> Option<f64> {
        let (Some(group), Event::Predicts(class)) = (constraint.group, constraint.event) else { return None };
        let is_in = |place: usize| problem.cells().is_in(self.cells[place], group);
        let inside = self.mean(class, is_in)?;
        let outside = self.mean(class, |place| !is_in(place))?;
        Some((inside - outside).exp()).filter(|factor| factor.is_finite())
    }

    /// The mean change of the log odds of a class, against the (geometric) mean of the others, over some places.
    fn mean(&self, class: usize, included: impl Fn(usize) -> bool) -> Option<f64> {
        let places = || (0..self.cells.len()).filter(|&place| included(place) && self.weights[place] > 0.0);
        let change = |place: usize| {
            let values = &self.values[place * self.classes..(place + 1) * self.classes];
            let others = values.iter().sum::<f64>() - values[class];
            values[class] - others / (self.classes - 1) as f64
        };
        let total = exact::sum(places().map(|place| self.weights[place]));
        (total > 0.0).then(|| exact::sum(places().map(|place| self.weights[place] * change(place))) / total)
    }
}

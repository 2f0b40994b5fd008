//! The fit after a step, and the refinement of short steps on the decisions of single rows.

use super::Search;
use super::basis::Basis;
use super::derivatives::Derivatives;
use super::merit::Merit;
use super::refinement::refine;
use super::subproblem::Step;
use crate::Result;
use crate::constraint::Measure;
use crate::correction::solvers::oracle::Point;

impl Search<'_> {
    /// The fit after a step, with the step that was taken. Where `stretches` and every row is decided as before, the step is doubled until a decision changes
    /// or the first radius is reached: derivatives are smoothed, and a step that changes no decision is no test of the model. `None` where the learner was interrupted.
    pub(super) fn try_step(
        &mut self,
        merit: &Merit,
        current: &Point,
        basis: &Basis,
        change: &[f64],
        stretches: bool,
    ) -> Result<Option<(Point, Vec<f64>)>> {
        let mut change = change.to_vec();
        loop {
            let Some(trial) = self.evaluate(basis.moved(&current.multipliers, &change))? else { return Ok(None) };
            let decides_otherwise = merit.measure == Measure::Scores || !trial.sums.decides_as(&current.sums);
            let twice: Vec<f64> = change.iter().map(|by| 2.0 * by).collect();
            let there = basis.of(&basis.moved(&current.multipliers, &twice));
            let allowed =
                basis.norm(&twice) <= self.settings.radius && basis.norm(&there) <= self.settings.max_exponent;
            if decides_otherwise || !stretches || !allowed || self.is_over() {
                return Ok(Some((trial, change)));
            }
            change = twice;
        }
    }

    /// Where a step is short, the best step near it by the decisions of single rows; `None` where the step is long or these are not known.
    pub(super) fn refined(
        &self,
        merit: &Merit,
        current: &Point,
        derivatives: &Derivatives,
        basis: &Basis,
        step: &Step,
    ) -> Result<Option<Vec<f64>>> {
        let (reach, norm) = (self.settings.refinement_reach, basis.norm(&step.change));
        if !derivatives.exact || norm >= 2.0 * reach {
            return Ok(None);
        }
        let Some(boundary) = self.oracle.near_boundary(current, reach / 4.0)? else { return Ok(None) };
        let within = (reach / norm).min(1.0);
        let first = step.change.iter().map(|by| by * within).collect();
        Ok(Some(refine(self.oracle.evaluation(), merit, &boundary, &basis.scale, first, &self.settings)))
    }
}

//! The fit after a step, and steps that go by single rows.

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
    /// The fit after a step, and the step; or if it stretches, and the fit decides about every row as before, after twice the step, and so on up to the first radius: what
    /// turns no row tells nothing of the model, whose derivatives are smoothed. `None` where it was interrupted.
    pub(super) fn try_step(
        &mut self,
        merit: &Merit,
        current: &Point,
        basis: &Basis,
        moves: &[f64],
        stretches: bool,
    ) -> Result<Option<(Point, Vec<f64>)>> {
        let mut moves = moves.to_vec();
        loop {
            let Some(trial) = self.evaluate(basis.moved(&current.multipliers, &moves))? else { return Ok(None) };
            let turned = merit.measure == Measure::Scores || !trial.sums.decides_as(&current.sums);
            let twice: Vec<f64> = moves.iter().map(|by| 2.0 * by).collect();
            let there = basis.of(&basis.moved(&current.multipliers, &twice));
            let allowed =
                basis.norm(&twice) <= self.settings.radius && basis.norm(&there) <= self.settings.max_exponent;
            if turned || !stretches || !allowed || self.is_over() {
                return Ok(Some((trial, moves)));
            }
            moves = twice;
        }
    }

    /// Where a step is short, the best of the steps like it row by row.
    pub(super) fn refined(
        &self,
        merit: &Merit,
        current: &Point,
        derivatives: &Derivatives,
        basis: &Basis,
        step: &Step,
    ) -> Result<Option<Vec<f64>>> {
        let (reach, norm) = (self.settings.refinement_reach, basis.norm(&step.moves));
        if !derivatives.exact || norm >= 2.0 * reach {
            return Ok(None);
        }
        let Some(band) = self.oracle.near_boundary(current, reach / 4.0)? else { return Ok(None) };
        let within = (reach / norm).min(1.0);
        let first = step.moves.iter().map(|by| by * within).collect();
        Ok(Some(refine(self.oracle.evaluation(), merit, &band, &basis.scale, first, &self.settings)))
    }
}

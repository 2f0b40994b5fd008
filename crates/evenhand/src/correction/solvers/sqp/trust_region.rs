//! The loop of sequential quadratic programming with a trust region and an exact penalty. [Fletcher 1985;
//! Nocedal & Wright 2006, ch. 18.5]
//!
//! ```text
//! repeat:  derivatives at the current fit
//!          Δ = argmin of the model of φ within |SΔ|∞ ≤ r
//!          ratio = actual / promised decrease of φ; accept above 0.1; r shrinks below ¼ and grows above ¾
//! until    the promised decrease is below the tolerance, also within the first r (converged, or infeasible), r is below its minimum (stalled), or fits run out
//! ```

use super::Search;
use super::basis::Basis;
use super::derivatives::Derivatives;
use super::merit::Merit;
use super::radius::next_radius;
use super::restarts::Ended;
use super::subproblem::Subproblem;
use crate::Result;
use crate::correction::solvers::oracle::Point;
use crate::correction::trace::Termination;

impl Search<'_> {
    /// Steps from a fit for as long as the merit function falls.
    pub(super) fn run_trust_region(&mut self, merit: &Merit, start: Point) -> Result<Ended> {
        let (settings, asked) = (self.settings, &merit.inequalities);
        let basis = Basis::new(self.oracle.table(), &merit.left_alone());
        if basis.multipliers.is_empty() {
            // No multiplier changes a weight: for example, the only group holds all rows.
            let stop = if asked.are_met(&start.sums) { Termination::Converged } else { Termination::Infeasible };
            return Ok(Ended { point: start, stop });
        }
        let mut derivatives = Derivatives::at(self.oracle, &start, &basis, asked)?;
        self.has_derivatives = derivatives.exact;
        // Without a bound the search ends once rates are even. With a bound it goes on, since the error can still fall; so it does without a bound where
        // groups are withheld from the learner, because many classifiers are then even and their errors differ.
        let evenness = !asked.is_bounded() && !self.oracle.table().is_by_row();
        let (mut current, mut radius) = (start, settings.radius);
        let (mut fresh, mut accepted, mut widened) = (true, true, false);
        loop {
            let met = asked.are_met(&current.sums);
            let ended = |otherwise: Termination| if met { Termination::Converged } else { otherwise };
            if self.cancelled {
                return Ok(Ended { point: current, stop: Termination::Cancelled });
            }
            if evenness && asked.hold(&current.sums) {
                return Ok(Ended { point: current, stop: Termination::Converged });
            }
            let Some(step) = subproblem(merit, &current, &derivatives, &basis, radius, settings.max_exponent).solve()
            else {
                // Rounding keeps the subproblem from being solved: this says nothing about what weights could do.
                return Ok(Ended { point: current, stop: ended(Termination::Stalled) });
            };
            if step.decrease <= merit.tolerance && radius < settings.radius && !widened {
                // Within a small radius the model promises little at any point. Whether this point is critical is tested with the first radius.
                (radius, widened) = (settings.radius, true);
                continue;
            }
            if step.decrease <= merit.tolerance {
                return Ok(Ended { point: current, stop: ended(Termination::Infeasible) });
            }
            if self.oracle.tried() >= settings.max_fits {
                return Ok(Ended { point: current, stop: ended(Termination::IterationLimit) });
            }
            // Where residuals are within a standard error, or the last step was rejected, the smoothed model is too coarse, and a pattern search
            // on the decisions of single rows refines the step. It is done once at a fit: the same rows would lead to the same step again.
            let refines = fresh && (!accepted || asked.are_close(&current.sums));
            let refined = if refines { self.refined(merit, &current, &derivatives, &basis, &step)? } else { None };
            let change = refined.as_ref().unwrap_or(&step.change);
            let (norm, stretches) = (basis.norm(change), accepted && refined.is_none());
            let Some((trial, change)) = self.try_step(merit, &current, &basis, change, stretches)? else { continue };
            self.remember(merit, &trial);
            let ratio = (merit.value(&current) - merit.value(&trial)) / step.decrease;
            if !derivatives.exact || ratio <= settings.accept {
                // Exact derivatives are those of smoothed decisions, so that a rejected step still corrects them.
                let [before, after] = [&current, &trial].map(|point| asked.residuals(&point.sums));
                derivatives.update(&change, &before, &after, &basis.scale);
            }
            accepted = ratio > settings.accept;
            let norm = if accepted { basis.norm(&change) } else { norm };
            radius = next_radius(radius, norm, ratio, 2.0 * settings.radius);
            fresh = accepted || fresh && refined.is_none();
            if accepted {
                (current, widened) = (trial, false);
                self.retain(&current);
            }
            // A search for evenness alone ends after a refinement, because no model resolves single rows better, and after a rejected step where violations are
            // within their standard errors. Any search ends after a step that is rejected once the radius was widened: smaller radii were tried before.
            let last = evenness && (refined.is_some() || met && !accepted) || widened && !accepted;
            if last || radius < settings.min_radius {
                let met = asked.are_met(&current.sums);
                let stop = if met { Termination::Converged } else { Termination::Stalled };
                return Ok(Ended { point: current, stop });
            }
            if accepted && derivatives.exact {
                derivatives = Derivatives::at(self.oracle, &current, &basis, asked)?;
            }
        }
    }
}

/// The model of the merit function around a fit.
fn subproblem<'a>(
    merit: &Merit,
    current: &Point,
    derivatives: &'a Derivatives,
    basis: &'a Basis,
    radius: f64,
    max_exponent: f64,
) -> Subproblem<'a> {
    let gradient = derivatives.gradient.iter().zip(basis.size_gradient(&current.exponents));
    let hessian = derivatives.curvature.iter().zip(&basis.gram);
    Subproblem {
        gradient: gradient.map(|(error, size)| error + merit.regularisation * size).collect(),
        hessian: hessian.map(|(error, gram)| error + merit.regularisation * gram).collect(),
        residuals: merit.inequalities.residuals(&current.sums),
        jacobian: &derivatives.jacobian,
        penalty: merit.penalty,
        mean_weight: merit.inequalities.mean_weight(),
        scale: &basis.scale,
        multipliers: basis.of(&current.multipliers),
        radius,
        max_exponent,
    }
}

//! The minimiser behind the logistic learner: limited-memory BFGS with a factored Hessian as preconditioner.
//!
//! A Hessian costs as much as ten or twenty gradients and changes little from one re-weighting to the next. So its
//! Cholesky factor is kept across fits and serves as the initial matrix of L-BFGS, and the last few curvature pairs
//! (step, change of gradient) correct it. The Hessian is factored again when steps become slow, or when the fits with
//! the old factor have together taken as many extra passes as a new factor costs. With more coefficients than
//! [`FACTORED`], the diagonal of the Hessian takes the place of the factor.
//!
//! In a sequence of fits whose weights change gradually the optima change gradually too: each fit starts at a point
//! extrapolated from the previous optima.
//!
//! The loss is never evaluated. It is convex, so a step has lowered it if the directional derivative at the end of the
//! step has not become too large, which two gradients tell.

use std::collections::VecDeque;

use faer::linalg::solvers::{Llt, Solve};
use faer::{Mat, Side};

use crate::kernel::product::dot;

/// A smooth convex function, by its derivatives.
pub(super) trait Objective {
    fn dimension(&self) -> usize;
    fn gradient(&self, at: &[f64]) -> Vec<f64>;
    /// The lower triangle, row by row.
    fn hessian(&self, at: &[f64]) -> Vec<f64>;
    fn hessian_diagonal(&self, at: &[f64]) -> Vec<f64>;
    /// How many gradients it costs to compute and factor the Hessian.
    fn factorisation_cost(&self) -> usize;
}

/// The state that one minimisation leaves for the next: its optimum, preconditioner and curvature pairs.
#[derive(Debug, Default)]
pub struct Minimiser {
    at: Vec<f64>,
    preconditioner: Option<Preconditioner>,
    pairs: VecDeque<CurvaturePair>,
    /// The optima of the last three fits, the latest first.
    previous_optima: VecDeque<Vec<f64>>,
    /// The fewest passes that a fit with this preconditioner has taken.
    fewest: Option<usize>,
    /// How many passes fits with this preconditioner have taken beyond the fewest one may expect.
    excess: usize,
    /// The derivatives of the optimum in each direction that was last asked for.
    sensitivities: Vec<Vec<f64>>,
    /// How many passes the last fit took.
    passes: usize,
}

/// The largest number of coefficients for which the Hessian is factored. At 1,500 the factor
/// takes 18 MB and about a second, some hundred gradients of a hundred thousand rows.
pub(super) const FACTORED: usize = 1500;

/// How many curvature pairs are kept, with a factor and with a diagonal: few beside a factor, which is nearly exact.
const PAIRS_KEPT: [usize; 2] = [8, 30];

/// A step is slow if more than this share of the distance to the optimum is left after it.
const SLOW: f64 = 0.35;

/// A fit that starts close to its optimum takes this many passes with a fresh preconditioner: one gradient at the
/// start, one after the first step, and one after a second step that ends within the tolerance.
const FEW_PASSES: usize = 3;

/// After this many slow steps in a row, with a factor and with a diagonal, the preconditioner is computed again. Steps
/// with a diagonal are always slow.
const SLOW_STEPS: [usize; 2] = [2, 50];

#[derive(Debug)]
enum Preconditioner {
    Factor(Llt<f64>),
    Diagonal(Vec<f64>),
    /// So many times another one.
    Times(Box<Self>, f64),
}

#[derive(Debug)]
struct CurvaturePair {
    step: Vec<f64>,
    gradient: Vec<f64>,
    curvature: f64,
}

/// Returns the minimiser, whether it is within `tolerance`, and how many gradients it took.
///
/// The distance is the Newton decrement `√(gᵀH⁻¹g)`, half of whose square is how much lower
/// the function can still go. It ends early when `stop`, asked between steps, says so.
pub(super) fn minimise(
    objective: &dyn Objective,
    state: &mut Minimiser,
    tolerance: f64,
    max_passes: usize,
    stop: &dyn Fn() -> bool,
) -> (Vec<f64>, bool, usize) {
    if state.at.len() != objective.dimension() {
        *state = Minimiser { at: vec![0.0; objective.dimension()], ..Minimiser::default() };
    }
    state.extrapolate_optima();
    let mut gradient = objective.gradient(&state.at);
    let mut passes = 1;
    let mut slow_steps = 0;
    let mut refactor = state.preconditioner.is_none() || state.is_outdated(objective);
    let mut known = None;
    loop {
        if refactor || state.is_slow_after(slow_steps) {
            state.refactor(objective);
            (refactor, slow_steps, known) = (false, 0, None);
        }
        let distance = known.unwrap_or_else(|| state.distance(&gradient));
        if distance <= tolerance || passes >= max_passes || !distance.is_finite() || stop() {
            state.finish(passes);
            return (state.at.clone(), distance <= tolerance, passes);
        }
        let (step, next, used) = line_search(objective, state, &gradient, max_passes - passes);
        passes += used;
        let change: Vec<f64> = next.iter().zip(&gradient).map(|(new, old)| new - old).collect();
        for (at, step) in state.at.iter_mut().zip(&step) {
            *at += step;
        }
        state.record_pair(step, change);
        gradient = next;
        let left = state.distance(&gradient);
        slow_steps = if left > SLOW * distance { slow_steps + 1 } else { 0 };
        known = Some(left);
    }
}

/// A step along the quasi-Newton direction that does not overshoot the minimum by far, and the gradient after it.
fn line_search(
    objective: &dyn Objective,
    state: &mut Minimiser,
    gradient: &[f64],
    max_passes: usize,
) -> (Vec<f64>, Vec<f64>, usize) {
    let mut direction = state.direction(gradient);
    let mut slope = dot(gradient, &direction);
    if slope >= 0.0 {
        // Rounding has spoilt the curvature pairs. The preconditioner alone always gives a descent direction.
        state.pairs.clear();
        direction = state.direction(gradient);
        slope = dot(gradient, &direction);
    }
    let mut length = 1.0;
    let mut passes = 0;
    loop {
        let step: Vec<f64> = direction.iter().map(|entry| length * entry).collect();
        let there: Vec<f64> = state.at.iter().zip(&step).map(|(at, step)| at + step).collect();
        let next = objective.gradient(&there);
        passes += 1;
        let slope_there = dot(&next, &direction);
        // Beyond the minimum along the line the slope is positive. A step is accepted while it stays below 0.9 of the
        // initial slope in size.
        if slope_there <= 0.9 * slope.abs() {
            return (step, next, passes);
        }
        if passes >= max_passes.max(1) || length < 1e-10 {
            // No step that was tried is known to lower the loss: better none, where rows that are told apart leave no curvature to go by.
            return (vec![0.0; step.len()], gradient.to_vec(), passes);
        }
        length *= (slope / (slope - slope_there)).clamp(0.1, 0.5);
    }
}

impl Minimiser {
    /// Starts from the last optimum plus a multiple of the last change of optimum.
    fn extrapolate_optima(&mut self) {
        let [last, before, first] = self.previous_optima.make_contiguous() else { return };
        let minus = |a: &[f64], b: &[f64]| -> Vec<f64> { a.iter().zip(b).map(|(a, b)| a - b).collect() };
        let (step, step_before) = (minus(last, before), minus(before, first));
        // The least-squares multiple of the earlier change that predicts the later one; changes of opposite direction
        // predict nothing.
        let ratio = dot(&step, &step_before) / dot(&step_before, &step_before);
        if ratio > 0.0 {
            add(&mut self.at, ratio.min(1.0), &step);
        }
    }

    /// The state for a function that is much like `times` another, that of a sample of rows: the place where the other's minimum is, moved by an
    /// offset, and as many times the other's second derivatives; those of single coefficients may be further apart, by a ratio each.
    pub(super) fn of_sample(
        sample: &dyn Objective,
        at: &[f64],
        times: f64,
        (offset, ratios): (Option<&[f64]>, Option<&[f64]>),
    ) -> Self {
        let preconditioner = Preconditioner::Times(Box::new(Preconditioner::with_ratios(sample, at, ratios)), times);
        let mut state = Self { at: at.to_vec(), preconditioner: Some(preconditioner), ..Self::default() };
        if let Some(offset) = offset {
            add(&mut state.at, 1.0, offset);
        }
        state
    }

    /// Whether it knows more of the function's second derivatives than another function could tell: those of the function itself, or beside a diagonal pairs of steps.
    pub(crate) fn knows_curvature(&self) -> bool {
        match &self.preconditioner {
            Some(Preconditioner::Factor(_) | Preconditioner::Diagonal(_)) => true,
            Some(times @ Preconditioner::Times(..)) => times.kind() == 1,
            None => false,
        }
    }

    /// The same state at another place.
    #[must_use]
    pub(crate) fn moved_to(self, at: Vec<f64>) -> Self {
        Self { at, previous_optima: VecDeque::new(), ..self }
    }

    /// Minus the inverse second derivatives times each of some gradients; `None` where there are
    /// too many coefficients for a matrix.
    ///
    /// By the implicit function theorem these are the derivatives of the optimum when the gradient changes in these
    /// directions.
    pub(super) fn sensitivities(
        &mut self,
        objective: &dyn Objective,
        at: &[f64],
        gradients: Vec<Vec<f64>>,
    ) -> Option<Vec<Vec<f64>>> {
        if objective.dimension() > FACTORED {
            return None;
        }
        if self.at != at {
            *self = Self { at: at.to_vec(), ..Self::default() };
        }
        // A fit that took few passes has shown that its preconditioner is still accurate at the optimum.
        if self.preconditioner.is_none() || self.passes > FEW_PASSES {
            self.refactor(objective);
        }
        let preconditioner = self.preconditioner.as_ref()?;
        let sensitivity =
            |gradient: Vec<f64>| preconditioner.solve(&gradient).into_iter().map(|entry| -entry).collect();
        self.sensitivities = gradients.into_iter().map(sensitivity).collect();
        Some(self.sensitivities.clone())
    }

    /// Starts the next fit at the first-order prediction for these steps along the directions of the last
    /// [`Minimiser::sensitivities`].
    pub(super) fn extrapolate(&mut self, moves: &[f64]) {
        for (sensitivity, &share) in self.sensitivities.iter().zip(moves) {
            add(&mut self.at, share, sensitivity);
        }
        // This prediction replaces the one from previous optima.
        self.previous_optima.clear();
    }

    /// Whether the passes that a new factor would have saved cost as much as the factor.
    ///
    /// A diagonal is never outdated: the curvature pairs collected with it are worth more than a new one.
    fn is_outdated(&self, objective: &dyn Objective) -> bool {
        matches!(self.preconditioner, Some(Preconditioner::Factor(_))) && self.excess >= objective.factorisation_cost()
    }

    /// Whether so many slow steps in a row are too many for this kind of preconditioner.
    fn is_slow_after(&self, slow_steps: usize) -> bool {
        self.preconditioner.as_ref().is_none_or(|preconditioner| slow_steps >= SLOW_STEPS[preconditioner.kind()])
    }

    fn refactor(&mut self, objective: &dyn Objective) {
        let preconditioner = Preconditioner::at(objective, &self.at);
        if matches!(preconditioner, Preconditioner::Factor(_)) {
            // A factor is more accurate than pairs collected at other points; beside a diagonal the pairs are kept.
            self.pairs.clear();
        }
        self.preconditioner = Some(preconditioner);
        (self.fewest, self.excess) = (None, 0);
    }

    /// Records the optimum, and the passes by which an outdated preconditioner is recognised.
    fn finish(&mut self, passes: usize) {
        self.passes = passes;
        let fewest = self.fewest.map_or(passes, |fewest| fewest.min(passes));
        self.fewest = Some(fewest);
        // A preconditioner is most accurate when it is new: a later fit is compared with one pass fewer than the best.
        self.excess += passes.saturating_sub(FEW_PASSES.max(fewest - 1));
        self.previous_optima.push_front(self.at.clone());
        self.previous_optima.truncate(3);
    }

    fn distance(&self, gradient: &[f64]) -> f64 {
        let preconditioner = self.preconditioner.as_ref().expect("set before the first use");
        dot(gradient, &preconditioner.solve(gradient)).max(0.0).sqrt()
    }

    /// Minus the gradient times the corrected inverse preconditioner (the two-loop recursion of L-BFGS).
    fn direction(&self, gradient: &[f64]) -> Vec<f64> {
        let mut q = gradient.to_vec();
        let mut shares = Vec::with_capacity(self.pairs.len());
        for pair in self.pairs.iter().rev() {
            let share = dot(&pair.step, &q) / pair.curvature;
            add(&mut q, -share, &pair.gradient);
            shares.push(share);
        }
        let preconditioner = self.preconditioner.as_ref().expect("set before the first use");
        let mut direction = preconditioner.solve(&q);
        for (pair, share) in self.pairs.iter().zip(shares.into_iter().rev()) {
            let back = dot(&pair.gradient, &direction) / pair.curvature;
            add(&mut direction, share - back, &pair.step);
        }
        for entry in &mut direction {
            *entry = -*entry;
        }
        direction
    }

    fn record_pair(&mut self, step: Vec<f64>, gradient: Vec<f64>) {
        let curvature = dot(&step, &gradient);
        // A pair with a curvature at the level of rounding error would make the updated matrix useless.
        if curvature > 1e-14 * dot(&gradient, &gradient).sqrt() * dot(&step, &step).sqrt() {
            self.pairs.push_back(CurvaturePair { step, gradient, curvature });
            let kept = PAIRS_KEPT[self.preconditioner.as_ref().map_or(0, Preconditioner::kind)];
            if self.pairs.len() > kept {
                self.pairs.pop_front();
            }
        }
    }
}

impl Preconditioner {
    /// The index into [`PAIRS_KEPT`] and [`SLOW_STEPS`].
    fn kind(&self) -> usize {
        match self {
            Self::Factor(_) => 0,
            Self::Diagonal(_) => 1,
            Self::Times(other, _) => other.kind(),
        }
    }

    fn at(objective: &dyn Objective, at: &[f64]) -> Self {
        Self::with_ratios(objective, at, None)
    }

    /// Second derivatives whose diagonal is so many times that of an objective, while coefficients go together as they do there.
    fn with_ratios(objective: &dyn Objective, at: &[f64], ratios: Option<&[f64]>) -> Self {
        let side = objective.dimension();
        if side <= FACTORED {
            let mut matrix = objective.hessian(at);
            if let Some(ratios) = ratios {
                let roots: Vec<f64> = ratios.iter().map(|ratio| ratio.sqrt()).collect();
                for (row, entries) in matrix.chunks_exact_mut(side).enumerate() {
                    entries.iter_mut().zip(&roots).for_each(|(entry, root)| *entry *= roots[row] * root);
                }
            }
            // One-hot columns without a penalty are collinear with the intercept; the gradient has no part
            // in the directions that this small ridge alone supports, so the minimum is not moved. It is a
            // share of each column's own entry: columns in other units must not be swamped by the largest.
            let diagonal = positive((0..side).map(|i| matrix[i * side + i]).collect());
            let matrix = Mat::from_fn(side, side, |row, column| {
                let ridge = if row == column { 1e-10 * diagonal[row] } else { 0.0 };
                matrix[row.max(column) * side + row.min(column)] + ridge
            });
            if let Ok(factor) = matrix.llt(Side::Lower) {
                return Self::Factor(factor);
            }
        }
        let mut diagonal = objective.hessian_diagonal(at);
        for (entry, ratio) in diagonal.iter_mut().zip(ratios.into_iter().flatten()) {
            *entry *= ratio;
        }
        Self::Diagonal(positive(diagonal))
    }

    fn solve(&self, right: &[f64]) -> Vec<f64> {
        match self {
            Self::Factor(factor) => {
                let mut solution = Mat::from_fn(right.len(), 1, |row, _| right[row]);
                factor.solve_in_place(&mut solution);
                (0..right.len()).map(|row| solution[(row, 0)]).collect()
            }
            Self::Diagonal(diagonal) => right.iter().zip(diagonal).map(|(entry, scale)| entry / scale).collect(),
            Self::Times(other, times) => other.solve(right).into_iter().map(|entry| entry / times).collect(),
        }
    }
}

/// Second derivatives, the largest in place of those that vanish: a column of zeros without a penalty.
fn positive(diagonal: Vec<f64>) -> Vec<f64> {
    let largest = diagonal.iter().fold(0.0, |a: f64, &b| a.max(b)).max(1e-300);
    diagonal.into_iter().map(|entry| if entry > 1e-300 { entry } else { largest }).collect()
}

fn add(to: &mut [f64], share: f64, of: &[f64]) {
    for (to, of) in to.iter_mut().zip(of) {
        *to += share * of;
    }
}

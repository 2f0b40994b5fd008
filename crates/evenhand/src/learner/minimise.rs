//! The solver behind the logistic learner: quasi-Newton steps in a metric that is used again.
//!
//! A second-derivative matrix costs as much as ten or twenty gradients and changes little
//! from one re-weighting to the next. So its Cholesky factor is kept, across fits too, and
//! the last few gradient differences correct it (limited-memory BFGS with the factor as its
//! first guess); it is made anew when steps get slow, or when fits have come to take so many
//! more passes than at first that a new one would have paid. With more coefficients than a
//! matrix is worth, the diagonal takes the factor's place and nothing else changes.
//!
//! A run of fits whose weights drift ends at points that drift as well: each starts where
//! the way of those before it leads.
//!
//! The loss is never evaluated: it is convex, so a step that has not passed the valley
//! along its line, which two gradients tell, has lowered it.

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
    /// How many gradients the metric costs, its factor included.
    fn metric_cost(&self) -> usize;
}

/// What one minimisation leaves for the next: where it ended, and the metric it ended with.
#[derive(Debug, Default)]
pub struct Minimiser {
    at: Vec<f64>,
    metric: Option<Metric>,
    differences: VecDeque<Difference>,
    /// Where the last three fits ended, the latest first.
    ends: VecDeque<Vec<f64>>,
    /// The fewest passes that a whole fit with this metric has taken, if there was one.
    fewest: Option<usize>,
    /// How many passes more than could be hoped for the fits with this metric have taken.
    excess: usize,
    /// How the end answers to each direction that was last asked about.
    answers: Vec<Vec<f64>>,
    /// How many passes the last fit took.
    passes: usize,
}

/// The largest number of coefficients for which a matrix is factored. At 1,500 the factor
/// takes 18 MB and about a second, some hundred gradients of a hundred thousand rows.
const FACTORED: usize = 1500;

/// How many gradient differences are kept: few beside a factor, which knows almost everything.
const DIFFERENCES: [usize; 2] = [8, 30];

/// A step that leaves more than this share of the distance behind it was slow.
const SLOW: f64 = 0.35;

/// A fit that starts close takes this many passes with a fresh metric: where it starts,
/// after a step, and after a second that ends within the tolerance.
const FEW_PASSES: usize = 3;

/// After so many slow steps in a row the metric is made anew. A diagonal is slow by nature.
const SLOW_STEPS: [usize; 2] = [2, 50];

#[derive(Debug)]
enum Metric {
    Factor(Llt<f64>),
    Diagonal(Vec<f64>),
}

#[derive(Debug)]
struct Difference {
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
    memory: &mut Minimiser,
    tolerance: f64,
    max_passes: usize,
    stop: &dyn Fn() -> bool,
) -> (Vec<f64>, bool, usize) {
    if memory.at.len() != objective.dimension() {
        *memory = Minimiser { at: vec![0.0; objective.dimension()], ..Minimiser::default() };
    }
    memory.extrapolate();
    let mut gradient = objective.gradient(&memory.at);
    let mut passes = 1;
    let mut slow_steps = 0;
    let mut renew = memory.metric.is_none() || memory.is_worn_out(objective);
    let mut known = None;
    loop {
        if renew || memory.is_slow_after(slow_steps) {
            memory.renew(objective);
            (renew, slow_steps, known) = (false, 0, None);
        }
        let distance = known.unwrap_or_else(|| memory.distance(&gradient));
        if distance <= tolerance || passes >= max_passes || !distance.is_finite() || stop() {
            memory.finish(passes);
            return (memory.at.clone(), distance <= tolerance, passes);
        }
        let (step, next, used) = line_search(objective, memory, &gradient, max_passes - passes);
        passes += used;
        let change: Vec<f64> = next.iter().zip(&gradient).map(|(new, old)| new - old).collect();
        for (at, step) in memory.at.iter_mut().zip(&step) {
            *at += step;
        }
        memory.remember(step, change);
        gradient = next;
        let left = memory.distance(&gradient);
        slow_steps = if left > SLOW * distance { slow_steps + 1 } else { 0 };
        known = Some(left);
    }
}

/// A step along the quasi-Newton direction that does not pass the valley by far, and the gradient there.
fn line_search(
    objective: &dyn Objective,
    memory: &mut Minimiser,
    gradient: &[f64],
    max_passes: usize,
) -> (Vec<f64>, Vec<f64>, usize) {
    let mut direction = memory.direction(gradient);
    let mut slope = dot(gradient, &direction);
    if slope >= 0.0 {
        // Rounding has spoilt the differences: the metric alone always points downhill.
        memory.differences.clear();
        direction = memory.direction(gradient);
        slope = dot(gradient, &direction);
    }
    let mut length = 1.0;
    let mut passes = 0;
    loop {
        let step: Vec<f64> = direction.iter().map(|entry| length * entry).collect();
        let there: Vec<f64> = memory.at.iter().zip(&step).map(|(at, step)| at + step).collect();
        let next = objective.gradient(&there);
        passes += 1;
        let slope_there = dot(&next, &direction);
        // Past the valley the slope is positive; up to the size of the first slope the step still pays.
        if slope_there <= 0.9 * slope.abs() || passes >= max_passes.max(1) || length < 1e-10 {
            return (step, next, passes);
        }
        length *= (slope / (slope - slope_there)).clamp(0.1, 0.5);
    }
}

impl Minimiser {
    /// Goes on from the last end as far as its step, compared with the one before, suggests.
    fn extrapolate(&mut self) {
        let [last, before, first] = self.ends.make_contiguous() else { return };
        let minus = |a: &[f64], b: &[f64]| -> Vec<f64> { a.iter().zip(b).map(|(a, b)| a - b).collect() };
        let (step, step_before) = (minus(last, before), minus(before, first));
        // The best multiple of the step before to predict the step; steps that turn back predict nothing.
        let ratio = dot(&step, &step_before) / dot(&step_before, &step_before);
        if ratio > 0.0 {
            add(&mut self.at, ratio.min(1.0), &step);
        }
    }

    /// Minus the inverse second derivatives times each of some gradients; `None` where there are
    /// too many coefficients for a matrix.
    ///
    /// They are how the minimum moves when the function's gradient moves by that much.
    pub(super) fn answers(
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
        // A fit that took few passes has shown that its metric still is that of the place where it ended.
        if self.metric.is_none() || self.passes > FEW_PASSES {
            self.renew(objective);
        }
        let metric = self.metric.as_ref()?;
        let answer = |gradient: Vec<f64>| metric.solve(&gradient).into_iter().map(|entry| -entry).collect();
        self.answers = gradients.into_iter().map(answer).collect();
        Some(self.answers.clone())
    }

    /// Starts the next fit where moves in the directions of the last [`Minimiser::answers`] lead.
    pub(super) fn anticipate(&mut self, moves: &[f64]) {
        for (answer, &share) in self.answers.iter().zip(moves) {
            add(&mut self.at, share, answer);
        }
        // What fits before suggest is known better now.
        self.ends.clear();
    }

    /// Whether the passes that a new factor would have saved would have paid for it.
    ///
    /// A diagonal is left alone: what the differences know is worth more than a new one.
    fn is_worn_out(&self, objective: &dyn Objective) -> bool {
        matches!(self.metric, Some(Metric::Factor(_))) && self.excess >= objective.metric_cost()
    }

    /// Whether so many slow steps in a row are too many for this kind of metric.
    fn is_slow_after(&self, slow_steps: usize) -> bool {
        self.metric.as_ref().is_none_or(|metric| slow_steps >= SLOW_STEPS[metric.kind()])
    }

    fn renew(&mut self, objective: &dyn Objective) {
        let metric = Metric::at(objective, &self.at);
        if matches!(metric, Metric::Factor(_)) {
            // It knows more than differences taken elsewhere; beside a diagonal they are worth keeping.
            self.differences.clear();
        }
        self.metric = Some(metric);
        (self.fewest, self.excess) = (None, 0);
    }

    /// Keeps what the next fit starts from, and the account of whether the metric is still worth keeping.
    fn finish(&mut self, passes: usize) {
        self.passes = passes;
        let fewest = self.fewest.map_or(passes, |fewest| fewest.min(passes));
        self.fewest = Some(fewest);
        // A metric is never as good as on its first day: that one pass could be saved is always hoped for.
        self.excess += passes.saturating_sub(FEW_PASSES.max(fewest - 1));
        self.ends.push_front(self.at.clone());
        self.ends.truncate(3);
    }

    fn distance(&self, gradient: &[f64]) -> f64 {
        let metric = self.metric.as_ref().expect("set before the first use");
        dot(gradient, &metric.solve(gradient)).max(0.0).sqrt()
    }

    /// Minus the gradient times the corrected inverse metric (the two-loop recursion of L-BFGS).
    fn direction(&self, gradient: &[f64]) -> Vec<f64> {
        let mut q = gradient.to_vec();
        let mut shares = Vec::with_capacity(self.differences.len());
        for difference in self.differences.iter().rev() {
            let share = dot(&difference.step, &q) / difference.curvature;
            add(&mut q, -share, &difference.gradient);
            shares.push(share);
        }
        let metric = self.metric.as_ref().expect("set before the first use");
        let mut direction = metric.solve(&q);
        for (difference, share) in self.differences.iter().zip(shares.into_iter().rev()) {
            let back = dot(&difference.gradient, &direction) / difference.curvature;
            add(&mut direction, share - back, &difference.step);
        }
        for entry in &mut direction {
            *entry = -*entry;
        }
        direction
    }

    fn remember(&mut self, step: Vec<f64>, gradient: Vec<f64>) {
        let curvature = dot(&step, &gradient);
        // A difference that is rounding error would poison the metric.
        if curvature > 1e-14 * dot(&gradient, &gradient).sqrt() * dot(&step, &step).sqrt() {
            self.differences.push_back(Difference { step, gradient, curvature });
            let kept = DIFFERENCES[self.metric.as_ref().map_or(0, Metric::kind)];
            if self.differences.len() > kept {
                self.differences.pop_front();
            }
        }
    }
}

impl Metric {
    /// Its place in the tables above.
    fn kind(&self) -> usize {
        match self {
            Self::Factor(_) => 0,
            Self::Diagonal(_) => 1,
        }
    }

    fn at(objective: &dyn Objective, at: &[f64]) -> Self {
        let side = objective.dimension();
        if side <= FACTORED {
            let matrix = objective.hessian(at);
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
        Self::Diagonal(positive(objective.hessian_diagonal(at)))
    }

    fn solve(&self, right: &[f64]) -> Vec<f64> {
        match self {
            Self::Factor(factor) => {
                let mut solution = Mat::from_fn(right.len(), 1, |row, _| right[row]);
                factor.solve_in_place(&mut solution);
                (0..right.len()).map(|row| solution[(row, 0)]).collect()
            }
            Self::Diagonal(diagonal) => right.iter().zip(diagonal).map(|(entry, scale)| entry / scale).collect(),
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

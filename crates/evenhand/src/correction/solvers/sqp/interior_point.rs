//! A primal–dual interior-point method for the subproblem. [Mehrotra 1992, *On the implementation of a primal–dual interior point
//! method*; Nocedal & Wright 2006, ch. 14.2 and 16.6]
//!
//! `min gᵀx + ½xᵀHx + μ (t + w Σ sᵢ)` subject to `cᵢ + Jᵢx ≤ sᵢ ≤ t`, `s ≥ 0`, `t ≥ 0` and `lower ≤ x ≤ upper`.
//!
//! Every inequality has a gap (the distance between its two sides) and a dual variable, both above zero. Gaps and duals are feasible from the start: the
//! slacks s and t can be as large as they have to be, and the duals of the box balance any gradient. What remains is to bring the products of gaps and duals to
//! zero; their sum is the duality gap, how far the objective is above its minimum. Slacks are eliminated by hand, so that each iteration factorises one
//! matrix with a row for every multiplier, however many inequalities there are.

use faer::linalg::matmul::triangular::{self, BlockStructure};
use faer::linalg::solvers::{Llt, Solve};
use faer::{Accum, Mat, Par, Side};

/// The duality gap at which the programme counts as solved, in units of the merit function, of which a step that is taken promises 3e-4 and more. It is tight so that
/// the order of the inequalities does not show in the step.
const TOLERANCE: f64 = 1e-12;

/// The duality gap at which a solution is still used where rounding keeps the gap from falling further.
const ACCEPTABLE: f64 = 1e-6;

const MAX_ITERATIONS: usize = 100;

/// A step goes this share of the way to where the first gap or dual would be zero, so that all of them stay above zero.
const BACK_OFF: f64 = 0.995;

/// The quadratic programme; x is a step in units of exponents.
#[derive(Debug)]
pub(super) struct Programme {
    /// g.
    pub(super) gradient: Vec<f64>,
    /// H.
    pub(super) hessian: Mat<f64>,
    /// c.
    pub(super) residuals: Vec<f64>,
    /// The distinct rows of J: every row of J is a multiple of one of them.
    pub(super) rows: Mat<f64>,
    /// For each row of J, which distinct row it is a multiple of, and the factor.
    pub(super) multiples: Vec<(usize, f64)>,
    /// μ.
    pub(super) penalty: f64,
    /// w.
    pub(super) mean_weight: f64,
    pub(super) lower: Vec<f64>,
    pub(super) upper: Vec<f64>,
}

/// The inequalities of one kind: the gap and the dual of each, or how a step changes them.
#[derive(Debug, Clone)]
struct Family {
    gaps: Vec<f64>,
    duals: Vec<f64>,
}

/// One value for each of the six kinds of inequalities.
type Kinds<T> = [T; 6];

/// `cᵢ + Jᵢx ≤ sᵢ`.
const ROWS: usize = 0;
/// `sᵢ ≤ t`.
const LARGEST: usize = 1;
/// `0 ≤ sᵢ`: its gaps are s.
const ZERO: usize = 2;
/// `0 ≤ t`: its gap is t.
const MOST: usize = 3;
/// `x ≤ upper`.
const UPPER: usize = 4;
/// `lower ≤ x`.
const LOWER: usize = 5;

struct Iterate {
    x: Vec<f64>,
    kinds: Kinds<Family>,
}

/// A step: how x, the gaps and the duals change.
type Direction = Iterate;

/// The factorised matrix of a Newton step, and the ratios of duals to gaps that are in it.
struct Newton {
    factor: Llt<f64>,
    ratios: Kinds<Vec<f64>>,
    /// For each slack sᵢ, the sum of the ratios of the three inequalities that it is in.
    slack: Vec<f64>,
}

impl Programme {
    /// The minimiser; `None` where rounding keeps it from being found.
    pub(super) fn minimise(&self) -> Option<Vec<f64>> {
        let mut at = self.start();
        for _ in 0..MAX_ITERATIONS {
            let products = at.products();
            let (sum, count) = (total(&products), products.iter().map(Vec::len).sum::<usize>() as f64);
            if sum <= TOLERANCE {
                return Some(at.x);
            }
            let Some(newton) = self.newton(&at) else { break };
            // The predictor step aims at products of zero; how far it leads says how much to centre. The corrector step centres, and makes up for the predictor's second-order terms.
            let affine = self.direction(&at, &newton, &products.each_ref().map(|all| negated(all)));
            let reached = total(&at.moved(&affine, at.longest(&affine).min(1.0)).products());
            let centre = sum / count * (reached / sum).powi(3);
            let targets = kinds(|kind| {
                let second = affine.kinds[kind].products();
                products[kind].iter().zip(second).map(|(product, second)| centre - product - second).collect()
            });
            let direction = self.direction(&at, &newton, &targets);
            let next = at.moved(&direction, (BACK_OFF * at.longest(&direction)).min(1.0));
            // Once products are as small as rounding errors they no longer fall.
            let fallen = total(&next.products());
            if !fallen.is_finite() || fallen > 0.999 * sum && sum <= ACCEPTABLE {
                break;
            }
            at = next;
        }
        (total(&at.products()) <= ACCEPTABLE).then_some(at.x)
    }

    /// The start: the middle of the box, slacks above the largest residual there, and duals for which the gradient of the Lagrangian is zero.
    fn start(&self) -> Iterate {
        let (count, inequalities) = (self.gradient.len(), self.residuals.len());
        let x: Vec<f64> = self.lower.iter().zip(&self.upper).map(|(lower, upper)| 0.5 * (lower + upper)).collect();
        let values: Vec<f64> =
            self.residuals.iter().zip(self.along(&x)).map(|(residual, along)| residual + along).collect();
        let size = values.iter().fold(1e-3, |largest: f64, value| largest.max(value.abs()));
        let slacks: Vec<f64> = values.iter().map(|value| value.max(0.0) + size).collect();
        let most = slacks.iter().fold(0.0, |largest: f64, slack| largest.max(*slack)) + size;
        let share = self.penalty / (inequalities + 1) as f64;
        let own = 0.5 * (self.penalty * self.mean_weight + share);
        let gradient = self.gradient_at(&x, &vec![own; inequalities]);
        let room = |at: usize| 0.5 * (self.upper[at] - self.lower[at]);
        let even = |at: usize| own * size / room(at);
        let dual = |sign: f64| (0..count).map(|at| (sign * gradient[at]).max(0.0) + even(at)).collect::<Vec<_>>();
        let rooms: Vec<f64> = (0..count).map(room).collect();
        let kinds = [
            Family {
                gaps: slacks.iter().zip(&values).map(|(slack, value)| slack - value).collect(),
                duals: vec![own; inequalities],
            },
            Family { gaps: slacks.iter().map(|slack| most - slack).collect(), duals: vec![share; inequalities] },
            Family { gaps: slacks, duals: vec![own; inequalities] },
            Family { gaps: vec![most], duals: vec![share] },
            Family { gaps: rooms.clone(), duals: dual(-1.0) },
            Family { gaps: rooms, duals: dual(1.0) },
        ];
        Iterate { x, kinds }
    }

    /// `Jx`.
    fn along(&self, x: &[f64]) -> Vec<f64> {
        let rows = &self.rows * column(x);
        self.multiples.iter().map(|&(row, factor)| factor * rows[(row, 0)]).collect()
    }

    /// `Jᵀv`.
    fn back(&self, values: impl IntoIterator<Item = f64>) -> Vec<f64> {
        let mut sums: Mat<f64> = Mat::zeros(self.rows.nrows(), 1);
        for (&(row, factor), value) in self.multiples.iter().zip(values) {
            sums[(row, 0)] += factor * value;
        }
        entries(&(self.rows.transpose() * sums))
    }

    /// `g + Hx + Jᵀ · duals`.
    fn gradient_at(&self, x: &[f64], duals: &[f64]) -> Vec<f64> {
        let (curved, dual) = (entries(&(&self.hessian * column(x))), self.back(duals.iter().copied()));
        (0..x.len()).map(|at| self.gradient[at] + curved[at] + dual[at]).collect()
    }

    /// The matrix of the Newton equations for x and t, once slacks are eliminated:
    /// `H + Jᵀ(ratio of the rows, damped by their slacks)J` and the box on its diagonal, bordered by t.
    fn newton(&self, at: &Iterate) -> Option<Newton> {
        let ratios = at.kinds.each_ref().map(Family::ratios);
        let [rows, largest, zero, most, upper, lower] = &ratios;
        let (count, inequalities) = (at.x.len(), rows.len());
        let slack: Vec<f64> = (0..inequalities).map(|at| rows[at] + largest[at] + zero[at]).collect();
        let mut weights = vec![0.0; self.rows.nrows()];
        for (at, &(row, factor)) in self.multiples.iter().enumerate() {
            weights[row] += factor * factor * rows[at] * (largest[at] + zero[at]) / slack[at];
        }
        let scaled =
            Mat::from_fn(self.rows.nrows(), count, |row, column| weights[row].sqrt() * self.rows[(row, column)]);
        let border = self.back((0..inequalities).map(|at| rows[at] * largest[at] / slack[at]));
        let corner = (0..inequalities).map(|at| largest[at] * (rows[at] + zero[at]) / slack[at]).sum::<f64>() + most[0];
        let mut matrix = Mat::from_fn(count + 1, count + 1, |row, column| match (row == count, column == count) {
            (true, true) => corner,
            (true, false) => -border[column],
            (false, true) => 0.0,
            (false, false) if row == column => self.hessian[(row, column)] + upper[row] + lower[row],
            (false, false) => self.hessian[(row, column)],
        });
        let (lower, whole) = (BlockStructure::TriangularLower, BlockStructure::Rectangular);
        let inner = matrix.as_mut().submatrix_mut(0, 0, count, count);
        triangular::matmul(inner, lower, Accum::Add, scaled.transpose(), whole, &scaled, whole, 1.0, Par::Seq);
        Some(Newton { factor: Llt::new(matrix.as_ref(), Side::Lower).ok()?, ratios, slack })
    }

    /// The Newton step: to first order every product of gap and dual changes by its target, and the gradient of the Lagrangian is zero.
    fn direction(&self, at: &Iterate, newton: &Newton, targets: &Kinds<Vec<f64>>) -> Direction {
        let ratios = &newton.ratios;
        // A dual changes by what its target asks for while its gap stays, less its ratio times the change of the gap.
        let asked = kinds(|kind| quotients(&targets[kind], &at.kinds[kind].gaps));
        let pull = self.pull_on_slacks(at, &asked);
        let mut x = newton.solve(&self.right_side(at, newton, &asked, &pull));
        let t = x.pop().unwrap_or_default();
        let along = self.along(&x);
        let slack = |at: usize| (ratios[ROWS][at] * along[at] + ratios[LARGEST][at] * t + pull[at]) / newton.slack[at];
        let s: Vec<f64> = (0..along.len()).map(slack).collect();
        let above = s.iter().zip(&along).map(|(s, along)| s - along).collect();
        let gaps = [above, s.iter().map(|s| t - s).collect(), s, vec![t], negated(&x), x.clone()];
        let dual = |kind: usize, at: usize| asked[kind][at] - ratios[kind][at] * gaps[kind][at];
        let duals = kinds(|kind| (0..gaps[kind].len()).map(|at| dual(kind, at)).collect());
        let mut duals = duals.into_iter();
        Direction { x, kinds: gaps.map(|gaps| Family { gaps, duals: duals.next().unwrap_or_default() }) }
    }

    /// The right side of the equation of each slack: the change that is `asked` of its duals, and by how much they miss `μ w`.
    fn pull_on_slacks(&self, at: &Iterate, asked: &Kinds<Vec<f64>>) -> Vec<f64> {
        let sum = |of: [&[f64]; 3], at: usize| of[0][at] - of[1][at] + of[2][at];
        let asked = [&asked[ROWS][..], &asked[LARGEST], &asked[ZERO]];
        let duals = [ROWS, LARGEST, ZERO].map(|kind| &at.kinds[kind].duals[..]);
        let each = 0..self.residuals.len();
        each.map(|at| sum(asked, at) + sum(duals, at) - self.penalty * self.mean_weight).collect()
    }

    /// The right side of the Newton equations of x, and last of that of t, once slacks are eliminated.
    fn right_side(&self, at: &Iterate, newton: &Newton, asked: &Kinds<Vec<f64>>, pull: &[f64]) -> Vec<f64> {
        let duals = |kind: usize| &at.kinds[kind].duals;
        let passed_on = |kind: usize, at: usize| newton.ratios[kind][at] / newton.slack[at] * pull[at];
        let inequalities = 0..self.residuals.len();
        let pushed = self.back(inequalities.clone().map(|at| passed_on(ROWS, at) - asked[ROWS][at]));
        let gradient = self.gradient_at(&at.x, duals(ROWS));
        let of_x = |at: usize| {
            let balance = gradient[at] + duals(UPPER)[at] - duals(LOWER)[at];
            pushed[at] - balance - asked[UPPER][at] + asked[LOWER][at]
        };
        let balance = self.penalty - duals(LARGEST).iter().sum::<f64>() - duals(MOST)[0];
        let of_t = inequalities.map(|at| asked[LARGEST][at] + passed_on(LARGEST, at)).sum::<f64>();
        (0..at.x.len()).map(of_x).chain([of_t + asked[MOST][0] - balance]).collect()
    }
}

impl Newton {
    fn solve(&self, right: &[f64]) -> Vec<f64> {
        let mut solution = column(right);
        self.factor.solve_in_place(&mut solution);
        entries(&solution)
    }
}

impl Iterate {
    fn products(&self) -> Kinds<Vec<f64>> {
        self.kinds.each_ref().map(Family::products)
    }

    /// The share of a step after which the first gap or dual is zero; infinite where none becomes so.
    fn longest(&self, direction: &Direction) -> f64 {
        let until_zero = |(value, change): (&f64, &f64)| if *change < 0.0 { -value / change } else { f64::INFINITY };
        let pairs = self.kinds.iter().zip(&direction.kinds);
        let each = pairs.flat_map(|(at, by)| at.gaps.iter().zip(&by.gaps).chain(at.duals.iter().zip(&by.duals)));
        each.map(until_zero).fold(f64::INFINITY, f64::min)
    }

    fn moved(&self, direction: &Direction, length: f64) -> Self {
        let along = |from: &[f64], by: &[f64]| from.iter().zip(by).map(|(from, by)| from + length * by).collect();
        let family = |kind: usize| Family {
            gaps: along(&self.kinds[kind].gaps, &direction.kinds[kind].gaps),
            duals: along(&self.kinds[kind].duals, &direction.kinds[kind].duals),
        };
        Self { x: along(&self.x, &direction.x), kinds: kinds(family) }
    }
}

impl Family {
    fn products(&self) -> Vec<f64> {
        self.gaps.iter().zip(&self.duals).map(|(gap, dual)| gap * dual).collect()
    }

    fn ratios(&self) -> Vec<f64> {
        quotients(&self.duals, &self.gaps)
    }
}

fn kinds<T>(of: impl FnMut(usize) -> T) -> Kinds<T> {
    std::array::from_fn(of)
}

fn quotients(values: &[f64], by: &[f64]) -> Vec<f64> {
    values.iter().zip(by).map(|(value, by)| value / by).collect()
}

fn total(products: &Kinds<Vec<f64>>) -> f64 {
    products.iter().flatten().sum()
}

fn negated(values: &[f64]) -> Vec<f64> {
    values.iter().map(|value| -value).collect()
}

fn column(values: &[f64]) -> Mat<f64> {
    Mat::from_fn(values.len(), 1, |row, _| values[row])
}

fn entries(column: &Mat<f64>) -> Vec<f64> {
    (0..column.nrows()).map(|row| column[(row, 0)]).collect()
}

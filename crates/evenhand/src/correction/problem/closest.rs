//! The closest labels with a given violation: Assumption 1, read forwards.
//!
//! Holds [`Problem::closest`], from the probabilities of true labels and the violations asked for to the multipliers of Proposition 1. Of all label
//! functions with `E[⟨y, c_k⟩] = ε_k` the one nearest to the truth in Kullback–Leibler divergence has the multipliers that minimise the dual
//! `E[log Σ_y y_true(y|x) exp(−Σ_k λ_k c_k(x,y))] + Σ_k λ_k ε_k`, which is smooth and convex: Newton steps, halved until they descend. [Jiang & Nachum 2019, Ass. 1, App. C]

use std::ops::Range;

use faer::linalg::solvers::Solve;
use faer::{Mat, Side};

use super::Problem;
use super::biased::Term;
use crate::exact::ExactSum;
use crate::{Error, Result, parallel};

/// The tolerance of violations, above the rounding errors of sums over a few million rows.
const NEAR: f64 = 1e-10;

/// The most Newton steps. About ten are needed; where so many do not suffice, the dual has no minimum.
const STEPS: usize = 200;

/// The most halvings of a step before the line search gives up.
const HALVINGS: usize = 60;

/// What is added to the Hessian's diagonal, of its largest entry: groups that partition the rows have directions that move nothing.
const RIDGE: f64 = 1e-11;

/// A violation asked for of one constraint.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AskedViolation {
    /// The place of the constraint in [`Problem::constraints`].
    pub constraint: usize,
    /// Reference minus group rate, in probabilities: above 0 the group gets less.
    pub violation: f64,
}

/// The multipliers that put violations into labels.
#[derive(Debug, Clone, PartialEq)]
pub struct Closest {
    /// One per constraint of the problem; 0 where nothing was asked.
    pub multipliers: Vec<f64>,
    /// Of each violation asked for, what the true labels have.
    pub before: Vec<f64>,
    /// The mean Kullback–Leibler divergence of the biased labels from the true ones, in nats.
    pub divergence: f64,
}

impl Problem {
    /// The multipliers of the labels nearest to the truth that have these violations; `truth` holds `y_true(·|x)` row by row. The violation of a
    /// constraint is measured with the true labels' probabilities in the place of labels, as the theory has it.
    ///
    /// # Errors
    /// [`Error::Setting`] for a violation that is no number or 0, that the true labels have already or exceed, that no labels can have, or that
    /// cannot be had together with the others.
    pub fn closest(&self, asked: &[AskedViolation], truth: &[f64]) -> Result<Closest> {
        self.check_probabilities(truth)?;
        let dual = Dual::new(self, asked, truth)?;
        let start = dual.at(&vec![0.0; asked.len()]);
        let before: Vec<f64> = (0..asked.len()).map(|at| dual.violation(&start, at)).collect();
        for (at, (one, &has)) in asked.iter().zip(&before).enumerate() {
            dual.check(at, one.violation, has)?;
        }
        let (found, end) = dual.minimised(start)?;
        let mut multipliers = vec![0.0; self.constraints().len()];
        for (one, value) in asked.iter().zip(&found) {
            multipliers[one.constraint] = *value;
        }
        Ok(Closest { multipliers, before, divergence: -end.value })
    }
}

/// The dual of Assumption 1 on some rows.
struct Dual<'a> {
    problem: &'a Problem,
    truth: &'a [f64],
    terms: Vec<Term<'a>>,
    /// What each rate should equal: 0 where it is measured against everyone's.
    references: Vec<f64>,
    /// The violations asked for, and the mean of each constraint function that they mean.
    asked: Vec<f64>,
    targets: Vec<f64>,
    total: f64,
}

/// The dual at some multipliers, with its derivatives.
struct Evaluated {
    value: f64,
    /// `E[⟨y_bias, c_k⟩]`.
    means: Vec<f64>,
    /// `E[cov(c_k, c_l)]` under `y_bias`, row by row of the matrix.
    covariances: Vec<f64>,
}

impl<'a> Dual<'a> {
    fn new(problem: &'a Problem, asked: &[AskedViolation], truth: &'a [f64]) -> Result<Self> {
        let (mut terms, mut references, mut targets) = (Vec::new(), Vec::new(), Vec::new());
        for (at, one) in asked.iter().enumerate() {
            let Some(constraint) = problem.constraints().get(one.constraint) else {
                return Err(Error::setting("violation", format!("of constraint {}", one.constraint), "one there is"));
            };
            if asked[..at].iter().any(|other| other.constraint == one.constraint) {
                return Err(Error::setting("violation", format!("twice of `{}`", constraint.name), "one each"));
            }
            // What counts as wrong is 1 minus what is predicted as labelled.
            let counted = if constraint.event.sign() < 0.0 { 1.0 } else { 0.0 };
            let reference = constraint.reference.number().map_or(0.0, |number| number - counted);
            let term = problem.term(constraint, truth);
            targets.push((reference - one.violation) * term.conditioned);
            terms.push(term);
            references.push(reference);
        }
        let asked = asked.iter().map(|one| one.violation).collect();
        Ok(Self { problem, truth, terms, references, asked, targets, total: problem.cells().total_weight() })
    }

    fn violation(&self, at: &Evaluated, term: usize) -> f64 {
        self.violation_of(term, at.means[term])
    }

    /// The violation of a constraint whose function has this mean.
    fn violation_of(&self, term: usize, mean: f64) -> f64 {
        self.references[term] - mean / self.terms[term].conditioned
    }

    /// Whether a violation can be put in, given what the true labels have.
    fn check(&self, term: usize, asked: f64, before: f64) -> Result<()> {
        let name = &self.terms[term].constraint.name;
        let refused = |allowed: String| Err(Error::setting("violation", format!("{asked} of `{name}`"), allowed));
        let (least, most) = self.attainable(term);
        if !(asked > least && asked < most) || asked == 0.0 {
            let range = format!("a number between {least:.4} and {most:.4}, which labels can have, and not 0");
            return refused(range);
        }
        if (asked > 0.0 && before >= asked) || (asked < 0.0 && before <= asked) {
            let more = if asked > 0.0 { "more" } else { "less" };
            return refused(format!("{more} than the {before:.4} that the true labels have already"));
        }
        Ok(())
    }

    /// The least and the largest violation that any labels have, of one constraint.
    fn attainable(&self, term: usize) -> (f64, f64) {
        let (mut least, mut most) = (ExactSum::default(), ExactSum::default());
        for row in 0..self.problem.labels().len() {
            let (weight, truth) = (self.problem.row_weight(row), self.of_row(row));
            let values = (0..truth.len()).map(|class| self.problem.value(&self.terms[term], row, class, truth));
            let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high): (f64, f64), value| {
                (low.min(value), high.max(value))
            });
            least.add(weight * low);
            most.add(weight * high);
        }
        let (least, most) = (least.value(), most.value());
        (self.violation_of(term, most / self.total), self.violation_of(term, least / self.total))
    }

    fn of_row(&self, row: usize) -> &'a [f64] {
        let classes = self.problem.classes();
        &self.truth[row * classes..(row + 1) * classes]
    }

    /// Newton steps from no bias to the least dual.
    fn minimised(&self, start: Evaluated) -> Result<(Vec<f64>, Evaluated)> {
        let (mut at, mut here) = (vec![0.0; self.terms.len()], start);
        for _ in 0..STEPS {
            let gradient = self.gradient(&here);
            if gradient.iter().all(|slope| slope.abs() <= NEAR) {
                return Ok((at, here));
            }
            let Some((next, there)) = self.step(&at, &here, &gradient) else { break };
            (at, here) = (next, there);
        }
        let missed = (0..self.terms.len()).map(|term| (self.violation(&here, term) - self.asked[term]).abs());
        let missed = missed.fold(0.0, f64::max);
        let found = format!("{} at once", self.described());
        let allowed = format!("what some labels have: the nearest that were found miss it by {missed:.4}");
        Err(Error::setting("violation", found, allowed))
    }

    fn described(&self) -> String {
        let asked = |(term, at): (&Term<'_>, usize)| format!("{} of `{}`", self.asked[at], term.constraint.name);
        self.terms.iter().zip(0..).map(asked).collect::<Vec<_>>().join(", ")
    }

    fn gradient(&self, at: &Evaluated) -> Vec<f64> {
        self.targets.iter().zip(&at.means).map(|(target, mean)| target - mean).collect()
    }

    /// A Newton step, halved until the dual falls by a part of what its slope promises.
    fn step(&self, at: &[f64], here: &Evaluated, gradient: &[f64]) -> Option<(Vec<f64>, Evaluated)> {
        let count = at.len();
        let largest = (0..count).map(|one| here.covariances[one * count + one]).fold(0.0, f64::max);
        let hessian = Mat::from_fn(count, count, |row, column| {
            here.covariances[row * count + column] + if row == column { RIDGE * largest } else { 0.0 }
        });
        let factor = hessian.llt(Side::Lower).ok()?;
        let step = factor.solve(Mat::from_fn(count, 1, |row, _| -gradient[row]));
        let slope: f64 = (0..count).map(|one| step[(one, 0)] * gradient[one]).sum();
        let mut length = 1.0;
        for _ in 0..HALVINGS {
            let next: Vec<f64> = (0..count).map(|one| at[one] + length * step[(one, 0)]).collect();
            let there = self.at(&next);
            // Near the minimum values of the dual differ by rounding errors alone, whereas its slope still has digits.
            let falls = there.value <= here.value + 1e-4 * length * slope;
            let flatter = || norm(&self.gradient(&there)) < norm(gradient);
            if there.value.is_finite() && (falls || (slope.abs() < 1e-12 && flatter())) {
                return Some((next, there));
            }
            length /= 2.0;
        }
        None
    }

    /// The dual and its derivatives, a pass over rows.
    fn at(&self, multipliers: &[f64]) -> Evaluated {
        let (count, rows) = (self.terms.len(), self.problem.labels().len());
        let pass = |part: Range<usize>| {
            let mut sums = vec![ExactSum::default(); 1 + count + count * count];
            part.for_each(|row| self.add(row, multipliers, &mut sums));
            sums
        };
        let sums = parallel::reduce(rows, pass, |left, right| {
            left.iter_mut().zip(&right).for_each(|(left, right)| left.merge(right));
        });
        let mut sums: Vec<f64> = sums.iter().map(|sum| sum.value() / self.total).collect();
        let covariances = sums.split_off(1 + count);
        let means = sums.split_off(1);
        let value = sums[0] + multipliers.iter().zip(&self.targets).map(|(one, target)| one * target).sum::<f64>();
        Evaluated { value, means, covariances }
    }

    fn add(&self, row: usize, multipliers: &[f64], sums: &mut [ExactSum]) {
        let (count, truth, weight) = (self.terms.len(), self.of_row(row), self.problem.row_weight(row));
        let value = |term: usize, class: usize| self.problem.value(&self.terms[term], row, class, truth);
        let exponent = |class: usize| -> f64 {
            truth[class].ln() - (0..count).map(|term| multipliers[term] * value(term, class)).sum::<f64>()
        };
        let exponents: Vec<f64> = (0..truth.len()).map(exponent).collect();
        let largest = exponents.iter().fold(f64::NEG_INFINITY, |largest, &one| largest.max(one));
        let powers: Vec<f64> = exponents.iter().map(|one| (one - largest).exp()).collect();
        let power: f64 = powers.iter().sum();
        sums[0].add(weight * (largest + power.ln()));
        let mean = |of: &dyn Fn(usize) -> f64| powers.iter().zip(0..).map(|(one, class)| one / power * of(class)).sum();
        let means: Vec<f64> = (0..count).map(|term| mean(&|class| value(term, class))).collect();
        for one in 0..count {
            sums[1 + one].add(weight * means[one]);
            for other in 0..count {
                let product: f64 = mean(&|class| value(one, class) * value(other, class));
                sums[1 + count + one * count + other].add(weight * (product - means[one] * means[other]));
            }
        }
    }
}

fn norm(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |most: f64, value| most.max(value.abs()))
}

//! The truth and the bias together: coefficients that describe observed labels through the bias, and multipliers with which the truth is even.
//!
//! Weights can undo a bias whose tilt is known. Where a constraint conditions on labels, its tilt has the unknown truth in it; then the model of observed
//! labels is Proposition 1 itself, `q ∝ p_β · exp(−Σ λ_k t_k(x, y; p_β))`, and β and λ solve two systems at once: the gradient of its log
//! loss vanishes, and so do the violations of `p_β`. Newton steps solve them, and give the sandwich estimate of the variance.

use faer::linalg::solvers::{Llt, Solve};
use faer::{Mat, Side};

use super::bias_model::{BiasModel, Term, Totals};
use super::chord::{Chord, Mixing};
use super::estimate::pseudo_inverse;
use super::joint_rows::{JointRows, MeanContrast, Members};
use super::rows::Rows;
use crate::constraint::{Constraint, Event, Functional, Labelled, Reference, Tilt};
use crate::correction::{Apply, Expectations, ExpectedTilt, Problem, WeightMap};
use crate::learner::{Learner, Logistic, Training};
use crate::{Error, Result};

/// More coefficients than this are too many for a matrix of second derivatives.
pub(super) const MOST_COEFFICIENTS: usize = 4_000;

/// Newton steps, at most; usually there are five to ten.
const STEPS: usize = 60;

/// Steps by the derivatives of a sample, at most.
const CHORDS: usize = 20;

/// Violations of scores can be made as small as this.
const EVEN: f64 = 1e-9;

/// A step moves no exponent further than this.
const FARTHEST: f64 = 1.0;

/// A step after which more than so many times as much is missing is taken back, and one a quarter as long is tried.
const WORSE: f64 = 2.0;

/// Multipliers and the truth that goes with them.
pub(super) struct Joint<'a> {
    rows: JointRows<'a>,
    coefficients: Vec<f64>,
    pub(super) multipliers: Vec<f64>,
    totals: Totals,
    pub(super) violation: f64,
    pub(super) steps: usize,
    pub(super) converged: bool,
    information: Llt<f64>,
    by_multiplier: Mat<f64>,
    of_violations: Mat<f64>,
    tilts: Mat<f64>,
}

/// Estimates with their covariances.
pub(super) struct Covariances {
    pub(super) multipliers: Mat<f64>,
    /// Of each group and class that was asked for: how far the bias lowered its log odds.
    pub(super) effects: (Vec<f64>, Mat<f64>),
}

/// Why multipliers are not identified, before any row is looked at; `None` where they may be.
pub(super) fn obstacle(problem: &Problem, tilt: Tilt) -> Option<String> {
    for one in problem.constraints() {
        if let Reference::AtLeast(_) | Reference::AtMost(_) = one.reference {
            return Some(format!(
                "`{}` is a bound, which true labels may keep with room to spare: then no bias follows from it, and its multiplier is not identified",
                one.name
            ));
        }
        if tilt == Tilt::Expected && Term::of(one).is_about_truth() {
            return Some(format!(
                "`{}` conditions on true labels, and who of those truly labelled so is in a group that the model does not see cannot be told from \
biased labels: its multiplier is not identified by what features tell of the group, but by the group itself (`centred`)",
                one.name
            ));
        }
    }
    None
}

impl<'a> Joint<'a> {
    /// Solves for even truth.
    ///
    /// # Errors
    /// What the learner says, and [`Error::Learner`] where there are too many coefficients.
    pub(super) fn solve(problem: &'a Problem, learner: &Logistic, tilt: Tilt) -> Result<Self> {
        let members = |problem: &Problem| match tilt {
            Tilt::Expected => expected(problem, learner),
            _ => Ok(by_cell(problem)),
        };
        let rows = joint_rows(problem, members)?;
        let weights = WeightMap::unweighted(problem.cells());
        let (features, labels, classes) = (problem.features(), problem.labels(), problem.classes());
        let training = Training { features, labels, classes, weights: &weights };
        let start = learner.fit(training, &mut <Logistic as Learner>::WarmStart::default())?.coefficients().to_vec();
        let multipliers = vec![0.0; rows.model.terms.len()];
        Self::newton(rows, learner, (start, multipliers))
    }

    /// Solves for even truth on rows that need not be in memory, from where a sample of them has led: by the sample's derivatives first, which ask all
    /// rows for gradients and rates alone, and then by their own, of which covariances are made.
    ///
    /// # Errors
    /// Those of [`Joint::solve`], and what keeps rows from being read.
    pub(super) fn solve_from(rows: &'a dyn Rows, learner: &Logistic, sample: &Joint<'_>) -> Result<Self> {
        let rows = joint_rows(rows, |problem| Ok(by_cell(problem)))?;
        let start = sample.approach(&rows, learner)?;
        Self::newton(rows, learner, start)
    }

    /// The coefficients and multipliers of other rows, of which these are a sample, as near as steps by the derivatives of these come to them.
    fn approach(&self, rows: &JointRows<'_>, learner: &Logistic) -> Result<(Vec<f64>, Vec<f64>)> {
        let weight = |rows: &JointRows<'_>| rows.problem.cells().total_weight();
        let chord = Chord {
            information: &self.information,
            by_multiplier: &self.by_multiplier,
            of_violations: &self.of_violations,
            scale: weight(rows) / weight(&self.rows),
        };
        let (root, side) = (weight(rows).sqrt(), self.coefficients.len());
        let mut at = [self.coefficients.as_slice(), &self.multipliers].concat();
        let (mut nearest, mut mixing) = ((at.clone(), f64::INFINITY), Mixing::default());
        for _ in 0..CHORDS {
            let (coefficients, multipliers) = at.split_at(side);
            let totals = rows.totals(coefficients)?;
            let violations = rows.model.violations(&totals);
            let mut gradient = rows.gradient(coefficients, multipliers, &totals)?;
            for (place, (slope, coefficient)) in gradient.iter_mut().zip(coefficients).enumerate() {
                *slope += learner.penalty(place, rows.stride()) * coefficient;
            }
            let (step, decrement) = chord.step(&gradient, &violations);
            let violation = largest(&violations);
            let missing = violation.max(decrement / root);
            // What no longer comes closer is left to steps by the derivatives of all rows.
            if missing.is_nan() || missing > 0.5 * nearest.1 {
                break;
            }
            nearest = (at.clone(), missing);
            if is_solved(violation, decrement, learner) {
                break;
            }
            at = mixing.next(&at, &step);
        }
        let multipliers = nearest.0.split_off(side);
        Ok((nearest.0, multipliers))
    }

    fn newton(
        rows: JointRows<'a>,
        learner: &Logistic,
        (mut coefficients, mut multipliers): (Vec<f64>, Vec<f64>),
    ) -> Result<Self> {
        let (mut steps, mut farthest) = (0, FARTHEST);
        let root = rows.problem.cells().total_weight().sqrt();
        // Where the last step came from, and how much was missing there.
        let mut before: Option<(Vec<f64>, Vec<f64>, f64)> = None;
        loop {
            let totals = rows.totals(&coefficients)?;
            let violations = rows.model.violations(&totals);
            let mut at = rows.equations(&coefficients, &multipliers, &totals)?;
            let stride = rows.stride();
            for (place, coefficient) in coefficients.iter().enumerate() {
                let penalty = learner.penalty(place, stride);
                at.gradient[place] += penalty * coefficient;
                at.information[(place, place)] += penalty;
            }
            let information = factor(at.information)?;
            let gradient = Mat::from_fn(coefficients.len(), 1, |row, _| at.gradient[row]);
            let step = information.solve(&gradient);
            let decrement = (gradient.transpose() * &step)[(0, 0)].max(0.0).sqrt();
            let violation = largest(&violations);
            let finite = violation.is_finite() && decrement.is_finite();
            let missing = violation.max(decrement / root);
            if let Some((from, of, less)) =
                before.take().filter(|(_, _, less)| (missing > WORSE * less || missing.is_nan()) && steps < STEPS)
            {
                for (now, from) in coefficients.iter_mut().zip(&from).chain(multipliers.iter_mut().zip(&of)) {
                    *now = from + 0.25 * (*now - from);
                }
                (before, farthest, steps) = (Some((from, of, less)), 0.25 * farthest, steps + 1);
                continue;
            }
            let converged = finite && is_solved(violation, decrement, learner);
            if converged || !finite || steps == STEPS {
                return Ok(Self {
                    multipliers: shortest(&at.tilts, &multipliers),
                    rows,
                    coefficients,
                    totals,
                    violation,
                    steps,
                    converged,
                    information,
                    by_multiplier: at.by_multiplier,
                    of_violations: at.of_violations,
                    tilts: at.tilts,
                });
            }
            let moved = information.solve(&at.by_multiplier);
            let sensitivity = at.of_violations.transpose() * &moved;
            let along = at.of_violations.transpose() * &step;
            let uneven = Mat::from_fn(violations.len(), 1, |row, _| violations[row] - along[(row, 0)]);
            let by = pseudo_inverse(&sensitivity) * uneven;
            let change = &step + &moved * &by;
            let far = (0..multipliers.len()).map(|k| by[(k, 0)].abs() / totals.shares[k].min(1.0)).fold(0.0, f64::max);
            let length = if far > farthest { farthest / far } else { 1.0 };
            before = Some((coefficients.clone(), multipliers.clone(), missing));
            farthest = FARTHEST.min(2.0 * farthest);
            for (k, multiplier) in multipliers.iter_mut().enumerate() {
                *multiplier += length * by[(k, 0)];
            }
            for (place, coefficient) in coefficients.iter_mut().enumerate() {
                *coefficient -= length * change[(place, 0)];
            }
            steps += 1;
        }
    }

    /// How far the bias lowered the log odds of classes in groups.
    ///
    /// # Errors
    /// What keeps rows from being read.
    pub(super) fn effects(&self, asked: &[(Option<usize>, usize)]) -> Result<Vec<f64>> {
        Ok(self.contrasts(asked)?.iter().map(|contrast| -contrast.value).collect())
    }

    fn contrasts(&self, asked: &[(Option<usize>, usize)]) -> Result<Vec<MeanContrast>> {
        self.rows.mean_contrasts(&self.coefficients, &self.multipliers, &self.totals, asked)
    }

    /// The covariances of multipliers and effects; or why they are not identified.
    ///
    /// # Errors
    /// What keeps rows from being read.
    pub(super) fn covariances(
        &self,
        asked: &[(Option<usize>, usize)],
    ) -> Result<std::result::Result<Covariances, String>> {
        let contrasts = self.contrasts(asked)?;
        let (terms, side) = (self.multipliers.len(), self.coefficients.len());
        let moved = self.information.solve(&self.by_multiplier);
        let sensitivity = self.of_violations.transpose() * &moved;
        if rank(&sensitivity) < rank(&self.tilts) {
            return Ok(Err("multipliers of some notions change observed labels without changing what must be even: they are not identified together".to_owned()));
        }
        let inverse = pseudo_inverse(&sensitivity);
        let of_violations = columns(&self.information.solve(&self.of_violations));
        let by_coefficient = Mat::from_fn(side, contrasts.len(), |row, column| contrasts[column].by_coefficient[row]);
        let further = self.information.solve(&by_coefficient);
        let (products, least) = self.rows.influence(
            &self.coefficients,
            &self.multipliers,
            &self.totals,
            &of_violations,
            &columns(&further),
        )?;
        if least <= 0.0 {
            return Ok(Err("the bias found is so strong that more than one truth gives the same observed labels: it is not identified".to_owned()));
        }
        // What a row adds to multipliers is the inverse times its part in violations; to effects that by the multipliers, and by the coefficients
        // that move with them, and what its own residuals move.
        let by_multiplier = Mat::from_fn(contrasts.len(), terms, |row, column| contrasts[row].by_multiplier[column]);
        let along = (by_multiplier - by_coefficient.transpose() * &moved) * &inverse;
        let whole = Mat::from_fn(contrasts.len(), terms + contrasts.len(), |row, column| {
            if column < terms { along[(row, column)] } else { f64::from(u8::from(column - terms == row)) }
        });
        let own = products.get(..terms, ..terms).to_owned();
        let multipliers = &inverse * own * inverse.transpose();
        let effects = &whole * products * whole.transpose();
        if !(multipliers.is_all_finite() && effects.is_all_finite()) {
            return Ok(Err("these rows do not tell how uncertain the multipliers are".to_owned()));
        }
        let values = contrasts.iter().map(|contrast| -contrast.value).collect();
        Ok(Ok(Covariances { multipliers, effects: (values, effects) }))
    }
}

/// The size of the largest violation.
fn largest(violations: &[f64]) -> f64 {
    violations.iter().fold(0.0, |largest: f64, one| largest.max(one.abs()))
}

/// Whether both systems are solved.
fn is_solved(violation: f64, decrement: f64, learner: &Logistic) -> bool {
    violation < EVEN && decrement < learner.tolerance.max(1e-9)
}

/// How many coefficients a model of all classes has.
pub(super) fn coefficients(problem: &Problem) -> usize {
    let margins = if problem.classes() == 2 { 1 } else { problem.classes() };
    margins * (problem.features().width() + 1)
}

/// Rows with what each is to every constraint, where there are not too many coefficients.
fn joint_rows(rows: &dyn Rows, members: impl Fn(&Problem) -> Result<Members>) -> Result<JointRows<'_>> {
    let problem = rows.problem();
    let model = BiasModel { classes: problem.classes(), terms: problem.constraints().iter().map(Term::of).collect() };
    let side = coefficients(problem);
    if side > MOST_COEFFICIENTS {
        let (features, classes) = (problem.features().width(), problem.classes());
        if classes == 2 {
            let most = MOST_COEFFICIENTS / model.margins() - 1;
            return Err(Error::TooManyFeatures { features, most, widest: None });
        }
        return Err(Error::learner(format!(
            "{features} features for {classes} classes are {side} coefficients, and truth and bias are estimated together with at most \
             {MOST_COEFFICIENTS}; leave features out, or look at the multipliers of a correction of scores (rows in memory: or ask about one class alone, by \
             `target-rate=CLASS:RATE` or a positive class, which is then told from all others together)"
        )));
    }
    let shares = problem.functionals().iter().map(|one| one.as_ref().map_or(1.0, Functional::share)).collect();
    Ok(JointRows::new(rows, model, members(problem)?, shares))
}

/// Which rows are in the groups, by cell.
fn by_cell(problem: &Problem) -> Members {
    let cells = problem.cells();
    let is_in =
        |cell: usize, group: Option<usize>| f64::from(u8::from(group.is_none_or(|group| cells.is_in(cell, group))));
    let of = |group: &dyn Fn(&Constraint) -> Option<usize>| -> Vec<f64> {
        let line = |cell: usize| problem.constraints().iter().map(move |one| is_in(cell, group(one)));
        (0..cells.len()).flat_map(line).collect()
    };
    Members { by_row: false, own: of(&|one| one.group), base: of(&|one| one.base().0) }
}

/// How likely features say that rows are in the groups.
fn expected(problem: &Problem, learner: &Logistic) -> Result<Members> {
    let (expected, _) = ExpectedTilt::fit(problem, learner, Apply::Tilt)?;
    let tilts = expected.of_problem(problem, None)?;
    let (rows, count, width) = (problem.labels().len(), problem.constraints().len(), tilts.terms.len());
    let mut members = by_cell(problem);
    let by_row = |values: &[f64]| -> Vec<f64> {
        let line = |row: usize| &values[problem.cells().cell_of_row().get(row) * count..][..count];
        (0..rows).flat_map(|row| line(row).iter().copied()).collect()
    };
    (members.own, members.base, members.by_row) = (by_row(&members.own), by_row(&members.base), true);
    for (k, (constraint, functional)) in problem.constraints().iter().zip(problem.functionals()).enumerate() {
        let share = functional.as_ref().map_or(1.0, Functional::share);
        let mut places = (0..width).filter(|&at| tilts.terms[at].0 == k);
        let centre = if constraint.reference == Reference::Overall { 1.0 } else { 0.0 };
        let (Some(own), other) = (places.next(), places.next()) else { continue };
        for row in 0..rows {
            members.own[row * count + k] = (tilts.columns[own][row] + centre) * share;
            if let Some(other) = other {
                members.base[row * count + k] = -tilts.columns[other][row];
            }
        }
    }
    Ok(members)
}

/// The Cholesky factor. With more than two classes nothing changes where all margins rise alike: what little is added there moves nothing else.
fn factor(mut information: Mat<f64>) -> Result<Llt<f64>> {
    let side = information.nrows();
    let largest = (0..side).map(|at| information[(at, at)]).fold(0.0, f64::max);
    for at in 0..side {
        information[(at, at)] += 1e-10 * largest;
    }
    Llt::new(information.as_ref(), Side::Lower).map_err(|_| {
        Error::learner("the features do not tell the labels apart well enough for standard errors; raise `l2`")
    })
}

fn columns(matrix: &Mat<f64>) -> Vec<Vec<f64>> {
    (0..matrix.ncols()).map(|column| (0..matrix.nrows()).map(|row| matrix[(row, column)]).collect()).collect()
}

/// How many directions a matrix has, by singular values above rounding errors.
fn rank(matrix: &Mat<f64>) -> usize {
    let values = matrix.singular_values().unwrap_or_default();
    let largest = values.iter().copied().fold(0.0, f64::max);
    values.iter().filter(|value| **value > 1e-7 * largest).count()
}

/// The shortest multipliers that change labels as these do.
fn shortest(tilts: &Mat<f64>, multipliers: &[f64]) -> Vec<f64> {
    let own = Mat::from_fn(multipliers.len(), 1, |row, _| multipliers[row]);
    let projected = pseudo_inverse(tilts) * (tilts * own);
    (0..multipliers.len()).map(|row| projected[(row, 0)]).collect()
}

/// Whether weights undo the bias: the tilts of rates among everyone, of the positive one of two classes, are known.
pub(super) fn is_by_weights(problem: &Problem) -> bool {
    let is_parity = |one: &Constraint| {
        one.event == Event::Predicts(1) && one.labelled == Labelled::Any && one.reference == Reference::Overall
    };
    problem.classes() == 2 && problem.constraints().iter().all(is_parity)
}

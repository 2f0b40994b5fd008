//! Multipliers of even scores, with standard errors from the same derivatives that found them.

use std::sync::Arc;

use faer::{Mat, Side};
use serde::{Deserialize, Serialize};

use super::bias_model::Term;
use super::joint::Joint;
use super::simultaneous::max_t_quantile;
use super::words::{self, Interval, sentence};
use super::{Resampled, Sensitivity};
use crate::constraint::{Constraint, Event, Reference, Tilt, TiltTable};
use crate::correction::{Correction, Problem, Silent, Solution, Termination, WeightMap};
use crate::interval::quantile;
use crate::learner::{Asked, Influence, Logistic, LogisticModel, Training};
use crate::{Result, Weights};

/// The bias in some labels, as far as rows determine it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Identification {
    /// How many rows it was estimated from.
    pub rows: usize,
    /// Of the intervals.
    pub confidence: f64,
    /// What all this rests on.
    pub assumption: String,
    /// Why there is no estimate, in words without a full stop; where that is so there are no effects and no multipliers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<String>,
    /// What the bias did to each group, one after the other.
    pub effects: Vec<Effect>,
    /// What a multiplier of 1 adds to the exponent of the label that its constraint counts.
    #[serde(default)]
    pub unit: String,
    /// The multipliers, λ in the paper, in these units. Where groups partition the rows, or each of several classes has one, they are not
    /// unique, and the smallest are given; effects are unique always.
    pub multipliers: Vec<Multiplier>,
    /// The largest |overall − group| difference of mean scores (of rates, as asked, of the estimated truth) that is left: near zero when an estimate
    /// was found.
    pub violation: f64,
    /// How the search for the multipliers ended.
    pub stop: Termination,
    /// How many times the learner was called.
    pub fits: usize,
    /// How all of it depends on how far the groups truly differ, if that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sensitivity: Option<Sensitivity>,
}

/// A multiplier with its uncertainty.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Multiplier {
    /// The constraint it belongs to.
    pub name: String,
    /// Its value.
    pub value: f64,
    /// Its standard error.
    pub standard_error: f64,
    /// The lower end of its interval.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// The same by drawing rows again, if that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resampled: Option<Resampled>,
}

/// What the bias did to the labels of one group.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Effect {
    /// The group.
    pub group: String,
    /// Of which label the odds were changed, against the (geometric) mean of the others; without it of a positive one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<String>,
    /// How many rows it has.
    pub rows: usize,
    /// By which factor the odds of a positive label were changed, on (geometric) average over its rows.
    pub odds_ratio: f64,
    /// The lower end of its interval, taken by itself.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// The lower end of its interval among those that hold for all groups at once: what the sentence goes by.
    pub simultaneous_low: f64,
    /// The upper end.
    pub simultaneous_high: f64,
    /// The interval taken by itself by drawing rows again, if that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resampled: Option<Resampled>,
    /// The finding in words.
    pub sentence: String,
}

/// Multipliers, and how each group's mean exponent is made of them.
pub(super) struct Found {
    pub(super) multipliers: Vec<f64>,
    /// Per group, the mean exponent: how far the correction raises its log odds.
    pub(super) exponents: Vec<f64>,
    /// Per group, what each multiplier adds to its mean exponent.
    pub(super) shares: Vec<Vec<f64>>,
    pub(super) predictor: Arc<LogisticModel>,
    /// What multipliers add to exponents.
    pub(super) table: TiltTable,
    pub(super) violation: f64,
    pub(super) stop: Termination,
    pub(super) fits: usize,
}

/// What an estimate by weights or by the joint model is made of.
pub(super) struct Estimated {
    /// Multipliers, and the logarithms of the factors, with their covariances; or why there are none.
    pub(super) estimates: std::result::Result<Estimates, String>,
    /// The group and the class of every factor.
    pub(super) asked: Vec<(Option<usize>, usize)>,
    pub(super) violation: f64,
    pub(super) stop: Termination,
    pub(super) fits: usize,
}

impl Estimated {
    /// Nothing, for a reason that needs no rows.
    pub(super) fn missing(why: String) -> Self {
        Self { estimates: Err(why), asked: Vec::new(), violation: 0.0, stop: Termination::Infeasible, fits: 0 }
    }
}

/// Solves for even scores.
pub(super) fn solve(problem: &Problem, correction: &Correction, learner: &Logistic) -> Result<Found> {
    found(problem, correction.solve(problem, learner, &mut Silent)?)
}

/// What a solution for even scores makes of groups.
pub(super) fn found(problem: &Problem, solution: Solution<LogisticModel>) -> Result<Found> {
    let table = solution.tilt_table(problem)?;
    let shares: Vec<Vec<f64>> = (0..problem.constraints().len()).map(|at| mean_tilts(problem, &table, at)).collect();
    let exponent = |shares: &Vec<f64>| shares.iter().zip(&solution.multipliers).map(|(a, b)| a * b).sum();
    Ok(Found {
        exponents: shares.iter().map(exponent).collect(),
        shares,
        violation: solution.train.violation.unwrap_or(0.0),
        multipliers: solution.multipliers,
        predictor: solution.predictor,
        table,
        stop: solution.stop,
        fits: solution.fits,
    })
}

/// For the group of one constraint: the mean over its rows of every multiplier's tilt.
fn mean_tilts(problem: &Problem, table: &TiltTable, at: usize) -> Vec<f64> {
    let (cells, group) = (problem.cells(), problem.constraints()[at].group);
    let member = |cell: usize| group.is_none_or(|group| cells.is_in(cell, group));
    let rows = cells.cell_of_row();
    table.means(|place| member(if table.is_by_row() { rows.get(place) } else { place }))
}

/// By weights, which undo a bias whose tilt is known.
pub(super) fn by_weights(problem: &Problem, correction: &Correction, learner: &Logistic) -> Result<Estimated> {
    let found = solve(problem, correction, learner)?;
    estimated(problem, &found, || variance(problem, correction, learner, &found))
}

/// The estimate that multipliers of even scores are, with their covariance.
pub(super) fn estimated(
    problem: &Problem,
    found: &Found,
    variance: impl FnOnce() -> Result<Mat<f64>>,
) -> Result<Estimated> {
    // What a search that ended short leaves behind is no estimate of anything.
    let estimates = if found.stop == Termination::Converged {
        Estimates::of(found, variance()?).ok_or_else(|| {
            "multipliers make the probabilities of the groups even, but these rows do not tell how uncertain they are".to_owned()
        })
    } else {
        let why = "no multipliers were found that make the probabilities of the groups even";
        Err(format!("{why}{}", advice_for_weights(problem)))
    };
    let asked = problem.constraints().iter().map(|one| (one.group, 1)).collect();
    Ok(Estimated { estimates, asked, violation: found.violation, stop: found.stop, fits: found.fits })
}

/// By the model of the truth and the bias together.
pub(super) fn jointly(problem: &Problem, learner: &Logistic, tilt: Tilt) -> Result<Estimated> {
    of_joint(problem, &Joint::solve(problem, learner, tilt)?)
}

/// The estimate that such a model is.
pub(super) fn of_joint(problem: &Problem, found: &Joint<'_>) -> Result<Estimated> {
    let asked = asked(problem);
    let estimates = if found.converged {
        let covariances = found.covariances(&asked)?;
        covariances.map(|found_covariances| Estimates {
            multipliers: (found.multipliers.clone(), found_covariances.multipliers),
            log_odds: found_covariances.effects,
        })
    } else {
        let why = "no multipliers were found with which true labels, as a model of these features describes them, keep what is asked";
        Err(format!("{why}{}", advice_for_joint(problem)))
    };
    let stop = if found.converged { Termination::Converged } else { Termination::Stalled };
    Ok(Estimated { estimates, asked, violation: found.violation, stop, fits: found.steps + 1 })
}

/// What may help where weights do not make groups even.
fn advice_for_weights(problem: &Problem) -> &'static str {
    if problem.constraints().iter().any(|one| one.notion.withholds_groups()) {
        "; the model may not see the groups: a bias that goes by what its features tell of them can be asked for (tilt `expected`), or one that is found by a \
model that sees them (`demographic-parity`)"
    } else {
        ""
    }
}

/// What may help where the truth does not keep what is asked: more rates among labels of a group than it has coefficients, or how its probabilities spread,
/// ask for more than a model says of a group.
fn advice_for_joint(problem: &Problem) -> &'static str {
    let constraints = problem.constraints();
    let spread = |one: &Constraint| matches!(one.event, Event::Correct | Event::Wrong);
    let several = |one: &Constraint| {
        let same = |other: &&Constraint| other.group == one.group && Term::of(other).is_about_truth();
        constraints.iter().filter(same).count() >= problem.classes()
    };
    if constraints.iter().any(|one| spread(one) || several(one)) {
        "; what is asked of a group takes more coefficients of it than the model has: add a column that is a feature for the members of the group and 0 for \
others, or ask for one rate of one class (`equal-opportunity` or `predictive-equality`, with a positive class)"
    } else {
        ""
    }
}

/// The groups and classes whose odds multipliers change, each once.
pub(super) fn asked(problem: &Problem) -> Vec<(Option<usize>, usize)> {
    let mut all: Vec<(Option<usize>, usize)> = Vec::new();
    for constraint in problem.constraints() {
        let classes = match constraint.event {
            Event::Predicts(class) => vec![class],
            Event::Correct | Event::Wrong if problem.classes() == 2 => vec![problem.positive().unwrap_or(1)],
            Event::Correct | Event::Wrong => (0..problem.classes()).collect(),
        };
        let groups: Vec<Option<usize>> = match constraint.reference {
            Reference::Rows { group: Some(other), .. } => vec![constraint.group, Some(other)],
            _ => vec![constraint.group],
        };
        for of in groups.iter().flat_map(|group| classes.iter().map(move |class| (*group, *class))) {
            if !all.contains(&of) {
                all.push(of);
            }
        }
    }
    all
}

/// An estimate in every output's form; `classes` are the names of the classes.
pub(super) fn identification(
    problem: &Problem,
    found: &Estimated,
    classes: &[String],
    confidence: f64,
    tilt: Tilt,
) -> Result<Identification> {
    let (effects, multipliers, missing) = match &found.estimates {
        Ok(estimates) => {
            let effects = estimates.effects(problem, &found.asked, classes, confidence)?;
            (effects, estimates.multipliers(problem, confidence)?, None)
        }
        Err(why) => (Vec::new(), Vec::new(), Some(why.clone())),
    };
    Ok(Identification {
        rows: (0..problem.cells().len()).map(|cell| problem.cells().count(cell)).sum(),
        confidence,
        assumption: words::assumption_of(problem, tilt),
        missing,
        effects,
        unit: words::unit(problem, tilt),
        multipliers,
        violation: found.violation,
        stop: found.stop,
        fits: found.fits,
        sensitivity: None,
    })
}

/// Multipliers and what they make of groups, each with the covariance.
pub(super) struct Estimates {
    pub(super) multipliers: (Vec<f64>, Mat<f64>),
    /// Of the logarithm of each group's factor.
    pub(super) log_odds: (Vec<f64>, Mat<f64>),
}

impl Estimates {
    /// `None` where the rows do not tell a variance.
    pub(super) fn new(
        problem: &Problem,
        correction: &Correction,
        learner: &Logistic,
        found: &Found,
    ) -> Result<Option<Self>> {
        Ok(Self::of(found, variance(problem, correction, learner, found)?))
    }

    /// Those of multipliers whose covariance is known.
    fn of(found: &Found, variance: Mat<f64>) -> Option<Self> {
        let count = found.multipliers.len();
        let shares = Mat::from_fn(count, count, |group, multiplier| found.shares[group][multiplier]);
        let of_groups = &shares * &variance * shares.transpose();
        if !(variance.is_all_finite() && of_groups.is_all_finite()) {
            return None;
        }
        // What the correction raises, the bias had lowered.
        let log_odds = found.exponents.iter().map(|exponent| -exponent).collect();
        Some(Self { multipliers: (found.multipliers.clone(), variance), log_odds: (log_odds, of_groups) })
    }

    fn effects(
        &self,
        problem: &Problem,
        asked: &[(Option<usize>, usize)],
        classes: &[String],
        confidence: f64,
    ) -> Result<Vec<Effect>> {
        let (values, covariance) = &self.log_odds;
        let (alone, at_once) = (quantile(confidence)?, max_t_quantile(covariance, confidence)?);
        let effect = |(at, &value): (usize, &f64)| {
            let error = standard_error(covariance, at);
            let ends = |z: f64| [value - z * error, value + z * error].map(f64::exp);
            let (group, class) = asked[at];
            let is_positive = class == problem.positive().unwrap_or(if classes.len() == 2 { 1 } else { classes.len() });
            let of = Whose { group, class: (!is_positive).then(|| classes[class].clone()), all: asked.len() };
            Effect::new(problem, of, value.exp(), [ends(alone), ends(at_once)], confidence)
        };
        Ok(values.iter().enumerate().map(effect).collect())
    }

    fn multipliers(&self, problem: &Problem, confidence: f64) -> Result<Vec<Multiplier>> {
        let ((values, covariance), z) = (&self.multipliers, quantile(confidence)?);
        let multiplier = |(at, &value): (usize, &f64)| {
            let standard_error = standard_error(covariance, at);
            Multiplier {
                name: problem.constraints()[at].name.clone(),
                value,
                standard_error,
                low: value - z * standard_error,
                high: value + z * standard_error,
                resampled: None,
            }
        };
        Ok(values.iter().enumerate().map(multiplier).collect())
    }
}

/// Rounding may leave a variance of zero slightly below it.
pub(super) fn standard_error(covariance: &Mat<f64>, at: usize) -> f64 {
    covariance[(at, at)].max(0.0).sqrt()
}

/// The name of a group, or of everyone.
pub(super) fn group_name(problem: &Problem, group: Option<usize>) -> String {
    group.map_or_else(|| "everyone".to_owned(), |place| problem.group_names()[place].clone())
}

/// Of which group and label a factor is, and of how many it is one.
struct Whose {
    group: Option<usize>,
    class: Option<String>,
    all: usize,
}

impl Effect {
    /// With the ends of the interval taken by itself, and of the one that holds together with all others.
    fn new(problem: &Problem, of: Whose, odds_ratio: f64, ends: [[f64; 2]; 2], confidence: f64) -> Self {
        let cells = problem.cells();
        let place = of.group;
        let inside = |&cell: &usize| place.is_none_or(|group| cells.is_in(cell, group));
        let group = group_name(problem, place);
        let [[low, high], [simultaneous_low, simultaneous_high]] = ends;
        let interval = Interval { low: simultaneous_low, high: simultaneous_high, confidence, groups: of.all };
        Self {
            sentence: sentence(&group, of.class.as_deref(), odds_ratio, interval),
            group,
            class: of.class,
            rows: (0..cells.len()).filter(inside).map(|cell| cells.count(cell)).sum(),
            odds_ratio,
            low,
            high,
            simultaneous_low,
            simultaneous_high,
            resampled: None,
        }
    }
}

/// The covariance of the multipliers: the sandwich of [`Logistic::influence`], by the pseudo-inverse
/// where groups partition the rows.
fn variance(problem: &Problem, correction: &Correction, learner: &Logistic, found: &Found) -> Result<Mat<f64>> {
    let cells = problem.cells();
    let count = found.multipliers.len();
    let weight_map = WeightMap { table: &found.table, cells, technique: correction.technique, observed: None };
    let weights = weight_map.weights(&found.multipliers)?;
    let of_cells = |values| Weights::of_cells(values, cells.cell_of_row().clone(), cells.row_weights().cloned());
    let slopes = weight_map.slopes(&found.multipliers, &(0..count).collect::<Vec<_>>());
    let shares = shares(problem, &problem.mean_scores(&problem.cell_sums(&*found.predictor)?));
    let counts = counts(&shares, count).into_iter().map(of_cells);
    let asked = Asked {
        slopes: &slopes,
        counts: &counts.collect::<Vec<_>>(),
        shares: &shares,
        cell_of_row: cells.cell_of_row(),
        row_weights: cells.row_weights().map(|weights| &**weights),
    };
    let (features, labels, classes) = (problem.features(), problem.labels(), problem.classes());
    let training = Training { features, labels, classes, weights: &weights };
    let influence = learner.influence(training, &found.predictor, &asked)?;
    Ok(sandwich(&influence, count))
}

/// The covariance of so many multipliers, by the influence of rows.
pub(super) fn sandwich(influence: &Influence, count: usize) -> Mat<f64> {
    let inverse = pseudo_inverse(&Mat::from_fn(count, count, |row, column| influence.jacobian[row * count + column]));
    let middle = Mat::from_fn(count, count, |row, column| influence.products[row * count + column]);
    &inverse * middle * inverse.transpose()
}

/// Per constraint, how much a row's score counts in its violation, cell by cell.
pub(super) fn counts(shares: &[[f64; 2]], count: usize) -> Vec<Vec<f64>> {
    (0..count).map(|k| shares.chunks_exact(count).map(|of_cell| of_cell[k][0]).collect()).collect()
}

/// Per cell and constraint: how much a row's score counts in the violation, and at which level it would not matter.
///
/// A violation is overall mean minus group mean; a row moves each mean by its distance from it.
pub(super) fn shares(problem: &Problem, evaluated: &[(f64, f64, f64)]) -> Vec<[f64; 2]> {
    let cells = problem.cells();
    let total = cells.total_weight();
    let mut shares = Vec::with_capacity(cells.len() * evaluated.len());
    for cell in 0..cells.len() {
        for (constraint, (overall, group, weight)) in problem.constraints().iter().zip(evaluated) {
            let member = constraint.group.is_none_or(|group| cells.is_in(cell, group));
            let inside = if member { 1.0 / weight } else { 0.0 };
            shares.push([1.0 / total - inside, overall / total - group * inside]);
        }
    }
    shares
}

/// By the singular values that are not rounding errors.
pub(super) fn pseudo_inverse(matrix: &Mat<f64>) -> Mat<f64> {
    let count = matrix.nrows();
    let Ok(square) = (matrix.transpose() * matrix).self_adjoint_eigen(Side::Lower) else {
        return Mat::full(count, count, f64::NAN);
    };
    let (values, vectors) = (square.S().column_vector(), square.U());
    let largest = (0..count).map(|at| values[at]).fold(0.0, f64::max);
    // (JᵀJ)⁺Jᵀ, with a cut at the square of 1e-7.
    let inverse = Mat::from_fn(count, count, |row, column| {
        (0..count)
            .filter(|&at| values[at] > 1e-14 * largest)
            .map(|at| vectors[(row, at)] * vectors[(column, at)] / values[at])
            .sum::<f64>()
    });
    inverse * matrix.transpose()
}

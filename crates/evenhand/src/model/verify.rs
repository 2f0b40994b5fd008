//! Re-deriving a model from the data it came from.
//!
//! Holds [`Verdict`]: what was computed again, and whether it matches the file. Weights come
//! from the multipliers and the data alone (or as another method has them); thresholds from the saved classifier's scores; rates come from the saved classifier; and the
//! classifier itself must be where the weighted loss is least, or, where no loss is, come of the same training again. The run is then done
//! again as well (`refit`), so that nothing in a file is taken on trust but what the checks name.

use serde::Serialize;
use serde_json::json;

use super::record::cell_records;
use super::refit::apart;
use super::{LearnerRecord, Model};
use crate::constraint::TiltTable;
use crate::correction::baselines::{percentile_thresholds, reweighing};
use crate::correction::{
    Apply, CovariateShift, Evaluated, Expectations, Method, Metrics, Observed, Problem, TableRows, Threshold, WeightMap,
};
use crate::data::{Dataset, Table, holdout};
use crate::learner::{Logistic, LogisticModel, Training};
use crate::{Result, Weights};

/// Rates, weights and violations are sums of the same numbers in the same order; what is
/// left is the last digit of their text.
const SAME: f64 = 1e-12;

/// A gradient, per row, this small says that no coefficient is wrong in its sixth digit.
const FLAT: f64 = 1e-6;

/// What verification found.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Verdict {
    /// Whether every check passed.
    pub matches: bool,
    /// The checks, in the order they were made.
    pub checks: Vec<Check>,
}

/// One thing that was computed again.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Check {
    /// What.
    pub name: &'static str,
    /// Whether it matches the file; `None` where it cannot be told.
    pub matches: Option<bool>,
    /// With which numbers.
    pub detail: String,
}

impl Model {
    /// Computes weights, rates and violations again from the data a model came from.
    ///
    /// `table` holds all rows given to the fit, before any split.
    ///
    /// # Errors
    /// When the table lacks columns, or its labels are not those of the model.
    pub fn verify(&self, table: Table) -> Result<Verdict> {
        let data =
            Dataset::with_classes(table, self.binding.schema(), self.binding.classes(), self.binding.positive())?;
        match &self.provenance.split {
            Some(split) => {
                let (train, test) = holdout(data.rows(), split.holdout, split.seed)?;
                self.verify_parts(&data, &data.select(&train), Some(&data.select(&test)))
            }
            None => self.verify_parts(&data, &data, None),
        }
    }

    /// As [`Model::verify`], from all rows, those that were trained on and those held out, however they were parted.
    ///
    /// # Errors
    /// Those of [`Model::verify`].
    pub fn verify_parts(&self, data: &Dataset, train: &Dataset, test: Option<&Dataset>) -> Result<Verdict> {
        if let Some(sampled) = self.provenance.sampled {
            return self.verify_stored(&TableRows(data.table()), sampled);
        }
        // Every field is named: a new one is to be derived again, or said not to be.
        let Self {
            software: _,
            settings: _,
            binding: _,
            multipliers: _,
            rule: _,
            cells: _,
            unweighted: _,
            learner: _,
            observed: _,
            expected: _,
            thresholds: _,
            threshold: _,
            groups_needed: _,
            slack: _,
            train: recorded,
            test: _,
            bound_tests: _,
            stop: _,
            trade_off: _,
            trace: _,
            fits: _,
            provenance: _,
            reading: _,
        } = self;
        let data = self.check_digest(&data.digest(), data.rows());
        let mut checks = vec![data, self.check_settings(), self.check_binding(train)?];
        if checks[2].matches == Some(false) {
            // With other columns or groups, nothing that follows is about the same rows.
            return Ok(Verdict { matches: false, checks });
        }
        let (all, _) = self.binding.problem(train)?;
        let problem = self.settings.validation.fitted_part(&all)?.unwrap_or(all);
        checks.push(self.check_weights(&problem)?);
        let again = self.refitted(train)?;
        if self.settings.covariate_shift == CovariateShift::Corrected {
            checks.push(self.check_observed(&problem, again.as_ref().ok()));
        }
        checks.push(self.check_classifier(&problem, again.as_ref().ok())?);
        checks.extend(self.check_thresholds(&problem)?);
        checks.extend(self.check_threshold(&again));
        checks.extend(self.check_run(&again));
        let metrics = self.classifier().evaluate(&problem, self.settings.measure)?;
        checks.push(compare("training rates", &metrics, recorded));
        checks.extend(self.check_judged(&problem, test)?);
        Ok(verdict(self, checks))
    }

    /// Rates on test rows, and verdicts on the bounds.
    fn check_judged(&self, train: &Problem, test: Option<&Dataset>) -> Result<Vec<Check>> {
        let mut checks = Vec::new();
        let test = test.map(|test| self.binding.problem(test)).transpose()?.map(|(problem, _)| problem);
        let elsewhere = "the test rows were in a file of their own, which is not computed again";
        match (&test, &self.test) {
            (Some(test), Some(recorded)) => {
                let metrics = self.classifier().evaluate(test, self.settings.measure)?;
                checks.push(compare("test rates", &metrics, recorded));
            }
            (None, Some(_)) => checks.push(Check { name: "test rates", matches: None, detail: elsewhere.into() }),
            (_, None) => {}
        }
        let Some(first) = self.bound_tests.first() else { return Ok(checks) };
        let judged_on = match (&test, &self.test) {
            (Some(test), Some(_)) => Some(test),
            (None, Some(_)) => None,
            (_, None) => Some(train),
        };
        let name = "verdicts";
        let Some(judged_on) = judged_on else {
            checks.push(Check { name, matches: None, detail: elsewhere.into() });
            return Ok(checks);
        };
        let evaluated = self.classifier().evaluated(judged_on, self.settings.measure)?;
        checks.push(self.check_verdicts(&evaluated, first.confidence)?);
        Ok(checks)
    }

    /// Verdicts on the bounds, by what the classifier does on the rows that they were tested on.
    pub(super) fn check_verdicts(&self, evaluated: &Evaluated<'_>, confidence: f64) -> Result<Check> {
        let found = evaluated.test_bounds(&self.settings.bounds, confidence)?;
        let furthest = apart(&json!(found), &json!(self.bound_tests));
        let matches = furthest.is_some_and(|furthest| furthest <= SAME);
        let verdicts: Vec<String> = found.iter().map(|one| one.verdict.to_string()).collect();
        let detail = format!("tested again at {confidence}: {}", verdicts.join(", "));
        Ok(Check { name: "verdicts", matches: Some(matches), detail })
    }

    /// Whether rows of this digest are those that the model came from.
    pub(super) fn check_digest(&self, found: &str, rows: usize) -> Check {
        let recorded = self.provenance.data_rows;
        let matches = found == self.provenance.data_sha256 && rows == recorded;
        let detail = if matches {
            format!("SHA-256 of {rows} rows is {found}")
        } else if rows != recorded {
            format!("{rows} rows, the model came from {recorded}")
        } else {
            format!("SHA-256 is {found}, the model came from {}", self.provenance.data_sha256)
        };
        Check { name: "data", matches: Some(matches), detail }
    }

    pub(super) fn check_settings(&self) -> Check {
        let found = self.settings_digest();
        let matches = found == self.provenance.settings_sha256;
        Check { name: "settings", matches: Some(matches), detail: format!("SHA-256 is {found}") }
    }

    pub(super) fn check_weights(&self, problem: &Problem) -> Result<Check> {
        let weights = self.cell_weights(problem)?;
        let found = cell_records(&self.binding, problem.cells(), &weights);
        let alike = found.len() == self.cells.len()
            && found.iter().zip(&self.cells).all(|(one, other)| one.groups == other.groups && one.label == other.label);
        let furthest =
            found.iter().zip(&self.cells).map(|(one, other)| (one.weight - other.weight).abs()).fold(0.0, f64::max);
        let detail = if alike {
            let cells = found.len();
            let from = match self.settings.method {
                Method::Correction if self.settings.apply == Apply::Weights => {
                    format!("{cells} cells from {} multipliers", self.multipliers.len())
                }
                Method::Reweighing => format!("{cells} cells from groups and labels"),
                _ => format!("{cells} cells, all rows as they are"),
            };
            format!("{from}, furthest apart {furthest:.1e}")
        } else {
            format!("the data have {} cells, the model {}, or others", found.len(), self.cells.len())
        };
        Ok(Check { name: "weights", matches: Some(alike && furthest <= SAME), detail })
    }

    /// The weight of each cell, by the method.
    fn cell_weights(&self, problem: &Problem) -> Result<Vec<f64>> {
        Ok(match self.settings.method {
            Method::Correction if self.settings.apply == Apply::Weights => {
                let (table, cells, technique) = (self.tilt_table(problem)?, problem.cells(), self.settings.technique);
                WeightMap { table: &table, cells, technique, observed: None }.by_cell(&self.multiplier_values())
            }
            Method::Reweighing => reweighing::cell_weights(problem.cells()),
            _ => vec![1.0; problem.cells().len()],
        })
    }

    /// What each multiplier adds to the exponents of some rows, or of their cells.
    fn tilt_table(&self, problem: &Problem) -> Result<TiltTable> {
        match &self.expected {
            Some(expected) => Ok(expected.of_problem(problem, None)?.table(problem, self.rule)),
            None => Ok(problem.tilt_table(self.rule)),
        }
    }

    /// Thresholds by group must be those that the scores lead to again.
    fn check_thresholds(&self, problem: &Problem) -> Result<Option<Check>> {
        let found = match self.settings.method {
            Method::ThresholdPostprocessing(postprocessing) => {
                postprocessing.thresholds(&self.settings, problem, self.predictor())?.0
            }
            Method::PercentileThresholds => {
                percentile_thresholds::thresholds(&self.settings, problem, self.predictor())?
            }
            _ => return Ok(None),
        };
        let matches = self.thresholds.as_ref() == Some(&found);
        let has = if matches { "lead to these" } else { "lead to others" };
        let detail = format!("the scores {has}: {} patterns of groups", found.patterns.len());
        Ok(Some(Check { name: "thresholds", matches: Some(matches), detail }))
    }

    /// A threshold that was chosen must be chosen again: by a fit that is in no file, so that the run is to be done again for it.
    fn check_threshold(&self, again: &std::result::Result<Self, &'static str>) -> Option<Check> {
        if self.settings.threshold == Threshold::Half {
            return None;
        }
        let name = "threshold";
        Some(match again {
            Ok(again) => {
                let apart = (again.threshold - self.threshold).abs();
                let detail = format!("chosen again: {}, {apart:.1e} from the file's", again.threshold);
                Check { name, matches: Some(apart <= FLAT), detail }
            }
            Err(reason) => Check { name, matches: None, detail: (*reason).to_owned() },
        })
    }

    /// The fit by which weights were divided must be where the loss without correction is least.
    #[cfg_attr(not(feature = "network"), expect(unused_variables, reason = "networks are trained again"))]
    fn check_observed(&self, problem: &Problem, again: Option<&Self>) -> Check {
        let name = "observed";
        match &self.observed {
            Some(LearnerRecord::Logistic { settings, model }) => {
                least(name, "loss", settings, model, problem, &WeightMap::unweighted(problem.cells()))
            }
            #[cfg(feature = "network")]
            Some(LearnerRecord::Network { model, .. }) => {
                let again = again.and_then(|again| match &again.observed {
                    Some(LearnerRecord::Network { model, .. }) => Some(model),
                    _ => None,
                });
                same_network(name, model, again)
            }
            Some(LearnerRecord::Given { .. } | LearnerRecord::Process { .. }) => elsewhere(name),
            None => {
                let detail = "weights were divided by what labels are observed, and the model does not say what".into();
                Check { name, matches: Some(false), detail }
            }
        }
    }

    fn check_classifier(&self, problem: &Problem, again: Option<&Self>) -> Result<Check> {
        let name = "classifier";
        match &self.learner {
            LearnerRecord::Logistic { model, .. } if matches!(self.settings.method, Method::Lagrangian(_)) => {
                Ok(self.check_trained(name, model, again))
            }
            LearnerRecord::Logistic { settings, model } => {
                Ok(least(name, "weighted loss", settings, model, problem, &self.learner_weights(problem)?))
            }
            LearnerRecord::Given { .. } => {
                let detail = "another model's scores, which came with the rows".to_owned();
                Ok(Check { name, matches: None, detail })
            }
            #[cfg(feature = "network")]
            LearnerRecord::Network { model, .. } => {
                let again = again.and_then(|again| match &again.learner {
                    LearnerRecord::Network { model, .. } => Some(model),
                    _ => None,
                });
                Ok(same_network(name, model, again))
            }
            LearnerRecord::Process { .. } => Ok(elsewhere(name)),
        }
    }

    /// No loss is least where gradients of the Lagrangian end: the training was done again.
    fn check_trained(&self, name: &'static str, model: &LogisticModel, again: Option<&Self>) -> Check {
        let Some(Self { learner: LearnerRecord::Logistic { model: trained, .. }, slack, .. }) = again else {
            return Check { name, matches: None, detail: "the training was not done again".into() };
        };
        let pairs = trained.coefficients().iter().zip(model.coefficients());
        let apart = pairs.map(|(one, other)| (one - other).abs()).fold(0.0, f64::max);
        let alike = trained.coefficients().len() == model.coefficients().len() && *slack == self.slack;
        let slack = slack.unwrap_or_default();
        let detail = format!("trained again with slack {slack}: coefficients furthest apart {apart:.1e}");
        Check { name, matches: Some(alike && apart <= FLAT), detail }
    }

    /// The weights the learner was given.
    fn learner_weights(&self, problem: &Problem) -> Result<Weights> {
        if self.unweighted {
            return Ok(WeightMap::unweighted(problem.cells()));
        }
        if self.settings.method == Method::Reweighing {
            let cells = problem.cells();
            let (of, own) = (cells.cell_of_row().clone(), cells.row_weights().cloned());
            return Ok(Weights::of_cells(reweighing::cell_weights(cells), of, own));
        }
        let observed = match &self.observed {
            Some(record) => Some(Observed::new(problem.label_table(self.rule), record.predictor(), problem)?),
            None => None,
        };
        let (table, technique) = (self.tilt_table(problem)?, self.settings.technique);
        let weight_map = WeightMap { table: &table, cells: problem.cells(), technique, observed: observed.as_ref() };
        weight_map.weights(&self.multiplier_values())
    }
}

/// Whether a classifier is where a loss is least.
fn least(
    name: &'static str,
    loss: &str,
    settings: &Logistic,
    model: &LogisticModel,
    problem: &Problem,
    weights: &Weights,
) -> Check {
    let (features, labels, classes) = (problem.features(), problem.labels(), problem.classes());
    let norm = settings.gradient_norm(Training { features, labels, classes, weights }, model) / weights.total();
    least_at(name, loss, norm)
}

/// Whether a loss is least where the largest entry of its gradient, per unit of weight, is this.
pub(super) fn least_at(name: &'static str, loss: &str, norm: f64) -> Check {
    let matches = norm <= FLAT;
    let has = if matches { "is least there" } else { "is not least there" };
    Check { name, matches: Some(matches), detail: format!("the {loss} {has}: gradient {norm:.1e} per unit of weight") }
}

/// Whether a network has the weights that training led to again: no loss is least where it ends.
#[cfg(feature = "network")]
fn same_network(
    name: &'static str,
    model: &crate::learner::NetworkModel,
    again: Option<&crate::learner::NetworkModel>,
) -> Check {
    let Some(again) = again else {
        return Check { name, matches: None, detail: "the training was not done again".into() };
    };
    let matches = again == model;
    let detail = if matches { "the same weights, bit for bit" } else { "other weights came of it" };
    Check { name, matches: Some(matches), detail: format!("trained again: {detail}") }
}

fn elsewhere(name: &'static str) -> Check {
    Check { name, matches: None, detail: "fitted by another program; its optimality cannot be told from here".into() }
}

/// All checks, with what is not checked of every model.
pub(super) fn verdict(model: &Model, mut checks: Vec<Check>) -> Verdict {
    let detail = format!("{}, by the file's own word", model.software);
    checks.push(Check { name: "software", matches: None, detail });
    Verdict { matches: checks.iter().all(|check| check.matches != Some(false)), checks }
}

impl Check {
    /// Something that does not match, for a reason in words.
    pub(super) fn failed(name: &'static str, detail: String) -> Self {
        Self { name, matches: Some(false), detail }
    }
}

pub(super) fn compare(name: &'static str, found: &Metrics, recorded: &Metrics) -> Check {
    let pairs = found.violations.iter().zip(&recorded.violations);
    let apart = pairs
        .map(|(one, other)| match (one.value, other.value) {
            (Some(one), Some(other)) => (one - other).abs(),
            (None, None) => 0.0,
            _ => f64::INFINITY,
        })
        .chain([
            (found.error - recorded.error).abs(),
            (found.errors - recorded.errors).abs() / found.rows.max(1) as f64,
        ])
        .chain(differences(&rates(found), &rates(recorded)))
        .fold(0.0, f64::max);
    let names = |one: &Metrics| -> Vec<(String, usize)> {
        let constraints = one.violations.iter().map(|one| (one.name.clone(), 0));
        constraints.chain(one.groups.iter().map(|group| (group.name.clone(), group.rows))).collect()
    };
    let alike = found.rows == recorded.rows && names(found) == names(recorded);
    let violation = found.violation.map_or("not measured".to_owned(), |violation| format!("{violation:.6}"));
    let detail = format!(
        "{} rows, error {:.6}, violation {violation}, {} groups; furthest from the file {apart:.1e}",
        found.rows,
        found.error,
        found.groups.len()
    );
    Check { name, matches: Some(alike && apart <= SAME), detail }
}

/// Every rate of an metrics, and its largest violation; what is not there is NaN.
fn rates(one: &Metrics) -> Vec<f64> {
    let mut all = vec![one.violation.unwrap_or(f64::NAN), one.positive_rate.unwrap_or(f64::NAN)];
    all.extend(&one.class_rates);
    for group in &one.groups {
        all.push(group.positive_rate.unwrap_or(f64::NAN));
        all.extend(&group.class_rates);
    }
    all
}

/// How far numbers are apart, place by place; infinitely where only one of them is there.
fn differences(one: &[f64], other: &[f64]) -> Vec<f64> {
    if one.len() != other.len() {
        return vec![f64::INFINITY];
    }
    let apart = |(one, other): (&f64, &f64)| match (one.is_nan(), other.is_nan()) {
        (true, true) => 0.0,
        (false, false) => (one - other).abs(),
        _ => f64::INFINITY,
    };
    one.iter().zip(other).map(apart).collect()
}

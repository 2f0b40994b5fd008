//! What a model file holds.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::constraint::WeightRule;
use crate::correction::{
    Apply, Binding, BoundTest, Classifier, Correction, ExpectedTilt, Fitted, Iteration, MembershipQuality, Metrics,
    NamedMultiplier, Predictions, Sampled, StoredFit, Termination, Thresholds, TiltBy, TradeOff,
};
use crate::data::{ReadOptions, Table, digest_text};
use crate::features::Features;
use crate::learner::{GivenModel, GivenScores, Logistic, LogisticModel, Predictor, ProcessModel, Scorer};
use crate::{Error, Result, Warning};

/// A corrected classifier with everything it was made from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Model {
    /// The program that wrote it.
    pub software: String,
    /// What was asked.
    pub settings: Correction,
    /// Columns, groups and constraints as training rows taught them.
    pub binding: Binding,
    /// One multiplier per constraint, λ in the paper, with the factor on the odds that it comes to; none where the method has none.
    pub multipliers: Vec<NamedMultiplier>,
    /// How they become weights.
    pub rule: WeightRule,
    /// The weight of each cell: in the closed form, or as another method has it.
    pub cells: Vec<CellRecord>,
    /// Whether the classifier was fitted with weights of 1 instead (the paper's first fit).
    pub unweighted: bool,
    /// The classifier.
    pub learner: LearnerRecord,
    /// The fit without correction by which weights were divided, where covariate shift was corrected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed: Option<LearnerRecord>,
    /// How tilts follow from what the learner sees, with the models of who is in which group, where tilts are expectations. Where multipliers make
    /// weights it is not needed to predict, but to derive them again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<ExpectedTilt<LearnerRecord>>,
    /// What decides in place of the threshold ½, after threshold post-processing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thresholds: Option<Thresholds>,
    /// From which probability on the second of two classes is decided for, where that is not ½.
    #[serde(default = "half", skip_serializing_if = "is_half")]
    pub threshold: f64,
    /// The columns that tell groups, where it cannot decide without them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups_needed: Vec<String>,
    /// By how much relaxed violations might exceed zero, where the method is the Lagrangian approach.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slack: Option<f64>,
    /// Its rates and violations on the training rows.
    pub train: Metrics,
    /// And on the test rows, if there were any.
    pub test: Option<Metrics>,
    /// Whether the bounds that were asked for hold: on the test rows, or without any on the training rows.
    #[serde(default)]
    pub bound_tests: Vec<BoundTest>,
    /// How the run ended.
    pub stop: Termination,
    /// What going on would have cost, where the run stopped for the cost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trade_off: Option<TradeOff>,
    /// Every loop in a line.
    pub trace: Vec<LoopRecord>,
    /// How many times the learner was called.
    pub fits: usize,
    /// Where it came from.
    pub provenance: Provenance,
    /// How its training file was read, so that new files are read alike; see [`Model::read_as`].
    #[serde(default)]
    pub reading: ReadOptions,
}

/// The threshold of files that name none.
const HALF: f64 = 0.5;

fn half() -> f64 {
    HALF
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde calls it")]
pub(super) fn is_half(threshold: &f64) -> bool {
    threshold.to_bits() == HALF.to_bits()
}

/// The weight that rows alike in membership and label share.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CellRecord {
    /// The groups the rows are in.
    pub groups: Vec<String>,
    /// Their label.
    pub label: String,
    /// Their weight in the closed form: in (0, 1), and where covariate shift is corrected not yet divided by φ.
    pub weight: f64,
}

/// One loop of the run, in short.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct LoopRecord {
    /// The largest violation on the training rows.
    pub violation: f64,
    /// The share of training rows predicted otherwise than labelled.
    pub error: f64,
    /// Mean log loss on the observed training labels.
    pub loss: f64,
}

impl LoopRecord {
    fn of(done: &Iteration) -> Self {
        Self { violation: done.violation, error: done.error, loss: done.loss }
    }
}

/// A classifier as it is saved.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum LearnerRecord {
    /// The built-in logistic regression.
    Logistic {
        /// How it was fitted.
        settings: Logistic,
        /// Its coefficients.
        model: LogisticModel,
    },
    /// Another model's probabilities, which come with the rows.
    Given {
        /// How membership is modelled.
        settings: Logistic,
    },
    /// A fully connected network.
    #[cfg(feature = "network")]
    Network {
        /// How it was trained.
        settings: crate::learner::Network,
        /// By whose rounding: the kind of processor. On another, training leads elsewhere.
        arithmetic: String,
        /// Its weights.
        model: crate::learner::NetworkModel,
    },
    /// A program of the user's.
    Process {
        /// The command and what it left behind.
        model: ProcessModel,
    },
}

impl Predictor for LearnerRecord {
    fn on<'a>(&'a self, features: &'a Features) -> Result<Scorer<'a>> {
        self.predictor().on(features)
    }

    fn converged(&self) -> bool {
        self.predictor().converged()
    }
}

impl LearnerRecord {
    /// The record of what [`Given`](crate::learner::Given) predicts by.
    pub fn of_given(settings: Logistic) -> impl Fn(&GivenModel) -> Self {
        move |model| match model {
            GivenModel::Scores(_) => Self::Given { settings },
            GivenModel::Membership(model) => Self::Logistic { settings, model: model.clone() },
        }
    }

    /// The record of a network that was trained here.
    #[cfg(feature = "network")]
    pub fn of_network(settings: &crate::learner::Network) -> impl Fn(&crate::learner::NetworkModel) -> Self + use<> {
        let (settings, arithmetic) = (settings.clone(), crate::learner::arithmetic());
        move |model| Self::Network {
            settings: settings.clone(),
            arithmetic: arithmetic.to_owned(),
            model: model.clone(),
        }
    }

    /// The classifier alone.
    pub fn predictor(&self) -> &dyn Predictor {
        match self {
            #[cfg(feature = "network")]
            Self::Network { model, .. } => model,
            Self::Logistic { model, .. } => model,
            Self::Given { .. } => &GivenScores,
            Self::Process { model } => model,
        }
    }
}

/// What identifies the data and the settings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Provenance {
    /// SHA-256 of the content of all rows given, before any split.
    pub data_sha256: String,
    /// How many rows that was.
    pub data_rows: usize,
    /// SHA-256 of all settings: correction, learner, roles, reading, split and recipe.
    pub settings_sha256: String,
    /// How rows were held out, if they were; of a recipe's rows, if not as published.
    pub split: Option<Split>,
    /// The recipe that made the rows ready, if one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recipe: Option<String>,
    /// The sample on which the search began, where rows were not all in memory. The SHA-256 of the data is then that of a sum over rows in any order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sampled: Option<Sampled>,
}

/// How rows were held out for testing.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Split {
    /// The share of rows held out.
    pub holdout: f64,
    /// The seed of the random draws.
    pub seed: u64,
}

impl Model {
    /// The record of a fit to rows that were not all in memory.
    ///
    /// # Errors
    /// Those of [`Model::new`].
    pub fn of_stored(
        settings: &Correction,
        found: &StoredFit,
        record: impl Fn(&LogisticModel) -> LearnerRecord,
    ) -> Result<Self> {
        let mut model = Self::new(settings, &found.fitted, record, None, (found.digest(), found.rows), None)?;
        model.provenance.sampled = Some(found.sampled);
        Ok(model)
    }

    /// The record of a fit.
    ///
    /// `record` says how a classifier is saved; `data`, its SHA-256 and its number of rows, all rows given, before `split`.
    ///
    /// # Errors
    /// Those of [`Fitted::named_multipliers`].
    pub fn new<P: Predictor>(
        settings: &Correction,
        fitted: &Fitted<P>,
        record: impl Fn(&P) -> LearnerRecord,
        test: Option<Metrics>,
        data: (String, usize),
        split: Option<Split>,
    ) -> Result<Self> {
        let (solution, binding) = (fitted.solution(), fitted.binding());
        let model = Self {
            software: concat!("evenhand ", env!("CARGO_PKG_VERSION")).to_owned(),
            settings: settings.clone(),
            rule: fitted.solution().rule,
            multipliers: fitted.named_multipliers()?,
            cells: cell_records(binding, fitted.problem().cells(), &solution.cell_weights),
            binding: binding.clone(),
            unweighted: solution.unweighted,
            learner: record(fitted.predictor()),
            observed: solution.shift_correction.as_ref().map(|correction| record(&correction.observed)),
            expected: solution.expected.as_ref().map(|expected| expected.map(&record)),
            thresholds: solution.thresholds.clone(),
            threshold: solution.threshold,
            groups_needed: if solution.classifier().needs_groups() { binding.group_columns() } else { Vec::new() },
            slack: solution.slack,
            train: solution.train.clone(),
            test,
            bound_tests: Vec::new(),
            stop: solution.stop,
            trade_off: solution.trade_off,
            trace: solution.trace.iter().map(LoopRecord::of).collect(),
            fits: solution.fits,
            provenance: Provenance {
                data_sha256: data.0,
                data_rows: data.1,
                settings_sha256: String::new(),
                split,
                recipe: None,
                sampled: None,
            },
            reading: ReadOptions::default(),
        };
        Ok(model.sealed())
    }

    /// Records verdicts on the bounds of the settings.
    #[must_use]
    pub fn with_bound_tests(mut self, bound_tests: Vec<BoundTest>) -> Self {
        self.bound_tests = bound_tests;
        self
    }

    /// SHA-256 of everything that was set: the correction, the learner, the roles, the reading, the split.
    pub(super) fn settings_digest(&self) -> String {
        let learner = match &self.learner {
            LearnerRecord::Logistic { settings, .. } => json!(settings),
            LearnerRecord::Given { settings } => json!(["given", settings]),
            #[cfg(feature = "network")]
            LearnerRecord::Network { settings, .. } => json!(["network", settings]),
            LearnerRecord::Process { model } => json!(model.command()),
        };
        let (schema, split) = (self.binding.schema(), &self.provenance.split);
        let settings = json!([self.settings, learner, schema, self.reading, split]);
        match &self.provenance.recipe {
            Some(recipe) => digest_text(&json!([settings, recipe]).to_string()),
            None => digest_text(&settings.to_string()),
        }
    }

    /// Records the recipe that made the rows ready.
    #[must_use]
    pub fn of_recipe(mut self, name: &str) -> Self {
        self.provenance.recipe = Some(name.to_owned());
        self.sealed()
    }

    fn sealed(mut self) -> Self {
        self.provenance.settings_sha256 = self.settings_digest();
        self
    }

    /// Records how the training file was read, with the kinds its columns had there.
    #[must_use]
    pub fn read_as(mut self, options: &ReadOptions, table: &Table) -> Self {
        self.reading = options.like(table);
        self.sealed()
    }

    /// How to read a file to be predicted: features as in training, groups too where it decides by them, every other
    /// column as it stands.
    pub fn reading_features(&self) -> ReadOptions {
        let is_feature = |name: &String| self.needs(name);
        let mut options = self.reading.clone();
        options.categorical.retain(is_feature);
        options.numeric.retain(is_feature);
        options.ignore.clear();
        // Every row is predicted once, however often it counts.
        ReadOptions { if_present: true, keep_text: true, frequency: None, ..options }
    }

    /// Whether a column is needed to predict: a feature, or what tells a group where it decides by them.
    pub fn needs(&self, column: &str) -> bool {
        self.groups_needed.iter().any(|name| name == column)
            || self.binding.encoding().columns().iter().any(|code| code.column == column)
    }

    /// Checks that there are all columns that it needs, and says which others the model does not know.
    ///
    /// # Errors
    /// [`Error::GroupNeeded`] or [`Error::LostColumns`].
    pub fn check_columns(&self, names: &[String]) -> Result<Option<Warning>> {
        if let Some(column) = self.groups_needed.iter().find(|column| !names.contains(column)) {
            return Err(Error::GroupNeeded { column: column.clone(), known: names.to_vec() });
        }
        let counts = |name: &&String| self.reading.frequency.as_ref() == Some(*name);
        let names: Vec<String> = names.iter().filter(|name| !counts(name)).cloned().collect();
        self.binding.check_columns(&names)
    }

    /// How to read the file the model came from: everything as in training.
    pub fn reading_all(&self) -> ReadOptions {
        let options = self.reading.clone().ignore(self.binding.schema().ignored().iter().cloned());
        ReadOptions { if_present: true, ..options }
    }

    /// Scores and decides the rows of a raw table, whose columns are taken as those of training were read. Labels are not
    /// needed, nor groups unless thresholds by group decide.
    ///
    /// # Errors
    /// [`crate::Error::GroupNeeded`] when thresholds by group decide, and a column that tells a group is not there;
    /// [`crate::Error::LostColumns`] or [`crate::Error::ColumnKind`] when the table is not like the training one.
    pub fn predict(&self, table: &Table) -> Result<Predictions> {
        self.predict_from(table, 0)
    }

    /// As [`Model::predict`], of rows before which `first` others came: where decisions are random, they are those of all rows at once.
    pub(super) fn predict_from(&self, table: &Table, first: usize) -> Result<Predictions> {
        self.classifier().predict(&self.binding, &*table.as_read(&self.reading_features())?, first)
    }

    /// The classifier alone.
    pub fn predictor(&self) -> &dyn Predictor {
        self.learner.predictor()
    }

    /// How well features tell each group that the learner may not see, where tilts are expectations.
    pub fn memberships(&self) -> Vec<MembershipQuality> {
        self.expected.as_ref().map(|expected| expected.quality(&self.binding)).unwrap_or_default()
    }

    /// Agrees to run a command, where its models were fitted by one.
    pub fn agree(&mut self, command: &str) {
        let expected = self.expected.iter_mut().flat_map(ExpectedTilt::models_mut);
        for record in [&mut self.learner].into_iter().chain(&mut self.observed).chain(expected) {
            if let LearnerRecord::Process { model } = record {
                model.agree(command);
            }
        }
    }

    pub(super) fn classifier(&self) -> Classifier<'_> {
        let expected = self.expected.as_ref().filter(|_| self.settings.apply == Apply::Tilt);
        let tilt = expected.map(|expected| TiltBy { expected, multipliers: self.multiplier_values().into() });
        let (thresholds, threshold) = (self.thresholds.as_ref(), self.threshold);
        Classifier { predictor: self.predictor(), thresholds, tilt, threshold }
    }

    /// The multipliers in constraint order.
    pub fn multiplier_values(&self) -> Vec<f64> {
        self.multipliers.iter().map(|one| one.value.unwrap_or(0.0)).collect()
    }
}

pub(super) fn cell_records(binding: &Binding, cells: &crate::cells::Cells, weights: &[f64]) -> Vec<CellRecord> {
    let names = binding.group_names();
    // Cells that are alike in groups and label are one. Values that are missing do not change a weight; where numbers that rates are weighted by do,
    // the mean is recorded.
    let mut known: BTreeMap<(Vec<usize>, usize), usize> = BTreeMap::new();
    let mut alike: Vec<(usize, f64, f64)> = Vec::new();
    for (cell, own) in weights.iter().enumerate() {
        let place = *known.entry((cells.groups(cell).collect(), cells.label(cell))).or_insert(alike.len());
        if place == alike.len() {
            alike.push((cell, 0.0, 0.0));
        }
        let (_, weight, total) = &mut alike[place];
        (*weight, *total) = (*weight + own * cells.weight(cell), *total + cells.weight(cell));
    }
    let record = |(cell, weight, total): (usize, f64, f64)| CellRecord {
        groups: cells.groups(cell).map(|group| names[group].clone()).collect(),
        label: binding.classes()[cells.label(cell)].clone(),
        weight: if cells.has_values() && total > 0.0 { weight / total } else { weights[cell] },
    };
    alike.into_iter().map(record).collect()
}

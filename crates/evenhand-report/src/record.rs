//! What is needed to do it again: data, settings, versions, command.
//!
//! Holds [`Record`]. It names no folder and reads no clock, so that a report of the same data is the same report.

use evenhand::model::{Model, Split};
use evenhand::{Correction, Logistic};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Where a report comes from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The program.
    pub software: String,
    /// The command that made it, if one did.
    pub command: Option<String>,
    /// SHA-256 of the content of all rows given, before any split.
    pub data_sha256: String,
    /// How many rows that was.
    pub data_rows: usize,
    /// SHA-256 of the content of rows to measure on, where these were given apart.
    pub test_sha256: Option<String>,
    /// SHA-256 of all settings, where a model was recorded.
    pub settings_sha256: Option<String>,
    /// How rows were held out, if they were.
    pub split: Option<Split>,
    /// The recipe that made the rows ready, if one did.
    pub recipe: Option<String>,
    /// What was asked.
    pub settings: Value,
    /// Who learned.
    pub learner: Value,
}

impl Record {
    /// The record of settings on some data.
    pub fn new(data_sha256: String, data_rows: usize, settings: &impl Serialize, learner: &impl Serialize) -> Self {
        Self {
            software: concat!("evenhand ", env!("CARGO_PKG_VERSION")).to_owned(),
            command: None,
            data_sha256,
            data_rows,
            test_sha256: None,
            settings_sha256: None,
            split: None,
            recipe: None,
            settings: value(settings),
            learner: value(learner),
        }
    }

    /// The record of a model, as its file has it.
    pub fn of_model(model: &Model, learner: &impl Serialize) -> Self {
        let provenance = &model.provenance;
        let settings: &Correction = &model.settings;
        Self {
            software: model.software.clone(),
            settings_sha256: Some(provenance.settings_sha256.clone()),
            split: provenance.split,
            recipe: provenance.recipe.clone(),
            ..Self::new(provenance.data_sha256.clone(), provenance.data_rows, settings, learner)
        }
    }

    /// The same, with how rows were held out and which recipe made them ready.
    #[must_use]
    pub fn of_rows(mut self, split: Option<Split>, recipe: Option<&str>) -> Self {
        (self.split, self.recipe) = (split, recipe.map(str::to_owned));
        self
    }

    /// The same, measured on rows that were given apart.
    #[must_use]
    pub fn tested_on(mut self, test_sha256: Option<String>) -> Self {
        self.test_sha256 = test_sha256;
        self
    }

    /// The same, made by a command.
    #[must_use]
    pub fn by(mut self, command: String) -> Self {
        self.command = Some(command);
        self
    }
}

/// The built-in learner, as a record has it.
pub fn built_in(settings: &Logistic) -> Value {
    serde_json::json!({ "kind": "logistic", "settings": settings })
}

/// Settings as JSON has them; what it cannot hold is left out.
fn value(settings: &impl Serialize) -> Value {
    serde_json::to_value(settings).unwrap_or(Value::Null)
}

//! The run done again: what the settings of a model lead to on its rows, compared with what its file says.

use serde_json::{Value, json};

use super::verify::Check;
use super::{LearnerRecord, Model};
use crate::correction::{Binding, Iteration, Observer, Termination};
use crate::data::Dataset;
use crate::learner::{Given, LogisticModel};
use crate::{Error, Result};

/// Another processor adds in another order; what a search makes of that stays below this.
const SAME_RUN: f64 = 1e-6;

/// Why a run cannot be done again.
const BY_ANOTHER_PROGRAM: &str = "the learner is another program, which is not run again";
#[cfg(feature = "network")]
const BY_ANOTHER_PROCESSOR: &str =
    "the network was trained on another kind of processor, and by the rounding of this one training leads elsewhere";
pub(super) const CANCELLED: &str = "the run was stopped from outside, and ends elsewhere if it is done again";

/// Ends a run that takes more iterations than a file says it took: it is another one already, and the number of loops that
/// a file asks for has no limit.
pub(super) struct AsLong(pub(super) usize);

impl Observer for AsLong {
    fn after(&mut self, done: &Iteration) -> bool {
        done.number <= self.0
    }
}

impl Model {
    /// Does the run again; `Err` inside says why that cannot be.
    pub(super) fn refitted(&self, train: &Dataset) -> Result<std::result::Result<Self, &'static str>> {
        if self.stop == Termination::Cancelled {
            return Ok(Err(CANCELLED));
        }
        let data = (self.provenance.data_sha256.clone(), self.provenance.data_rows);
        if let LearnerRecord::Given { settings } = self.learner {
            let given = Given { membership: settings };
            let fitted = self.settings.fit_observed(train, &given, &mut AsLong(self.trace.len()))?;
            let record = LearnerRecord::of_given(settings);
            return Ok(Ok(Self::new(&self.settings, &fitted, record, None, data, self.provenance.split)?));
        }
        #[cfg(feature = "network")]
        if let LearnerRecord::Network { settings, arithmetic, .. } = &self.learner {
            if arithmetic != crate::learner::arithmetic() {
                return Ok(Err(BY_ANOTHER_PROCESSOR));
            }
            let fitted = self.settings.fit_observed(train, settings, &mut AsLong(self.trace.len()))?;
            let record = LearnerRecord::of_network(settings);
            return Ok(Ok(Self::new(&self.settings, &fitted, record, None, data, self.provenance.split)?));
        }
        let LearnerRecord::Logistic { settings, .. } = &self.learner else { return Ok(Err(BY_ANOTHER_PROGRAM)) };
        let record = |model: &LogisticModel| LearnerRecord::Logistic { settings: *settings, model: model.clone() };
        let mut watch = AsLong(self.trace.len());
        let fitted = self.settings.fit_observed(train, settings, &mut watch)?;
        Ok(Ok(Self::new(&self.settings, &fitted, record, None, data, self.provenance.split)?))
    }

    /// Compares what the run found.
    pub(super) fn check_run(&self, again: &std::result::Result<Self, &'static str>) -> Vec<Check> {
        let parts = |one: &Self| {
            let search = json!([one.stop, one.trade_off, one.trace, one.fits, one.learner, one.observed]);
            [
                ("multipliers", json!([one.multipliers, one.rule, one.unweighted, one.slack, one.expected])),
                ("search", search),
            ]
        };
        let recorded = parts(self).into_iter();
        match again {
            Ok(again) => {
                let pairs = parts(again).into_iter().zip(recorded);
                pairs.map(|((name, found), (_, recorded))| check(name, &found, &recorded, "done again: ")).collect()
            }
            Err(reason) => {
                recorded.map(|(name, _)| Check { name, matches: None, detail: (*reason).to_owned() }).collect()
            }
        }
    }

    /// Learns columns, groups and constraints from the training rows again.
    pub(super) fn check_binding(&self, train: &Dataset) -> Result<Check> {
        let (binding, ..) = match Binding::new(&self.settings, train) {
            Ok(found) => found,
            Err(error @ (Error::Interrupted | Error::Io { .. })) => return Err(error),
            Err(error) => return Ok(Check::failed("columns", error.to_string())),
        };
        Ok(check_binding(self, &binding))
    }
}

/// Compares columns, groups and constraints that were learnt again with those of a file.
pub(super) fn check_binding(model: &Model, binding: &Binding) -> Check {
    let name = "columns";
    let needed = if model.classifier().needs_groups() { binding.group_columns() } else { Vec::new() };
    let names: Vec<&str> = binding.constraints().iter().map(|one| one.name.as_str()).collect();
    let own: Vec<&str> = model.multipliers.iter().map(|one| one.name.as_str()).collect();
    if !own.is_empty() && own != names {
        let detail = "the multipliers have other names than the constraints of the training rows".to_owned();
        return Check::failed(name, detail);
    }
    let (found, recorded) = (json!([binding, needed]), json!([model.binding, model.groups_needed]));
    check(name, &found, &recorded, "encodings, fills, groups and constraints learnt again: ")
}

fn check(name: &'static str, found: &Value, recorded: &Value, what: &str) -> Check {
    let furthest = apart(found, recorded);
    let detail = match furthest {
        Some(furthest) => format!("{what}furthest apart {furthest:.1e}"),
        None => format!("{what}not what the file says"),
    };
    Check { name, matches: Some(furthest.is_some_and(|furthest| furthest <= SAME_RUN)), detail }
}

/// The largest difference between the numbers of two records, relative to their size; `None` where anything else differs.
pub(super) fn apart(one: &Value, other: &Value) -> Option<f64> {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => {
            let (one, other) = (one.as_f64()?, other.as_f64()?);
            Some((one - other).abs() / (1.0 + one.abs()))
        }
        (Value::Array(one), Value::Array(other)) if one.len() == other.len() => {
            one.iter().zip(other).try_fold(0.0, |furthest: f64, (one, other)| Some(furthest.max(apart(one, other)?)))
        }
        (Value::Object(one), Value::Object(other)) if one.len() == other.len() => {
            one.iter().try_fold(0.0, |furthest: f64, (key, one)| Some(furthest.max(apart(one, other.get(key)?)?)))
        }
        (one, other) => (one == other).then_some(0.0),
    }
}

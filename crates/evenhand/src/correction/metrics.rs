//! How a classifier does on one set of rows, in the numbers every output shows.

use serde::{Deserialize, Serialize};

/// Rows, error, rates and violations of one classifier on one set of rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Metrics {
    /// How many rows.
    pub rows: usize,
    /// How many are predicted otherwise than labelled; with row weights, how much they weigh.
    pub errors: f64,
    /// Their share, row weights counted.
    pub error: f64,
    /// The largest violation in absolute value: |overall or asked rate − group rate|; `None`
    /// when these rows have none that any constraint conditions on.
    pub violation: Option<f64>,
    /// Overall (or asked) rate minus group rate, per constraint; `None` where these rows have none of the group's.
    pub violations: Vec<NamedValue>,
    /// The share predicted positive: of the positive class, or with no such class `None`.
    pub positive_rate: Option<f64>,
    /// The share predicted as each class, in class order.
    pub class_rates: Vec<f64>,
    /// The same for each group, pinned subsets last.
    pub groups: Vec<GroupRates>,
}

impl Metrics {
    /// The constraints that could not be measured, for want of rows they condition on.
    pub fn unmeasured(&self) -> Vec<&str> {
        self.violations.iter().filter(|one| one.value.is_none()).map(|one| one.name.as_str()).collect()
    }
}

/// What a classifier predicts for the rows of one group.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GroupRates {
    /// The group.
    pub name: String,
    /// How many rows it has.
    pub rows: usize,
    /// The share predicted positive; `None` with no positive class, or no rows.
    pub positive_rate: Option<f64>,
    /// The share predicted as each class, in class order; empty without rows.
    pub class_rates: Vec<f64>,
}

/// A number with a constraint's name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NamedValue {
    /// The constraint.
    pub name: String,
    /// Its number.
    pub value: Option<f64>,
}

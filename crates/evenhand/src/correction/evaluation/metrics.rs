//! The metrics of a classifier on one set of rows: error, rates and violations, in the numbers every output shows.
//!
//! Holds [`Metrics`], which is computed from sums per cell.

use serde::{Deserialize, Serialize};

use crate::constraint::Measure;
use crate::correction::problem::Problem;
use crate::kernel::CellSums;
use crate::learner::Predictor;
use crate::{Result, Warning};

/// Rows, error, rates and violations of one classifier on one set of rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
    /// Overall (or asked) rate minus group rate, per constraint: first of those with multipliers, then of those without,
    /// of groups that training rows could not tell; `None` where these rows have none of the group's.
    pub violations: Vec<NamedValue>,
    /// The share predicted positive: of the positive class, or with no such class `None`.
    pub positive_rate: Option<f64>,
    /// The share predicted as each class, in class order.
    pub class_rates: Vec<f64>,
    /// The same for each group, then for pinned subsets, and last for rows that lack a value that defines groups, such
    /// as `race missing`.
    pub groups: Vec<GroupRates>,
}

impl Metrics {
    /// The constraints that could not be measured, for want of rows they condition on.
    pub fn unmeasured(&self) -> Vec<&str> {
        self.violations.iter().filter(|one| one.value.is_none()).map(|one| one.name.as_str()).collect()
    }

    /// A warning where all rows get the same decision; `classes` are the names of the classes.
    pub fn one_decision(&self, classes: &[String]) -> Option<Warning> {
        let mut decided = self.class_rates.iter().zip(classes).filter(|(rate, _)| **rate > 0.0);
        match (decided.next(), decided.next()) {
            (Some((_, class)), None) if self.rows > 1 => {
                Some(Warning::OneDecision { decision: class.clone(), rows: self.rows })
            }
            _ => None,
        }
    }
}

/// What a classifier predicts for the rows of one group.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NamedValue {
    /// The constraint.
    pub name: String,
    /// Its number.
    pub value: Option<f64>,
}

/// The multiplier of a constraint, and what it comes to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NamedMultiplier {
    /// The constraint.
    pub name: String,
    /// λ.
    pub value: Option<f64>,
    /// By which factor the correction multiplies the odds of the constraint's class for the group, over that for everybody else; see
    /// [`Solution::odds_factors`](crate::correction::Solution::odds_factors).
    #[serde(default)]
    pub odds_factor: Option<f64>,
}

impl Problem {
    /// The numbers of a predictor on these rows.
    ///
    /// # Errors
    /// What the predictor says.
    pub fn evaluate_predictor(&self, predictor: &dyn Predictor, measure: Measure) -> Result<Metrics> {
        Ok(self.evaluate(&self.cell_sums(predictor)?, measure))
    }

    pub(in crate::correction) fn evaluate(&self, sums: &CellSums, measure: Measure) -> Metrics {
        let total = self.cells().total_weight();
        let class_rates = self.class_rates(sums, |_| true);
        let violations: Vec<NamedValue> = self
            .measured_constraints()
            .iter()
            .zip(self.constrained_rows().functionals)
            .map(|(constraint, functional)| NamedValue {
                name: constraint.name.clone(),
                value: functional.as_ref().map(|functional| functional.violation(sums, measure)),
            })
            .collect();
        Metrics {
            rows: (0..self.cells().len()).map(|cell| self.cells().count(cell)).sum(),
            errors: self.errors(sums),
            error: self.errors(sums) / total,
            violation: violations.iter().filter_map(|one| one.value).map(f64::abs).reduce(f64::max),
            violations,
            positive_rate: self.positive().map(|class| class_rates[class]),
            class_rates,
            groups: (0..self.group_names().len()).map(|group| self.group_rates(sums, group)).collect(),
        }
    }

    fn group_rates(&self, sums: &CellSums, group: usize) -> GroupRates {
        let inside = |cell: usize| self.cells().is_in(cell, group);
        let class_rates = self.class_rates(sums, inside);
        GroupRates {
            name: self.group_names()[group].clone(),
            rows: (0..self.cells().len()).filter(|&cell| inside(cell)).map(|cell| self.cells().count(cell)).sum(),
            positive_rate: self.positive().and_then(|class| class_rates.get(class).copied()),
            class_rates,
        }
    }

    /// The share decided for each class among the rows of some cells; none where they weigh nothing.
    fn class_rates(&self, sums: &CellSums, inside: impl Fn(usize) -> bool) -> Vec<f64> {
        let mut decided = vec![0.0; self.classes()];
        for cell in (0..self.cells().len()).filter(|&cell| inside(cell)) {
            for (sum, weight) in decided.iter_mut().zip(sums.decisions(cell)) {
                *sum += weight;
            }
        }
        let total: f64 =
            (0..self.cells().len()).filter(|&cell| inside(cell)).map(|cell| self.cells().weight(cell)).sum();
        if total > 0.0 { decided.into_iter().map(|weight| weight / total).collect() } else { Vec::new() }
    }
}

//! What rows are counted by, wherever they are, and what their tally says.
//!
//! Holds [`AuditPlan`]: groups and classes as they are known of all rows. Any machine counts the rows it has ([`AuditPlan::tally`]), and
//! merged tallies are an audit ([`AuditPlan::audit`]), to the same bits as one of all rows in memory, which is made in the same way.

use serde::{Deserialize, Serialize};

use super::tally::{Condensed, Rows, Tally, codes, has};
use super::{Audit, AuditOptions};
use crate::constraint::{OwnRows, own_rows, weighing_columns, weighing_numbers, weighing_shares};
use crate::data::{Codes, Column, Labels, Schema, Table, WeightUnit};
use crate::facts::Facts;
use crate::group::{Groups, Membership};
use crate::notion::Notion;
use crate::{Error, Result, Warning};

/// By which groups and classes rows are counted.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct AuditPlan {
    schema: Schema,
    /// The column of predictions.
    predictions: Option<String>,
    classes: Vec<String>,
    positive: Option<usize>,
    groups: Groups,
    /// The rows that notions name themselves.
    named: Groups,
    own: Vec<OwnRows>,
    /// The columns that rates are weighted by.
    weighing: Vec<String>,
    unit: Option<WeightUnit>,
    warnings: Vec<Warning>,
}

impl AuditPlan {
    /// The plan for rows of which groups, classes and weights are known.
    ///
    /// # Errors
    /// What is wrong with the rows that notions name.
    pub(super) fn new(
        schema: &Schema,
        (classes, positive): (&[String], Option<usize>),
        groups: &Groups,
        predictions: Option<&str>,
        unit: Option<WeightUnit>,
        notions: &[Notion],
        facts: &dyn Facts,
    ) -> Result<Self> {
        let (named, own, warnings) = own_rows(notions, schema, facts, groups)?;
        Ok(Self {
            schema: schema.clone(),
            predictions: predictions.map(str::to_owned),
            classes: classes.to_vec(),
            positive,
            groups: groups.clone(),
            named,
            own,
            weighing: weighing_columns(notions),
            unit,
            warnings,
        })
    }

    /// The columns that are counted by.
    pub fn columns(&self) -> Vec<String> {
        let roles = [Some(self.schema.label_column()), self.schema.weight_column(), self.predictions.as_deref()];
        let told = self.groups.columns().into_iter().chain(self.named.columns());
        let mut columns: Vec<String> = roles.into_iter().flatten().chain(told).map(str::to_owned).collect();
        columns.extend_from_slice(&self.weighing);
        columns.sort_unstable();
        columns.dedup();
        columns
    }

    /// Counts some rows.
    ///
    /// # Errors
    /// What is wrong with them: a label or prediction that is none of the classes, a column that is not there or of another kind.
    pub fn tally(&self, table: &Table) -> Result<Tally> {
        let name = self.schema.label_column();
        let labels = Labels::against(table.column(name)?, name, table, &self.classes, self.positive)?;
        self.tally_labelled(table, labels.codes())
    }

    /// Counts rows whose labels are codes already.
    pub(super) fn tally_labelled(&self, table: &Table, labels: &Codes) -> Result<Tally> {
        let against = |name: &String| Labels::against(table.column(name)?, name, table, &self.classes, self.positive);
        let predicted = self.predictions.as_ref().map(against).transpose()?;
        let weights = match (self.unit, self.schema.weight_column()) {
            (Some(unit), Some(name)) => match table.column(name)? {
                Column::Numeric(weights) => Some((weights.as_slice(), unit)),
                Column::Categorical(_) => None,
            },
            _ => None,
        };
        let values = self.weighing.iter().map(|name| weighing_numbers(name, table)).collect::<Result<Vec<_>>>()?;
        let (asked, named) = (self.groups.membership(table)?, self.named.membership(table)?);
        let lost = self.lost_columns(table)?;
        let classes = self.classes.len();
        Ok(Tally::of(Rows {
            count: table.rows(),
            codes: [
                Some((asked.codes(), asked.patterns())),
                Some((named.codes(), named.patterns())),
                Some((labels, classes)),
                predicted.as_ref().map(|labels| (labels.codes(), classes)),
            ],
            sets_of: &|patterns| self.sets(patterns, &asked, &named, &lost),
            values: &values,
            weights,
        }))
    }

    /// The places, among the columns of the asked groups, of those that lack values here: their sets follow the groups in this order.
    fn lost_columns(&self, table: &Table) -> Result<Vec<usize>> {
        let mut lost = Vec::new();
        for (place, column) in self.groups.columns().into_iter().enumerate() {
            if table.column(column)?.missing_rows() > 0 {
                lost.push(place);
            }
        }
        Ok(lost)
    }

    /// The bits of a key: asked groups, those that notions name, and for each column of asked groups whether its value is missing.
    fn sets(&self, patterns: [usize; 2], asked: &Membership, named: &Membership, lost: &[usize]) -> Vec<u64> {
        let (groups, own) = (asked.groups(), named.groups());
        let mut sets = vec![0_u64; (groups + own + self.groups.columns().len()).div_ceil(64).max(1)];
        let mut put = |at: usize| sets[at / 64] |= 1 << (at % 64);
        (0..groups).filter(|&group| asked.contains(patterns[0], group)).for_each(&mut put);
        (0..own).filter(|&group| named.contains(patterns[1], group)).for_each(|group| put(groups + group));
        for (missing, place) in asked.missing().zip(lost) {
            if asked.contains(patterns[0], missing) {
                put(groups + own + place);
            }
        }
        sets
    }

    /// The audit of all rows, by their tally.
    ///
    /// # Errors
    /// Those of [`Audit::of`].
    pub fn audit(&self, tally: &Tally, options: &AuditOptions) -> Result<Audit> {
        if tally.rows() == 0 {
            return Err(Error::NoRows { what: "the audit".into() });
        }
        let condensed = self.condensed(tally)?;
        if condensed.sums.iter().all(|sums| sums.weight <= 0.0) {
            return Err(Error::NoWeight { what: "the row weights".into() });
        }
        let mut audit = Audit::of_condensed(&condensed, &self.own, &self.classes, self.positive, options)?;
        audit.weighted = self.unit.is_some();
        audit.warnings.extend(self.warnings.iter().cloned());
        Ok(audit)
    }

    fn condensed(&self, tally: &Tally) -> Result<Condensed> {
        let keys: Vec<_> = tally.keys().collect();
        let (groups, own) = (self.groups.len(), self.named.len());
        let lost = |place: &usize| keys.iter().any(|key| has(&key.sets, groups + own + place));
        let columns: Vec<&str> = self.groups.columns().into_iter().collect();
        let lost: Vec<usize> = (0..columns.len()).filter(lost).collect();
        let missing = lost.iter().map(|&place| format!("{} missing", columns[place]));
        let asked_names = self.groups.names().map(str::to_owned);
        let names: Vec<String> = asked_names.clone().chain(missing.clone()).collect();
        let membership = Membership::from_sets(names, groups, keys.len(), |row, set| {
            let place = if set < groups { set } else { groups + own + lost[set - groups] };
            has(&keys[row].sets, place)
        });
        let named = self.named.names().map(str::to_owned).collect();
        let named = Membership::from_sets(named, own, keys.len(), |row, set| has(&keys[row].sets, groups + set));
        let all = membership.clone().join(named)?;
        let shares = |(at, name): (usize, &String)| {
            let values: Vec<f64> = keys.iter().map(|key| f64::from_bits(key.values[at])).collect();
            weighing_shares(name, &values)
        };
        let values = self.weighing.iter().enumerate().map(shares).collect::<Result<Vec<_>>>()?;
        Ok(Condensed {
            membership,
            all: if values.is_empty() { all } else { all.with_values(&values)? },
            labels: codes(tally, self.classes.len(), |key| key.label),
            predictions: self.predictions.as_ref().map(|_| codes(tally, self.classes.len(), |key| key.prediction)),
            sums: tally.sums(self.unit, true),
        })
    }
}

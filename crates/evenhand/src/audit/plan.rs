//! What rows are counted by, wherever they are, and what their contingency table says.
//!
//! Holds [`AuditPlan`]: groups and classes as they are known of all rows. Any machine counts the rows it has ([`AuditPlan::count`]), and
//! merged tables are an audit ([`AuditPlan::audit`]), to the same bits as one of all rows in memory, which is made in the same way.

use serde::{Deserialize, Serialize};

use super::contingency_table::{Condensed, ContingencyTable, Rows, Scored, codes, has};
use super::score_column::{ScoreColumn, bins_of};
use super::scores::{BINS, ScoreAudit};
use super::{Audit, AuditOptions};
use crate::constraint::{OwnRows, own_rows, weighing_columns, weighing_numbers, weighing_shares};
use crate::data::{Codes, Column, Labels, Schema, Table, WeightUnit};
use crate::facts::Facts;
use crate::group::{Groups, Membership};
use crate::interval::quantile;
use crate::{Error, Result, Warning};

/// By which groups and classes rows are counted.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct AuditPlan {
    schema: Schema,
    /// The column of predictions.
    predictions: Option<String>,
    score: Option<ScoreColumn>,
    /// Whether the label column holds predictions, and nobody knows the labels.
    unlabelled: bool,
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
        options: &AuditOptions,
        facts: &dyn Facts,
    ) -> Result<Self> {
        let AuditOptions { notions, score, unlabelled, .. } = options;
        if let Some(score) = score {
            score.check(classes, *unlabelled)?;
        }
        if *unlabelled {
            check_decisions(schema.label_column(), classes)?;
        }
        let (named, own, warnings) = own_rows(notions, schema, facts, groups)?;
        Ok(Self {
            schema: schema.clone(),
            predictions: predictions.map(str::to_owned),
            score: score.clone(),
            unlabelled: *unlabelled,
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
        let score = self.score.as_ref().map(|score| score.column.as_str());
        let roles = [Some(self.schema.label_column()), self.schema.weight_column(), self.predictions.as_deref(), score];
        let grouping = self.groups.columns().into_iter().chain(self.named.columns());
        let mut columns: Vec<String> = roles.into_iter().flatten().chain(grouping).map(str::to_owned).collect();
        columns.extend_from_slice(&self.weighing);
        columns.sort_unstable();
        columns.dedup();
        columns
    }

    /// Counts some rows.
    ///
    /// # Errors
    /// What is wrong with them: a label or prediction that is none of the classes, a column that is not there or of another kind.
    pub fn count(&self, table: &Table) -> Result<ContingencyTable> {
        let name = self.schema.label_column();
        let labels = Labels::against(table.column(name)?, name, table, &self.classes, self.positive)?;
        self.count_labelled(table, labels.codes())
    }

    /// Counts rows whose labels are codes already.
    pub(super) fn count_labelled(&self, table: &Table, labels: &Codes) -> Result<ContingencyTable> {
        let against = |name: &String| Labels::against(table.column(name)?, name, table, &self.classes, self.positive);
        let predicted = self.predictions.as_ref().map(against).transpose()?;
        let (scores, positive) = (self.score.as_ref().map(|score| score.of(table)).transpose()?, self.positive_class());
        let decided = match (&predicted, &self.score, scores) {
            (Some(labels), ..) => Some(labels.codes().clone()),
            (None, Some(score), Some(scores)) => Some(score.decided(scores, positive)),
            _ => None,
        };
        let bins = scores.map(bins_of);
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
        Ok(ContingencyTable::of(Rows {
            count: table.rows(),
            codes: [
                Some((asked.codes(), asked.patterns())),
                Some((named.codes(), named.patterns())),
                Some((labels, classes)),
                decided.as_ref().map(|codes| (codes, classes)),
                bins.as_ref().map(|codes| (codes, BINS)),
            ],
            sets_of: &|patterns| self.sets(patterns, &asked, &named, &lost),
            values: &values,
            weights,
            scores: scores.map(|scores| (scores, positive)),
        }))
    }

    /// The class that scores are the probability of: the positive one, of two.
    fn positive_class(&self) -> usize {
        self.positive.unwrap_or(1)
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

    /// The audit of all rows, by their contingency table.
    ///
    /// # Errors
    /// Those of [`Audit::of`].
    pub fn audit(&self, counted: &ContingencyTable, options: &AuditOptions) -> Result<Audit> {
        if counted.rows() == 0 {
            return Err(Error::NoRows { what: "the audit".into() });
        }
        let condensed = self.condensed(counted)?;
        if condensed.sums.iter().all(|sums| sums.weight <= 0.0) {
            return Err(Error::NoWeight { what: "the row weights".into() });
        }
        let mut audit = Audit::of_condensed(&condensed, &self.own, &self.classes, self.positive, options)?;
        audit.weighted = self.unit.is_some();
        audit.warnings.extend(self.warnings.iter().cloned());
        if let Some(ScoreColumn { column, threshold }) = &self.score {
            let scored = self.scored(counted, &condensed);
            audit.scores = Some(ScoreAudit::of(&scored, column, *threshold, quantile(options.confidence)?));
        }
        Ok(if self.unlabelled { audit.of_predictions_alone() } else { audit })
    }

    fn scored<'a>(&self, counted: &'a ContingencyTable, condensed: &'a Condensed) -> Scored<'a> {
        let (rows, counts) = counted.scored(self.unit, self.positive_class());
        let bins = counted.keys().map(|key| key.bin as usize).collect();
        Scored { membership: &condensed.membership, places: condensed.places.clone(), rows, bins, counts }
    }

    fn condensed(&self, counted: &ContingencyTable) -> Result<Condensed> {
        let keys: Vec<_> = counted.keys().collect();
        let (groups, own) = (self.groups.len(), self.named.len());
        let lost = |place: &usize| keys.iter().any(|key| has(&key.sets, groups + own + place));
        let columns: Vec<&str> = self.groups.columns().into_iter().collect();
        let lost: Vec<usize> = (0..columns.len()).filter(lost).collect();
        let missing = lost.iter().map(|&place| format!("{} missing", columns[place]));
        let names: Vec<String> = self.groups.names().map(str::to_owned).chain(missing).collect();
        let places: Vec<usize> = (0..groups).chain(lost.iter().map(|place| groups + own + place)).collect();
        let membership = Membership::from_sets(names, groups, keys.len(), |row, set| has(&keys[row].sets, places[set]));
        let named = self.named.names().map(str::to_owned).collect();
        let named = Membership::from_sets(named, own, keys.len(), |row, set| has(&keys[row].sets, groups + set));
        let all = membership.clone().join(named)?;
        let shares = |(at, name): (usize, &String)| {
            let values: Vec<f64> = keys.iter().map(|key| f64::from_bits(key.values[at])).collect();
            weighing_shares(name, &values)
        };
        let values = self.weighing.iter().enumerate().map(shares).collect::<Result<Vec<_>>>()?;
        let decides = self.predictions.is_some() || self.score.is_some();
        Ok(Condensed {
            membership,
            all: if values.is_empty() { all } else { all.with_values(&values)? },
            labels: codes(counted, self.classes.len(), |key| key.label),
            predictions: decides.then(|| codes(counted, self.classes.len(), |key| key.prediction)),
            places,
            sums: counted.sums(self.unit, true),
        })
    }
}

/// Predictions without labels may be of any classes, but fractions are scores.
fn check_decisions(column: &str, classes: &[String]) -> Result<()> {
    let is_fraction = |class: &&String| class.parse().is_ok_and(|number: f64| number > 0.0 && number < 1.0);
    match classes.iter().find(is_fraction) {
        Some(found) => {
            let found = format!("`{column}`, which holds `{found}`");
            Err(Error::setting("predictions", found, "decisions; compare scores with a threshold first"))
        }
        None => Ok(()),
    }
}

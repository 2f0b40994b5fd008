//! What labels and predictions show, group by group.
//!
//! Holds [`Audit`], a value that reports render. `plan` says by what rows are counted and `contingency_table` counts them, wherever they are and in any parts (`rows`);
//! `confusion` adds counts up, `rate` turns them into shares with intervals, `violation` compares groups, `change` two sets of predictions, `class` puts them
//! together for one class, `asked` measures rates of one's own and tests bounds, `text` writes them out, and `summary` what is looked for first. Leans on nothing that learns or corrects:
//! predictions of any model can be audited.

mod asked;
mod change;
mod class;
mod confusion;
mod contingency_table;
mod plan;
mod rate;
mod rows;
mod score_column;
mod score_counts;
mod scores;
mod summary;
mod text;
mod violation;

pub use asked::AskedRate;
pub use change::ErrorChange;
pub use class::{ClassAudit, GroupRates, LabelAudit, LabelRates, PredictionAudit};
pub use contingency_table::ContingencyTable;
pub use plan::AuditPlan;
pub use rate::Rate;
pub use rows::{AuditTask, RemoteAuditRows};
pub use score_column::ScoreColumn;
pub use scores::{Estimate, GroupScores, ScoreAudit, ScoreBin};
pub use violation::{AuditedNotion, Gap, Largest, RateKind, Violation};

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::bound::{Bound, BoundTest};
use crate::constraint::OwnRows;
use crate::data::{Codes, Column, Dataset, WeightUnit};
use crate::facts::TableFacts;
use crate::group::{Groups, Membership};
use crate::interval::quantile;
use crate::notion::Notion;
use crate::{Error, Result, Warning};
use asked::Asked;
use confusion::{ConfusionMatrices, View};
use contingency_table::{Condensed, Rows, codes};

/// At most this many intersections are reported, those with the most rows.
const MOST_INTERSECTIONS: usize = 200;

/// Rates, violations, counts and intervals per group.
///
/// | JSON key | meaning |
/// | --- | --- |
/// | `rows` | how many rows were audited |
/// | `weighted` | whether rows had weights |
/// | `confidence` | of all intervals |
/// | `small_group` | groups below this many rows are warned of |
/// | `accuracy` | share of rows predicted as labelled, over all classes; null without predictions |
/// | `classes` | one [`ClassAudit`] for each class that was taken as positive |
/// | `scores` | what scores show: [`ScoreAudit`]; only where they were asked for |
/// | `notions` | by which notions `bounds` were tested, and which rates were asked for; empty without any |
/// | `rates` | one [`AskedRate`] for each subset of a notion that is about a rate as it is (`rate=…`, `target-rate`, `known-rate`, `pinned`), where one was asked for |
/// | `bounds` | one [`BoundTest`] for each bound that was asked for: of the predictions where there are any, else of the labels |
/// | `intersections_left_out` | how many intersections are not reported because there are too many |
/// | `warnings` | what weakens the numbers |
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Audit {
    /// How many rows were audited.
    pub rows: usize,
    /// Whether rows had weights.
    pub weighted: bool,
    /// The confidence of all intervals.
    pub confidence: f64,
    /// Groups below this many rows are warned of.
    pub small_group: usize,
    /// Share of rows predicted as labelled, over all classes.
    pub accuracy: Option<Rate>,
    /// Each class that was taken as positive.
    pub classes: Vec<ClassAudit>,
    /// What scores show.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scores: Option<ScoreAudit>,
    /// By which notions bounds were tested, and which rates were asked for.
    pub notions: Vec<Notion>,
    /// The rates that were asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rates: Vec<AskedRate>,
    /// Whether bounds hold, as far as these rows can tell: of predictions where there are any, else of labels.
    pub bounds: Vec<BoundTest>,
    /// How many intersections are not reported.
    pub intersections_left_out: usize,
    /// What weakens the numbers.
    pub warnings: Vec<Warning>,
}

/// How to audit.
///
/// | name | default | range | effect |
/// | --- | --- | --- | --- |
/// | `confidence` | 0.95 | 0.5 to 0.999999 | of the intervals |
/// | `small_group` | 30 | any | groups below this many rows are warned of |
/// | `intersections` | true | | whether rows in several groups at once are reported too |
/// | `bounds` | none | 0 to 1 | what is tested, by the same rule as the bounds of a correction |
/// | `notions` | demographic parity | those that compare groups, and rates of one's own, which are measured without bounds too; without predictions demographic parity, and rates among rows of any label | what bounds are on |
/// | `score` | none | a column of probabilities | ranks and calibration by group; where there are no predictions it decides |
/// | `unlabelled` | false | | the label column holds predictions, and what needs labels is left out |
///
/// A setting out of range gives [`Error::Setting`].
#[derive(Debug, Clone, PartialEq)]
pub struct AuditOptions {
    /// The confidence of intervals.
    pub confidence: f64,
    /// Groups below this many rows are warned of.
    pub small_group: usize,
    /// Whether intersections of groups are reported.
    pub intersections: bool,
    /// What is tested.
    pub bounds: Vec<Bound>,
    /// The notions that bounds are on.
    pub notions: Vec<Notion>,
    /// The scores to be audited.
    pub score: Option<ScoreColumn>,
    /// Whether the label column holds predictions, whose labels nobody knows.
    pub unlabelled: bool,
}

impl Default for AuditOptions {
    fn default() -> Self {
        Self {
            confidence: 0.95,
            small_group: 30,
            intersections: true,
            bounds: Vec::new(),
            notions: vec![Notion::DemographicParity],
            score: None,
            unlabelled: false,
        }
    }
}

impl Audit {
    /// Audits the labels of a dataset, and predictions where a column of it holds any.
    ///
    /// # Errors
    /// Those of [`Audit::of`]; [`Error::UnknownColumn`] for predictions or groups that are not there, and those of
    /// [`Labels::against`](crate::data::Labels::against) for predictions that are none of the labels.
    pub fn of_dataset(
        data: &Dataset,
        groups: &Groups,
        predictions: Option<&str>,
        options: &AuditOptions,
    ) -> Result<Self> {
        let (labels, facts) = (data.labels(), TableFacts::of(data));
        let classes = (labels.classes(), labels.positive());
        let plan = AuditPlan::new(data.schema(), classes, groups, predictions, weight_unit(data), options, &facts)?;
        plan.audit(&plan.count_labelled(data.table(), labels.codes())?, options)
    }

    /// Audits labels, and predictions where there are any.
    ///
    /// `labels` and `predictions` are codes into `classes`. `positive` is the class of
    /// interest; with `None` every class is taken in turn against the rest, or the
    /// second alone where there are only two, since the first mirrors it.
    ///
    /// # Errors
    /// [`Error::NoRows`]; [`Error::Length`] when inputs differ in length;
    /// [`Error::Setting`] for a code that is no class or a bad option; [`Error::NoConstraints`] for bounds without groups;
    /// [`Error::RowWeight`] and [`Error::NoWeight`] for weights that are none.
    pub fn of(
        labels: &Codes,
        predictions: Option<&Codes>,
        membership: &Membership,
        row_weights: Option<&[f64]>,
        classes: &[String],
        positive: Option<usize>,
        options: &AuditOptions,
    ) -> Result<Self> {
        if let Some(notion) = options.notions.iter().find(|notion| notion.needs_table()) {
            let reason = format!("{notion} names columns, and here is no table");
            return Err(Error::NoConstraints { reason });
        }
        if let Some(score) = &options.score {
            return Err(Error::setting("score", format!("`{}`", score.column), "none: here is no table"));
        }
        check(labels, predictions, membership, row_weights, classes)?;
        let unit = row_weights.map(|weights| WeightUnit::of(weights.iter().copied().fold(0.0, f64::max)));
        let coded = |codes| (codes, classes.len());
        let table = ContingencyTable::of(Rows {
            count: membership.rows(),
            codes: [
                Some((membership.codes(), membership.patterns())),
                None,
                Some(coded(labels)),
                predictions.map(coded),
                None,
            ],
            sets_of: &|[pattern, _]| membership.bits(pattern).to_vec(),
            values: &[],
            weights: row_weights.zip(unit),
            scores: None,
        });
        let keys: Vec<_> = table.keys().collect();
        let counted =
            Membership::from_sets(membership.names().to_vec(), membership.groups(), keys.len(), |row, set| {
                contingency_table::has(&keys[row].sets, set)
            });
        let condensed = Condensed {
            all: counted.clone(),
            membership: counted,
            labels: codes(&table, classes.len(), |key| key.label),
            predictions: predictions.map(|_| codes(&table, classes.len(), |key| key.prediction)),
            places: (0..membership.names().len()).collect(),
            sums: table.sums(unit, false),
        };
        let audit = Self::of_condensed(&condensed, &[], classes, positive, options)?;
        Ok(Self { weighted: row_weights.is_some(), ..audit })
    }

    /// The audit of rows that are counted, with all rows that notions name, `own`, behind the groups.
    fn of_condensed(
        rows: &Condensed,
        own: &[OwnRows],
        classes: &[String],
        positive: Option<usize>,
        options: &AuditOptions,
    ) -> Result<Self> {
        let Condensed { membership, labels, predictions, sums, .. } = rows;
        let view = View { labels, predictions: predictions.as_ref(), membership, sums };
        let audited = match positive {
            Some(class) if class < classes.len() => vec![class],
            Some(class) => return Err(not_a_class("positive", class, classes)),
            None if classes.len() == 2 => vec![1],
            None => (0..classes.len()).collect(),
        };
        let z = quantile(options.confidence)?;
        let of_two = || (classes.len() == 2).then_some(1);
        let asked = Asked { view, membership: &rows.all, own, classes, positive: positive.or_else(of_two) };
        let (rates, bounds) = asked::measure(&asked, options)?;
        let hits = ConfusionMatrices::of_hits(view);
        let (patterns, intersections_left_out) =
            if options.intersections { intersections(view, &hits) } else { (Vec::new(), 0) };
        let right = hits.overall();
        Ok(Self {
            rows: sums.iter().map(|sums| sums.rows).sum(),
            weighted: false,
            confidence: options.confidence,
            small_group: options.small_group,
            accuracy: predictions.as_ref().map(|_| Rate::new(right.sum(|_, hit| hit), right.sum(|_, _| true), z)),
            scores: None,
            classes: audited
                .into_iter()
                .map(|class| ClassAudit::of(view, class, classes, &hits, &patterns, z))
                .collect(),
            notions: if bounds.is_empty() && rates.is_empty() { Vec::new() } else { options.notions.clone() },
            rates,
            bounds,
            intersections_left_out,
            warnings: warnings(view, classes, options),
        })
    }
}

impl Audit {
    /// The same, where what stood in the place of labels are predictions.
    fn of_predictions_alone(mut self) -> Self {
        for class in &mut self.classes {
            class.predictions = class.labels.take().map(PredictionAudit::without_labels);
        }
        self
    }

    /// The paper's violation of a notion, the largest over all classes audited: of the
    /// predictions where there are any, else of the labels.
    ///
    /// `None` where nothing could be measured; labels alone tell demographic parity only.
    pub fn violation(&self, notion: AuditedNotion) -> Option<f64> {
        let measured = |class: &ClassAudit| {
            let violations = match (&class.predictions, &class.labels) {
                (Some(predictions), _) => predictions.violations.as_slice(),
                (None, Some(labels)) => std::slice::from_ref(&labels.violation),
                (None, None) => &[],
            };
            let of_notion = violations.iter().find(|violation| violation.notion == notion)?;
            of_notion.paper.as_ref().map(|largest| largest.value)
        };
        self.classes.iter().filter_map(measured).reduce(f64::max)
    }
}

/// The unit of the row weights of a dataset, as they stand in its table.
fn weight_unit(data: &Dataset) -> Option<WeightUnit> {
    match data.schema().weight_column().and_then(|name| data.table().get(name)) {
        Some(Column::Numeric(weights)) => Some(WeightUnit::of(weights.iter().copied().fold(0.0, f64::max))),
        _ => None,
    }
}

/// A warning for every small group, then for every group that all rows are in: it is its own reference; and one where all predictions are alike.
fn warnings(view: View<'_>, classes: &[String], options: &AuditOptions) -> Vec<Warning> {
    let membership = view.membership;
    let rows = |group: usize| {
        let inside = view.sums.iter().enumerate().filter(|(row, _)| membership.is_member(*row, group));
        inside.map(|(_, sums)| sums.rows).sum::<usize>()
    };
    let counts: Vec<(&String, usize)> = membership.group_names().iter().zip((0..).map(rows)).collect();
    let all: usize = view.sums.iter().map(|sums| sums.rows).sum();
    let small = counts.iter().filter(|(_, rows)| *rows < options.small_group);
    let small = small.map(|(group, rows)| Warning::SmallGroup { group: (*group).clone(), rows: *rows });
    let everyone = counts.iter().filter(|(_, rows)| *rows == all);
    let everyone = everyone.map(|(group, _)| Warning::OwnReference { what: (*group).clone() });
    let predictions = view.predictions.or_else(|| options.unlabelled.then_some(view.labels));
    small.chain(everyone).chain(predictions.and_then(|codes| one_decision(view, codes, classes))).collect()
}

/// A warning where all rows are predicted the same class.
fn one_decision(view: View<'_>, predictions: &Codes, classes: &[String]) -> Option<Warning> {
    let rows: usize = view.sums.iter().map(|sums| sums.rows).sum();
    let mut predicted = predictions.iter().zip(view.sums).filter(|(_, sums)| sums.rows > 0).map(|(class, _)| class);
    let first = predicted.next()?;
    let alike = rows > 1 && predicted.all(|class| class == first);
    alike.then(|| Warning::OneDecision { decision: classes[first].clone(), rows })
}

/// The patterns of two groups or more that have rows, in the order of their groups, and
/// how many were left out.
fn intersections(view: View<'_>, matrices: &ConfusionMatrices<'_>) -> (Vec<usize>, usize) {
    let groups = |pattern: usize| (0..view.membership.groups()).filter(move |&g| view.membership.contains(pattern, g));
    // By their groups: how many rows have exactly these, and one of their patterns. Others differ in missing values alone.
    let mut found: BTreeMap<Vec<usize>, (usize, usize)> = BTreeMap::new();
    for pattern in (0..view.membership.patterns()).filter(|&pattern| matrices.rows(pattern) > 0) {
        let groups: Vec<usize> = groups(pattern).collect();
        if groups.len() > 1 {
            found.entry(groups).or_insert((0, pattern)).0 += matrices.rows(pattern);
        }
    }
    let mut patterns: Vec<(usize, usize)> = found.into_values().collect();
    patterns.sort_by_key(|&(rows, pattern)| (std::cmp::Reverse(rows), pattern));
    let left_out = patterns.len().saturating_sub(MOST_INTERSECTIONS);
    patterns.truncate(MOST_INTERSECTIONS);
    patterns.sort_by_key(|&(_, pattern)| groups(pattern).collect::<Vec<_>>());
    (patterns.into_iter().map(|(_, pattern)| pattern).collect(), left_out)
}

fn check(
    labels: &Codes,
    predictions: Option<&Codes>,
    membership: &Membership,
    row_weights: Option<&[f64]>,
    classes: &[String],
) -> Result<()> {
    let rows = membership.rows();
    let lengths = [
        ("labels", Some(labels.len())),
        ("predictions", predictions.map(Codes::len)),
        ("row weights", row_weights.map(<[f64]>::len)),
    ];
    for (what, found) in lengths {
        if let Some(found) = found.filter(|&found| found != rows) {
            return Err(Error::Length { what, expected: rows, found });
        }
    }
    if rows == 0 {
        return Err(Error::NoRows { what: "the audit".into() });
    }
    for (what, codes) in [("labels", Some(labels)), ("predictions", predictions)] {
        if let Some(code) = codes.and_then(|codes| codes.iter().find(|&code| code >= classes.len())) {
            return Err(not_a_class(what, code, classes));
        }
    }
    let Some(weights) = row_weights else { return Ok(()) };
    if let Some(row) = weights.iter().position(|weight| !weight.is_finite() || *weight < 0.0) {
        return Err(Error::RowWeight { column: "row weights".into(), row, found: weights[row].to_string() });
    }
    if weights.iter().all(|&weight| weight <= 0.0) {
        return Err(Error::NoWeight { what: "the row weights".into() });
    }
    Ok(())
}

fn not_a_class(setting: &'static str, code: usize, classes: &[String]) -> Error {
    let allowed = format!("a class number below {}", classes.len());
    Error::setting(setting, format!("class number {code}"), allowed)
}

#[cfg(test)]
mod tests;

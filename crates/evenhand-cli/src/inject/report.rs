//! What `evenhand inject` shows: the same numbers as text and as JSON.

use std::path::PathBuf;

use evenhand::Labels;
use evenhand::correction::{NamedValue, Problem};
use evenhand::data::Codes;
use evenhand_datasets::inject::{Bias, Flip, Injected, Injection, Truth};
use serde::Serialize;

use super::Columns;
use super::args::InjectArgs;
use crate::files;
use crate::output::WarningRecord;
use crate::text::{Lines, clean, counted, percent, signed, thousands};

/// At most so many lines for groups and multipliers each; JSON has all.
const MOST_LINES: usize = 40;

/// Everything that is shown. The keys are stable.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Report {
    /// The column of labels.
    label: String,
    /// The values of the label; of two, the positive one last.
    classes: Vec<String>,
    /// The positive class.
    positive: Option<String>,
    /// What was taken for the truth: the `labels`, or a `model` of them.
    truth: &'static str,
    /// The column that keeps the true labels.
    truth_column: String,
    /// The bias, as multipliers.
    #[serde(skip_serializing_if = "Option::is_none")]
    multipliers: Option<Vec<NamedValue>>,
    /// The bias, as labels that were turned around.
    #[serde(skip_serializing_if = "Option::is_none")]
    flips: Option<Vec<ShownFlip>>,
    /// The bias, as violations.
    #[serde(skip_serializing_if = "Option::is_none")]
    violations: Option<Vec<ShownViolation>>,
    /// The Kullback–Leibler divergence of the biased from the true labels, in nats a row.
    #[serde(skip_serializing_if = "Option::is_none")]
    divergence: Option<f64>,
    /// The seed.
    seed: u64,
    #[serde(flatten)]
    overall: Comparison,
    /// The same for each group.
    groups: Vec<GroupRates>,
    /// Where it was written.
    out: PathBuf,
    /// What is worth knowing.
    pub(super) warnings: Vec<WarningRecord>,
    #[serde(skip)]
    shown: Vec<usize>,
}

/// A violation of the probabilities by which labels are drawn.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ShownViolation {
    /// The constraint.
    name: String,
    /// The violation that was asked for.
    asked: f64,
    /// That of the true labels.
    before: f64,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ShownFlip {
    /// The group.
    group: String,
    /// The class that was turned around.
    from: String,
    /// The class that it became.
    to: String,
    /// In which share of the rows.
    rate: f64,
}

/// The rates of labels in some rows, true and biased.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Comparison {
    /// How many rows.
    rows: usize,
    /// How many labels were changed.
    changed: usize,
    /// The share of each class among true labels.
    true_rates: Vec<f64>,
    /// The same among biased labels.
    biased_rates: Vec<f64>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct GroupRates {
    /// The group.
    name: String,
    #[serde(flatten)]
    rates: Comparison,
}

impl Report {
    pub(super) fn new(
        args: &InjectArgs,
        injection: &Injection,
        problem: &Problem,
        injected: &Injected,
        labels: &Labels,
        columns: Columns,
        warnings: Vec<WarningRecord>,
    ) -> Self {
        let (names, classes) = (problem.group_names(), labels.classes().to_vec());
        let group = |(at, name): (usize, &String)| GroupRates {
            name: name.clone(),
            rates: Comparison::of(problem, injected, |row| problem.is_in(row, at)),
        };
        let multipliers = match (&injection.bias, &injected.closest) {
            (Bias::Multipliers(values), _) => Some(named(problem, values)),
            (_, Some(closest)) => Some(named(problem, &closest.multipliers)),
            _ => None,
        };
        let flip = |flip: &Flip| ShownFlip {
            group: names[flip.group].clone(),
            from: classes[flip.from].clone(),
            to: classes[flip.to].clone(),
            rate: flip.rate,
        };
        let flips = match &injection.bias {
            Bias::Flips(flips) => Some(flips.iter().map(flip).collect()),
            _ => None,
        };
        Self {
            label: columns.label,
            positive: labels.positive().map(|class| classes[class].clone()),
            truth: match injection.truth {
                Truth::Labels => "labels",
                Truth::Model => "model",
            },
            truth_column: columns.truth,
            multipliers,
            flips,
            violations: violations(injection, problem, injected),
            divergence: injected.closest.as_ref().map(|closest| closest.divergence),
            seed: args.seed,
            overall: Comparison::of(problem, injected, |_| true),
            groups: names.iter().enumerate().map(group).collect(),
            out: args.out.clone(),
            warnings,
            shown: labels.positive().map_or_else(|| (0..classes.len()).collect(), |class| vec![class]),
            classes,
        }
    }

    pub(super) fn to_text(&self) -> String {
        let mut lines = Lines::default();
        lines.push("", ["rows", "changed", "true", "biased"].map(str::to_owned).to_vec());
        for &class in &self.shown {
            lines.push(format!("labelled `{}`", self.classes[class]), Vec::new());
            lines.push("  overall", self.overall.cells(class));
            lines.push_some(&self.groups, MOST_LINES, |group| (format!("  {}", group.name), group.rates.cells(class)));
        }
        let how = match (&self.multipliers, self.truth) {
            (None, _) => "Labels were turned over.",
            (_, "model") => "True labels were drawn from a model of those there are, and biased ones by Proposition 1.",
            _ => "The labels there are count as true; biased ones were drawn by Proposition 1.",
        };
        format!(
            "{how}\n\n{}\n{}\nWrote {} to {}: biased labels in `{}`, the true ones in `{}`.\n",
            lines.render(),
            self.bias(),
            counted(self.overall.rows, "row"),
            files::shown(&self.out),
            clean(&self.label),
            clean(&self.truth_column),
        )
    }

    fn bias(&self) -> String {
        let mut lines = Lines::default();
        if let Some(violations) = &self.violations {
            lines.push("Violations put in", ["asked", "true labels"].map(str::to_owned).to_vec());
            lines.push_some(violations, MOST_LINES, |one| {
                (format!("  {}", one.name), vec![signed(one.asked), signed(one.before)])
            });
        }
        if let Some(multipliers) = &self.multipliers {
            let found = if self.violations.is_some() { "Multipliers found for them" } else { "Multipliers put in" };
            lines.push(found, Vec::new());
            lines.push_some(multipliers, MOST_LINES, |one| {
                (format!("  {}", one.name), vec![signed(one.value.unwrap_or_default())])
            });
        }
        if let Some(flips) = &self.flips {
            lines.push("Labels turned over", Vec::new());
            lines.push_some(flips, MOST_LINES, |flip| {
                (format!("  {}, `{}` to `{}`", flip.group, flip.from, flip.to), vec![percent(flip.rate)])
            });
        }
        lines.render()
    }
}

/// Multipliers with the names of their constraints.
fn named(problem: &Problem, values: &[f64]) -> Vec<NamedValue> {
    let pairs = problem.constraints().iter().zip(values);
    pairs.map(|(one, &value)| NamedValue { name: one.name.clone(), value: Some(value) }).collect()
}

/// The violations that were asked for, where any were.
fn violations(injection: &Injection, problem: &Problem, injected: &Injected) -> Option<Vec<ShownViolation>> {
    let (Bias::Violations(asked), Some(closest)) = (&injection.bias, &injected.closest) else { return None };
    let shown = asked.iter().zip(&closest.before).map(|(one, &before)| ShownViolation {
        name: problem.constraints()[one.constraint].name.clone(),
        asked: one.violation,
        before,
    });
    Some(shown.collect())
}

impl Comparison {
    fn of(problem: &Problem, injected: &Injected, inside: impl Fn(usize) -> bool) -> Self {
        let rows: Vec<usize> = (0..injected.truth.len()).filter(|&row| inside(row)).collect();
        let rates = |codes: &Codes| {
            let (mut sums, mut total) = (vec![0.0; problem.classes()], 0.0);
            for &row in &rows {
                let weight = problem.row_weight(row);
                sums[codes.get(row)] += weight;
                total += weight;
            }
            sums.into_iter().map(|sum| if total > 0.0 { sum / total } else { 0.0 }).collect()
        };
        Self {
            rows: rows.len(),
            changed: rows.iter().filter(|&&row| injected.truth.get(row) != injected.biased.get(row)).count(),
            true_rates: rates(&injected.truth),
            biased_rates: rates(&injected.biased),
        }
    }

    fn cells(&self, class: usize) -> Vec<String> {
        let rates = [percent(self.true_rates[class]), percent(self.biased_rates[class])];
        [thousands(self.rows), thousands(self.changed)].into_iter().chain(rates).collect()
    }
}

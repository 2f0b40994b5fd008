//! Audits: rates are shares within their intervals, the text says what the JSON says, and verdicts are those of the rows.

use arbitrary::Unstructured;
use evenhand::audit::AuditOptions;
use evenhand::{Audit, Bound, Dataset, Groups, Membership, Notion, Schema, Table};
use serde_json::Value;

use super::{Checked, must, verdicts};
use crate::ground::Ground;

/// Labels, predictions, weights and groups from random bytes.
pub(super) fn check(_: &Ground, input: &[u8]) -> Checked {
    let from = &mut Unstructured::new(input);
    let drawn = draw(from).map_err(|error| error.to_string())?;
    let audit = match drawn.audit() {
        Ok(audit) => audit,
        // Everything else that is drawn can be audited.
        Err(error) => return must(error.code() == "weight-none", || error.to_string()).map(|()| false),
    };
    agrees(&audit)?;
    let rates = drawn.rates();
    audit.bounds.iter().try_for_each(|test| verdicts::holds(test, &rates))?;
    Ok(true)
}

struct Drawn {
    classes: usize,
    labels: Vec<u32>,
    predictions: Option<Vec<u32>>,
    weights: Option<Vec<f64>>,
    membership: Membership,
    positive: Option<usize>,
    options: AuditOptions,
}

/// Weights that are hard to add up.
const WEIGHTS: [f64; 12] = [1.0, 0.0, 2.5, 1e-60, 1e60, 1e-6, 3.0, 1e16, 1e300, 1e-300, f64::MAX, 5e-324];

const NOTIONS: [Notion; 7] = [
    Notion::DemographicParity,
    Notion::EqualOpportunity,
    Notion::EqualizedOdds,
    Notion::PredictiveEquality,
    Notion::EqualAccuracy,
    Notion::DisparateImpact,
    Notion::PaperDisparateImpact,
];

fn draw(from: &mut Unstructured<'_>) -> arbitrary::Result<Drawn> {
    let (classes, groups) = (from.int_in_range(2..=4)?, from.int_in_range(0..=4)?);
    let rows = from.int_in_range(1..=60)?;
    let mut codes =
        || -> arbitrary::Result<Vec<u32>> { (0..rows).map(|_| from.int_in_range(0..=classes as u32 - 1)).collect() };
    let (labels, predictions) = (codes()?, codes()?);
    let matrix: Vec<bool> = (0..rows * groups).map(|_| from.arbitrary()).collect::<arbitrary::Result<_>>()?;
    let names = (0..groups).map(|group| format!("g{group}\u{1b}=\"x")).collect();
    let weights = if from.ratio(1, 3)? {
        Some((0..rows).map(|_| from.choose(&WEIGHTS).copied()).collect::<arbitrary::Result<Vec<f64>>>()?)
    } else {
        None
    };
    let predicted = from.arbitrary::<bool>()?;
    let confidence = *from.choose(&[0.95, 0.5, 0.999, 0.999_999])?;
    let options = AuditOptions {
        confidence,
        small_group: from.int_in_range(0..=40)?,
        intersections: from.arbitrary()?,
        bounds: if groups > 0 && from.arbitrary()? { vec![bound(from)?] } else { Vec::new() },
        notions: if predicted { vec![from.choose(&NOTIONS)?.clone()] } else { AuditOptions::default().notions },
        ..AuditOptions::default()
    };
    Ok(Drawn {
        classes,
        labels,
        predictions: predicted.then_some(predictions),
        weights,
        membership: Membership::from_matrix(names, rows, &matrix).map_err(|_| arbitrary::Error::IncorrectFormat)?,
        positive: from.arbitrary::<bool>()?.then_some(1),
        options,
    })
}

fn bound(from: &mut Unstructured<'_>) -> arbitrary::Result<Bound> {
    let limit = *from.choose(&[0.0, 0.05, 0.3, 0.6, 0.9, 1.0])?;
    Ok(match from.int_in_range(0..=2)? {
        0 => Bound::MaxViolation(limit),
        1 => Bound::MaxDifference(limit),
        _ => Bound::MinRatio(limit),
    })
}

impl Drawn {
    /// What bounds are on, row by row.
    fn rates(&self) -> Vec<verdicts::Rates> {
        let decided = self.predictions.as_ref().unwrap_or(&self.labels);
        let largest = self.weights.iter().flatten().copied().fold(0.0, f64::max);
        let weight = |row: usize| match &self.weights {
            None => 1.0,
            Some(weights) if weights[row] / largest < verdicts::LEAST => 0.0,
            Some(weights) => weights[row] / largest,
        };
        let classes = match self.positive.or((self.classes == 2).then_some(1)) {
            Some(positive) => vec![positive],
            None => (0..self.classes).collect(),
        };
        let of = |asked: &dyn Fn(usize) -> bool, counts: &dyn Fn(usize) -> bool| {
            let rate = |inside: &dyn Fn(usize) -> bool| {
                let rows = || (0..decided.len()).filter(|&row| asked(row) && inside(row));
                let total: f64 = rows().map(weight).sum();
                (total > 0.0).then(|| rows().filter(|&row| counts(row)).map(weight).sum::<f64>() / total)
            };
            let group = |group: usize| rate(&|row| self.membership.is_member(row, group));
            verdicts::Rates { overall: rate(&|_| true), groups: (0..self.membership.groups()).map(group).collect() }
        };
        let mut all = Vec::new();
        for notion in &self.options.notions {
            if *notion == Notion::EqualAccuracy {
                all.push(of(&|_| true, &|row| decided[row] == self.labels[row]));
                continue;
            }
            for &class in &classes {
                let (is_class, predicted) =
                    (|row: usize| self.labels[row] as usize == class, |row: usize| decided[row] as usize == class);
                if notion.measured() == Notion::DemographicParity.measured() {
                    all.push(of(&|_| true, &predicted));
                }
                if matches!(notion, Notion::EqualOpportunity | Notion::EqualizedOdds) {
                    all.push(of(&is_class, &predicted));
                }
                if matches!(notion, Notion::PredictiveEquality | Notion::EqualizedOdds) {
                    all.push(of(&|row| !is_class(row), &predicted));
                }
            }
        }
        all
    }

    fn audit(&self) -> evenhand::Result<Audit> {
        let narrow = |codes: &Vec<u32>| evenhand::data::Codes::narrow(codes.clone(), self.classes);
        let names: Vec<String> = (0..self.classes).map(|class| format!("k{class}")).collect();
        let predictions = self.predictions.as_ref().map(narrow);
        let weights = self.weights.as_deref();
        let labels = narrow(&self.labels);
        Audit::of(&labels, predictions.as_ref(), &self.membership, weights, &names, self.positive, &self.options)
    }
}

/// Audits the last column of a table by its first.
pub(super) fn check_table(table: &Table) -> Result<(), String> {
    let (Some(group), Some(label)) = (table.names().first(), table.names().last()) else { return Ok(()) };
    let Some(value) = table.get(label).and_then(|column| (0..column.len()).find_map(|row| column.text(row))) else {
        return Ok(());
    };
    let schema = Schema::label(label).positive(value);
    let Ok(data) = Dataset::new(table.clone(), &schema) else { return Ok(()) };
    let Ok(spec) = group.parse() else { return Ok(()) };
    let Ok((groups, _)) = Groups::of(&[spec], &data) else { return Ok(()) };
    let audit = Audit::of_dataset(&data, &groups, None, &AuditOptions::default()).map_err(|error| error.to_string())?;
    agrees(&audit)
}

/// Every rate of the JSON form is a share within its interval, and stands in the text.
fn agrees(audit: &Audit) -> Result<(), String> {
    let json = serde_json::to_value(audit).map_err(|error| error.to_string())?;
    let (text, mut rates) = (audit.to_string(), Vec::new());
    collect(&json, &mut rates);
    let again: Audit = serde_json::from_value(json).map_err(|error| format!("the JSON of an audit: {error}"))?;
    must(again == *audit, || "an audit is another after JSON".into())?;
    for [value, low, high] in rates {
        let holds = 0.0 <= low && low <= value + 1e-9 && value <= high + 1e-9 && high <= 1.0;
        must(holds, || format!("a rate of {value} has the interval {low} to {high}"))?;
        let shown = format!("{value:.4} [{low:.4}, {high:.4}]");
        // The text leaves out the smallest of many intersections.
        must(text.contains(&shown) || text.contains(" more\n"), || format!("the text lacks `{shown}`:\n{text}"))?;
    }
    Ok(())
}

/// The value and the interval of every rate that is defined.
fn collect(json: &Value, rates: &mut Vec<[f64; 3]>) {
    match json {
        Value::Object(map) if map.contains_key("successes") => {
            let number = |key: &str| map.get(key).and_then(Value::as_f64);
            if let (Some(value), Some(low), Some(high)) = (number("value"), number("low"), number("high")) {
                rates.push([value, low, high]);
            }
        }
        Value::Object(map) => {
            map.iter().filter(|(key, _)| *key != "accuracy").for_each(|(_, value)| collect(value, rates));
        }
        Value::Array(all) => all.iter().for_each(|value| collect(value, rates)),
        _ => {}
    }
}

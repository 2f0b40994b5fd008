//! What must hold, whatever the input was.

use evenhand::correction::{Constraint, Event, Labelled, Predictions, Reference};
use evenhand::data::Codes;
use evenhand::{Bound, Column, Dataset, ReadOptions, Table};

use super::must;
use super::verdicts::Rates;
use crate::ground::Ground;

/// Columns are the same after a file was written and read; but for blanks around texts, which readers of text leave out.
pub(super) fn comes_out_as_it_went_in(ground: &Ground, table: &Table, format: usize) -> Result<(), String> {
    let path = ground.path(["again.csv", "again.parquet", "again.arrow"][format]);
    let is_text = format == 0;
    let written = table.write(&path);
    if is_text && holds_zero_bytes(table) {
        return must(written.is_err(), || "a zero byte was written to a text file".into());
    }
    written.map_err(|error| format!("a table that was read cannot be written: {error}"))?;
    let text = table.columns().filter(|(_, column)| column.kind() == "categorical").map(|(name, _)| name.to_owned());
    let mut options = ReadOptions::default().categorical(text);
    options.if_present = true;
    let read = Table::read(&path, &options);
    if table.rows() == 0 {
        return Ok(());
    }
    let (again, _) = read.map_err(|error| format!("a table that was written cannot be read: {error}"))?;
    let same_name = |before: &String, after: &String| before == after || is_text && before.trim() == after.as_str();
    let same_names = table.names().len() == again.names().len()
        && table.names().iter().zip(again.names()).all(|(before, after)| same_name(before, after));
    must(same_names, || format!("columns {:?} came out as {:?}", table.names(), again.names()))?;
    for ((name, before), (_, after)) in table.columns().zip(again.columns()) {
        let same = before.is_same(after)
            || is_empty(before) && is_empty(after) && before.len() == after.len()
            || is_text && is_same_but_for_blanks(before, after);
        must(same, || format!("column `{name}` came out otherwise: {before:?} as {after:?}"))?;
    }
    Ok(())
}

fn holds_zero_bytes(table: &Table) -> bool {
    let zero = |text: &str| text.contains('\0');
    let texts = |column: &Column| (0..column.len()).any(|row| column.text(row).is_some_and(|text| zero(&text)));
    table.columns().any(|(name, column)| zero(name) || column.kind() == "categorical" && texts(column))
}

fn is_same_but_for_blanks(before: &Column, after: &Column) -> bool {
    let trimmed = |column: &Column, row: usize| {
        column.text(row).map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
    };
    let rows = before.len();
    before.kind() == "categorical"
        && rows == after.len()
        && (0..rows).all(|row| trimmed(before, row) == trimmed(after, row))
}

/// Whether a column has no value: then it has no type that a text file could tell.
fn is_empty(column: &Column) -> bool {
    (0..column.len()).all(|row| column.text(row).is_none())
}

/// Predictions are probabilities, and decisions are classes.
pub(super) fn are_probabilities(predictions: &Predictions) -> Result<(), String> {
    let classes = predictions.classes;
    for (row, scores) in predictions.scores.chunks(classes).enumerate() {
        let within = scores.iter().all(|score| (0.0..=1.0).contains(score));
        let sum: f64 = scores.iter().sum();
        must(within && (sum - 1.0).abs() < 1e-9, || format!("row {row} is predicted with probabilities {scores:?}"))?;
    }
    must(predictions.decisions.iter().all(|class| class < classes), || "a decision is no class".into())
}

/// Overall (or asked) rate and group rate of each constraint, row by row; `None` without rows it conditions on.
pub(super) fn rates(
    binding: &evenhand::correction::Binding,
    data: &Dataset,
    decisions: &Codes,
) -> Result<Vec<Option<[f64; 2]>>, String> {
    let membership = binding.membership(data.table()).map_err(|error| error.to_string())?;
    let (labels, weights) = (data.labels().codes(), data.row_weights());
    let by: Vec<&Column> = binding.weighing().iter().filter_map(|column| data.table().get(column)).collect();
    let of = |constraint: &evenhand::correction::Constraint| {
        let value = |row: usize| match constraint.weighted_by.map(|place| by[place]) {
            Some(Column::Numeric(values)) => values[row],
            _ => 1.0,
        };
        let weight = |row: usize| value(row) * weights.map_or(1.0, |weights| weights[row]);
        let counts = |row: usize| match constraint.event {
            Event::Predicts(class) => decisions.get(row) == class,
            Event::Correct => decisions.get(row) == labels.get(row),
            Event::Wrong => decisions.get(row) != labels.get(row),
        };
        let rate = |group: Option<usize>, labelled: Labelled| {
            let inside = |row: &usize| group.is_none_or(|group| membership.is_member(*row, group));
            let rows = || (0..data.rows()).filter(|&row| labelled.holds(labels.get(row))).filter(inside);
            let total: f64 = rows().map(weight).sum();
            (total > 0.0).then(|| rows().filter(|&row| counts(row)).map(weight).sum::<f64>() / total)
        };
        let own = rate(constraint.group, constraint.labelled)?;
        Some(match constraint.reference {
            Reference::Overall => [rate(None, constraint.labelled)?, own],
            Reference::Rows { group, labelled } => [rate(group, labelled)?, own],
            Reference::Rate(asked) => [asked, own],
            // More than was asked for is as good, or less.
            Reference::AtLeast(asked) => [asked, own.min(asked)],
            Reference::AtMost(asked) => [asked, own.max(asked)],
        })
    };
    Ok(binding.constraints().iter().map(of).collect())
}

/// The rates of constraints that a bound of this kind compares with each other.
pub(super) fn compared(constraints: &[Constraint], rates: &[Option<[f64; 2]>], bound: &Bound) -> Vec<Rates> {
    let one =
        |at: usize| Rates { overall: rates[at].map(|rates| rates[0]), groups: vec![rates[at].map(|rates| rates[1])] };
    if matches!(bound, Bound::MaxViolation(_)) {
        return (0..constraints.len()).map(one).collect();
    }
    let is_overall = |at: &usize| constraints[*at].reference.number().is_none();
    let alike = |one: &Constraint, other: &Constraint| {
        (&one.notion, one.labelled, one.event, one.reference)
            == (&other.notion, other.labelled, other.event, other.reference)
    };
    let mut all: Vec<(usize, Rates)> = Vec::new();
    for at in (0..constraints.len()).filter(is_overall) {
        let own = rates[at].map(|rates| rates[1]);
        match all.iter_mut().find(|(first, _)| alike(&constraints[*first], &constraints[at])) {
            Some((_, rates)) => rates.groups.push(own),
            None => all.push((at, one(at))),
        }
    }
    // One alone is compared with nobody.
    all.into_iter().map(|(_, rates)| rates).filter(|rates| rates.groups.len() > 1).collect()
}

//! The table `evenhand frontier` writes: a line per point, for plots.

use anyhow::Result;
use evenhand::correction::{Assessment, Point};
use evenhand::data::Categorical;
use evenhand::{Column, Table};

use super::Traced;
use super::report::asked;

/// What was asked of every point, how it does, and its multipliers. What is not known is left empty.
pub(super) fn of<P>(traced: &Traced<P>) -> Result<Table> {
    let points = &traced.frontier.points;
    let numbers = |name: &str, value: &dyn Fn(&Point<P>) -> Option<f64>| {
        let values = points.iter().map(|point| value(point).unwrap_or(f64::NAN)).collect();
        (name.to_owned(), Column::Numeric(values))
    };
    let words = |name: &str, value: &dyn Fn(&Point<P>) -> String| {
        let values: Vec<String> = points.iter().map(value).collect();
        let values = values.iter().map(|value| Some(value.as_str()));
        (name.to_owned(), Column::Categorical(Categorical::from_values(values)))
    };
    let mut columns = vec![
        words("asked", &|point| asked(point.asked).to_owned()),
        numbers("max_violation", &|point| point.asked.bound()),
    ];
    let trained: Vec<&Assessment> = points.iter().map(|point| &point.outcome.train).collect();
    columns.extend(assessed("", &trained));
    let tested: Vec<&Assessment> = traced.tests.iter().flatten().collect();
    if !tested.is_empty() {
        columns.extend(assessed("test_", &tested));
    }
    columns.push(words("weights", &|point| point.outcome.rule.name().to_owned()));
    columns.push(words("stop", &|point| point.outcome.stop.to_string()));
    columns.push(numbers("fits", &|point| Some(point.outcome.fits as f64)));
    columns.push(numbers("dominated", &|point| Some(f64::from(u8::from(point.dominated)))));
    for (at, constraint) in traced.binding.constraints().iter().enumerate() {
        let name = format!("multiplier: {}", constraint.name);
        columns.push(numbers(&name, &|point| Some(point.outcome.multipliers[at])));
    }
    Ok(Table::new(columns, 1)?)
}

fn assessed(prefix: &str, rows: &[&Assessment]) -> [(String, Column); 3] {
    let column = |name: &str, value: &dyn Fn(&Assessment) -> Option<f64>| {
        let values = rows.iter().map(|one| value(one).unwrap_or(f64::NAN)).collect();
        (format!("{prefix}{name}"), Column::Numeric(values))
    };
    [
        column("violation", &|one| one.violation),
        column("error", &|one| Some(one.error)),
        column("positive_rate", &|one| one.positive_rate),
    ]
}

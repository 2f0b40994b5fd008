//! The table `evenhand frontier` writes: a line per point, for plots.

use anyhow::Result;
use evenhand::Table;
use evenhand::correction::{Assessment, Point};

use super::Traced;
use super::report::asked;
use crate::columns::Columns;

/// A point, and how it does on test rows, if there are any.
type Line<'a, P> = (&'a Point<P>, Option<&'a Assessment>);

/// What was asked of every point, how it does, and its multipliers. What is not known is left empty.
pub(super) fn of<P>(traced: &Traced<P>) -> Result<Table> {
    let points = traced.frontier.points.iter();
    let lines: Vec<Line<'_, P>> = points.zip(traced.tests.iter().map(Option::as_ref)).collect();
    let mut columns = Columns::of(&lines)
        .words("asked", |(point, _)| asked(point.asked).to_owned())
        .numbers("max_violation", |(point, _)| point.asked.bound());
    columns = assessed(columns, "", |(point, _)| Some(&point.outcome.train));
    if lines.iter().any(|(_, test)| test.is_some()) {
        columns = assessed(columns, "test_", |(_, test)| *test);
    }
    columns = columns
        .words("weights", |(point, _)| point.outcome.rule.name().to_owned())
        .words("stop", |(point, _)| point.outcome.stop.to_string())
        .numbers("fits", |(point, _)| Some(point.outcome.fits as f64))
        .numbers("dominated", |(point, _)| Some(f64::from(u8::from(point.dominated))));
    for (at, constraint) in traced.binding.constraints().iter().enumerate() {
        let name = format!("multiplier: {}", constraint.name);
        columns = columns.numbers(name, |(point, _)| Some(point.outcome.multipliers[at]));
    }
    columns.table()
}

fn assessed<'a, 'b, P>(
    columns: Columns<'a, Line<'b, P>>,
    prefix: &str,
    of: impl Fn(&Line<'b, P>) -> Option<&'b Assessment>,
) -> Columns<'a, Line<'b, P>> {
    columns
        .numbers(format!("{prefix}violation"), |line| of(line)?.violation)
        .numbers(format!("{prefix}error"), |line| Some(of(line)?.error))
        .numbers(format!("{prefix}positive_rate"), |line| of(line)?.positive_rate)
}

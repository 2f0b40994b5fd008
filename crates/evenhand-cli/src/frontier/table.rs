//! The table `evenhand frontier` writes: a line per point, for plots.

use anyhow::Result;
use evenhand::Table;
use evenhand::correction::{Apply, Metrics, Point};

use super::Traced;
use crate::columns::Columns;

/// A point, and how it does on test rows, if there are any.
type Line<'a, P> = (&'a Point<P>, Option<&'a Metrics>);

/// What was asked of every point, how it does, and its multipliers. What is not known is left empty.
pub(super) fn of<P>(traced: &Traced<P>, apply: Apply) -> Result<Table> {
    let points = traced.frontier.points.iter();
    let lines: Vec<Line<'_, P>> = points.zip(traced.tests.iter().map(Option::as_ref)).collect();
    let mut columns = Columns::of(&lines)
        .words("asked", |(point, _)| point.asked.name().to_owned())
        .numbers("max_violation", |(point, _)| point.asked.bound());
    columns = evaluated(columns, "", |(point, _)| Some(&point.solution.train));
    if lines.iter().any(|(_, test)| test.is_some()) {
        columns = evaluated(columns, "test_", |(_, test)| *test);
    }
    columns = columns
        .words("weights", |(point, _)| point.weights(apply).to_owned())
        .numbers("threshold", |(point, _)| Some(point.solution.threshold))
        .words("stop", |(point, _)| point.solution.stop.to_string())
        .numbers("fits", |(point, _)| Some(point.solution.fits as f64))
        .numbers("dominated", |(point, _)| Some(f64::from(u8::from(point.dominated))));
    for (at, constraint) in traced.binding.constraints().iter().enumerate() {
        let name = format!("multiplier: {}", constraint.name);
        columns = columns.numbers(name, |(point, _)| Some(point.solution.multipliers[at]));
    }
    columns.table()
}

fn evaluated<'a, 'b, P>(
    columns: Columns<'a, Line<'b, P>>,
    prefix: &str,
    of: impl Fn(&Line<'b, P>) -> Option<&'b Metrics>,
) -> Columns<'a, Line<'b, P>> {
    columns
        .numbers(format!("{prefix}violation"), |line| of(line)?.violation)
        .numbers(format!("{prefix}error"), |line| Some(of(line)?.error))
        .numbers(format!("{prefix}positive_rate"), |line| of(line)?.positive_rate)
}

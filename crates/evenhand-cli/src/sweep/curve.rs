//! A line of points: x, and how a classifier with that much correction does.

use anyhow::Result;
use evenhand::Table;
use evenhand_experiments::Part;
use serde::Serialize;

use crate::columns::Columns;
use crate::figure::{Column, Line, Panel};

/// Training and test rows along x.
pub(crate) struct Curve {
    pub(crate) name: String,
    pub(crate) points: Vec<Point>,
}

/// How a classifier with so much correction does.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Point {
    /// What multipliers were multiplied by.
    pub(crate) x: f64,
    /// On the training rows.
    pub(crate) train: Part,
    /// On rows that were not trained on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) test: Option<Part>,
}

impl Curve {
    /// Error above violation, training rows and test rows in each.
    pub(crate) fn column(&self) -> Column {
        let panel = |up, value: &dyn Fn(&Part) -> Option<f64>| {
            let train = self.points.iter().filter_map(|point| Some((point.x, value(&point.train)?))).collect();
            let test: Vec<(f64, f64)> =
                self.points.iter().filter_map(|point| Some((point.x, value(point.test.as_ref()?)?))).collect();
            let mut lines = vec![Line { name: "training", points: train }];
            if !test.is_empty() {
                lines.push(Line { name: "test", points: test });
            }
            Panel { up, lines }
        };
        let panels = vec![panel("error", &|part| Some(part.error)), panel("violation", &|part| part.violation)];
        Column { heading: self.name.clone(), panels }
    }
}

/// A line per point of all curves.
pub(crate) fn table(curves: &[Curve]) -> Result<Table> {
    let lines = curves.iter().flat_map(|curve| curve.points.iter().map(move |point| (curve.name.as_str(), point)));
    let lines: Vec<(&str, &Point)> = lines.collect();
    let mut columns = Columns::of(&lines)
        .words("notion", |(name, _)| (*name).to_owned())
        .numbers("x", |(_, point)| Some(point.x))
        .numbers("train_error", |(_, point)| Some(point.train.error))
        .numbers("train_violation", |(_, point)| point.train.violation);
    if lines.iter().any(|(_, point)| point.test.is_some()) {
        columns = columns
            .numbers("test_error", |(_, point)| Some(point.test?.error))
            .numbers("test_violation", |(_, point)| point.test?.violation);
    }
    columns.table()
}

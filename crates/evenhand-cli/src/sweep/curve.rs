//! A line of points: x, and how a classifier with that much correction does.

use anyhow::Result;
use evenhand::Table;
use evenhand::data::Categorical;
use evenhand::paper::Part;
use serde::Serialize;

use crate::figure::{Column, Line, Panel};

/// Training and test rows along x.
pub(crate) struct Curve {
    pub(crate) name: String,
    pub(crate) points: Vec<Point>,
}

/// How a classifier with so much correction does.
#[derive(Serialize)]
pub(crate) struct Point {
    pub(crate) x: f64,
    pub(crate) train: Part,
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
    let all = || curves.iter().flat_map(|curve| curve.points.iter().map(move |point| (curve.name.as_str(), point)));
    let numbers = |name: &str, value: &dyn Fn(&Point) -> Option<f64>| {
        let values = all().map(|(_, point)| value(point).unwrap_or(f64::NAN)).collect();
        (name.to_owned(), evenhand::Column::Numeric(values))
    };
    let names = Categorical::from_values(all().map(|(name, _)| Some(name)));
    let mut columns = vec![
        ("notion".to_owned(), evenhand::Column::Categorical(names)),
        numbers("x", &|point| Some(point.x)),
        numbers("train_error", &|point| Some(point.train.error)),
        numbers("train_violation", &|point| point.train.violation),
    ];
    if all().any(|(_, point)| point.test.is_some()) {
        columns.push(numbers("test_error", &|point| point.test.map(|test| test.error)));
        columns.push(numbers("test_violation", &|point| point.test.and_then(|test| test.violation)));
    }
    Ok(Table::new(columns, 1)?)
}

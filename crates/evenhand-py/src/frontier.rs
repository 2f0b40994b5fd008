//! Error against violation, from no correction to the floor.

use evenhand::correction::{Asked, Assessment, Binding, NamedValue, Point, Stop};
use evenhand::learner::{Interruptible, LogisticModel};
use pyo3::prelude::*;
use serde::Serialize;

use crate::binding::dataset;
use crate::model::warnings;
use crate::observer::watched;
use crate::settings::{Roles, Settings};
use crate::table::Table;
use crate::work::json;

/// A point of the path. The keys are those of the command line.
#[derive(Serialize)]
struct Told {
    asked: Asked,
    multipliers: Vec<NamedValue>,
    train: Assessment,
    test: Option<Assessment>,
    stop: Stop,
    fits: usize,
    dominated: bool,
}

/// The whole path.
#[derive(Serialize)]
struct Path {
    points: Vec<Told>,
    floor: Option<f64>,
    fits: usize,
}

/// The frontier of the built-in learner as JSON, and warnings. The tables are used up.
#[pyfunction]
#[pyo3(signature = (table, roles, settings, *, points=12, test=None, callback=None, keep=false))]
#[allow(clippy::too_many_arguments)] // the settings, by name
pub(crate) fn frontier(
    py: Python<'_>,
    table: &Bound<'_, Table>,
    roles: &Roles,
    settings: &Settings,
    points: usize,
    test: Option<&Bound<'_, Table>>,
    callback: Option<Py<PyAny>>,
    keep: bool,
) -> PyResult<(String, Vec<(String, String)>)> {
    let (correction, learner) = (settings.correction.clone(), settings.learner);
    let data = dataset(table, roles)?;
    let test = match test {
        Some(test) => Some(std::mem::take(&mut test.try_borrow_mut()?.inner)),
        None => None,
    };
    let (path, told) = watched(py, callback.as_ref(), keep, move |observer, stop| {
        let (binding, problem, mut told) = Binding::new(&correction, &data)?;
        let learner = Interruptible { learner, stop };
        let found = correction.frontier(&problem, &learner, points, observer)?;
        told.extend(found.warnings());
        let (floor, fits) = (found.floor(), found.fits());
        let tested = match test {
            Some(table) => {
                let (problem, more) = binding.problem(&data.like(table)?)?;
                told.extend(more);
                Some(problem)
            }
            None => None,
        };
        let tell = |point: Point<LogisticModel>| -> evenhand::Result<Told> {
            let Point { asked, outcome, dominated } = point;
            let assess = |problem: &evenhand::correction::Problem| {
                problem.assess_predictor(&outcome.predictor, correction.measure)
            };
            let test = tested.as_ref().map(assess).transpose()?;
            let names = binding.constraints().iter().map(|constraint| constraint.name.clone());
            let multipliers =
                names.zip(&outcome.multipliers).map(|(name, &value)| NamedValue { name, value: Some(value) }).collect();
            let (stop, fits) = (outcome.stop, outcome.fits);
            Ok(Told { asked, multipliers, test, stop, fits, dominated, train: outcome.train })
        };
        let points = found.points.into_iter().map(tell).collect::<evenhand::Result<_>>()?;
        Ok((Path { points, floor, fits }, told))
    })?;
    Ok((json(&path)?, warnings(&told)))
}

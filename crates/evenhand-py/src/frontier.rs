//! Error against violation, from no correction to the floor.

use std::sync::Arc;

use evenhand::correction::{Binding, Frontier, MembershipQuality, Observer, Point, PointRecord, Problem};
use evenhand::learner::{Interruptible, LogisticModel};
use evenhand_report::{FrontierResult, built_in};
use pyo3::prelude::*;
use serde::Serialize;

use crate::binding::{dataset, taken};
use crate::error::Failure;
use crate::fit_state::{Basis, Request};
use crate::model::{Warnings, warnings};
use crate::observer::watched;
use crate::report::Report;
use crate::settings::{Roles, Settings};
use crate::table::Table;
use crate::work::json;

/// The whole path.
#[derive(Serialize)]
struct Path {
    points: Vec<PointRecord>,
    memberships: Vec<MembershipQuality>,
    floor: Option<f64>,
    fits: usize,
}

/// A path that was traced, without the rows it was traced on: these are handed in again for a report.
#[pyclass(module = "evenhand._core", frozen)]
pub(crate) struct Traced {
    frontier: Arc<Frontier<LogisticModel>>,
    basis: Arc<Basis>,
}

#[pymethods]
impl Traced {
    /// The report of the path on its training rows, or on others. Both tables are used up.
    #[pyo3(signature = (table, roles, *, test=None, confidence=0.95))]
    fn report(
        &self,
        py: Python<'_>,
        table: &Bound<'_, Table>,
        roles: &Roles,
        test: Option<&Bound<'_, Table>>,
        confidence: f64,
    ) -> PyResult<Report> {
        let (basis, train) = (Arc::clone(&self.basis), dataset(table, roles)?);
        let request = Request { basis, train, test: taken(test, roles)?, confidence };
        let frontier = Arc::clone(&self.frontier);
        let report = watched(py, None, false, move |observer, stop| Ok(report(&frontier, &request, observer, stop)))?;
        Ok(Report { inner: report? })
    }
}

fn report(
    frontier: &Frontier<LogisticModel>,
    request: &Request,
    observer: &mut dyn Observer,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<evenhand_report::Report, Failure> {
    let learner = Interruptible { learner: request.basis.learner, stop };
    let prepared = request.prepare(Binding::problem)?;
    let trained = prepared.trained(&learner, &built_in(&learner.learner));
    let traced = FrontierResult { trained, frontier, evaluated: None };
    Ok(evenhand_report::Report::from_frontier(&traced, observer)?)
}

/// The frontier of the built-in learner as JSON, warnings, and what a report is made of. The tables are used up.
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
) -> PyResult<(String, Warnings, Traced)> {
    let (correction, learner) = (settings.correction.clone(), settings.learner);
    let data = dataset(table, roles)?;
    let test = taken(test, roles)?;
    let (path, found_warnings, traced) = watched(py, callback.as_ref(), keep, move |observer, stop| {
        let (binding, problem, mut found_warnings) = Binding::new(&correction, &data)?;
        let learner = Interruptible { learner, stop };
        let found = correction.frontier(&problem, &learner, points, observer)?;
        found_warnings.extend(found.warnings());
        let (floor, fits) = (found.floor(), found.fits());
        let tested = match test {
            Some(table) => {
                let (problem, more) = binding.problem(&data.like(table)?)?;
                found_warnings.extend(more);
                Some(problem)
            }
            None => None,
        };
        let record = |point: &Point<LogisticModel>| -> evenhand::Result<PointRecord> {
            let evaluate = |problem: &Problem| point.solution.evaluate(problem, correction.measure);
            let test = tested.as_ref().map(evaluate).transpose()?;
            Ok(PointRecord::new(point, test, &binding, &correction))
        };
        let points = found.points.iter().map(record).collect::<evenhand::Result<_>>()?;
        let memberships = found.memberships(&binding);
        let digest = data.digest();
        let (learner, warnings) = (learner.learner, found_warnings.clone());
        let basis = Basis { correction, learner, network: None, digest, warnings };
        let traced = Traced { frontier: Arc::new(found), basis: Arc::new(basis) };
        Ok((Path { points, memberships, floor, fits }, found_warnings, traced))
    })?;
    Ok((json(&path)?, warnings(&found_warnings), traced))
}

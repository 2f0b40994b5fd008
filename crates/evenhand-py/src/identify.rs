//! How far labels were tilted against each group.

use evenhand::{Identify, Logistic};
use numpy::PyArray1;
use pyo3::prelude::*;

use crate::binding::dataset;
use crate::error::raised;
use crate::model::{Warnings, warnings};
use crate::report::{Report, record};
use crate::settings::{Roles, parsed, tilt_of};
use crate::table::Table;
use crate::work::{apart, json};

/// The weight of every row, where there is one.
type SampleWeight<'py> = Option<Bound<'py, PyArray1<f64>>>;

/// The identified bias as JSON, the weights that undo it if they are asked for and there is an estimate, warnings, and a report. The table is used up.
#[pyfunction]
#[pyo3(signature = (table, roles, *, groups, withhold, beside=vec![], confidence=0.95, resamples=0, seed=0, l2=None, tilt="centred", sensitivity=false, notions=None, weights=false))]
#[allow(clippy::too_many_arguments)] // the settings, by name
pub(crate) fn identify<'py>(
    py: Python<'py>,
    table: &Bound<'py, Table>,
    roles: &Roles,
    groups: Vec<String>,
    withhold: Vec<String>,
    beside: Vec<String>,
    confidence: f64,
    resamples: usize,
    seed: u64,
    l2: Option<f64>,
    tilt: &str,
    sensitivity: bool,
    notions: Option<Vec<String>>,
    weights: bool,
) -> PyResult<(String, SampleWeight<'py>, Warnings, Report)> {
    let usual = Identify::default();
    let learner = Logistic { l2: l2.unwrap_or(usual.learner.l2), ..usual.learner };
    let groups = parsed(&groups).map_err(raised)?;
    let tilt = tilt_of(tilt).map_err(raised)?;
    let notions = notions.map_or(Ok(usual.notions), |notions| parsed(&notions)).map_err(raised)?;
    let settings = Identify {
        groups,
        notions,
        withhold,
        beside,
        confidence,
        resamples,
        seed,
        learner,
        plan: None,
        tilt,
        sensitivity,
    };
    let data = dataset(table, roles)?;
    let (found, undoing, found_warnings, report) = apart(py, || {
        let (found, undoing, found_warnings) = if weights {
            settings.run_with_weights(&data)?
        } else {
            settings.run(&data).map(|(found, found_warnings)| (found, None, found_warnings))?
        };
        let record = record(&data, &settings, &settings.learner);
        let report = evenhand_report::Report::from_identification(&found, &found_warnings, &data, record);
        Ok((found, undoing, found_warnings, report))
    })?;
    let undoing = undoing.map(|weights| PyArray1::from_vec(py, weights.to_rows()));
    Ok((json(&found)?, undoing, warnings(&found_warnings), Report { inner: report }))
}

//! The bias in labels of rows on other machines.

use evenhand::correction::StoredSettings;
use evenhand::{Identify, Logistic};
use pyo3::prelude::*;

use crate::error::raised;
use crate::model::{Warnings, warnings};
use crate::remote::Driver;
use crate::settings::{Roles, parsed};
use crate::work::{caught, json};

/// The identified bias as JSON, warnings, and how many times all encoded rows were gone through.
#[pyfunction]
#[pyo3(signature = (rows, roles, *, groups, withhold, confidence=0.95, resamples=0, sensitivity=false, l2=None, notions=None, sample_rows=None, seed=0))]
#[allow(clippy::too_many_arguments)] // the settings, by name
pub(crate) fn identify_remote(
    py: Python<'_>,
    rows: Py<PyAny>,
    roles: &Roles,
    groups: Vec<String>,
    withhold: Vec<String>,
    confidence: f64,
    resamples: usize,
    sensitivity: bool,
    l2: Option<f64>,
    notions: Option<Vec<String>>,
    sample_rows: Option<usize>,
    seed: u64,
) -> PyResult<(String, Warnings, usize)> {
    let usual = Identify::default();
    let learner = Logistic { l2: l2.unwrap_or(usual.learner.l2), ..usual.learner };
    let groups = parsed(&groups).map_err(raised)?;
    let notions = notions.map_or_else(|| Ok(usual.notions.clone()), |notions| parsed(&notions)).map_err(raised)?;
    let settings = Identify { groups, notions, withhold, confidence, resamples, seed, learner, sensitivity, ..usual };
    let stored = StoredSettings { sample_rows, seed, ..StoredSettings::default() };
    let driver = Driver::new(rows, roles);
    let done = py.detach(|| caught(|| Ok(settings.run_remote(&driver, &roles.schema, &stored)?)));
    let found = driver.outcome(done)?;
    Ok((json(&found.found)?, warnings(&found.warnings), found.passes))
}

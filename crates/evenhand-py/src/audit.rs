//! Rates, violations and intervals of any labels and predictions.

use evenhand::audit::AuditOptions;
use evenhand::{Audit, GroupSpec, Groups};
use pyo3::prelude::*;

use crate::binding::dataset;
use crate::error::raised;
use crate::model::{Warnings, warnings};
use crate::settings::Roles;
use crate::table::Table;
use crate::work::{apart, json};

/// An audit as JSON and as text, and its warnings. The table is used up.
#[pyfunction]
#[pyo3(signature = (table, roles, *, groups, predictions=None, confidence=0.95, intersections=true, small_group=30))]
#[allow(clippy::too_many_arguments)] // the settings, by name
pub(crate) fn audit(
    py: Python<'_>,
    table: &Bound<'_, Table>,
    roles: &Roles,
    groups: Vec<String>,
    predictions: Option<&str>,
    confidence: f64,
    intersections: bool,
    small_group: usize,
) -> PyResult<(String, String, Warnings)> {
    let specs: Vec<GroupSpec> =
        groups.iter().map(|group| group.parse()).collect::<evenhand::Result<_>>().map_err(raised)?;
    let data = dataset(table, roles)?;
    let audit = apart(py, || {
        let (groups, found) = Groups::of(&specs, &data)?;
        let options = AuditOptions { confidence, small_group, intersections };
        let mut audit = Audit::of_dataset(&data, &groups, predictions, options)?;
        audit.warnings.splice(0..0, found);
        Ok(audit)
    })?;
    Ok((json(&audit)?, audit.to_string(), warnings(&audit.warnings)))
}

//! Who is in which group, for metrics that Python computes.

use evenhand::{GroupSpec, Groups};
use numpy::PyArray1;
use pyo3::prelude::*;

use crate::error::raised;
use crate::settings::parsed;
use crate::table::Table;
use crate::work::apart;

/// The groups of some specifications, and whether each row is in them.
#[pyfunction]
pub(crate) fn memberships<'py>(
    py: Python<'py>,
    table: &Bound<'py, Table>,
    groups: Vec<String>,
) -> PyResult<Vec<(String, Bound<'py, PyArray1<bool>>)>> {
    let specs: Vec<GroupSpec> = parsed(&groups).map_err(raised)?;
    let table = table.try_borrow()?;
    let rows = &table.inner;
    let found = apart(py, || Groups::bind(&specs, rows)?.0.membership(rows))?;
    let inside = |group: usize| PyArray1::from_iter(py, (0..found.rows()).map(|row| found.is_member(row, group)));
    Ok(found.group_names().iter().enumerate().map(|(group, name)| (name.clone(), inside(group))).collect())
}

//! Rates, violations and intervals of any labels and predictions.

use evenhand::audit::{AuditOptions, ScoreColumn};
use evenhand::{Audit, GroupSpec, Groups};
use pyo3::prelude::*;
use serde_json::json;

use crate::binding::dataset;
use crate::error::raised;
use crate::model::{Warnings, warnings};
use crate::report::{Report, record};
use crate::settings::Roles;
use crate::table::Table;
use crate::work::{self, apart};

/// An audit as JSON and as text, its warnings, and a report of it. The table is used up.
#[pyfunction]
#[pyo3(signature = (table, roles, *, groups, predictions=None, confidence=0.95, intersections=true, small_group=30, notions=None, max_violation=None, max_difference=None, min_ratio=None, score=None, threshold=0.5, unlabelled=false))]
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
    notions: Option<Vec<String>>,
    max_violation: Option<f64>,
    max_difference: Option<f64>,
    min_ratio: Option<f64>,
    score: Option<String>,
    threshold: f64,
    unlabelled: bool,
) -> PyResult<(String, String, Warnings, Report)> {
    let specs: Vec<GroupSpec> =
        groups.iter().map(|group| group.parse()).collect::<evenhand::Result<_>>().map_err(raised)?;
    let options = options(confidence, intersections, small_group, notions, [max_violation, max_difference, min_ratio])?;
    let score = score.map(|column| ScoreColumn { column, threshold });
    let options = AuditOptions { score, unlabelled, ..options };
    let data = dataset(table, roles)?;
    let (audit, report) = apart(py, || {
        let (groups, found) = Groups::of(&specs, &data)?;
        let mut audit = Audit::of_dataset(&data, &groups, predictions, &options)?;
        audit.warnings.splice(0..0, found);
        let settings = json!({ "groups": groups.names().collect::<Vec<_>>(), "confidence": confidence });
        let report = evenhand_report::Report::from_audit(&audit, &data, record(&data, &settings, &()));
        Ok((audit, report))
    })?;
    Ok((work::json(&audit)?, audit.to_string(), warnings(&audit.warnings), Report { inner: report }))
}

/// What is asked of an audit.
pub(crate) fn options(
    confidence: f64,
    intersections: bool,
    small_group: usize,
    notions: Option<Vec<String>>,
    [max_violation, max_difference, min_ratio]: [Option<f64>; 3],
) -> PyResult<AuditOptions> {
    let asked = [
        max_violation.map(evenhand::Bound::MaxViolation),
        max_difference.map(evenhand::Bound::MaxDifference),
        min_ratio.map(evenhand::Bound::MinRatio),
    ];
    let bounds = asked.into_iter().flatten().collect();
    let mut options = AuditOptions { confidence, small_group, intersections, bounds, ..AuditOptions::default() };
    if let Some(notions) = notions {
        options.notions =
            notions.iter().map(|notion| notion.parse()).collect::<evenhand::Result<_>>().map_err(raised)?;
    }
    Ok(options)
}

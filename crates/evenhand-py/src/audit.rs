//! Rates, violations and intervals of any labels and predictions.

use evenhand::audit::{AuditOptions, ScoreColumn};
use evenhand::{Audit, GroupSpec, Groups};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::json;

use crate::binding::dataset;
use crate::error::raised;
use crate::model::{Warnings, warnings};
use crate::report::{Report, record};
use crate::settings::{Roles, parsed};
use crate::table::Table;
use crate::work::{self, apart};

/// What is asked of an audit, of a table or of rows on other machines: the arguments that both have. They are Python's keywords, and checked by Python.
#[pyclass(frozen)]
pub(crate) struct AuditSettings {
    pub(crate) specs: Vec<GroupSpec>,
    pub(crate) predictions: Option<String>,
    pub(crate) options: AuditOptions,
}

#[pymethods]
impl AuditSettings {
    #[new]
    #[pyo3(signature = (*, groups, predictions=None, confidence=0.95, intersections=true, small_group=30, notions=None, max_violation=None, max_difference=None, min_ratio=None, score=None, threshold=0.5, unlabelled=false))]
    #[allow(clippy::too_many_arguments)] // the settings, by name
    fn new(
        groups: Vec<String>,
        predictions: Option<String>,
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
    ) -> PyResult<Self> {
        let specs = parsed(&groups).map_err(raised)?;
        let bounds = [
            max_violation.map(evenhand::Bound::MaxViolation),
            max_difference.map(evenhand::Bound::MaxDifference),
            min_ratio.map(evenhand::Bound::MinRatio),
        ];
        let usual = AuditOptions::default();
        let options = AuditOptions {
            confidence,
            small_group,
            intersections,
            bounds: bounds.into_iter().flatten().collect(),
            notions: notions.map_or(Ok(usual.notions), |notions| parsed(&notions)).map_err(raised)?,
            score: score.map(|column| ScoreColumn { column, threshold }),
            unlabelled,
        };
        Ok(Self { specs, predictions, options })
    }
}

impl AuditSettings {
    /// The settings that keywords say.
    pub(crate) fn of<'py>(py: Python<'py>, keywords: Option<&Bound<'py, PyDict>>) -> PyResult<Bound<'py, Self>> {
        Ok(py.get_type::<Self>().call((), keywords)?.cast_into()?)
    }
}

/// An audit as JSON, as a summary and as text with everything, its warnings, and a report of it. The table is used up.
#[pyfunction]
#[pyo3(signature = (table, roles, **settings))]
pub(crate) fn audit(
    py: Python<'_>,
    table: &Bound<'_, Table>,
    roles: &Roles,
    settings: Option<&Bound<'_, PyDict>>,
) -> PyResult<(String, (String, String), Warnings, Report)> {
    let settings = AuditSettings::of(py, settings)?;
    let AuditSettings { specs, predictions, options } = settings.get();
    let data = if options.unlabelled { dataset(table, &roles.of_predictions())? } else { dataset(table, roles)? };
    let (audit, report) = apart(py, || {
        let (groups, found) = Groups::of(specs, &data)?;
        let mut audit = Audit::of_dataset(&data, &groups, predictions.as_deref(), options)?;
        audit.warnings.splice(0..0, found);
        let settings = json!({ "groups": groups.names().collect::<Vec<_>>(), "confidence": options.confidence });
        let report = evenhand_report::Report::from_audit(&audit, &data, record(&data, &settings, &()));
        Ok((audit, report))
    })?;
    Ok((work::json(&audit)?, texts(&audit), warnings(&audit.warnings), Report { inner: report }))
}

/// What is shown of an audit: a summary, and everything.
pub(crate) fn texts(audit: &Audit) -> (String, String) {
    (audit.summary(), audit.to_string())
}

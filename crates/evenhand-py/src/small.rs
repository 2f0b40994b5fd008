//! What the Python front needs of the engine besides: classes in order, log odds, made-up people.

use evenhand::data::{Categorical, LabelRole};
use evenhand::{Column, Labels, Notion};
use evenhand_datasets::synthetic;
use numpy::{PyArrayDyn, PyArrayMethods, PyReadonlyArray2};
use pyo3::prelude::*;

use crate::error::raised;
use crate::table::Table;
use crate::work::apart;

/// The classes in the engine's order: the positive of two last.
#[pyfunction]
#[pyo3(signature = (classes, positive=None))]
pub(crate) fn class_order(classes: Vec<String>, positive: Option<&str>) -> PyResult<Vec<String>> {
    let column = Column::Categorical(Categorical::from_values(classes.into_iter().map(Some)));
    let table = evenhand::Table::new(vec![("label".into(), column.clone())], 0).map_err(raised)?;
    let labels = Labels::from_column(&column, "label", &table, positive, LabelRole::Labels).map_err(raised)?;
    Ok(labels.classes().to_vec())
}

/// Notions in the engine's spelling.
#[pyfunction]
pub(crate) fn notions(notions: Vec<String>) -> PyResult<Vec<String>> {
    let spelled = |notion: &String| Ok(notion.parse::<Notion>()?.to_string());
    notions.iter().map(spelled).collect::<evenhand::Result<_>>().map_err(raised)
}

/// The log odds of the second of two classes, or the log probability of each of more.
#[pyfunction]
pub(crate) fn log_odds<'py>(
    py: Python<'py>,
    scores: PyReadonlyArray2<'py, f64>,
) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
    // A probability that has underflowed is still that of something.
    let log = |score: f64| score.max(f64::MIN_POSITIVE).ln();
    let scores = scores.as_array();
    let (rows, classes) = scores.dim();
    let found: Vec<f64> = if classes == 2 {
        scores.rows().into_iter().map(|row| log(row[1]) - log(row[0])).collect()
    } else {
        scores.iter().map(|&score| log(score)).collect()
    };
    let shape = if classes == 2 { vec![rows] } else { vec![rows, classes] };
    numpy::PyArray1::from_vec(py, found).reshape(shape)
}

/// Made-up applicants for a loan, whose true labels are known.
#[pyfunction]
pub(crate) fn population(py: Python<'_>, rows: usize, seed: u64) -> PyResult<Table> {
    Ok(Table { inner: apart(py, || synthetic::population(rows, seed))? })
}

//! Columns from Python: Arrow streams, arrays of numbers, codes and flags.

use arrow_array::ffi_stream::{FFI_ArrowArrayStream, RecordBatchStreamReader};
use arrow_array::{RecordBatchIterator, RecordBatchReader};
use arrow_pyarrow::FromPyArrow;
use evenhand::data::Categorical;
use evenhand::{Column, Error, ReadOptions};
use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::error::raised;
use crate::work::apart;

/// Named columns of one length, on their way into the engine.
#[pyclass(module = "evenhand._core")]
#[derive(Default)]
pub(crate) struct Table {
    pub(crate) inner: evenhand::Table,
}

#[pymethods]
impl Table {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    /// The columns of anything with `__arrow_c_stream__`; messages count its rows from `first_row`.
    #[staticmethod]
    #[pyo3(signature = (stream, first_row=0))]
    fn from_arrow(py: Python<'_>, stream: &Bound<'_, PyAny>, first_row: usize) -> PyResult<Self> {
        let batches = RecordBatchStreamReader::from_pyarrow_bound(stream)?;
        let (inner, _) = apart(py, move || {
            let schema = batches.schema();
            evenhand::Table::from_batches(&schema, batches, &ReadOptions::default())
                .map_err(|error| from_row(error, first_row))
        })?;
        Ok(Self { inner: inner.counted_from(first_row) })
    }

    /// Adds a column of numbers; NaN is missing.
    fn add_numbers(&mut self, name: &str, values: PyReadonlyArray1<'_, f64>) -> PyResult<()> {
        let values: Vec<f64> = values.as_array().iter().copied().collect();
        check_finite(name, &values)?;
        self.add(name, Column::Numeric(values))
    }

    /// Adds a column of whole numbers, of 64 bits with a sign or without; where `missing` is true there is none.
    #[pyo3(signature = (name, values, missing=None))]
    fn add_whole(
        &mut self,
        name: &str,
        values: &Bound<'_, PyAny>,
        missing: Option<PyReadonlyArray1<'_, bool>>,
    ) -> PyResult<()> {
        let values: Vec<i128> = if let Ok(values) = values.extract::<PyReadonlyArray1<'_, i64>>() {
            values.as_array().iter().map(|&value| value.into()).collect()
        } else {
            let values: PyReadonlyArray1<'_, u64> = values.extract()?;
            values.as_array().iter().map(|&value| value.into()).collect()
        };
        let missing = missing.map(|missing| missing.as_array().to_vec());
        let is_missing = |row: usize| missing.as_ref().is_some_and(|missing| missing.get(row) == Some(&true));
        self.check_new(name)?;
        let values = values.into_iter().enumerate().map(|(row, value)| (!is_missing(row)).then_some(value));
        self.inner.set_whole(name, values).map_err(raised)
    }

    /// Adds a column for each column of a matrix.
    fn add_matrix(&mut self, names: Vec<String>, values: PyReadonlyArray2<'_, f64>) -> PyResult<()> {
        let values = values.as_array();
        for (name, column) in names.iter().zip(values.columns()) {
            let values: Vec<f64> = column.iter().copied().collect();
            check_finite(name, &values)?;
            self.add(name, Column::Numeric(values))?;
        }
        Ok(())
    }

    /// Adds a column of texts, as codes into a dictionary; a negative code is missing.
    fn add_codes(&mut self, name: &str, codes: PyReadonlyArray1<'_, i64>, dictionary: Vec<String>) -> PyResult<()> {
        let missing = dictionary.len();
        let code = |&code: &i64| match usize::try_from(code) {
            Ok(code) if code < missing => Ok(code as u32),
            Ok(_) => Err(PyValueError::new_err(format!("code {code} in a dictionary of {missing}"))),
            Err(_) => Ok(missing as u32),
        };
        let codes = codes.as_array().iter().map(code).collect::<PyResult<_>>()?;
        self.add(name, Column::Categorical(Categorical::new(codes, dictionary)))
    }

    /// Adds a column of `true` and `false`.
    fn add_flags(&mut self, name: &str, flags: PyReadonlyArray1<'_, bool>) -> PyResult<()> {
        let codes = flags.as_array().iter().map(|&flag| u32::from(flag)).collect();
        self.add(name, Column::Categorical(Categorical::new(codes, vec!["false".into(), "true".into()])))
    }

    /// Adds the columns of another table, as they are named there.
    fn add_table(&mut self, other: &Self) -> PyResult<()> {
        other.inner.names().iter().try_for_each(|name| self.add_column(name, other, name))
    }

    /// Adds one column of another table under a name of its own.
    fn add_column(&mut self, name: &str, other: &Self, column: &str) -> PyResult<()> {
        self.check_new(name)?;
        self.inner.set_from(name, &other.inner, column).map_err(raised)
    }

    /// Whether a column holds the same values as one of another table.
    fn same_column(&self, name: &str, other: &Self, column: &str) -> PyResult<bool> {
        let (one, other) = (self.inner.column(name).map_err(raised)?, other.inner.column(column).map_err(raised)?);
        Ok(one.is_same(other))
    }

    /// `numeric` or `categorical`.
    fn kind(&self, name: &str) -> PyResult<&'static str> {
        Ok(self.inner.column(name).map_err(raised)?.kind())
    }

    /// The distinct values of a column, as texts, and per row which one; -1 is missing.
    fn values<'py>(&self, py: Python<'py>, name: &str) -> PyResult<(Vec<String>, Bound<'py, numpy::PyArray1<i64>>)> {
        let column = self.inner.column(name).map_err(raised)?.to_categorical();
        let missing = column.missing();
        let codes =
            column.codes().iter().map(|code| if code == missing { -1 } else { i64::try_from(code).unwrap_or(-1) });
        let codes = numpy::PyArray1::from_iter(py, codes);
        Ok((column.dictionary().to_vec(), codes))
    }

    /// The columns as an Arrow stream of one batch.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // What is asked for may be passed over: the consumer casts.
        drop(requested_schema);
        let batch = self.inner.to_batch().map_err(raised)?;
        let schema = batch.schema();
        let reader = RecordBatchIterator::new([Ok(batch)], schema);
        PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(Box::new(reader)), c"arrow_array_stream")
    }

    /// The names of the columns.
    #[getter]
    fn names(&self) -> Vec<String> {
        self.inner.names().to_vec()
    }

    /// How many rows.
    #[getter]
    fn rows(&self) -> usize {
        self.inner.rows()
    }
}

impl Table {
    fn add(&mut self, name: &str, column: Column) -> PyResult<()> {
        self.check_new(name)?;
        self.inner.set(name, column).map_err(raised)
    }

    fn check_new(&self, name: &str) -> PyResult<()> {
        match self.inner.get(name) {
            Some(_) => Err(PyValueError::new_err(format!("there are two columns named `{name}`"))),
            None => Ok(()),
        }
    }
}

/// The engine counts the rows of Arrow data from 1, as those of a file without a header.
fn from_row(mut error: Error, first_row: usize) -> Error {
    if let Some(row) = error.row_mut() {
        *row = row.saturating_sub(1) + first_row;
    }
    error
}

fn check_finite(name: &str, values: &[f64]) -> PyResult<()> {
    let Some(row) = values.iter().position(|value| value.is_infinite()) else { return Ok(()) };
    Err(raised(Error::NotFinite { column: name.to_owned(), row, found: values[row].to_string() }))
}

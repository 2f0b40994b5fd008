//! Reports, to be shown and written.

use std::path::PathBuf;

use evenhand::data::write_atomically;
use evenhand_report::{Format, Record};
use pyo3::prelude::*;

use crate::error::Failure;
use crate::work::{caught, json};

/// Everything that a report shows.
#[pyclass(module = "evenhand._core", frozen)]
pub(crate) struct Report {
    pub(crate) inner: evenhand_report::Report,
}

#[pymethods]
impl Report {
    /// One page.
    fn html(&self, py: Python<'_>) -> PyResult<String> {
        self.rendered(py, Format::Html)
    }

    /// A section of a model card.
    fn markdown(&self, py: Python<'_>) -> PyResult<String> {
        self.rendered(py, Format::Markdown)
    }

    /// Lines of text.
    fn text(&self, py: Python<'_>) -> PyResult<String> {
        self.rendered(py, Format::Text)
    }

    /// Writes it in the format that the path says.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let page = self.rendered(py, Format::of_path(&path).map_err(Failure::from)?)?;
        write_atomically(&path, |file| file.write_all(page.as_bytes())).map_err(|error| Failure::Engine(error).into())
    }

    /// The summary, sentence by sentence.
    fn summary(&self) -> Vec<String> {
        self.inner.summary()
    }

    /// All of it.
    fn to_json(&self) -> PyResult<String> {
        Ok(json(&self.inner)?)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        Ok((py.get_type::<Self>().getattr("restore")?, (self.to_json()?,)))
    }

    /// What `to_json` wrote.
    #[staticmethod]
    fn restore(state: &str) -> PyResult<Self> {
        let read = serde_json::from_str(state).map_err(evenhand_report::Error::from);
        Ok(Self { inner: read.map_err(Failure::from)? })
    }
}

impl Report {
    fn rendered(&self, py: Python<'_>, format: Format) -> PyResult<String> {
        Ok(py.detach(|| caught(|| Ok(self.inner.render(format)?)))?)
    }
}

/// The record of something that was done to some rows from Python.
pub(crate) fn record(
    data: &evenhand::Dataset,
    settings: &impl serde::Serialize,
    learner: &impl serde::Serialize,
) -> Record {
    Record::new(data.digest(), data.rows(), settings, learner)
}

//! Tilted probabilities of an estimator that is a Python object, for rows that are new.
//!
//! Holds [`Tilting`]: everything but the models, which stay in Python and are handed over as what they score.

use evenhand::correction::ExpectedTilt;
use evenhand::features::Features;
use evenhand::learner::FnPredictor;
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use serde::{Deserialize, Serialize};

use crate::binding::Binding;
use crate::learner::scores;
use crate::pickle::{Reduced, reduced, restored};
use crate::table::Table;
use crate::work::{apart, json};

/// How multipliers tilt probabilities.
#[pyclass(module = "evenhand._core", frozen)]
#[derive(Serialize, Deserialize)]
#[allow(clippy::unsafe_derive_deserialize)] // the unsafe code is that of PyO3's macros
pub(crate) struct Tilting {
    pub(crate) expected: ExpectedTilt<()>,
    pub(crate) multipliers: Vec<f64>,
}

#[pymethods]
impl Tilting {
    /// Tilts probabilities of rows. `members` are the probabilities by each model of membership, two columns each; `table` has the columns
    /// of groups, where `needs_groups`, and is used up.
    fn apply<'py>(
        &self,
        py: Python<'py>,
        binding: &Binding,
        probabilities: &Bound<'py, PyAny>,
        members: Vec<Bound<'py, PyAny>>,
        table: &Bound<'py, Table>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let table = std::mem::take(&mut table.try_borrow_mut()?.inner);
        let probabilities = scores(probabilities)?;
        let members: Vec<Vec<f64>> = members.iter().map(scores).collect::<PyResult<_>>()?;
        let classes = binding.inner.classes().len();
        let rows = probabilities.len() / classes;
        let tilted = apart(py, || {
            let next = std::cell::Cell::new(0);
            let expected = self.expected.map(|()| {
                let own = members.get(next.replace(next.get() + 1)).cloned().unwrap_or_default();
                FnPredictor::new(2, move |_: &Features| Ok(own.clone())).named("a model of membership", 0)
            });
            let table = table.as_read(&binding.reading)?;
            let membership = self.needs_groups().then(|| binding.inner.membership(&table)).transpose()?;
            let features = Features::new(rows, 0, Vec::new(), Vec::new())?;
            expected.tilted(&self.multipliers, probabilities, &features, membership.as_ref())
        })?;
        PyArray1::from_vec(py, tilted).reshape([rows, classes])
    }

    /// Whether a row's own groups are needed: those that features tell.
    #[getter]
    fn needs_groups(&self) -> bool {
        self.expected.uses_groups()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        reduced::<Self>(py, &json(self)?)
    }

    /// What pickling made bytes of.
    #[staticmethod]
    fn restore(state: &[u8]) -> PyResult<Self> {
        restored(state)
    }
}

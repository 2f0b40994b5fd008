//! The rows of one dataset, split and notion, made ready for any method.

use serde::{Deserialize, Serialize};

use evenhand::correction::{Binding, Metrics, Observer, Problem, Silent, Solution};
use evenhand::{Bound, Correction, Dataset, Logistic, Measure, Notion, Result, Termination};
use evenhand_datasets::recipe::Prepared;

use super::PaperMethod;

/// Training and test rows as every method sees them.
#[derive(Debug)]
pub struct Experiment {
    published: Correction,
    learner: Logistic,
    train: Problem,
    test: Problem,
}

/// How a method did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// On the training rows.
    pub train: Part,
    /// On the test rows.
    pub test: Part,
    /// The violation that a perfectly even classifier with the same rates would show by chance on the test rows.
    pub expected_under_parity: Option<f64>,
    /// How many times a model was fitted.
    pub fits: usize,
    /// How it ended.
    pub stop: Termination,
    /// How far the Lagrangian approach had to relax what it asks for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slack: Option<f64>,
}

/// Error and violation on some rows.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Part {
    /// How many rows.
    pub rows: usize,
    /// The share decided otherwise than labelled.
    pub error: f64,
    /// The largest |overall rate − group rate|, of decisions.
    pub violation: Option<f64>,
}

impl Part {
    /// What an metrics says of them.
    pub fn of(metrics: &Metrics) -> Self {
        Self { rows: metrics.rows, error: metrics.error, violation: metrics.violation }
    }
}

impl Experiment {
    /// Binds a notion to the rows of a dataset.
    ///
    /// # Errors
    /// Those of [`Binding::new`].
    pub fn new(prepared: &Prepared, notion: &Notion) -> Result<Self> {
        Self::bind(prepared.correction(notion.clone()), prepared.learner(), &prepared.train, &prepared.test)
    }

    /// Binds what is asked to rows.
    pub(super) fn bind(published: Correction, learner: Logistic, train: &Dataset, test: &Dataset) -> Result<Self> {
        let (binding, train, _) = Binding::new(&published, train)?;
        let (test, _) = binding.problem(test)?;
        Ok(Self { published, learner, train, test })
    }

    /// Trains a method, and evaluates it on training and test rows.
    ///
    /// # Errors
    /// Those of [`Correction::solve`].
    pub fn measure(&self, method: PaperMethod, observer: &mut dyn Observer) -> Result<Measured> {
        self.measure_by(method, Measure::Decisions, observer)
    }

    /// The same, with multipliers found by decisions or by scores.
    pub(super) fn measure_by(
        &self,
        method: PaperMethod,
        measure: Measure,
        observer: &mut dyn Observer,
    ) -> Result<Measured> {
        let settings = Correction { measure, ..method.settings(&self.published) };
        let solution = settings.solve(&self.train, &self.learner, observer)?;
        let train = solution.evaluate(&self.train, Measure::Decisions)?;
        let test = solution.evaluate(&self.test, Measure::Decisions)?;
        // A bound of nothing: what is wanted of the bound_test is what chance alone would show.
        let tests = solution.test_bounds(&self.test, &[Bound::MaxViolation(0.0)], Measure::Decisions, 0.95)?;
        Ok(Measured {
            train: Part::of(&train),
            test: Part::of(&test),
            expected_under_parity: tests.first().and_then(|test| test.expected_under_parity),
            fits: solution.fits,
            stop: solution.stop,
            slack: solution.slack,
        })
    }

    /// More and less of a method's correction, on training and on test rows: a pair for each of `scales`.
    ///
    /// # Errors
    /// Those of [`Correction::sweep`]: methods without multipliers have nothing to scale.
    pub fn sweep(&self, method: PaperMethod, scales: &[f64]) -> Result<Vec<(Part, Part)>> {
        let settings = method.settings(&self.published);
        let found = settings.solve(&self.train, &self.learner, &mut Silent)?;
        let swept = settings.sweep(&self.train, &self.learner, &found, scales, &mut Silent)?;
        let both = |solution: &Solution<_>| -> Result<(Part, Part)> {
            Ok((Part::of(&solution.train), Part::of(&solution.evaluate(&self.test, Measure::Decisions)?)))
        };
        swept.iter().map(both).collect()
    }
}

//! The rows of one dataset, split and notion, made ready for any contender.

use serde::{Deserialize, Serialize};

use evenhand::correction::{Assessment, Binding, Observer, Outcome, Problem, Silent};
use evenhand::{Bound, Correction, Dataset, Logistic, Measure, Notion, Result, Stop};
use evenhand_datasets::recipe::Prepared;

use super::Contender;

/// Training and test rows as every contender sees them.
#[derive(Debug)]
pub struct Trial {
    published: Correction,
    learner: Logistic,
    train: Problem,
    test: Problem,
}

/// How a contender did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// On the training rows.
    pub train: Part,
    /// On the test rows.
    pub test: Part,
    /// The violation that a perfectly even classifier with the same rates would show by chance on the test rows.
    pub floor: Option<f64>,
    /// How many times a model was fitted.
    pub fits: usize,
    /// How it ended.
    pub stop: Stop,
    /// How far the Lagrangian approach had to relax what it asks for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slack: Option<f64>,
}

/// Error and violation on some rows.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Part {
    /// How many rows.
    pub rows: usize,
    /// The share decided otherwise than labelled.
    pub error: f64,
    /// The largest |overall rate − group rate|, of decisions.
    pub violation: Option<f64>,
}

impl Part {
    /// What an assessment says of them.
    pub fn of(assessment: &Assessment) -> Self {
        Self { rows: assessment.rows, error: assessment.error, violation: assessment.violation }
    }
}

impl Trial {
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

    /// Trains a contender, and judges it on both kinds of rows.
    ///
    /// # Errors
    /// Those of [`Correction::solve`].
    pub fn measure(&self, contender: Contender, observer: &mut dyn Observer) -> Result<Measured> {
        self.measure_by(contender, Measure::Decisions, observer)
    }

    /// The same, with multipliers found by decisions or by scores.
    pub(super) fn measure_by(
        &self,
        contender: Contender,
        measure: Measure,
        observer: &mut dyn Observer,
    ) -> Result<Measured> {
        let settings = Correction { measure, ..contender.settings(&self.published) };
        let outcome = settings.solve(&self.train, &self.learner, observer)?;
        let train = outcome.assess(&self.train, Measure::Decisions)?;
        let test = outcome.assess(&self.test, Measure::Decisions)?;
        // A bound of nothing: what is wanted of the judgement is what chance alone would show.
        let judged = outcome.judge(&self.test, &[Bound::MaxViolation(0.0)], Measure::Decisions, 0.95)?;
        Ok(Measured {
            train: Part::of(&train),
            test: Part::of(&test),
            floor: judged.first().and_then(|judged| judged.floor),
            fits: outcome.fits,
            stop: outcome.stop,
            slack: outcome.slack,
        })
    }

    /// More and less of a contender's correction, on training and on test rows: a pair for each of `scales`.
    ///
    /// # Errors
    /// Those of [`Correction::sweep`]: contenders without multipliers have nothing to scale.
    pub fn sweep(&self, contender: Contender, scales: &[f64]) -> Result<Vec<(Part, Part)>> {
        let settings = contender.settings(&self.published);
        let found = settings.solve(&self.train, &self.learner, &mut Silent)?;
        let swept = settings.sweep(&self.train, &self.learner, &found, scales, &mut Silent)?;
        let both = |outcome: &Outcome<_>| -> Result<(Part, Part)> {
            Ok((Part::of(&outcome.train), Part::of(&outcome.assess(&self.test, Measure::Decisions)?)))
        };
        swept.iter().map(both).collect()
    }
}

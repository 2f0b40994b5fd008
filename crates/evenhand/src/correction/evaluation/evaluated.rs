//! A classifier on the rows of a problem, scored once.
//!
//! Holds [`Evaluated`]: per-cell sums, from which metrics, tests of bounds and estimates are all computed, and decisions
//! where they were asked for.

use std::ops::Range;

use super::classifier::check_membership;
use super::{Classifier, Effect, Estimated, Metrics};
use crate::Result;
use crate::bound::{self, BoundTest, NotionBound};
use crate::constraint::Measure;
use crate::correction::problem::Problem;
use crate::data::Codes;
use crate::features::Features;
use crate::group::Membership;
use crate::kernel::CellSums;
use crate::learner::{Predictor, Scorer};

/// What a classifier does on the rows of a problem, from scoring them once.
///
/// ```
/// use evenhand::{Bound, Correction, Dataset, Logistic, Measure, Notion, Schema};
/// use evenhand_datasets::synthetic;
///
/// # fn main() -> evenhand::Result<()> {
/// let schema = Schema::label("approved").positive("yes").ignore("deserved");
/// let data = Dataset::new(synthetic::population(2_000, 1)?, &schema)?;
/// let fitted = Correction::new(Notion::DemographicParity).group("sex")?.fit(&data, &Logistic::default())?;
/// let evaluated = fitted.solution().evaluated(fitted.problem(), Measure::Decisions)?;
/// assert_eq!(evaluated.metrics().error, fitted.solution().train.error);
/// assert_eq!(evaluated.test_bounds(&[Bound::MaxViolation(0.1)], 0.95)?.len(), 1);
///
/// // With decisions the sums are the same bits.
/// let groups = fitted.binding().membership(data.table())?;
/// let decided = fitted.solution().evaluated_with_decisions(fitted.problem(), &groups, Measure::Decisions)?;
/// assert_eq!(decided.metrics(), evaluated.metrics());
/// assert_eq!(decided.estimate(0.95)?, evaluated.estimate(0.95)?);
/// assert_eq!(decided.decisions(), Some(&fitted.solution().decisions(fitted.problem(), &groups)?));
/// # Ok(()) }
/// ```
#[derive(Debug, Clone)]
pub struct Evaluated<'a> {
    problem: &'a Problem,
    measure: Measure,
    sums: CellSums,
    decisions: Option<Codes>,
}

impl<'a> Evaluated<'a> {
    /// Sums alone: no number is stored per row.
    pub(in crate::correction) fn new(
        classifier: &Classifier<'_>,
        problem: &'a Problem,
        measure: Measure,
    ) -> Result<Self> {
        Ok(Self { problem, measure, sums: classifier.cell_sums(problem)?, decisions: None })
    }

    /// Sums, and the decision for every row.
    pub(in crate::correction) fn with_decisions(
        classifier: &Classifier<'_>,
        problem: &'a Problem,
        membership: &Membership,
        measure: Measure,
    ) -> Result<Self> {
        check_membership(problem, membership)?;
        let classes = problem.classes();
        let scores = classifier.scores(problem)?;
        let (decisions, _) = classifier.decide(&scores, classes, Some(membership), 0);
        let scored = Classifier {
            predictor: &Scored { scores: &scores, classes },
            thresholds: classifier.thresholds,
            tilt: None,
            threshold: classifier.threshold,
        };
        Ok(Self { problem, measure, sums: scored.cell_sums(problem)?, decisions: Some(decisions) })
    }

    /// Rows that were scored elsewhere, by their sums.
    pub(in crate::correction) fn of_sums(problem: &'a Problem, measure: Measure, sums: CellSums) -> Self {
        Self { problem, measure, sums, decisions: None }
    }

    /// Error, rates and violations. With random decisions, in expectation.
    pub fn metrics(&self) -> Metrics {
        self.problem.evaluate(&self.sums, self.measure)
    }

    /// Whether bounds hold, as far as these rows can tell; see [`Problem::test_bounds`].
    ///
    /// # Errors
    /// [`crate::Error::Setting`] for a confidence outside 0.5 to 0.999999 or a bound outside 0 to 1.
    pub fn test_bounds(&self, bounds: &[impl Clone + Into<NotionBound>], confidence: f64) -> Result<Vec<BoundTest>> {
        self.problem.test_bounds_by(|| Ok(self.sums.clone()), bounds, self.measure, confidence)
    }

    /// The violation of every constraint, in the order of the constraints, each with an interval of its own.
    ///
    /// Rows are taken as drawn independently, and as new to the predictor; see [`Problem::test_bounds`].
    ///
    /// # Errors
    /// [`crate::Error::Setting`] for a confidence outside 0.5 to 0.999999.
    pub fn estimate(&self, confidence: f64) -> Result<Vec<Estimated>> {
        Estimated::all(self.problem, &self.sums, self.measure, confidence)
    }

    /// What this classifier changes, compared with `before`, which must be of the same rows. Changes of at least
    /// `notable_change` are notable: see [`Effect`].
    ///
    /// # Errors
    /// [`crate::Error::Setting`] for a confidence outside 0.5 to 0.999999.
    pub fn effect(&self, before: &Self, notable_change: f64, confidence: f64) -> Result<Effect> {
        Effect::of(self.problem, [&before.sums, &self.sums], notable_change, confidence)
    }

    /// The class that is decided for in every row, where that was asked for.
    pub fn decisions(&self) -> Option<&Codes> {
        self.decisions.as_ref()
    }

    /// The rows.
    pub fn problem(&self) -> &'a Problem {
        self.problem
    }
}

impl Problem {
    /// A predictor on these rows, scored once.
    ///
    /// # Errors
    /// What the predictor says.
    pub fn evaluated(&self, predictor: &dyn Predictor, measure: Measure) -> Result<Evaluated<'_>> {
        Evaluated::new(&Classifier::plain(predictor, self.threshold()), self, measure)
    }

    /// Tests whether a predictor keeps bounds, as far as these rows can tell.
    ///
    /// A bound limits every group of the specification: those that training rows had, whether or not they could be
    /// corrected for, and those that only these rows have. One that these rows cannot measure makes the verdict
    /// [`Verdict::CannotTell`](crate::Verdict::CannotTell), unless others decide that the bound is not met.
    ///
    /// Rows are assumed to be drawn independently and to be new to the predictor: on training rows the verdict is too
    /// favourable. Groups that overlap are taken as different rows, which makes intervals wider, and so does
    /// taking the variance of probabilities as large as that of decisions. Row weights count by Kish's
    /// effective rows.
    ///
    /// # Errors
    /// [`crate::Error::Setting`] for a confidence outside 0.5 to 0.999999 or a bound outside 0 to 1, and
    /// what the predictor says.
    pub fn test_bounds(
        &self,
        predictor: &dyn Predictor,
        bounds: &[impl Clone + Into<NotionBound>],
        measure: Measure,
        confidence: f64,
    ) -> Result<Vec<BoundTest>> {
        self.test_bounds_by(|| self.cell_sums(predictor), bounds, measure, confidence)
    }

    /// As [`Problem::test_bounds`], by sums that are asked for when there are bounds.
    pub(in crate::correction) fn test_bounds_by(
        &self,
        cell_sums: impl FnOnce() -> Result<CellSums>,
        bounds: &[impl Clone + Into<NotionBound>],
        measure: Measure,
        confidence: f64,
    ) -> Result<Vec<BoundTest>> {
        bound::check(bounds, confidence)?;
        if bounds.is_empty() {
            return Ok(Vec::new());
        }
        self.constrained_rows().test(&cell_sums()?, bounds, measure, confidence)
    }
}

/// The probabilities of the rows at hand, as a predictor of them.
struct Scored<'s> {
    scores: &'s [f64],
    classes: usize,
}

impl Predictor for Scored<'_> {
    fn on<'a>(&'a self, _: &'a Features) -> Result<Scorer<'a>> {
        Ok(Box::new(move |rows: Range<usize>, out: &mut Vec<f64>| {
            out.clear();
            out.extend_from_slice(&self.scores[rows.start * self.classes..rows.end * self.classes]);
        }))
    }
}

//! A sample made ready to be trained on in several ways, and applicants to evaluate the result on.

use evenhand::correction::{Binding, CovariateShift, Problem, Silent};
use evenhand::features::Features;
use evenhand::learner::scores;
use evenhand::{Correction, Dataset, Learner, Logistic, Measure, Notion, Predictor, Schema, Table};
use evenhand_datasets::synthetic::{self, Applicants};

use crate::Result;

/// How many applicants classifiers are evaluated on. They are evaluated on the probability of each true label, not by one
/// drawn with it, so that no luck of theirs is in the difference of two classifiers.
pub(crate) const EVALUATED_ON: usize = 200_000;

/// The same rows with the labels of the past and with the true ones, and those to evaluate on encoded like them.
pub(crate) struct Sample<'a> {
    pub(crate) past: Problem,
    pub(crate) truth: Problem,
    evaluation: &'a EvaluationSample,
    evaluation_features: Features,
}

/// A classifier evaluated on the truth, and the multipliers behind it.
pub(crate) struct Evaluated {
    pub(crate) accuracy: f64,
    pub(crate) loss: f64,
    pub(crate) multipliers: Vec<f64>,
}

pub(crate) fn schema(label: &str) -> Schema {
    let other = if label == "approved" { "deserved" } else { "approved" };
    Schema::label(label).positive("yes").ignore(other)
}

/// Demographic parity of the groups that the bias was against.
pub(crate) fn parity(measure: Measure, shift: CovariateShift) -> Result<Correction> {
    let mut correction = Correction::new(Notion::DemographicParity).measure(measure).covariate_shift(shift);
    for (group, _) in synthetic::MULTIPLIERS {
        correction = correction.group(group)?;
    }
    Ok(correction)
}

impl<'a> Sample<'a> {
    pub(crate) fn new(table: &Table, evaluation: &'a EvaluationSample) -> Result<Self> {
        let correction = parity(Measure::Scores, CovariateShift::Ignored)?;
        let (binding, past, _) = Binding::new(&correction, &Dataset::new(table.clone(), &schema("approved"))?)?;
        let (truth, _) = binding.problem(&Dataset::new(table.clone(), &schema("deserved"))?)?;
        let (evaluation_features, _) = binding.features(&evaluation.table)?;
        Ok(Self { past, truth, evaluation, evaluation_features })
    }

    /// Trained on the labels of the past, with a correction.
    pub(crate) fn corrected<L: Learner>(&self, correction: &Correction, learner: &L) -> Result<Evaluated> {
        let solution = correction.solve(&self.past, learner, &mut Silent)?;
        self.evaluate(&solution.predictor, solution.multipliers)
    }

    /// Trained on the labels of the past as they are, or on the true ones.
    pub(crate) fn plain(&self, problem: &Problem) -> Result<Evaluated> {
        let solution = parity(Measure::Scores, CovariateShift::Ignored)?.uncorrected(problem, &Logistic::default())?;
        self.evaluate(&solution.predictor, Vec::new())
    }

    fn evaluate(&self, predictor: &dyn Predictor, multipliers: Vec<f64>) -> Result<Evaluated> {
        let probabilities = &self.evaluation.probabilities;
        let (mut right, mut loss) = (0.0, 0.0);
        for (score, truth) in scores(predictor, &self.evaluation_features, 2)?.chunks(2).zip(probabilities) {
            right += if score[1] > score[0] { *truth } else { 1.0 - truth };
            loss -= truth * score[1].ln() + (1.0 - truth) * score[0].ln();
        }
        let count = probabilities.len() as f64;
        Ok(Evaluated { accuracy: right / count, loss: loss / count, multipliers })
    }
}

/// Applicants whose true probabilities are known.
pub(crate) struct EvaluationSample {
    table: Table,
    probabilities: Vec<f64>,
}

impl EvaluationSample {
    pub(crate) fn new(drawn: &Applicants, table: Table) -> Self {
        Self { table, probabilities: drawn.merit.iter().map(|merit| 1.0 / (1.0 + (-merit).exp())).collect() }
    }
}

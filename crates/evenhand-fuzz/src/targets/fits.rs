//! A fit, and what must hold of it.

use evenhand::correction::{Solver, SqpSettings, Technique, Validation};
use evenhand::learner::LogisticModel;
use evenhand::model::LearnerRecord;
use evenhand::{Correction, Dataset, Fitted, Logistic, Measure, Model};

use super::verdicts::{self, ROUNDING};
use super::{Checked, holds, must};

/// Fits, and checks what was found: probabilities, violations, verdicts, evenness, and the model that is saved.
pub(super) fn check(data: &Dataset, correction: &Correction, learner: &Logistic) -> Checked {
    let Ok(fitted) = correction.fit(data, learner) else { return Ok(false) };
    let said = |error: evenhand::Error| format!("after a fit: {error}");
    let predictions = fitted.predict(data.table()).map_err(said)?;
    holds::are_probabilities(&predictions)?;
    let random = fitted.solution().thresholds.as_ref().is_some_and(|thresholds| thresholds.seed.is_some());
    if !random {
        let found = holds::rates(fitted.binding(), data, &predictions.decisions)?;
        agree(&fitted, correction, data, &found)?;
    }
    even(&fitted, correction, learner)?;
    saved(&fitted, correction, learner, data)?;
    Ok(true)
}

/// What is said of violations and bounds is what the decisions say, row by row.
fn agree(
    fitted: &Fitted<LogisticModel>,
    correction: &Correction,
    data: &Dataset,
    found: &[Option<[f64; 2]>],
) -> Result<(), String> {
    let (metrics, _) = fitted.evaluate(data, Measure::Decisions).map_err(|error| error.to_string())?;
    for (said, found) in metrics.violations.iter().zip(found) {
        let found = found.map(|[reference, own]| reference - own);
        let same = match (said.value, found) {
            (Some(said), Some(found)) => (said - found).abs() <= ROUNDING,
            (said, found) => said.is_none() == found.is_none(),
        };
        must(same, || format!("`{}` is said to be violated by {:?}, and is by {found:?}", said.name, said.value))?;
    }
    if correction.measure != Measure::Decisions {
        return Ok(());
    }
    let (tests, _) = fitted.test_bounds(data, 0.95).map_err(|error| error.to_string())?;
    // Constraints without training rows stand in the problem alone, and are tested as well.
    let measured = fitted.problem().measured_constraints().len();
    let constraints = fitted.binding().constraints();
    let mut all = tests.iter().filter(|test| test.notion.is_none() && measured == constraints.len());
    all.try_for_each(|test| verdicts::holds(test, &holds::compared(constraints, found, &test.bound)))
}

/// A correction is never less even on the rows it was found on than none.
fn even(fitted: &Fitted<LogisticModel>, correction: &Correction, learner: &Logistic) -> Result<(), String> {
    // Groups below `min_group` are not searched for.
    let Solver::Sqp(SqpSettings { min_group: 0, .. }) = correction.solver else { return Ok(()) };
    let weighted = correction.technique == Technique::Weighting && correction.validation == Validation::Training;
    if !weighted || !correction.method.is_correction() {
        return Ok(());
    }
    let Ok(uncorrected) = correction.uncorrected(fitted.problem(), learner) else { return Ok(()) };
    if let (Some(before), Some(after)) = (uncorrected.train.violation, fitted.solution().train.violation) {
        must(after <= before + ROUNDING, || format!("the violation was {before} and is {after} after correction"))?;
    }
    Ok(())
}

/// What is saved of a fit can be read, and predicts the same.
fn saved(
    fitted: &Fitted<LogisticModel>,
    correction: &Correction,
    learner: &Logistic,
    data: &Dataset,
) -> Result<(), String> {
    let record = |model: &LogisticModel| LearnerRecord::Logistic { settings: *learner, model: model.clone() };
    let model = Model::new(correction, fitted, record, None, (data.digest(), data.rows()), None)
        .map_err(|error| format!("a fit has no record: {error}"))?;
    let json = model.to_json().map_err(|error| format!("a fit cannot be saved: {error}"))?;
    let read = Model::from_json(&json).map_err(|error| format!("what was saved of a fit cannot be read: {error}"))?;
    let predict = |model: &Model| model.predict(data.table()).map_err(|error| error.to_string());
    must(predict(&read)?.scores == predict(&model)?.scores, || "a model predicts otherwise after it was saved".into())
}

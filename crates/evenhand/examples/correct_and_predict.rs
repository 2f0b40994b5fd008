//! Trains a corrected classifier on some rows and decides about others.
//!
//! `cargo run --release -p evenhand --example correct_and_predict`

use evenhand::{Correction, Dataset, Logistic, Measure, Notion, Result, Schema};
use evenhand_datasets::synthetic;

#[allow(clippy::print_stdout)] // the output of this program
fn main() -> Result<()> {
    let schema = Schema::label("approved").positive("yes").ignore("deserved");
    let past = Dataset::new(synthetic::population(5_000, 1)?, &schema)?;
    let applicants = synthetic::population(1_000, 2)?; // new rows; their labels are not looked at

    let correction = Correction::new(Notion::DemographicParity).group("sex")?;
    let fitted = correction.fit(&past, &Logistic::default())?;

    // The same learner on the same rows without a correction, to compare with.
    let before = correction.uncorrected(fitted.problem(), &Logistic::default())?.train;
    let (after, _) = fitted.evaluate(&past, Measure::Decisions)?;
    for (name, one) in [("uncorrected", &before), ("corrected", &after)] {
        let violation = one.violation.unwrap_or(f64::NAN);
        println!("{name:>11}: {:.1} % of past labels predicted otherwise, violation {violation:.4}", 100.0 * one.error);
    }
    for (constraint, multiplier) in fitted.multipliers() {
        println!("multiplier of {constraint}: {multiplier:+.3}");
    }

    // Predicting needs neither labels nor groups: the weights did their work in training.
    let predictions = fitted.predict(&applicants)?;
    let positive = predictions.decisions.iter().filter(|&class| class == 1).count();
    println!("of {} applicants {positive} are predicted `yes`", applicants.rows());
    for row in 0..3 {
        println!("row {}: probability of `yes` {:.3}", row + 1, predictions.scores[row * predictions.classes + 1]);
    }
    for warning in &predictions.warnings {
        println!("note: {warning}");
    }
    Ok(())
}

//! Corrects training code that is a closure: here a tree of four leaves.
//!
//! `cargo run --release -p evenhand --example closure_learner`

use evenhand::correction::Binding;
use evenhand::features::Features;
use evenhand::learner::{FnLearner, FnPredictor, Training};
use evenhand::{Correction, Dataset, Measure, Notion, Result, Schema};
use evenhand_datasets::synthetic;

#[allow(clippy::print_stdout)] // the output of this program
fn main() -> Result<()> {
    let loans = synthetic::population(5_000, 1)?;
    let data = Dataset::new(loans, &Schema::label("approved").positive("yes").ignore("deserved"))?;

    // Four leaves hold few different scores, which move more smoothly with weights than decisions do.
    let correction = Correction::new(Notion::DemographicParity).group("sex")?.measure(Measure::Scores);

    // Learners see features by number; the encoding says which is which.
    let names = Binding::new(&correction, &data)?.0.feature_names();
    let asked = ["income", "sex=female"].map(|name| names.iter().position(|one| one == name).expect("a feature"));

    // A closure is given features, labels and weights, and never a group. What it returns predicts:
    // for every row one probability a class.
    let tree = FnLearner::new(|training: Training<'_>| {
        let weights = training.weights.to_rows();
        let mut sums = [[0.0; 2]; 4]; // by leaf, by label
        for (row, leaf) in leaves(training.features, asked).into_iter().enumerate() {
            sums[leaf][training.labels.get(row)] += weights[row];
        }
        let rates = sums.map(|[no, yes]| yes / (no + yes));
        Ok(FnPredictor::new(2, move |features: &Features| {
            Ok(leaves(features, asked).into_iter().flat_map(|leaf| [1.0 - rates[leaf], rates[leaf]]).collect())
        }))
    });

    let fitted = correction.fit(&data, &tree)?;
    let (before, after) = (fitted.trace()[0].violation, fitted.solution().train.violation.unwrap_or(f64::NAN));
    println!("mean probability of `yes`, one sex from everyone: {before:.4} before, {after:.4} after");
    println!("the search ended: {}, after {} fits", fitted.stop(), fitted.solution().fits);
    Ok(())
}

/// The leaf of each row, by whether either feature is above zero: the mean of a number, the absence of a value.
fn leaves(features: &Features, [first, second]: [usize; 2]) -> Vec<usize> {
    let is = |row: &[(usize, f64)], asked| usize::from(row.iter().any(|&(one, value)| one == asked && value > 0.0));
    (0..features.rows()).map(|row| features.row(row)).map(|row| is(&row, first) + 2 * is(&row, second)).collect()
}

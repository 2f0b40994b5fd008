//! Corrects a learner of one's own: nearest centroid, by implementing two traits of one method each.
//!
//! `cargo run --release -p evenhand --example own_learner`

use evenhand::features::Features;
use evenhand::learner::{Scorer, Training};
use evenhand::{Correction, Dataset, Learner, Notion, Predictor, Result, Schema};
use evenhand_datasets::synthetic;

/// Fits the weighted mean of every class.
struct NearestCentroid;

/// One centroid a class.
struct Centroids(Vec<Vec<f64>>);

impl Learner for NearestCentroid {
    type Predictor = Centroids;
    type WarmStart = (); // what one fit may leave for the next

    fn fit(&self, training: Training<'_>, (): &mut ()) -> Result<Centroids> {
        let weights = training.weights.to_rows();
        let mut sums = vec![vec![0.0; training.features.width()]; training.classes];
        let mut totals = vec![0.0; training.classes];
        for (row, class) in training.labels.iter().enumerate() {
            totals[class] += weights[row];
            // A row is its features that are not zero, by number.
            for (feature, value) in training.features.row(row) {
                sums[class][feature] += weights[row] * value;
            }
        }
        let mean = |(sum, total): (Vec<f64>, f64)| sum.into_iter().map(|one| one / total).collect();
        Ok(Centroids(sums.into_iter().zip(totals).map(mean).collect()))
    }
}

impl Predictor for Centroids {
    fn on<'a>(&'a self, features: &'a Features) -> Result<Scorer<'a>> {
        Ok(Box::new(move |rows, out| {
            out.clear();
            for row in rows.map(|row| features.row(row)) {
                let dot = |a: &[f64]| row.iter().map(|&(feature, value)| a[feature] * value).sum::<f64>();
                // |x − c|² without |x|², which is the same for every class.
                let far = |c: &Vec<f64>| c.iter().map(|value| value * value).sum::<f64>() - 2.0 * dot(c);
                let near: Vec<f64> = self.0.iter().map(|centroid| (-far(centroid)).exp()).collect();
                let total: f64 = near.iter().sum();
                out.extend(near.iter().map(|one| one / total));
            }
        }))
    }
}

#[allow(clippy::print_stdout)] // the output of this program
fn main() -> Result<()> {
    let loans = synthetic::population(5_000, 1)?;
    let data = Dataset::new(loans, &Schema::label("approved").positive("yes").ignore("deserved"))?;
    let fitted = Correction::new(Notion::DemographicParity).group("sex")?.fit(&data, &NearestCentroid)?;
    let (before, after) = (fitted.trace()[0].violation, fitted.solution().train.violation.unwrap_or(f64::NAN));
    println!("violation {before:.3} before, {after:.3} after {} fits", fitted.solution().fits);
    Ok(())
}

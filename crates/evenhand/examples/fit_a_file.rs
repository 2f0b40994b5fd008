//! Fits the file that is named, or made-up loans, and prints its numbers as the command line and Python give them.
//!
//! `cargo run --release -p evenhand --example fit_a_file -- loans.csv`

use std::env;
use std::path::Path;

use evenhand::{Correction, Dataset, Logistic, Measure, Notion, ReadOptions, Schema};
use evenhand_datasets::synthetic;

#[allow(clippy::print_stdout)] // the output of this program
fn main() -> evenhand::Result<()> {
    let schema = Schema::label("approved").positive("yes").ignore("deserved");
    let data = match env::args_os().nth(1) {
        Some(path) => Dataset::read(Path::new(&path), &schema, &ReadOptions::default())?.0,
        None => Dataset::new(synthetic::population(5_000, 1)?, &schema)?,
    };
    let fitted = Correction::new(Notion::DemographicParity)
        .group("sex")?
        .group("age_band=18-24")?
        .max_violation(0.03)
        .fit(&data, &Logistic::default())?;
    let (train, _) = fitted.evaluate(&data, Measure::Decisions)?;
    for (constraint, multiplier) in fitted.multipliers() {
        println!("multiplier\t{constraint}\t{multiplier}");
    }
    println!("error\tall rows\t{}", train.error);
    println!("violation\tall rows\t{}", train.violation.unwrap_or(f64::NAN));
    Ok(())
}

//! Asks for a bound, and tests on rows the classifier has not seen whether it holds.
//!
//! `cargo run --release -p evenhand --example bound_and_verdict`

use evenhand::data::holdout;
use evenhand::{Bound, Correction, Dataset, Logistic, Notion, Result, Schema, Verdict};
use evenhand_datasets::synthetic;

#[allow(clippy::print_stdout)] // the output of this program
fn main() -> Result<()> {
    let loans = synthetic::population(40_000, 1)?;
    let data = Dataset::new(loans, &Schema::label("approved").positive("yes").ignore("deserved"))?;
    let (train, test) = holdout(data.rows(), 0.5, 7)?;
    let (train, test) = (data.select(&train), data.select(&test));

    // The least correction that meets both, with some room for chance.
    let fitted = Correction::new(Notion::DemographicParity)
        .group("sex")?
        .max_violation(0.03) // no group farther than this from everyone
        .bound(Bound::MinRatio(0.8)) // the four-fifths rule
        .fit(&train, &Logistic::default())?;

    // All new rows, and then few of them: an honest verdict may be that nobody can tell.
    let few: Vec<usize> = (0..300).collect();
    for (name, rows) in [("all test rows", test.clone()), ("300 of them", test.select(&few))] {
        let (bound_tests, _) = fitted.test_bounds(&rows, 0.95)?;
        for one in bound_tests {
            let shown = |value: Option<f64>| value.map_or("unknown".to_owned(), |value| format!("{value:.3}"));
            println!(
                "{name}, {} {}: {} ({} in {} to {})",
                one.bound.name(),
                one.bound.limit(),
                one.verdict,
                shown(one.value),
                shown(one.low),
                shown(one.high)
            );
            if one.verdict == Verdict::TooFewRows {
                println!("    chance alone would show {} on so few rows", shown(one.expected_under_parity));
            }
        }
    }
    Ok(())
}

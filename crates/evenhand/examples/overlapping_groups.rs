//! Several notions at once, for groups that overlap and for their intersections.
//!
//! `cargo run --release -p evenhand --example overlapping_groups`

use evenhand::{Correction, Dataset, Logistic, Notion, Result, Schema};
use evenhand_datasets::synthetic;

#[allow(clippy::print_stdout)] // the output of this program
fn main() -> Result<()> {
    let loans = synthetic::population(20_000, 1)?;
    let data = Dataset::new(loans, &Schema::label("approved").positive("yes").ignore("deserved"))?;

    // `sex` is a group for each value, `age_band=18-24` one value, `sex*region=north` the intersections with one:
    // a row is in as many groups as it fits. More about specifications at `evenhand::GroupSpec`.
    let correction = Correction::new(Notion::DemographicParity)
        .and("equal-opportunity".parse()?) // notions have the names of the command line
        .group("sex")?
        .group("age_band=18-24")?
        .group("sex*region=north")?;
    let fitted = correction.fit(&data, &Logistic::default())?;

    let before = correction.uncorrected(fitted.problem(), &Logistic::default())?.train;
    let after = &fitted.solution().train;
    println!("{:<46} {:>8} {:>8} {:>11}", "constraint", "before", "after", "multiplier");
    for ((old, new), (name, multiplier)) in before.violations.iter().zip(&after.violations).zip(fitted.multipliers()) {
        let shown = |value: Option<f64>| value.map_or("-".to_owned(), |value| format!("{value:+.4}"));
        println!("{name:<46} {:>8} {:>8} {multiplier:>+11.3}", shown(old.value), shown(new.value));
    }
    // So many wishes at once may be more than weights can grant: then the result is what was reached, and says so.
    println!("the search ended: {}, after {} fits", fitted.stop(), fitted.solution().fits);
    for warning in fitted.warnings() {
        println!("note: {warning}");
    }
    Ok(())
}

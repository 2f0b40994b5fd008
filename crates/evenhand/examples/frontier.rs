//! Traces error against violation, from no correction to as even as weights can make it.
//!
//! `cargo run --release -p evenhand --example frontier`

use evenhand::correction::{Asked, Binding, Silent};
use evenhand::data::holdout;
use evenhand::{Correction, Dataset, Logistic, Measure, Notion, Result, Schema};
use evenhand_datasets::synthetic;

#[allow(clippy::print_stdout)] // the output of this program
fn main() -> Result<()> {
    let loans = synthetic::population(10_000, 1)?;
    let data = Dataset::new(loans, &Schema::label("approved").positive("yes").ignore("deserved"))?;
    let (train, test) = holdout(data.rows(), 0.3, 7)?;

    // Columns and groups are learnt on training rows once; test rows are put into the same form.
    let correction = Correction::new(Notion::EqualizedOdds).group("sex")?;
    let (binding, problem, _) = Binding::new(&correction, &data.select(&train))?;
    let (tested, _) = binding.problem(&data.select(&test))?;

    let frontier = correction.frontier(&problem, &Logistic::default(), 8, &mut Silent)?;
    println!("{:>14} {:>15} {:>15} {:>11}", "asked", "violation train", "violation test", "error test");
    for point in &frontier.points {
        let asked = match point.asked {
            Asked::Nothing => "nothing".to_owned(),
            Asked::MaxViolation(most) => format!("at most {most:.3}"),
            Asked::Evenness => "evenness".to_owned(),
        };
        let (train, test) = (&point.solution.train, point.solution.evaluate(&tested, Measure::Decisions)?);
        let shown = |violation: Option<f64>| violation.unwrap_or(f64::NAN);
        println!(
            "{asked:>14} {:>15.4} {:>15.4} {:>9.1} %{}",
            shown(train.violation),
            shown(test.violation),
            100.0 * test.error,
            if point.dominated { "  another point is no worse in both" } else { "" }
        );
    }
    println!("{} fits in all", frontier.fits());
    if let Some(floor) = frontier.floor() {
        println!("weights of this kind lead no further than {floor:.4} on the training rows");
    }
    Ok(())
}

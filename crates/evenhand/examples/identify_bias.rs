//! Estimates how far labels were tilted for or against groups, with intervals, in words.
//!
//! `cargo run --release -p evenhand --example identify_bias`

use evenhand::{Dataset, Identify, Result, Schema};
use evenhand_datasets::synthetic;

#[allow(clippy::print_stdout)] // the output of this program
fn main() -> Result<()> {
    let loans = synthetic::population(10_000, 1)?;
    let data = Dataset::new(loans, &Schema::label("approved").positive("yes").ignore("deserved"))?;

    // Rows are drawn again 30 times to check the analytic intervals.
    let identify = Identify { resamples: 30, seed: 7, ..Identify::default() };
    let (found, warnings) = identify.group("sex=female")?.group("age_band=18-24")?.run(&data)?;

    // What the numbers rest on stands before them, always.
    println!("{}\n", found.assumption);
    if let Some(why) = &found.missing {
        println!("There is no estimate: {why}.");
    }
    for effect in &found.effects {
        println!("{}", effect.sentence);
        if let Some(resampled) = &effect.resampled {
            println!("    by rows drawn again: {:.2} to {:.2}", resampled.low, resampled.high);
        }
    }
    for warning in warnings {
        println!("note: {warning}");
    }
    Ok(())
}

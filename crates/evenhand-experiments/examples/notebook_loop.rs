//! Times the authors' loop: 100 fits of Adult, demographic parity, the notebook preset.
//!
//! `notebook_loop FOLDER [REPETITIONS]` reads the dataset once and prints one line of JSON
//! a repetition. `seconds` runs from the table in memory to the fitted model (encoding,
//! groups and cells included), `solve_seconds` from encoded rows. With a third argument
//! the encoded rows are written there first, for other programs to read.

mod support;

use std::error::Error;
use std::path::Path;
use std::time::Instant;

use evenhand::correction::{Binding, Silent};
use evenhand::{Measure, Notion};
use evenhand_datasets::Recipe;
use serde_json::json;
use support::export;

#[allow(clippy::print_stdout)] // the output of this program
fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().ok_or("which folder holds the dataset?")?;
    let repetitions: usize = arguments.next().map_or(Ok(5), |text| text.parse())?;
    let prepared = Recipe::named("adult")?.load(Path::new(&folder))?;
    let correction = prepared.correction(Notion::DemographicParity);
    let learner = prepared.learner();
    if let Some(out) = arguments.next() {
        export(Path::new(&out), &correction, &prepared)?;
    }
    for _ in 0..repetitions {
        let start = Instant::now();
        let (binding, problem, _) = Binding::new(&correction, &prepared.train)?;
        let encoded = Instant::now();
        let solution = correction.solve(&problem, &learner, &mut Silent)?;
        let end = Instant::now();
        let (test, _) = binding.problem(&prepared.test)?;
        let test = test.evaluate_predictor(&solution.predictor, Measure::Decisions)?;
        let line = json!({
            "seconds": (end - start).as_secs_f64(),
            "solve_seconds": (end - encoded).as_secs_f64(),
            "fits": solution.fits,
            "test_error": test.error,
            "test_violation": test.violation,
            "train_error": solution.train.error,
            "train_violation": solution.train.violation,
            "version": env!("CARGO_PKG_VERSION"),
            "threads": std::env::var("RAYON_NUM_THREADS").unwrap_or_else(|_| "all".into()),
        });
        println!("{line}");
    }
    Ok(())
}

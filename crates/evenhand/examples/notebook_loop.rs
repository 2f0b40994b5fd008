//! Times the authors' loop: 100 fits of Adult, demographic parity, the notebook preset.
//!
//! `notebook_loop FOLDER [REPETITIONS]` reads the dataset once and prints one line of JSON
//! a repetition. `seconds` runs from the table in memory to the fitted model (encoding,
//! groups and cells included), `solve_seconds` from encoded rows. With a third argument
//! the encoded rows are written there first, for other programs to read: a matrix of
//! compressed rows, labels and groups, as little-endian binary files.

use std::error::Error;
use std::path::Path;
use std::time::Instant;

use evenhand::correction::{Binding, Problem, Silent};
use evenhand::{Measure, Notion, Recipe};
use serde_json::json;

#[allow(clippy::print_stdout)] // the output of this program
fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().ok_or("which folder holds the dataset?")?;
    let repetitions: usize = arguments.next().map_or(Ok(5), |text| text.parse())?;
    let prepared = Recipe::named("adult")?.load(Path::new(&folder))?;
    let correction = prepared.correction(Notion::DemographicParity);
    let learner = prepared.learner();
    if let Some(out) = arguments.next() {
        let (binding, ..) = Binding::new(&correction, &prepared.train)?;
        std::fs::create_dir_all(&out)?;
        std::fs::write(Path::new(&out).join("width"), binding.encoding().width().to_string())?;
        for (part, data) in [("train", &prepared.train), ("test", &prepared.test)] {
            export(&Path::new(&out).join(part), &binding.problem(data)?.0, &binding.membership(data.table())?)?;
        }
    }
    for _ in 0..repetitions {
        let start = Instant::now();
        let (binding, problem, _) = Binding::new(&correction, &prepared.train)?;
        let encoded = Instant::now();
        let outcome = correction.solve(&problem, &learner, &mut Silent)?;
        let end = Instant::now();
        let (test, _) = binding.problem(&prepared.test)?;
        let test = test.assess_predictor(&outcome.predictor, Measure::Decisions)?;
        let line = json!({
            "seconds": (end - start).as_secs_f64(),
            "solve_seconds": (end - encoded).as_secs_f64(),
            "fits": outcome.fits,
            "test_error": test.error,
            "test_violation": test.violation,
            "train_error": outcome.train.error,
            "train_violation": outcome.train.violation,
            "version": env!("CARGO_PKG_VERSION"),
            "threads": std::env::var("RAYON_NUM_THREADS").unwrap_or_else(|_| "all".into()),
        });
        println!("{line}");
    }
    Ok(())
}

/// Writes `indptr`, `indices`, `values`, `labels` and `groups` (rows × groups, one byte each).
fn export(folder: &Path, problem: &Problem, membership: &evenhand::Membership) -> Result<(), Box<dyn Error>> {
    std::fs::create_dir_all(folder)?;
    let features = problem.features();
    let (mut ends, mut indices, mut values, mut groups) = (vec![0_u32], Vec::new(), Vec::new(), Vec::new());
    for row in 0..features.rows() {
        for (feature, value) in features.row(row) {
            indices.extend(u32::try_from(feature)?.to_le_bytes());
            values.extend(value.to_le_bytes());
        }
        ends.push(u32::try_from(values.len() / 8)?);
        groups.extend((0..membership.groups()).map(|group| u8::from(membership.is_member(row, group))));
    }
    let labels: Vec<u8> = problem.labels().iter().map(|label| u8::from(label == 1)).collect();
    std::fs::write(folder.join("indptr"), ends.iter().flat_map(|end| end.to_le_bytes()).collect::<Vec<u8>>())?;
    for (name, bytes) in [("indices", indices), ("values", values), ("labels", labels), ("groups", groups)] {
        std::fs::write(folder.join(name), bytes)?;
    }
    Ok(())
}

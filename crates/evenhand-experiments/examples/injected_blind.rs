//! Bias put into labels, found and corrected by a learner that may not see the groups: `injected_blind SPLITS`, as `1-20`.
//!
//! As `evenhand paper --injected`, with the columns that tell groups withheld. Prints one line of JSON a method and split: the error by true
//! labels on test rows. `EVENHAND_DATA` names the folder that holds the dataset folders.

use std::error::Error;
use std::path::Path;

use evenhand::correction::{Apply, Binding, Silent};
use evenhand::learner::{Learner, Logistic, Training, scores};
use evenhand::{Correction, Dataset, Measure, Tilt, Weights};
use evenhand_datasets::Recipe;
use evenhand_experiments::InjectedExperiment;
use serde_json::json;

#[allow(clippy::print_stdout)] // the output of this program
fn main() -> Result<(), Box<dyn Error>> {
    let splits = std::env::args().nth(1).unwrap_or("1-20".into());
    let (first, last) = splits.split_once('-').unwrap_or((&splits, &splits));
    let root = std::env::var_os("EVENHAND_DATA").ok_or("EVENHAND_DATA must name the folder that holds the datasets")?;
    for dataset in InjectedExperiment::datasets() {
        let source = Recipe::named(dataset)?.read(&Path::new(&root).join(dataset))?;
        for split in first.parse::<u64>()?..=last.parse()? {
            let prepared = source.drawn(split)?;
            // Less than this costs a learner that does not see the groups nothing on COMPAS, so that there is nothing to give back.
            let times = if dataset == "compas" { 4.0 } else { 1.0 };
            let (asked, biased) = InjectedExperiment::biased(dataset, &prepared, times, split)?;
            let learner = prepared.learner();
            let undone = undone(&asked, &biased, &prepared.test, &learner)?;
            println!("{}", json!({ "dataset": dataset, "split": split, "method": "identified", "error": undone }));
            let blind = withheld(asked, &prepared.train)?;
            let error = |settings: &Correction, train| -> evenhand::Result<f64> {
                let (binding, problem, _) = Binding::new(settings, train)?;
                let found = settings.solve(&problem, &learner, &mut Silent)?;
                Ok(found.evaluate(&binding.problem(&prepared.test)?.0, Measure::Decisions)?.error)
            };
            let plain = blind.clone().method(evenhand::Method::Unconstrained);
            let tilted = blind.clone().measure(Measure::Scores).apply(Apply::Tilt);
            let with_tilt = |tilt| {
                let mut weights = blind.clone().measure(Measure::Scores);
                if let evenhand::correction::Solver::Sqp(settings) = &mut weights.solver {
                    settings.tilt = Some(tilt);
                }
                weights
            };
            let [weights, centred] = [Tilt::Expected, Tilt::Centred].map(with_tilt);
            for (method, settings, train) in [
                ("truth", &plain, &prepared.train),
                ("unconstrained", &plain, &biased),
                ("expected", &weights, &biased),
                ("tilt", &tilted, &biased),
                ("centred", &centred, &biased),
            ] {
                let error = error(settings, train)?;
                println!("{}", json!({ "dataset": dataset, "split": split, "method": method, "error": error }));
            }
        }
    }
    Ok(())
}

/// The error of a blind learner that is given the weights by which a learner that sees everything undoes the bias.
///
/// What is known of the truth is known of groups: a blind model of the truth need not have these rates, and is not asked for them.
fn undone(asked: &Correction, biased: &Dataset, test: &Dataset, learner: &Logistic) -> evenhand::Result<f64> {
    let mut seeing = asked.clone().measure(Measure::Scores);
    seeing.solver = evenhand::Preset::Default.solver();
    let (_, problem, _) = Binding::new(&seeing, biased)?;
    let weights = seeing.solve(&problem, learner, &mut Silent)?.weights(&problem)?.to_rows();
    let (binding, rows, _) = Binding::new(&withheld(asked.clone(), biased)?, biased)?;
    // As many times as there are classes, so that the penalty is as strong as without weights.
    let weights = Weights::of_rows(weights.iter().map(|weight| 2.0 * weight).collect())?;
    let training = Training { features: rows.features(), labels: rows.labels(), classes: 2, weights: &weights };
    let model = learner.fit(training, &mut <Logistic as Learner>::WarmStart::default())?;
    let (rows, _) = binding.problem(test)?;
    let probabilities = scores(&model, rows.features(), 2)?;
    let decided = probabilities.chunks_exact(2).map(|of_row| usize::from(of_row[1] > 0.5));
    let wrong = decided.zip(rows.labels().iter()).filter(|(decision, label)| decision != label);
    Ok(wrong.count() as f64 / test.rows() as f64)
}

/// The same with the columns that tell groups kept from the learner.
fn withheld(mut asked: Correction, train: &Dataset) -> evenhand::Result<Correction> {
    let (binding, ..) = Binding::new(&asked, train)?;
    asked.withhold.extend(binding.group_columns());
    asked.solver = evenhand::Preset::Default.solver();
    Ok(asked)
}

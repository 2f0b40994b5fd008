//! Our side of `bench/compare`: the public datasets, four notions, any split.
//!
//! `compare export DATASET NOTION SPLIT FOLDER` writes the encoded rows for other programs.
//!
//! `compare measure DATASET NOTIONS SPLITS METHODS REPETITIONS` prints one line of JSON a fit.
//! `seconds` runs from the tables in memory to the fitted model: encoding, groups and cells
//! are included, reading files is not. Methods take turns, so that a slow minute of the
//! machine falls on all of them.
//!
//! A split is `published` or the seed of one drawn at random; several are `published,1-20`.
//! Notions and methods are lists too: for methods see [`Method`]. `EVENHAND_DATA` names the
//! folder that holds the dataset folders.

mod support;

use std::error::Error;
use std::path::Path;
use std::time::Instant;

use evenhand::correction::{
    Apply, Binding, Decisions, Silent, Solver, SqpSettings, Threshold, ThresholdPostprocessing, Validation,
};
use evenhand::{Bound, Correction, Measure, Notion, Preset, Tilt};
use evenhand_datasets::Recipe;
use evenhand_datasets::recipe::{Prepared, Source};
use serde_json::{Value, json};
use support::export;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["export", dataset, notion, split, folder] => {
            let prepared = prepare(&source(dataset)?, split)?;
            export(Path::new(folder), &prepared.correction(notion.parse()?), &prepared)
        }
        ["measure", dataset, notions, splits, methods, repetitions] => {
            let methods = methods.split(',').map(Method::named).collect::<Result<Vec<_>>>()?;
            let source = source(dataset)?;
            for split in listed(splits)? {
                let prepared = prepare(&source, &split)?;
                for notion in notions.split(',') {
                    for run in 1..=repetitions.parse::<usize>()? {
                        for method in &methods {
                            let measured = measure(method, &prepared, &notion.parse()?)?;
                            print(dataset, notion, &split, &method.name, run, measured);
                        }
                    }
                }
            }
            Ok(())
        }
        _ => Err("see the head of examples/compare.rs for the arguments".into()),
    }
}

/// What is measured of our own.
struct Method {
    name: String,
    kind: Kind,
}

#[derive(Clone, Copy)]
enum Kind {
    /// One fit with weights of 1, to say what a correction costs.
    Unconstrained,
    /// The authors' conventions: 100 fits.
    Notebook,
    /// What a user gets who asks for nothing else, or asks for a largest violation; with weights of a certain tilt, or with tilted
    /// probabilities.
    Default { bound: Option<f64>, tilt: Option<Tilt>, apply: Apply, threshold: Threshold },
    /// The same with multipliers chosen by five folds.
    KFold,
    /// Another method altogether.
    Baseline(evenhand::Method),
}

impl Method {
    /// `unconstrained`, `notebook`, `k-fold`, `default`, or `default@0.02` for a bound of 0.02, and in the same way `centred`, `expected`
    /// (weights by that tilt), `tilt` (probabilities) and `tilt-best` (these with a threshold of their own); `reweighing`, `calibration`,
    /// `thresholds` (the same without randomness) or
    /// `lagrangian`.
    fn named(name: &str) -> Result<Self> {
        let (first, bound) = name.split_once('@').map_or((name, None), |(first, bound)| (first, Some(bound)));
        let bound = bound.map(str::parse).transpose()?;
        let at = |tilt, apply, threshold| Kind::Default { bound, tilt, apply, threshold };
        let ours = |tilt, apply| at(tilt, apply, Threshold::Half);
        let kind = match (first, bound) {
            ("default", _) => ours(None, Apply::Weights),
            ("centred", _) => ours(Some(Tilt::Centred), Apply::Weights),
            ("expected", _) => ours(Some(Tilt::Expected), Apply::Weights),
            ("tilt", _) => ours(None, Apply::Tilt),
            ("tilt-best", _) => at(None, Apply::Tilt, Threshold::Best),
            ("unconstrained", _) => Kind::Unconstrained,
            ("notebook", _) => Kind::Notebook,
            ("k-fold", _) => Kind::KFold,
            ("thresholds", _) => Kind::Baseline(evenhand::Method::ThresholdPostprocessing(ThresholdPostprocessing {
                decisions: Decisions::Deterministic,
            })),
            ("reweighing" | "calibration" | "lagrangian", _) => Kind::Baseline(name.parse()?),
            _ => return Err(format!("no method `{name}`").into()),
        };
        Ok(Self { name: name.to_owned(), kind })
    }

    /// The same groups, features and learner for all; conventions are what differs.
    fn correction(&self, prepared: &Prepared, notion: &Notion) -> Correction {
        let mut correction = prepared.correction(notion.clone());
        match self.kind {
            Kind::Unconstrained | Kind::Notebook => {}
            Kind::Baseline(method) => correction.method = method,
            Kind::Default { bound, tilt, apply, threshold } => {
                correction.threshold = threshold;
                // These trace the frontier: what is asked for is what is measured.
                correction.solver = Solver::Sqp(SqpSettings { margin: 0.0, tilt, ..SqpSettings::default() });
                correction.apply = apply;
                correction.bounds.extend(bound.map(|most| Bound::MaxViolation(most).into()));
            }
            Kind::KFold => {
                correction.solver = Preset::Default.solver();
                correction.validation = Validation::KFold { folds: 5, seed: 1 };
            }
        }
        correction
    }
}

/// Fits once, and evaluates the classifier on the rows it was trained on and on the others.
fn measure(method: &Method, prepared: &Prepared, notion: &Notion) -> Result<Value> {
    let (correction, learner) = (method.correction(prepared, notion), prepared.learner());
    let start = Instant::now();
    let (binding, problem, _) = Binding::new(&correction, &prepared.train)?;
    let solution = match method.kind {
        Kind::Unconstrained => correction.uncorrected(&problem, &learner)?,
        _ => correction.solve(&problem, &learner, &mut Silent)?,
    };
    let seconds = start.elapsed().as_secs_f64();
    let (unseen, _) = binding.problem(&prepared.test)?;
    let test = solution.evaluate(&unseen, Measure::Decisions)?;
    Ok(json!({
        "seconds": seconds,
        "fits": solution.fits,
        "slack": solution.slack,
        "train_error": solution.train.error,
        "train_violation": solution.train.violation,
        "test_error": test.error,
        "test_violation": test.violation,
        "version": env!("CARGO_PKG_VERSION"),
    }))
}

#[allow(clippy::print_stdout)] // the output of this program
fn print(dataset: &str, notion: &str, split: &str, method: &str, run: usize, mut measured: Value) {
    let names = json!({ "dataset": dataset, "notion": notion, "split": split, "method": method, "run": run });
    if let (Value::Object(line), Value::Object(names)) = (&mut measured, names) {
        line.extend(names);
    }
    println!("{measured}");
}

fn source(dataset: &str) -> Result<Source<'static>> {
    let root = std::env::var_os("EVENHAND_DATA").ok_or("EVENHAND_DATA must name the folder that holds the datasets")?;
    Ok(Recipe::named(dataset)?.read(&Path::new(&root).join(dataset))?)
}

fn prepare(source: &Source, split: &str) -> Result<Prepared> {
    Ok(if split == "published" { source.published()? } else { source.drawn(split.parse()?)? })
}

/// `published,1-3` is `published`, `1`, `2`, `3`.
fn listed(splits: &str) -> Result<Vec<String>> {
    let mut all = Vec::new();
    for split in splits.split(',') {
        match split.split_once('-') {
            Some((first, last)) => all.extend((first.parse::<u64>()?..=last.parse()?).map(|seed| seed.to_string())),
            None => all.push(split.to_owned()),
        }
    }
    Ok(all)
}

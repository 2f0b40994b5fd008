//! The options of `evenhand fit` made into settings, checked before any file is read.

use std::path::{Path, PathBuf};

use anyhow::Result;
use evenhand::constraint::WeightRange;
use evenhand::correction::{Keep, Solver, Technique};
use evenhand::learner::ProcessLearner;
use evenhand::model::Split;
use evenhand::{Bound, Correction, Error, Judgement, Logistic, Measure, Notion, Preset, ReadOptions, Schema, Tilt};

use super::args::{FitArgs, KeepArg, MeasureArg, PresetArg, RangeArg, TechniqueArg, TiltArg};
use crate::failure::Usage;
use crate::files;

/// What `evenhand fit` is to do.
pub(super) struct Config {
    pub(super) data: PathBuf,
    pub(super) schema: Schema,
    pub(super) reading: ReadOptions,
    pub(super) rows: Rows,
    pub(super) correction: Correction,
    pub(super) method: Method,
    pub(super) model: Option<PathBuf>,
    pub(super) weights: Option<PathBuf>,
    pub(super) trace: Option<PathBuf>,
    pub(super) confidence: f64,
    pub(super) threads: Option<usize>,
    pub(super) json: bool,
    pub(super) quiet: bool,
}

/// Where test rows come from.
pub(super) enum Rows {
    /// There are none.
    All,
    /// Some rows are held out.
    Split(Split),
    /// They are in a file.
    TestFile(PathBuf),
}

/// Who fits.
#[derive(Clone)]
pub(super) enum Method {
    Logistic(Logistic),
    Process(ProcessLearner),
}

impl Config {
    pub(super) fn new(args: FitArgs) -> Result<Self> {
        let correction = correction(&args)?;
        let method = method(&args)?;
        check_files(&args)?;
        Judgement::check_confidence(args.confidence)?;
        Ok(Self {
            schema: args.data.schema(),
            reading: args.data.reading()?,
            rows: rows(args.holdout, args.seed, args.test)?,
            data: args.data.data,
            correction,
            method,
            model: args.model,
            weights: args.weights,
            trace: args.trace,
            confidence: args.confidence,
            threads: args.threads.map(usize::from),
            json: args.json,
            quiet: args.quiet,
        })
    }

    /// How rows are held out, if they are.
    pub(super) fn split(&self) -> Option<Split> {
        match self.rows {
            Rows::Split(split) => Some(split),
            _ => None,
        }
    }
}

fn correction(args: &FitArgs) -> Result<Correction> {
    let preset = preset(args);
    let mut notions = args.notions.iter().map(|notion| notion.parse()).collect::<evenhand::Result<Vec<Notion>>>()?;
    let rest = notions.split_off(1);
    let mut correction = rest.into_iter().fold(Correction::new(notions.remove(0)), Correction::and).preset(preset);
    for group in &args.data.groups {
        correction = correction.group(group)?;
    }
    correction.withhold.clone_from(&args.withhold);
    correction.bounds = bounds(args);
    correction.measure = match args.measure {
        MeasureArg::Decisions => Measure::Decisions,
        MeasureArg::Scores => Measure::Scores,
    };
    correction.technique = technique(args)?;
    correction.standardise = !args.no_standardise && (args.standardise || preset.standardises());
    correction.solver = solver(args, preset.solver())?;
    correction.check()?;
    Ok(correction)
}

fn bounds(args: &FitArgs) -> Vec<Bound> {
    let violation = args.max_violation.map(Bound::MaxViolation);
    let difference = args.max_difference.map(Bound::MaxDifference);
    [violation, difference, args.min_ratio.map(Bound::MinRatio)].into_iter().flatten().collect()
}

/// The preset's way, changed as asked. What belongs to the other way is refused rather than forgotten.
fn solver(args: &FitArgs, mut solver: Solver) -> Result<Solver> {
    let loops = [
        ("--tilt", args.tilt.is_some()),
        ("--step", args.step.is_some()),
        ("--loops", args.loops.is_some()),
        ("--keep", args.keep.is_some()),
    ];
    let steps = [("--range", args.range.is_some()), ("--max-fits", args.max_fits.is_some())];
    let given = |options: &[(&'static str, bool)]| options.iter().find(|(_, given)| *given).map(|(name, _)| *name);
    match &mut solver {
        Solver::Newton(newton) => {
            if let Some(option) = given(&loops) {
                let message = format!("{option} belongs to the loop of the paper, and weights are found otherwise");
                return Err(Usage::new(message).hint("give --preset paper or --preset notebook too").into());
            }
            newton.max_fits = args.max_fits.unwrap_or(newton.max_fits);
            newton.range = args.range.map(|range| match range {
                RangeArg::Bounded => WeightRange::Bounded,
                RangeArg::Unbounded => WeightRange::Unbounded,
            });
        }
        Solver::Loop(conventions) => {
            if let Some(option) = given(&steps) {
                let message = format!("{option} does not belong to the loop of the paper");
                return Err(Usage::new(message).hint("leave out --preset").into());
            }
            conventions.step = args.step.unwrap_or(conventions.step);
            conventions.loops = args.loops.unwrap_or(conventions.loops);
            conventions.rule.tilt = match args.tilt {
                Some(TiltArg::Centred) => Tilt::Centred,
                Some(TiltArg::Paper) => Tilt::Paper,
                None => conventions.rule.tilt,
            };
            conventions.keep = match args.keep {
                Some(KeepArg::Best) => Keep::Best,
                Some(KeepArg::Last) => Keep::Last,
                None => conventions.keep,
            };
        }
    }
    Ok(solver)
}

fn preset(args: &FitArgs) -> Preset {
    match args.preset {
        PresetArg::Default => Preset::Default,
        PresetArg::Paper => Preset::Paper,
        PresetArg::Notebook => Preset::Notebook,
    }
}

fn technique(args: &FitArgs) -> Result<Technique> {
    match (args.technique, args.sampling_seed) {
        (TechniqueArg::Sampling, seed) => Ok(Technique::Sampling { seed: seed.unwrap_or(0) }),
        (TechniqueArg::Weighting, None) => Ok(Technique::Weighting),
        (TechniqueArg::Weighting, Some(_)) => {
            let message = "--sampling-seed goes with --technique sampling, and rows are weighted";
            Err(Usage::new(message).hint("give --technique sampling too, or leave out --sampling-seed").into())
        }
    }
}

fn method(args: &FitArgs) -> Result<Method> {
    if let Some(command) = &args.learner {
        return Ok(Method::Process(ProcessLearner { command: command.clone() }));
    }
    let usual = preset(args).learner();
    let penalise_intercept = args.penalise_intercept || usual.penalise_intercept && !args.no_penalise_intercept;
    let learner = Logistic { l2: args.l2.unwrap_or(usual.l2), penalise_intercept, ..usual };
    learner.check()?;
    Ok(Method::Logistic(learner))
}

fn rows(holdout: Option<f64>, seed: u64, test: Option<PathBuf>) -> Result<Rows> {
    match (holdout, test) {
        (Some(holdout), _) if !(holdout > 0.0 && holdout < 1.0) => Err(Error::Setting {
            setting: "holdout",
            found: holdout.to_string(),
            allowed: "a fraction above 0 and below 1".into(),
        }
        .into()),
        (Some(holdout), _) => Ok(Rows::Split(Split { holdout, seed })),
        (None, Some(path)) => Ok(Rows::TestFile(path)),
        (None, None) => Ok(Rows::All),
    }
}

fn check_files(args: &FitArgs) -> Result<()> {
    let mut others: Vec<&Path> = vec![&args.data.data];
    others.extend(args.test.as_deref());
    if let Some(model) = &args.model {
        files::check_output(model, &others)?;
        others.push(model);
    }
    for table in [&args.weights, &args.trace].into_iter().flatten() {
        files::check_table(table, &others)?;
        others.push(table);
    }
    Ok(())
}

//! The options of `evenhand fit` made into settings, checked before any file is read.

use std::path::PathBuf;

use anyhow::Result;
use evenhand::correction::WeightRange;
use evenhand::correction::{Decisions, Keep, Lagrangian, Solver, Technique, ThresholdPostprocessing, Validation};
use evenhand::{Bound, BoundTest, Correction, Method, Preset, Tilt};

use super::args::{DecisionsArg, FitArgs, KeepArg, MethodArg, PresetArg, RangeArg, TechniqueArg, TiltArg};
use crate::failure::Usage;
use crate::files;
use crate::page;
use crate::training::Training;

/// What `evenhand fit` is to do.
pub(super) struct Config {
    pub(super) training: Training,
    pub(super) correction: Correction,
    pub(super) model: Option<PathBuf>,
    pub(super) weights: Option<PathBuf>,
    pub(super) trace: Option<PathBuf>,
    pub(super) report: Option<PathBuf>,
    pub(super) confidence: f64,
}

impl Config {
    pub(super) fn new(args: FitArgs) -> Result<Self> {
        let correction = correction(&args)?;
        let mut usual = args.training.usual(Preset::from(args.preset));
        usual.penalise_intercept &= !args.no_penalise_intercept;
        let training = Training::new(args.training, usual)?;
        check_files(&training, [&args.model, &args.report], &[&args.weights, &args.trace])?;
        BoundTest::check_confidence(args.confidence)?;
        Ok(Self {
            training,
            correction,
            model: args.model,
            weights: args.weights,
            trace: args.trace,
            report: args.report,
            confidence: args.confidence,
        })
    }
}

impl Config {
    /// The note where no file was asked for.
    pub(super) fn nothing_saved(&self) -> &'static str {
        match self.correction.method {
            Method::Correction | Method::Reweighing => {
                "nothing was saved; give --model FILE, or --weights FILE for a learner elsewhere"
            }
            _ => "nothing was saved; give --model FILE",
        }
    }
}

fn correction(args: &FitArgs) -> Result<Correction> {
    let preset = Preset::from(args.preset);
    let mut correction = args.training.correction(preset)?;
    correction.method = method(args)?;
    correction.bounds = bounds(args);
    correction.technique = technique(args)?;
    correction.standardise |= args.standardise;
    correction.solver = solver(args, preset.solver())?;
    correction.validation = args.validation.parse::<Validation>()?.seeded(args.validation_seed);
    correction.check()?;
    Ok(correction)
}

fn bounds(args: &FitArgs) -> Vec<Bound> {
    let violation = args.max_violation.map(Bound::MaxViolation);
    let difference = args.max_difference.map(Bound::MaxDifference);
    [violation, difference, args.min_ratio.map(Bound::MinRatio)].into_iter().flatten().collect()
}

/// The method with its own options. What belongs to others is refused rather than forgotten.
fn method(args: &FitArgs) -> Result<Method> {
    let method = match args.method {
        MethodArg::Correction => Method::Correction,
        MethodArg::Unconstrained => Method::Unconstrained,
        MethodArg::Reweighing => Method::Reweighing,
        MethodArg::ThresholdPostprocessing => {
            Method::ThresholdPostprocessing(ThresholdPostprocessing { decisions: decisions(args) })
        }
        MethodArg::Lagrangian => {
            Method::Lagrangian(Lagrangian { seed: args.method_seed.unwrap_or(0), ..Lagrangian::default() })
        }
    };
    let refused = if method.is_correction() {
        foreign(args, method)
    } else {
        foreign(args, method).or_else(|| of_corrections(args)).or_else(|| of_output(args, method))
    };
    match refused {
        Some((option, why)) => Err(Usage::new(format!("{option} does not go with --method {method}: {why}"))
            .hint("leave one of the two out")
            .into()),
        None => Ok(method),
    }
}

fn decisions(args: &FitArgs) -> Decisions {
    match args.decisions {
        Some(DecisionsArg::Deterministic) => Decisions::Deterministic,
        Some(DecisionsArg::Randomised) | None => Decisions::Randomised { seed: args.method_seed.unwrap_or(0) },
    }
}

/// An option that was given, and why it does not go with the method.
type Refused = Option<(&'static str, &'static str)>;

/// Options of threshold post-processing and of the Lagrangian approach.
fn foreign(args: &FitArgs, method: Method) -> Refused {
    let draws = matches!(
        method,
        Method::ThresholdPostprocessing(ThresholdPostprocessing { decisions: Decisions::Randomised { .. } })
            | Method::Lagrangian(_)
    );
    let linear = matches!(method, Method::Lagrangian(_));
    let own = args.training.own_learner().or(args.no_penalise_intercept.then_some("--no-penalise-intercept"));
    match own {
        Some(option) if linear => Some((option, "it trains a linear model of its own, without a penalty")),
        _ if args.decisions.is_some() && !method.decides_by_group() => {
            Some(("--decisions", "only threshold-postprocessing has thresholds to draw between"))
        }
        _ if args.method_seed.is_some() && !draws => Some(("--method-seed", "nothing is drawn")),
        _ => None,
    }
}

/// Options of the search for multipliers.
fn of_corrections(args: &FitArgs) -> Refused {
    let given = [
        ("--range", args.range.is_some()),
        ("--margin", args.margin.is_some()),
        ("--max-fits", args.max_fits.is_some()),
        ("--tilt", args.tilt.is_some()),
        ("--step", args.step.is_some()),
        ("--loops", args.loops.is_some()),
        ("--keep", args.keep.is_some()),
        ("--sampling-seed", args.sampling_seed.is_some()),
        ("--preset paper", args.preset == PresetArg::Paper),
    ];
    let first = given.into_iter().find(|(_, given)| *given);
    first.map(|(option, _)| (option, "only a correction looks for weights by multipliers"))
}

/// Files that a method has nothing to write to.
fn of_output(args: &FitArgs, method: Method) -> Refused {
    let weighs = method == Method::Reweighing;
    let loops = matches!(method, Method::Lagrangian(_));
    match (&args.weights, &args.trace) {
        (Some(_), _) if !weighs => Some(("--weights", "it weighs no row differently")),
        (_, Some(_)) if !loops => Some(("--trace", "it has no loops")),
        _ => None,
    }
}

/// The preset's way, changed as asked. What belongs to the other way is refused rather than forgotten.
fn solver(args: &FitArgs, mut solver: Solver) -> Result<Solver> {
    let loops = [
        ("--tilt", args.tilt.is_some()),
        ("--step", args.step.is_some()),
        ("--loops", args.loops.is_some()),
        ("--keep", args.keep.is_some()),
    ];
    let steps = [
        ("--range", args.range.is_some()),
        ("--max-fits", args.max_fits.is_some()),
        ("--margin", args.margin.is_some()),
    ];
    let given = |options: &[(&'static str, bool)]| options.iter().find(|(_, given)| *given).map(|(name, _)| *name);
    match &mut solver {
        Solver::Sqp(newton) => {
            if let Some(option) = given(&loops) {
                let message = format!("{option} belongs to the loop of the paper, and weights are found otherwise");
                return Err(Usage::new(message).hint("give --preset paper or --preset notebook too").into());
            }
            newton.max_fits = args.max_fits.unwrap_or(newton.max_fits);
            newton.margin = args.margin.unwrap_or(newton.margin);
            newton.range = args.range.map(|range| match range {
                RangeArg::Bounded => WeightRange::Bounded,
                RangeArg::Unbounded => WeightRange::Unbounded,
            });
        }
        Solver::Loop(loop_settings) => {
            if let Some(option) = given(&steps) {
                let message = format!("{option} does not belong to the loop of the paper");
                return Err(Usage::new(message).hint("leave out --preset").into());
            }
            loop_settings.step = args.step.unwrap_or(loop_settings.step);
            loop_settings.loops = args.loops.unwrap_or(loop_settings.loops);
            loop_settings.rule.tilt = match args.tilt {
                Some(TiltArg::Centred) => Tilt::Centred,
                Some(TiltArg::Paper) => Tilt::Paper,
                None => loop_settings.rule.tilt,
            };
            loop_settings.keep = match args.keep {
                Some(KeepArg::Best) => Keep::Best,
                Some(KeepArg::Last) => Keep::Last,
                None => loop_settings.keep,
            };
        }
    }
    Ok(solver)
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

fn check_files(training: &Training, [model, report]: [&Option<PathBuf>; 2], tables: &[&Option<PathBuf>]) -> Result<()> {
    let mut others = training.files();
    if let Some(model) = model {
        files::check_output(model, &others)?;
        others.push(model);
    }
    if let Some(report) = report {
        page::check(report, &others)?;
        others.push(report);
    }
    for table in tables.iter().copied().flatten() {
        files::check_table(table, &others)?;
        others.push(table);
    }
    Ok(())
}

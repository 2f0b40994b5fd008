//! The options of `evenhand fit` made into settings, checked before any file is read.

use std::path::PathBuf;

use anyhow::Result;
use evenhand::correction::{
    Apply, CorrectionOptions, Decisions, Keep, Lagrangian, StoredSettings, Technique, ThresholdPostprocessing,
    Validation, WeightRange,
};
use evenhand::{BoundTest, Correction, Method, Preset};

use super::args::{DecisionsArg, FitArgs, KeepArg, MethodArg, RangeArg, TechniqueArg};
use crate::bounds;
use crate::failure::Usage;
use crate::files;
use crate::outputs::CsvArgs;
use crate::page;
use crate::signature::SigningKey;
use crate::training::Training;

/// What `evenhand fit` is to do.
pub(super) struct Config {
    pub(super) training: Training,
    pub(super) correction: Correction,
    /// How rows are gone through that are not all in memory.
    pub(super) stored: StoredSettings,
    pub(super) model: Option<PathBuf>,
    pub(super) signing_key: Option<SigningKey>,
    pub(super) weights: Option<PathBuf>,
    pub(super) trace: Option<PathBuf>,
    pub(super) report: Option<PathBuf>,
    /// The rows to predict with what was found, and where to write them.
    pub(super) predictions: Option<(PathBuf, PathBuf)>,
    pub(super) csv: CsvArgs,
    pub(super) confidence: f64,
    /// Whether only a bound that is met for sure will do.
    pub(super) strict: bool,
}

impl Config {
    pub(super) fn new(args: FitArgs) -> Result<Self> {
        let correction = correction(&args)?;
        let mut usual = args.training.usual(Preset::from(args.preset));
        usual.penalise_intercept &= !args.no_penalise_intercept;
        if args.weights.is_some() {
            args.training.check_each_once("--weights")?;
        }
        let training = Training::new(args.training, usual)?;
        check_files(&training, [&args.model, &args.report], &[&args.weights, &args.trace])?;
        BoundTest::check_confidence(args.confidence)?;
        bounds::check_strict(args.strict, &correction.bounds)?;
        Ok(Self {
            training,
            correction,
            stored: args.many_rows.settings()?,
            model: args.model,
            signing_key: args.sign.as_deref().map(SigningKey::read).transpose()?,
            weights: args.weights,
            trace: args.trace,
            report: args.report,
            predictions: None,
            csv: args.csv,
            confidence: args.confidence,
            strict: args.strict,
        })
    }
}

impl Config {
    /// The note where no file was asked for.
    pub(super) fn nothing_saved(&self) -> &'static str {
        match self.correction.method {
            _ if self.correction.apply == Apply::Tilt => "nothing was saved; give --model FILE",
            Method::Correction | Method::Reweighing => {
                "nothing was saved; give --model FILE, or --weights FILE for a learner elsewhere"
            }
            _ => "nothing was saved; give --model FILE",
        }
    }
}

fn correction(args: &FitArgs) -> Result<Correction> {
    let method = method(args)?;
    let usual = args.training.options(Preset::from(args.preset))?;
    let options = CorrectionOptions {
        max_violation: args.bounds.max_violation.clone(),
        max_difference: args.bounds.max_difference.clone(),
        min_ratio: args.bounds.min_ratio.clone(),
        method,
        notable_change: Some(args.notable_change),
        margin: args.margin,
        max_fits: args.max_fits,
        range: args.range.map(|range| match range {
            RangeArg::Bounded => WeightRange::Bounded,
            RangeArg::Unbounded => WeightRange::Unbounded,
        }),
        step: args.step,
        loops: args.loops,
        keep: args.keep.map(|keep| match keep {
            KeepArg::Best => Keep::Best,
            KeepArg::Last => Keep::Last,
        }),
        validation: args.validation.parse::<Validation>()?.seeded(args.validation_seed),
        technique: technique(args)?,
        standardise: usual.standardise.or(args.standardise.then_some(true)),
        ..usual
    };
    let correction = options.build()?;
    if correction.apply == Apply::Tilt && args.weights.is_some() {
        let message =
            "--weights does not go with --apply tilt: probabilities are tilted, and no row weighs differently";
        return Err(Usage::new(message).hint("leave one of the two out").into());
    }
    Ok(correction)
}

/// The method with its own options; those of other methods are refused. What belongs to a search for multipliers is
/// checked by the engine.
fn method(args: &FitArgs) -> Result<Method> {
    let method = match args.method {
        MethodArg::Correction | MethodArg::Sampling => Method::Correction,
        MethodArg::Unconstrained => Method::Unconstrained,
        MethodArg::Reweighing => Method::Reweighing,
        MethodArg::ThresholdPostprocessing | MethodArg::Thresholds => {
            Method::ThresholdPostprocessing(ThresholdPostprocessing { decisions: decisions(args) })
        }
        MethodArg::PercentileThresholds => Method::PercentileThresholds,
        MethodArg::Lagrangian => {
            Method::Lagrangian(Lagrangian { seed: args.method_seed.unwrap_or(0), ..Lagrangian::default() })
        }
    };
    let refused = without_use(args, method).or_else(|| without_content(args, method));
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
        None if args.method == MethodArg::Thresholds => Decisions::Deterministic,
        Some(DecisionsArg::Randomised) | None => Decisions::Randomised { seed: args.method_seed.unwrap_or(0) },
    }
}

/// An option that was given, and why it does not go with the method.
type Refused = Option<(&'static str, &'static str)>;

/// Options of one method that the method at hand has no use for.
fn without_use(args: &FitArgs, method: Method) -> Refused {
    let draws = matches!(
        method,
        Method::ThresholdPostprocessing(ThresholdPostprocessing { decisions: Decisions::Randomised { .. } })
            | Method::Lagrangian(_)
    );
    let linear = matches!(method, Method::Lagrangian(_));
    let own = args.training.own_learner().or(args.no_penalise_intercept.then_some("--no-penalise-intercept"));
    match own {
        Some(option) if linear => Some((option, "it trains a linear model of its own, without a penalty")),
        _ if args.decisions.is_some() && !matches!(method, Method::ThresholdPostprocessing(_)) => {
            Some(("--decisions", "only threshold-postprocessing has thresholds to draw between"))
        }
        _ if args.method_seed.is_some() && !draws => Some(("--method-seed", "nothing is drawn")),
        _ => None,
    }
}

/// Files that a method has nothing to write to.
fn without_content(args: &FitArgs, method: Method) -> Refused {
    let weighs = matches!(method, Method::Correction | Method::Reweighing);
    let loops = matches!(method, Method::Correction | Method::Lagrangian(_));
    match (&args.weights, &args.trace) {
        (Some(_), _) if !weighs => Some(("--weights", "it weighs no row differently")),
        (_, Some(_)) if !loops => Some(("--trace", "it has no iterations")),
        _ => None,
    }
}

fn technique(args: &FitArgs) -> Result<Technique> {
    let technique = if args.method == MethodArg::Sampling { TechniqueArg::Sampling } else { args.technique };
    match (technique, args.sampling_seed) {
        (TechniqueArg::Sampling, seed) => Ok(Technique::Sampling { seed: seed.unwrap_or(0) }),
        (TechniqueArg::Weighting, None) => Ok(Technique::Weighting),
        (TechniqueArg::Weighting, Some(_)) => {
            let message = "--sampling-seed goes with --technique sampling, and rows are weighted";
            Err(Usage::new(message).hint("give --technique sampling too, or leave out --sampling-seed").into())
        }
    }
}

pub(super) fn check_files(
    training: &Training,
    [model, report]: [&Option<PathBuf>; 2],
    tables: &[&Option<PathBuf>],
) -> Result<()> {
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

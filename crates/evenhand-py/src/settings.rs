//! What is asked, and the roles of columns.

use evenhand::correction::WeightRange;
use evenhand::correction::{CovariateShift, Decisions, Keep, Lagrangian, Solver, Technique, ThresholdPostprocessing};
use evenhand::{Bound, Correction, Error, Logistic, Measure, Method, Notion, Preset, Schema, Tilt};
use pyo3::prelude::*;

use crate::error::raised;

/// A correction and its built-in learner, checked.
#[pyclass(module = "evenhand._core", frozen)]
pub(crate) struct Settings {
    pub(crate) correction: Correction,
    pub(crate) learner: Logistic,
}

/// Which column is the label, what counts as positive, which one weighs rows, and what is a category or a number.
#[pyclass(module = "evenhand._core", frozen)]
pub(crate) struct Roles {
    pub(crate) schema: Schema,
}

#[pymethods]
impl Roles {
    #[new]
    #[pyo3(signature = (label, *, positive=None, weight=None, categorical=None, numeric=None))]
    fn new(
        label: &str,
        positive: Option<String>,
        weight: Option<String>,
        categorical: Option<Vec<String>>,
        numeric: Option<Vec<String>>,
    ) -> Self {
        let mut schema = Schema::label(label);
        if let Some(positive) = positive {
            schema = schema.positive(positive);
        }
        if let Some(weight) = weight {
            schema = schema.weight(weight);
        }
        schema = categorical.into_iter().flatten().fold(schema, Schema::categorical);
        schema = numeric.into_iter().flatten().fold(schema, Schema::numeric);
        Self { schema }
    }
}

#[pymethods]
impl Settings {
    #[new]
    #[pyo3(signature = (
        notions, *, groups, withhold, max_violation=None, max_difference=None, min_ratio=None, preset="default",
        validation="training", measure="decisions", covariate_shift="ignored", seed=0, method="weighting", margin=None, max_fits=None, bounded=None, loops=None,
        step=None, centred=None, keep_best=None, standardise=None, l2=None, penalise_intercept=None, tolerance=None,
        max_passes=None,
    ))]
    #[allow(clippy::too_many_arguments)] // the settings, by name
    fn new(
        notions: Vec<String>,
        groups: Vec<String>,
        withhold: Vec<String>,
        max_violation: Option<f64>,
        max_difference: Option<f64>,
        min_ratio: Option<f64>,
        preset: &str,
        validation: &str,
        measure: &str,
        covariate_shift: &str,
        seed: u64,
        method: &str,
        margin: Option<f64>,
        max_fits: Option<usize>,
        bounded: Option<bool>,
        loops: Option<usize>,
        step: Option<f64>,
        centred: Option<bool>,
        keep_best: Option<bool>,
        standardise: Option<bool>,
        l2: Option<f64>,
        penalise_intercept: Option<bool>,
        tolerance: Option<f64>,
        max_passes: Option<usize>,
    ) -> PyResult<Self> {
        let make = || -> evenhand::Result<Self> {
            let preset = preset_of(preset)?;
            let mut correction = asked(&notions)?.preset(preset);
            correction.groups = groups.iter().map(|group| group.parse()).collect::<evenhand::Result<_>>()?;
            correction.withhold = withhold;
            let bounds = [
                max_violation.map(Bound::MaxViolation),
                max_difference.map(Bound::MaxDifference),
                min_ratio.map(Bound::MinRatio),
            ];
            correction.bounds = bounds.into_iter().flatten().collect();
            correction.validation = validation.parse::<evenhand::correction::Validation>()?.seeded(seed);
            correction.measure = measure_of(measure)?;
            correction.covariate_shift = covariate_shift_of(covariate_shift)?;
            correction.standardise = standardise.unwrap_or(correction.standardise);
            (correction.method, correction.technique) = method_of(method, seed)?;
            match &mut correction.solver {
                Solver::Sqp(newton) => {
                    refuse(preset, &[("loops", loops.is_some()), ("step", step.is_some())])?;
                    refuse(preset, &[("tilt", centred.is_some()), ("keep", keep_best.is_some())])?;
                    newton.max_fits = max_fits.unwrap_or(newton.max_fits);
                    newton.margin = margin.unwrap_or(newton.margin);
                    newton.range =
                        bounded.map(|bounded| if bounded { WeightRange::Bounded } else { WeightRange::Unbounded });
                }
                Solver::Loop(loop_settings) => {
                    refuse(preset, &[("max_fits", max_fits.is_some()), ("weight_range", bounded.is_some())])?;
                    refuse(preset, &[("margin", margin.is_some())])?;
                    loop_settings.loops = loops.unwrap_or(loop_settings.loops);
                    loop_settings.step = step.unwrap_or(loop_settings.step);
                    if let Some(centred) = centred {
                        loop_settings.rule.tilt = if centred { Tilt::Centred } else { Tilt::Paper };
                    }
                    if let Some(best) = keep_best {
                        loop_settings.keep = if best { Keep::Best } else { Keep::Last };
                    }
                }
            }
            let usual = preset.learner();
            let learner = Logistic {
                l2: l2.unwrap_or(usual.l2),
                penalise_intercept: penalise_intercept.unwrap_or(usual.penalise_intercept),
                tolerance: tolerance.unwrap_or(usual.tolerance),
                max_passes: max_passes.unwrap_or(usual.max_passes),
            };
            correction.check()?;
            learner.check()?;
            Ok(Self { correction, learner })
        };
        make().map_err(raised)
    }

    /// How many times the learner is called at most.
    #[getter]
    fn most_fits(&self) -> usize {
        self.correction.solver.most_fits()
    }

    /// The notions in the engine's spelling.
    #[getter]
    fn notions(&self) -> Vec<String> {
        self.correction.notions.iter().map(ToString::to_string).collect()
    }
}

/// A correction for some notions, none of them twice.
pub(crate) fn asked(notions: &[String]) -> evenhand::Result<Correction> {
    let mut notions = notions.iter().map(|notion| notion.parse::<Notion>());
    let first = notions.next().ok_or_else(|| setting("constraints", "none", "one or more"))??;
    notions.try_fold(Correction::new(first), |correction, notion| Ok(correction.and(notion?)))
}

fn refuse(preset: Preset, given: &[(&'static str, bool)]) -> evenhand::Result<()> {
    match given.iter().find(|(_, given)| *given) {
        Some(&(name, _)) if preset == Preset::Default => {
            Err(setting(name, "given", "none with preset `default`: it belongs to `paper` and `notebook`"))
        }
        Some(&(name, _)) => Err(setting(name, "given", "none with this preset: it belongs to `default`")),
        None => Ok(()),
    }
}

fn preset_of(preset: &str) -> evenhand::Result<Preset> {
    match preset {
        "default" => Ok(Preset::Default),
        "paper" => Ok(Preset::Paper),
        "notebook" => Ok(Preset::Notebook),
        other => Err(setting("preset", &format!("`{other}`"), "`default`, `paper` or `notebook`")),
    }
}

/// A method as Python names it: how a correction is applied, or another method.
fn method_of(method: &str, seed: u64) -> evenhand::Result<(Method, Technique)> {
    let by_group = |decisions| Method::ThresholdPostprocessing(ThresholdPostprocessing { decisions });
    Ok(match method {
        "weighting" => (Method::Correction, Technique::Weighting),
        "sampling" => (Method::Correction, Technique::Sampling { seed }),
        "unconstrained" => (Method::Unconstrained, Technique::Weighting),
        "reweighing" => (Method::Reweighing, Technique::Weighting),
        "threshold-postprocessing" | "calibration" => (by_group(Decisions::Randomised { seed }), Technique::Weighting),
        "thresholds" => (by_group(Decisions::Deterministic), Technique::Weighting),
        "lagrangian" => (Method::Lagrangian(Lagrangian { seed, ..Lagrangian::default() }), Technique::Weighting),
        other => {
            let allowed = "`weighting`, `sampling`, `unconstrained`, `reweighing`, `threshold-postprocessing`, `thresholds` or `lagrangian`";
            return Err(setting("method", &format!("`{other}`"), allowed));
        }
    })
}

pub(crate) fn measure_of(measure: &str) -> evenhand::Result<Measure> {
    match measure {
        "decisions" => Ok(Measure::Decisions),
        "scores" => Ok(Measure::Scores),
        other => Err(setting("measure", &format!("`{other}`"), "`decisions` or `scores`")),
    }
}

fn covariate_shift_of(name: &str) -> evenhand::Result<CovariateShift> {
    match name {
        "ignored" => Ok(CovariateShift::Ignored),
        "corrected" => Ok(CovariateShift::Corrected),
        other => Err(setting("covariate_shift", &format!("`{other}`"), "`ignored` or `corrected`")),
    }
}

pub(crate) fn setting(setting: &'static str, found: &str, allowed: &str) -> Error {
    Error::setting(setting, found, allowed)
}

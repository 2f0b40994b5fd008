//! What is asked, and the roles of columns.

use std::str::FromStr;

use evenhand::correction::{
    Apply, CorrectionOptions, CovariateShift, Decisions, Keep, Lagrangian, Limit, Score, Technique,
    ThresholdPostprocessing, Validation, WeightRange,
};
use evenhand::learner::{Batches, Network, check_network};
use evenhand::{Correction, Error, Logistic, Measure, Method, Preset, ReadOptions, Schema, Tilt};
use pyo3::prelude::*;

use crate::error::raised;

/// A correction and its built-in learner, checked.
#[pyclass(module = "evenhand._core", frozen)]
pub(crate) struct Settings {
    pub(crate) correction: Correction,
    pub(crate) learner: Logistic,
    /// What learns in its place, if anything.
    pub(crate) network: Option<Network>,
}

/// Which column is the label, what counts as positive, which one weighs rows, which says how often each counts, what is a category or a number, and which
/// texts mean a missing value.
#[pyclass(module = "evenhand._core", frozen)]
pub(crate) struct Roles {
    pub(crate) schema: Schema,
    pub(crate) missing: Vec<String>,
    pub(crate) frequency: Option<String>,
}

#[pymethods]
impl Roles {
    #[new]
    #[pyo3(signature = (label, *, positive=None, weight=None, categorical=None, numeric=None, missing=None, frequency=None))]
    fn new(
        label: &str,
        positive: Option<String>,
        weight: Option<String>,
        categorical: Option<Vec<String>>,
        numeric: Option<Vec<String>>,
        missing: Option<Vec<String>>,
        frequency: Option<String>,
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
        Self { schema, missing: missing.unwrap_or_default(), frequency }
    }
}

impl Roles {
    /// The same, where what stands in the place of labels are predictions.
    pub(crate) fn of_predictions(&self) -> Self {
        let (missing, frequency) = (self.missing.clone(), self.frequency.clone());
        Self { schema: self.schema.clone().of_predictions(), missing, frequency }
    }

    /// How columns are read that come from no file.
    pub(crate) fn reading(&self) -> ReadOptions {
        ReadOptions { frequency: self.frequency.clone(), ..ReadOptions::default().missing(&self.missing) }
    }
}

#[pymethods]
impl Settings {
    #[new]
    #[pyo3(signature = (
        notions, *, groups, withhold, beside=vec![], max_violation=None, max_difference=None, min_ratio=None, preset="default",
        validation="training", measure="decisions", threshold="half", covariate_shift="ignored", seed=0, method="weighting", margin=None, min_group=None, max_fits=None, bounded=None, loops=None,
        step=None, tilt=None, apply="weights", keep_best=None, notable_change=None, standardise=None, interactions=None, l2=None, penalise_intercept=None, tolerance=None,
        max_passes=None, score=None, with_group=false, network=None,
    ))]
    #[allow(clippy::too_many_arguments)] // the settings, by name
    fn new(
        notions: Vec<String>,
        groups: Vec<String>,
        withhold: Vec<String>,
        beside: Vec<String>,
        max_violation: Option<Limits>,
        max_difference: Option<Limits>,
        min_ratio: Option<Limits>,
        preset: &str,
        validation: &str,
        measure: &str,
        threshold: &str,
        covariate_shift: &str,
        seed: u64,
        method: &str,
        margin: Option<f64>,
        min_group: Option<usize>,
        max_fits: Option<usize>,
        bounded: Option<bool>,
        loops: Option<usize>,
        step: Option<f64>,
        tilt: Option<&str>,
        apply: &str,
        keep_best: Option<bool>,
        notable_change: Option<f64>,
        standardise: Option<bool>,
        interactions: Option<bool>,
        l2: Option<f64>,
        penalise_intercept: Option<bool>,
        tolerance: Option<f64>,
        max_passes: Option<usize>,
        score: Option<String>,
        with_group: bool,
        network: Option<Layers>,
    ) -> PyResult<Self> {
        let make = || -> evenhand::Result<Self> {
            let preset = preset_of(preset)?;
            let (method, technique) = method_of(method, seed)?;
            let options = CorrectionOptions {
                notions: parsed(&notions)?,
                groups: parsed(&groups)?,
                withhold,
                beside,
                max_violation: limits(max_violation),
                max_difference: limits(max_difference),
                min_ratio: limits(min_ratio),
                method,
                preset,
                margin,
                min_group,
                max_fits,
                range: bounded.map(|bounded| if bounded { WeightRange::Bounded } else { WeightRange::Unbounded }),
                tilt: tilt.map(tilt_of).transpose()?,
                step,
                loops,
                keep: keep_best.map(|best| if best { Keep::Best } else { Keep::Last }),
                validation: validation.parse::<Validation>()?.seeded(seed),
                measure: measure_of(measure)?,
                threshold: threshold.parse()?,
                apply: apply_of(apply)?,
                technique,
                covariate_shift: covariate_shift_of(covariate_shift)?,
                notable_change,
                standardise,
                interactions,
                score: score.map(|column| Score { column, with_group }),
                plan: None,
            };
            let correction = options.build()?;
            let usual = preset.learner();
            let learner = Logistic {
                l2: l2.unwrap_or(usual.l2),
                penalise_intercept: penalise_intercept.unwrap_or(usual.penalise_intercept),
                tolerance: tolerance.unwrap_or(usual.tolerance),
                max_passes: max_passes.unwrap_or(usual.max_passes),
            };
            learner.check()?;
            let network = network.map(network_of).transpose()?;
            Ok(Self { correction, learner, network })
        };
        make().map_err(raised)
    }

    /// How many times the learner is called at most.
    #[getter]
    fn most_fits(&self) -> usize {
        self.correction.solver.most_fits()
    }

    /// The columns that groups and notions name, those of a table with these columns.
    fn named_columns(&self, known: Vec<String>) -> PyResult<Vec<String>> {
        self.correction.named_columns(&known).map_err(raised)
    }

    /// The notions in the engine's spelling.
    #[getter]
    fn notions(&self) -> Vec<String> {
        self.correction.notions.iter().map(ToString::to_string).collect()
    }
}

/// What texts mean: groups or notions.
pub(crate) fn parsed<T: FromStr<Err = evenhand::Error>>(texts: &[String]) -> evenhand::Result<Vec<T>> {
    texts.iter().map(|text| text.parse()).collect()
}

/// A bound as Python hands it over: numbers, each for a notion or for all.
pub(crate) type Limits = Vec<(Option<String>, f64)>;

pub(crate) fn limits(given: Option<Limits>) -> Vec<Limit> {
    given.into_iter().flatten().map(|(notion, limit)| Limit { notion, limit }).collect()
}

/// A network as Python hands it over: layers, steps, batch, learning rate, how weights count, seed.
type Layers = (Vec<usize>, usize, usize, f64, String, u64);

fn network_of((layers, steps, batch, learning_rate, batches, seed): Layers) -> evenhand::Result<Network> {
    let batches = match batches.as_str() {
        "drawn" => Batches::Drawn,
        "weighted" => Batches::Weighted,
        other => return Err(setting("batches", &format!("`{other}`"), "`drawn` or `weighted`")),
    };
    let network = Network { layers, steps, batch, learning_rate, batches, seed };
    check_network(&network)?;
    Ok(network)
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
        "weighting" | "correction" => (Method::Correction, Technique::Weighting),
        "sampling" => (Method::Correction, Technique::Sampling { seed }),
        "unconstrained" => (Method::Unconstrained, Technique::Weighting),
        "reweighing" => (Method::Reweighing, Technique::Weighting),
        "percentile-thresholds" | "calibration" => (Method::PercentileThresholds, Technique::Weighting),
        "threshold-postprocessing" => (by_group(Decisions::Randomised { seed }), Technique::Weighting),
        "thresholds" => (by_group(Decisions::Deterministic), Technique::Weighting),
        "lagrangian" => (Method::Lagrangian(Lagrangian { seed, ..Lagrangian::default() }), Technique::Weighting),
        other => {
            let allowed = "`weighting`, `sampling`, `unconstrained`, `reweighing`, `threshold-postprocessing`, `thresholds`, `percentile-thresholds` or `lagrangian`";
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

fn apply_of(apply: &str) -> evenhand::Result<Apply> {
    match apply {
        "weights" => Ok(Apply::Weights),
        "tilt" => Ok(Apply::Tilt),
        other => Err(setting("apply", &format!("`{other}`"), "`weights` or `tilt`")),
    }
}

pub(crate) fn tilt_of(tilt: &str) -> evenhand::Result<Tilt> {
    match tilt {
        "expected" => Ok(Tilt::Expected),
        "centred" => Ok(Tilt::Centred),
        "paper" => Ok(Tilt::Paper),
        other => Err(setting("tilt", &format!("`{other}`"), "`expected`, `centred` or `paper`")),
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

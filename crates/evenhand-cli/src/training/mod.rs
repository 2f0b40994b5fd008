//! What `fit` and `frontier` share: rows to train and to test on, what is asked of them, and who learns.
//!
//! `args` is what can be typed, `rows` reads what it names. Everything is checked before any file is read.

mod args;
mod costly;
#[cfg(feature = "network")]
mod network;
mod rows;

pub(crate) use args::{MeasureArg, ThresholdArg, TrainingArgs, notions_below, see_below};

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use evenhand::correction::{Apply, CorrectionOptions, CovariateShift};
use evenhand::learner::{Given, ProcessLearner};
use evenhand::model::Split;
use evenhand::{Dataset, Logistic, Preset, Tilt};
#[cfg(feature = "report")]
use evenhand_report::{FEW_STRENGTHS, STRENGTHS, built_in};

use crate::origin::{Origin, Streamable};
#[cfg(feature = "report")]
use crate::page;
use crate::progress::Progress;
use args::{ApplyArg, CovariateShiftArg, TiltArg};
pub(crate) use costly::Costly;
pub(crate) use rows::Read;
use rows::Rows;

/// Options that make sense, made into settings.
pub(crate) struct Training {
    origin: Origin,
    files: Vec<PathBuf>,
    rows: Rows,
    pub(crate) fitter: Fitter,
    threads: Option<usize>,
    pub(crate) json: bool,
    quiet: bool,
}

/// Which rows `correct` is tested on, and how it runs.
pub(crate) struct ScoreRowsArgs {
    pub(crate) test: Option<PathBuf>,
    pub(crate) holdout: Option<f64>,
    pub(crate) seed: u64,
    pub(crate) threads: Option<u16>,
    pub(crate) json: bool,
    pub(crate) quiet: bool,
}

/// Who fits.
#[derive(Clone)]
pub(crate) enum Fitter {
    Logistic(Logistic),
    /// Nobody: another model's scores are given.
    Given(Given),
    #[cfg(feature = "network")]
    Network(evenhand::learner::Network),
    Process(ProcessLearner),
}

#[cfg(feature = "report")]
impl Fitter {
    /// How much of a correction a report tries: less where learning may take long.
    pub(crate) fn strengths(&self) -> &'static [f64] {
        match self {
            Self::Logistic(_) | Self::Given(_) => &STRENGTHS,
            #[cfg(feature = "network")]
            Self::Network(_) => &FEW_STRENGTHS,
            Self::Process(_) => &FEW_STRENGTHS,
        }
    }

    /// Who learned, as a report repeats it.
    pub(crate) fn record(&self) -> serde_json::Value {
        match self {
            Self::Logistic(settings) => built_in(settings),
            Self::Given(given) => serde_json::json!({ "kind": "given", "settings": given.membership }),
            #[cfg(feature = "network")]
            Self::Network(settings) => serde_json::json!({ "kind": "network", "settings": settings }),
            Self::Process(learner) => {
                serde_json::json!({ "kind": "process", "command": page::without_folders(&learner.command) })
            }
        }
    }
}

impl Training {
    /// For scores that come with the rows; `membership` is by what is learned who is in a group.
    pub(crate) fn of_scores(args: ScoreRowsArgs, origin: Origin, membership: Logistic) -> Result<Self> {
        membership.check()?;
        let rows = Rows::new(args.holdout, args.seed, args.test)?;
        let (fitter, threads) = (Fitter::Given(Given { membership }), args.threads);
        Ok(Self::with(origin, rows, fitter, threads, [args.json, args.quiet]))
    }

    /// With the built-in learner as `usual`, where options do not say otherwise.
    pub(crate) fn new(args: TrainingArgs, usual: Logistic) -> Result<Self> {
        let (fitter, origin) = (fitter(&args, usual)?, args.data.origin()?);
        let rows = Rows::new(args.holdout, args.seed, args.test)?;
        Ok(Self::with(origin, rows, fitter, args.threads, [args.json, args.quiet]))
    }

    fn with(origin: Origin, rows: Rows, fitter: Fitter, threads: Option<u16>, [json, quiet]: [bool; 2]) -> Self {
        let mut files = origin.files();
        if let Rows::TestFile(path) = &rows {
            files.push(path.clone());
        }
        Self { origin, files, rows, fitter, threads: threads.map(usize::from), json, quiet }
    }

    /// The files, where all their rows are for training, and they can be read more than once.
    pub(crate) fn streamable(&self) -> Option<Streamable<'_>> {
        self.origin.streamable().filter(|_| matches!(self.rows, Rows::All))
    }

    /// How rows are held out, if they are.
    pub(crate) fn split(&self) -> Option<Split> {
        match self.rows {
            Rows::Split(split) => Some(split),
            _ => None,
        }
    }

    /// The hash of test rows that are from a file of their own.
    pub(crate) fn test_digest(&self, read: &Read) -> Option<String> {
        read.test.as_ref().filter(|_| matches!(self.rows, Rows::TestFile(_))).map(Dataset::digest)
    }

    /// The recipe the rows are from, if they are.
    pub(crate) fn recipe(&self) -> Option<&'static str> {
        self.origin.recipe_name()
    }

    /// The files that are read, which no output may replace.
    pub(crate) fn files(&self) -> Vec<&Path> {
        self.files.iter().map(PathBuf::as_path).collect()
    }

    /// Starts as many threads as asked, and returns how progress is shown.
    pub(crate) fn start(&self) -> Result<Progress> {
        if let Some(threads) = self.threads {
            rayon::ThreadPoolBuilder::new().num_threads(threads).build_global().context("--threads")?;
        }
        Ok(Progress::new(self.quiet || self.json))
    }
}

impl TrainingArgs {
    /// The option by which the user chose or set the learner, if there is one.
    pub(crate) fn own_learner(&self) -> Option<&'static str> {
        let given = [
            ("--learner", self.learner.is_some()),
            ("--l2", self.l2.is_some()),
            ("--penalise-intercept", self.penalise_intercept),
        ];
        given.into_iter().find(|(_, given)| *given).map(|(option, _)| option)
    }

    /// The built-in learner as a preset has it, or as the recipe does: its features are not scaled, and the authors
    /// penalised the intercept too.
    pub(crate) fn usual(&self, preset: Preset) -> Logistic {
        if self.data.is_recipe() { Preset::Notebook.learner() } else { preset.learner() }
    }

    /// Checks that rows are there once, for an output with a line for each of them.
    pub(crate) fn check_each_once(&self, output: &str) -> Result<()> {
        self.data.check_each_once(output)
    }

    /// What is asked, by the conventions of a preset.
    pub(crate) fn options(&self, preset: Preset) -> Result<CorrectionOptions> {
        Ok(CorrectionOptions {
            notions: self.notions.iter().map(|one| one.parse()).collect::<evenhand::Result<_>>()?,
            groups: self.data.groups()?,
            withhold: self.withhold.clone(),
            preset,
            min_group: self.min_group,
            measure: self.measure.into(),
            threshold: self.threshold.into(),
            apply: match self.apply {
                ApplyArg::Weights => Apply::Weights,
                ApplyArg::Tilt => Apply::Tilt,
            },
            tilt: self.tilt.map(|tilt| match tilt {
                TiltArg::Expected => Tilt::Expected,
                TiltArg::Centred => Tilt::Centred,
                TiltArg::Paper => Tilt::Paper,
            }),
            covariate_shift: match self.covariate_shift {
                CovariateShiftArg::Ignored => CovariateShift::Ignored,
                CovariateShiftArg::Corrected => CovariateShift::Corrected,
            },
            standardise: self.no_standardise.then_some(false),
            interactions: self.no_interactions.then_some(false),
            ..CorrectionOptions::default()
        })
    }
}

/// The learner of this name is built in.
#[cfg(feature = "network")]
const NETWORK: &str = "network";

fn fitter(args: &TrainingArgs, usual: Logistic) -> Result<Fitter> {
    #[cfg(feature = "network")]
    if args.learner.as_deref() == Some(NETWORK) {
        return Ok(Fitter::Network(args.network.network()?));
    }
    #[cfg(feature = "network")]
    args.network.check_idle()?;
    if let Some(command) = &args.learner {
        return Ok(Fitter::Process(ProcessLearner { command: command.clone() }));
    }
    let penalise_intercept = args.penalise_intercept || usual.penalise_intercept;
    let learner = Logistic { l2: args.l2.unwrap_or(usual.l2), penalise_intercept, ..usual };
    learner.check()?;
    Ok(Fitter::Logistic(learner))
}

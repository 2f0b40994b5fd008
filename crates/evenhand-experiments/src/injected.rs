//! Bias put into labels that are taken for the truth: who finds back to it?
//!
//! A dataset's labels are the truth. Biased ones are drawn from them by Proposition 1, with multipliers that cost a classifier
//! trained without correction a few points of true accuracy. Methods train on the biased labels and are evaluated by the
//! true ones. The truth of these datasets is not even, so evenness is the wrong thing to ask: what is asked is the true
//! rate of every group, which a census or an audit may know where nobody knows labels ([`Notion::KnownRate`]).

use super::{Experiment, Measured, PaperMethod};
use evenhand::correction::{Binding, Observer, Problem, Silent};
use evenhand::{Correction, Dataset, Error, Measure, Notion, Result};
use evenhand_datasets::inject::{Bias, Injection};
use evenhand_datasets::recipe::Prepared;

/// The multipliers put in, one per group of the recipe: against men, against those of 32 to 52 years, against Caucasians.
const MULTIPLIERS: [(&str, &[f64]); 3] =
    [("adult", &[0.0, 2.0, 0.0, 0.0]), ("bank", &[0.0, 0.5, 0.5, 0.5, 0.0]), ("compas", &[0.0, 0.0, 0.5, 0.0])];

/// Rows whose training labels are biased and whose test labels are true.
#[derive(Debug)]
pub struct InjectedExperiment {
    biased: Experiment,
    truth: Experiment,
    changed: usize,
}

impl InjectedExperiment {
    /// The datasets there are multipliers for.
    pub fn datasets() -> impl Iterator<Item = &'static str> {
        MULTIPLIERS.iter().map(|(dataset, _)| *dataset)
    }

    /// Draws biased labels for the training rows of a dataset.
    ///
    /// # Errors
    /// [`Error::Setting`] for a dataset without multipliers; those of [`Experiment::new`] and [`Injection::draw`].
    pub fn new(dataset: &str, prepared: &Prepared, seed: u64) -> Result<Self> {
        let (asked, biased, changed) = draw(dataset, prepared, 1.0, seed)?;
        let experiment = |train| Experiment::bind(asked.clone(), prepared.learner(), train, &prepared.test);
        Ok(Self { biased: experiment(&biased)?, truth: experiment(&prepared.train)?, changed })
    }

    /// What is asked for, and the training rows with biased labels, by so many times the multipliers of [`InjectedExperiment::new`].
    ///
    /// # Errors
    /// Those of [`InjectedExperiment::new`].
    pub fn biased(dataset: &str, prepared: &Prepared, times: f64, seed: u64) -> Result<(Correction, Dataset)> {
        let (asked, biased, _) = draw(dataset, prepared, times, seed)?;
        Ok((asked, biased))
    }

    /// How many training labels are not the true ones.
    pub fn changed(&self) -> usize {
        self.changed
    }

    /// Whether a method can be asked for the rates of groups: the paper's calibration sets those of patterns to the overall one alone.
    pub fn takes(method: PaperMethod) -> bool {
        method != PaperMethod::Calibration
    }

    /// Trains a method on the biased labels, and evaluates it by the true ones.
    ///
    /// Our default looks for scores at the known rates, which identifies the bias; others look for decisions, which is
    /// all they can.
    ///
    /// # Errors
    /// Those of [`Experiment::measure`].
    pub fn measure(&self, method: PaperMethod, observer: &mut dyn Observer) -> Result<Measured> {
        let measure = if method == PaperMethod::Default { Measure::Scores } else { Measure::Decisions };
        self.biased.measure_by(method, measure, observer)
    }

    /// What training on the true labels would give.
    ///
    /// # Errors
    /// Those of [`Experiment::measure`].
    pub fn best(&self) -> Result<Measured> {
        self.truth.measure(PaperMethod::Unconstrained, &mut Silent)
    }
}

/// What is asked for, the training rows with biased labels, and how many of these are not the true ones.
fn draw(dataset: &str, prepared: &Prepared, times: f64, seed: u64) -> Result<(Correction, Dataset, usize)> {
    let multipliers = MULTIPLIERS.iter().find(|(name, _)| *name == dataset).map(|(_, multipliers)| *multipliers);
    let multipliers = multipliers.ok_or_else(|| {
        Error::setting(
            "dataset",
            format!("`{dataset}`"),
            format!("one of {}", InjectedExperiment::datasets().collect::<Vec<_>>().join(", ")),
        )
    })?;
    let even = prepared.correction(Notion::DemographicParity);
    let (_, truth, _) = Binding::new(&even, &prepared.train)?;
    let injected =
        Injection::new(Bias::Multipliers(multipliers.iter().map(|one| times * one).collect())).draw(&truth, seed)?;
    let asked = known_rates(&even, &truth);
    let biased = prepared.train.relabelled(&injected.biased)?;
    Ok((asked, biased, injected.changed()))
}

/// The same settings, asked for the true rate of each group.
fn known_rates(even: &Correction, truth: &Problem) -> Correction {
    let rate = |group| {
        let members = (0..truth.labels().len()).filter(|&row| truth.is_in(row, group));
        let (mut positive, mut all) = (0.0, 0.0);
        for row in members {
            all += truth.row_weight(row);
            positive += if truth.labels().get(row) == 1 { truth.row_weight(row) } else { 0.0 };
        }
        positive / all
    };
    let known =
        even.groups.iter().enumerate().map(|(at, rows)| Notion::KnownRate { rows: rows.clone(), rate: rate(at) });
    Correction { notions: known.collect(), groups: Vec::new(), ..even.clone() }
}

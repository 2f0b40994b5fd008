//! `evenhand demo`: made-up loans whose true labels are known, with and without correction.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use evenhand::correction::{Metrics, Problem};
use evenhand::data::holdout;
use evenhand::learner::Predictor;
use evenhand::{Correction, Dataset, Fitted, Logistic, Measure, Notion, Schema, Table, Termination};
use evenhand_datasets::synthetic;
use serde::Serialize;

use crate::Ending;
use crate::files;
use crate::output;
use crate::outputs::{CsvArgs, Outputs};
use crate::progress::Progress;
use crate::text::{Lines, counted, or_dash, percent, rate, signed};

/// See on made-up loans what a correction does; no files are needed.
///
/// Applicants are drawn whose true labels (who would repay) are known. The decisions of
/// the past were biased against two overlapping groups, by a known amount. One classifier is
/// trained on these decisions, one with correction, and one on the true labels. All are
/// evaluated by the true labels of other applicants, which a real user never has.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct DemoArgs {
    /// How many applicants to draw; 1000 to 10000000.
    #[arg(long, value_name = "NUMBER", default_value_t = 50_000)]
    rows: usize,

    /// Seed of the draw.
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    seed: u64,

    /// Write the made-up applicants to a file as well, to try the other commands on.
    #[arg(long, value_name = "FILE")]
    write: Option<PathBuf>,

    #[command(flatten)]
    csv: CsvArgs,

    /// Write the result as JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

const EXAMPLES: &str = "\
Example:
  evenhand demo --rows 20000 --seed 3
  evenhand demo --write loans.csv

JSON keys: rows, seed, notion, groups, multipliers (name, value, truth), uncorrected, corrected
and true_labels (each with past and truth: rows, wrong, error, violation, violations,
positive_rate, class_rates, groups), stop, iterations, fits, seconds.";

/// The share of applicants that the classifiers are evaluated on.
const HOLDOUT: f64 = 0.3;

/// What the demonstration shows. The keys are stable.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Report {
    /// How many applicants were drawn.
    rows: usize,
    /// The seed of the draw.
    seed: u64,
    /// What was asked to be equal across groups.
    notion: Vec<String>,
    /// The groups.
    groups: Vec<String>,
    /// The bias that was found, beside the one that was put in.
    multipliers: Vec<Multiplier>,
    /// Trained on past decisions.
    uncorrected: Evaluated,
    /// Trained on past decisions with corrected weights.
    corrected: Evaluated,
    /// Trained on the true labels: as good as it can get.
    true_labels: Evaluated,
    /// How the search ended.
    stop: Termination,
    /// How many times multipliers moved.
    iterations: usize,
    /// How many times the learner was called.
    fits: usize,
    /// How long it took.
    seconds: f64,
}

/// A multiplier that was found, and the bias that was put in.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Multiplier {
    /// The group.
    name: String,
    /// What was found.
    value: f64,
    /// What was put in.
    truth: f64,
}

/// A classifier on held-out applicants, against both kinds of labels.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Evaluated {
    /// Against the biased decisions of the past.
    past: Metrics,
    /// Against the true labels.
    truth: Metrics,
}

/// What is written as JSON.
#[cfg(test)]
pub(crate) fn schema() -> schemars::Schema {
    crate::schemas::of::<Report>()
}

pub(crate) fn run(args: &DemoArgs) -> Result<Ending> {
    let progress = Progress::new(args.json);
    if let Some(path) = &args.write {
        files::check_table(path, &[])?;
    }
    let mut outputs = Outputs::new(args.csv);
    let table = progress.during("drawing applicants", || synthetic::population(args.rows, args.seed))?;
    if let Some(path) = &args.write {
        outputs.table(path, &table)?;
    }
    let (train_rows, test_rows) = holdout(args.rows, HOLDOUT, args.seed)?;
    let train = labelled(table.select(&train_rows), "approved", "deserved")?;
    let past = labelled(table.select(&test_rows), "approved", "deserved")?;
    let truth = labelled(table.select(&test_rows), "deserved", "approved")?;

    // Probabilities are compared, since the bias itself is identified by them.
    let mut correction = Correction::new(Notion::DemographicParity).measure(Measure::Scores);
    for (group, _) in synthetic::MULTIPLIERS {
        correction = correction.group(group)?;
    }
    let learner = Logistic::default();
    let mut watch = progress.loops(correction.solver.most_fits());
    let fitted = correction.fit_observed(&train, &learner, &mut watch)?;
    let seconds = watch.finish();
    let uncorrected = correction.uncorrected(fitted.problem(), &learner)?;
    let taught = labelled(table.select(&train_rows), "deserved", "approved")?;
    let taught = correction.uncorrected(&fitted.binding().problem(&taught)?.0, &learner)?;

    let (past, truth) = (fitted.binding().problem(&past)?.0, fitted.binding().problem(&truth)?.0);
    let report = Report {
        rows: args.rows,
        seed: args.seed,
        notion: vec![Notion::DemographicParity.to_string()],
        groups: fitted.binding().group_names(),
        multipliers: multipliers(&fitted),
        uncorrected: evaluate(&uncorrected.predictor, &past, &truth)?,
        corrected: evaluate(fitted.predictor(), &past, &truth)?,
        true_labels: evaluate(&taught.predictor, &past, &truth)?,
        stop: fitted.stop(),
        iterations: fitted.trace().len(),
        fits: fitted.solution().fits,
        seconds,
    };
    outputs.commit()?;
    output::report(args.json, &report, &[], || report.to_text())?;
    Ok(Ending::Fine)
}

fn labelled(table: Table, label: &str, other: &str) -> evenhand::Result<Dataset> {
    Dataset::new(table, &Schema::label(label).positive("yes").ignore(other))
}

/// Decisions are what an applicant gets, so these are evaluated.
fn evaluate(predictor: &dyn Predictor, past: &Problem, truth: &Problem) -> evenhand::Result<Evaluated> {
    Ok(Evaluated {
        past: past.evaluate_predictor(predictor, Measure::Decisions)?,
        truth: truth.evaluate_predictor(predictor, Measure::Decisions)?,
    })
}

/// One constraint was asked per biased group, in the same order.
fn multipliers<P: Predictor>(fitted: &Fitted<P>) -> Vec<Multiplier> {
    let found = fitted.multipliers().zip(synthetic::MULTIPLIERS);
    found.map(|((_, value), (name, truth))| Multiplier { name: name.to_owned(), value, truth }).collect()
}

impl Report {
    fn to_text(&self) -> String {
        let held_out = self.corrected.truth.rows;
        let mut lines = Lines::default();
        lines.push("trained on", vec!["past decisions".into(), "corrected".into(), "true labels".into()]);
        let all = |number: &dyn Fn(&Evaluated) -> String| {
            [&self.uncorrected, &self.corrected, &self.true_labels].into_iter().map(number).collect::<Vec<_>>()
        };
        lines.push("wrong by the true labels", all(&|one| percent(one.truth.error)));
        lines.push("wrong by the biased decisions", all(&|one| percent(one.past.error)));
        lines.push("violation of demographic parity", all(&|one| or_dash(one.truth.violation, rate)));
        lines.push("approved", all(&|one| percent(one.truth.class_rates[1])));
        for (at, group) in self.groups.iter().enumerate() {
            let of_group = |one: &Evaluated| or_dash(one.truth.groups[at].positive_rate, percent);
            lines.push(format!("  {group}"), all(&of_group));
        }
        let mut bias = Lines::default();
        bias.push("", vec!["put in".into(), "found".into()]);
        for Multiplier { name, value, truth } in &self.multipliers {
            bias.push(format!("  {name}"), vec![signed(*truth), signed(*value)]);
        }
        format!(
            "{} for a loan, made up. Past decisions were biased against two overlapping groups.\n\
             One classifier learned from these decisions as they are, one with corrected weights, and\n\
             one from the true labels, which a real user never has. All are evaluated on {}\n\
             that none of them has seen.\n\n{}\n\
             Violation: largest |overall - group| positive rate, of decisions.\n\n\
             The bias, as a multiplier per group\n{}\n\
             {}, {}, {:.2} s. Next: evenhand demo --write loans.csv, and evenhand fit --help\n",
            counted(self.rows, "applicant"),
            counted(held_out, "applicant"),
            lines.render(),
            bias.render(),
            counted(self.iterations, "iteration"),
            counted(self.fits, "fit"),
            self.seconds,
        )
    }
}

//! `evenhand verify`: a model computed again from the data it came from.

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Args;
use evenhand::correction::StoredFiles;
use evenhand::data::{RowFiles, find_files};
use evenhand::model::{Check, Verdict};
use evenhand::{Model, Table, Warning};
use evenhand_datasets::Recipe;
use serde::Serialize;

use crate::args::HeaderlessArgs;
use crate::data::folder_of;
use crate::failure::Usage;
use crate::many_rows::ShownPass;
use crate::memory;
use crate::output::{self, WarningRecord, note};
use crate::predict::load_sealed;
use crate::progress::Progress;
use crate::{Ending, signature, text};

/// Compute a model's weights and rates again from its data, and say what matches.
///
/// Everything is computed again: columns, groups, weights, the run, thresholds, rates and verdicts; and the saved classifier must be where the weighted
/// loss is least. What cannot be is listed as not checked: the name of the software, what a learner elsewhere did, test rows
/// in a file of their own, and settings that change nothing. With --key, the signature must be that of the key's owner. Exits with 1 when
/// anything differs.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct VerifyArgs {
    /// Model file that `evenhand fit` wrote.
    model: PathBuf,

    /// The data given to that fit, before any rows were held out; in any format, in any order of rows where these were not all in memory. For a model of --recipe a folder with its
    /// files, or nothing where `evenhand data get` has put them.
    data: Option<PathBuf>,

    #[command(flatten)]
    headerless: HeaderlessArgs,

    /// Agree to run this command, for a model that was fitted by one.
    #[arg(long, value_name = "COMMAND")]
    learner: Option<String>,

    /// Check that the file was signed (`fit --sign`) by the owner of this public key (Ed25519, PEM).
    #[arg(long, value_name = "PUBLIC")]
    key: Option<PathBuf>,

    /// Memory for encoded rows, for a model of more rows than a search begins on; what does not fit goes into a scratch file in the folder for temporary
    /// files [default: half of what is free].
    #[arg(long, value_name = "SIZE", value_parser = memory::parse)]
    memory: Option<usize>,

    /// Write the checks as JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

const EXAMPLES: &str = "\
Examples:
  evenhand verify model.json loans.csv
  evenhand verify adult.json              (of evenhand fit --recipe adult)
  evenhand verify model.json loans.csv --key public.pem

JSON keys: matches, checks (name, matches, detail; matches is null where it cannot be checked),
warnings.";

/// The verdict, with what was noticed on the way.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Report {
    #[serde(flatten)]
    verdict: Verdict,
    /// What is worth knowing.
    warnings: Vec<WarningRecord>,
}

/// What is written as JSON.
#[cfg(test)]
pub(crate) fn schema() -> schemars::Schema {
    crate::schemas::of::<Report>()
}

pub(crate) fn run(args: &VerifyArgs) -> Result<Ending> {
    let sealed = load_sealed(&args.model, args.learner.as_deref())?;
    let (model, signature) = (&sealed.model, signature::check(&sealed, args.key.as_deref())?);
    let progress = Progress::new(args.json);
    let (mut verdict, warnings) = match &model.provenance.recipe {
        Some(name) => (of_recipe(model, name, args.data.as_deref(), progress)?, Vec::new()),
        None => of_file(model, args, progress)?,
    };
    verdict.matches &= signature.as_ref().is_none_or(|check| check.matches != Some(false));
    verdict.checks.extend(signature);
    let report = Report { verdict, warnings: WarningRecord::all(warnings, None) };
    if args.json {
        output::json(&report)?;
    } else {
        output::warn(&report.warnings);
        output::text(&to_text(&report.verdict))?;
        if !report.verdict.matches {
            note("the model does not match these data");
        }
    }
    Ok(if report.verdict.matches { Ending::Fine } else { Ending::Missed })
}

fn of_file(model: &Model, args: &VerifyArgs, progress: Progress) -> Result<(Verdict, Vec<Warning>)> {
    let data = args.data.as_deref();
    let data = data.ok_or_else(|| Usage::new("DATA is needed: the file that the model was fitted to"))?;
    let reading = args.headerless.reading(model.reading_all());
    if model.provenance.sampled.is_some() && data != Path::new("-") {
        // Rows that were not all in memory need not be now.
        let (files, warnings) = RowFiles::open(&find_files(data)?, &reading)?;
        let rows = StoredFiles { files: &files, watch: Some(ShownPass::watch(progress)) };
        let memory = args.memory.unwrap_or_else(memory::half_of_free);
        return Ok((model.verify_files(&rows, memory)?, warnings));
    }
    let (table, warnings) = progress.during(format!("reading {}", data.display()), || Table::read(data, &reading))?;
    Ok((progress.during("verifying", || model.verify(table))?, warnings))
}

fn of_recipe(model: &Model, name: &str, folder: Option<&Path>, progress: Progress) -> Result<Verdict> {
    let recipe = Recipe::named(name)?;
    if let Some(file) = folder.filter(|folder| folder.is_file()) {
        let message = format!("{}: the model was fitted by --recipe {name}, not to one file", file.display());
        return Err(Usage::new(message).hint(format!("give the folder with the files of {name}, or none")).into());
    }
    let folder = folder_of(recipe.entry()?, folder)?;
    let source = progress.during(format!("reading {}", folder.display()), || recipe.read(&folder))?;
    Ok(progress.during("verifying", || source.verify(model))?)
}

fn to_text(verdict: &Verdict) -> String {
    let line = |Check { name, matches, detail }: &Check| {
        let found = match matches {
            Some(true) => "matches",
            Some(false) => "DIFFERS",
            None => "not checked",
        };
        format!("{found:11}  {name:14}  {}\n", text::clean(detail))
    };
    verdict.checks.iter().map(line).collect()
}

//! `evenhand predict`: probabilities and decisions for the rows of a new file.

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Args;
use evenhand::correction::Predictions;
use evenhand::data::{Carry, Categorical};
use evenhand::model::{LearnerRecord, Sealed};
use evenhand::{Column, Error, Model, ReadOptions, Table, Warning};
use evenhand_datasets::Recipe;
use serde::Serialize;

use crate::args::character;
use crate::failure::Usage;
use crate::output::{self, WarningRecord};
use crate::output_rows::OutputRows;
use crate::outputs::{CsvArgs, Outputs};
use crate::progress::Progress;
use crate::{Ending, files, text};

/// Score the rows of a new file with a model.
///
/// Rows may come from standard input and go to standard output, `-`; what is said of them then goes to standard error.
/// All columns of the file are carried along as they are, to the letter from a text file to a text file and with their
/// types from a typed file to a typed one, and these are added at the end: with two classes `probability` (of the positive
/// class) and `decision`; with more, `probability_CLASS` for every class and `decision`. Where the model reads a column of such a name, as the score that
/// it corrects, the added one is called `corrected_probability` (`corrected_decision`). Neither labels nor sensitive columns are needed, unless the
/// model was trained on them as features, or post-processed (`fit --method threshold-postprocessing` or `percentile-thresholds`): then the columns that define the groups
/// are needed, since each group has thresholds of its own, and `probability` is still that of the learner. After `fit --apply tilt`, `probability` is
/// the tilted one that decides.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct PredictArgs {
    /// Model file that `evenhand fit` wrote.
    model: PathBuf,

    /// File with the columns the model was trained on, or `-`; others are carried along.
    #[arg(value_name = "NEW_DATA")]
    data: PathBuf,

    /// Where to write: .csv, .tsv, .parquet, .arrow, .feather or .ipc; or `-`, as CSV.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,

    #[command(flatten)]
    csv: CsvArgs,

    /// Column that is neither read nor written; may be repeated.
    #[arg(long, value_name = "COLUMN")]
    ignore: Vec<String>,

    /// Text that means a missing value, besides those of training; may be repeated.
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    missing: Vec<String>,

    /// What separates the fields of a text file [default: as in training].
    #[arg(long, value_name = "CHARACTER")]
    delimiter: Option<String>,

    /// The new data are a file as the dataset of --recipe is published, without a header perhaps; otherwise a table with
    /// columns named as in that recipe.
    #[arg(long)]
    published: bool,

    /// Agree to run this command, for a model that was fitted by one.
    #[arg(long, value_name = "COMMAND")]
    learner: Option<String>,

    /// Write what was done as JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

const EXAMPLES: &str = "\
Examples:
  evenhand predict model.json applicants.csv --out scored.parquet
  evenhand predict model.json - --out - < applicants.csv | head

What training read as missing, as numbers and as categories, with blanks or without, is read so here too: the model file says.

JSON keys: model, out, rows, columns (those added), decisions (class and rows), warnings.";

/// What was done.
#[derive(Serialize)]
struct Report {
    model: PathBuf,
    out: PathBuf,
    rows: usize,
    columns: Vec<String>,
    decisions: Vec<Decided>,
    warnings: Vec<WarningRecord>,
}

/// How many rows were decided for a class.
#[derive(Serialize)]
struct Decided {
    class: String,
    rows: usize,
}

pub(crate) fn run(args: &PredictArgs) -> Result<Ending> {
    files::check_table(&args.out, &[&args.data, &args.model])?;
    let model = load(&args.model, args.learner.as_deref())?;
    let mut reading = model.reading_features().ignore(&args.ignore).missing(&args.missing);
    if let Some(delimiter) = &args.delimiter {
        reading = reading.delimiter(character(delimiter)?);
    }
    let progress = Progress::new(args.json);
    let copied = files::copy_of_pipe(&args.data)?;
    let data = copied.as_ref().map_or(&args.data, |(_, path)| path);
    let input = Input { path: data, recipe: published(args, &model)? };
    let Read { table, mut warnings, mut rows, extra } = progress
        .during(format!("reading {}", args.data.display()), || input.read(&reading, &model))
        .map_err(|error| explained(error, args, &model))?;
    let predictions =
        progress.during("predicting", || model.predict(&table)).map_err(|error| explained(error, args, &model))?;
    warnings.extend(predictions.warnings.iter().cloned().chain(extra));
    let classes = model.binding.classes();
    let columns = append(&mut rows, &predictions, &model)?;
    progress.during(format!("writing {}", args.out.display()), || {
        let mut outputs = Outputs::new(args.csv);
        rows.write(&mut outputs, &args.out)?;
        outputs.commit()
    })?;
    let report = Report {
        model: args.model.clone(),
        out: args.out.clone(),
        rows: table.rows(),
        columns,
        decisions: decided(&predictions, classes),
        warnings: WarningRecord::all(warnings, None),
    };
    output::report(args.json, &report, &report.warnings, || report.to_text())?;
    Ok(Ending::Fine)
}

/// The file to be scored, and the recipe by which it was published, if it is such a file.
struct Input<'a> {
    path: &'a Path,
    recipe: Option<&'static Recipe>,
}

/// What was read: columns for the model, and rows that predictions are added to.
struct Read {
    table: Table,
    warnings: Vec<Warning>,
    rows: OutputRows,
    /// Columns that the model does not know.
    extra: Option<Warning>,
}

impl Input<'_> {
    /// Reads the columns that the model needs; all others are carried along without a look at them.
    fn read(&self, reading: &ReadOptions, model: &Model) -> evenhand::Result<Read> {
        if let Some(recipe) = self.recipe {
            let table = recipe.rows_of(self.path, reading)?;
            let (missing, categorical, numeric) = (Vec::new(), Vec::new(), Vec::new());
            let to_the_letter = ReadOptions { missing, categorical, numeric, keep_text: true, ..reading.clone() };
            let rows = OutputRows::Prepared(recipe.rows_of(self.path, &to_the_letter)?);
            return Ok(Read { table, warnings: Vec::new(), rows, extra: None });
        }
        let carry = Carry::open(self.path, reading)?;
        let names = carry.names();
        let extra = model.check_columns(&names)?;
        let others = names.into_iter().filter(|name| !model.needs(name));
        let (table, warnings) = Table::read(self.path, &reading.clone().ignore(others))?;
        Ok(Read { table, warnings, rows: OutputRows::Carried(carry), extra })
    }
}

/// The rows of a file with predictions added, as `evenhand predict` writes them.
pub(crate) fn predicted(model: &Model, path: &Path) -> Result<OutputRows> {
    let Read { table, mut rows, .. } = Input { path, recipe: None }.read(&model.reading_features(), model)?;
    append(&mut rows, &model.predict(&table)?, model)?;
    Ok(rows)
}

/// An error of reading or predicting; that of a published file read as any other says what to do.
fn explained(error: Error, args: &PredictArgs, model: &Model) -> anyhow::Error {
    let recipe = model.provenance.recipe.as_ref().filter(|_| !args.published);
    match (recipe, &error) {
        (Some(recipe), Error::LostColumns { .. }) => Usage::new(error.to_string())
            .code(error.code())
            .hint(format!("give --published if it is a file as {recipe} is published, without names of columns"))
            .into(),
        _ => error.into(),
    }
}

/// The recipe of a model, where rows are declared to be as published.
fn published(args: &PredictArgs, model: &Model) -> Result<Option<&'static Recipe>> {
    match (args.published, &model.provenance.recipe) {
        (false, _) => Ok(None),
        (true, Some(name)) => Ok(Some(Recipe::named(name)?)),
        (true, None) => {
            let message = "--published goes with a model of --recipe, and this one was fitted to a file";
            Err(Usage::new(message).hint("leave out --published").into())
        }
    }
}

/// Reads a model, and agrees to its command where the user does.
pub(crate) fn load(path: &Path, learner: Option<&str>) -> Result<Model> {
    Ok(load_sealed(path, learner)?.model)
}

/// As [`load`], with the signature.
pub(crate) fn load_sealed(path: &Path, learner: Option<&str>) -> Result<Sealed> {
    let mut sealed = Model::load_sealed(path)?;
    match (&sealed.model.learner, learner) {
        (LearnerRecord::Process { .. }, Some(command)) => sealed.model.agree(command),
        (LearnerRecord::Logistic { .. } | LearnerRecord::Given { .. }, Some(_)) => {
            let message = "the model was not fitted by a command, and runs none";
            return Err(Usage::new(message).hint("leave out --learner").into());
        }
        _ => {}
    }
    Ok(sealed)
}

/// Adds probabilities and decisions; the names of the new columns are returned.
fn append(rows: &mut OutputRows, predictions: &Predictions, model: &Model) -> Result<Vec<String>> {
    let classes = model.binding.classes();
    let of_class =
        |class: usize| Column::Numeric(predictions.scores.iter().skip(class).step_by(classes.len()).copied().collect());
    let decisions = predictions.decisions.iter().map(|class| class as u32).collect();
    let mut columns: Vec<(String, Column)> = match classes {
        [_, _] => vec![("probability".to_owned(), of_class(1))],
        _ => classes.iter().enumerate().map(|(at, class)| (format!("probability_{class}"), of_class(at))).collect(),
    };
    columns.push(("decision".to_owned(), Column::Categorical(Categorical::new(decisions, classes.to_vec()))));
    for (name, _) in &mut columns {
        // What the model needs can be neither left out nor overwritten.
        if model.needs(name) {
            *name = format!("corrected_{name}");
        }
    }
    let taken = rows.names();
    if let Some((name, _)) = columns.iter().find(|(name, _)| taken.contains(name)) {
        let message = format!("the data have a column `{name}` already");
        return Err(Usage::new(message).hint(format!("rename it, or leave it out with --ignore '{name}'")).into());
    }
    columns
        .into_iter()
        .map(|(name, column)| {
            rows.put(&name, column)?;
            Ok(name)
        })
        .collect()
}

fn decided(predictions: &Predictions, classes: &[String]) -> Vec<Decided> {
    let mut rows = vec![0; classes.len()];
    for class in predictions.decisions.iter() {
        rows[class] += 1;
    }
    classes.iter().zip(rows).map(|(class, rows)| Decided { class: class.clone(), rows }).collect()
}

impl Report {
    fn to_text(&self) -> String {
        let decided: Vec<String> = self
            .decisions
            .iter()
            .map(|Decided { class, rows }| format!("{} `{}`", text::thousands(*rows), text::clean(class)))
            .collect();
        format!(
            "Wrote {} to {}, with {} added.\nDecided: {}.\n",
            text::counted(self.rows, "row"),
            files::shown(&self.out),
            self.columns.join(", "),
            decided.join(", "),
        )
    }
}

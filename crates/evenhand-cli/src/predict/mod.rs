//! `evenhand predict`: probabilities and decisions for the rows of a new file.
//!
//! Here is what is asked and said; `stream` reads, predicts and writes a chunk of rows at a time.

mod stream;

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Args;
use evenhand::correction::Predictions;
use evenhand::data::Categorical;
use evenhand::model::{LearnerRecord, Sealed};
use evenhand::{Column, Error, Model, ReadOptions, Warning};
use evenhand_datasets::Recipe;
use serde::Serialize;

use crate::args::NewRowsArgs;
use crate::failure::Usage;
use crate::output::{self, WarningRecord};
use crate::outputs::{CsvArgs, Outputs};
use crate::progress::Progress;
use crate::{Ending, files, text};

/// Score the rows of a new file with a model.
///
/// All columns of the file are written again as they are, and these are added: `probability` (of the positive class) and `decision`; with more than
/// two classes `probability_CLASS` for every class and `decision`. Where the model itself reads a column of such a name, the added one is called
/// `corrected_probability` (`corrected_decision`).
///
/// Labels are not needed, nor sensitive columns unless the model was trained on them as features. Models of `fit --method
/// threshold-postprocessing` and `percentile-thresholds` do need the columns that define groups: each group has thresholds of its own, and
/// `probability` is that of the learner. After `fit --apply tilt`, `probability` is the shifted one that decides.
///
/// A folder or a pattern (`'people/*.parquet'`) names all its files, which become one. Rows are read, scored and written a chunk at a time, so that
/// there may be more than memory holds. With `-` they come from standard input, or go to standard output.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct PredictArgs {
    /// Model file that `evenhand fit` wrote.
    model: PathBuf,

    /// File, folder or pattern with the columns the model was trained on, or `-`; others are carried along.
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

    #[command(flatten)]
    new_rows: NewRowsArgs,

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
  evenhand predict model.json 'people/*.parquet' --out scored.parquet

The file is read as the training file was: the model file says what means missing, and which
columns are numbers or categories.

JSON keys: model, out, rows, columns (those added), decisions (class and rows), warnings.";

/// What was done.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Report {
    /// The model file.
    model: PathBuf,
    /// Where the rows were written.
    out: PathBuf,
    /// How many rows.
    rows: usize,
    /// The columns that were added.
    columns: Vec<String>,
    /// How many rows were decided for each class.
    decisions: Vec<Decided>,
    /// What is worth knowing.
    warnings: Vec<WarningRecord>,
}

/// How many rows were decided for a class.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Decided {
    /// The class.
    class: String,
    /// How many rows.
    rows: usize,
}

/// What is written as JSON.
#[cfg(test)]
pub(crate) fn schema() -> schemars::Schema {
    crate::schemas::of::<Report>()
}

pub(crate) fn run(args: &PredictArgs) -> Result<Ending> {
    files::check_table(&args.out, &[&args.data, &args.model])?;
    let model = load(&args.model, args.learner.as_deref())?;
    let reading = args.new_rows.reading(model.reading_features().ignore(&args.ignore))?;
    let progress = Progress::new(args.json);
    let copied = files::copy_of_pipe(&args.data)?;
    let data = copied.as_ref().map_or(&args.data, |(_, path)| path);
    let mut outputs = Outputs::new(args.csv);
    let Written { columns, rows, decided, warnings } = match published(args, &model)? {
        Some(recipe) => write_published(&model, recipe, data, &reading, (&mut outputs, &args.out)),
        None => stream::write(&model, data, &reading, (&mut outputs, &args.out), progress),
    }
    .map_err(|error| explained(error, args, &model))?;
    outputs.commit()?;
    let classes = model.binding.classes().iter();
    let report = Report {
        model: args.model.clone(),
        out: args.out.clone(),
        rows,
        columns,
        decisions: classes.zip(decided).map(|(class, rows)| Decided { class: class.clone(), rows }).collect(),
        warnings: WarningRecord::all(warnings, None),
    };
    output::report(args.json, &report, &report.warnings, || report.to_text())?;
    Ok(Ending::Fine)
}

/// The rows of a file with predictions added, as `evenhand predict` writes them.
pub(crate) fn write(model: &Model, path: &Path, to: (&mut Outputs, &Path), progress: Progress) -> Result<()> {
    stream::write(model, path, &model.reading_features(), to, progress).map(|_| ())
}

/// The rows of a published file, as its recipe prepares them, with predictions added.
fn write_published(
    model: &Model,
    recipe: &Recipe,
    path: &Path,
    reading: &ReadOptions,
    (outputs, out): (&mut Outputs, &Path),
) -> Result<Written> {
    let predictions = model.predict(&recipe.rows_of(path, reading)?)?;
    let (missing, categorical, numeric) = (Vec::new(), Vec::new(), Vec::new());
    let to_the_letter = ReadOptions { missing, categorical, numeric, keep_text: true, ..reading.clone() };
    let mut rows = recipe.rows_of(path, &to_the_letter)?;
    let mut written = Written::new(added_names(model, rows.names())?, model);
    written.add(&predictions);
    for (name, column) in written.columns.iter().zip(added_columns(&predictions, model.binding.classes())) {
        rows.set(name, column)?;
    }
    outputs.table(out, &rows)?;
    Ok(Written { warnings: predictions.warnings, ..written })
}

/// What was written of the rows of a file.
struct Written {
    /// The columns that were added.
    columns: Vec<String>,
    rows: usize,
    /// How many rows were decided for each class.
    decided: Vec<usize>,
    warnings: Vec<Warning>,
}

impl Written {
    fn new(columns: Vec<String>, model: &Model) -> Self {
        Self { columns, rows: 0, decided: vec![0; model.binding.classes().len()], warnings: Vec::new() }
    }

    /// Counts further predictions.
    fn add(&mut self, predictions: &Predictions) {
        self.rows += predictions.decisions.len();
        for class in predictions.decisions.iter() {
            self.decided[class] += 1;
        }
    }
}

/// An error of reading or predicting; that of a published file read as any other says what to do.
fn explained(error: anyhow::Error, args: &PredictArgs, model: &Model) -> anyhow::Error {
    let recipe = model.provenance.recipe.as_ref().filter(|_| !args.published);
    match (recipe, error.downcast_ref::<Error>()) {
        (Some(recipe), Some(lost @ Error::LostColumns { .. })) => Usage::new(lost.to_string())
            .code(lost.code())
            .hint(format!("give --published if it is a file as {recipe} is published, without names of columns"))
            .into(),
        _ => error,
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

/// What the columns that are added are called, beside others.
fn added_names(model: &Model, taken: &[String]) -> Result<Vec<String>> {
    let mut names: Vec<String> = match model.binding.classes() {
        [_, _] => vec!["probability".to_owned()],
        classes => classes.iter().map(|class| format!("probability_{class}")).collect(),
    };
    names.push("decision".to_owned());
    for name in &mut names {
        // What the model needs can be neither left out nor overwritten.
        if model.needs(name) {
            *name = format!("corrected_{name}");
        }
    }
    if let Some(name) = names.iter().find(|name| taken.contains(name)) {
        let message = format!("the data have a column `{name}` already");
        return Err(Usage::new(message).hint(format!("rename it, or leave it out with --ignore '{name}'")).into());
    }
    Ok(names)
}

/// Probabilities and decisions as columns.
fn added_columns(predictions: &Predictions, classes: &[String]) -> Vec<Column> {
    let of_class =
        |class: usize| Column::Numeric(predictions.scores.iter().skip(class).step_by(classes.len()).copied().collect());
    let decisions = predictions.decisions.iter().map(|class| class as u32).collect();
    let mut columns: Vec<Column> = match classes {
        [_, _] => vec![of_class(1)],
        _ => (0..classes.len()).map(of_class).collect(),
    };
    columns.push(Column::Categorical(Categorical::new(decisions, classes.to_vec())));
    columns
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

//! What can be typed: the commands and the options that several of them share.
//!
//! Options of one command alone stand with it. Leans on `clap`; whether values make sense
//! is checked where they become settings of the library.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use clap::{ArgAction, Args, CommandFactory as _, FromArgMatches as _, Parser, Subcommand};
use evenhand::{GroupSpec, ReadOptions, Schema};

use crate::audit::AuditArgs;
use crate::data::DataCommandArgs;
use crate::demo::DemoArgs;
use crate::evaluate::EvaluateArgs;
use crate::failure::{Running, Usage};
use crate::fit::{CorrectArgs, FitArgs};
use crate::frontier::FrontierArgs;
use crate::identify::IdentifyArgs;
use crate::inject::InjectArgs;
use crate::origin::Origin;
use crate::paper::PaperArgs;
use crate::predict::PredictArgs;
use crate::shell::{CompletionsArgs, ManArgs};
use crate::sweep::SweepArgs;
use crate::verify::VerifyArgs;
use crate::{help, version};

/// Train even-handed classifiers from biased labels, by re-weighting rows.
///
/// Labels may be biased against groups. Evenhand finds a weight for every kind of row so that
/// a classifier trained with these weights treats groups alike, in a sense you choose. No
/// label and no feature is changed. [Jiang & Nachum 2019]
#[derive(Debug, Parser)]
#[command(
    name = "evenhand",
    version,
    long_version = version::long(),
    max_term_width = 100,
    disable_help_flag = true,
    after_help = EXAMPLES
)]
pub(crate) struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Command,

    /// Print help: the common options.
    #[arg(short, long, action = ArgAction::HelpShort, global = true)]
    help: Option<bool>,

    /// Print help with every option and all details.
    #[arg(long, action = ArgAction::HelpLong, global = true)]
    help_all: Option<bool>,
}

const EXAMPLES: &str = "\
Examples:
  evenhand demo
  evenhand audit loans.csv --label approved --positive yes --group sex
  evenhand identify loans.csv --label approved --positive yes --group sex
  evenhand fit loans.csv --label approved --positive yes --group sex \\
      --notion demographic-parity --holdout 0.3 --model model.json
  evenhand frontier loans.csv --label approved --positive yes --group sex --notion equalized-odds
  evenhand correct scores.csv --score p --label approved --positive yes --group sex \\
      --notion demographic-parity --model model.json
  evenhand predict model.json new.csv --out scored.csv
  evenhand evaluate model.json later.csv
  evenhand verify model.json loans.csv
  evenhand data get adult
  evenhand fit --recipe adult --notion demographic-parity
  evenhand inject loans.csv --label approved --group sex --flip sex=female=0.3 --out biased.csv

Exit codes:
  0  all is as asked
  1  a bound asked for was not met or cannot be told, or a check does not match;
     with --strict also where there are too few rows to tell
  2  bad input or usage";

/// Where a result goes.
#[derive(Debug, Args)]
pub(crate) struct ResultArgs {
    /// Where to write a report: one page (.html), a section of a model card (.md) or text (.txt).
    #[cfg_attr(feature = "report", arg(long, value_name = "FILE"))]
    #[cfg_attr(not(feature = "report"), arg(skip))]
    pub(crate) report: Option<PathBuf>,

    /// Write the result as JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Demo(DemoArgs),
    Audit(AuditArgs),
    Identify(IdentifyArgs),
    Fit(Box<FitArgs>),
    Correct(Box<CorrectArgs>),
    Frontier(Box<FrontierArgs>),
    Sweep(Box<SweepArgs>),
    Paper(Box<PaperArgs>),
    Predict(PredictArgs),
    Evaluate(EvaluateArgs),
    Verify(VerifyArgs),
    Data(DataCommandArgs),
    Inject(Box<InjectArgs>),
    Completions(CompletionsArgs),
    Man(ManArgs),
}

impl Cli {
    /// What these arguments say, or what is wrong with them.
    pub(crate) fn read(arguments: Vec<OsString>) -> Result<Self, clap::Error> {
        let words = arguments.iter().skip(1).map(|argument| argument.to_string_lossy().into_owned());
        *GIVEN.lock().unwrap_or_else(PoisonError::into_inner) = words.collect();
        let found = help::in_two_lengths(Self::command()).try_get_matches_from(arguments)?;
        Self::from_arg_matches(&found)
    }
}

/// The arguments that were given last, without the name of the program.
static GIVEN: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// The arguments of the command that is running, as a report repeats them.
pub(crate) fn given() -> Vec<String> {
    GIVEN.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

impl Command {
    /// Whether the output is asked for as JSON.
    pub(crate) fn json(&self) -> bool {
        match self {
            Self::Demo(args) => args.json,
            Self::Audit(args) => args.result.json,
            Self::Identify(args) => args.result.json,
            Self::Fit(args) => args.training.json,
            Self::Correct(args) => args.json,
            Self::Frontier(args) => args.training.json,
            Self::Sweep(args) => args.training.json,
            Self::Paper(args) => args.json,
            Self::Predict(args) => args.json,
            Self::Evaluate(args) => args.json,
            Self::Verify(args) => args.json,
            Self::Data(args) => args.json(),
            Self::Inject(args) => args.json,
            Self::Completions(_) | Self::Man(_) => false,
        }
    }
}

impl From<&Command> for Running {
    fn from(command: &Command) -> Self {
        match command {
            Command::Demo(_) => Self::Demo,
            Command::Audit(_) => Self::Audit,
            Command::Identify(_) => Self::Identify,
            Command::Fit(_) => Self::Fit,
            Command::Correct(_) => Self::Correct,
            Command::Frontier(_) => Self::Frontier,
            Command::Sweep(_) => Self::Sweep,
            Command::Paper(_) => Self::Paper,
            Command::Predict(_) => Self::Predict,
            Command::Evaluate(_) => Self::Evaluate,
            Command::Verify(_) => Self::Verify,
            Command::Data(_) => Self::Data,
            Command::Inject(_) => Self::Inject,
            Command::Completions(_) | Command::Man(_) => Self::Manual,
        }
    }
}

/// How a command is called that takes the rows of a file or of a recipe.
macro_rules! usage_of_rows {
    ($command:literal) => {
        concat!(
            "evenhand ",
            $command,
            " --label <COLUMN> [OPTIONS] <DATA>\n       evenhand ",
            $command,
            " --recipe <NAME> [OPTIONS]"
        )
    };
}
pub(crate) use usage_of_rows;

/// A part of a help text about `--report`, where this build has it.
#[cfg(feature = "report")]
macro_rules! where_reports_are {
    ($text:literal) => {
        $text
    };
}
#[cfg(not(feature = "report"))]
macro_rules! where_reports_are {
    ($text:literal) => {
        ""
    };
}
pub(crate) use where_reports_are;

/// A part of a help text about networks, where this build has them.
#[cfg(feature = "network")]
macro_rules! where_networks_are {
    ($text:literal) => {
        $text
    };
}
#[cfg(not(feature = "network"))]
macro_rules! where_networks_are {
    ($text:literal) => {
        ""
    };
}
pub(crate) use where_networks_are;

/// A data file and the roles of its columns, or a public dataset.
#[derive(Debug, Args)]
pub(crate) struct DataArgs {
    /// CSV or TSV (also gzipped), Parquet or Arrow IPC file; `-` is standard input.
    #[arg(value_name = "DATA", required_unless_present = "recipe")]
    data: Option<PathBuf>,

    /// Public dataset in place of DATA: adult, bank, communities, compas, german or mnist.
    ///
    /// It is prepared as in the paper. Label, features and split are its own, and so are the groups unless --group names others. What differs from
    /// the paper's text is in `evenhand data list`.
    #[arg(
        long,
        value_name = "NAME",
        conflicts_with_all = ["data", "label", "positive", "weight", "frequency", "ignore", "categorical", "numeric", "missing", "delimiter", "no_header", "columns"]
    )]
    recipe: Option<String>,

    /// Folder with the files of --recipe, or with a folder of its name [default: where `evenhand data get` puts them].
    #[arg(long = "data", id = "folder", value_name = "DIR", requires = "recipe")]
    folder: Option<PathBuf>,

    /// Column to be predicted.
    #[arg(long, value_name = "COLUMN", required_unless_present = "recipe", help_heading = "Columns")]
    label: Option<String>,

    /// Label value that counts as positive; needed unless labels are 0/1, no/yes or the like.
    #[arg(long, alias = "pos-label", value_name = "VALUE", allow_hyphen_values = true, help_heading = "Columns")]
    positive: Option<String>,

    /// Sensitive groups: `sex`, `race=Black,White`, `age<=30`, `age/5` or `sex*race`; may be repeated.
    ///
    /// Values joined by `|` are one group: `race=White,Black|Hispanic` is two. A column whose values are groups is a category to the learner too, even if it holds numbers; see --numeric.
    #[arg(long = "group", aliases = ["groups", "sensitive-feature", "sensitive-features"], value_name = "GROUP", help_heading = "Columns")]
    groups: Vec<String>,

    /// Column of row weights, which count relative to their mean.
    #[arg(long, alias = "sample-weight", value_name = "COLUMN", help_heading = "Columns")]
    weight: Option<String>,

    /// Column of frequencies: how many times each row counts, as if it stood in the file so many times.
    #[arg(long, aliases = ["freq-weights", "frequencies"], value_name = "COLUMN", help_heading = "Columns")]
    frequency: Option<String>,

    /// Column that is not read at all; may be repeated.
    #[arg(long, value_name = "COLUMN", help_heading = "Columns")]
    ignore: Vec<String>,

    #[command(flatten)]
    reading: ReadingArgs,
}

/// How a file is read.
#[derive(Debug, Args)]
struct ReadingArgs {
    /// Column of categories, even if it looks like numbers; may be repeated.
    #[arg(long, value_name = "COLUMN", help_heading = "Reading")]
    categorical: Vec<String>,

    /// Column that must hold numbers, and is a number to the learner even if its values are groups; may be repeated.
    #[arg(long, value_name = "COLUMN", help_heading = "Reading")]
    numeric: Vec<String>,

    /// Text that means a missing value, such as `?`; may be repeated.
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true, help_heading = "Reading")]
    missing: Vec<String>,

    /// What separates the fields of a text file: one character, or `tab` [default: found by itself].
    #[arg(long, value_name = "CHARACTER", help_heading = "Reading")]
    delimiter: Option<String>,

    /// The first line of a text file holds data; columns are called `column_1`, `column_2`, ….
    #[arg(long, help_heading = "Reading")]
    no_header: bool,

    #[command(flatten)]
    headerless: HeaderlessArgs,
}

/// Names for the columns of a file that has none.
#[derive(Debug, Args)]
pub(crate) struct HeaderlessArgs {
    /// Names of all columns, for text files whose first line holds data: `age,sex,income`.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', help_heading = "Reading")]
    columns: Vec<String>,
}

impl HeaderlessArgs {
    /// How a file is read: under these names, if there are any.
    pub(crate) fn reading(&self, options: ReadOptions) -> ReadOptions {
        if self.columns.is_empty() {
            options
        } else {
            options.header(false).names(self.columns.iter().map(|name| name.trim()))
        }
    }
}

/// How a file of rows for a saved model is read: as training read its own, but for what is said here.
#[derive(Debug, Args)]
pub(crate) struct NewRowsArgs {
    /// Text that means a missing value, besides those of training; may be repeated.
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    missing: Vec<String>,

    /// What separates the fields of a text file [default: as in training].
    #[arg(long, value_name = "CHARACTER")]
    delimiter: Option<String>,

    #[command(flatten)]
    headerless: HeaderlessArgs,
}

impl NewRowsArgs {
    /// How the file is read, given how training read its own.
    ///
    /// # Errors
    /// [`Usage`] for a delimiter that is not one character.
    pub(crate) fn reading(&self, as_trained: ReadOptions) -> anyhow::Result<ReadOptions> {
        delimited(self.headerless.reading(as_trained.missing(&self.missing)), self.delimiter.as_deref())
    }
}

impl DataArgs {
    /// Where rows come from. Of a recipe the files are looked for.
    ///
    /// # Errors
    /// [`Usage`] for options that make no sense, or files of a recipe that are not there.
    pub(crate) fn origin(&self) -> anyhow::Result<Origin> {
        self.origin_labelled(None)
    }

    /// The same, where another column may stand in the place of the label.
    ///
    /// # Errors
    /// As [`DataArgs::origin`].
    pub(crate) fn origin_labelled(&self, other: Option<&str>) -> anyhow::Result<Origin> {
        if let Some(name) = &self.recipe {
            return Origin::recipe(name, self.folder.as_deref());
        }
        if self.folder.is_some() {
            let message = "--data names the folder of a --recipe, and none is given";
            return Err(Usage::new(message).hint("give --recipe NAME, or leave out --data").into());
        }
        let missing = |what| Usage::new(format!("{what} is needed, or --recipe"));
        let path = self.data.clone().ok_or_else(|| missing("DATA"))?;
        let label = self.label.as_deref().map(|label| self.schema(label));
        let schema = label.or_else(|| Some(self.schema(other?).of_predictions())).ok_or_else(|| missing("--label"))?;
        Ok(Origin::File { path, schema, reading: Box::new(self.reading()?) })
    }

    /// Checks that rows are there once, for an output with a line for each of them.
    ///
    /// # Errors
    /// [`Usage`] where they have frequencies.
    pub(crate) fn check_each_once(&self, output: &str) -> anyhow::Result<()> {
        if self.frequency.is_none() {
            return Ok(());
        }
        let message =
            format!("--frequency does not go with {output}: a row that counts several times has one line there");
        Err(Usage::new(message).hint("give a file in which such rows are repeated").into())
    }

    /// Whether no column is said to be the label.
    pub(crate) fn is_unlabelled(&self) -> bool {
        self.label.is_none() && self.recipe.is_none()
    }

    /// Whether the rows are those of a public dataset.
    pub(crate) fn is_recipe(&self) -> bool {
        self.recipe.is_some()
    }

    /// The groups that are asked for.
    pub(crate) fn groups(&self) -> evenhand::Result<Vec<GroupSpec>> {
        self.groups.iter().map(|group| group.parse()).collect()
    }

    /// The roles of the columns.
    fn schema(&self, label: &str) -> Schema {
        let mut schema = Schema::label(label);
        if let Some(positive) = &self.positive {
            schema = schema.positive(positive);
        }
        if let Some(weight) = &self.weight {
            schema = schema.weight(weight);
        }
        self.ignore.iter().fold(schema, Schema::ignore)
    }

    /// How the file is read.
    fn reading(&self) -> anyhow::Result<ReadOptions> {
        let ReadingArgs { categorical, numeric, missing, delimiter, no_header, headerless } = &self.reading;
        let options = headerless.reading(ReadOptions::default().header(!no_header).missing(missing));
        let mut options = options.categorical(categorical).numeric(numeric);
        options.frequency.clone_from(&self.frequency);
        delimited(options, delimiter.as_deref())
    }
}

/// A file read with this between its fields, where it is given.
fn delimited(options: ReadOptions, delimiter: Option<&str>) -> anyhow::Result<ReadOptions> {
    Ok(match delimiter {
        Some(text) => options.delimiter(character(text)?),
        None => options,
    })
}

/// One character, or the word for one that is hard to type.
fn character(text: &str) -> anyhow::Result<char> {
    let mut characters = text.chars();
    match (characters.next(), characters.next()) {
        (Some(one), None) => Ok(one),
        _ if text == "tab" || text == "\\t" => Ok('\t'),
        _ => Err(Usage::new(format!("--delimiter is `{text}`; it must be one character, or `tab`")).into()),
    }
}

//! What can be typed, and what it means.

use std::path::PathBuf;

use anyhow::Result;
use clap::{Args, ValueEnum};
use evenhand::{Error, Notion};
use evenhand_datasets::Recipe;
#[cfg(feature = "network")]
use evenhand_experiments::table_2::DigitsMethod;
use evenhand_experiments::{DATASETS, InjectedExperiment, NOTIONS, PaperMethod};

use crate::args::where_networks_are;
use crate::data::folder_of;
use crate::failure::Usage;
use crate::files;
use crate::outputs::CsvArgs;

/// Run the paper's experiments again, and show its numbers beside ours.
///
/// Every dataset, notion and method of Table 1, on the authors' own split or, better, on twenty drawn at random. The
/// sweeps of its figures are drawn too, with --out.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
#[allow(clippy::struct_excessive_bools)] // flags, each on its own
pub(crate) struct PaperArgs {
    /// Folder that holds the datasets, a folder each (`adult/adult.data`, …) [default: the cache of `evenhand data get`].
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,

    /// Which table of the paper: 1, or 2, MNIST where a fifth of the training labels was set to 2.
    #[cfg_attr(feature = "network", arg(long, value_name = "NUMBER", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=2)))]
    #[cfg_attr(not(feature = "network"), arg(skip = 1_u8))]
    pub(super) table: u8,

    #[cfg(feature = "network")]
    #[command(flatten)]
    digits: DigitsArgs,

    /// Which rows to train and to test on.
    #[arg(long, value_enum, default_value_t = Protocol::Notebook)]
    protocol: Protocol,

    /// How many splits --protocol repeated draws.
    #[arg(long, value_name = "NUMBER", default_value_t = 20, value_parser = clap::value_parser!(u64).range(2..))]
    splits: u64,

    /// Put a known bias into labels that are taken for the truth, and see who finds back to it: adult, bank and compas.
    #[arg(long)]
    injected: bool,

    /// Show Theorems 2 and 3 on made-up people: how fast classifiers trained on biased labels come near the truth, with weights and without.
    #[arg(long, conflicts_with_all = ["injected", "protocol", "splits", "datasets", "notions", "methods", "data"])]
    rates: bool,

    /// The most rows that --rates trains on; there are two sizes a decade, from 1,000 on.
    #[arg(long, value_name = "NUMBER", default_value_t = 1_000_000, requires = "rates", value_parser = clap::value_parser!(u64).range(3_162..=10_000_000))]
    rows_max: u64,

    /// How many samples --rates draws of every size.
    #[arg(long, value_name = "NUMBER", default_value_t = 20, requires = "rates", value_parser = clap::value_parser!(u64).range(2..=1_000))]
    draws: u64,

    /// Dataset, if not all of them; may be repeated.
    #[arg(long = "dataset", value_name = "NAME")]
    datasets: Vec<String>,

    /// Notion, if not the four of the paper; may be repeated [default: disparate impact is `paper-disparate-impact` with --protocol notebook,
    /// `disparate-impact` with --protocol repeated].
    #[arg(long = "notion", aliases = ["constraint", "constraints"], value_name = "NOTION")]
    notions: Vec<String>,

    /// Method, if not all of them; may be repeated.
    #[arg(long = "method", value_name = "NAME")]
    methods: Vec<String>,

    /// Folder for the tables (`table.md`, `table.csv`, `table.json`), the figures (`sweep-NAME.svg`, `.csv`) and every
    /// cell as it was measured (`cells.jsonl`); a run that was cut off goes on from there.
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    out: Option<PathBuf>,

    #[command(flatten)]
    csv: CsvArgs,

    /// Write the result as JSON.
    #[arg(long, help_heading = "Output")]
    pub(crate) json: bool,

    /// Show no progress.
    #[arg(long, help_heading = "Output")]
    pub(crate) quiet: bool,

    /// How many threads to use; the result is the same with any [default: all cores].
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
}

/// What belongs to Table 2.
#[cfg(feature = "network")]
#[derive(Debug, Args)]
struct DigitsArgs {
    /// With --table 2, how many seeds: each draws labels and trains networks of its own [default: 1].
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u64).range(1..))]
    seeds: Option<u64>,

    /// With --table 2, run all 100 loops of the paper's method, in place of 5: hours.
    #[arg(long)]
    full: bool,

    /// With --table 2, train each network for so many steps [default: 10000, as the authors did].
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..))]
    steps: Option<u32>,

    /// With --table 2, units of each of the three hidden layers [default: 512, as in the authors' notebook; the paper's text says 1024].
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    width: Option<u32>,
}

/// Which rows are trained on and tested on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub(super) enum Protocol {
    /// The authors' one split and conventions, as in the paper
    Notebook,
    /// Splits drawn at random, the same for all methods: means and standard errors
    Repeated,
}

const EXAMPLES: &str = concat!(
    "\
Methods:
  unconstrained  one fit, no correction
  reweighing     one fit with weights P(s)P(y)/P(s,y) (Kamiran & Calders)
  calibration    one fit, then for each combination of groups the percentile of its training scores at
                 which it has the overall rate, as the paper has it (--method percentile-thresholds of
                 fit); demographic parity and equal opportunity, and not with --injected
  threshold-postprocessing
                 the optimum of what calibration does: thresholds of least error, with random
                 decisions between them (Hardt et al.). Both know the groups of the rows they decide,
                 so they have no cell for disparate impact
  lagrangian     model and multipliers trained jointly, hinges above rates (Eban et al.)
  label-bias     the paper's method as its authors ran it (--preset notebook)
  default        this project's default

One split of 330 rows decides nothing: believe --protocol repeated. It shows for each cell the
violation expected under parity: what a perfectly even classifier would show by chance on such test rows.

Agreement with the paper (--protocol notebook): error and violation within .003 and .005 on adult and
bank, .01 and .02 on compas and german; without correction the error within three test rows. The
authors' split of communities is not known, so its cells are compared with --protocol repeated: within what
holds a further split with a probability of 95 %. Nor is their code for the Lagrangian approach.

Examples:
  evenhand paper --data data
  evenhand paper --data data --protocol repeated --out results
  evenhand paper --data data --protocol repeated --injected
  evenhand paper --rates --out results
  evenhand paper --data data --dataset compas --notion equalized-odds --method label-bias --method default

Injected bias: the dataset's labels are the truth, and training labels are drawn from them by Proposition 1,
so that training without correction loses a few points of true accuracy. The truth is not even here, so
what is asked is the true rate of every group (--notion known-rate).

Rates (--rates): people in three regions of D = 1, 2 and 4 dimensions, or on a curve in 10, and
two groups that overlap; the truth is Lipschitz and even, and labels follow Proposition 1. In one
dimension least squares over Lipschitz functions, elsewhere nearest neighbours, trained with the
weights of the true multipliers, with those of multipliers that even out scores, and with none.
Shown is the root mean square of score minus truth against the number of rows; the paper's rate for
it is n^(-1/(4+2D)), on the curve with its dimension, 1, in the place of D. No dataset is needed.
With --out: rates.md, rates.svg, rates.csv, rates.json, and every draw in rates.jsonl.

",
    where_networks_are!(
        "\
Table 2 (MNIST): all that is known of the truth is that 10 % are a 2. `true-labels` is trained on the
labels before any was set to 2, and `tilt` tilts the probabilities of the unconstrained network
(Corollary 1); calibration is that of the paper's appendix, and there is no reweighing:
  evenhand paper --table 2 --data data
  evenhand paper --table 2 --data data --seeds 3 --out results

"
    ),
    "\
JSON keys: protocol, splits, rows (dataset, notion, method, train and test (error, violation: mean, error,
splits), test_rows, expected_under_parity, fits, seconds, slack, published (error, violation), agreement).
With --injected: splits, rows (dataset, method, error, violation, recovered, changed).
With --rates: draws, multipliers, populations (name, dimensions, intrinsic_dimensions, learner,
guaranteed_slope, slopes (known, found, none: mean, error), sizes (rows, known, found, none,
multipliers: mean, error)).",
    where_networks_are!(
        "
With --table 2: seeds, loops, steps, width, put_in, rows (method, accuracy, rate, multiplier,
trainings, slack, seconds, published, later)."
    )
);

/// Arguments that make sense together.
pub(super) struct Plan {
    data: Option<PathBuf>,
    pub(super) protocol: Protocol,
    splits: u64,
    pub(super) injected: bool,
    /// The most rows and the number of draws of --rates, where that was asked for.
    pub(super) rates: Option<(usize, u64)>,
    pub(super) datasets: Vec<&'static str>,
    pub(super) notions: Vec<Notion>,
    pub(super) methods: Vec<PaperMethod>,
    pub(super) out: Option<PathBuf>,
    pub(super) csv: CsvArgs,
    pub(super) threads: Option<usize>,
    #[cfg(feature = "network")]
    pub(super) digits: Vec<DigitsMethod>,
    #[cfg(feature = "network")]
    pub(super) seeds: u64,
    #[cfg(feature = "network")]
    pub(super) full: bool,
    #[cfg(feature = "network")]
    pub(super) steps: Option<usize>,
    #[cfg(feature = "network")]
    pub(super) width: Option<usize>,
}

impl Plan {
    pub(super) fn new(args: PaperArgs) -> Result<Self> {
        #[cfg(feature = "network")]
        check_table(&args)?;
        if let Some(out) = &args.out
            && out.exists()
            && !out.is_dir()
        {
            return Err(Usage::new(format!("--out {}: is no folder", out.display())).hint("name a folder").into());
        }
        if let Some(out) = args.out.as_deref().filter(|out| out.is_dir()) {
            files::check_folder(&out.join("table.md"), out)?;
        }
        let mut datasets = asked(&args.datasets, DATASETS.to_vec(), dataset)?;
        if args.injected {
            if !args.notions.is_empty() {
                return Err(Usage::new("--injected asks for the true rates of groups: no --notion goes with it").into());
            }
            let known: Vec<&str> = InjectedExperiment::datasets().collect();
            if let Some(other) = args.methods.iter().find(|name| name.as_str() == PaperMethod::Calibration.name()) {
                let message = format!("--injected asks for the rate of each group, and {other} sets one rate for all");
                return Err(Usage::new(message).hint("--method threshold-postprocessing can be asked for them").into());
            }
            if let Some(other) = args.datasets.iter().find(|name| !known.contains(&name.as_str())) {
                let message = format!("--injected has no bias for `{other}`; it has one for {}", known.join(", "));
                return Err(Usage::new(message).into());
            }
            datasets.retain(|name| known.contains(name));
        }
        let notions = notions(&args)?;
        Ok(Self {
            data: args.data,
            protocol: args.protocol,
            splits: args.splits,
            injected: args.injected,
            rates: args.rates.then_some((args.rows_max as usize, args.draws)),
            datasets,
            notions,
            methods: if args.table == 2 {
                Vec::new()
            } else {
                asked(&args.methods, PaperMethod::ALL.to_vec(), str::parse)?
            },
            #[cfg(feature = "network")]
            digits: if args.table == 2 {
                asked(&args.methods, DigitsMethod::ALL.to_vec(), str::parse)?
            } else {
                Vec::new()
            },
            #[cfg(feature = "network")]
            seeds: args.digits.seeds.unwrap_or(1),
            #[cfg(feature = "network")]
            full: args.digits.full,
            #[cfg(feature = "network")]
            steps: args.digits.steps.map(|steps| steps as usize),
            #[cfg(feature = "network")]
            width: args.digits.width.map(|width| width as usize),
            out: args.out,
            csv: args.csv,
            threads: args.threads.map(usize::from),
        })
    }

    /// The folder of a dataset, with its files in it.
    pub(super) fn folder(&self, recipe: &Recipe) -> Result<PathBuf> {
        folder_of(recipe.entry()?, self.data.as_deref())
    }

    /// Seeds of the splits; `None` is the published one.
    pub(super) fn draws(&self) -> Vec<Option<u64>> {
        match self.protocol {
            Protocol::Notebook => vec![None],
            Protocol::Repeated => (1..=self.splits).map(Some).collect(),
        }
    }
}

/// Options of one table do not go with the other.
#[cfg(feature = "network")]
fn check_table(args: &PaperArgs) -> Result<()> {
    let of_first = [
        ("--injected", args.injected),
        ("--dataset", !args.datasets.is_empty()),
        ("--notion", !args.notions.is_empty()),
        ("--protocol repeated", args.protocol == Protocol::Repeated),
    ];
    let digits = &args.digits;
    let of_second = [
        ("--seeds", digits.seeds.is_some()),
        ("--full", digits.full),
        ("--steps", digits.steps.is_some()),
        ("--width", digits.width.is_some()),
    ];
    let (given, other) = if args.table == 2 { (&of_first[..], 1) } else { (&of_second[..], 2) };
    match given.iter().find(|(_, given)| *given) {
        Some((option, _)) => Err(Usage::new(format!("{option} belongs to --table {other}"))
            .hint(format!("leave it out, or give --table {other}"))
            .into()),
        None => Ok(()),
    }
}

/// A dataset of Table 1.
fn dataset(name: &str) -> evenhand::Result<&'static str> {
    DATASETS
        .into_iter()
        .find(|one| *one == name)
        .ok_or_else(|| Error::setting("dataset", format!("`{name}`"), format!("one of {}", DATASETS.join(", "))))
}

/// What was named, each once and in the order of `all`; all of them where nothing was.
fn asked<T: PartialEq>(
    names: &[String],
    all: Vec<T>,
    read: impl Fn(&str) -> evenhand::Result<T>,
) -> evenhand::Result<Vec<T>> {
    let named = names.iter().map(|name| read(name)).collect::<evenhand::Result<Vec<T>>>()?;
    Ok(if named.is_empty() { all } else { all.into_iter().filter(|one| named.contains(one)).collect() })
}

/// The notions that are named. Where none is, those of the paper: as its table has them on the authors' split, ours on others.
fn notions(args: &PaperArgs) -> evenhand::Result<Vec<Notion>> {
    let mut all = NOTIONS.to_vec();
    let impact = all.iter().position(|one| *one == Notion::PaperDisparateImpact).unwrap_or_default();
    if args.notions.is_empty() {
        if args.protocol == Protocol::Repeated {
            all[impact] = Notion::DisparateImpact;
        }
        return Ok(all);
    }
    all.insert(impact, Notion::DisparateImpact);
    let known = all.clone();
    asked(&args.notions, all, |name| {
        let notion: Notion = name.parse()?;
        if known.contains(&notion) {
            return Ok(notion);
        }
        let allowed = format!("one of {}", known.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "));
        Err(Error::setting("notion", format!("`{name}`"), allowed))
    })
}

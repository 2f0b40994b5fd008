//! `evenhand paper --table 2`: MNIST, where a fifth of the training labels was set to 2.
//!
//! Methods of one seed are measured side by side, a thread each: a network gains less from a second thread than a second network does.

use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context as _, Result};
use evenhand::learner::Network;
use evenhand_datasets::Recipe;
use evenhand_datasets::recipe::Source;
use evenhand_experiments::Estimate;
use evenhand_experiments::table_2::{
    DigitsExperiment, DigitsMeasured, DigitsMethod, Effort, label_seed, published_network,
};
use indicatif::ProgressBar;
use serde::{Deserialize, Serialize};

use super::args::Plan;
use super::render::folded;
use super::store::{self, Store};
use crate::columns::Columns;
use crate::outputs::Outputs;
use crate::progress::Progress;
use crate::text::{Lines, thousands};

/// How many loops of the paper's method are run, unless it is to be all that the authors ran.
pub(super) const FEW_LOOPS: usize = 5;
const ALL_LOOPS: usize = 100;

/// A method with one seed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Key {
    method: DigitsMethod,
    seed: u64,
    /// Of the paper's method.
    loops: Option<usize>,
    steps: usize,
    width: usize,
}

/// How it did.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Value {
    measured: DigitsMeasured,
    /// λ as it was put in with this seed.
    put_in: f64,
    seconds: f64,
}

impl store::Key for Key {
    const FILE: &str = "digits.jsonl";

    type Value = Value;
}

type Cell = store::Cell<Key>;

/// The table. The keys are stable.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Digits {
    /// How many seeds.
    seeds: u64,
    /// How many times multipliers moved.
    loops: usize,
    /// How many steps a network was trained.
    steps: usize,
    width: usize,
    /// λ as it was put in, from the shares of labels.
    put_in: Estimate,
    /// One for each method.
    rows: Vec<Row>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Row {
    /// The method.
    method: DigitsMethod,
    /// By the true labels of the test rows.
    accuracy: Estimate,
    /// The share of test rows decided for 2.
    rate: Estimate,
    /// λ as it was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    multiplier: Option<Estimate>,
    /// Networks trained beside the unconstrained one.
    trainings: f64,
    /// The slack that the Lagrangian approach took.
    #[serde(skip_serializing_if = "Option::is_none")]
    slack: Option<f64>,
    /// How long it took.
    seconds: f64,
    /// The accuracy in the paper.
    #[serde(skip_serializing_if = "Option::is_none")]
    published: Option<f64>,
    /// The accuracy that the authors' notebook printed later.
    #[serde(skip_serializing_if = "Option::is_none")]
    later: Option<f64>,
}

/// What is to be measured, and how.
struct Work<'a> {
    store: Store<Key>,
    bar: ProgressBar,
    run: Run,
    threads: usize,
    plan: &'a Plan,
}

/// How networks are trained, whatever the seed.
#[derive(Clone, Copy)]
struct Run {
    effort: Effort,
    steps: usize,
    width: usize,
}

impl Run {
    fn new(plan: &Plan) -> Self {
        let usual = published_network(0);
        Self {
            effort: Effort { loops: if plan.full { ALL_LOOPS } else { FEW_LOOPS } },
            steps: plan.steps.unwrap_or(usual.steps),
            width: plan.width.unwrap_or(usual.layers[0]),
        }
    }

    fn key(self, method: DigitsMethod, seed: u64) -> Key {
        let loops = (method == DigitsMethod::LabelBias).then_some(self.effort.loops);
        Key { method, seed, loops, steps: self.steps, width: self.width }
    }

    fn network(self, seed: u64) -> Network {
        let usual = published_network(seed);
        Network { steps: self.steps, layers: vec![self.width; usual.layers.len()], ..usual }
    }
}

/// Measures what is not known yet.
pub(super) fn measure(plan: &Plan, progress: Progress) -> Result<Digits> {
    let run = Run::new(plan);
    let threads = plan.threads.or_else(|| std::thread::available_parallelism().ok().map(Into::into)).unwrap_or(1);
    let store: Store<Key> = Store::open(plan.out.as_deref())?;
    let missing = |seed: u64| -> Vec<DigitsMethod> {
        let lacks = |method: &DigitsMethod| !store.has(&run.key(*method, seed));
        ORDER.into_iter().filter(|method| plan.digits.contains(method)).filter(lacks).collect()
    };
    let jobs: Vec<(u64, Vec<DigitsMethod>)> = (1..=plan.seeds).map(|seed| (seed, missing(seed))).collect();
    let trainings: usize = jobs
        .iter()
        .flat_map(|(_, methods)| methods)
        .map(|&method| DigitsExperiment::trainings(method, run.effort))
        .sum();
    let work = Work { bar: progress.count("training", trainings * run.steps), store, run, threads, plan };
    if trainings > 0 {
        work.seeds(&jobs, progress)?;
    }
    work.bar.finish_and_clear();
    let cells = work.store.into_cells();
    Digits::new(plan, run, &cells).context("nothing was measured")
}

/// The longest first, and those that need the unconstrained network once it is there.
const ORDER: [DigitsMethod; 7] = [
    DigitsMethod::Default,
    DigitsMethod::TrueLabels,
    DigitsMethod::LabelBias,
    DigitsMethod::Lagrangian,
    DigitsMethod::Unconstrained,
    DigitsMethod::Calibration,
    DigitsMethod::Tilt,
];

impl Work<'_> {
    fn seeds(&self, jobs: &[(u64, Vec<DigitsMethod>)], progress: Progress) -> Result<()> {
        let recipe = Recipe::named("mnist")?;
        let source = progress.during("reading mnist", || -> Result<_> { Ok(recipe.read(&self.plan.folder(recipe)?)?) });
        let source = source.context("dataset mnist")?;
        // What is left is reckoned from steps alone.
        self.bar.reset();
        for (seed, methods) in jobs.iter().filter(|(_, methods)| !methods.is_empty()) {
            self.seed(&source, *seed, methods).with_context(|| format!("seed {seed}"))?;
        }
        Ok(())
    }

    /// All methods of one seed, on as many threads as there are.
    fn seed(&self, source: &Source<'static>, seed: u64, methods: &[DigitsMethod]) -> Result<()> {
        let prepared = source.clone().with_label_seed(label_seed(seed)).published()?;
        let experiment = DigitsExperiment::new(&prepared, self.run.network(seed))?;
        drop(prepared);
        let next = AtomicUsize::new(0);
        let failed = Mutex::new(None);
        let workers = self.threads.clamp(1, methods.len());
        std::thread::scope(|scope| {
            for _ in 0..workers {
                scope.spawn(|| {
                    while let Some(&method) = methods.get(next.fetch_add(1, Ordering::Relaxed)) {
                        if let Err(error) = self.cell(&experiment, seed, method, workers) {
                            failed.lock().expect("no thread panics with it").get_or_insert(error);
                            next.store(methods.len(), Ordering::Relaxed);
                        }
                    }
                });
            }
        });
        failed.into_inner().expect("no thread panics with it").map_or(Ok(()), Err)
    }

    fn cell(&self, experiment: &DigitsExperiment, seed: u64, method: DigitsMethod, workers: usize) -> Result<()> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads((self.threads / workers).max(1)).build()?;
        let started = std::time::Instant::now();
        let watch = |_, _| {
            self.bar.inc(1);
            false
        };
        let measured = pool.install(|| experiment.measure(method, self.run.effort, &watch));
        let measured = measured.with_context(|| method.to_string())?;
        self.settle(method, measured.trainings);
        let value = Value { measured, put_in: experiment.put_in(), seconds: started.elapsed().as_secs_f64() };
        self.store.add(self.run.key(method, seed), value)
    }

    /// Makes the bar as long as a method took, where it took more or fewer networks than were reckoned with.
    fn settle(&self, method: DigitsMethod, trainings: usize) {
        let steps = |trainings: usize| (trainings * self.run.steps) as u64;
        self.bar.inc_length(steps(trainings));
        self.bar.dec_length(steps(DigitsExperiment::trainings(method, self.run.effort)));
    }
}

impl Digits {
    fn new(plan: &Plan, run: Run, cells: &[Cell]) -> Option<Self> {
        let of = |method: DigitsMethod| -> Vec<&Cell> {
            let mut own: Vec<&Cell> =
                cells.iter().filter(|cell| (1..=plan.seeds).any(|seed| cell.key == run.key(method, seed))).collect();
            own.sort_by_key(|cell| cell.key.seed);
            own
        };
        let rows: Vec<Row> = plan.digits.iter().filter_map(|&method| Row::new(method, &of(method))).collect();
        let put_in: Vec<f64> = of(*plan.digits.first()?).iter().map(|cell| cell.value.put_in).collect();
        let Run { effort: Effort { loops }, steps, width } = run;
        Some(Self { seeds: plan.seeds, loops, steps, width, put_in: Estimate::of(&put_in)?, rows })
    }

    pub(super) fn text(&self) -> String {
        let mut lines = Lines::default();
        let heads = ["test accuracy", "published", "decided 2", "λ", "trainings"];
        lines.push("", heads.map(str::to_owned).to_vec());
        for row in &self.rows {
            lines.push(format!("  {}", row.method), row.cells().to_vec());
        }
        let remarks: Vec<String> = self.remarks().iter().map(|remark| folded(remark)).collect();
        format!("{}\n{}\n", lines.render(), remarks.join("\n"))
    }

    fn remarks(&self) -> Vec<String> {
        let seeds = if self.seeds == 1 {
            "One seed.".to_owned()
        } else {
            format!(
                "Means over {} seeds, each with labels and networks of its own, ± standard deviation over seeds.",
                self.seeds
            )
        };
        let loops = format!(
            "label-bias: the paper's method as in the authors' notebook: rows labelled 2 weigh σ(2λ) and all others ½; {} of their {ALL_LOOPS} loops, each with a fresh network. Published: the number in the paper's table and, where there is one, the number that the authors' notebook printed later.",
            self.loops
        );
        vec![
            format!(
                "{seeds} A fifth of the training labels was set to 2, drawn with numpy's seed 12345 for the first seed as by the authors, and the only constraint is that 10 % are decided for 2. Networks have 3 layers of {} units and train for {} steps of 50 rows, drawn in proportion to weights (512 and 10,000 in the notebook; the paper's text says 1,024 units). Accuracy is by the true labels of the 10,000 test images.",
                thousands(self.width), thousands(self.steps)
            ),
            format!("λ: the logarithm of the weight of rows labelled 2 relative to others, or of the factor on their probabilities. Injected, by the effect of setting labels on the odds of the label 2: {}.", spread(Some(self.put_in), 1.0)),
            loops,
            "default: ours, with at most three trainings in addition to the unconstrained one. tilt: Corollary 1, the probabilities of the unconstrained network tilted until 10 % of the training rows are decided for 2, without further training. calibration: as in the appendix, on the test images themselves. Trainings: in addition to the unconstrained one, which the rows below it share.".into(),
        ]
    }

    fn markdown(&self) -> String {
        let remarks: Vec<String> = self.remarks().iter().map(|remark| format!("- {remark}\n")).collect();
        let head = "| method | test accuracy | published | decided 2 | λ | trainings |\n| --- | --- | --- | --- | --- | --- |\n";
        let line = |row: &Row| format!("| {} | {} |\n", row.method, row.cells().join(" | "));
        format!("{}\n{head}{}", remarks.concat(), self.rows.iter().map(line).collect::<String>())
    }

    /// All forms, into a folder.
    pub(super) fn write(&self, folder: &Path, outputs: &mut Outputs) -> Result<()> {
        outputs.text(&folder.join("digits.md"), &self.markdown())?;
        outputs.text(&folder.join("digits.json"), &(serde_json::to_string_pretty(self)? + "\n"))?;
        let table = Columns::of(&self.rows)
            .words("method", |row| row.method.to_string())
            .numbers("accuracy", |row| Some(row.accuracy.mean))
            .numbers("accuracy_sd", |row| deviation(row.accuracy))
            .numbers("rate", |row| Some(row.rate.mean))
            .numbers("multiplier", |row| Some(row.multiplier?.mean))
            .numbers("trainings", |row| Some(row.trainings))
            .numbers("published", |row| row.published)
            .numbers("later", |row| row.later)
            .table()?;
        outputs.table(&folder.join("digits.csv"), &table)
    }
}

impl Row {
    fn new(method: DigitsMethod, cells: &[&Cell]) -> Option<Self> {
        let of = |value: &dyn Fn(&DigitsMeasured) -> Option<f64>| {
            Estimate::of(&cells.iter().filter_map(|cell| value(&cell.value.measured)).collect::<Vec<f64>>())
        };
        Some(Self {
            method,
            accuracy: of(&|one| Some(one.accuracy))?,
            rate: of(&|one| Some(one.rate))?,
            multiplier: of(&|one| one.multiplier),
            trainings: of(&|one| Some(one.trainings as f64))?.mean,
            slack: of(&|one| one.slack).map(|slack| slack.mean),
            seconds: cells.iter().map(|cell| cell.value.seconds).sum::<f64>() / cells.len() as f64,
            published: method.published(),
            later: method.later(),
        })
    }

    fn cells(&self) -> [String; 5] {
        let percent = |share: f64| format!("{:.2} %", 100.0 * share);
        let published = match (self.published, self.later) {
            (Some(published), Some(later)) => format!("{}, later {}", percent(published), percent(later)),
            (Some(published), None) => percent(published),
            _ => "-".into(),
        };
        let trainings = format!("{:.1}", self.trainings);
        [
            spread(Some(self.accuracy), 100.0) + " %",
            published,
            spread(Some(self.rate), 100.0) + " %",
            spread(self.multiplier, 1.0),
            trainings.trim_end_matches(".0").to_owned(),
        ]
    }
}

/// A mean and the standard deviation around it.
fn spread(estimate: Option<Estimate>, unit: f64) -> String {
    let Some(estimate) = estimate else { return "-".into() };
    let mean = format!("{:.2}", unit * estimate.mean);
    deviation(estimate).map_or_else(|| mean.clone(), |spread| format!("{mean} ± {:.2}", unit * spread))
}

/// The standard deviation of single values.
fn deviation(estimate: Estimate) -> Option<f64> {
    estimate.error.map(|error| error * (estimate.splits as f64).sqrt())
}

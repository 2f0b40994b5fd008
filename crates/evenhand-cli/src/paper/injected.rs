//! `evenhand paper --injected`: who finds back to the truth, where it is known?

use std::path::Path;

use anyhow::{Context as _, Result};
use evenhand::correction::Silent;
use evenhand_datasets::recipe::Source;
use evenhand_experiments::{Estimate, InjectedExperiment, PaperMethod, Part};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::args::Plan;
use super::grid::prepare;
use super::render::{estimate, folded};
use super::store::{self, Store};
use crate::columns::Columns;
use crate::outputs::Outputs;
use crate::progress::Progress;
use crate::text::{Lines, percent};

/// Trained on the true labels: as good as it can get.
const BEST: &str = "true labels";

/// A method on one dataset and split.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Key {
    dataset: String,
    method: String,
    #[serde(rename = "split")]
    draw: Option<u64>,
}

/// How it does by the true labels of the test rows.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Value {
    test: Part,
    fits: usize,
    /// The share of training labels that are not the true ones.
    changed: f64,
}

impl store::Key for Key {
    const FILE: &str = "injected.jsonl";

    type Value = Value;
}

type Cell = store::Cell<Key>;

/// What is shown. The keys are stable.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Injected {
    /// How many splits.
    splits: usize,
    /// One for each dataset and method.
    rows: Vec<Row>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Row {
    /// The dataset.
    dataset: &'static str,
    /// The method.
    method: String,
    /// By the true labels.
    error: Estimate,
    /// How far from the true rates of groups decisions are.
    violation: Option<Estimate>,
    /// Of what unconstrained loses, the share that is found back.
    recovered: Option<f64>,
    /// The share of labels that the bias changed.
    changed: f64,
}

/// Measures what is not known yet.
pub(super) fn measure(plan: &Plan, sources: &[Source<'static>], progress: Progress) -> Result<Injected> {
    let store: Store<Key> = Store::open(plan.out.as_deref())?;
    let mut methods: Vec<Option<PaperMethod>> = vec![None];
    methods.extend(plan.methods.iter().copied().filter(|&method| InjectedExperiment::takes(method)).map(Some));
    let mut jobs = Vec::new();
    for (&dataset, source) in plan.datasets.iter().zip(sources) {
        for draw in plan.draws() {
            let key = |method: &Option<PaperMethod>| Key { dataset: dataset.into(), method: name(*method), draw };
            let missing: Vec<Option<PaperMethod>> =
                methods.iter().copied().filter(|method| !store.has(&key(method))).collect();
            if !missing.is_empty() {
                jobs.push((dataset, source, draw, missing));
            }
        }
    }
    let bar = progress.count("measuring", jobs.iter().map(|job| job.3.len()).sum());
    jobs.par_iter().with_max_len(1).try_for_each(|(dataset, source, draw, missing)| -> Result<()> {
        let prepared = prepare(source, *draw)?;
        let experiment = InjectedExperiment::new(dataset, &prepared, draw.unwrap_or(0))
            .with_context(|| format!("injecting {dataset}"))?;
        for &method in missing {
            let measured = match method {
                None => experiment.best(),
                Some(method) => experiment.measure(method, &mut Silent),
            };
            let measured = measured.with_context(|| format!("{dataset}, {}", name(method)))?;
            let key = Key { dataset: (*dataset).into(), method: name(method), draw: *draw };
            let changed = experiment.changed() as f64 / measured.train.rows as f64;
            bar.inc(1);
            store.add(key, Value { test: measured.test, fits: measured.fits, changed })?;
        }
        Ok(())
    })?;
    bar.finish_and_clear();
    let cells = store.into_cells();
    Ok(Injected::new(plan, &methods, &cells))
}

fn name(method: Option<PaperMethod>) -> String {
    method.map_or_else(|| BEST.to_owned(), |method| method.to_string())
}

impl Injected {
    fn new(plan: &Plan, methods: &[Option<PaperMethod>], cells: &[Cell]) -> Self {
        let draws = plan.draws();
        let mut rows = Vec::new();
        for &dataset in &plan.datasets {
            let of = |method: &str, value: &dyn Fn(&Cell) -> Option<f64>| {
                let is_its = |cell: &&Cell| {
                    cell.key.dataset == dataset && cell.key.method == method && draws.contains(&cell.key.draw)
                };
                let mut own: Vec<&Cell> = cells.iter().filter(is_its).collect();
                own.sort_by_key(|cell| cell.key.draw);
                Estimate::of(&own.iter().filter_map(|cell| value(cell)).collect::<Vec<f64>>())
            };
            let error = |method: &str| of(method, &|cell| Some(cell.value.test.error));
            let (best, worst) = (error(BEST), error(PaperMethod::Unconstrained.name()));
            for method in methods {
                let method = name(*method);
                let (Some(error), Some(changed)) = (error(&method), of(&method, &|cell| Some(cell.value.changed)))
                else {
                    continue;
                };
                let recovered =
                    best.zip(worst).map(|(best, worst)| (worst.mean - error.mean) / (worst.mean - best.mean));
                let violation = of(&method, &|cell| cell.value.test.violation);
                rows.push(Row { dataset, method, error, violation, recovered, changed: changed.mean });
            }
        }
        Self { splits: draws.len(), rows }
    }

    pub(super) fn text(&self) -> String {
        let mut lines = Lines::default();
        let mut last = None;
        for row in &self.rows {
            if last != Some(row.dataset) {
                last = Some(row.dataset);
                lines.push(String::new(), Vec::new());
                let head = format!("{}, {} of training labels changed", row.dataset, percent(row.changed));
                lines.push(head, vec!["error by the truth".into(), "recovered".into(), "off the true rates".into()]);
            }
            let recovered = row.recovered.map_or_else(|| "-".into(), |share| format!("{:.0} %", 100.0 * share));
            lines
                .push(format!("  {}", row.method), vec![estimate(Some(row.error)), recovered, estimate(row.violation)]);
        }
        let remarks: Vec<String> = self.remarks().iter().map(|remark| folded(remark)).collect();
        format!("{}\n{}\n", lines.render().trim_start_matches('\n'), remarks.join("\n"))
    }

    fn remarks(&self) -> Vec<String> {
        let splits = if self.splits == 1 {
            "One split, the authors'.".to_owned()
        } else {
            format!(
                "Means over {} random splits, each with labels of its own, ± standard error of the mean.",
                self.splits
            )
        };
        vec![
            splits,
            "The dataset's labels are taken as the truth; training labels were drawn from them by Proposition 1 with known multipliers. All methods train on the drawn labels and are evaluated by the true labels of the test rows.".into(),
            "Recovered: the share of the additional error of unconstrained, compared with training on the true labels, that a method removes. All methods except unconstrained and reweighing, which cannot use them, were given the true rate of every group; the default requires these rates of scores, which identifies the bias, the others of decisions. Off the true rates: largest |known rate − share decided positive| over groups.".into(),
        ]
    }

    fn markdown(&self) -> String {
        let remarks: Vec<String> = self.remarks().iter().map(|remark| format!("- {remark}\n")).collect();
        let head = "| dataset | labels changed | method | error by the truth | recovered | off the true rates |\n| --- | --- | --- | --- | --- | --- |\n";
        let line = |row: &Row| {
            let recovered = row.recovered.map_or_else(|| "-".into(), |share| format!("{:.0} %", 100.0 * share));
            let (error, violation) = (estimate(Some(row.error)), estimate(row.violation));
            format!(
                "| {} | {} | {} | {error} | {recovered} | {violation} |\n",
                row.dataset,
                percent(row.changed),
                row.method
            )
        };
        format!("{}\n{head}{}", remarks.concat(), self.rows.iter().map(line).collect::<String>())
    }

    /// All forms, into a folder.
    pub(super) fn write(&self, folder: &Path, outputs: &mut Outputs) -> Result<()> {
        outputs.text(&folder.join("injected.md"), &self.markdown())?;
        outputs.text(&folder.join("injected.json"), &(serde_json::to_string_pretty(self)? + "\n"))?;
        let table = Columns::of(&self.rows)
            .words("dataset", |row| row.dataset.to_owned())
            .words("method", |row| row.method.clone())
            .numbers("error", |row| Some(row.error.mean))
            .numbers("error_se", |row| row.error.error)
            .numbers("recovered", |row| row.recovered)
            .numbers("violation", |row| Some(row.violation?.mean))
            .numbers("changed", |row| Some(row.changed))
            .table()?;
        outputs.table(&folder.join("injected.csv"), &table)
    }
}

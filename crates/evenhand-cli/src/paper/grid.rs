//! Cells of the table: measured in parallel, each on its own, those that are stored already are not measured again.

use std::time::Instant;

use anyhow::{Context as _, Result};
use evenhand::Notion;
use evenhand::correction::Silent;
use evenhand_datasets::Recipe;
use evenhand_datasets::recipe::{Prepared, Source};
use evenhand_experiments::{Experiment, Measured, PaperMethod};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::args::Plan;
use super::store::{self, Store};
use crate::progress::Progress;

/// Which cell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Key {
    pub(super) dataset: String,
    pub(super) notion: Notion,
    #[serde(rename = "method")]
    pub(super) method: PaperMethod,
    /// The seed of its split; none of the published one.
    #[serde(rename = "split")]
    pub(super) draw: Option<u64>,
}

/// How a method did there.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Value {
    #[serde(flatten)]
    pub(super) measured: Measured,
    pub(super) seconds: f64,
}

impl store::Key for Key {
    const FILE: &str = "cells.jsonl";

    type Value = Value;
}

pub(super) type Cell = store::Cell<Key>;

/// The datasets that are asked for, in their order.
pub(super) fn read(plan: &Plan) -> Result<Vec<Source<'static>>> {
    let read = |name: &&'static str| {
        let recipe = Recipe::named(name)?;
        recipe.read(&plan.folder(recipe)?).with_context(|| format!("dataset {name}"))
    };
    plan.datasets.iter().map(read).collect()
}

/// Rows that several cells share: one dataset, split and notion.
struct Job<'a> {
    dataset: &'static str,
    source: &'a Source<'static>,
    draw: Option<u64>,
    notion: &'a Notion,
    methods: Vec<PaperMethod>,
}

/// Every cell of the plan.
pub(super) fn measure(plan: &Plan, sources: &[Source<'static>], progress: Progress) -> Result<Vec<Cell>> {
    let store: Store<Key> = Store::open(plan.out.as_deref())?;
    let mut jobs = Vec::new();
    // Long ones first: at the end no thread should be left alone with a large dataset.
    let mut datasets: Vec<_> = plan.datasets.iter().copied().zip(sources).collect();
    datasets.sort_by_key(|(_, source)| std::cmp::Reverse(source.rows()));
    for (dataset, source) in datasets {
        for draw in plan.draws() {
            for notion in &plan.notions {
                let key = |&method: &PaperMethod| Key { dataset: dataset.into(), notion: notion.clone(), method, draw };
                let missing = |method: &PaperMethod| method.takes(notion) && !store.has(&key(method));
                let methods: Vec<PaperMethod> = plan.methods.iter().copied().filter(missing).collect();
                if !methods.is_empty() {
                    jobs.push(Job { dataset, source, draw, notion, methods });
                }
            }
        }
    }
    let bar = progress.count("measuring", jobs.iter().map(|job| job.methods.len()).sum());
    jobs.par_iter().with_max_len(1).try_for_each(|job| {
        let keep = |key: Key, value: Value| {
            bar.inc(1);
            store.add(key, value)
        };
        job.run(keep).with_context(|| job.name())
    })?;
    bar.finish_and_clear();
    Ok(store.into_cells())
}

impl Job<'_> {
    fn run(&self, keep: impl Fn(Key, Value) -> Result<()>) -> Result<()> {
        let experiment = Experiment::new(&prepare(self.source, self.draw)?, self.notion)?;
        for &method in &self.methods {
            let start = Instant::now();
            let measured = experiment.measure(method, &mut Silent)?;
            let seconds = start.elapsed().as_secs_f64();
            let key = Key { dataset: self.dataset.into(), notion: self.notion.clone(), method, draw: self.draw };
            keep(key, Value { measured, seconds })?;
        }
        Ok(())
    }

    fn name(&self) -> String {
        let split = self.draw.map_or_else(|| "published split".to_owned(), |seed| format!("split {seed}"));
        format!("{}, {}, {split}", self.dataset, self.notion)
    }
}

/// One of the splits, the published one without a seed.
pub(super) fn prepare(source: &Source<'_>, draw: Option<u64>) -> evenhand::Result<Prepared> {
    match draw {
        None => source.published(),
        Some(seed) => source.drawn(seed),
    }
}

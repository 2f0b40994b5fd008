//! The paper's figures: more and less of every correction, a figure a dataset.

use std::path::Path;

use anyhow::{Context as _, Result};
use evenhand::Notion;
use evenhand_datasets::recipe::Source;
use evenhand_experiments::{Contender, Trial};
use rayon::prelude::*;

use super::args::Plan;
use super::grid::prepare;
use super::render::put;
use crate::figure::Figure;
use crate::progress::Progress;
use crate::sweep::{CAPTION, Curve, LAST, Point, scales, table};

/// Whose multipliers are scaled, of those that have any.
const SWEPT: [Contender; 2] = [Contender::LabelBias, Contender::Default];

/// As many steps as make a smooth line.
const STEPS: usize = 31;

/// A figure and a table for each dataset and contender, on the published split.
pub(super) fn write(plan: &Plan, sources: &[Source<'static>], folder: &Path, progress: Progress) -> Result<()> {
    let datasets: Vec<(&str, &Source<'static>)> = plan.datasets.iter().copied().zip(sources).collect();
    for (dataset, source) in datasets {
        for contender in SWEPT.into_iter().filter(|one| plan.contenders.contains(one)) {
            let curves = progress.during(format!("sweeping {dataset}, {contender}"), || {
                plan.notions
                    .par_iter()
                    .map(|notion| curve(source, notion, contender))
                    .collect::<evenhand::Result<Vec<_>>>()
            });
            let curves = curves.with_context(|| format!("{dataset}, {contender}"))?;
            let figure = Figure {
                title: format!("{dataset}: x times the multipliers of {contender}"),
                caption: CAPTION.into(),
                across: "x".into(),
                mark: Some((1.0, "λ found")),
                columns: curves.iter().map(Curve::column).collect(),
            };
            put(&folder.join(format!("sweep-{dataset}-{contender}.svg")), &figure.svg())?;
            table(&curves)?.write(&folder.join(format!("sweep-{dataset}-{contender}.csv")))?;
        }
    }
    Ok(())
}

fn curve(source: &Source<'_>, notion: &Notion, contender: Contender) -> evenhand::Result<Curve> {
    let scales = scales(LAST, STEPS);
    let swept = Trial::new(&prepare(source, None, notion)?, notion)?.sweep(contender, &scales)?;
    let point = |(x, (train, test))| Point { x, train, test: Some(test) };
    Ok(Curve { name: notion.to_string(), points: scales.into_iter().zip(swept).map(point).collect() })
}

//! The paper's figures: more and less of every correction, a figure a dataset.

use std::path::Path;

use anyhow::{Context as _, Result};
use evenhand::Notion;
use evenhand_datasets::recipe::Source;
use evenhand_experiments::{Experiment, PaperMethod};
use rayon::prelude::*;

use super::args::Plan;
use super::grid::prepare;
use crate::figure::{Axes, Figure};
use crate::outputs::Outputs;
use crate::progress::Progress;
use crate::sweep::{CAPTION, Curve, LAST, Point, scales, table};

/// Whose multipliers are scaled, of those that have any.
const SWEPT: [PaperMethod; 2] = [PaperMethod::LabelBias, PaperMethod::Default];

/// As many steps as make a smooth line.
const STEPS: usize = 31;

/// A figure and a table for each dataset and method, on the published split.
pub(super) fn write(
    plan: &Plan,
    sources: &[Source<'static>],
    folder: &Path,
    outputs: &mut Outputs,
    progress: Progress,
) -> Result<()> {
    let datasets: Vec<(&str, &Source<'static>)> = plan.datasets.iter().copied().zip(sources).collect();
    for (dataset, source) in datasets {
        for method in SWEPT.into_iter().filter(|one| plan.methods.contains(one)) {
            let curves = progress.during(format!("sweeping {dataset}, {method}"), || {
                plan.notions
                    .par_iter()
                    .map(|notion| curve(source, notion, method))
                    .collect::<evenhand::Result<Vec<_>>>()
            });
            let curves = curves.with_context(|| format!("{dataset}, {method}"))?;
            let figure = Figure {
                title: format!("{dataset}: x times the multipliers of {method}"),
                caption: CAPTION.into(),
                across: "x".into(),
                axes: Axes::Linear,
                mark: Some((1.0, "λ found")),
                columns: curves.iter().map(Curve::column).collect(),
            };
            outputs.text(&folder.join(format!("sweep-{dataset}-{method}.svg")), &figure.svg())?;
            outputs.table(&folder.join(format!("sweep-{dataset}-{method}.csv")), &table(&curves)?)?;
        }
    }
    Ok(())
}

fn curve(source: &Source<'_>, notion: &Notion, method: PaperMethod) -> evenhand::Result<Curve> {
    let scales = scales(LAST, STEPS);
    let swept = Experiment::new(&prepare(source, None)?, notion)?.sweep(method, &scales)?;
    let point = |(x, (train, test))| Point { x, train, test: Some(test) };
    Ok(Curve { name: notion.to_string(), points: scales.into_iter().zip(swept).map(point).collect() })
}

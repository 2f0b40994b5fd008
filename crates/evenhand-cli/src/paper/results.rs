//! The table made of cells: one row a dataset, notion and method.

use evenhand::Notion;
use evenhand_experiments::{Agreement, Estimate, PaperMethod, Part, Published, is_split_known, published};
use serde::Serialize;

use super::args::{Plan, Protocol};
use super::grid::Cell;

/// The whole table. The keys are stable.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Results {
    /// Which splits.
    pub(super) protocol: Protocol,
    /// How many splits.
    pub(super) splits: usize,
    /// One for each dataset, notion and method.
    pub(super) rows: Vec<Row>,
}

/// What was found of a dataset, a notion and a method, over all splits.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Row {
    /// The dataset.
    pub(super) dataset: &'static str,
    /// What was asked to be equal across groups.
    pub(super) notion: Notion,
    /// The method.
    pub(super) method: PaperMethod,
    /// On the training rows.
    pub(super) train: Estimates,
    /// On rows that were not trained on.
    pub(super) test: Estimates,
    /// How many test rows.
    pub(super) test_rows: usize,
    /// What chance alone would show on the test rows, on average over the splits.
    pub(super) expected_under_parity: Option<f64>,
    /// How many times the learner was called, on average.
    pub(super) fits: f64,
    /// How long it took, on average.
    pub(super) seconds: f64,
    /// The slack that the Lagrangian approach took.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) slack: Option<f64>,
    /// What the paper has: for the authors' split, or beside drawn ones where that is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) published: Option<Published>,
    /// Whether the numbers agree with the published ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) agreement: Option<Agreement>,
}

/// Error and violation over all splits.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Estimates {
    /// The share of wrong predictions, by the observed labels.
    pub(super) error: Estimate,
    /// The largest |overall rate - group rate|.
    pub(super) violation: Option<Estimate>,
}

impl Results {
    /// Whether the paper has a number for any of them.
    pub(super) fn has_published(&self) -> bool {
        self.rows.iter().any(|row| row.published.is_some())
    }

    /// In the order of the plan; cells that were not measured make no row.
    pub(super) fn new(plan: &Plan, cells: &[Cell]) -> Self {
        let draws = plan.draws();
        let mut rows = Vec::new();
        for &dataset in &plan.datasets {
            for notion in &plan.notions {
                for &method in &plan.methods {
                    let is_its = |cell: &&Cell| {
                        let key = &cell.key;
                        key.dataset == dataset
                            && key.notion == *notion
                            && key.method == method
                            && draws.contains(&key.draw)
                    };
                    let mut own: Vec<&Cell> = cells.iter().filter(is_its).collect();
                    // In the order of splits, whichever thread was first: sums are the same to the last digit.
                    own.sort_by_key(|cell| cell.key.draw);
                    rows.extend(Row::new(plan.protocol, dataset, notion, method, &own));
                }
            }
        }
        Self { protocol: plan.protocol, splits: draws.len(), rows }
    }
}

impl Row {
    fn new(
        protocol: Protocol,
        dataset: &'static str,
        notion: &Notion,
        method: PaperMethod,
        cells: &[&Cell],
    ) -> Option<Self> {
        let mean = |value: &dyn Fn(&Cell) -> Option<f64>| {
            Estimate::of(&cells.iter().filter_map(|cell| value(cell)).collect::<Vec<f64>>())
        };
        let estimates = |part: &dyn Fn(&Cell) -> Part| {
            let error = mean(&|cell| Some(part(cell).error))?;
            Some(Estimates { error, violation: mean(&|cell| part(cell).violation) })
        };
        let first = cells.first()?;
        let published = beside(protocol, dataset, notion, method);
        let test = estimates(&|cell| cell.value.measured.test)?;
        let agreement = published.and_then(|published| match protocol {
            Protocol::Notebook => Some(Agreement::of(dataset, method, &first.value.measured.test, &published)),
            Protocol::Repeated => Agreement::among(&published, &test.error, &test.violation?),
        });
        Some(Self {
            dataset,
            notion: notion.clone(),
            method,
            train: estimates(&|cell| cell.value.measured.train)?,
            test,
            test_rows: first.value.measured.test.rows,
            expected_under_parity: mean(&|cell| cell.value.measured.expected_under_parity)
                .map(|expected_under_parity| expected_under_parity.mean),
            fits: mean(&|cell| Some(cell.value.measured.fits as f64))?.mean,
            seconds: mean(&|cell| Some(cell.value.seconds))?.mean,
            slack: mean(&|cell| cell.value.measured.slack).map(|slack| slack.mean),
            agreement,
            published,
        })
    }
}

/// What the paper has for a row: on the authors' split, and where that is not known on drawn ones.
fn beside(protocol: Protocol, dataset: &str, notion: &Notion, method: PaperMethod) -> Option<Published> {
    match (protocol, notion) {
        (Protocol::Repeated, _) if is_split_known(dataset) => None,
        // The groups of that dataset are cuts of numbers, whose columns both notions withhold whole.
        (Protocol::Repeated, Notion::DisparateImpact) => published(dataset, &Notion::PaperDisparateImpact, method),
        _ => published(dataset, notion, method),
    }
}

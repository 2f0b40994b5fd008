//! How a correction was found: its steps, its multipliers, and the weights it used.
//!
//! Holds [`Search`]. Weights are listed by cell, never by row, and small cells are summed up.

use evenhand::correction::{Apply, Binding, Constraint, NamedMultiplier, Problem, Solution, TradeOff, WeightRule};
use evenhand::{Correction, Method, Predictor, Termination};
use serde::{Deserialize, Serialize};

/// Cells with fewer rows than this are not listed one by one: that could identify people.
const FEWEST: usize = 5;

/// How a correction was found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Search {
    /// How it ended.
    pub stop: Termination,
    /// The same in words.
    pub ending: String,
    /// What going on would have cost, where the search stopped for the cost.
    pub trade_off: Option<TradeOff>,
    /// How many times the learner was called.
    pub fits: usize,
    /// One multiplier for each constraint, λ in the paper; none where the method has none.
    pub multipliers: Vec<NamedMultiplier>,
    /// How they became weights; none where they tilt probabilities.
    pub rule: Option<WeightRule>,
    /// Every step.
    pub steps: Vec<Step>,
    /// The weights used, most re-weighted first.
    pub cells: Vec<CellWeight>,
    /// The cells that are too small to be listed one by one.
    pub small_cells: Option<SmallCells>,
}

/// One step of the search, on the training rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// Counted from 1.
    pub number: usize,
    /// The multipliers behind the weights of this fit.
    pub multipliers: Vec<f64>,
    /// The largest violation.
    pub violation: f64,
    /// The share of rows predicted otherwise than labelled.
    pub error: f64,
}

/// The weight of rows alike in groups and label.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CellWeight {
    /// The groups they are in.
    pub groups: Vec<String>,
    /// Their label.
    pub label: String,
    /// How many they are.
    pub rows: usize,
    /// How much such a row counts, on average, against the mean of all rows: 1 is as much as without correction.
    pub relative: f64,
    /// The least that any of them counts; the same as `relative` unless weights are a number per row.
    pub least: f64,
    /// The most.
    pub most: f64,
}

/// Cells of fewer than five rows, summed up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct SmallCells {
    /// How many cells.
    pub cells: usize,
    /// How many rows they have together.
    pub rows: usize,
}

impl Search {
    pub(crate) fn of<P: Predictor>(
        binding: &Binding,
        trained_on: &Problem,
        solution: &Solution<P>,
        correction: &Correction,
    ) -> evenhand::Result<Self> {
        let method = correction.method;
        let weighs = matches!(method, Method::Correction | Method::Reweighing)
            && solution.apply == Apply::Weights
            && !solution.unweighted;
        let (cells, small_cells) = if weighs { cells(binding, trained_on, solution)? } else { (Vec::new(), None) };
        let named = |((constraint, &value), odds_factor): ((&Constraint, &f64), Option<f64>)| NamedMultiplier {
            name: constraint.name.clone(),
            value: Some(value),
            odds_factor,
        };
        let factors = solution.odds_factors(trained_on)?;
        Ok(Self {
            stop: solution.stop,
            ending: solution.explain(correction),
            trade_off: solution.trade_off,
            fits: solution.fits,
            multipliers: binding.constraints().iter().zip(&solution.multipliers).zip(factors).map(named).collect(),
            rule: (method.is_correction() && solution.apply == Apply::Weights).then_some(solution.rule),
            steps: solution
                .trace
                .iter()
                .map(|done| Step {
                    number: done.number,
                    multipliers: done.multipliers.clone(),
                    violation: done.violation,
                    error: done.error,
                })
                .collect(),
            cells,
            small_cells,
        })
    }
}

/// The weights that the learner was given, by cell.
fn cells<P: Predictor>(
    binding: &Binding,
    trained_on: &Problem,
    solution: &Solution<P>,
) -> evenhand::Result<(Vec<CellWeight>, Option<SmallCells>)> {
    let names = trained_on.group_names();
    let cells = solution.weights_by_cell(trained_on)?;
    let (total, own) = cells.iter().fold((0.0, 0.0), |sums, cell| (sums.0 + cell.total, sums.1 + cell.own));
    let mean = total / own;
    let (listed, small): (Vec<_>, Vec<_>) = cells.into_iter().partition(|cell| cell.rows >= FEWEST);
    let mut listed: Vec<CellWeight> = listed
        .into_iter()
        .map(|cell| CellWeight {
            groups: cell.groups.iter().map(|&group| names[group].clone()).collect(),
            label: binding.classes()[cell.label].clone(),
            rows: cell.rows,
            relative: cell.total / cell.own / mean,
            least: cell.least / mean,
            most: cell.most / mean,
        })
        .collect();
    // Twice as much is as far as half as much. Rounded, so that what is equal but for its last digits keeps its order.
    let far = |cell: &CellWeight| (cell.relative.ln().abs() * 1e9).round();
    listed.sort_by(|one, other| far(other).total_cmp(&far(one)).then(other.rows.cmp(&one.rows)));
    let small =
        (!small.is_empty()).then(|| SmallCells { cells: small.len(), rows: small.iter().map(|cell| cell.rows).sum() });
    Ok((listed, small))
}

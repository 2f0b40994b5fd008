//! Covariate shift, the other half of Theorem 1: weights change the distribution of features too, and division by φ
//! corrects it.
//!
//! Training on observed labels with weights w is training on corrected ones under a distribution of x that is φ(x) times
//! the data's, `φ(x) = Σ_y w(x,y) y_bias(y|x)` [Jiang & Nachum 2019, Thm. 1]. Given `w/φ` a learner sees the data's own.
//! Holds [`Observed`], `y_bias` as the learner's own fit without correction estimates it, and [`ShiftCorrection`], what
//! a solution keeps of it.

use std::sync::Arc;

use super::Problem;
use crate::cells::Cells;
use crate::constraint::{TiltTable, WeightRange};
use crate::learner::{Predictor, scores};
use crate::{Error, Result, parallel};

/// By what weights were divided to correct covariate shift.
#[derive(Debug, Clone)]
pub struct ShiftCorrection<P> {
    /// The learner's fit without correction: its probabilities are those of the observed labels.
    pub observed: Arc<P>,
    /// What the rows of each cell would weigh in the closed form with every label, label by label.
    pub label_weights: Vec<f64>,
}

impl<P: Predictor> ShiftCorrection<P> {
    /// `w/φ` of every row.
    ///
    /// # Errors
    /// What the predictor says.
    pub(in crate::correction) fn weights(&self, problem: &Problem) -> Result<Vec<f64>> {
        let probabilities = scores(&*self.observed, problem.features(), problem.classes())?;
        Ok(divided(&self.label_weights, &probabilities, problem.cells()))
    }
}

/// The probability of every label of every row, as observed, and what rows would weigh with each.
#[derive(Debug)]
pub(crate) struct Observed {
    table: TiltTable,
    probabilities: Vec<f64>,
}

impl Observed {
    /// With the probabilities that a fit without correction gives to the rows of a problem. `table` is of every label.
    ///
    /// # Errors
    /// What the predictor says, and [`Error::NoProbabilities`] where its scores are no probabilities.
    pub(crate) fn new(table: TiltTable, predictor: &dyn Predictor, problem: &Problem) -> Result<Self> {
        let probabilities = scores(predictor, problem.features(), problem.classes())?;
        are_probabilities(&probabilities, problem.classes(), "covariate_shift")?;
        Ok(Self { table, probabilities })
    }

    /// What the rows of each cell would weigh with every label.
    pub(in crate::correction) fn label_weights(&self, range: WeightRange, multipliers: &[f64]) -> Vec<f64> {
        self.table(range).weights(multipliers)
    }

    /// `w/φ` of every row.
    pub(in crate::correction) fn weights(&self, range: WeightRange, multipliers: &[f64], cells: &Cells) -> Vec<f64> {
        divided(&self.label_weights(range, multipliers), &self.probabilities, cells)
    }

    /// The derivatives of `w/φ` of every row with respect to some of the multipliers: `d(w/φ) = (dw − (w/φ) dφ) / φ`.
    pub(in crate::correction) fn slopes(
        &self,
        range: WeightRange,
        multipliers: &[f64],
        which: &[usize],
        cells: &Cells,
    ) -> Vec<Vec<f64>> {
        let table = self.table(range);
        let (weights, slopes) = (table.weights(multipliers), table.slopes(multipliers));
        let slope = |&at: &usize| {
            let slope = &slopes[at];
            of_rows(cells, &self.probabilities, |labels, own, observed| {
                let phi = mean(&weights[labels.clone()], observed);
                let by = mean(&slope[labels.clone()], observed);
                (slope[labels.start + own] - weights[labels.start + own] / phi * by) / phi
            })
        };
        which.iter().map(slope).collect()
    }

    fn table(&self, range: WeightRange) -> TiltTable {
        self.table.clone().with_range(range)
    }
}

/// `w(x,y) / φ(x)` of every row, from the weights of every label in its cell and the probability of every label there.
fn divided(label_weights: &[f64], probabilities: &[f64], cells: &Cells) -> Vec<f64> {
    of_rows(cells, probabilities, |labels, own, observed| {
        label_weights[labels.start + own] / mean(&label_weights[labels], observed)
    })
}

/// A number per row from where the labels of its cell stand, which of them is its own, and how probable each is.
fn of_rows(
    cells: &Cells,
    probabilities: &[f64],
    number: impl Fn(std::ops::Range<usize>, usize, &[f64]) -> f64 + Sync,
) -> Vec<f64> {
    let (classes, cell_of_row) = (cells.classes(), cells.cell_of_row());
    let mut all = vec![0.0; cells.rows()];
    parallel::fill(&mut all, 1, |rows, out| {
        for (row, out) in rows.zip(out) {
            let cell = cell_of_row.get(row);
            let observed = &probabilities[row * classes..(row + 1) * classes];
            *out = number(cell * classes..(cell + 1) * classes, cells.label(cell), observed);
        }
    });
    all
}

fn mean(values: &[f64], probabilities: &[f64]) -> f64 {
    values.iter().zip(probabilities).map(|(value, probability)| value * probability).sum()
}

/// How far the probabilities of a row may be from adding up to 1: programs round them.
const ROUNDED: f64 = 1e-3;

/// Whether scores can be taken for probabilities of labels, as a setting needs them.
pub(in crate::correction) fn are_probabilities(scores: &[f64], classes: usize, setting: &'static str) -> Result<()> {
    let wrong = |row: &[f64]| {
        let outside = row.iter().any(|one| !(0.0..=1.0).contains(one));
        outside || (row.iter().sum::<f64>() - 1.0).abs() > ROUNDED
    };
    if let Some((row, found)) = scores.chunks_exact(classes).enumerate().find(|(_, row)| wrong(row)) {
        return Err(Error::NoProbabilities { setting, problem: format!("row {} has {found:?}", row + 1) });
    }
    let sure = |row: &[f64]| row.iter().any(|one| *one >= 1.0);
    if scores.chunks_exact(classes).all(sure) {
        let problem = "every row has one class with 1 and the others with 0".to_owned();
        return Err(Error::NoProbabilities { setting, problem });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constraint::WeightRule;
    use crate::data::Codes;
    use crate::features::Features;
    use crate::group::Membership;
    use crate::learner::FnPredictor;
    use crate::notion::Notion;

    const ROWS: usize = 60;

    /// Rows in two overlapping groups; those in both have no label 0.
    fn problem(classes: usize, notion: Notion) -> Problem {
        let masks = [0, 1].map(|group| (0..ROWS).map(|row| row % (group + 2) == 0).collect::<Vec<bool>>());
        let names = ["a", "b"].map(str::to_owned).to_vec();
        let membership = Membership::from_masks(names, &[&masks[0], &masks[1]]).unwrap();
        let label = |row: usize| (row / 2 % classes).max(usize::from(masks[0][row] && masks[1][row])) as u32;
        let labels = Codes::narrow((0..ROWS).map(label).collect(), classes);
        let features = Features::from_rows(&(0..ROWS).map(|row| row as f64).collect::<Vec<_>>(), 1).unwrap();
        let names: Vec<String> = (0..classes).map(|class| class.to_string()).collect();
        Problem::of_arrays(features, labels, &names, &membership, None, &[notion]).unwrap().0
    }

    /// Probabilities of all kinds, different for every row.
    fn probabilities(classes: usize) -> Vec<f64> {
        let row = |row: usize| {
            let shares: Vec<f64> = (0..classes).map(|class| 1.0 + ((row * 7 + class * 5) % 11) as f64).collect();
            let total: f64 = shares.iter().sum();
            shares.into_iter().map(move |share| share / total)
        };
        (0..ROWS).flat_map(row).collect()
    }

    fn observed(problem: &Problem) -> Observed {
        let classes = problem.classes();
        let predictor = FnPredictor::new(classes, move |_: &Features| Ok(probabilities(classes)));
        Observed::new(problem.label_table(WeightRule::CENTRED), &predictor, problem).unwrap()
    }

    #[test]
    fn divided_weights_are_the_ratio_of_the_corrected_to_the_observed_probability() {
        let problem = problem(2, Notion::DemographicParity);
        let (cells, lambda) = (problem.cells(), [0.4, -0.3]);
        let share = |group: usize| (0..ROWS).filter(|row| row % (group + 2) == 0).count() as f64 / ROWS as f64;
        let tilt = |row: usize, group: usize| f64::from(row.is_multiple_of(group + 2)) / share(group) - 1.0;
        let weights = observed(&problem).weights(WeightRange::Bounded, &lambda, cells);
        let observed = probabilities(2);
        for row in 0..ROWS {
            // The theory's own form: y_true ∝ y_bias · exp(λc), with c(x,0) = 0. [Cor. 1]
            let up = (lambda[0] * tilt(row, 0) + lambda[1] * tilt(row, 1)).exp();
            let (negative, positive) = (observed[2 * row], observed[2 * row + 1] * up);
            let corrected = [negative, positive].map(|one| one / (negative + positive));
            let label = problem.labels().get(row);
            assert!((weights[row] - corrected[label] / observed[2 * row + label]).abs() < 1e-12, "{row}");
        }
    }

    #[test]
    fn slopes_match_finite_differences() {
        for classes in [2, 3] {
            for notion in [Notion::DemographicParity, Notion::EqualOpportunity, Notion::EqualizedOdds] {
                for range in [WeightRange::Bounded, WeightRange::Unbounded] {
                    let problem = problem(classes, notion.clone());
                    let (observed, count) = (observed(&problem), problem.constraints().len());
                    let here: Vec<f64> = (0..count).map(|at| 0.3 * (at as f64 * 1.7 + 1.0).sin()).collect();
                    // In an order that is not that of the multipliers.
                    let which: Vec<usize> = (0..count).rev().collect();
                    let slopes = observed.slopes(range, &here, &which, problem.cells());
                    for (&at, slope) in which.iter().zip(&slopes) {
                        let moved = |by: f64| {
                            let mut there = here.clone();
                            there[at] += by;
                            observed.weights(range, &there, problem.cells())
                        };
                        assert!(slope.iter().any(|one| one.abs() > 0.01), "{notion} {at}: nothing moves");
                        for ((up, down), slope) in moved(1e-6).iter().zip(moved(-1e-6)).zip(slope) {
                            assert!(((up - down) / 2e-6 - slope).abs() < 1e-7, "{notion} {range:?} {at}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn scores_that_are_no_probabilities_are_refused() {
        let said = |scores: Vec<f64>| are_probabilities(&scores, 2, "apply").unwrap_err().to_string();
        assert!(said(vec![0.5, 0.5, -1.0, 2.0]).contains("row 2 has [-1.0, 2.0]"));
        assert!(said(vec![0.5, 0.6]).contains("row 1"));
        assert!(said(vec![0.0, 1.0, 1.0, 0.0]).contains("every row has one class with 1"));
        assert!(are_probabilities(&[0.0, 1.0, 0.4, 0.6], 2, "apply").is_ok());
    }
}

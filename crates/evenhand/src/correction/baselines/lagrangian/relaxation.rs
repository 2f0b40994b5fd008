//! The Lagrangian of a linear classifier, with rates bounded by hinges.
//!
//! Holds [`Relaxation`]. A violation is linear in which rows are decided positive, `v = v₀ + Σ a_i [f_i > 0]`, with a
//! coefficient per cell. Where a row's coefficient is positive its step is replaced by a hinge above it, and where it is
//! negative by one below, so that the sum is never less than the violation and convex in the coefficients:
//!
//! ```text
//! [f > 0] ≤ max(0, 1 + f),        [f > 0] ≥ 1 − max(0, 1 − f)
//! ```
//!
//! Each constraint has a multiplier for either sign of its violation. [Eban et al. 2017, Sec. 3]

use std::ops::Range;

use crate::constraint::Measure;
use crate::correction::Problem;
use crate::data::Codes;
use crate::exact::Totals;
use crate::features::Features;
use crate::kernel::product::{Grids, Scatter, Tables, margins};
use crate::kernel::{CellSums, blocks};

/// The Lagrangian of a linear classifier: log loss, and by how much relaxed violations exceed the slack.
pub(super) struct Relaxation<'a> {
    features: &'a Features,
    cell_of_row: &'a Codes,
    row_weights: Option<&'a [f64]>,
    /// What no row weighs more than.
    heaviest: f64,
    /// Whether the rows of each cell are labelled positive.
    positive: Vec<bool>,
    inequalities: Vec<Inequality>,
    /// The weight of all rows.
    total: f64,
    pub(super) slack: f64,
}

/// One sign of one constraint's violation.
#[derive(Debug)]
struct Inequality {
    constraint: usize,
    sign: f64,
    /// The signed violation where no row is decided positive.
    base: f64,
    /// Per cell, the derivative with respect to the weight decided positive.
    adds: Vec<f64>,
}

/// The sums of some rows, scaled to all of them.
#[derive(Debug)]
pub(super) struct Slopes {
    /// Of the Lagrangian, by coefficient, the intercept's last.
    pub(super) coefficients: Vec<f64>,
    /// By multiplier: by how much a relaxed violation exceeds the slack.
    pub(super) multipliers: Vec<f64>,
}

impl<'a> Relaxation<'a> {
    pub(super) fn new(problem: &'a Problem, slack: f64) -> Self {
        let cells = problem.cells();
        let none = (0..cells.len()).flat_map(|cell| [cells.weight(cell), 0.0]);
        let none = CellSums::of_decisions(2, none);
        let mut inequalities = Vec::new();
        for (constraint, functional) in problem.functionals().iter().enumerate() {
            let Some(functional) = functional else { continue };
            let base =
                functional.reference(&none, Measure::Decisions) - functional.group_rate(&none, Measure::Decisions);
            let adds = functional.adds(cells.len());
            let signed = |sign: f64| {
                let adds = adds.iter().map(|adds| sign * adds).collect();
                Inequality { constraint, sign, base: sign * base, adds }
            };
            // Exceeding a lower bound is no violation, nor is staying below an upper one.
            inequalities.extend(problem.constraints()[constraint].reference.sides().iter().copied().map(signed));
        }
        Self {
            features: problem.features(),
            cell_of_row: cells.cell_of_row(),
            row_weights: cells.row_weights().map(|weights| &**weights),
            heaviest: cells.cell_rows().heaviest,
            positive: (0..cells.len()).map(|cell| cells.label(cell) == 1).collect(),
            inequalities,
            total: cells.total_weight(),
            slack,
        }
    }

    /// How many multipliers there are.
    pub(super) fn multipliers(&self) -> usize {
        self.inequalities.len()
    }

    /// One number per constraint of the multipliers of both signs: that of the positive one less the other.
    pub(super) fn by_constraint(&self, multipliers: &[f64], constraints: usize) -> Vec<f64> {
        let mut net = vec![0.0; constraints];
        for (inequality, multiplier) in self.inequalities.iter().zip(multipliers) {
            net[inequality.constraint] += inequality.sign * multiplier;
        }
        net
    }

    /// The grids of sums over so many rows: the slope of a log loss is at most 1, those of hinges at most their charges.
    fn grids(&self, rows: usize, scale: f64, charges: &[[f64; 2]]) -> Grids {
        let largest = charges.iter().map(|[above, below]| above.abs() + below.abs()).fold(0.0, f64::max);
        let bound = 2.0 * scale.abs() * self.heaviest * (1.0 / self.total + largest);
        Grids::new(self.features, bound, rows.max(self.features.width()))
    }

    /// The Lagrangian's slopes as some rows tell them, each row counted `scale` times.
    pub(super) fn slopes(&self, rows: Range<usize>, scale: f64, coefficients: &[f64], multipliers: &[f64]) -> Slopes {
        let tables = [Tables::new(self.features, coefficients)];
        let charges = self.charges(multipliers);
        let mut scatter = Scatter::new(self.features);
        let grids = self.grids(rows.len(), scale, &charges);
        // The hinges above and below, summed per cell.
        let (mut raised, mut lowered) = (vec![0.0; self.positive.len()], vec![0.0; self.positive.len()]);
        let (mut out, mut residuals) = ([Vec::new()], Vec::new());
        for block in blocks(rows) {
            margins(self.features, &tables, block.clone(), &mut out);
            residuals.clear();
            for (row, &margin) in block.clone().zip(&out[0]) {
                let cell = self.cell_of_row.get(row);
                let weight = scale * self.row_weights.map_or(1.0, |weights| weights[row]);
                let towards = if self.positive[cell] { -1.0 } else { 1.0 };
                let wrong = towards * margin;
                // The slope of log(1 + exp(wrong)), the log loss; the exponential of a large number is infinite, as it should be.
                let mut slope = towards / (1.0 + (-wrong).exp()) / self.total;
                if margin > -1.0 {
                    raised[cell] += weight * (1.0 + margin);
                    slope += charges[cell][0];
                }
                lowered[cell] += weight * margin.min(1.0);
                if margin < 1.0 {
                    slope -= charges[cell][1];
                }
                residuals.push(weight * slope);
            }
            scatter.add(self.features, block, &residuals, &grids);
        }
        let by_feature = grids.by_feature(coefficients.len());
        let gradient = Totals::new(scatter.totals(self.features), scatter.valid()).to_floats(|at| by_feature[at]);
        Slopes {
            coefficients: gradient,
            multipliers: self
                .inequalities
                .iter()
                .map(|inequality| self.excess(inequality, &raised, &lowered))
                .collect(),
        }
    }

    /// Per cell, what a unit of the hinge above and of the hinge below cost at these multipliers.
    fn charges(&self, multipliers: &[f64]) -> Vec<[f64; 2]> {
        let mut charges = vec![[0.0; 2]; self.positive.len()];
        for (inequality, multiplier) in self.inequalities.iter().zip(multipliers) {
            for (charge, adds) in charges.iter_mut().zip(&inequality.adds) {
                charge[usize::from(*adds < 0.0)] += multiplier * adds.abs();
            }
        }
        charges
    }

    /// By how much a relaxed violation exceeds the slack, from the hinges summed per cell.
    fn excess(&self, inequality: &Inequality, raised: &[f64], lowered: &[f64]) -> f64 {
        let sum = |(cell, &adds): (usize, &f64)| {
            // 1 − max(0, 1 − f) is the lesser of f and 1.
            adds * if adds < 0.0 { lowered[cell] } else { raised[cell] }
        };
        inequality.base + inequality.adds.iter().enumerate().map(sum).sum::<f64>() - self.slack
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Membership;
    use crate::notion::Notion;

    fn problem(notion: &str) -> Problem {
        let rows = 60;
        let value = |at: usize| ((at * 37 % 101) as f64 / 50.0) - 1.0;
        let values: Vec<f64> = (0..rows * 2).map(value).collect();
        let features = Features::from_rows(&values, 2).unwrap();
        let labels = Codes::narrow((0..rows).map(|row| u32::from(row * 7 % 11 < 5)).collect(), 2);
        let masks: Vec<Vec<bool>> =
            [3, 4].map(|of| (0..rows).map(|row| (row * 13 + of) % 17 < 4 * of).collect()).to_vec();
        let membership = Membership::from_masks(vec!["a".into(), "b".into()], &masks).unwrap();
        let weights = (0..rows).map(|row| 0.5 + (row % 4) as f64).collect();
        let (classes, notions) = (["no".to_owned(), "yes".to_owned()], [notion.parse::<Notion>().unwrap()]);
        Problem::of_arrays(features, labels, &classes, &membership, Some(weights), &notions).unwrap().0
    }

    fn value(relaxation: &Relaxation<'_>, coefficients: &[f64], multipliers: &[f64]) -> f64 {
        let rows = relaxation.features.range();
        let loss = |row: usize| {
            let x = relaxation.features.row(row);
            let margin = x.iter().map(|&(at, x)| coefficients[at] * x).sum::<f64>() + coefficients[2];
            let label = if relaxation.positive[relaxation.cell_of_row.get(row)] { 1.0 } else { -1.0 };
            relaxation.row_weights.unwrap()[row] * (-label * margin).exp().ln_1p() / relaxation.total
        };
        let excess = relaxation.slopes(rows.clone(), 1.0, coefficients, multipliers).multipliers;
        rows.map(loss).sum::<f64>() + excess.iter().zip(multipliers).map(|(excess, by)| excess * by).sum::<f64>()
    }

    const NOTIONS: [&str; 6] = [
        "demographic-parity",
        "equal-opportunity",
        "predictive-equality",
        "equalized-odds",
        "equal-accuracy",
        "target-rate=0.3",
    ];

    #[test]
    fn the_gradient_matches_finite_differences() {
        for notion in NOTIONS {
            let problem = problem(notion);
            let relaxation = Relaxation::new(&problem, 0.05);
            let coefficients = [0.83, -1.27, 0.31];
            let multipliers: Vec<f64> = (0..relaxation.multipliers()).map(|at| 0.3 + 0.4 * at as f64).collect();
            let found = relaxation.slopes(problem.features().range(), 1.0, &coefficients, &multipliers);
            let step = 1e-6;
            for at in 0..coefficients.len() {
                let mut moved = [coefficients; 2];
                moved[0][at] -= step;
                moved[1][at] += step;
                let [less, more] = moved.map(|moved| value(&relaxation, &moved, &multipliers));
                let (expected, found) = ((more - less) / (2.0 * step), found.coefficients[at]);
                assert!((expected - found).abs() < 1e-6, "{notion}, coefficient {at}: {expected} {found}");
            }
            for at in 0..multipliers.len() {
                let mut moved = [multipliers.clone(), multipliers.clone()];
                moved[0][at] -= step;
                moved[1][at] += step;
                let [less, more] = moved.map(|moved| value(&relaxation, &coefficients, &moved));
                let (expected, found) = ((more - less) / (2.0 * step), found.multipliers[at]);
                assert!((expected - found).abs() < 1e-6, "{notion}, multiplier {at}: {expected} {found}");
            }
        }
    }

    #[test]
    fn a_relaxed_violation_is_never_less_than_the_violation() {
        for notion in NOTIONS {
            let problem = problem(notion);
            let relaxation = Relaxation::new(&problem, 0.0);
            for scale in [0.1, 1.0, 3.0] {
                let coefficients = [0.83 * scale, -1.27 * scale, 0.31];
                let zeros = vec![0.0; relaxation.multipliers()];
                let relaxed = relaxation.slopes(problem.features().range(), 1.0, &coefficients, &zeros).multipliers;
                let decided = problem.cells().cell_of_row().iter().enumerate().map(|(row, cell)| {
                    let x = problem.features().row(row);
                    let margin: f64 = x.iter().map(|&(at, x)| coefficients[at] * x).sum::<f64>() + coefficients[2];
                    (cell, margin > 0.0, problem.cells().row_weights().unwrap()[row])
                });
                let mut sums = vec![[0.0; 2]; problem.cells().len()];
                decided.for_each(|(cell, positive, weight)| sums[cell][usize::from(positive)] += weight);
                let violations =
                    problem.violations(&CellSums::of_decisions(2, sums.into_iter().flatten()), Measure::Decisions);
                for (inequality, relaxed) in relaxation.inequalities.iter().zip(relaxed) {
                    let exact = inequality.sign * violations[inequality.constraint];
                    assert!(relaxed >= exact - 1e-12, "{notion} at {scale}: {relaxed} {exact}");
                }
            }
        }
    }
}

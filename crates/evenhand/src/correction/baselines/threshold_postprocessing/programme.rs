//! Which thresholds keep every limit at the least error, as a linear programme.
//!
//! Holds [`Programme`]. Its unknowns are, for every pattern of groups, with which probability each corner of the hull of
//! its ROC curve is taken; rates and errors are linear in them, whatever the notion and however groups overlap. The
//! inequalities are those of `problem`, so bounds of every kind are kept too. [Hardt, Price & Srebro 2016, Sec. 4]

use super::super::pattern_rows::PatternRows;
use super::roc::{Curve, Point};
use super::simplex::{Row, least};
use crate::correction::Correction;
use crate::correction::problem::{Inequalities, Problem};
use crate::kernel::CellSums;
use crate::learner::Predictor;
use crate::{Measure, Result};

/// Tolerance on limits for rounding errors.
const ROUNDING: f64 = 1e-9;

/// The curves of all patterns, and what a threshold of each does to every limit.
pub(super) struct Programme {
    pub(super) patterns: Vec<Pattern>,
    /// The residual of each limit where no row is decided positive.
    base: Vec<f64>,
    /// The weight of all rows.
    total: f64,
}

/// Rows that are in the same groups.
pub(super) struct Pattern {
    /// One of their cells.
    pub(super) cell: usize,
    /// How many there are.
    pub(super) rows: usize,
    pub(super) curve: Curve,
    /// For rows labelled otherwise and for positive ones: the derivative of each limit with respect to the weight decided positive.
    slopes: [Vec<f64>; 2],
}

/// Per pattern, places on its curve with their probabilities.
pub(super) type Mixture = Vec<Vec<(usize, f64)>>;

impl Programme {
    /// The curves of a predictor on training rows.
    pub(super) fn new(settings: &Correction, problem: &Problem, predictor: &dyn Predictor) -> Result<Self> {
        let cells = problem.cells();
        let asked = Inequalities::exact(problem, &settings.bounds, Measure::Decisions);
        let slopes = |cell: usize| {
            let moved = (0..cells.len()).flat_map(|other| if other == cell { [-1.0, 1.0] } else { [0.0, 0.0] });
            asked.derivative(&CellSums::of_decisions(2, moved))
        };
        let none = (0..cells.len()).flat_map(|cell| [cells.weight(cell), 0.0]);
        let base = asked.levels(&CellSums::of_decisions(2, none));
        let patterns = PatternRows::of(problem, predictor)?.into_iter().map(|pattern| Pattern {
            cell: pattern.cell(),
            rows: pattern.count,
            // Cells of one label have the same slopes.
            slopes: pattern
                .cells
                .each_ref()
                .map(|all| all.first().map_or_else(|| vec![0.0; base.len()], |&cell| slopes(cell))),
            curve: Curve::new(pattern.rows),
        });
        Ok(Self { patterns: patterns.collect(), total: cells.total_weight(), base })
    }

    /// The mixture of least error that keeps every limit, and true; or where none does, that which misses the
    /// worst by least, and false.
    pub(super) fn best(&self) -> (Mixture, bool) {
        if let Some(mixture) = self.within(0.0) {
            return (mixture, true);
        }
        let missed = self.least_miss();
        let mixture = self.within(missed).or_else(|| self.within(missed + ROUNDING));
        // Deciding none positive anywhere misses by some finite number, so a least miss can always be had.
        (mixture.expect("the least miss can be had"), false)
    }

    /// The least error with every limit missed by no more than this.
    fn within(&self, missed: f64) -> Option<Mixture> {
        let columns = self.columns();
        let costs: Vec<f64> = columns.iter().map(|&(pattern, point)| self.cost(pattern, point)).collect();
        let mut rows = self.distributions(&columns);
        for (limit, coefficients) in self.coefficients(&columns).into_iter().enumerate() {
            rows.push(Row { coefficients, right: missed - self.base[limit], at_most: true });
        }
        join_opposites(&mut rows);
        Some(self.mixture(&columns, &least(&costs, &rows)?))
    }

    /// By how much the worst limit must be missed.
    fn least_miss(&self) -> f64 {
        let columns = self.columns();
        let mut costs = vec![0.0; columns.len()];
        costs.push(1.0);
        let mut rows = self.distributions(&columns);
        for row in &mut rows {
            row.coefficients.push(0.0);
        }
        for (limit, mut coefficients) in self.coefficients(&columns).into_iter().enumerate() {
            coefficients.push(-1.0);
            rows.push(Row { coefficients, right: -self.base[limit], at_most: true });
        }
        least(&costs, &rows).map_or(f64::INFINITY, |found| found[columns.len()])
    }

    /// The corners of all hulls: a pattern and a place on its curve each.
    fn columns(&self) -> Vec<(usize, usize)> {
        let of = |(at, pattern): (usize, &Pattern)| {
            pattern.curve.hull().into_iter().map(move |point| (at, point)).collect::<Vec<_>>()
        };
        self.patterns.iter().enumerate().flat_map(of).collect()
    }

    /// That the probabilities of each pattern add up to one.
    fn distributions(&self, columns: &[(usize, usize)]) -> Vec<Row> {
        let row = |pattern: usize| Row {
            coefficients: columns.iter().map(|&(of, _)| f64::from(u8::from(of == pattern))).collect(),
            right: 1.0,
            at_most: false,
        };
        (0..self.patterns.len()).map(row).collect()
    }

    /// Per limit, what every column adds to it.
    fn coefficients(&self, columns: &[(usize, usize)]) -> Vec<Vec<f64>> {
        let adds = |limit: usize| columns.iter().map(|&(pattern, point)| self.adds(pattern, point, limit)).collect();
        (0..self.base.len()).map(adds).collect()
    }

    /// What a place on a pattern's curve adds to a limit.
    fn adds(&self, pattern: usize, point: usize, limit: usize) -> f64 {
        let Pattern { curve, slopes, .. } = &self.patterns[pattern];
        let [negative, positive] = curve.points[point].positives;
        slopes[0][limit] * negative + slopes[1][limit] * positive
    }

    /// What it adds to the error of deciding none positive.
    fn cost(&self, pattern: usize, point: usize) -> f64 {
        let [negative, positive] = self.patterns[pattern].curve.points[point].positives;
        (negative - positive) / self.total
    }

    fn mixture(&self, columns: &[(usize, usize)], found: &[f64]) -> Mixture {
        let mut mixture = vec![Vec::new(); self.patterns.len()];
        for (&(pattern, point), &share) in columns.iter().zip(found) {
            if share > ROUNDING {
                mixture[pattern].push((point, share));
            }
        }
        mixture
    }

    /// How far the worst limit is missed, and the error over that of deciding none positive, by one place per pattern.
    pub(super) fn evaluate(&self, choice: &[usize]) -> (f64, f64) {
        let places = || choice.iter().enumerate();
        let level = |limit: usize| {
            self.base[limit] + places().map(|(pattern, &point)| self.adds(pattern, point, limit)).sum::<f64>()
        };
        let worst = (0..self.base.len()).map(level).fold(0.0, f64::max);
        (worst, places().map(|(pattern, &point)| self.cost(pattern, point)).sum())
    }

    /// What a mixture decides positive in a pattern, in expectation.
    pub(super) fn target(&self, pattern: usize, mixture: &[(usize, f64)]) -> [f64; 2] {
        let points: &[Point] = &self.patterns[pattern].curve.points;
        [0, 1].map(|label| mixture.iter().map(|&(point, share)| share * points[point].positives[label]).sum())
    }
}

/// Two limits that are each other's opposite, with no room between them, are one equation.
fn join_opposites(rows: &mut Vec<Row>) {
    let mut at = 0;
    while at + 1 < rows.len() {
        let (one, other) = (&rows[at], &rows[at + 1]);
        let opposite = |(one, other): (&f64, &f64)| (one + other).abs() <= f64::EPSILON;
        let both = one.coefficients.iter().zip(&other.coefficients);
        if one.at_most && other.at_most && opposite((&one.right, &other.right)) && both.into_iter().all(opposite) {
            rows[at].at_most = false;
            rows.remove(at + 1);
        }
        at += 1;
    }
}

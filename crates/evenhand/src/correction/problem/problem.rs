//! The optimisation problem on one set of rows: encoded features, cells, and constraints bound to them.

use std::sync::Arc;

use super::aggregation::aggregate;
use crate::cells::Cells;
use crate::constraint::{Constraint, Functional, Measure, TiltTable, WeightRule, constraints};
use crate::correction::settings::{Correction, Technique};
use crate::data::{Codes, mean_one};
use crate::features::Features;
use crate::group::Membership;
use crate::kernel::{CellSums, cell_sums};
use crate::learner::{Learner, Predictor, Training};
use crate::notion::Notion;
use crate::{Error, Result, Warning, Weights};

/// Rows that a correction can be found on, or a classifier evaluated on.
#[derive(Debug)]
pub struct Problem {
    features: Features,
    labels: Codes,
    classes: usize,
    positive: Option<usize>,
    group_names: Vec<String>,
    cells: Cells,
    constraints: Vec<Constraint>,
    functionals: Vec<Option<Functional>>,
}

impl Problem {
    /// Binds constraints to rows. A constraint that conditions on rows which do not occur stays, with no violation.
    ///
    /// Row weights are scaled to mean 1 over the rows that weigh anything, as those of a [`crate::Dataset`] are.
    ///
    /// # Errors
    /// [`Error::Length`] when the parts are not of one length.
    pub fn new(
        features: Features,
        labels: Codes,
        classes: usize,
        positive: Option<usize>,
        membership: &Membership,
        row_weights: Option<Arc<[f64]>>,
        constraints: Vec<Constraint>,
    ) -> Result<Self> {
        if features.rows() != labels.len() {
            return Err(Error::Length { what: "labels", expected: features.rows(), found: labels.len() });
        }
        let cells = Cells::new(membership, &labels, classes, row_weights.map(mean_one))?;
        let functionals = constraints.iter().map(|constraint| Functional::bind(constraint, &cells)).collect();
        let group_names = membership.names().to_vec();
        Ok(Self { features, labels, classes, positive, group_names, cells, constraints, functionals })
    }

    /// Rows with their membership given directly: for callers that have no table.
    ///
    /// `classes` are the names of the classes; with two of them, class 1 is the positive one.
    ///
    /// # Errors
    /// As [`Problem::new`], and [`Error::NoConstraints`] when the notions ask for nothing that
    /// these rows can answer.
    pub fn of_arrays(
        features: Features,
        labels: Codes,
        classes: &[String],
        membership: &Membership,
        row_weights: Option<Vec<f64>>,
        notions: &[Notion],
    ) -> Result<(Self, Vec<Warning>)> {
        if notions.iter().any(|notion| notion.own_rows().is_some()) {
            return Err(Error::NoConstraints {
                reason: "pinned rows, and those of known rates, are named by columns, and here is no table".into(),
            });
        }
        let positive = (classes.len() == 2).then_some(1);
        let constraints = constraints(notions, membership.names(), classes, positive, &[], membership.names())?;
        let mut problem =
            Self::new(features, labels, classes.len(), positive, membership, row_weights.map(Into::into), constraints)?;
        let warnings = problem.drop_unbound()?;
        Ok((problem, warnings))
    }

    /// Drops constraints that condition on rows which do not occur.
    ///
    /// # Errors
    /// [`Error::NoConstraints`] when none is left.
    pub(in crate::correction) fn drop_unbound(&mut self) -> Result<Vec<Warning>> {
        let mut warnings = Vec::new();
        let (mut constraints, mut functionals) = (Vec::new(), Vec::new());
        for (constraint, functional) in self.constraints.drain(..).zip(self.functionals.drain(..)) {
            if functional.is_some() {
                constraints.push(constraint);
                functionals.push(functional);
            } else {
                let reason = "no training row is in the group with the label it conditions on".to_owned();
                warnings.push(Warning::ConstraintDropped { constraint: constraint.name, reason });
            }
        }
        if constraints.is_empty() {
            return Err(Error::NoConstraints {
                reason: "no training row is among those any constraint conditions on".into(),
            });
        }
        (self.constraints, self.functionals) = (constraints, functionals);
        Ok(warnings)
    }

    /// The same problem with equal rows aggregated into one weighted row; `None` where too few are equal.
    fn aggregated(&self) -> Option<Self> {
        let aggregated = aggregate(&self.features, &self.cells)?;
        Some(Self {
            features: self.features.select(&aggregated.rows),
            labels: self.labels.select(&aggregated.rows),
            classes: self.classes,
            positive: self.positive,
            group_names: self.group_names.clone(),
            cells: self.cells.aggregated(&aggregated.rows, aggregated.weights),
            constraints: self.constraints.clone(),
            functionals: self.functionals.clone(),
        })
    }

    /// The same problem aggregated, where settings and learner allow it and it pays. Sampling draws row by row, so it
    /// needs the rows as they are.
    pub(in crate::correction) fn aggregated_for<L: Learner>(&self, settings: &Correction, learner: &L) -> Option<Self> {
        let allowed = settings.technique == Technique::Weighting && learner.takes_aggregated_rows();
        if allowed { self.aggregated() } else { None }
    }

    /// Some of the rows, in the same cells. Constraints that condition on none of them stay, with no violation.
    ///
    /// # Errors
    /// [`Error::NoWeight`] when they weigh nothing.
    pub(in crate::correction) fn select(&self, rows: &[usize]) -> Result<Self> {
        let cells = self.cells.select(rows)?;
        Ok(Self {
            features: self.features.select(rows),
            labels: self.labels.select(rows),
            group_names: self.group_names.clone(),
            constraints: self.constraints.clone(),
            functionals: self.constraints.iter().map(|one| Functional::bind(one, &cells)).collect(),
            cells,
            ..*self
        })
    }

    /// The sums of a predictor over these rows.
    pub(in crate::correction) fn cell_sums(&self, predictor: &dyn Predictor) -> Result<CellSums> {
        cell_sums(predictor, &self.features, self.cells.cell_rows())
    }

    /// The same rows with each row weight multiplied by a count: a bootstrap sample.
    ///
    /// # Errors
    /// [`Error::NoConstraints`] when a constraint is left without rows, [`Error::NoWeight`] when all are.
    pub(crate) fn counted(&self, counts: &[f64]) -> Result<Self> {
        let cells = self.cells.counted(counts)?;
        let functionals: Vec<_> = self.constraints.iter().map(|one| Functional::bind(one, &cells)).collect();
        if functionals.iter().any(Option::is_none) {
            return Err(Error::NoConstraints { reason: "a group has no rows left".into() });
        }
        Ok(Self {
            features: self.features.clone(),
            labels: self.labels.clone(),
            group_names: self.group_names.clone(),
            constraints: self.constraints.clone(),
            cells,
            functionals,
            ..*self
        })
    }

    /// Per constraint: the overall mean score of what it counts, the group's, and the weight of the group's rows.
    ///
    /// # Errors
    /// What the predictor says.
    pub(crate) fn mean_scores(&self, predictor: &dyn Predictor) -> Result<Vec<(f64, f64, f64)>> {
        let sums = self.cell_sums(predictor)?;
        let means = |functional: &Functional| {
            let (overall, group) =
                (functional.reference(&sums, Measure::Scores), functional.group_rate(&sums, Measure::Scores));
            (overall, group, functional.share() * self.cells.total_weight())
        };
        Ok(self.functionals.iter().flatten().map(means).collect())
    }

    /// The names of the groups, pinned subsets last.
    pub fn group_names(&self) -> &[String] {
        &self.group_names
    }

    /// The encoded rows.
    pub fn features(&self) -> &Features {
        &self.features
    }

    /// The class of each row.
    pub fn labels(&self) -> &Codes {
        &self.labels
    }

    /// How many classes.
    pub fn classes(&self) -> usize {
        self.classes
    }

    /// The cells of the rows.
    pub(crate) fn cells(&self) -> &Cells {
        &self.cells
    }

    /// The constraints, one per multiplier.
    pub fn constraints(&self) -> &[Constraint] {
        &self.constraints
    }

    /// The user's own weight of a row, scaled to mean 1: 1 where none was given.
    pub fn row_weight(&self, row: usize) -> f64 {
        self.cells.row_weights().map_or(1.0, |weights| weights[row])
    }

    /// The weight of every row for given multipliers, before a learner's scale: the closed form of Corollary 1, times
    /// the user's own.
    ///
    /// # Errors
    /// Those of [`Problem::check_multipliers`].
    pub fn weights(&self, rule: WeightRule, multipliers: &[f64]) -> Result<Weights> {
        self.check_multipliers(multipliers)?;
        let values = self.tilt_table(rule).weights(multipliers);
        Ok(Weights::of_cells(values, self.cells.cell_of_row().clone(), self.cells.row_weights().cloned()))
    }

    /// What each multiplier adds to each cell's exponents. Constraints that are not bound add nothing.
    pub(crate) fn tilt_table(&self, rule: WeightRule) -> TiltTable {
        TiltTable::new(&self.constraints, &self.functionals, &self.cells, rule)
    }

    /// The same for each cell and every label that its rows might have.
    pub(crate) fn label_table(&self, rule: WeightRule) -> TiltTable {
        TiltTable::of_every_label(&self.constraints, &self.functionals, &self.cells, rule)
    }

    /// The constraints bound to these rows; `None` where one conditions on none of them.
    pub(in crate::correction) fn functionals(&self) -> &[Option<Functional>] {
        &self.functionals
    }

    /// Over which range of probabilities decisions are smoothed for their derivative: Silverman's rule for the Epanechnikov kernel,
    /// `2.34 σ n^(−1/5)`, for the rows of the smallest group and a standard deviation of probabilities of about 0.2.
    pub(in crate::correction) fn bandwidth(&self) -> f64 {
        let rows = self.functionals.iter().flatten().map(Functional::fewest_rows).fold(f64::INFINITY, f64::min);
        (0.5 * rows.powf(-0.2)).clamp(0.03, 0.3)
    }

    /// The signed violation of each constraint, zero where it conditions on no rows.
    pub(in crate::correction) fn violations(&self, sums: &CellSums, measure: Measure) -> Vec<f64> {
        let violation = |one: &Option<Functional>| one.as_ref().map_or(0.0, |one| one.violation(sums, measure));
        self.functionals.iter().map(violation).collect()
    }

    /// The share of rows predicted otherwise than labelled.
    pub(in crate::correction) fn error(&self, sums: &CellSums) -> f64 {
        self.errors(sums) / self.cells.total_weight()
    }

    /// Mean log loss on the observed labels.
    pub(in crate::correction) fn loss(&self, sums: &CellSums) -> f64 {
        (0..self.cells.len()).map(|cell| sums.loss(cell)).sum::<f64>() / self.cells.total_weight()
    }

    /// How many rows are predicted otherwise than labelled, row weights counted.
    pub(in crate::correction) fn errors(&self, sums: &CellSums) -> f64 {
        let errors = |cell| {
            let decided = sums.decisions(cell);
            decided.iter().sum::<f64>() - decided[self.cells.label(cell)]
        };
        (0..self.cells.len()).map(errors).sum()
    }

    /// The positive class.
    pub(in crate::correction) fn positive(&self) -> Option<usize> {
        self.positive
    }

    /// What a learner is shown of the rows.
    pub(in crate::correction) fn training<'a>(&'a self, weights: &'a Weights) -> Training<'a> {
        Training { features: &self.features, labels: &self.labels, classes: self.classes, weights }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constraint::WeightRange;
    use crate::features::DenseColumn;

    /// Three classes and two groups that overlap.
    fn problem(notion: Notion) -> Problem {
        let rows = 400_usize;
        let values = (0..rows).map(|row| (row % 17) as f64).collect();
        let features = Features::new(rows, 1, Vec::new(), vec![DenseColumn { feature: 0, values }]).unwrap();
        let labels = Codes::narrow((0..rows).map(|row| (row * row % 7 % 3) as u32).collect(), 3);
        let masks: [Vec<bool>; 2] = [3, 5].map(|every| (0..rows).map(|row| row % every == 0).collect());
        let membership = Membership::from_masks(vec!["a".into(), "b".into()], &masks).unwrap();
        let classes = ["none", "some", "all"].map(str::to_owned);
        Problem::of_arrays(features, labels, &classes, &membership, None, &[notion]).unwrap().0
    }

    #[test]
    fn the_slopes_of_weights_match_finite_differences() {
        for notion in ["demographic-parity", "equal-opportunity", "equalized-odds", "equal-accuracy"] {
            for range in [WeightRange::Bounded, WeightRange::Unbounded] {
                let problem = problem(notion.parse().unwrap());
                let table = problem.tilt_table(WeightRule { range, ..WeightRule::CENTRED });
                let here: Vec<f64> = (0..table.multipliers()).map(|at| 0.1 * (at as f64 * 1.7).sin()).collect();
                for (at, slope) in table.slopes(&here).iter().enumerate() {
                    let moved = |by: f64| {
                        let mut there = here.clone();
                        there[at] += by;
                        table.weights(&there)
                    };
                    for ((up, down), slope) in moved(1e-6).iter().zip(moved(-1e-6)).zip(slope) {
                        assert!(((up - down) / 2e-6 - slope).abs() < 1e-7, "{notion} {range:?}");
                    }
                }
            }
        }
    }
}

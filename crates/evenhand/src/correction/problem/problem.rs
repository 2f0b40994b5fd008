//! The optimisation problem on one set of rows: encoded features, cells, and constraints bound to them.

use std::sync::Arc;

use super::aggregation::aggregate;
use super::binding::SMALL_GROUP;
use crate::bound::ConstrainedRows;
use crate::cells::Cells;
use crate::constraint::{Constraint, Functional, Reference, TiltTable, WeightRule, bind, constraints};
use crate::correction::settings::{Correction, Technique};
use crate::data::{Codes, mean_one};
use crate::features::Features;
use crate::group::Membership;
use crate::learner::{Learner, Training};
use crate::notion::Notion;
use crate::{Error, Result, Warning, Weights};

/// At most this many derivatives are kept: one for every constraint, cell and class, of decisions and of scores. A pass over
/// rows keeps them once for every part of the rows.
const MOST_DERIVATIVES: usize = 1 << 25;

/// Rows that a correction can be found on, or a classifier evaluated on.
#[derive(Debug, Clone)]
pub struct Problem {
    features: Features,
    labels: Codes,
    classes: usize,
    positive: Option<usize>,
    group_names: Vec<String>,
    cells: Cells,
    /// First those with multipliers, then those that are only measured.
    constraints: Vec<Constraint>,
    functionals: Vec<Option<Functional>>,
    /// How many constraints have multipliers.
    corrected: usize,
    /// How many groups training rows had; those after them are of these rows alone.
    known_groups: usize,
    /// Per group, whether its columns are kept from the learner.
    blind: Vec<bool>,
}

impl Problem {
    /// Binds constraints to rows. A constraint that conditions on rows which do not occur stays, with no violation.
    ///
    /// Row weights are scaled to mean 1 over the rows that weigh anything, as those of a [`crate::Dataset`] are.
    ///
    /// # Errors
    /// [`Error::Length`] when the parts are not of one length, [`Error::TooLarge`] when there are too many constraints
    /// for so many classes and groups.
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
        Self::of_parts(features, labels, cells, positive, membership.names(), constraints)
    }

    /// Rows that are elsewhere, by their cells: constraints are bound to them, and classifiers are evaluated by sums that come from where the rows
    /// are. `shape` has no rows.
    ///
    /// # Errors
    /// [`Error::TooLarge`] when there are too many constraints for so many classes and groups.
    pub(crate) fn of_cells(
        shape: Features,
        cells: Cells,
        positive: Option<usize>,
        group_names: &[String],
        constraints: Vec<Constraint>,
    ) -> Result<Self> {
        let labels = Codes::narrow(Vec::new(), cells.classes());
        Self::of_parts(shape, labels, cells, positive, group_names, constraints)
    }

    fn of_parts(
        features: Features,
        labels: Codes,
        cells: Cells,
        positive: Option<usize>,
        group_names: &[String],
        constraints: Vec<Constraint>,
    ) -> Result<Self> {
        check_size(constraints.len(), cells.len(), cells.classes())?;
        Ok(Self {
            features,
            labels,
            classes: cells.classes(),
            positive,
            group_names: group_names.to_vec(),
            functionals: bind(&constraints, &cells),
            corrected: constraints.len(),
            known_groups: group_names.len(),
            cells,
            constraints,
            blind: Vec::new(),
        })
    }

    /// The same constraints, with the same multipliers, on other rows.
    fn on_rows(&self, features: Features, labels: Codes, cells: Cells, functionals: Vec<Option<Functional>>) -> Self {
        Self {
            features,
            labels,
            cells,
            functionals,
            group_names: self.group_names.clone(),
            constraints: self.constraints.clone(),
            blind: self.blind.clone(),
            ..*self
        }
    }

    /// The same cells and constraints with some of the rows. Constraints that condition on none of them stay, with no violation.
    ///
    /// # Errors
    /// [`Error::NoWeight`] when they weigh nothing.
    pub(in crate::correction) fn with_rows(
        &self,
        features: Features,
        cell_of_row: Codes,
        row_weights: Option<Vec<f64>>,
    ) -> Result<Self> {
        let labels: Vec<u32> = cell_of_row.iter().map(|cell| self.cells.label(cell) as u32).collect();
        let cells = self.cells.with_rows(Arc::new(cell_of_row), row_weights)?;
        let functionals = bind(&self.constraints, &cells);
        Ok(self.on_rows(features, Codes::narrow(labels, self.classes), cells, functionals))
    }

    /// Says of which groups the learner may not see all columns that tell them.
    #[must_use]
    pub(super) fn blind_to(mut self, blind: Vec<bool>) -> Self {
        self.blind = blind;
        self
    }

    /// Whether the learner may not see all columns that tell a group.
    pub(in crate::correction) fn is_blind_to(&self, group: usize) -> bool {
        self.blind.get(group).copied().unwrap_or_default()
    }

    /// Whether some constraint is on a group that the learner may not see.
    pub(in crate::correction) fn is_blind(&self) -> bool {
        self.constraints().iter().flat_map(Constraint::groups).any(|group| self.is_blind_to(group))
    }

    /// Adds constraints without multipliers, which are measured and tested like the others. Groups from `known_groups`
    /// on are those that only these rows have.
    #[must_use]
    pub(super) fn measuring(mut self, further: Vec<Constraint>, known_groups: usize) -> Self {
        self.functionals.extend(bind(&further, &self.cells));
        self.constraints.extend(further);
        Self { known_groups, ..self }
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
        if let Some(notion) = notions.iter().find(|notion| notion.needs_table()) {
            let reason = format!("{notion} names columns, and here is no table");
            return Err(Error::NoConstraints { reason });
        }
        let positive = (classes.len() == 2).then_some(1);
        let constraints = constraints(notions, membership.group_names(), classes, positive, &[], membership.names())?;
        let mut problem =
            Self::new(features, labels, classes.len(), positive, membership, row_weights.map(Into::into), constraints)?;
        let warnings = problem.drop_unbound()?;
        Ok((problem, warnings))
    }

    /// Leaves constraints that condition on rows which do not occur without a multiplier: they are only measured.
    ///
    /// # Errors
    /// [`Error::NoConstraints`] when none is left.
    pub(in crate::correction) fn drop_unbound(&mut self) -> Result<Vec<Warning>> {
        let mut warnings = Vec::new();
        let all = self.constraints.drain(..).zip(self.functionals.drain(..));
        let (bound, unbound): (Vec<_>, Vec<_>) = all.partition(|(_, functional)| functional.is_some());
        self.corrected = bound.len();
        for (constraint, _) in &unbound {
            let reason = if matches!(constraint.reference, Reference::Rows { .. }) {
                "no training row is in the group, or among those that it is compared with, with the label asked for"
                    .to_owned()
            } else if constraint.weighted_by.is_some() {
                "no training row with more than zero to weight by is in the group with the label it conditions on"
                    .to_owned()
            } else {
                "no training row is in the group with the label it conditions on".to_owned()
            };
            warnings.push(Warning::ConstraintDropped { constraint: constraint.name.clone(), reason });
        }
        (self.constraints, self.functionals) = bound.into_iter().chain(unbound).unzip();
        if self.corrected == 0 {
            return Err(Error::NoConstraints {
                reason: "no training row is among those any constraint conditions on".into(),
            });
        }
        Ok(warnings)
    }

    /// How many rows tell the rate that fewest tell, of those of groups that are not small.
    pub(in crate::correction) fn fewest_rows(&self) -> Option<f64> {
        let bound = self.functionals[..self.corrected].iter().flatten().map(Functional::fewest_rows);
        bound.filter(|rows| *rows >= SMALL_GROUP as f64).min_by(f64::total_cmp)
    }

    /// How many coefficients a linear model of these rows has.
    pub(in crate::correction) fn coefficients(&self) -> usize {
        let (width, classes) = (self.features.width() + 1, self.cells.classes());
        if classes > 2 { width * classes } else { width }
    }

    /// The same problem with equal rows aggregated into one weighted row; `None` where too few are equal.
    fn aggregated(&self) -> Option<Self> {
        let aggregated = aggregate(&self.features, &self.cells)?;
        let (features, labels) = (self.features.select(&aggregated.rows), self.labels.select(&aggregated.rows));
        let cells = self.cells.aggregated(&aggregated.rows, aggregated.weights);
        Some(self.on_rows(features, labels, cells, self.functionals.clone()))
    }

    /// The same problem aggregated, where settings and learner allow it and it pays. Sampling draws row by row, so it
    /// needs the rows as they are.
    pub(crate) fn aggregated_for<L: Learner>(&self, settings: &Correction, learner: &L) -> Option<Self> {
        let allowed = settings.technique == Technique::Weighting && learner.takes_aggregated_rows();
        if allowed { self.aggregated() } else { None }
    }

    /// Some of the rows, in the same cells. Constraints that condition on none of them stay, with no violation.
    ///
    /// # Errors
    /// [`Error::NoWeight`] when they weigh nothing.
    pub(in crate::correction) fn select(&self, rows: &[usize]) -> Result<Self> {
        Ok(self.select_in(self.cells.select(rows)?, rows))
    }

    /// The same rows with other row weights, without those that weigh nothing: a bootstrap sample.
    ///
    /// # Errors
    /// [`Error::NoConstraints`] when a constraint is left without rows, [`Error::NoWeight`] when all are.
    pub(crate) fn reweighted(&self, weights: &[f64]) -> Result<Self> {
        let rows: Vec<usize> = (0..weights.len()).filter(|&row| weights[row] > 0.0).collect();
        let drawn = self.select_in(self.cells.reweighted(weights, &rows)?, &rows);
        if drawn.functionals[..self.corrected].iter().any(Option::is_none) {
            return Err(Error::NoConstraints { reason: "a group has no rows left".into() });
        }
        Ok(drawn)
    }

    /// The same rows, on which every constraint is met where its group's rate is so far below its reference: true differences
    /// between groups, by assumption.
    #[must_use]
    pub(crate) fn differing_by(mut self, differences: &[f64]) -> Self {
        for (one, difference) in self.functionals.iter_mut().zip(differences) {
            *one = one.take().map(|one| one.differing_by(*difference));
        }
        self
    }

    /// Some of the rows, whose cells are these.
    fn select_in(&self, cells: Cells, rows: &[usize]) -> Self {
        let difference = |one: &Option<Functional>| one.as_ref().map_or(0.0, Functional::difference);
        let differences: Vec<f64> = self.functionals.iter().map(difference).collect();
        let (features, labels) = (self.features.select(rows), self.labels.select(rows));
        let functionals = bind(&self.constraints, &cells);
        self.on_rows(features, labels, cells, functionals).differing_by(&differences)
    }

    /// The same rows, on which the second of two classes is decided for from another probability on than ½: corrections are found for such
    /// decisions, and predictors evaluated by them.
    #[must_use]
    pub fn deciding_at(&self, threshold: f64) -> Self {
        Self { cells: self.cells.deciding_at(threshold), ..self.clone() }
    }

    /// From which probability on the second of two classes is decided for.
    pub fn threshold(&self) -> f64 {
        self.cells.threshold()
    }

    /// The names of the groups, then of pinned subsets, and last of the sets of rows that lack a value by which groups
    /// are defined, such as `race missing`.
    pub fn group_names(&self) -> &[String] {
        &self.group_names
    }

    /// The places of the sets of rows without a value among the names of the groups.
    pub fn missing(&self) -> std::ops::Range<usize> {
        self.cells.missing()
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
        &self.constraints[..self.corrected]
    }

    /// The constraints that classifiers are measured and tested by: those with multipliers, then those without, of
    /// groups that training rows could not tell.
    pub fn measured_constraints(&self) -> &[Constraint] {
        &self.constraints
    }

    /// These rows as bounds are tested on them.
    pub(crate) fn constrained_rows(&self) -> ConstrainedRows<'_> {
        ConstrainedRows { cells: &self.cells, constraints: &self.constraints, functionals: &self.functionals }
    }

    /// How many of the groups training rows had: others come after them.
    pub(in crate::correction) fn known_groups(&self) -> usize {
        self.known_groups
    }

    /// A warning for every constraint that compares a group with itself, since it holds everyone there is to compare.
    pub(super) fn own_references(&self) -> Vec<Warning> {
        let itself = |functional: &Option<Functional>| functional.as_ref().is_some_and(Functional::is_own_reference);
        let all = self.constraints.iter().zip(&self.functionals).filter(|(_, functional)| itself(functional));
        all.map(|(constraint, _)| Warning::OwnReference { what: constraint.name.clone() }).collect()
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
        TiltTable::new(self.constraints(), self.functionals(), &self.cells, rule)
    }

    /// The same for each cell and every label that its rows might have.
    pub(crate) fn label_table(&self, rule: WeightRule) -> TiltTable {
        TiltTable::of_every_label(self.constraints(), self.functionals(), &self.cells, rule)
    }

    /// The constraints with multipliers, bound to these rows; `None` where one conditions on none of them.
    pub(crate) fn functionals(&self) -> &[Option<Functional>] {
        &self.functionals[..self.corrected]
    }

    /// The positive class.
    pub(crate) fn positive(&self) -> Option<usize> {
        self.positive
    }

    /// What a learner is shown of the rows.
    pub(in crate::correction) fn training<'a>(&'a self, weights: &'a Weights) -> Training<'a> {
        Training { features: &self.features, labels: &self.labels, classes: self.classes, weights }
    }
}

/// Whether the derivatives of a correction can be kept, asked before memory is taken for them.
fn check_size(constraints: usize, cells: usize, classes: usize) -> Result<()> {
    let found = [cells, classes, 2].into_iter().fold(constraints, usize::saturating_mul);
    if found <= MOST_DERIVATIVES {
        return Ok(());
    }
    let what =
        format!("{constraints} constraints on {cells} combinations of groups and label, with {classes} classes,");
    Err(Error::TooLarge { what, found, most: MOST_DERIVATIVES })
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
        let features = Features::new(rows, 1, Vec::new(), vec![DenseColumn::new(0, values)]).unwrap();
        let labels = Codes::narrow((0..rows).map(|row| (row * row % 7 % 3) as u32).collect(), 3);
        let masks: [Vec<bool>; 2] = [3, 5].map(|every| (0..rows).map(|row| row % every == 0).collect());
        let membership = Membership::from_masks(vec!["a".into(), "b".into()], &masks).unwrap();
        let classes = ["none", "some", "all"].map(str::to_owned);
        Problem::of_arrays(features, labels, &classes, &membership, None, &[notion]).unwrap().0
    }

    #[test]
    fn more_constraints_than_can_be_kept_are_refused_before_memory_is_taken() {
        let (rows, groups) = (2_000, 2);
        let features = Features::from_rows(&vec![0.0; rows], 1).unwrap();
        let labels = Codes::narrow((0..rows as u32).map(|row| row / 2).collect(), 1_000);
        let mask = |group| (0..rows).map(|row| row % groups == group).collect::<Vec<bool>>();
        let membership = Membership::from_masks(vec!["a".into(), "b".into()], &[mask(0), mask(1)]).unwrap();
        let classes: Vec<String> = (0..1_000).map(|class| format!("k{class}")).collect();
        let notions = [Notion::DemographicParity];
        let error = Problem::of_arrays(features, labels, &classes, &membership, None, &notions).unwrap_err();
        assert_eq!(error.code(), "problem-too-large");
        let expected =
            "2000 constraints on 2000 combinations of groups and label, with 1000 classes, are too many together";
        assert!(error.to_string().starts_with(expected), "{error}");
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

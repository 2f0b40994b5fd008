//! What training rows teach about columns, groups and constraints.
//!
//! Holds [`Binding`]: fitted once, saved in the model, and the one way from a raw table,
//! training or new, to a [`Problem`].

use serde::{Deserialize, Serialize};

use super::exact_proxies::exact_proxies;
use super::{Problem, interactions, kinds, withheld};
use crate::cells::Cells;
use crate::constraint::{Constraint, OwnRows, Reference, constraints, own_rows, weighing, weighing_columns};
use crate::correction::settings::Correction;
use crate::data::{Column, Dataset, Schema, Table};
use crate::facts::{Facts, Kind, TableFacts};
use crate::features::{ColumnPlan, EncodedRows, Encoding, Features, PlanKind};
use crate::group::{Condition, Groups, Membership};
use crate::notion::Notion;
use crate::{Error, Result, Warning};

/// Rows in groups fewer than this say little; such groups are warned about.
pub(super) const SMALL_GROUP: usize = 30;

/// The roles, classes, encoding, groups and constraints of a training set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Binding {
    schema: Schema,
    classes: Vec<String>,
    positive: Option<usize>,
    groups: Groups,
    pinned: Groups,
    withheld: Vec<String>,
    encoding: Encoding,
    /// The column of another model's probabilities, where these are corrected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    score: Option<String>,
    /// Intersections that are features too.
    #[serde(default, skip_serializing_if = "Groups::is_empty")]
    interactions: Groups,
    /// The columns that rates are weighted by.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    weighing: Vec<String>,
    constraints: Vec<Constraint>,
    /// Those that training rows could not tell, which have no multipliers: other rows are tested by them all the same.
    unbound: Vec<Constraint>,
}

impl Binding {
    /// Learns from training rows, and makes them ready.
    ///
    /// # Errors
    /// Anything wrong with groups, notions, withheld columns or the encoding.
    pub fn new(settings: &Correction, data: &Dataset) -> Result<(Self, Problem, Vec<Warning>)> {
        let (table, labels) = (data.table(), data.labels());
        let facts = TableFacts::of(data);
        if let Some(score) = &settings.score {
            check_role(&score.column, data.schema(), &facts)?;
            check_scores(&score.column, table)?;
        }
        let (mut binding, mut warnings) =
            Self::learn(settings, data.schema(), (labels.classes(), labels.positive()), &facts)?;
        let membership = binding.membership(table)?;
        warnings.extend(membership.small_groups(SMALL_GROUP));
        let hidden: Vec<String> = binding.withheld.iter().filter(|column| settings.hides(column)).cloned().collect();
        warnings.extend(exact_proxies(&binding.groups, &membership, &hidden, &binding.encoding, table));
        let (features, more) = binding.features(table)?;
        warnings.extend(more);
        let mut problem = binding.bound(features, data, &membership)?;
        warnings.extend(binding.settle(&mut problem)?);
        Ok((binding, problem, warnings))
    }

    /// Learns columns, groups, what is withheld, the encoding and constraints from what is known of training rows, wherever they are.
    /// Which constraints have rows is known once all rows were seen.
    ///
    /// # Errors
    /// Those of [`Binding::new`], but for what only rows can tell.
    pub fn learn(
        settings: &Correction,
        schema: &Schema,
        (classes, positive): (&[String], Option<usize>),
        facts: &dyn Facts,
    ) -> Result<(Self, Vec<Warning>)> {
        let (groups, mut warnings) = Groups::learn_roles(&settings.groups, schema, facts)?;
        let (pinned, places, more) = own_rows(&settings.notions, schema, facts, &groups)?;
        warnings.extend(more);
        let mut withheld = withheld::columns(settings, &groups, facts)?;
        let (encoding, more) = encode(settings, schema, facts, &mut withheld, (&groups, &pinned))?;
        warnings.extend(more);
        let interactions = interactions::of(settings, &groups, &encoding)?;
        let names: Vec<String> = groups.names().map(str::to_owned).collect();
        let all_names: Vec<String> = names.iter().cloned().chain(pinned.names().map(str::to_owned)).collect();
        let constraints = constraints(&settings.notions, &names, classes, positive, &places, &all_names)?;
        let binding = Self {
            schema: schema.clone(),
            classes: classes.to_vec(),
            positive,
            groups,
            pinned,
            withheld,
            score: settings.score.as_ref().map(|score| score.column.clone()),
            encoding,
            interactions,
            weighing: weighing_columns(&settings.notions),
            constraints,
            unbound: Vec::new(),
        };
        Ok((binding, warnings))
    }

    /// Leaves constraints without a multiplier that no row of a problem, made of all training rows, can tell: here and there.
    ///
    /// # Errors
    /// [`Error::NoConstraints`] when none is left.
    pub(crate) fn settle(&mut self, problem: &mut Problem) -> Result<Vec<Warning>> {
        let mut warnings = problem.drop_unbound()?;
        warnings.extend(problem.own_references());
        self.constraints = problem.constraints().to_vec();
        self.unbound = problem.measured_constraints()[self.constraints.len()..].to_vec();
        Ok(warnings)
    }

    /// Encodes rows and binds the constraints to them: those with multipliers, and after them, to be measured and
    /// tested as well, those that training rows could not tell and those of groups that only these rows have.
    ///
    /// # Errors
    /// [`Error::LostColumns`], [`Error::UnknownColumn`] or [`Error::ColumnKind`] when the table is not like the training one.
    pub fn problem(&self, data: &Dataset) -> Result<(Problem, Vec<Warning>)> {
        let (features, mut warnings) = self.features(data.table())?;
        let (problem, more) = self.problem_of(features, data)?;
        warnings.extend(more);
        Ok((problem, warnings))
    }

    /// As [`Binding::problem`], with features that come from elsewhere.
    ///
    /// # Errors
    /// [`Error::Length`] when there are features of other rows, [`Error::UnknownColumn`] when a column that tells a group is not there.
    pub fn problem_of(&self, features: Features, data: &Dataset) -> Result<(Problem, Vec<Warning>)> {
        let (known, unseen) = (self.membership(data.table())?, self.groups.unseen(data.table())?);
        let known_groups = known.groups();
        let (membership, further, mut warnings) = if unseen.is_empty() {
            (known, Vec::new(), Vec::new())
        } else {
            let membership = unseen.membership(data.table())?;
            let counted = membership.group_names().iter().cloned().zip(membership.counts());
            let warnings = counted.map(|(group, rows)| Warning::UnseenGroup { group, rows }).collect();
            (known.join(membership)?, self.constraints_on(&unseen, known_groups)?, warnings)
        };
        let further = self.unbound.iter().cloned().chain(further).collect();
        let problem = self.bound(features, data, &membership)?.measuring(further, known_groups);
        warnings.extend(problem.own_references());
        Ok((problem, warnings))
    }

    fn bound(&self, features: Features, data: &Dataset, membership: &Membership) -> Result<Problem> {
        let weighed = if self.weighing.is_empty() {
            None
        } else {
            Some(weighing(membership.clone(), &self.weighing, data.table())?)
        };
        let membership = weighed.as_ref().unwrap_or(membership);
        let problem = Problem::new(
            features,
            data.labels().codes().clone(),
            self.classes.len(),
            self.positive,
            membership,
            data.row_weights().map(Into::into),
            self.constraints.clone(),
        )?;
        Ok(problem.blind_to(self.blind()))
    }

    /// Per group, pinned subsets last, whether the learner may not see all columns that tell it.
    fn blind(&self) -> Vec<bool> {
        let all = self.groups.definitions().iter().chain(self.pinned.definitions());
        all.map(|group| !group.conditions().iter().map(Condition::column).all(|column| self.encoding.shows(column)))
            .collect()
    }

    /// What the notions ask of groups that training rows did not have; these stand from `first` on in the membership.
    fn constraints_on(&self, unseen: &Groups, first: usize) -> Result<Vec<Constraint>> {
        let mut notions: Vec<Notion> = Vec::new();
        for constraint in self.constraints.iter().chain(&self.unbound) {
            if constraint.notion.needs_groups() && !notions.contains(&constraint.notion) {
                notions.push(constraint.notion.clone());
            }
        }
        if notions.is_empty() {
            return Ok(Vec::new());
        }
        let names: Vec<String> = unseen.names().map(str::to_owned).collect();
        // What rows are compared with is settled by training rows, and is the same for all groups of a notion.
        let against = |notion: &Notion| {
            let known = self.constraints.iter().chain(&self.unbound).find(|one| one.notion == *notion)?;
            if matches!(known.reference, Reference::Rows { .. }) { known.base().0 } else { None }
        };
        let own: Vec<OwnRows> = notions
            .iter()
            .map(|notion| OwnRows { rows: Vec::new(), against: against(notion), weighted_by: self.weighted_by(notion) })
            .collect();
        let all_names = self.group_names();
        let mut all = constraints(&notions, &names, &self.classes, self.positive, &own, &all_names)?;
        for constraint in &mut all {
            constraint.group = constraint.group.map(|place| first + place);
        }
        Ok(all)
    }

    /// The place of the column that a notion's rate is weighted by.
    fn weighted_by(&self, notion: &Notion) -> Option<usize> {
        notion.weighted_by().and_then(|column| self.weighing.iter().position(|known| known == column))
    }

    /// Encodes the rows of a raw table.
    ///
    /// # Errors
    /// [`Error::LostColumns`] or [`Error::ColumnKind`] when the table is not like the training one, [`Error::Score`] for a score that is no
    /// probability.
    pub fn features(&self, table: &Table) -> Result<(Features, Vec<Warning>)> {
        if let Some(score) = self.score.as_ref().filter(|score| table.get(score).is_some()) {
            check_scores(score, table)?;
        }
        let (features, warnings) = self.encoding.transform(table, &self.other_columns())?;
        if self.interactions.is_empty() {
            return Ok((features, warnings));
        }
        Ok((interactions::append(features, &self.interactions.membership(table)?)?, warnings))
    }

    /// The rows of a raw table as coded columns and numbers as they are, to be kept in blocks, and what is not as in training.
    ///
    /// # Errors
    /// As [`Binding::features`].
    pub(super) fn encoded<'t>(&self, table: &'t Table) -> Result<EncodedRows<'t>> {
        let (mut coded, numbers, warnings) = self.encoding.encode(table)?;
        if !self.interactions.is_empty() {
            coded.extend(interactions::indicators(&self.interactions.membership(table)?, self.encoding.width()));
        }
        Ok((coded, numbers, warnings))
    }

    /// Binds the constraints to rows that are elsewhere, by their cells.
    ///
    /// # Errors
    /// [`Error::TooLarge`] when there are too many constraints for so many classes and groups.
    pub(super) fn bound_to_cells(&self, shape: Features, cells: Cells, names: &[String]) -> Result<Problem> {
        let problem = Problem::of_cells(shape, cells, self.positive, names, self.constraints.clone())?;
        Ok(problem.blind_to(self.blind()))
    }

    /// The same for new rows: after the constraints with multipliers come those that training rows could not tell, and those of groups that only these rows
    /// have, which stand behind so many others.
    ///
    /// # Errors
    /// As [`Binding::bound_to_cells`].
    pub(super) fn bound_to_new(
        &self,
        shape: Features,
        cells: Cells,
        names: &[String],
        unseen: &Groups,
        known_groups: usize,
    ) -> Result<Problem> {
        let further = if unseen.is_empty() { Vec::new() } else { self.constraints_on(unseen, known_groups)? };
        let further = self.unbound.iter().cloned().chain(further).collect();
        Ok(self.bound_to_cells(shape, cells, names)?.measuring(further, known_groups))
    }

    /// The groups of a table that training rows did not have.
    ///
    /// # Errors
    /// Those of [`Groups::unseen`].
    pub(super) fn unseen_groups(&self, table: &Table) -> Result<Groups> {
        self.groups.unseen(table)
    }

    /// The same with further groups behind all others.
    ///
    /// # Errors
    /// [`Error::RepeatedGroup`].
    pub(super) fn and_pinned(&self, further: &Groups) -> Result<Self> {
        Ok(Self { pinned: self.pinned.and(further)?, ..self.clone() })
    }

    /// Whether a group compares the numbers of a column.
    pub(super) fn compares(&self, column: &str) -> bool {
        let all = self.groups.definitions().iter().chain(self.pinned.definitions());
        let mut conditions = all.flat_map(crate::group::Group::conditions).filter(|one| one.column() == column);
        conditions.any(|condition| matches!(condition, Condition::Within { .. }))
    }

    /// A name for every feature: those of the encoded columns, then intersections.
    pub fn feature_names(&self) -> Vec<String> {
        self.encoding.feature_names().into_iter().chain(self.interactions.names().map(str::to_owned)).collect()
    }

    /// How many features there are.
    pub fn width(&self) -> usize {
        self.encoding.width() + self.interactions.len()
    }

    /// Checks that all columns that features are made of are among these, and says which of these are not known.
    ///
    /// # Errors
    /// [`Error::LostColumns`].
    pub fn check_columns(&self, names: &[String]) -> Result<Option<Warning>> {
        self.encoding.check_columns(names, &self.other_columns())
    }

    /// The columns that have a role, and are no features.
    fn other_columns(&self) -> Vec<String> {
        let groups = self.groups.columns().into_iter().chain(self.pinned.columns()).map(str::to_owned);
        std::iter::once(self.schema.label_column().to_owned())
            .chain(self.schema.weight_column().map(str::to_owned))
            .chain(self.schema.ignored().iter().cloned())
            .chain(self.withheld.iter().cloned())
            .chain(self.weighing.iter().cloned())
            .chain(groups)
            .collect()
    }

    /// Which rows of a table are in which group, pinned subsets last.
    ///
    /// # Errors
    /// [`Error::UnknownColumn`] when a column that tells a group is not there.
    pub fn membership(&self, table: &Table) -> Result<Membership> {
        let groups = self.groups.membership(table)?;
        if self.pinned.is_empty() { Ok(groups) } else { groups.join(self.pinned.membership(table)?) }
    }

    /// The roles of the columns.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// The names of the classes.
    pub fn classes(&self) -> &[String] {
        &self.classes
    }

    /// The positive class.
    pub fn positive(&self) -> Option<usize> {
        self.positive
    }

    /// The asked groups.
    pub fn groups(&self) -> &Groups {
        &self.groups
    }

    /// The asked groups, and after them those that only the rows of a table have.
    ///
    /// # Errors
    /// Those of [`Groups::unseen`].
    pub fn groups_in(&self, table: &Table) -> Result<Groups> {
        self.groups.and(&self.groups.unseen(table)?)
    }

    /// The names of the asked groups and then of pinned subsets, as in the membership.
    pub fn group_names(&self) -> Vec<String> {
        self.groups.names().chain(self.pinned.names()).map(str::to_owned).collect()
    }

    /// The columns that tell the groups, pinned subsets too, each once.
    pub fn group_columns(&self) -> Vec<String> {
        let all = self.groups.columns().into_iter().chain(self.pinned.columns());
        let mut columns: Vec<String> = all.map(str::to_owned).collect();
        columns.sort_unstable();
        columns.dedup();
        columns
    }

    /// The columns that rates are weighted by.
    pub fn weighing(&self) -> &[String] {
        &self.weighing
    }

    /// The columns the learner may not see at all.
    pub fn withheld(&self) -> &[String] {
        &self.withheld
    }

    /// How raw columns become features; intersections may be features beside them.
    pub fn encoding(&self) -> &Encoding {
        &self.encoding
    }

    /// The constraints that training rows could not tell.
    pub(crate) fn unbound(&self) -> &[Constraint] {
        &self.unbound
    }

    /// The constraints, one per multiplier.
    pub fn constraints(&self) -> &[Constraint] {
        &self.constraints
    }
}

/// Whether a column of scores has no other role.
fn check_role(score: &str, schema: &Schema, facts: &dyn Facts) -> Result<()> {
    facts.kind(score)?;
    if schema.is_feature(score) {
        return Ok(());
    }
    Err(Error::setting("score", format!("`{score}`, the label, a weight or ignored"), "a column of its own"))
}

/// Whether a column holds a probability for every row.
fn check_scores(score: &str, table: &Table) -> Result<()> {
    let Column::Numeric(scores) = table.column(score)? else { return Err(no_scores(score)) };
    match scores.iter().position(|one| !(0.0..=1.0).contains(one)) {
        Some(at) => {
            let found = if scores[at].is_nan() { "(missing)".to_owned() } else { scores[at].to_string() };
            Err(Error::Score { learner: format!("column `{score}`"), row: table.shown_row(at), found })
        }
        None => Ok(()),
    }
}

fn no_scores(column: &str) -> Error {
    let (found, wanted, purpose) = ("text", "a column of numbers", "as scores".to_owned());
    Error::ColumnKind { column: column.to_owned(), found, wanted, purpose }
}

fn encode(
    settings: &Correction,
    schema: &Schema,
    facts: &dyn Facts,
    withheld: &mut Vec<String>,
    (groups, pinned): (&Groups, &Groups),
) -> Result<(Encoding, Vec<Warning>)> {
    let seen = |column: &String| !withheld.contains(column);
    let (mut plans, possible_codes): (Vec<ColumnPlan>, _) = if let Some(plans) = &settings.plan {
        (plans.iter().filter(|plan| seen(&plan.column)).cloned().collect(), None)
    } else {
        let names: Vec<String> =
            facts.names().iter().filter(|name| schema.is_feature(name) && seen(name)).cloned().collect();
        kinds::plans(facts, schema, &names, &[groups, pinned], settings.standardise)?
    };
    withheld::without_indicators(settings, groups, facts, &mut plans, withheld)?;
    if let Some(score) = &settings.score {
        let column = &score.column;
        check_role(column, schema, facts)?;
        if facts.kind(column)? == Kind::Categorical {
            return Err(no_scores(column));
        }
        // First, where `GivenScores` looks for it, and as it is.
        plans.retain(|plan| plan.column != *column);
        plans.insert(0, ColumnPlan { column: column.clone(), kind: PlanKind::Number });
    }
    if plans.is_empty() {
        return Err(Error::NoFeatures);
    }
    let (encoding, mut warnings) = Encoding::learn(&plans, facts)?;
    warnings.extend(possible_codes);
    Ok((encoding, warnings))
}

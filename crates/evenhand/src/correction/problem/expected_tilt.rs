//! The expectation of a constraint's tilt given what a learner sees.
//!
//! In the theory a constraint's `c(x, y)` is a function of the same x that the learner sees. Where that x does not tell the group, what
//! is left of `g/Z − 1` is its expectation `P(g|x)/Z − 1`; of a rate among labels A, where the theory has `y_true(x)`, it is
//! `P(A|x) (P(g|x,A)/Z − 1)` with the labels as they are observed. [Jiang & Nachum 2019, Sec. 2.2 and 3]
//!
//! Holds [`ExpectedTilt`]: the models of membership, one for each group that features do not tell, by the same kind of learner on the
//! same features; and [`RowTilts`], what they give for the rows of a problem.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::{Problem, WeightMap};
use crate::cells::Cells;
use crate::constraint::{Constraint, Event, Functional, Labelled, Reference, TiltTable, WeightRule};
use crate::correction::settings::Apply;
use crate::data::Codes;
use crate::features::Features;
use crate::group::Membership;
use crate::learner::{Learner, Predictor, Training, scores};
use crate::{Result, Weights, parallel};

/// How tilts follow from what a learner sees.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExpectedTilt<P> {
    /// The models of membership.
    pub memberships: Vec<MembershipModel<P>>,
    /// The model of the observed labels, where a rate conditions on labels and multipliers make weights; where they tilt the
    /// probabilities of a model, that model is it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub labels: Option<P>,
    terms: Vec<Term>,
    classes: usize,
    multipliers: usize,
}

/// A model of who is in a group, by what the learner sees.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MembershipModel<P> {
    /// The group's place in the membership.
    pub group: usize,
    /// Among the rows with these labels.
    pub labelled: Labelled,
    /// Its probability of class 1 is that of membership.
    pub predictor: P,
    /// The share of pairs of a member and another that it tells apart on the rows it was fitted to: ½ where features say nothing of
    /// the group, 1 where they tell it.
    pub auc: f64,
}

/// What a multiplier adds to the exponent of a class.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Term {
    multiplier: usize,
    class: usize,
    /// The labels that a rate conditions on, of those for which this class counts.
    labelled: Labelled,
    member: Member,
    /// What membership is divided by: the group's share, negative where it lowers the exponent.
    share: f64,
    /// What is subtracted then.
    centre: f64,
}

/// How membership is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Member {
    /// Everyone is one.
    Everyone,
    /// Observed: the learner sees the columns that define the group.
    Observed(usize),
    /// By a model.
    Model(usize),
    /// By the model of the group that all others are in.
    Others(usize),
}

/// Tilts of the rows of a problem.
#[derive(Debug, Clone)]
pub(crate) struct RowTilts {
    /// The multiplier and the class of each term.
    pub(crate) terms: Vec<(usize, usize)>,
    /// Of each term, a number per row.
    pub(crate) columns: Vec<Vec<f64>>,
    pub(crate) classes: usize,
    pub(crate) multipliers: usize,
}

impl<P: Predictor> ExpectedTilt<P> {
    /// Fits the models that tilts need, one of the observed labels only for those of weights. With them comes how many there are.
    ///
    /// # Errors
    /// What the learner says.
    pub(crate) fn fit<L: Learner<Predictor = P>>(
        problem: &Problem,
        learner: &L,
        apply: Apply,
    ) -> Result<(Self, usize)> {
        let (mut terms, mut wanted, mut fits) = (Vec::new(), Vec::new(), 0);
        for (multiplier, constraint) in problem.constraints().iter().enumerate() {
            let Some(functional) = &problem.functionals()[multiplier] else { continue };
            let (sign, other) = (constraint.event.sign(), constraint.base());
            let mut push = |group: Option<usize>, labelled: Labelled, share: f64, centre: f64| {
                for (class, labelled) in counted(constraint.event, labelled, problem.classes()) {
                    let member = match group {
                        None => Member::Everyone,
                        Some(_) if is_everyone(functional, constraint) => Member::Everyone,
                        Some(group) if !problem.is_blind_to(group) => Member::Observed(group),
                        Some(group) => find(&mut wanted, group, labelled, problem.cells()),
                    };
                    let (share, centre) = (sign * share, sign * centre);
                    terms.push(Term { multiplier, class, labelled, member, share, centre });
                }
            };
            match constraint.reference {
                Reference::Overall => push(constraint.group, constraint.labelled, functional.share(), 1.0),
                Reference::Rows { .. } => {
                    push(constraint.group, constraint.labelled, functional.share(), 0.0);
                    push(other.0, other.1, -1.0, 0.0);
                }
                _ => push(constraint.group, constraint.labelled, functional.share(), 0.0),
            }
        }
        let mut memberships = Vec::with_capacity(wanted.len());
        for (group, labelled) in wanted {
            memberships.push(MembershipModel::fit(problem, learner, group, labelled)?);
            fits += 1;
        }
        let labels = if apply == Apply::Tilt || terms.iter().all(|term| term.labelled == Labelled::Any) {
            None
        } else {
            let weights = WeightMap::unweighted(problem.cells());
            fits += 1;
            Some(learner.fit(problem.training(&weights), &mut L::WarmStart::default())?)
        };
        let (classes, multipliers) = (problem.classes(), problem.constraints().len());
        Ok((Self { memberships, labels, terms, classes, multipliers }, fits))
    }

    /// Tilts of any rows; `is_in` says whether a row is in a group that its features tell.
    fn of_rows(
        &self,
        features: &Features,
        observed: Option<&[f64]>,
        is_in: impl Fn(usize, usize) -> bool + Sync,
    ) -> Result<RowTilts> {
        let members: Vec<Vec<f64>> =
            self.memberships.iter().map(|model| scores(&model.predictor, features, 2)).collect::<Result<_>>()?;
        let own = self.labels.as_ref().map(|labels| scores(labels, features, self.classes)).transpose()?;
        let labels = own.as_deref().or(observed);
        let column = |term: &Term| {
            let among = |row: usize| match (labels, term.labelled) {
                (None, _) | (_, Labelled::Any) => 1.0,
                (Some(all), Labelled::As(class)) => all[row * self.classes + class],
                (Some(all), Labelled::NotAs(class)) => 1.0 - all[row * self.classes + class],
            };
            let member = |row: usize| match term.member {
                Member::Everyone => 1.0,
                Member::Observed(group) => f64::from(u8::from(is_in(row, group))),
                Member::Model(at) => members[at][2 * row + 1],
                Member::Others(at) => members[at][2 * row],
            };
            let mut column = vec![0.0; features.rows()];
            parallel::fill(&mut column, 1, |rows, out| {
                for (row, value) in rows.zip(out) {
                    *value = among(row) * (member(row) / term.share - term.centre);
                }
            });
            column
        };
        let terms = self.terms.iter().map(|term| (term.multiplier, term.class)).collect();
        let columns = parallel::inside(|| self.terms.iter().map(column).collect());
        Ok(RowTilts { terms, columns, classes: self.classes, multipliers: self.multipliers })
    }
}

/// What gives tilts to rows, whatever the kind of its models.
pub(crate) trait Expectations: Send + Sync {
    /// Tilts of the rows of a problem; `observed` are the probabilities of observed labels, where no model of its own gives them.
    ///
    /// # Errors
    /// What the models say.
    fn of_problem(&self, problem: &Problem, observed: Option<&[f64]>) -> Result<RowTilts>;

    /// Tilts of any rows; `membership` is that of the same rows, where their own groups are needed.
    ///
    /// # Errors
    /// What the models say.
    fn of_features(
        &self,
        features: &Features,
        membership: Option<&Membership>,
        observed: Option<&[f64]>,
    ) -> Result<RowTilts>;

    /// Whether a row's own groups are needed to tell its tilt.
    fn needs_groups(&self) -> bool;
}

impl<P: Predictor> Expectations for ExpectedTilt<P> {
    fn of_problem(&self, problem: &Problem, observed: Option<&[f64]>) -> Result<RowTilts> {
        let cells = problem.cells();
        self.of_rows(problem.features(), observed, |row, group| cells.is_in(cells.cell_of_row().get(row), group))
    }

    fn of_features(
        &self,
        features: &Features,
        membership: Option<&Membership>,
        observed: Option<&[f64]>,
    ) -> Result<RowTilts> {
        let is_in = |row: usize, group: usize| {
            membership.is_some_and(|membership| membership.contains(membership.codes().get(row), group))
        };
        self.of_rows(features, observed, is_in)
    }

    fn needs_groups(&self) -> bool {
        self.uses_groups()
    }
}

impl<P> ExpectedTilt<P> {
    /// Whether a row's own groups are among what tells its tilt: those of groups that features tell.
    pub fn uses_groups(&self) -> bool {
        self.terms.iter().any(|term| matches!(term.member, Member::Observed(_)))
    }

    /// The same with models of another kind.
    pub fn map<Q>(&self, model: impl Fn(&P) -> Q) -> ExpectedTilt<Q> {
        let member = |one: &MembershipModel<P>| MembershipModel {
            group: one.group,
            labelled: one.labelled,
            predictor: model(&one.predictor),
            auc: one.auc,
        };
        ExpectedTilt {
            memberships: self.memberships.iter().map(member).collect(),
            labels: self.labels.as_ref().map(&model),
            terms: self.terms.clone(),
            classes: self.classes,
            multipliers: self.multipliers,
        }
    }

    /// Its models, those of membership and that of labels.
    pub(crate) fn models_mut(&mut self) -> impl Iterator<Item = &mut P> {
        self.memberships.iter_mut().map(|one| &mut one.predictor).chain(&mut self.labels)
    }

    /// Whether its parts fit together, and a problem of so many multipliers, classes and groups.
    pub(crate) fn is_valid(&self, multipliers: usize, classes: usize, groups: usize) -> bool {
        let labelled = |rows: Labelled| match rows {
            Labelled::Any => true,
            Labelled::As(class) | Labelled::NotAs(class) => class < classes,
        };
        let member = |member: Member| match member {
            Member::Everyone => true,
            Member::Observed(group) => group < groups,
            Member::Model(at) | Member::Others(at) => at < self.memberships.len(),
        };
        let term = |one: &Term| {
            let share = one.share.is_normal() && one.centre.is_finite();
            one.multiplier < multipliers && one.class < classes && labelled(one.labelled) && member(one.member) && share
        };
        let model =
            |one: &MembershipModel<P>| one.group < groups && labelled(one.labelled) && (0.0..=1.0).contains(&one.auc);
        self.classes == classes
            && self.multipliers == multipliers
            && self.terms.iter().all(term)
            && self.memberships.iter().all(model)
    }
}

impl<P: Predictor> MembershipModel<P> {
    fn fit<L: Learner<Predictor = P>>(
        problem: &Problem,
        learner: &L,
        group: usize,
        labelled: Labelled,
    ) -> Result<Self> {
        let cells = problem.cells();
        let inside: Vec<bool> = (0..cells.len()).map(|cell| cells.is_in(cell, group)).collect();
        let counts = (0..cells.len()).map(|cell| f64::from(u8::from(labelled.holds(cells.label(cell)))));
        let weights = Weights::of_cells(counts.collect(), cells.cell_of_row().clone(), cells.row_weights().cloned());
        let members = cells.cell_of_row().iter().map(|cell| u32::from(inside[cell])).collect();
        let labels = Codes::narrow(members, 2);
        let training = Training { features: problem.features(), labels: &labels, classes: 2, weights: &weights };
        let predictor = learner.fit_membership(training, &mut L::WarmStart::default())?;
        let probabilities = scores(&predictor, problem.features(), 2)?;
        let auc = auc(&probabilities, &labels, &weights.to_rows());
        Ok(Self { group, labelled, predictor, auc })
    }
}

/// The classes whose prediction counts for an event among some labels, and the labels for which each does.
fn counted(event: Event, labelled: Labelled, classes: usize) -> Vec<(usize, Labelled)> {
    match event {
        Event::Predicts(class) => vec![(class, labelled)],
        Event::Correct | Event::Wrong => {
            (0..classes).filter(|&label| labelled.holds(label)).map(|label| (label, Labelled::As(label))).collect()
        }
    }
}

/// Whether all rows that a constraint conditions on are in its group.
fn is_everyone(functional: &Functional, constraint: &Constraint) -> bool {
    functional.share() >= 1.0 && !matches!(constraint.reference, Reference::Rows { .. })
}

/// How a group that features do not tell is known: by the model of it, or of the group that all others are in.
fn find(wanted: &mut Vec<(usize, Labelled)>, group: usize, labelled: Labelled, cells: &Cells) -> Member {
    if let Some(at) = wanted.iter().position(|one| *one == (group, labelled)) {
        return Member::Model(at);
    }
    let counts = |cell: &usize| cells.weight(*cell) > 0.0 && labelled.holds(cells.label(*cell));
    let others = |&(other, among): &(usize, Labelled)| {
        let apart = |cell: usize| cells.is_in(cell, group) != cells.is_in(cell, other);
        among == labelled && (0..cells.len()).filter(counts).all(apart)
    };
    if let Some(at) = wanted.iter().position(others) {
        return Member::Others(at);
    }
    wanted.push((group, labelled));
    Member::Model(wanted.len() - 1)
}

/// The area under the receiver operating characteristic: how often a member's probability is above that of another, ties counted half.
fn auc(probabilities: &[f64], members: &Codes, weights: &[f64]) -> f64 {
    let mut order: Vec<usize> = (0..weights.len()).filter(|&row| weights[row] > 0.0).collect();
    let score = |row: usize| probabilities[2 * row + 1];
    order.sort_unstable_by(|&one, &other| score(one).total_cmp(&score(other)));
    let (mut below, mut members_all, mut pairs) = (0.0, 0.0, 0.0);
    for tied in order.chunk_by(|&one, &other| score(one).total_cmp(&score(other)).is_eq()) {
        let (mut inside, mut outside) = (0.0, 0.0);
        for &row in tied {
            if members.get(row) == 1 { inside += weights[row] } else { outside += weights[row] }
        }
        pairs += inside * (below + 0.5 * outside);
        below += outside;
        members_all += inside;
    }
    // Rounded sums of pairs can be a little more than the rounded product.
    if below > 0.0 && members_all > 0.0 { (pairs / (below * members_all)).min(1.0) } else { 0.5 }
}

impl RowTilts {
    /// What each multiplier adds to each row's exponents.
    pub(crate) fn table(&self, problem: &Problem, rule: WeightRule) -> TiltTable {
        let mut entries = vec![Vec::new(); self.multipliers];
        for (&(multiplier, class), column) in self.terms.iter().zip(&self.columns) {
            entries[multiplier].extend(column.iter().enumerate().map(|(row, &value)| (row, class, value)));
        }
        TiltTable::of_rows(entries, problem.constraints(), problem.functionals(), problem.cells(), rule)
    }

    /// Adds `Σ_k λ_k t_k` of each of some rows to its exponents, a number per class.
    pub(crate) fn add_exponents(&self, rows: Range<usize>, multipliers: &[f64], exponents: &mut [f64]) {
        for (&(multiplier, class), column) in self.terms.iter().zip(&self.columns) {
            let by = multipliers[multiplier];
            if by == 0.0 {
                continue;
            }
            let column = &column[rows.clone()];
            if let (pairs, []) = exponents.as_chunks_mut::<2>()
                && self.classes == 2
            {
                // With the width of a row known the loop has no bounds to check.
                pairs.iter_mut().zip(column).for_each(|(pair, value)| pair[class & 1] += by * value);
            } else {
                let own = exponents.iter_mut().skip(class).step_by(self.classes);
                own.zip(column).for_each(|(exponent, value)| *exponent += by * value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_area_counts_pairs() {
        let members = Codes::narrow(vec![0, 1, 0, 1], 2);
        let of = |scores: [f64; 4], weights: [f64; 4]| {
            let probabilities: Vec<f64> = scores.iter().flat_map(|score| [1.0 - score, *score]).collect();
            auc(&probabilities, &members, &weights)
        };
        assert!((of([0.1, 0.9, 0.2, 0.8], [1.0; 4]) - 1.0).abs() < 1e-12);
        assert!((of([0.5, 0.5, 0.5, 0.5], [1.0; 4]) - 0.5).abs() < 1e-12);
        assert!((of([0.1, 0.9, 0.2, 0.15], [1.0; 4]) - 0.75).abs() < 1e-12);
        assert!((of([0.1, 0.9, 0.2, 0.15], [1.0, 1.0, 3.0, 1.0]) - 0.625).abs() < 1e-12);
        assert!((of([0.1, 0.9, 0.2, 0.8], [1.0, 0.0, 1.0, 0.0]) - 0.5).abs() < 1e-12, "no member");
    }

    #[test]
    fn a_group_that_is_told_has_an_area_of_one_whatever_its_rows_weigh() {
        // Members stand above all others, so that the area is 1; sums of products are rounded otherwise than the product of sums.
        let (rows, mut state) = (60, 1_u64);
        for _ in 0..2_000 {
            let weights: Vec<f64> = (0..rows)
                .map(|_| {
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    (state >> 40) as f64 / 1e5
                })
                .collect();
            let members = Codes::narrow((0..rows).map(|row| u32::from(row >= rows / 2)).collect(), 2);
            let probabilities: Vec<f64> = (0..rows).flat_map(|row| [1.0 - f64::from(row), f64::from(row)]).collect();
            let area = auc(&probabilities, &members, &weights);
            assert!((1.0 - 1e-12..=1.0).contains(&area), "{area}");
        }
    }
}

//! Constraints evaluated: from sums per cell to violations.

use serde::{Deserialize, Serialize};

use super::form::{Constraint, Reference};
use crate::cells::Cells;
use crate::interval::Share;
use crate::kernel::CellSums;

/// What is compared between groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Measure {
    /// Decisions at the threshold ½, or for the most probable class: what the paper's experiments measure.
    #[default]
    Decisions,
    /// Probabilities: what the paper's theory is about, and what identifies the labelling bias.
    Scores,
}

/// What a cell adds to a rate: the cell, the class whose predictions count, the share of each row.
type Part = (usize, usize, f64);

/// A constraint bound to the cells of one set of rows.
#[derive(Debug, Clone)]
pub(crate) struct Functional {
    /// The group's rows.
    group: Vec<Part>,
    /// The rows it is compared with.
    overall: Vec<Part>,
    target: f64,
    /// Whether the target is a lower bound.
    least: bool,
    share: f64,
    /// The effective sample sizes of the group and of the others it is compared with.
    rows: [f64; 2],
}

impl Functional {
    /// Binds a constraint to cells; `None` when it conditions on rows there are none of.
    pub(crate) fn bind(constraint: &Constraint, cells: &Cells) -> Option<Self> {
        let among = |inside: &dyn Fn(usize) -> bool| -> Option<(f64, Vec<Part>)> {
            let holds = |cell: &usize| constraint.labelled.holds(cells.label(*cell)) && inside(*cell);
            let chosen: Vec<usize> = (0..cells.len()).filter(holds).collect();
            let weight: f64 = chosen.iter().map(|&cell| cells.weight(cell)).sum();
            let part = |&cell: &usize| (cell, constraint.event.class(cells.label(cell)), weight.recip());
            (weight > 0.0).then(|| (weight, chosen.iter().map(part).collect()))
        };
        let (everyone, overall) = among(&|_| true)?;
        let (weight, group) = match constraint.group {
            Some(group) => among(&|cell| cells.is_in(cell, group))?,
            None => (everyone, overall.clone()),
        };
        let is_other = |cell: &usize| constraint.group.is_some_and(|group| !cells.is_in(*cell, group));
        let cell = |&(cell, ..): &Part| cell;
        let others = overall.iter().map(cell).filter(is_other);
        let rows = [cells.effective_rows(group.iter().map(cell)), cells.effective_rows(others)];
        let (overall, target) = match constraint.reference {
            Reference::Overall => (overall, 0.0),
            Reference::Rate(rate) | Reference::AtLeast(rate) => (Vec::new(), rate),
        };
        let least = matches!(constraint.reference, Reference::AtLeast(_));
        Some(Self { group, overall, target, least, share: weight / everyone, rows })
    }

    /// Overall rate (or asked rate) minus group rate: positive where the group gets less.
    pub(crate) fn violation(&self, sums: &CellSums, measure: Measure) -> f64 {
        let violation = self.reference(sums, measure) - self.group_rate(sums, measure);
        if self.least { violation.max(0.0) } else { violation }
    }

    /// The derivative of the violation in a direction of the sums per cell, itself given as such sums.
    pub(crate) fn slope(&self, change: &CellSums, measure: Measure) -> f64 {
        rate(&self.overall, change, measure) - rate(&self.group, change, measure)
    }

    /// The rate that was asked for as a number; zero where it is compared with everyone's.
    pub(crate) fn target(&self) -> f64 {
        self.target
    }

    /// The group's rate.
    pub(crate) fn group_rate(&self, sums: &CellSums, measure: Measure) -> f64 {
        rate(&self.group, sums, measure)
    }

    /// The rate that the group's should equal: that of everyone, or the one asked for.
    pub(crate) fn reference(&self, sums: &CellSums, measure: Measure) -> f64 {
        self.target + rate(&self.overall, sums, measure)
    }

    /// The group's rate, and how many rows it is known from.
    pub(crate) fn group_share(&self, sums: &CellSums, measure: Measure) -> Share {
        Share::new(self.group_rate(sums, measure), self.rows[0])
    }

    /// The rate of all who are not in the group; `None` where there are none, or where a number was
    /// asked for.
    pub(crate) fn others_share(&self, sums: &CellSums, measure: Measure) -> Option<Share> {
        if self.overall.is_empty() || self.is_own_reference() {
            return None;
        }
        let (overall, group) = (self.reference(sums, measure), self.group_rate(sums, measure));
        // The overall rate includes the group, whose part is subtracted by its share.
        Some(Share::new((overall - self.share * group) / (1.0 - self.share), self.rows[1]))
    }

    /// Whether everyone it is about is in the group, which is then compared with itself.
    pub(crate) fn is_own_reference(&self) -> bool {
        !self.overall.is_empty() && (self.share >= 1.0 || self.rows[1] <= 0.0)
    }

    /// The standard error of the violation, were the rows drawn again: that of the difference
    /// between the group and the others, times the share of the others; or of the group's rate alone.
    pub(crate) fn sampling_error(&self, sums: &CellSums) -> f64 {
        let variance = |share: Share| share.value * (1.0 - share.value) / share.rows.max(1.0);
        let group = variance(self.group_share(sums, Measure::Decisions));
        match self.others_share(sums, Measure::Decisions) {
            Some(others) => (1.0 - self.share) * (group + variance(others)).sqrt(),
            None if self.overall.is_empty() => group.sqrt(),
            None => 0.0,
        }
    }

    /// Whether the group of another constraint is the complement of this one's, among the rows that both condition on.
    pub(crate) fn is_complement(&self, other: &Self) -> bool {
        let inside = |cell: usize| self.group.iter().any(|part| part.0 == cell);
        self.group.len() + other.group.len() == self.overall.len() && !other.group.iter().any(|part| inside(part.0))
    }

    /// The share of the rows outside the group, or 1 where the group is compared with a number.
    pub(crate) fn others(&self) -> f64 {
        if self.overall.is_empty() || self.share >= 1.0 { 1.0 } else { 1.0 - self.share }
    }

    /// The effective sample size of the group or of the others, whichever is smaller.
    pub(crate) fn fewest_rows(&self) -> f64 {
        let [group, others] = self.rows;
        if self.overall.is_empty() || others < 1.0 { group } else { group.min(others) }
    }

    /// The share of the group among the rows the constraint conditions on, Z in the paper.
    pub(crate) fn share(&self) -> f64 {
        self.share
    }
}

fn rate(parts: &[Part], sums: &CellSums, measure: Measure) -> f64 {
    parts.iter().map(|&(cell, class, share)| share * of(sums, measure, cell)[class]).sum()
}

fn of(sums: &CellSums, measure: Measure, cell: usize) -> &[f64] {
    match measure {
        Measure::Decisions => sums.decisions(cell),
        Measure::Scores => sums.scores(cell),
    }
}

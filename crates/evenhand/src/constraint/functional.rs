//! Constraints evaluated: from sums per cell to violations.

use serde::{Deserialize, Serialize};

use super::form::{Constraint, Reference};
use crate::cells::Cells;
use crate::kernel::Tally;

/// What is compared between groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Measure {
    /// Decisions at the threshold ½, or for the most probable class: what the paper's experiments measure.
    #[default]
    Decisions,
    /// Probabilities: what the paper's theory speaks of, and what identifies the labelling bias.
    Scores,
}

/// What a cell adds to a rate: the cell, the class whose predictions count, the share of each row.
type Part = (usize, usize, f64);

/// A constraint bound to the cells of one set of rows.
#[derive(Debug, Clone)]
pub struct Functional {
    /// The group's rows.
    group: Vec<Part>,
    /// The rows it is compared with.
    overall: Vec<Part>,
    target: f64,
    /// Whether more than the target is no violation.
    least: bool,
    share: f64,
}

impl Functional {
    /// Binds a constraint to cells; `None` when it speaks of rows there are none of.
    pub fn bind(constraint: &Constraint, cells: &Cells) -> Option<Self> {
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
        let (overall, target) = match constraint.reference {
            Reference::Overall => (overall, 0.0),
            Reference::Rate(rate) | Reference::AtLeast(rate) => (Vec::new(), rate),
        };
        let least = matches!(constraint.reference, Reference::AtLeast(_));
        Some(Self { group, overall, target, least, share: weight / everyone })
    }

    /// Overall rate (or asked rate) minus group rate: positive where the group gets less.
    pub fn violation(&self, tally: &Tally, measure: Measure) -> f64 {
        let rate = |parts: &[Part]| -> f64 {
            parts.iter().map(|&(cell, class, share)| share * of(tally, measure, cell)[class]).sum()
        };
        let violation = self.target + rate(&self.overall) - rate(&self.group);
        if self.least { violation.max(0.0) } else { violation }
    }

    /// The share of the group among the rows the constraint speaks of, Z in the paper.
    pub fn share(&self) -> f64 {
        self.share
    }
}

fn of(tally: &Tally, measure: Measure, cell: usize) -> &[f64] {
    match measure {
        Measure::Decisions => tally.decisions(cell),
        Measure::Scores => tally.scores(cell),
    }
}

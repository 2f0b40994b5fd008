//! Constraints evaluated: from sums per cell to violations.
//!
//! Constraints that differ in their group alone are compared with one overall rate. It is a sum over all cells, so it is
//! bound once for all of them ([`bind`]) and summed once ([`overall_rates`]).

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::form::{Constraint, Event, Labelled};
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

/// What a cell adds to a rate.
#[derive(Debug, Clone, Copy)]
struct Part {
    cell: usize,
    /// The class whose predictions count.
    class: usize,
    /// How much a row counts: 1, or what the rate is weighted by.
    value: f64,
    /// The same as a share of all rows.
    share: f64,
}

/// A constraint bound to the cells of one set of rows.
#[derive(Debug, Clone)]
pub(crate) struct Functional {
    /// The group's rows.
    group: Vec<Part>,
    /// The rows it is compared with; the same for other groups.
    overall: Arc<[Part]>,
    /// Whether what counts is that rows are *not* predicted so.
    complement: bool,
    target: f64,
    /// How far below its reference the group's rate is to be: zero, unless groups are taken to differ truly.
    difference: f64,
    /// The signs of the violations that count.
    sides: &'static [f64],
    share: f64,
    /// The share of the rows that the group is a share of, among all.
    base_share: f64,
    /// Whether the group is among the rows it is compared with.
    nested: bool,
    /// The weight of the rows it is compared with that are not in the group, and their share: summed, since what is left of
    /// a difference may be rounding errors alone. All of them, where the group is not among them.
    others: [f64; 2],
    /// The effective sample sizes of the group, of the others it is compared with, and of all that it is a share of.
    rows: [f64; 3],
    /// The mean, over the rows that it is compared with, of what it is weighted by; 1 without.
    mean_value: f64,
}

/// Binds constraints to cells; `None` for one that conditions on rows there are none of.
pub(crate) fn bind(constraints: &[Constraint], cells: &Cells) -> Vec<Option<Functional>> {
    let mut known: Vec<(Counted, Option<Base>)> = Vec::new();
    let mut bind = |constraint: &Constraint| {
        let (rows, counted) = (constraint.base(), (constraint.event, constraint.weighted_by));
        let place = known.iter().position(|(of, _)| *of == (rows, counted));
        let place = place.unwrap_or_else(|| {
            known.push(((rows, counted), Base::new(rows, counted, cells)));
            known.len() - 1
        });
        Functional::new(constraint, known[place].1.as_ref()?, cells)
    };
    constraints.iter().map(&mut bind).collect()
}

/// The predictions that constraints count, as a share of the rows they are compared with: the rate of these, or where constraints count what is not
/// predicted 1 minus that, see [`Functional::reference_from`]. Zero for one that is compared with a number, or with no rows.
pub(crate) fn overall_rates(functionals: &[Option<Functional>], sums: &CellSums, measure: Measure) -> Vec<f64> {
    let mut known: Vec<(&Arc<[Part]>, f64)> = Vec::new();
    let mut of = |overall| {
        if let Some(&(_, rate)) = known.iter().find(|(one, _)| Arc::ptr_eq(one, overall)) {
            return rate;
        }
        let rate = rate(overall, sums, measure);
        known.push((overall, rate));
        rate
    };
    functionals.iter().map(|one| one.as_ref().map_or(0.0, |one| of(&one.overall))).collect()
}

/// Rows by group, or all of them, and by label.
type Rows = (Option<usize>, Labelled);

/// What is counted, and by which column rows count for more.
type Counts = (Event, Option<usize>);

/// A rate: of which rows, and what of them.
type Counted = (Rows, Counts);

/// Whether a cell's rows are among some.
fn holds((group, labelled): Rows, cells: &Cells, cell: usize) -> bool {
    labelled.holds(cells.label(cell)) && group.is_none_or(|group| cells.is_in(cell, group))
}

/// The rows that a group is compared with, or a share of.
struct Base {
    rows: Rows,
    weight: f64,
    effective_rows: f64,
    /// The mean of what rows count.
    mean_value: f64,
    parts: Arc<[Part]>,
}

impl Base {
    fn new(rows: Rows, counted: Counts, cells: &Cells) -> Option<Self> {
        let (weight, parts) = among((0..cells.len()).filter(|&cell| holds(rows, cells, cell)), counted, cells)?;
        let of_rows: f64 = parts.iter().map(|part| cells.weight(part.cell)).sum();
        let effective_rows = cells.effective_rows_by(counted.1, parts.iter().map(|part| part.cell));
        Some(Self { rows, weight, effective_rows, mean_value: weight / of_rows, parts: parts.into() })
    }
}

/// The weight of some cells, and what each adds to the rate of an event among them; `None` where they weigh nothing.
fn among(chosen: impl Iterator<Item = usize>, (event, weighted_by): Counts, cells: &Cells) -> Option<(f64, Vec<Part>)> {
    let chosen: Vec<(usize, f64)> = chosen.map(|cell| (cell, cells.value(cell, weighted_by))).collect();
    let weight: f64 = chosen.iter().map(|&(cell, value)| value * cells.weight(cell)).sum();
    let part = |&(cell, value): &(usize, f64)| Part {
        cell,
        class: event.class(cells.label(cell)),
        value,
        share: value * weight.recip(),
    };
    (weight > 0.0).then(|| (weight, chosen.iter().map(part).collect()))
}

impl Functional {
    fn new(constraint: &Constraint, base: &Base, cells: &Cells) -> Option<Self> {
        let is_in = |cell: usize| holds((constraint.group, constraint.labelled), cells, cell);
        let by = constraint.weighted_by;
        let (weight, group) = among((0..cells.len()).filter(|&cell| is_in(cell)), (constraint.event, by), cells)?;
        let of_group = || group.iter().map(|part| part.cell);
        let nested = of_group().all(|cell| cells.weight(cell) <= 0.0 || holds(base.rows, cells, cell));
        let others = || base.parts.iter().map(|part| part.cell).filter(|&cell| !(nested && is_in(cell)));
        let others_weight: f64 = others().map(|cell| cells.value(cell, by) * cells.weight(cell)).sum();
        let rows =
            [cells.effective_rows_by(by, of_group()), cells.effective_rows_by(by, others()), base.effective_rows];
        let overall = if constraint.reference.number().is_none() { base.parts.clone() } else { Arc::default() };
        Some(Self {
            overall,
            complement: constraint.event.sign() < 0.0,
            target: constraint.reference.number().unwrap_or(0.0),
            difference: 0.0,
            sides: constraint.reference.sides(),
            share: weight / base.weight,
            base_share: base.weight / cells.total_weight(),
            mean_value: base.mean_value,
            nested,
            others: [others_weight, others_weight / base.weight],
            rows,
            group,
        })
    }

    /// The same where the group's rate is to be this far below its reference.
    pub(crate) fn differing_by(self, difference: f64) -> Self {
        Self { difference, ..self }
    }

    /// How far below its reference the group's rate is to be.
    pub(crate) fn difference(&self) -> f64 {
        self.difference
    }

    /// Overall rate (or asked rate) minus group rate, and minus the difference that is to be: positive where the group gets less.
    pub(crate) fn violation(&self, sums: &CellSums, measure: Measure) -> f64 {
        self.violation_from(rate(&self.overall, sums, measure), sums, measure)
    }

    /// The same where the overall rate is known, see [`overall_rates`].
    pub(crate) fn violation_from(&self, overall: f64, sums: &CellSums, measure: Measure) -> f64 {
        let violation = self.level(overall, sums, measure);
        match self.sides {
            [side] if side * violation < 0.0 => 0.0,
            _ => violation,
        }
    }

    /// The same without a cut at zero.
    pub(crate) fn level(&self, overall: f64, sums: &CellSums, measure: Measure) -> f64 {
        self.reference_from(overall) - self.difference - self.group_rate(sums, measure)
    }

    /// The derivative of the violation in a direction of the sums per cell, itself given as such sums, as is that of the
    /// overall rate.
    pub(crate) fn slope(&self, overall: f64, change: &CellSums, measure: Measure) -> f64 {
        if self.complement {
            self.group_change(change, measure) - overall
        } else {
            overall - self.group_change(change, measure)
        }
    }

    /// The derivative of the group's rate in such a direction.
    pub(crate) fn rate_slope(&self, change: &CellSums, measure: Measure) -> f64 {
        let change = self.group_change(change, measure);
        if self.complement { -change } else { change }
    }

    fn group_change(&self, change: &CellSums, measure: Measure) -> f64 {
        rate(&self.group, change, measure)
    }

    /// The rate of what counts, by that of the predictions that are summed.
    fn counted(&self, rate: f64) -> f64 {
        if self.complement { 1.0 - rate } else { rate }
    }

    /// Between two classes: by how much the violation changes where a row of each cell is decided positive in place of
    /// negative.
    pub(crate) fn adds(&self, cells: usize) -> Vec<f64> {
        let mut adds = vec![0.0; cells];
        let counts = if self.complement { -1.0 } else { 1.0 };
        for (parts, sign) in [(&self.overall[..], counts), (&self.group[..], -counts)] {
            for &Part { cell, class, share, .. } in parts {
                adds[cell] += if class == 1 { sign * share } else { -sign * share };
            }
        }
        adds
    }

    /// The rate that was asked for as a number; zero where it is compared with everyone's.
    pub(crate) fn target(&self) -> f64 {
        self.target
    }

    /// The group's rate.
    pub(crate) fn group_rate(&self, sums: &CellSums, measure: Measure) -> f64 {
        self.counted(rate(&self.group, sums, measure))
    }

    /// The rate that the group's should equal: that of those it is compared with, or the one asked for.
    pub(crate) fn reference(&self, sums: &CellSums, measure: Measure) -> f64 {
        self.reference_from(rate(&self.overall, sums, measure))
    }

    /// The same where what [`overall_rates`] tells is known.
    pub(crate) fn reference_from(&self, overall: f64) -> f64 {
        if self.overall.is_empty() { self.target } else { self.target + self.counted(overall) }
    }

    /// The group's rate, and how many rows it is known from.
    pub(crate) fn group_share(&self, sums: &CellSums, measure: Measure) -> Share {
        Share::new(self.group_rate(sums, measure), self.rows[0])
    }

    /// The rate of those it is compared with who are not in the group, or of all of them where the group is not among them; `None` where there are
    /// none, or where a number was asked for.
    pub(crate) fn others_share(&self, sums: &CellSums, measure: Measure) -> Option<Share> {
        if self.overall.is_empty() || self.is_own_reference() {
            return None;
        }
        // Both lists are in the order of cells.
        let mut group = self.group.iter().map(|part| part.cell).peekable();
        let is_other = |part: &&Part| !self.nested || group.next_if_eq(&part.cell).is_none();
        let counted = |part: &Part| part.value * of(sums, measure, part.cell)[part.class];
        let counted: f64 = self.overall.iter().filter(is_other).map(counted).sum();
        Some(Share::new(self.counted(counted / self.others[0]), self.rows[1]))
    }

    /// The share of the rows outside the group, and how many rows it is known from; `None` where the group is not among the rows it is
    /// compared with, and no share enters.
    pub(crate) fn outside_share(&self) -> Option<Share> {
        self.nested.then(|| Share::new(self.others[1], self.rows[2]))
    }

    /// Whether everyone it is about is in the group, which is then compared with itself.
    pub(crate) fn is_own_reference(&self) -> bool {
        !self.overall.is_empty() && self.others[0] <= 0.0
    }

    /// The standard error of the violation, were the rows drawn again: that of the difference
    /// between the group and the others, times the share of the others; or of the group's rate alone.
    pub(crate) fn sampling_error(&self, sums: &CellSums) -> f64 {
        let variance = |share: Share| share.value * (1.0 - share.value) / share.rows.max(1.0);
        let group = variance(self.group_share(sums, Measure::Decisions));
        match self.others_share(sums, Measure::Decisions) {
            Some(others) => self.others[1] * (group + variance(others)).sqrt(),
            None if self.overall.is_empty() => group.sqrt(),
            None => 0.0,
        }
    }

    /// Whether the group of another constraint is the complement of this one's, among the rows that both condition on.
    pub(crate) fn is_complement(&self, other: &Self) -> bool {
        // Both lists are in the order of cells.
        let mut own = self.group.iter().map(|part| part.cell).peekable();
        let mut inside = |cell: usize| {
            while own.next_if(|&one| one < cell).is_some() {}
            own.peek() == Some(&cell)
        };
        self.nested
            && other.nested
            && self.group.len() + other.group.len() == self.overall.len()
            && !other.group.iter().any(|part| inside(part.cell))
    }

    /// The share of the rows outside the group, or 1 where the group is compared with a number, or with rows that it is not among.
    pub(crate) fn others(&self) -> f64 {
        if self.overall.is_empty() || !self.nested || self.share >= 1.0 { 1.0 } else { 1.0 - self.share }
    }

    /// The effective sample size of the group or of the others, whichever is smaller.
    pub(crate) fn fewest_rows(&self) -> f64 {
        let [group, others, _] = self.rows;
        if self.overall.is_empty() || others < 1.0 { group } else { group.min(others) }
    }

    /// The share of the group among the rows the constraint conditions on, Z in the paper; as a multiple of the rows it is compared with, where these are
    /// others.
    pub(crate) fn share(&self) -> f64 {
        self.share
    }

    /// The mean, over the rows that it is compared with, of what the rate is weighted by; 1 without.
    pub(crate) fn mean_value(&self) -> f64 {
        self.mean_value
    }

    /// The share that the rows which it is a share of are of all.
    pub(crate) fn base_share(&self) -> f64 {
        self.base_share
    }
}

fn rate(parts: &[Part], sums: &CellSums, measure: Measure) -> f64 {
    parts.iter().map(|part| part.share * of(sums, measure, part.cell)[part.class]).sum()
}

fn of(sums: &CellSums, measure: Measure, cell: usize) -> &[f64] {
    match measure {
        Measure::Decisions => sums.decisions(cell),
        Measure::Scores => sums.scores(cell),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constraint::constraints;
    use crate::data::Codes;
    use crate::group::Membership;
    use crate::notion::Notion;

    const ROWS: usize = 120;

    /// Three groups that overlap, two labels, weights that differ, and what the constraints of equalized odds make of them.
    fn bound() -> (Cells, Vec<Option<Functional>>) {
        let mask = |every: usize| (0..ROWS).map(|row| row % every == 0).collect::<Vec<bool>>();
        let names = ["a", "b", "c"].map(str::to_owned).to_vec();
        let membership = Membership::from_masks(names.clone(), &[2, 3, 5].map(mask)).unwrap();
        let labels = Codes::narrow((0..ROWS).map(|row| (row * row % 7 % 2) as u32).collect(), 2);
        let weights: Vec<f64> = (0..ROWS).map(|row| 0.5 + (row % 4) as f64).collect();
        let cells = Cells::new(&membership, &labels, 2, Some(weights.into())).unwrap();
        let classes = ["no", "yes"].map(str::to_owned);
        let constraints = constraints(&[Notion::EqualizedOdds], &names, &classes, Some(1), &[], &names).unwrap();
        let functionals = bind(&constraints, &cells);
        (cells, functionals)
    }

    fn decided(cells: &Cells) -> CellSums {
        CellSums::of_rows(&Codes::narrow((0..ROWS).map(|row| (row % 11 % 2) as u32).collect(), 2), cells.cell_rows())
    }

    #[test]
    fn what_constraints_of_one_rate_are_compared_with_is_bound_and_summed_once() {
        let (cells, functionals) = bound();
        let all: Vec<&Functional> = functionals.iter().flatten().collect();
        assert_eq!(all.len(), 6);
        let mut distinct: Vec<*const Part> = all.iter().map(|one| one.overall.as_ptr()).collect();
        distinct.sort_unstable();
        distinct.dedup();
        assert_eq!(distinct.len(), 2, "a true and a false positive rate");
        let sums = decided(&cells);
        let overall = overall_rates(&functionals, &sums, Measure::Decisions);
        for (one, overall) in all.iter().zip(overall) {
            assert_eq!(one.reference(&sums, Measure::Decisions).to_bits(), overall.to_bits());
        }
    }

    #[test]
    fn everyone_is_the_group_and_the_others() {
        let (cells, functionals) = bound();
        let sums = decided(&cells);
        for one in functionals.iter().flatten() {
            let (group, others) =
                (one.group_share(&sums, Measure::Decisions), one.others_share(&sums, Measure::Decisions));
            let outside = one.outside_share().unwrap().value;
            let both = one.share() * group.value + outside * others.unwrap().value;
            assert!((both - one.reference(&sums, Measure::Decisions)).abs() < 1e-14);
            assert!((one.share() + outside - 1.0).abs() < 1e-14);
        }
    }

    #[test]
    fn what_a_row_of_a_cell_adds_is_the_slope_along_it() {
        let (cells, functionals) = bound();
        for one in functionals.iter().flatten() {
            for (cell, adds) in one.adds(cells.len()).into_iter().enumerate() {
                let moved = (0..cells.len()).flat_map(|other| if other == cell { [-1.0, 1.0] } else { [0.0, 0.0] });
                let moved = CellSums::of_decisions(2, moved);
                let slope = one.violation(&moved, Measure::Decisions);
                assert!((slope - adds).abs() < 1e-15, "{cell}: {slope} {adds}");
            }
        }
    }
}

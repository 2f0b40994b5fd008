//! Contrasts: the numbers of which a bound limits the worst, each with its confidence interval.
//!
//! A bound on violations has two contrasts per constraint, one for each direction; a bound on differences or ratios has
//! one for each ordered pair of groups.

use super::{Bound, ConstrainedRows};
use crate::cells::Cells;
use crate::constraint::{Constraint, Functional, Measure, overall_rates};
use crate::interval::{Share, difference, ratio, scaled};
use crate::kernel::CellSums;

/// All contrasts of a bound on some rows.
pub(crate) struct Contrasts<'a> {
    rows: ConstrainedRows<'a>,
    sums: &'a CellSums,
    measure: Measure,
    pub(super) bound: Bound,
    /// What each constraint's rate should equal.
    references: Vec<f64>,
    /// The contrasts that these rows can measure.
    pub(super) all: Vec<Contrast>,
    /// The constraints that they cannot measure, for want of rows.
    pub(super) unmeasured: Vec<String>,
    /// The constraints that would compare a group with itself, since everyone they are about is in it.
    pub(super) own_reference: Vec<String>,
}

/// One number that must stay within the bound, by the indices of constraints.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Contrast {
    /// The overall (or asked) rate minus the group's.
    Less(usize),
    /// The group's rate minus the overall (or asked) one.
    More(usize),
    /// The rate of one group minus that of another.
    Difference(usize, usize),
    /// The rate of one group over that of another.
    Ratio(usize, usize),
}

/// Random deviations of violations and group rates, per constraint.
pub(super) struct Deviations {
    pub(super) violations: Vec<f64>,
    pub(super) rates: Vec<f64>,
}

impl<'a> Contrasts<'a> {
    /// The contrasts of a bound on those constraints that it `limits`.
    pub(crate) fn new(
        rows: ConstrainedRows<'a>,
        sums: &'a CellSums,
        measure: Measure,
        bound: Bound,
        limits: impl Fn(&Constraint) -> bool,
    ) -> Self {
        let constraints = rows.constraints;
        let mut all = Vec::new();
        let mut limited = vec![false; constraints.len()];
        for (one, first) in constraints.iter().enumerate().filter(|(_, constraint)| limits(constraint)) {
            if let Bound::MaxViolation(_) = bound {
                limited[one] = true;
                let side = |side: &f64| if *side > 0.0 { Contrast::Less(one) } else { Contrast::More(one) };
                all.extend(first.reference.sides().iter().map(side));
                continue;
            }
            for (other, second) in constraints.iter().enumerate() {
                if one != other && first.is_comparable_with(second) {
                    limited[one] = true;
                    let is_ratio = matches!(bound, Bound::MinRatio(_));
                    all.push(if is_ratio { Contrast::Ratio(one, other) } else { Contrast::Difference(one, other) });
                }
            }
        }
        let measured = |at: usize| rows.functionals[at].is_some();
        // Between two groups, one that is everyone can still be compared with the other.
        let compares_itself = |at: usize| {
            matches!(bound, Bound::MaxViolation(_))
                && rows.functionals[at].as_ref().is_some_and(Functional::is_own_reference)
        };
        all.retain(|contrast| contrast.places().into_iter().all(|at| measured(at) && !compares_itself(at)));
        let named = |which: &dyn Fn(usize) -> bool| {
            (0..constraints.len())
                .filter(|&at| limited[at] && which(at))
                .map(|at| constraints[at].name.clone())
                .collect()
        };
        let (unmeasured, own_reference) = (named(&|at| !measured(at)), named(&compares_itself));
        let overall = overall_rates(rows.functionals, sums, measure);
        let reference = |(functional, &overall): (&Option<Functional>, &f64)| {
            functional.as_ref().map_or(0.0, |functional| functional.reference_from(overall))
        };
        let references = rows.functionals.iter().zip(&overall).map(reference).collect();
        Self { rows, sums, measure, bound, references, all, unmeasured, own_reference }
    }

    pub(super) fn cells(&self) -> &'a Cells {
        self.rows.cells
    }

    /// The worst of some numbers, and at best the value at parity.
    pub(super) fn worst(&self, numbers: impl Iterator<Item = f64>) -> f64 {
        match self.bound {
            Bound::MinRatio(_) => numbers.fold(1.0, f64::min),
            _ => numbers.fold(0.0, f64::max),
        }
    }

    pub(super) fn name(&self, contrast: Contrast) -> String {
        let names = contrast.places().map(|at| self.rows.constraints[at].name.as_str());
        if names[0] == names[1] { names[0].to_owned() } else { format!("{} against {}", names[0], names[1]) }
    }

    pub(crate) fn value(&self, contrast: Contrast) -> f64 {
        let rate = |at: usize| self.functional(at).group_rate(self.sums, self.measure);
        match contrast {
            Contrast::Less(at) => self.functional(at).violation(self.sums, self.measure),
            Contrast::More(at) => -self.functional(at).violation(self.sums, self.measure),
            Contrast::Difference(one, other) => rate(one) - rate(other),
            Contrast::Ratio(one, other) => over(rate(one), rate(other)),
        }
    }

    /// The interval of one contrast by itself, `z` standard errors to either end.
    pub(crate) fn interval(&self, contrast: Contrast, z: f64) -> (f64, f64) {
        self.interval_by(contrast, z, |share| share)
    }

    /// The same, of shares corrected for continuity.
    pub(super) fn corrected_interval(&self, contrast: Contrast, z: f64) -> (f64, f64) {
        self.interval_by(contrast, z, Share::corrected)
    }

    fn interval_by(&self, contrast: Contrast, z: f64, taken: fn(Share) -> Share) -> (f64, f64) {
        let share = |at: usize| taken(self.functional(at).group_share(self.sums, self.measure));
        match contrast {
            Contrast::Less(at) => self.violation(at, z, taken),
            Contrast::More(at) => {
                let (low, high) = self.violation(at, z, taken);
                (-high, -low)
            }
            Contrast::Difference(one, other) => difference(share(one), share(other), z),
            Contrast::Ratio(one, other) => ratio(share(one), share(other), z),
        }
    }

    /// The overall rate includes the group, so overall − group is the share of the others times (others − group): two numbers of which each varies
    /// from sample to sample, independently of the other. Rows that a group is compared with and not among are taken as different ones.
    fn violation(&self, at: usize, z: f64, taken: fn(Share) -> Share) -> (f64, f64) {
        let functional = self.functional(at);
        let group = taken(functional.group_share(self.sums, self.measure));
        if let Some(others) = functional.others_share(self.sums, self.measure) {
            let apart = (others.value - group.value, difference(taken(others), group, z));
            return functional.outside_share().map_or(apart.1, |outside| scaled(outside, apart, z));
        }
        match self.rows.constraints[at].reference.number() {
            // The group is everyone that it is compared with.
            None => (0.0, 0.0),
            Some(rate) => {
                let (low, high) = group.interval(z);
                (rate - high, rate - low)
            }
        }
    }

    /// Deviations of violations and rates from random deviations of cells: those have variance 1 per row, and are scaled
    /// to the variance p(1 − p) of the rate p that a classifier at parity has in every group.
    pub(super) fn deviations(&self, deviations: &CellSums) -> Deviations {
        let count = self.rows.constraints.len();
        let overall = overall_rates(self.rows.functionals, deviations, Measure::Decisions);
        let of = |deviation: &dyn Fn(&Functional, usize) -> f64| {
            let scaled = |at: usize, functional: &Functional| {
                let rate = self.references[at].clamp(0.0, 1.0);
                (rate * (1.0 - rate)).sqrt() * deviation(functional, at)
            };
            (0..count).map(|at| self.rows.functionals[at].as_ref().map_or(0.0, |one| scaled(at, one))).collect()
        };
        Deviations {
            violations: of(&|functional, at| functional.slope(overall[at], deviations, Measure::Decisions)),
            rates: of(&|functional, _| functional.rate_slope(deviations, Measure::Decisions)),
        }
    }

    /// The value of a contrast for a classifier at parity with these deviations.
    pub(super) fn under_parity(&self, contrast: Contrast, deviations: &Deviations) -> f64 {
        let rate = |at: usize| (self.references[at] + deviations.rates[at]).clamp(0.0, 1.0);
        match contrast {
            Contrast::Less(at) => deviations.violations[at],
            Contrast::More(at) => -deviations.violations[at],
            Contrast::Difference(one, other) => deviations.rates[one] - deviations.rates[other],
            Contrast::Ratio(one, other) => over(rate(one), rate(other)),
        }
    }

    fn functional(&self, at: usize) -> &Functional {
        self.rows.functionals[at].as_ref().expect("all without rows were left out")
    }
}

impl Contrast {
    fn places(self) -> [usize; 2] {
        match self {
            Self::Less(at) | Self::More(at) => [at, at],
            Self::Difference(one, other) | Self::Ratio(one, other) => [one, other],
        }
    }
}

/// The ratio of two rates, 1 where both are zero.
fn over(one: f64, other: f64) -> f64 {
    if one <= 0.0 && other <= 0.0 { 1.0 } else { one / other }
}

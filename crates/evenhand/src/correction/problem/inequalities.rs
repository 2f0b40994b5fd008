//! What a correction is asked for, as linear inequalities between rates.
//!
//! Bounds of every kind, and evenness itself, become inequalities `Σ coefficient · rate ≤ upper`. They are linear in the
//! sums per cell, so they take the derivative of those sums as readily as the sums themselves.

use super::Problem;
use crate::Warning;
use crate::bound::{Bound, NotionBound};
use crate::constraint::{Constraint, Functional, Measure, overall_rates};
use crate::correction::settings::SqpSettings;
use crate::kernel::CellSums;

/// All inequalities of a problem.
#[derive(Debug)]
pub(in crate::correction) struct Inequalities {
    functionals: Vec<Option<Functional>>,
    measure: Measure,
    bounded: bool,
    all: Vec<Inequality>,
    /// No violation is larger than the largest was without correction: the largest violation that constraints may have, and how much more
    /// it weighs than what was asked.
    ceiling: Option<(f64, f64)>,
    /// Constraints that are searched for.
    searched: Vec<usize>,
    /// Constraints on too few rows to search for, and which share of all rows these are.
    small: Vec<(usize, f64)>,
    /// Constraints that are held to less than a bound, since their rows tell no more.
    loose: Vec<usize>,
}

/// `Σ coefficient · term ≤ upper`.
#[derive(Debug)]
struct Inequality {
    terms: Vec<(Term, f64)>,
    upper: f64,
    /// How far below `upper` a search aims, so that a bound also holds on new rows.
    back_off: f64,
    /// How far above `upper` is as good as on it.
    tolerance: f64,
    /// The standard error of the left side, or a few tolerances where that is larger.
    noise: f64,
    /// Whether it is finer than the rows can tell: worth what evenness is worth without a bound, and not required.
    preferred: bool,
}

#[derive(Debug, Clone, Copy)]
enum Term {
    /// The violation of a constraint.
    Violation(usize),
    /// The rate of a constraint's group.
    Rate(usize),
}

/// How finely a search goes.
#[derive(Clone, Copy)]
struct Precision<'a> {
    settings: &'a SqpSettings,
    sums: &'a CellSums,
    measure: Measure,
}

/// So many times what is not worth another fit is little enough, where no step makes it less.
const CLOSE: f64 = 3.0;

/// Scores change smoothly with the multipliers, so that their violations can be made as small as this.
const EVEN_SCORES: f64 = 1e-8;

impl Inequalities {
    /// The inequalities as they were asked for, for every group.
    pub(in crate::correction) fn exact(problem: &Problem, bounds: &[NotionBound], measure: Measure) -> Self {
        Self::build(problem, bounds, measure, None)
    }

    /// The inequalities that a search aims at: with a back-off from bounds, none finer than the rows can tell, and none for
    /// groups of fewer than `min_group` rows. Standard errors are those at the rates of `sums`.
    pub(in crate::correction) fn searched(
        problem: &Problem,
        bounds: &[NotionBound],
        measure: Measure,
        settings: &SqpSettings,
        sums: &CellSums,
    ) -> Self {
        let mut new = Self::build(problem, bounds, measure, Some(Precision { settings, sums, measure }));
        let weight = if new.bounded { 1.0 } else { settings.penalty / settings.evenness_penalty };
        new.ceiling = Some((new.violation(sums) - settings.even, weight));
        new
    }

    fn build(problem: &Problem, bounds: &[NotionBound], measure: Measure, precision: Option<Precision<'_>>) -> Self {
        let functionals = problem.functionals().to_vec();
        let mut new = Self {
            functionals,
            measure,
            bounded: !bounds.is_empty(),
            all: Vec::new(),
            ceiling: None,
            searched: Vec::new(),
            small: Vec::new(),
            loose: Vec::new(),
        };
        let limits = |constraint: &Constraint| {
            let notion = constraint.notion.clone();
            bounds.iter().filter(move |one| one.limits(&notion, bounds)).map(|one| one.bound)
        };
        let violation = |bound: Bound| match bound {
            Bound::MaxViolation(most) => Some(most),
            _ => None,
        };
        for (at, constraint) in problem.constraints().iter().enumerate() {
            let Some(functional) = &new.functionals[at] else { continue };
            if precision.is_some_and(|precision| precision.is_small(functional)) {
                new.small.push((at, functional.share() * functional.base_share()));
                continue;
            }
            new.searched.push(at);
            match limits(constraint).find_map(violation) {
                Some(most) => new.push_violation(at, constraint, most, precision),
                // What remains are bounds that compare groups.
                None if limits(constraint).next().is_some() && constraint.reference.number().is_none() => {}
                None if new.is_mirrored(problem.constraints(), at) => {}
                None => new.push_difference(at, constraint, precision),
            }
        }
        for bound in bounds {
            let limited: Vec<bool> =
                problem.constraints().iter().map(|constraint| bound.limits(&constraint.notion, bounds)).collect();
            match bound.bound {
                Bound::MaxDifference(most) => new.push_pairs(problem.constraints(), &limited, [1.0, most], precision),
                Bound::MinRatio(least) => new.push_pairs(problem.constraints(), &limited, [least, 0.0], precision),
                Bound::MaxViolation(_) => {}
            }
        }
        new
    }

    /// Whether the complement of a constraint's group asks for the same, and is the smaller of the two.
    fn is_mirrored(&self, constraints: &[Constraint], at: usize) -> bool {
        let Some(own) = &self.functionals[at] else { return false };
        constraints.iter().zip(&self.functionals).enumerate().any(|(place, (other, functional))| {
            let first = |functional: &Functional| {
                functional.share() < own.share() || (functional.share() <= own.share() && place < at)
            };
            let mirror = |functional: &Functional| functional.is_complement(own) && first(functional);
            place != at && constraints[at].is_comparable_with(other) && functional.as_ref().is_some_and(mirror)
        })
    }

    /// A violation is at most this, on either side.
    fn push_violation(&mut self, at: usize, constraint: &Constraint, most: f64, precision: Option<Precision<'_>>) {
        let error = self.standard_error(&[at], precision);
        let limit = precision.map_or_else(|| Inequality::exact(most), |one| one.limit(most, most, error));
        for sign in constraint.reference.sides() {
            let terms = vec![(Term::Violation(at), *sign)];
            self.push_bound(at, terms, most, &limit, precision.map(|one| one.settings));
        }
    }

    /// The rate of a group is that of the others: as a violation over the share of the others, so that a group and its
    /// complement ask for the same, and as precisely.
    fn push_difference(&mut self, at: usize, constraint: &Constraint, precision: Option<Precision<'_>>) {
        let Some(functional) = &self.functionals[at] else { return };
        let scale = functional.others().recip();
        let limit = match precision {
            None => Inequality::exact(0.0),
            Some(_) if self.measure == Measure::Scores => {
                Inequality { tolerance: EVEN_SCORES, noise: EVEN_SCORES, ..Inequality::exact(0.0) }
            }
            Some(precision) => {
                // Half of what one row makes, of the group or of the others.
                let tolerance = precision.settings.even.max(0.5 / functional.fewest_rows());
                let error = scale * functional.sampling_error(precision.sums);
                Inequality { tolerance, noise: error.max(CLOSE * tolerance), ..Inequality::exact(0.0) }
            }
        };
        self.push(at, constraint, scale, &limit);
    }

    fn push(&mut self, at: usize, constraint: &Constraint, scale: f64, limit: &Inequality) {
        for sign in constraint.reference.sides() {
            self.all.push(Inequality { terms: vec![(Term::Violation(at), sign * scale)], ..*limit });
        }
    }

    /// Bounds with their limits: one that is looser than the bound stands beside the bound itself, which weighs as much as evenness does
    /// without a bound.
    fn push_bound(
        &mut self,
        at: usize,
        terms: Vec<(Term, f64)>,
        most: f64,
        limit: &Inequality,
        settings: Option<&SqpSettings>,
    ) {
        if let Some(settings) = settings.filter(|_| limit.upper > most) {
            self.loose.push(at);
            let weight = settings.evenness_penalty / settings.penalty;
            let terms = terms.iter().map(|&(term, coefficient)| (term, weight * coefficient)).collect();
            let noise = weight * limit.noise;
            self.all.push(Inequality { terms, noise, preferred: true, ..Inequality::exact(weight * most) });
        }
        self.all.push(Inequality { terms, ..*limit });
    }

    /// `share · rate of one − rate of another ≤ most`, for every two groups of limited constraints that can be compared.
    fn push_pairs(
        &mut self,
        constraints: &[Constraint],
        limited: &[bool],
        [share, most]: [f64; 2],
        precision: Option<Precision<'_>>,
    ) {
        let is_small = |at: usize| {
            let small = |functional: &Functional| precision.is_some_and(|precision| precision.is_small(functional));
            self.functionals[at].as_ref().is_none_or(small)
        };
        let large: Vec<usize> = (0..constraints.len()).filter(|&at| limited[at] && !is_small(at)).collect();
        let overall = precision.map(|precision| overall_rates(&self.functionals, precision.sums, self.measure));
        for &one in &large {
            for &other in large.iter().filter(|&&other| other != one) {
                if !constraints[one].is_comparable_with(&constraints[other]) {
                    continue;
                }
                let error = self.standard_error(&[one, other], precision);
                // Where both rates are the overall one, the left side is `share − 1` times it.
                let even = (1.0 - share) * overall.as_ref().map_or(0.0, |rates| rates[one]);
                let limit =
                    precision.map_or_else(|| Inequality::exact(most), |one| one.limit(most, most + even, error));
                let terms = vec![(Term::Rate(one), share), (Term::Rate(other), -1.0)];
                self.push_bound(one, terms, most, &limit, precision.map(|one| one.settings));
            }
        }
    }

    /// That of a violation, or of a difference between two groups that are compared with everyone each.
    fn standard_error(&self, constraints: &[usize], precision: Option<Precision<'_>>) -> f64 {
        let Some(precision) = precision else { return 0.0 };
        let of = |&at: &usize| self.functionals[at].as_ref().map_or(0.0, |one| one.sampling_error(precision.sums));
        constraints.iter().map(of).fold(0.0, f64::hypot)
    }

    /// What rows can tell, and a search has to reach.
    fn required(&self) -> impl Iterator<Item = &Inequality> {
        self.all.iter().filter(|one| !one.preferred)
    }

    /// Whether a bound was asked for; otherwise it is that violations vanish, as far as the rows can tell.
    pub(in crate::correction) fn is_bounded(&self) -> bool {
        self.bounded
    }

    /// How far each is above where a search aims.
    pub(in crate::correction) fn residuals(&self, sums: &CellSums) -> Vec<f64> {
        let measured = self.measured(sums);
        let asked = self.all.iter().map(|one| one.value(&measured) - one.upper + one.back_off);
        asked.chain(self.above_ceiling(&measured, true)).collect()
    }

    /// Per constraint and side: how far a violation, or the derivative of one, is above the ceiling, weighed.
    fn above_ceiling(&self, measured: &[Measured], less_ceiling: bool) -> Vec<f64> {
        let Some((ceiling, weight)) = &self.ceiling else { return Vec::new() };
        let ceiling = if less_ceiling { *ceiling } else { 0.0 };
        let sides = |&at: &usize| {
            let value = measured[at].violation;
            [value, -value].map(|value| weight * (value - ceiling))
        };
        self.searched.iter().flat_map(sides).collect()
    }

    /// How far each is above its number: linear in the sums per cell, since no violation is cut off at zero.
    pub(in crate::correction) fn levels(&self, sums: &CellSums) -> Vec<f64> {
        let measured = self.measured_by(sums, Functional::level, Functional::group_rate);
        self.all.iter().map(|one| one.value(&measured) - one.upper).collect()
    }

    /// The derivative of residuals and levels for a derivative of the sums per cell.
    pub(in crate::correction) fn derivative(&self, change: &CellSums) -> Vec<f64> {
        let measured = self.measured_by(change, Functional::slope, Functional::rate_slope);
        let asked = self.all.iter().map(|one| one.value(&measured));
        asked.chain(self.above_ceiling(&measured, false)).collect()
    }

    /// Whether no constraint has rows enough to be searched for.
    pub(in crate::correction) fn is_empty(&self) -> bool {
        self.searched.is_empty()
    }

    /// The largest violation of a constraint that is searched for.
    pub(in crate::correction) fn violation(&self, sums: &CellSums) -> f64 {
        let measured = self.measured(sums);
        self.searched.iter().map(|&at| measured[at].violation.abs()).fold(0.0, f64::max)
    }

    /// How much is missing in all; zero where a search has arrived.
    pub(in crate::correction) fn infeasibility(&self, sums: &CellSums) -> f64 {
        norm(&self.residuals(sums), self.mean_weight())
    }

    /// What each positive residual weighs in a mean over pairs of opposite inequalities.
    pub(in crate::correction) fn mean_weight(&self) -> f64 {
        2.0 / self.required().count().max(2) as f64
    }

    /// Whether a search has arrived: violations are as good as zero, or bounds are kept with half of the back-off to spare.
    pub(in crate::correction) fn hold(&self, sums: &CellSums) -> bool {
        let measured = self.measured(sums);
        self.all.iter().all(|one| one.value(&measured) <= one.upper + one.tolerance - 0.5 * one.back_off)
    }

    /// Whether bounds are kept; and where there is none, whether violations are no larger than their standard errors.
    pub(in crate::correction) fn are_met(&self, sums: &CellSums) -> bool {
        // Only what is to be even, and has no bound, has a tolerance.
        let above = |one: &Inequality| if one.tolerance > 0.0 { one.noise } else { 0.0 };
        let measured = self.measured(sums);
        self.required().all(|one| one.value(&measured) <= one.upper + above(one))
    }

    /// Whether what is missing is no more than a standard error: single rows decide it.
    pub(in crate::correction) fn are_close(&self, sums: &CellSums) -> bool {
        let measured = self.measured(sums);
        self.required().all(|one| one.value(&measured) <= one.upper + one.noise)
    }

    /// Constraints on too few rows to search for, and which share of all rows these are.
    pub(in crate::correction) fn small(&self) -> &[(usize, f64)] {
        &self.small
    }

    /// The largest tolerance.
    pub(in crate::correction) fn tolerance(&self) -> f64 {
        self.all.iter().map(|one| one.tolerance).fold(0.0, f64::max)
    }

    /// The largest upper bound.
    pub(in crate::correction) fn upper(&self) -> f64 {
        self.all.iter().map(|one| one.upper).fold(0.0, f64::max)
    }

    /// What to know about constraints on few rows.
    pub(in crate::correction) fn warnings(&self, constraints: &[Constraint], settings: &SqpSettings) -> Vec<Warning> {
        let names = |places: &[usize]| -> Vec<String> {
            let place = |at: &usize| places.contains(at);
            (0..constraints.len()).filter(place).map(|at| constraints[at].name.clone()).collect()
        };
        let small: Vec<usize> = self.small.iter().map(|&(at, _)| at).collect();
        let (small, loose) = (names(&small), names(&self.loose));
        let small =
            (!small.is_empty()).then_some(Warning::NotSearched { constraints: small, min_group: settings.min_group });
        let loose = (!loose.is_empty()).then_some(Warning::HeldLoosely { constraints: loose });
        small.into_iter().chain(loose).collect()
    }

    fn measured(&self, sums: &CellSums) -> Vec<Measured> {
        self.measured_by(sums, Functional::violation_from, Functional::group_rate)
    }

    /// Every constraint once, however many inequalities ask for it: a rate is a sum over cells.
    fn measured_by(
        &self,
        sums: &CellSums,
        violation: fn(&Functional, f64, &CellSums, Measure) -> f64,
        rate: fn(&Functional, &CellSums, Measure) -> f64,
    ) -> Vec<Measured> {
        let of = |one: &Functional, overall: f64| Measured {
            violation: violation(one, overall, sums, self.measure),
            rate: rate(one, sums, self.measure),
        };
        let overall = overall_rates(&self.functionals, sums, self.measure);
        let each = self.functionals.iter().zip(overall);
        each.map(|(one, overall)| one.as_ref().map_or_else(Measured::default, |one| of(one, overall))).collect()
    }
}

/// What is measured of a constraint; nothing where it conditions on no rows.
#[derive(Debug, Clone, Copy, Default)]
struct Measured {
    violation: f64,
    rate: f64,
}

impl Inequality {
    fn exact(upper: f64) -> Self {
        Self { terms: Vec::new(), upper, back_off: 0.0, tolerance: 0.0, noise: 0.0, preferred: false }
    }

    /// The left side.
    fn value(&self, measured: &[Measured]) -> f64 {
        let term = |&(term, coefficient): &(Term, f64)| match term {
            Term::Violation(at) => coefficient * measured[at].violation,
            Term::Rate(at) => coefficient * measured[at].rate,
        };
        self.terms.iter().map(term).sum()
    }
}

impl Precision<'_> {
    /// Whether too few rows tell a rate to search for it. Scores are estimated, however few rows there are.
    fn is_small(&self, functional: &Functional) -> bool {
        self.measure == Measure::Decisions && functional.fewest_rows() < self.settings.min_group as f64
    }

    /// A bound with its back-off, where the left side is `distance` below the bound once rates are even. The back-off is at most half of that
    /// distance, and no bound is nearer to even rates than half a standard error, which rows cannot tell from none.
    fn limit(&self, most: f64, distance: f64, error: f64) -> Inequality {
        let upper = most + (0.5 * error - distance).max(0.0);
        let back_off = (self.settings.margin * error).max(self.settings.even).min(0.5 * distance);
        Inequality { back_off, noise: error.max(CLOSE * self.settings.even), ..Inequality::exact(upper) }
    }
}

/// The largest positive residual and the mean of the positive ones: a norm of what is missing. The largest is what users see as the violation;
/// by the mean no inequality waits for another that cannot be met.
pub(in crate::correction) fn norm(residuals: &[f64], mean_weight: f64) -> f64 {
    let positive = residuals.iter().map(|one| one.max(0.0));
    positive.clone().fold(0.0, f64::max) + positive.sum::<f64>() * mean_weight
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(most: f64, error: f64, margin: f64, upper: f64, aim: f64) {
        let settings = SqpSettings { margin, ..SqpSettings::default() };
        let sums = CellSums::of_changes(2, &[]);
        let limit =
            Precision { settings: &settings, sums: &sums, measure: Measure::Decisions }.limit(most, most, error);
        let found = [limit.upper, limit.upper - limit.back_off];
        assert!((found[0] - upper).abs() < 1e-12 && (found[1] - aim).abs() < 1e-12, "{found:?}");
    }

    #[test]
    fn a_search_aims_below_a_bound_by_standard_errors_and_at_most_half_of_it() {
        check(0.05, 0.01, 1.645, 0.05, 0.05 - 0.01645);
        check(0.05, 0.02, 1.645, 0.05, 0.025);
        // Half a standard error is near the bound: the fewer rows, the more of the margin is needed.
        check(0.05, 0.09, 1.645, 0.05, 0.025);
        // Without a margin by what is not worth another fit.
        check(0.05, 0.09, 0.0, 0.05, 0.049);
    }

    #[test]
    fn no_bound_is_finer_than_half_a_standard_error() {
        check(0.02, 0.1, 1.645, 0.05, 0.04);
        check(0.0, 0.1, 1.645, 0.05, 0.05);
    }
}

//! What a correction is asked for, as linear inequalities between rates.
//!
//! Bounds of every kind, and evenness without a bound, become inequalities `Σ coefficient · rate ≤ upper`. They are linear in the
//! sums per cell, so that their derivatives are the same function of the derivatives of those sums.

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
    /// The ceiling on violations: none may become larger than the largest was without correction. With it, how much a point above it weighs for a point
    /// above what was asked for.
    ceiling: Option<(f64, f64)>,
    /// Constraints that are searched for.
    searched: Vec<usize>,
    /// Constraints on too few rows to be searched for, each with the share of all rows that it is about.
    small: Vec<(usize, f64)>,
    /// Constraints that need not keep their bound exactly, because it is finer than their rows can tell.
    loose: Vec<usize>,
}

/// `Σ coefficient · term ≤ upper`.
#[derive(Debug)]
struct Inequality {
    terms: Vec<(Term, f64)>,
    upper: f64,
    /// How far below `upper` a search aims, so that a bound is likely to hold on new rows too.
    back_off: f64,
    /// A value above `upper` by no more than this counts as met.
    tolerance: f64,
    /// The standard error of the left side, or what counts as close where that is larger.
    noise: f64,
    /// Whether it is finer than the rows can tell. It is then not required, and weighs what evenness weighs without a bound.
    preferred: bool,
}

#[derive(Debug, Clone, Copy)]
enum Term {
    /// The violation of a constraint.
    Violation(usize),
    /// The rate of a constraint's group.
    Rate(usize),
}

/// What the precision of a search follows from: its settings, and standard errors at the rates of the fit without correction.
#[derive(Clone, Copy)]
struct Precision<'a> {
    settings: &'a SqpSettings,
    sums: &'a CellSums,
    measure: Measure,
}

/// The tolerance of violations of scores: scores change smoothly with the multipliers, so that an equation between them can be solved to this precision.
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

    /// Whether the constraint on the complement of its group asks for the same, and is the one that is kept: the smaller group's, or the first of two equal ones.
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

    /// Adds that a violation is at most `most`, on either side.
    fn push_violation(&mut self, at: usize, constraint: &Constraint, most: f64, precision: Option<Precision<'_>>) {
        let error = self.standard_error(&[at], precision);
        let limit = precision.map_or_else(|| Inequality::exact(most), |one| one.limit(most, most, error));
        for sign in constraint.reference.sides() {
            let terms = vec![(Term::Violation(at), *sign)];
            self.push_bound(at, terms, most, &limit, precision.map(|one| one.settings));
        }
    }

    /// Adds that the rate of a group is that of the others. The difference is the violation over the share of the others, so that a group and its
    /// complement ask for the same with the same precision.
    fn push_difference(&mut self, at: usize, constraint: &Constraint, precision: Option<Precision<'_>>) {
        let Some(functional) = &self.functionals[at] else { return };
        let scale = functional.others().recip();
        let limit = match precision {
            None => Inequality::exact(0.0),
            Some(_) if self.measure == Measure::Scores => {
                Inequality { tolerance: EVEN_SCORES, noise: EVEN_SCORES, ..Inequality::exact(0.0) }
            }
            Some(precision) => {
                // Half of what the decision of one row changes in the rate of the group or of the others, whichever changes more.
                let tolerance = precision.settings.even.max(0.5 / functional.fewest_rows());
                let error = scale * functional.sampling_error(precision.sums);
                Inequality {
                    tolerance,
                    noise: error.max(precision.settings.close).max(tolerance),
                    ..Inequality::exact(0.0)
                }
            }
        };
        self.push(at, constraint, scale, &limit);
    }

    fn push(&mut self, at: usize, constraint: &Constraint, scale: f64, limit: &Inequality) {
        for sign in constraint.reference.sides() {
            self.all.push(Inequality { terms: vec![(Term::Violation(at), sign * scale)], ..*limit });
        }
    }

    /// Adds a bound as a search requires it. Where its rows can tell no more, what is required is looser than the bound, and the bound itself is added as
    /// preferred: it weighs as much as evenness does without a bound.
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

    /// Adds `share · rate of one − rate of another ≤ most` for every two groups of limited constraints that can be compared.
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
                // The left side of even rates, both the overall one, is `share − 1` times that rate.
                let even = (1.0 - share) * overall.as_ref().map_or(0.0, |rates| rates[one]);
                let limit =
                    precision.map_or_else(|| Inequality::exact(most), |one| one.limit(most, most + even, error));
                let terms = vec![(Term::Rate(one), share), (Term::Rate(other), -1.0)];
                self.push_bound(one, terms, most, &limit, precision.map(|one| one.settings));
            }
        }
    }

    /// The standard error of the violation of one constraint, or of the difference between the rates of two.
    fn standard_error(&self, constraints: &[usize], precision: Option<Precision<'_>>) -> f64 {
        let Some(precision) = precision else { return 0.0 };
        let of = |&at: &usize| self.functionals[at].as_ref().map_or(0.0, |one| one.sampling_error(precision.sums));
        constraints.iter().map(of).fold(0.0, f64::hypot)
    }

    /// The inequalities that a search has to meet: those that the rows can tell.
    fn required(&self) -> impl Iterator<Item = &Inequality> {
        self.all.iter().filter(|one| !one.preferred)
    }

    /// Whether a bound was asked for. Otherwise the inequalities ask for violations of zero, as far as the rows can tell.
    pub(in crate::correction) fn is_bounded(&self) -> bool {
        self.bounded
    }

    /// The residuals: how far each inequality is above what a search aims at, and each violation above the ceiling.
    pub(in crate::correction) fn residuals(&self, sums: &CellSums) -> Vec<f64> {
        let measured = self.measured(sums);
        let asked = self.all.iter().map(|one| one.value(&measured) - one.upper + one.back_off);
        asked.chain(self.above_ceiling(&measured, true)).collect()
    }

    /// Per constraint and side: by how much a violation is above the ceiling, times the weight of the ceiling; for derivatives of violations the ceiling, a constant, is left out.
    fn above_ceiling(&self, measured: &[Measured], less_ceiling: bool) -> Vec<f64> {
        let Some((ceiling, weight)) = &self.ceiling else { return Vec::new() };
        let ceiling = if less_ceiling { *ceiling } else { 0.0 };
        let sides = |&at: &usize| {
            let value = measured[at].violation;
            [value, -value].map(|value| weight * (value - ceiling))
        };
        self.searched.iter().flat_map(sides).collect()
    }

    /// By how much the left side of each inequality is above its upper bound. This is linear in the sums per cell, since no violation is cut off at zero.
    pub(in crate::correction) fn levels(&self, sums: &CellSums) -> Vec<f64> {
        let measured = self.measured_by(sums, Functional::level, Functional::group_rate);
        self.all.iter().map(|one| one.value(&measured) - one.upper).collect()
    }

    /// The derivative of residuals and levels in the direction in which the sums per cell have this derivative.
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

    /// The infeasibility: the norm of the positive residuals, zero where all inequalities are met with their back-off.
    pub(in crate::correction) fn infeasibility(&self, sums: &CellSums) -> f64 {
        norm(&self.residuals(sums), self.mean_weight())
    }

    /// What each positive residual weighs in a mean over pairs of opposite inequalities.
    pub(in crate::correction) fn mean_weight(&self) -> f64 {
        2.0 / self.required().count().max(2) as f64
    }

    /// Whether a fit is feasible enough to end with at once: violations are within their tolerance of zero, or bounds are kept with their back-off.
    pub(in crate::correction) fn hold(&self, sums: &CellSums) -> bool {
        let measured = self.measured(sums);
        self.all.iter().all(|one| one.value(&measured) <= one.upper + one.tolerance - one.back_off)
    }

    /// Whether bounds are kept, or without a bound whether violations are no larger than their standard errors.
    pub(in crate::correction) fn are_met(&self, sums: &CellSums) -> bool {
        // Only inequalities without a bound have a tolerance.
        let above = |one: &Inequality| if one.tolerance > 0.0 { one.noise } else { 0.0 };
        let measured = self.measured(sums);
        self.required().all(|one| one.value(&measured) <= one.upper + above(one))
    }

    /// Whether every required inequality is met to within its standard error, so that the decisions of single rows decide.
    pub(in crate::correction) fn are_close(&self, sums: &CellSums) -> bool {
        let measured = self.measured(sums);
        self.required().all(|one| one.value(&measured) <= one.upper + one.noise)
    }

    /// Constraints on too few rows to be searched for, each with the share of all rows that it is about.
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

    /// Warnings about constraints on few rows.
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

    /// The measurements of every constraint. They are made once however many inequalities use them, since a rate is a sum over all cells.
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

/// The measurements of a constraint; zeros where it conditions on no rows.
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
    /// Whether a constraint is on too few rows to be searched for. Scores are searched for however few rows there are.
    fn is_small(&self, functional: &Functional) -> bool {
        self.measure == Measure::Decisions && functional.fewest_rows() < self.settings.min_group as f64
    }

    /// A bound with its back-off, where the left side is `distance` below the bound once rates are even. The back-off is at most half of that
    /// distance. The bound is loosened to half a standard error from even rates where it is nearer to them, since rows cannot tell such rates from even ones.
    fn limit(&self, most: f64, distance: f64, error: f64) -> Inequality {
        let upper = most + (self.settings.resolution * error - distance).max(0.0);
        let back_off = (self.settings.margin * error).max(self.settings.even).min(0.5 * distance);
        Inequality { back_off, noise: error.max(self.settings.close), ..Inequality::exact(upper) }
    }
}

/// The norm of infeasibility: the largest positive residual plus the mean of the positive ones over pairs of opposite inequalities. The largest is what users see as
/// the violation; the mean falls also while an inequality that cannot be met is the largest, so that the others are still met.
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

//! Sensitivity: how the estimate depends on the assumption that groups truly deserve alike.
//!
//! For one group after the other a true difference δ, everyone's true rate minus the group's, moves from none to the one that
//! is observed in the labels. Every δ has an estimate of its own, found and bounded as that of δ = 0 is; where the bias of the
//! group vanishes is the *tipping point*. While one group's δ moves, the truth depends on being in that group or not and on no other: a group H
//! of which the share s are members has the difference `δ (s − Z)/(1 − Z)`, Z the group's share of all rows. Other groups that have no more
//! members than everyone has are then even, the complement mirrors the group, and whatever is linear between groups
//! that partition the rows holds. Leans on `estimate`.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::estimate::{Estimates, Found, group_name, solve, standard_error};
use super::words::tipping_sentence;
use crate::Result;
use crate::correction::{Correction, Problem, Termination};
use crate::interval::quantile;
use crate::learner::Logistic;

/// A curve has so many steps: four quarters of three.
const STEPS: usize = 12;

/// The tipping point is found once the logarithm of the factor is as near to zero as this.
const NO_BIAS: f64 = 1e-7;

/// The secant method converges in three or four steps, or not at all.
const MOST_SECANTS: usize = 12;

/// The slope at the tipping point is the difference quotient over a tenth of a percentage point.
const APART: f64 = 1e-3;

/// How the estimated bias depends on how far the groups truly differ.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Sensitivity {
    /// What is held while a group's difference moves.
    pub assumption: String,
    /// One curve for each group that does not hold everyone.
    pub curves: Vec<SensitivityCurve>,
}

/// The estimated bias of one group's labels as a function of how far its truth differs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SensitivityCurve {
    /// The group.
    pub group: String,
    /// Everyone's share of positive labels minus the group's, as observed.
    pub observed: f64,
    /// Where no bias is left; none where that is nowhere to be found.
    pub tipping: Option<TippingPoint>,
    /// From no true difference to the observed one, in equal steps. A difference that no multipliers lead to has no point.
    pub points: Vec<SensitivityPoint>,
    /// The tipping point in words.
    pub sentence: String,
}

/// A true difference that leaves no bias to be estimated.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TippingPoint {
    /// Everyone's true rate minus the group's.
    pub difference: f64,
    /// The lower end of its interval.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// The estimate under one true difference. Intervals are pointwise: each is for this difference and this group by itself.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SensitivityPoint {
    /// Everyone's true rate minus the group's, by assumption.
    pub difference: f64,
    /// Everyone's true rate, as it is then estimated.
    pub overall_rate: f64,
    /// The group's.
    pub group_rate: f64,
    /// The group's multiplier.
    pub multiplier: f64,
    /// The lower end of its interval.
    pub multiplier_low: f64,
    /// The upper end.
    pub multiplier_high: f64,
    /// By which factor the odds of a positive label were changed, on (geometric) average over the group's rows.
    pub odds_ratio: f64,
    /// The lower end of its interval.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl SensitivityCurve {
    /// The estimate under a difference between its ends, by the points on either side: factors on the scale of their logarithm.
    pub fn at(&self, difference: f64) -> Option<SensitivityPoint> {
        let within =
            |two: &&[SensitivityPoint]| (two[0].difference - difference) * (two[1].difference - difference) <= 0.0;
        let &[from, to] = self.points.windows(2).find(within)? else { return None };
        let width = to.difference - from.difference;
        let share = if width.abs() > 0.0 { (difference - from.difference) / width } else { 0.0 };
        let between = |value: fn(&SensitivityPoint) -> f64| value(&from) + share * (value(&to) - value(&from));
        Some(SensitivityPoint {
            difference,
            overall_rate: between(|one| one.overall_rate),
            group_rate: between(|one| one.group_rate),
            multiplier: between(|one| one.multiplier),
            multiplier_low: between(|one| one.multiplier_low),
            multiplier_high: between(|one| one.multiplier_high),
            odds_ratio: between(|one| one.odds_ratio.ln()).exp(),
            low: between(|one| one.low.ln()).exp(),
            high: between(|one| one.high.ln()).exp(),
        })
    }
}

/// What is held while the true difference of one group moves, in words.
const ASSUMPTION: &str = "How far a group's true rate is from everyone's is taken as given, one group at a time: whether somebody truly deserves a positive label may depend on being in that group, and on no other group beyond that. Another group then differs from everyone only as far as it has more or fewer members of that group. Intervals are for each difference and group by itself.";

/// The curves of all groups, and how many fits they took.
pub(super) fn trace(
    problem: &Problem,
    correction: &Correction,
    learner: &Logistic,
    confidence: f64,
) -> Result<(Sensitivity, usize)> {
    let z = quantile(confidence)?;
    let has_others = |at: &usize| Direction::of(problem, *at).is_some();
    let groups: Vec<usize> = (0..problem.constraints().len()).filter(has_others).collect();
    let curve = |&at: &usize| {
        let direction = Direction::of(problem, at).expect("groups of everyone were left out");
        let path = Path { problem, correction, learner, direction };
        path.curve(z, confidence)
    };
    let traced = groups.par_iter().map(curve).collect::<Result<Vec<_>>>()?;
    let fits = traced.iter().map(|(_, fits)| fits).sum();
    let curves = traced.into_iter().map(|(curve, _)| curve).collect();
    Ok((Sensitivity { assumption: ASSUMPTION.to_owned(), curves }, fits))
}

/// Which way true rates move with one group's difference.
struct Direction {
    /// The place of the group's constraint.
    at: usize,
    /// Per constraint, the difference of its group where that of this one is 1.
    of_groups: Vec<f64>,
    /// Everyone's share of positive labels minus the group's.
    observed: f64,
}

impl Direction {
    /// `None` where everyone is in the group, so that there is nobody it could differ from.
    fn of(problem: &Problem, at: usize) -> Option<Self> {
        let (cells, constraints) = (problem.cells(), problem.constraints());
        let is_in = |cell: usize, group: Option<usize>| group.is_none_or(|group| cells.is_in(cell, group));
        let weight = |holds: &dyn Fn(usize) -> bool| -> f64 {
            (0..cells.len()).filter(|&cell| holds(cell)).map(|cell| cells.weight(cell)).sum()
        };
        let own = constraints[at].group;
        let outside = weight(&|cell| !is_in(cell, own));
        if outside <= 0.0 {
            return None;
        }
        let share = 1.0 - outside / cells.total_weight();
        let difference = |other: Option<usize>| {
            let members = weight(&|cell| is_in(cell, other) && is_in(cell, own)) / weight(&|cell| is_in(cell, other));
            (members - share) / (1.0 - share)
        };
        let rate = |whose: Option<usize>| {
            weight(&|cell| is_in(cell, whose) && cells.label(cell) == 1) / weight(&|cell| is_in(cell, whose))
        };
        let of_groups = constraints.iter().map(|one| difference(one.group)).collect();
        Some(Self { at, of_groups, observed: rate(None) - rate(own) })
    }
}

/// Estimates along the difference of one group.
struct Path<'a> {
    problem: &'a Problem,
    correction: &'a Correction,
    learner: &'a Logistic,
    direction: Direction,
}

/// An estimate under some difference.
struct Solved {
    difference: f64,
    found: Found,
}

impl Path<'_> {
    fn curve(&self, z: f64, confidence: f64) -> Result<(SensitivityCurve, usize)> {
        let observed = self.direction.observed;
        let differences = (0..=STEPS).into_par_iter().map(|step| observed * step as f64 / STEPS as f64);
        let solved = differences.map(|difference| self.solve(difference)).collect::<Result<Vec<_>>>()?;
        let mut fits: usize = solved.iter().map(|one| one.found.fits).sum();
        let points = solved.par_iter().map(|one| self.point(one, z)).collect::<Result<Vec<_>>>()?;
        let tipping = self.tipping(&solved[0], z, &mut fits)?;
        let group = group_name(self.problem, self.problem.constraints()[self.direction.at].group);
        let sentence = tipping_sentence(&group, tipping, confidence);
        Ok((
            SensitivityCurve { sentence, group, observed, tipping, points: points.into_iter().flatten().collect() },
            fits,
        ))
    }

    fn solve(&self, difference: f64) -> Result<Solved> {
        let differences: Vec<f64> = self.direction.of_groups.iter().map(|one| difference * one).collect();
        let problem = self.problem.clone().differing_by(&differences);
        Ok(Solved { difference, found: solve(&problem, self.correction, self.learner)? })
    }

    /// The logarithm of the factor on the group's odds.
    fn log_odds(&self, solved: &Solved) -> f64 {
        -solved.found.exponents[self.direction.at]
    }

    fn estimates(&self, solved: &Solved) -> Result<Option<Estimates>> {
        if solved.found.stop != Termination::Converged {
            return Ok(None);
        }
        Estimates::new(self.problem, self.correction, self.learner, &solved.found)
    }

    fn point(&self, solved: &Solved, z: f64) -> Result<Option<SensitivityPoint>> {
        let (Some(estimates), at) = (self.estimates(solved)?, self.direction.at) else { return Ok(None) };
        let (overall_rate, group_rate, _) =
            self.problem.mean_scores(&self.problem.cell_sums(&*solved.found.predictor)?)[at];
        let ends = |(values, covariance): &(Vec<f64>, faer::Mat<f64>)| {
            let reach = z * standard_error(covariance, at);
            [values[at], values[at] - reach, values[at] + reach]
        };
        let [multiplier, multiplier_low, multiplier_high] = ends(&estimates.multipliers);
        let [odds_ratio, low, high] = ends(&estimates.log_odds).map(f64::exp);
        Ok(Some(SensitivityPoint {
            difference: solved.difference,
            overall_rate,
            group_rate,
            multiplier,
            multiplier_low,
            multiplier_high,
            odds_ratio,
            low,
            high,
        }))
    }

    /// Where the group's factor is 1, by the secant method, from no difference and from that of the uncorrected probabilities: with one
    /// group, or two that mirror each other, that is it. Its interval is that of the factor there, over the slope.
    fn tipping(&self, even: &Solved, z: f64, fits: &mut usize) -> Result<Option<TippingPoint>> {
        let mut solve = |difference: f64| -> Result<Option<Solved>> {
            let solved = self.solve(difference)?;
            *fits += solved.found.fits;
            Ok((solved.found.stop == Termination::Converged).then_some(solved))
        };
        if even.found.stop != Termination::Converged {
            return Ok(None);
        }
        let uncorrected = self.correction.uncorrected(self.problem, self.learner)?;
        let (overall, group, _) =
            self.problem.mean_scores(&self.problem.cell_sums(&*uncorrected.predictor)?)[self.direction.at];
        let (mut last, mut last_odds) = (even.difference, self.log_odds(even));
        let mut next = overall - group;
        for _ in 0..MOST_SECANTS {
            let Some(solved) = solve(next)? else { return Ok(None) };
            let odds = self.log_odds(&solved);
            if odds.abs() < NO_BIAS {
                let Some(estimates) = self.estimates(&solved)? else { return Ok(None) };
                let Some(beside) = solve(next - APART)? else { return Ok(None) };
                let slope = (odds - self.log_odds(&beside)) / APART;
                let reach = (z * standard_error(&estimates.log_odds.1, self.direction.at) / slope).abs();
                let tipping = TippingPoint { difference: next, low: next - reach, high: next + reach };
                return Ok(reach.is_finite().then_some(tipping));
            }
            let step = odds * (next - last) / (odds - last_odds);
            if !step.is_finite() || (next - step).abs() > 1.0 {
                return Ok(None);
            }
            (last, last_odds, next) = (next, odds, next - step);
        }
        Ok(None)
    }
}

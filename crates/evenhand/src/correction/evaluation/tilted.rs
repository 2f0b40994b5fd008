//! Probabilities tilted by multipliers: Corollary 1 applied to a model itself.
//!
//! `y_true(y|x) ∝ y_bias(y|x) · exp(Σ_k λ_k t_k(x,y))` [Jiang & Nachum 2019, Cor. 1]. Holds [`TiltedRows`], the probabilities of some rows
//! before the tilt with the tilts themselves, which multipliers turn into probabilities after it, and into their derivatives, without a fit.

use std::borrow::Cow;
use std::ops::Range;

use crate::correction::problem::{Expectations, ExpectedTilt, Problem, RowTilts, are_probabilities};
use crate::features::Features;
use crate::group::Membership;
use crate::kernel::link::tilt_pairs;
use crate::learner::{Predictor, Scorer, Sensitivity, scores};
use crate::{Result, parallel};

/// Probabilities of rows, and what each multiplier adds to the logarithm of each.
#[derive(Debug)]
pub(in crate::correction) struct TiltedRows {
    probabilities: Vec<f64>,
    tilts: RowTilts,
}

impl TiltedRows {
    /// The rows of a problem.
    ///
    /// # Errors
    /// What the predictors say, and where scores are no probabilities.
    pub(in crate::correction) fn of(
        predictor: &dyn Predictor,
        expected: &dyn Expectations,
        problem: &Problem,
    ) -> Result<Self> {
        let probabilities = scores(predictor, problem.features(), problem.classes())?;
        are_probabilities(&probabilities, problem.classes(), "apply")?;
        let tilts = expected.of_problem(problem, Some(&probabilities))?;
        Ok(Self { probabilities, tilts })
    }

    /// Their probabilities after the tilt of some multipliers.
    pub(in crate::correction) fn by<'a>(&'a self, multipliers: &'a [f64]) -> Tilted<'a> {
        Tilted { rows: self, multipliers }
    }

    /// How these change with some of the multipliers.
    pub(in crate::correction) fn slopes<'a>(&'a self, multipliers: &'a [f64], basis: &'a [usize]) -> TiltSlopes<'a> {
        TiltSlopes { tilted: self.by(multipliers), basis }
    }

    /// Some of these rows.
    pub(in crate::correction) fn select(&self, rows: &[usize]) -> Self {
        let (classes, width) = (self.tilts.classes, self.tilts.terms.len());
        let of = |values: &[f64], width: usize| {
            rows.iter().flat_map(|row| &values[row * width..(row + 1) * width]).copied().collect::<Vec<f64>>()
        };
        let tilts = RowTilts { values: of(&self.tilts.values, width), terms: self.tilts.terms.clone(), ..self.tilts };
        Self { probabilities: of(&self.probabilities, classes), tilts }
    }

    /// The probabilities of a row before any tilt.
    pub(in crate::correction) fn before(&self, row: usize) -> &[f64] {
        &self.probabilities[row * self.tilts.classes..(row + 1) * self.tilts.classes]
    }

    /// The tilts.
    pub(in crate::correction) fn tilts(&self) -> &RowTilts {
        &self.tilts
    }
}

/// Rows whose probabilities are tilted.
#[derive(Debug, Clone, Copy)]
pub(in crate::correction) struct Tilted<'a> {
    rows: &'a TiltedRows,
    multipliers: &'a [f64],
}

impl Tilted<'_> {
    /// The probabilities of some rows.
    fn tilt(&self, rows: Range<usize>, out: &mut Vec<f64>) {
        let classes = self.rows.tilts.classes;
        let before = &self.rows.probabilities[rows.start * classes..rows.end * classes];
        out.clear();
        out.resize(rows.len() * classes, 0.0);
        self.rows.tilts.add_exponents(rows, self.multipliers, out);
        if classes == 2 {
            tilt_pairs(before, out);
        } else {
            for (out, before) in out.chunks_exact_mut(classes).zip(before.chunks_exact(classes)) {
                tilt_row(before, out);
            }
        }
    }
}

/// Replaces the exponents of a row by its probabilities after the tilt; see [`tilt_pairs`].
fn tilt_row(before: &[f64], out: &mut [f64]) {
    // The largest exponent is subtracted first, so that nothing overflows; the common factor cancels.
    let largest = out.iter().fold(f64::NEG_INFINITY, |largest, &one| largest.max(one));
    let mut total = 0.0;
    for (out, before) in out.iter_mut().zip(before) {
        *out = before * (*out - largest).exp();
        total += *out;
    }
    if total > 0.0 {
        for out in out.iter_mut() {
            *out /= total;
        }
    } else {
        out.copy_from_slice(before);
    }
}

impl Predictor for Tilted<'_> {
    fn on<'a>(&'a self, _: &'a Features) -> Result<Scorer<'a>> {
        Ok(Box::new(move |rows: Range<usize>, out: &mut Vec<f64>| self.tilt(rows, out)))
    }
}

/// The derivatives of tilted probabilities with respect to some multipliers.
#[derive(Debug, Clone, Copy)]
pub(in crate::correction) struct TiltSlopes<'a> {
    tilted: Tilted<'a>,
    basis: &'a [usize],
}

impl Sensitivity for TiltSlopes<'_> {
    /// `dp_y/dλ_k = p_y (t_k(y) − Σ_y' p_y' t_k(y'))`.
    fn on<'a>(&'a self, _: &'a Features) -> Result<Scorer<'a>> {
        let tilts = &self.tilted.rows.tilts;
        let (classes, width) = (tilts.classes, tilts.terms.len());
        let place = |(at, term): (usize, &(usize, usize))| {
            self.basis.iter().position(|multiplier| *multiplier == term.0).map(|place| (at, place, term.1))
        };
        let terms: Vec<(usize, usize, usize)> = tilts.terms.iter().enumerate().filter_map(place).collect();
        Ok(Box::new(move |rows: Range<usize>, out: &mut Vec<f64>| {
            out.clear();
            out.resize(rows.len() * self.basis.len() * classes, 0.0);
            let mut all = Vec::new();
            self.tilted.tilt(rows.clone(), &mut all);
            let values = tilts.values[rows.start * width..rows.end * width].chunks_exact(width.max(1));
            let each = values.zip(all.chunks_exact(classes)).zip(out.chunks_exact_mut(self.basis.len() * classes));
            for ((values, now), out) in each {
                for &(at, place, class) in &terms {
                    let change = &mut out[place * classes..(place + 1) * classes];
                    add_slope(now, class, values[at], change);
                }
            }
        }))
    }

    /// The largest tilt of each term, which `p (1 − p)` or `p p'` makes smaller still.
    fn bounds(&self, _: &Features) -> Vec<f64> {
        let tilts = &self.tilted.rows.tilts;
        let mut bounds = vec![0.0; self.basis.len()];
        for (at, term) in tilts.terms.iter().enumerate() {
            let Some(place) = self.basis.iter().position(|&multiplier| multiplier == term.0) else { continue };
            let own = tilts.values.iter().skip(at).step_by(tilts.terms.len());
            bounds[place] += own.fold(0.0, |largest: f64, value| largest.max(value.abs()));
        }
        bounds
    }
}

/// What a tilt of one class adds to the derivatives of a row's probabilities.
fn add_slope(now: &[f64], class: usize, tilt: f64, change: &mut [f64]) {
    if let ([first, second], [of_first, of_second]) = (now, &mut *change) {
        let by = if class == 1 { first * second * tilt } else { -(first * second * tilt) };
        *of_first -= by;
        *of_second += by;
        return;
    }
    let moved = now[class] * tilt;
    change.iter_mut().zip(now).for_each(|(change, now)| *change -= moved * now);
    change[class] += moved;
}

impl<P: Predictor> ExpectedTilt<P> {
    /// The probabilities of any rows after the tilt of some multipliers: row by row, of each class. `membership` is that of the same rows, where
    /// [`ExpectedTilt::uses_groups`].
    ///
    /// # Errors
    /// What the models of membership say.
    pub fn tilted(
        &self,
        multipliers: &[f64],
        probabilities: Vec<f64>,
        features: &Features,
        membership: Option<&Membership>,
    ) -> Result<Vec<f64>> {
        let tilts = self.of_features(features, membership, Some(&probabilities))?;
        Ok(TiltBy { expected: self, multipliers: multipliers.into() }.apply(probabilities, tilts))
    }
}

/// What a classifier tilts probabilities by.
#[derive(Clone)]
pub(crate) struct TiltBy<'a> {
    pub(crate) expected: &'a dyn Expectations,
    pub(crate) multipliers: Cow<'a, [f64]>,
}

impl TiltBy<'_> {
    /// Tilts the probabilities of some rows.
    pub(super) fn apply(&self, probabilities: Vec<f64>, tilts: RowTilts) -> Vec<f64> {
        let classes = tilts.classes;
        let rows = TiltedRows { probabilities, tilts };
        let mut all = vec![0.0; rows.probabilities.len()];
        parallel::fill(&mut all, classes, |range, out| {
            let mut tilted = Vec::new();
            rows.by(&self.multipliers).tilt(range, &mut tilted);
            out.copy_from_slice(&tilted);
        });
        all
    }
}

//! Probabilities tilted by multipliers: Corollary 1 applied to a model itself.
//!
//! `y_true(y|x) ∝ y_bias(y|x) · exp(Σ_k λ_k t_k(x,y))` [Jiang & Nachum 2019, Cor. 1]. Holds [`TiltedRows`], the probabilities of some rows
//! before the tilt with the tilts themselves, which multipliers turn into probabilities after it, and into their derivatives, without a fit.

use std::borrow::Cow;
use std::ops::Range;

use crate::correction::problem::{Expectations, ExpectedTilt, Problem, RowTilts, are_probabilities};
use crate::exact::largest_size;
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
        let probabilities = rows.iter().flat_map(|&row| self.before(row)).copied().collect();
        let columns = self.tilts.columns.iter().map(|column| parallel::gather(column, rows)).collect();
        let tilts = RowTilts { columns, terms: self.tilts.terms.clone(), ..self.tilts };
        Self { probabilities, tilts }
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
        let (classes, directions) = (tilts.classes, self.basis.len());
        let place = |(term, column): (&(usize, usize), &'a Vec<f64>)| {
            self.basis.iter().position(|multiplier| *multiplier == term.0).map(|place| (place, term.1, column))
        };
        let terms: Vec<(usize, usize, &Vec<f64>)> = tilts.terms.iter().zip(&tilts.columns).filter_map(place).collect();
        Ok(Box::new(move |rows: Range<usize>, out: &mut Vec<f64>| {
            out.clear();
            out.resize(rows.len() * directions * classes, 0.0);
            let mut all = Vec::new();
            self.tilted.tilt(rows.clone(), &mut all);
            for &(place, class, column) in &terms {
                let changes = out.chunks_exact_mut(classes).skip(place).step_by(directions);
                for ((now, tilt), change) in all.chunks_exact(classes).zip(&column[rows.clone()]).zip(changes) {
                    add_slope(now, class, *tilt, change);
                }
            }
        }))
    }

    /// The largest tilt of each term, which `p (1 − p)` or `p p'` makes smaller still.
    fn bounds(&self, _: &Features) -> Vec<f64> {
        let tilts = &self.tilted.rows.tilts;
        let mut bounds = vec![0.0; self.basis.len()];
        for (term, column) in tilts.terms.iter().zip(&tilts.columns) {
            let Some(place) = self.basis.iter().position(|&multiplier| multiplier == term.0) else { continue };
            bounds[place] += largest_size(column);
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

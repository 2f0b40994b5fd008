//! From multipliers to weights: the closed form of the paper.
//!
//! `w(x,y) = w̃(x,y) / Σ_y' w̃(x,y')` with `w̃(x,y) = exp(Σ_k λ_k t_k(x,y))`
//! [Jiang & Nachum 2019, Cor. 1 and Thm. 1]. How λ enters the exponent, `t`, is the [`Tilt`].

use serde::{Deserialize, Serialize};

use super::form::{Constraint, Reference};
use super::functional::Functional;
use crate::cells::Cells;

/// How multipliers enter the exponent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tilt {
    /// Bare membership, `1[x ∈ G]`, as Algorithms 1 and 2 print it. Leaves a free global shift.
    Paper,
    /// The theory's `g/Z − 1`, with Z the share of the group among the rows the constraint
    /// speaks of, so that the tilt averages to zero over them. A constraint with a fixed
    /// target has no overall rate to be centred on: there it is `g/Z`.
    #[default]
    Centred,
}

/// What each multiplier adds to each exponent of each cell.
#[derive(Debug, Clone)]
pub struct TiltTable {
    cells: usize,
    classes: usize,
    /// Per multiplier: (cell, class, coefficient).
    entries: Vec<Vec<(usize, usize, f64)>>,
    /// Per multiplier: how much of a step in membership units it takes.
    scales: Vec<f64>,
}

impl TiltTable {
    /// Lays out the exponents of constraints on the cells they are bound to.
    pub fn new(constraints: &[Constraint], functionals: &[Option<Functional>], cells: &Cells, tilt: Tilt) -> Self {
        let entries = constraints.iter().zip(functionals).map(|(constraint, functional)| {
            let Some(functional) = functional else { return Vec::new() };
            let coefficient = |cell| {
                let member = if constraint.group.is_none_or(|group| cells.is_in(cell, group)) { 1.0 } else { 0.0 };
                match (tilt, constraint.reference) {
                    (Tilt::Paper, _) => member,
                    (Tilt::Centred, Reference::Overall) => member / functional.share() - 1.0,
                    (Tilt::Centred, Reference::Rate(_) | Reference::AtLeast(_)) => member / functional.share(),
                }
            };
            (0..cells.len())
                .filter(|&cell| constraint.drives.holds(cells.label(cell)))
                .map(|cell| (cell, constraint.event.class(cells.label(cell)), coefficient(cell)))
                .filter(|&(_, _, coefficient)| coefficient != 0.0)
                .collect()
        });
        let scale = |functional: &Option<Functional>| match (tilt, functional) {
            (Tilt::Centred, Some(functional)) => functional.share(),
            _ => 1.0,
        };
        Self {
            cells: cells.len(),
            classes: cells.classes(),
            entries: entries.collect(),
            scales: functionals.iter().map(scale).collect(),
        }
    }

    /// How far a multiplier moves for a step of 1: the group's share Z for the centred tilt.
    ///
    /// `λ (g/Z − 1) = (λ/Z) (g − Z)`: scaled by Z, a step moves the exponent of the group's
    /// own rows by about as much as in the paper's algorithms, however small the group.
    pub fn scale(&self, multiplier: usize) -> f64 {
        self.scales[multiplier]
    }

    /// The exponents `Σ_k λ_k t_k`, cell by cell, a number per class.
    pub fn exponents(&self, multipliers: &[f64]) -> Vec<f64> {
        let mut exponents = vec![0.0; self.cells * self.classes];
        for (entries, multiplier) in self.entries.iter().zip(multipliers) {
            for &(cell, class, coefficient) in entries {
                exponents[cell * self.classes + class] += multiplier * coefficient;
            }
        }
        exponents
    }

    /// The weight of each cell: the softmax of its exponents, at its own label.
    ///
    /// `factor` multiplies the exponents (the authors' notebooks have 2 there).
    pub fn weights(&self, multipliers: &[f64], factor: f64, cells: &Cells) -> Vec<f64> {
        let exponents = self.exponents(multipliers);
        let weight = |(cell, exponents): (usize, &[f64])| {
            let own = exponents[cells.label(cell)];
            // Differences from the own exponent, capped before exp overflows: a weight is never zero.
            exponents.iter().map(|other| (factor * (other - own)).min(700.0).exp()).sum::<f64>().recip()
        };
        exponents.chunks(self.classes).enumerate().map(weight).collect()
    }
}

//! What no row of a model of biased labels adds to a sum exceeds.

/// What the numbers of any row never exceed: the unit of sums follows from it. The formulas are those of `bias_model`, with every probability at most 1
/// and adding up to 1.
pub(super) struct Sizes {
    /// Twice the weight of the heaviest row.
    pub(super) weight: f64,
    /// Per constraint, its tilt, and its part in its violation.
    pub(super) tilts: Vec<f64>,
    pub(super) violations: Vec<f64>,
    /// An exponent, and its derivatives in margins.
    pub(super) exponent: f64,
}

impl Sizes {
    pub(super) fn residual(&self) -> f64 {
        2.0 * self.weight * (1.0 + self.exponent)
    }

    pub(super) fn information(&self) -> f64 {
        self.residual() * (1.0 + self.exponent)
    }

    /// Residuals, their derivatives in each multiplier, and those of violations.
    pub(super) fn scattered(&self) -> Vec<f64> {
        let slopes = self.tilts.iter().map(|tilt| self.residual() * tilt);
        let violations = self.violations.iter().map(|violation| 4.0 * self.weight * violation);
        std::iter::once(self.residual()).chain(slopes).chain(violations).collect()
    }

    pub(super) fn tilt_products(&self) -> impl Iterator<Item = f64> {
        self.tilts.iter().flat_map(move |one| self.tilts.iter().map(move |other| 2.0 * self.weight * (one * other)))
    }

    pub(super) fn contrast(&self) -> f64 {
        2.0 * self.weight * self.exponent
    }

    /// Weights, contrasts of exponents, and those of the tilt of each constraint.
    pub(super) fn contrasts(&self) -> impl Iterator<Item = f64> {
        [self.weight, self.contrast()].into_iter().chain(self.tilts.iter().map(|tilt| 2.0 * self.weight * tilt))
    }

    /// By how much a row moves a violation; nothing for a direction that is none's.
    pub(super) fn violation_part(&self, at: usize) -> f64 {
        self.violations.get(at).map_or(0.0, |violation| 2.0 * self.weight * violation)
    }
}

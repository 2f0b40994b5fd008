//! Adam: a gradient step whose length does not depend on the scale of the gradient. [Kingma & Ba 2015, Alg. 1]

/// The usual decay rates of the two moment estimates, and the constant that keeps the division defined.
const FIRST: f64 = 0.9;
const SECOND: f64 = 0.999;
const TINY: f64 = 1e-8;

/// The first and second moment estimates of a gradient.
#[derive(Debug, Clone)]
pub(super) struct Adam {
    rate: f64,
    first: Vec<f64>,
    second: Vec<f64>,
    /// The bias corrections of the two estimates, which start at zero.
    missing: [f64; 2],
}

impl Adam {
    pub(super) fn new(count: usize, rate: f64) -> Self {
        Self { rate, first: vec![0.0; count], second: vec![0.0; count], missing: [1.0; 2] }
    }

    /// Takes one step against a gradient.
    pub(super) fn descend(&mut self, at: &mut [f64], gradient: &[f64]) {
        self.missing[0] *= FIRST;
        self.missing[1] *= SECOND;
        let scales = self.missing.map(|missing| 1.0 - missing);
        let means = self.first.iter_mut().zip(&mut self.second);
        for ((number, slope), (first, second)) in at.iter_mut().zip(gradient).zip(means) {
            *first = FIRST * *first + (1.0 - FIRST) * slope;
            *second = SECOND * *second + (1.0 - SECOND) * slope * slope;
            *number -= self.rate * (*first / scales[0]) / ((*second / scales[1]).sqrt() + TINY);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_step_is_as_long_as_the_rate_whatever_the_gradient() {
        let mut at = [0.0, 1.0];
        Adam::new(2, 0.01).descend(&mut at, &[1e-3, -1e3]);
        assert!((at[0] + 0.01).abs() < 1e-6 && (at[1] - 1.01).abs() < 1e-6, "{at:?}");
    }

    #[test]
    fn a_bowl_is_descended_to_its_bottom() {
        let (mut at, mut adam) = ([3.0], Adam::new(1, 0.05));
        for _ in 0..2000 {
            let gradient = [2.0 * (at[0] - 1.0)];
            adam.descend(&mut at, &gradient);
        }
        assert!((at[0] - 1.0).abs() < 1e-3, "{at:?}");
    }
}

//! Adam: every weight steps by its mean gradient over the root of its mean square. [Kingma & Ba 2015]

use pulp::Arch;

/// How fast means of gradients and of their squares forget, and what keeps a quotient finite: the values of its authors.
const FORGET: f32 = 0.9;
const FORGET_SQUARE: f32 = 0.999;
const SMALLEST: f32 = 1e-8;

/// The means of gradients and of their squares, one of each per weight.
#[derive(Debug, Clone)]
pub(crate) struct Moments {
    pub(crate) first: Vec<f32>,
    pub(crate) second: Vec<f32>,
}

impl Moments {
    pub(crate) fn new(weights: usize) -> Self {
        Self { first: vec![0.0; weights], second: vec![0.0; weights] }
    }
}

/// The learning rate of a step, counted from 1, corrected for means that began at zero.
pub(crate) fn rate(learning_rate: f64, step: usize) -> f32 {
    let power = |base: f32| f64::from(base).powf(step as f64);
    (learning_rate * (1.0 - power(FORGET_SQUARE)).sqrt() / (1.0 - power(FORGET))) as f32
}

/// Moves weights against their gradients. Every weight on its own: nothing depends on how they are cut.
pub(crate) fn update(arch: Arch, weights: &mut [f32], first: &mut [f32], second: &mut [f32], by: &[f32], rate: f32) {
    arch.dispatch(
        #[inline(always)]
        || {
            for (((weight, first), second), gradient) in weights.iter_mut().zip(first).zip(second).zip(by) {
                *first = FORGET * *first + (1.0 - FORGET) * gradient;
                *second = FORGET_SQUARE * *second + (1.0 - FORGET_SQUARE) * (gradient * gradient);
                *weight -= rate * *first / (second.sqrt() + SMALLEST);
            }
        },
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_step_is_the_learning_rate_against_the_sign() {
        let (mut weights, mut moments) = (vec![1.0, 1.0, 1.0], Moments::new(3));
        let gradient = [0.5, -3.0, 0.0];
        update(Arch::new(), &mut weights, &mut moments.first, &mut moments.second, &gradient, rate(0.01, 1));
        for (found, expected) in weights.iter().zip([0.99, 1.01, 1.0]) {
            assert!((found - expected).abs() < 1e-6_f32, "{weights:?}");
        }
    }

    #[test]
    fn two_steps_are_those_of_its_definition() {
        let (mut weights, mut moments) = (vec![0.3], Moments::new(1));
        let (mut m, mut v, mut expected) = (0.0_f64, 0.0_f64, 0.3_f64);
        for (step, gradient) in [(1, 0.2_f32), (2, -0.1)] {
            update(Arch::new(), &mut weights, &mut moments.first, &mut moments.second, &[gradient], rate(0.1, step));
            let g = f64::from(gradient);
            (m, v) = (0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g);
            let power = i32::try_from(step).unwrap();
            let (m_hat, v_hat) = (m / (1.0 - 0.9_f64.powi(power)), v / (1.0 - 0.999_f64.powi(power)));
            expected -= 0.1 * m_hat / (v_hat.sqrt() + 1e-8);
        }
        assert!((f64::from(weights[0]) - expected).abs() < 1e-5, "{} {expected}", weights[0]);
    }
}

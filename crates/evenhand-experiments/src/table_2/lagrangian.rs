//! The Lagrangian approach for a network: weights and multipliers trained jointly. [Eban et al. 2017; Jiang & Nachum 2019, App. F]
//!
//! The rate of a class is bounded from above and from below by hinges on `f`, by how much what comes out for it exceeds what comes out for the best of the others:
//! `[f > 0] ≤ max(0, 1 + f)` and `[f > 0] ≥ 1 − max(0, 1 − f)`. Each bound has a multiplier that grows with its excess over the slack, batch by batch. The
//! learning rate of both is that of the network, as the paper has it here. The slack is the smallest in steps of 5 %, tried in order, whose network is not degenerate.

use evenhand::Result;
use evenhand::learner::{Network, NetworkModel, Training, fit_network};

use super::memory::Watch;

/// The paper's steps of the slack.
const SLACK_STEP: f64 = 0.05;

/// What is asked of a class.
#[derive(Debug, Clone, Copy)]
pub(super) struct Asked {
    pub(super) class: usize,
    pub(super) rate: f64,
}

/// A network that is not degenerate, its slack, and how many were trained.
pub(super) fn train(
    network: &Network,
    training: Training<'_>,
    asked: Asked,
    is_degenerate: &dyn Fn(&NetworkModel) -> Result<bool>,
    watch: &Watch<'_>,
) -> Result<(NetworkModel, f64, usize)> {
    let mut trainings = 0;
    loop {
        let slack = SLACK_STEP * trainings as f64;
        let mut multipliers = Multipliers { asked, slack, rate: network.learning_rate, values: [0.0; 2] };
        let classes = training.classes;
        let mut adjust = |_: &[usize], outputs: &[f32], errors: &mut [f32]| multipliers.step(outputs, classes, errors);
        let model = fit_network(network, training, &mut adjust, watch)?;
        trainings += 1;
        if slack >= 1.0 - asked.rate || !is_degenerate(&model)? {
            return Ok((model, slack, trainings));
        }
    }
}

/// The multipliers of both bounds.
struct Multipliers {
    asked: Asked,
    slack: f64,
    rate: f64,
    values: [f64; 2],
}

impl Multipliers {
    /// Adds the derivative of the relaxed bounds to that of the loss, and moves the multipliers by their excess.
    fn step(&mut self, outputs: &[f32], classes: usize, errors: &mut [f32]) {
        let Asked { class, rate } = self.asked;
        let rows = outputs.len() / classes;
        let share = 1.0 / rows as f64;
        let mut hinges = [0.0; 2];
        for (line, errors) in outputs.chunks_exact(classes).zip(errors.chunks_exact_mut(classes)) {
            let other = best_other(line, class);
            let margin = f64::from(line[class] - line[other]);
            let [above, below] = [1.0 + margin, 1.0 - margin];
            hinges = [hinges[0] + share * above.max(0.0), hinges[1] + share * below.max(0.0)];
            let slope =
                |hinge: f64, sign: f64, multiplier: f64| if hinge > 0.0 { sign * multiplier * share } else { 0.0 };
            let slope = (slope(above, 1.0, self.values[0]) + slope(below, -1.0, self.values[1])) as f32;
            errors[class] += slope;
            errors[other] -= slope;
        }
        // By how much more than the rate is predicted, and how much less, as the hinges have it.
        let excess = [hinges[0] - rate - self.slack, rate - (1.0 - hinges[1]) - self.slack];
        for (value, excess) in self.values.iter_mut().zip(excess) {
            *value = (*value + self.rate * excess).max(0.0);
        }
    }
}

fn best_other(line: &[f32], class: usize) -> usize {
    let mut best = usize::from(class == 0);
    for (at, output) in line.iter().enumerate() {
        if at != class && *output > line[best] {
            best = at;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_derivative_is_that_of_the_relaxed_bounds() {
        let asked = Asked { class: 1, rate: 0.1 };
        let values = [0.7, 0.3];
        let outputs = [0.2_f32, 0.6, -0.1, 1.0, -1.5, 0.4, 0.0, 0.3, 2.0];
        let relaxed = |outputs: &[f32]| -> f64 {
            let margins = outputs.chunks(3).map(|line| f64::from(line[1] - line[0].max(line[2])));
            margins.map(|f| (values[0] * (1.0 + f).max(0.0) + values[1] * (1.0 - f).max(0.0)) / 3.0).sum()
        };
        let mut errors = [0.0_f32; 9];
        let mut multipliers = Multipliers { asked, slack: 0.0, rate: 0.01, values };
        multipliers.step(&outputs, 3, &mut errors);
        for at in 0..9 {
            let moved = |by: f32| {
                let mut outputs = outputs;
                outputs[at] += by;
                relaxed(&outputs)
            };
            let slope = (moved(0.01) - moved(-0.01)) / 0.02;
            assert!((f64::from(errors[at]) - slope).abs() < 1e-4, "{at}: {} {slope}", errors[at]);
        }
        // Hinges above: 1.4, 0, 0 of three rows; below: 0.6, 3.5, 2.7. Both exceed what is asked, and both multipliers grow.
        let expected = [0.7 + 0.01 * (1.4 / 3.0 - 0.1), 0.3 + 0.01 * (0.1 - 1.0 + 6.8 / 3.0)];
        for (found, expected) in multipliers.values.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-6, "{found} {expected}");
        }
    }
}

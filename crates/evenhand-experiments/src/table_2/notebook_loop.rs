//! The paper's loop as the authors' notebook ran it on MNIST.
//!
//! Rows labelled 2 weigh σ(2λ) and all others ½, where the paper's text has a softmax over all classes; λ begins at 0 and moves against how far
//! the share of training rows decided for 2 is from the asked rate, by a step of 1. Each loop trains a network anew.

use std::sync::Arc;

use evenhand::learner::{NetworkModel, Training};
use evenhand::{Learner, Result, Weights};

use super::memory::Remembering;

/// The network of the last loop, and the logarithm of how much rows of the class weighed more than others.
pub(super) fn train(
    learner: &Remembering<'_>,
    unweighted: Training<'_>,
    class: usize,
    rate: f64,
    loops: usize,
    decided: &dyn Fn(&NetworkModel) -> Result<f64>,
) -> Result<(Arc<NetworkModel>, f64)> {
    let mut lambda = 0.0;
    let mut at = 1;
    loop {
        let weight = of_class(lambda);
        let weights = unweighted.labels.iter().map(|label| if label == class { weight } else { 0.5 }).collect();
        let weights = Weights::of_rows(weights)?;
        let model = learner.fit(Training { weights: &weights, ..unweighted }, &mut ())?;
        if at >= loops {
            return Ok((model, (2.0 * weight).ln()));
        }
        lambda -= decided(&model)? - rate;
        at += 1;
    }
}

/// σ(2λ).
fn of_class(lambda: f64) -> f64 {
    1.0 / (1.0 + (-2.0 * lambda).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_those_of_the_notebook() {
        assert!((of_class(0.0) - 0.5).abs() < 1e-15);
        // The odds of σ(2λ) are exp(2λ).
        let weight = of_class(-0.7);
        assert!((weight / (1.0 - weight) - (-1.4_f64).exp()).abs() < 1e-12);
    }
}

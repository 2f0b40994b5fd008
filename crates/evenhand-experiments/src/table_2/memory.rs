//! A learner that remembers: what was trained once with some weights is not trained again.
//!
//! Rows are drawn in proportion to weights, so that weights of 1 and of ½ throughout lead to the same network, bit for bit. Several methods begin with that one.

use std::sync::{Arc, Mutex, PoisonError};

use evenhand::learner::{Network, NetworkModel, Training, fit_network};
use evenhand::{Learner, Result};

/// Called after every step with how many are done, and of how many.
pub(super) type Watch<'a> = dyn Fn(usize, usize) -> bool + Sync + 'a;

/// Networks by their weights.
#[derive(Debug, Default)]
pub(super) struct Memory {
    known: Mutex<Vec<(Vec<f64>, Place)>>,
}

/// Where a network is put once it is trained. Held while it is: who wants the same one waits for it.
type Place = Arc<Mutex<Option<Arc<NetworkModel>>>>;

impl Memory {
    fn place(&self, key: Vec<f64>) -> Place {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, place)) = known.iter().find(|(weights, _)| *weights == key) {
            return place.clone();
        }
        let place = Place::default();
        known.push((key, place.clone()));
        place
    }
}

/// Trains, unless it remembers.
pub(super) struct Remembering<'a> {
    pub(super) network: &'a Network,
    pub(super) memory: &'a Memory,
    pub(super) watch: &'a Watch<'a>,
}

impl Learner for Remembering<'_> {
    type Predictor = Arc<NetworkModel>;
    type WarmStart = ();

    fn fit(&self, training: Training<'_>, (): &mut ()) -> Result<Arc<NetworkModel>> {
        let place = self.memory.place(by_class(&training));
        let mut known = place.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(model) = &*known {
            return Ok(model.clone());
        }
        let model = Arc::new(fit_network(self.network, training, &mut |_, _, _| (), self.watch)?);
        *known = Some(model.clone());
        Ok(model)
    }

    fn is_nonconvex(&self) -> bool {
        self.network.is_nonconvex()
    }
}

/// The weight of each class relative to the largest: all rows of a class weigh the same here.
fn by_class(training: &Training<'_>) -> Vec<f64> {
    let mut weights = vec![0.0_f64; training.classes];
    for (label, weight) in training.labels.iter().zip(training.weights.to_rows()) {
        weights[label] = weight;
    }
    let largest = weights.iter().copied().fold(0.0, f64::max);
    weights.iter().map(|weight| weight / largest).collect()
}

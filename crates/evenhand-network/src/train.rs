//! Training: steps of a batch each, forward, backward, and Adam for every weight.

use std::fmt;

use pulp::Arch;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use crate::adam::{Moments, rate, update};
use crate::batches::Draws;
use crate::inputs::{Gathered, Inputs};
use crate::layer::{Incoming, Layer, UPDATED};
use crate::matrix::is_large;
use crate::model::NetworkModel;
use crate::scaling::Scaling;
use crate::settings::{MOST_NUMBERS, Network, Refused};

/// Is told after every step how many are done, and of how many; true stops the training.
pub type Watch<'a> = dyn Fn(usize, usize) -> bool + Sync + 'a;

/// Changes the derivative of a batch's mean loss with respect to what comes out of the last layer: it is given the rows of the batch, what
/// comes out for each of them, and the derivative of the log loss, class by class.
pub type Adjust<'a> = dyn FnMut(&[usize], &[f32], &mut [f32]) + 'a;

/// Why there is no model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failed {
    /// A setting is out of its range.
    Refused(Refused),
    /// [`Watch`] said so.
    Stopped,
    /// No row has a weight above zero, or weights are no numbers.
    NoWeight,
    /// Weights of the network ran off to infinity.
    Diverged,
}

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(refused) => refused.fmt(f),
            Self::Stopped => f.write_str("the training was stopped"),
            Self::NoWeight => f.write_str("no row has a weight above zero"),
            Self::Diverged => f.write_str("the network's weights ran off to infinity; lower the learning rate"),
        }
    }
}

impl std::error::Error for Failed {}

impl Network {
    /// Trains on rows with a label and a weight each.
    ///
    /// # Errors
    /// [`Failed`].
    ///
    /// # Panics
    /// Where there is not a label below `classes` and a weight for each row.
    pub fn train(
        &self,
        rows: &Inputs<'_>,
        labels: &[usize],
        classes: usize,
        weights: &[f64],
        watch: &Watch<'_>,
    ) -> Result<NetworkModel, Failed> {
        self.train_adjusted(rows, labels, classes, weights, &mut |_, _, _| (), watch)
    }

    /// As [`Network::train`], with something added to the log loss.
    ///
    /// # Errors
    /// [`Failed`].
    ///
    /// # Panics
    /// As [`Network::train`].
    pub fn train_adjusted(
        &self,
        rows: &Inputs<'_>,
        labels: &[usize],
        classes: usize,
        weights: &[f64],
        adjust: &mut Adjust<'_>,
        watch: &Watch<'_>,
    ) -> Result<NetworkModel, Failed> {
        self.check().map_err(Failed::Refused)?;
        assert!(labels.len() == rows.rows() && weights.len() == rows.rows(), "a label and a weight for each row");
        let sizes = self.sizes(rows.width(), classes)?;
        let draws = Draws::new(self.batches, weights).ok_or(Failed::NoWeight)?;
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        let layers = sizes.windows(2).map(|pair| first_weights(pair[0], pair[1], &mut rng)).collect();
        let mut trainer = Trainer::new(layers, self.batch);
        let (order, scaling) = (rows.order(), Scaling::of(rows));
        let place = places(&order);
        let (mut batch, mut gathered) = (vec![0; self.batch], Gathered::default());
        for step in 1..=self.steps {
            draws.draw(&mut rng, &mut batch);
            rows.gather(&batch, &place, &mut gathered);
            scaling.apply(&mut gathered.values);
            trainer.forward(&gathered);
            let (outputs, errors) = trainer.last();
            softmax_errors(outputs, classes, batch.iter().map(|&row| (labels[row], draws.weight(row))), errors);
            adjust(&batch, outputs, errors);
            trainer.backward(&gathered, rate(self.learning_rate, step));
            if watch(step, self.steps) {
                return Err(Failed::Stopped);
            }
        }
        let mut layers = trainer.layers;
        scaling.fold_into(&mut layers[0]);
        let finite = |layer: &Layer| layer.weights.iter().chain(&layer.biases).all(|weight| weight.is_finite());
        if !layers.iter().all(finite) {
            return Err(Failed::Diverged);
        }
        Ok(NetworkModel::of_arranged(layers, &order))
    }

    /// Inputs, hidden layers, classes.
    ///
    /// # Errors
    /// [`Failed::Refused`] where their weights, or what a batch is on its way through them, would not fit into memory.
    fn sizes(&self, width: usize, classes: usize) -> Result<Vec<usize>, Failed> {
        let sizes: Vec<usize> = [width].iter().chain(&self.layers).chain(&[classes]).copied().collect();
        let add = |sum: usize, more: Option<usize>| sum.checked_add(more?).filter(|sum| *sum <= MOST_NUMBERS);
        let weights = |sum, pair: &[usize]| add(sum, pair[0].checked_add(1)?.checked_mul(pair[1]));
        if sizes.windows(2).try_fold(0, weights).is_none() {
            let found: Vec<String> = self.layers.iter().map(ToString::to_string).collect();
            let allowed = "layers with at most 268 million weights in all";
            return Err(Failed::Refused(Refused { name: "layers", found: found.join(","), allowed }));
        }
        if sizes.iter().try_fold(0, |sum, size| add(sum, size.checked_mul(self.batch))).is_none() {
            let allowed = "at most 268 million divided by the number of features and units";
            return Err(Failed::Refused(Refused { name: "batch", found: self.batch.to_string(), allowed }));
        }
        Ok(sizes)
    }
}

/// Weights drawn evenly within ±√(6 / (inputs + outputs)), and biases of zero. [Glorot & Bengio 2010]
fn first_weights(inputs: usize, outputs: usize, rng: &mut ChaCha8Rng) -> Layer {
    let reach = (6.0 / (inputs + outputs) as f64).sqrt();
    let weights = (0..inputs * outputs).map(|_| ((2.0 * rng.random::<f64>() - 1.0) * reach) as f32).collect();
    Layer { inputs, outputs, weights, biases: vec![0.0; outputs] }
}

/// Where each feature is in an order.
pub(crate) fn places(order: &[usize]) -> Vec<u32> {
    let mut place = vec![0; order.len()];
    for (at, &feature) in order.iter().enumerate() {
        place[feature] = at as u32;
    }
    place
}

/// A network while it is trained.
pub(crate) struct Trainer {
    arch: Arch,
    pub(crate) layers: Vec<Layer>,
    moments: Vec<[Moments; 2]>,
    /// What comes out of each layer, and the derivative of the loss with respect to it before the `ReLU`.
    pub(crate) activations: Vec<Vec<f32>>,
    pub(crate) deltas: Vec<Vec<f32>>,
}

impl Trainer {
    pub(crate) fn new(layers: Vec<Layer>, batch: usize) -> Self {
        let buffers = || layers.iter().map(|layer| vec![0.0; batch * layer.outputs]).collect();
        let (activations, deltas) = (buffers(), buffers());
        let moments = layers.iter().map(|layer| [layer.weights.len(), layer.biases.len()].map(Moments::new)).collect();
        Self { arch: Arch::new(), layers, moments, activations, deltas }
    }

    /// What comes out of the last layer, and the derivative of the loss with respect to it.
    pub(crate) fn last(&mut self) -> (&[f32], &mut [f32]) {
        let last = self.layers.len() - 1;
        (&self.activations[last], &mut self.deltas[last])
    }

    /// Carries the derivative from the last layer to the first, and updates each.
    pub(crate) fn backward(&mut self, batch: &Gathered, rate: f32) {
        for at in (0..self.layers.len()).rev() {
            let large = is_large(self.layers[at].weights.len().saturating_mul(batch.len()));
            let (before, own) = self.deltas.split_at_mut(at);
            if let (Some(before), Some(activations)) =
                (before.last_mut(), at.checked_sub(1).map(|at| &self.activations[at]))
            {
                self.layers[at].backward(&own[0], activations, large, before);
            }
            self.update(at, batch, large, rate);
        }
    }

    /// Fills the activations of every layer.
    pub(crate) fn forward(&mut self, batch: &Gathered) {
        let last = self.layers.len() - 1;
        for (at, layer) in self.layers.iter().enumerate() {
            let large = is_large(layer.weights.len().saturating_mul(batch.len()));
            let (before, own) = self.activations.split_at_mut(at);
            let incoming = match before.last() {
                Some(before) => Incoming::activations(batch.len(), before),
                None => Incoming::gathered(batch),
            };
            layer.forward(incoming, at < last, large, &mut own[0]);
        }
    }

    /// Gradients of a layer's weights, a block of inputs at a time, and Adam's step for them.
    fn update(&mut self, at: usize, batch: &Gathered, large: bool, rate: f32) {
        let Self { arch, layers, moments, activations, deltas } = self;
        let incoming = match at.checked_sub(1) {
            Some(before) => Incoming::activations(batch.len(), &activations[before]),
            None => Incoming::gathered(batch),
        };
        let ([of_weights, of_biases], delta, arch) = (&mut moments[at], &deltas[at], *arch);
        let biases = layers[at].bias_gradient(delta);
        update(arch, &mut layers[at].biases, &mut of_biases.first, &mut of_biases.second, &biases, rate);

        let mut weights = std::mem::take(&mut layers[at].weights);
        let layer = &layers[at];
        let block = UPDATED * layer.outputs;
        let work =
            |gradient: &mut Vec<f32>, place: usize, weights: &mut [f32], first: &mut [f32], second: &mut [f32]| {
                gradient.resize(weights.len(), 0.0);
                let start = place * UPDATED;
                layer.gradient(incoming, delta, start..start + weights.len() / layer.outputs, gradient);
                update(arch, weights, first, second, gradient, rate);
            };
        if large {
            let moments = of_weights.first.par_chunks_mut(block).zip(of_weights.second.par_chunks_mut(block));
            let blocks = weights.par_chunks_mut(block).zip(moments).enumerate();
            blocks.for_each_init(Vec::new, |gradient, (place, (weights, (first, second)))| {
                work(gradient, place, weights, first, second);
            });
        } else {
            let moments = of_weights.first.chunks_mut(block).zip(of_weights.second.chunks_mut(block));
            let mut gradient = Vec::new();
            for (place, (weights, (first, second))) in weights.chunks_mut(block).zip(moments).enumerate() {
                work(&mut gradient, place, weights, first, second);
            }
        }
        layers[at].weights = weights;
    }
}

/// The derivative of the mean weighted log loss with respect to the last layer's output: `(probability − 1[label]) · weight / rows`.
pub(crate) fn softmax_errors(
    outputs: &[f32],
    classes: usize,
    wanted: impl Iterator<Item = (usize, f32)>,
    errors: &mut [f32],
) {
    let rows = (outputs.len() / classes) as f32;
    for ((line, errors), (label, weight)) in
        outputs.chunks_exact(classes).zip(errors.chunks_exact_mut(classes)).zip(wanted)
    {
        let largest = line.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let mut sum = 0.0;
        for (error, output) in errors.iter_mut().zip(line) {
            // Less the largest, so that exp cannot overflow.
            *error = (output - largest).exp();
            sum += *error;
        }
        let factor = weight / rows;
        for (class, error) in errors.iter_mut().enumerate() {
            *error = (*error / sum - f32::from(u8::from(class == label))) * factor;
        }
    }
}

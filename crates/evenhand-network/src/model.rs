//! What training leaves behind: probabilities, and a form to be saved in.
//!
//! Saved are the sizes of layers and one text of all weights, four bytes each, little end first, in base64: no code is in it, and what is
//! read is checked against the sizes before it is used.

use std::ops::Range;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};

use crate::inputs::{Gathered, Inputs};
use crate::layer::{Incoming, Layer};
use crate::settings::MOST_NUMBERS;
use crate::train::places;

/// A trained network.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Record", into = "Record")]
pub struct NetworkModel {
    /// The first with its inputs in the order of features.
    layers: Vec<Layer>,
}

/// A network as it is saved.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Record {
    /// Inputs, hidden layers, classes.
    sizes: Vec<usize>,
    /// By layer: the weights of each input, and the biases.
    weights: String,
}

impl NetworkModel {
    /// Of layers whose inputs are in some order of features.
    pub(crate) fn of_arranged(mut layers: Vec<Layer>, order: &[usize]) -> Self {
        let width = layers[0].outputs;
        let mut weights = vec![0.0; layers[0].weights.len()];
        for (from, &feature) in layers[0].weights.chunks_exact(width).zip(order) {
            weights[feature * width..(feature + 1) * width].copy_from_slice(from);
        }
        layers[0].weights = weights;
        Self { layers }
    }

    /// How many features go in.
    pub fn width(&self) -> usize {
        self.layers[0].inputs
    }

    /// How many classes come out.
    pub fn classes(&self) -> usize {
        self.layers[self.layers.len() - 1].outputs
    }

    /// The units of the hidden layers.
    pub fn hidden(&self) -> Vec<usize> {
        self.layers[1..].iter().map(|layer| layer.inputs).collect()
    }

    /// All weights, layer by layer: those of each input, and the biases.
    pub fn weights(&self) -> impl Iterator<Item = f32> {
        self.layers.iter().flat_map(|layer| layer.weights.iter().chain(&layer.biases)).copied()
    }

    /// The network for rows whose numbers are these features: what can be asked for probabilities again and again.
    pub fn arranged(&self, rows: &Inputs<'_>) -> Arranged {
        let order = rows.order();
        let mut layers = self.layers.clone();
        let (width, from) = (layers[0].outputs, &self.layers[0].weights);
        for (to, &feature) in layers[0].weights.chunks_exact_mut(width).zip(&order) {
            to.copy_from_slice(&from[feature * width..(feature + 1) * width]);
        }
        Arranged { layers, place: places(&order) }
    }

    /// The class probabilities of a range of rows, row by row.
    pub fn probabilities(&self, rows: &Inputs<'_>, range: Range<usize>) -> Vec<f64> {
        let mut out = Vec::with_capacity(range.len() * self.classes());
        self.arranged(rows).probabilities(rows, range, &mut out);
        out
    }
}

/// A network with the weights of its first layer in the order of some inputs.
#[derive(Debug, Clone)]
pub struct Arranged {
    layers: Vec<Layer>,
    place: Vec<u32>,
}

/// So many rows are computed together, always: a row has the same bits whichever range it is in.
const TOGETHER: usize = 64;

impl Arranged {
    /// Adds the class probabilities of a range of rows, row by row.
    pub fn probabilities(&self, rows: &Inputs<'_>, range: Range<usize>, out: &mut Vec<f64>) {
        let classes = self.layers[self.layers.len() - 1].outputs;
        let (mut batch, mut buffers) = (Gathered::default(), [Vec::new(), Vec::new()]);
        for start in range.clone().step_by(TOGETHER) {
            let end = (start + TOGETHER).min(range.end);
            // The last row stands in for those that are not there.
            let own: Vec<usize> = (start..start + TOGETHER).map(|row| row.min(end - 1)).collect();
            rows.gather(&own, &self.place, &mut batch);
            let outputs = self.outputs(&batch, &mut buffers);
            for line in outputs.chunks_exact(classes).take(end - start) {
                softmax(line, out);
            }
        }
    }

    /// What comes out of the last layer.
    fn outputs<'a>(&self, batch: &Gathered, [one, other]: &'a mut [Vec<f32>; 2]) -> &'a [f32] {
        let last = self.layers.len() - 1;
        for (at, layer) in self.layers.iter().enumerate() {
            other.resize(TOGETHER * layer.outputs, 0.0);
            let incoming = if at == 0 { Incoming::gathered(batch) } else { Incoming::activations(TOGETHER, one) };
            layer.forward(incoming, at < last, false, other);
            std::mem::swap(one, other);
        }
        one
    }
}

/// Adds probabilities, in double precision so that they sum to one.
fn softmax(line: &[f32], out: &mut Vec<f64>) {
    let largest = line.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let start = out.len();
    out.extend(line.iter().map(|output| (f64::from(*output) - f64::from(largest)).exp()));
    let sum: f64 = out[start..].iter().sum();
    for probability in &mut out[start..] {
        *probability /= sum;
    }
}

impl From<NetworkModel> for Record {
    fn from(model: NetworkModel) -> Self {
        let inputs = model.layers.iter().map(|layer| layer.inputs);
        let sizes = inputs.chain([model.classes()]).collect();
        let bytes: Vec<u8> = model.weights().flat_map(f32::to_le_bytes).collect();
        Self { sizes, weights: STANDARD.encode(bytes) }
    }
}

impl TryFrom<Record> for NetworkModel {
    type Error = String;

    fn try_from(record: Record) -> Result<Self, String> {
        let Record { sizes, weights } = record;
        if sizes.len() < 2 || sizes[1..].contains(&0) || sizes[sizes.len() - 1] < 2 {
            return Err("a network has layers of one unit or more, and two classes or more".into());
        }
        let expected = sizes.windows(2).try_fold(0_usize, |sum, pair| {
            sum.checked_add(pair[0].checked_add(1)?.checked_mul(pair[1])?).filter(|sum| *sum <= MOST_NUMBERS)
        });
        let bytes =
            STANDARD.decode(weights).map_err(|error| format!("the weights of a network are no base64: {error}"))?;
        let found = bytes.len() / 4;
        if bytes.len() % 4 != 0 || Some(found) != expected {
            return Err(format!("a network has {found} weights, and its layers need others"));
        }
        let weights: Vec<f32> =
            bytes.chunks_exact(4).map(|four| f32::from_le_bytes([four[0], four[1], four[2], four[3]])).collect();
        if !weights.iter().all(|weight| weight.is_finite()) {
            return Err("a network has weights that are not finite".into());
        }
        let mut rest = &weights[..];
        let layer = |pair: &[usize]| {
            let (own, after) = rest.split_at((pair[0] + 1) * pair[1]);
            rest = after;
            let (weights, biases) = own.split_at(pair[0] * pair[1]);
            Layer { inputs: pair[0], outputs: pair[1], weights: weights.to_vec(), biases: biases.to_vec() }
        };
        Ok(Self { layers: sizes.windows(2).map(layer).collect() })
    }
}

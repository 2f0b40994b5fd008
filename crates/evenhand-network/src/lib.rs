//! Fully connected classifiers: `ReLU` layers, a softmax, Adam.
//!
//! A [`Network`] is settings; [`Network::train`] makes a [`NetworkModel`] of weighted rows, which gives class probabilities. Rows are [`Inputs`]:
//! numbers, and features that are on or off and never stored as numbers. Nothing here knows groups, constraints or files.
//!
//! - `settings` says what can be set, and what is refused.
//! - `inputs` holds rows, `batches` draws some of them.
//! - `matrix` multiplies, cut in a way that the number of threads does not show in.
//! - `train` is the loop of steps: `forward` and `backward` pass, and `adam` for every weight.
//! - `model` is what is left of it: probabilities, and a form to be saved in.
//!
//! ```
//! use evenhand_network::{Inputs, Network};
//!
//! // Whether two numbers have the same sign.
//! let values: Vec<f32> = (0..400).map(|at| ((at * 7919) % 201) as f32 / 100.0 - 1.0).collect();
//! let labels: Vec<usize> = values.chunks(2).map(|pair| usize::from(pair[0] * pair[1] > 0.0)).collect();
//! let rows = Inputs::numbers(&values, 2);
//! let network = Network { layers: vec![16, 16], steps: 500, ..Network::default() };
//! let model = network.train(&rows, &labels, 2, &vec![1.0; 200], &|_, _| false).unwrap();
//! let probabilities = model.probabilities(&rows, 0..200);
//! let right = labels.iter().zip(probabilities.chunks(2)).filter(|(label, pair)| pair[**label] > 0.5).count();
//! assert!(right > 180, "{right}");
//! ```

mod adam;
mod arithmetic;
mod batches;
mod inputs;
mod layer;
mod matrix;
mod model;
mod scaling;
mod settings;
#[cfg(test)]
mod tests;
mod train;

pub use arithmetic::arithmetic;
pub use inputs::Inputs;
pub use model::{Arranged, NetworkModel};
pub use settings::{Batches, Network, Refused};
pub use train::{Adjust, Failed, Watch};

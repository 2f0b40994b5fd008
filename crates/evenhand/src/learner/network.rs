//! A fully connected network as a learner.
//!
//! The network itself is a crate of its own, `evenhand-network`, which knows nothing of this one; here are encoded rows handed to it. One-hot
//! columns stay codes. It has no derivatives with respect to weights, so that multipliers are found by derivatives that are learnt from fits.

use std::ops::Range;

use evenhand_network::{Adjust, Failed, Inputs};
pub use evenhand_network::{Batches, Network, NetworkModel, arithmetic};

use super::{Learner, Predictor, Scorer, Training};
use crate::features::Features;
use crate::{Error, Result, parallel};

impl Learner for Network {
    type Predictor = NetworkModel;
    type WarmStart = ();

    fn fit(&self, training: Training<'_>, (): &mut ()) -> Result<NetworkModel> {
        fit_network(self, training, &mut |_, _, _| (), &|_, _| false)
    }

    fn is_nonconvex(&self) -> bool {
        true
    }
}

/// A network that tells after every step how many are done, and of how many; true stops it in the middle of a fit, and a correction ends with the
/// fits it has.
#[derive(Clone, Copy)]
pub struct WatchedNetwork<'a> {
    /// What fits.
    pub learner: &'a Network,
    /// Called after every step; true stops the training.
    pub watch: &'a (dyn Fn(usize, usize) -> bool + Sync),
}

impl Learner for WatchedNetwork<'_> {
    type Predictor = NetworkModel;
    type WarmStart = ();

    fn fit(&self, training: Training<'_>, (): &mut ()) -> Result<NetworkModel> {
        fit_network(self.learner, training, &mut |_, _, _| (), self.watch)
    }

    fn is_nonconvex(&self) -> bool {
        true
    }
}

/// Trains a network, with something added to the log loss: see [`Adjust`].
///
/// # Errors
/// As [`Learner::fit`].
pub fn fit_network(
    network: &Network,
    training: Training<'_>,
    adjust: &mut Adjust<'_>,
    watch: &(dyn Fn(usize, usize) -> bool + Sync),
) -> Result<NetworkModel> {
    check(network)?;
    let Training { features, labels, classes, weights } = training;
    let rows = inputs(features, features.range());
    let labels: Vec<usize> = labels.iter().collect();
    let trained = network.train_adjusted(&rows, &labels, classes, &weights.to_rows(), adjust, watch);
    trained.map_err(|failed| match failed {
        Failed::Refused(refused) => Error::setting(refused.name, refused.found, refused.allowed),
        Failed::Stopped => Error::Interrupted,
        Failed::NoWeight => Error::NoWeight { what: "the weights".into() },
        Failed::Diverged => Error::learner(failed.to_string()),
    })
}

/// Whether the settings of a network can be used; fitting asks it first.
///
/// # Errors
/// [`Error::Setting`] for a number out of its range.
pub fn check(network: &Network) -> Result<()> {
    network.check().map_err(|refused| Error::setting(refused.name, refused.found, refused.allowed))
}

impl Predictor for NetworkModel {
    fn on<'a>(&'a self, features: &'a Features) -> Result<Scorer<'a>> {
        if self.width() != features.width() {
            return Err(Error::Length { what: "features", expected: self.width(), found: features.width() });
        }
        let arranged = self.arranged(&inputs(features, 0..0));
        Ok(Box::new(move |rows, out| {
            out.clear();
            let part = inputs(features, rows);
            arranged.probabilities(&part, 0..part.rows(), out);
        }))
    }
}

/// Some rows as a network takes them: numbers in single precision, row by row, and codes as they are.
fn inputs(features: &Features, rows: Range<usize>) -> Inputs<'_> {
    let (dense, first) = (features.dense(), rows.start);
    let mut values = vec![0.0; rows.len() * dense.len()];
    if !dense.is_empty() {
        parallel::fill(&mut values, dense.len(), |part, out| {
            for (at, column) in dense.iter().enumerate() {
                let own = &column.values()[first + part.start..first + part.end];
                for (to, value) in out.iter_mut().skip(at).step_by(dense.len()).zip(own) {
                    *to = *value as f32;
                }
            }
        });
    }
    let numeric = dense.iter().map(|column| column.feature).collect();
    Inputs::new(rows.len(), features.width(), numeric, values, move |row, active| {
        for column in features.coded() {
            active.extend_from_slice(column.active.of(column.codes.get(first + row)));
        }
    })
}

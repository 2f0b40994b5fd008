//! What can be set of a network, and what is refused.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Settings of a network.
///
/// | setting | default | range | effect |
/// |---|---|---|---|
/// | `layers` | 128, 128 | each ≥ 1 | units of the hidden layers; without any it is a linear model |
/// | `steps` | 5,000 | ≥ 1 | how many batches it is trained on |
/// | `batch` | 50 | ≥ 1 | rows of a batch |
/// | `learning_rate` | 0.001 | > 0 | Adam's step |
/// | `batches` | drawn | | how weights count |
/// | `seed` | 0 | | of the first weights and of all batches |
///
/// A value out of range is [`Refused`] at the first fit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Network {
    /// Units of the hidden layers.
    pub layers: Vec<usize>,
    /// How many batches it is trained on.
    pub steps: usize,
    /// Rows of a batch.
    pub batch: usize,
    /// Adam's step.
    pub learning_rate: f64,
    /// How weights count.
    pub batches: Batches,
    /// Of the first weights and of all batches.
    pub seed: u64,
}

/// How the weights of rows count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Batches {
    /// A row is drawn with a probability proportional to its weight. [Jiang & Nachum 2019, as its authors trained on MNIST]
    Drawn,
    /// All rows are drawn alike, and their losses are weighted.
    Weighted,
}

impl Default for Network {
    fn default() -> Self {
        Self { layers: vec![128, 128], steps: 5_000, batch: 50, learning_rate: 1e-3, batches: Batches::Drawn, seed: 0 }
    }
}

/// A setting out of its range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// Which.
    pub name: &'static str,
    /// Its value.
    pub found: String,
    /// What it may be.
    pub allowed: &'static str,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is {}; allowed is {}", self.name, self.found, self.allowed)
    }
}

impl std::error::Error for Refused {}

/// More weights than this take more memory than a model file should: each is four bytes, and training has three of its size. What a batch is in all layers has no
/// more numbers either, and training has two of them.
pub(crate) const MOST_NUMBERS: usize = 1 << 28;

impl Network {
    /// Whether the settings can be used.
    ///
    /// # Errors
    /// [`Refused`] for a number out of its range.
    pub fn check(&self) -> Result<(), Refused> {
        let refuse = |name, found: String, allowed| Err(Refused { name, found, allowed });
        if self.layers.contains(&0) {
            let found: Vec<String> = self.layers.iter().map(ToString::to_string).collect();
            return refuse("layers", found.join(","), "layers of one unit or more");
        }
        if self.steps == 0 {
            return refuse("steps", "0".into(), "one or more");
        }
        if self.batch == 0 {
            return refuse("batch", "0".into(), "one row or more");
        }
        if !(self.learning_rate.is_finite() && self.learning_rate > 0.0) {
            return refuse("learning_rate", self.learning_rate.to_string(), "a finite number above zero");
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_out_of_range_are_refused_by_name() {
        let usual = Network::default();
        usual.check().unwrap();
        let refused = |network: Network| network.check().unwrap_err().to_string();
        assert_eq!(
            refused(Network { layers: vec![8, 0], ..usual.clone() }),
            "`layers` is 8,0; allowed is layers of one unit or more"
        );
        assert!(refused(Network { steps: 0, ..usual.clone() }).starts_with("`steps` is 0"));
        assert!(refused(Network { batch: 0, ..usual.clone() }).starts_with("`batch` is 0"));
        for rate in [f64::NAN, f64::INFINITY, 0.0, -1.0] {
            let found = refused(Network { learning_rate: rate, ..usual.clone() });
            assert!(found.ends_with("allowed is a finite number above zero"), "{found}");
        }
    }
}

//! The options of `--learner network`.

use anyhow::Result;
use clap::{Args, ValueEnum};
use evenhand::learner::{Batches, Network, check_network};

use crate::failure::Usage;

/// What can be set of a network.
#[derive(Debug, Args)]
pub(crate) struct NetworkArgs {
    /// Units of the hidden layers, by commas [default: 128,128].
    #[arg(long, value_name = "NUMBERS", value_delimiter = ',', help_heading = "Network")]
    layers: Option<Vec<usize>>,

    /// How many batches a network is trained on [default: 5000].
    #[arg(long, value_name = "NUMBER", help_heading = "Network")]
    network_steps: Option<usize>,

    /// Rows of a batch [default: 50].
    #[arg(long, value_name = "NUMBER", help_heading = "Network")]
    batch: Option<usize>,

    /// Adam's step [default: 0.001].
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true, help_heading = "Network")]
    learning_rate: Option<f64>,

    /// How weights count: a row is `drawn` with a probability proportional to its weight, as the paper's authors did, or all are drawn alike and losses
    /// are `weighted` [default: drawn].
    #[arg(long, value_enum, help_heading = "Network")]
    batches: Option<BatchesArg>,

    /// Seed of the network's first weights and of its batches [default: 0].
    #[arg(long, value_name = "NUMBER", help_heading = "Network")]
    network_seed: Option<u64>,
}

/// How weights count.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum BatchesArg {
    Drawn,
    Weighted,
}

impl NetworkArgs {
    /// The settings, checked.
    pub(super) fn network(&self) -> Result<Network> {
        let usual = Network::default();
        let network = Network {
            layers: self.layers.clone().unwrap_or(usual.layers),
            steps: self.network_steps.unwrap_or(usual.steps),
            batch: self.batch.unwrap_or(usual.batch),
            learning_rate: self.learning_rate.unwrap_or(usual.learning_rate),
            batches: match self.batches {
                Some(BatchesArg::Weighted) => Batches::Weighted,
                Some(BatchesArg::Drawn) | None => usual.batches,
            },
            seed: self.network_seed.unwrap_or(usual.seed),
        };
        check_network(&network)?;
        Ok(network)
    }

    /// Refuses options of a network where none learns.
    pub(super) fn check_idle(&self) -> Result<()> {
        let given = [
            ("--layers", self.layers.is_some()),
            ("--network-steps", self.network_steps.is_some()),
            ("--batch", self.batch.is_some()),
            ("--learning-rate", self.learning_rate.is_some()),
            ("--batches", self.batches.is_some()),
            ("--network-seed", self.network_seed.is_some()),
        ];
        match given.into_iter().find(|(_, given)| *given) {
            Some((option, _)) => {
                let message = format!("{option} goes with --learner network, and no network learns");
                Err(Usage::new(message).hint("give --learner network too, or leave it out").into())
            }
            None => Ok(()),
        }
    }
}

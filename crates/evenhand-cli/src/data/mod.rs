//! `evenhand data`: public datasets by name.
//!
//! `list` says which there are, `get` puts them into a folder; `cache` is the folder they go to by
//! default, `fetch` brings one file over the network, `unpack` takes one out of an archive. Where
//! datasets are published, and what their files hash to, is the library's.

mod cache;
#[cfg(feature = "download")]
mod fetch;
mod get;
mod list;
mod unpack;

pub(crate) use cache::folder_of;

use anyhow::Result;
use clap::{Args, Subcommand};

use crate::Ending;

/// Public datasets by name: list them, or get them from where they are published.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct DataCommandArgs {
    /// What to do.
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    List(list::ListArgs),
    Get(get::GetArgs),
}

const EXAMPLES: &str = "\
Examples:
  evenhand data list
  evenhand data get adult
  evenhand fit --recipe adult --notion demographic-parity";

impl DataCommandArgs {
    /// Whether the output is asked for as JSON.
    pub(crate) fn json(&self) -> bool {
        match &self.action {
            Action::List(args) => args.json,
            Action::Get(args) => args.json,
        }
    }
}

/// What `data list` writes as JSON.
#[cfg(test)]
pub(crate) fn list_schema() -> schemars::Schema {
    list::schema()
}

/// What `data get` writes as JSON.
#[cfg(test)]
pub(crate) fn get_schema() -> schemars::Schema {
    get::schema()
}

pub(crate) fn run(args: &DataCommandArgs) -> Result<Ending> {
    match &args.action {
        Action::List(args) => list::run(args),
        Action::Get(args) => get::run(args),
    }
}

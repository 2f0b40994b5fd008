//! `evenhand data list`: the datasets there are.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use evenhand_datasets::{CatalogueEntry, PublishedFile, Recipe};
use serde::Serialize;

use super::cache::cache;
use crate::Ending;
use crate::output;
use crate::text::megabytes;

/// List the public datasets: what they ask, their files, size and licence, and which are here.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct ListArgs {
    /// Write the list as JSON.
    #[arg(long)]
    pub(super) json: bool,
}

const EXAMPLES: &str = "\
Example:
  evenhand data list --json

JSON keys: cache, datasets (name, about, recipe, differs (from the paper's text, if it does),
licence, citation, bytes, cached, folder, files); of a file: name, url, sha256 (of the unpacked
content, any of these), bytes (unpacked).";

/// What is shown. The keys are stable.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Report {
    /// Where `evenhand data get` puts datasets.
    cache: PathBuf,
    /// The datasets.
    datasets: Vec<Dataset>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Dataset {
    /// What it is called.
    name: &'static str,
    /// What it asks.
    about: &'static str,
    /// Whether `--recipe` knows it.
    recipe: bool,
    /// How the recipe differs from the paper's text.
    #[serde(skip_serializing_if = "Option::is_none")]
    differs: Option<&'static str>,
    /// Under which licence it is published.
    licence: &'static str,
    /// What to cite.
    citation: &'static str,
    /// Its size, unpacked.
    bytes: u64,
    /// Whether all its files are here.
    cached: bool,
    /// Where they are, if they are here.
    folder: Option<PathBuf>,
    /// Its files.
    files: Vec<File>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct File {
    /// What it is called.
    name: &'static str,
    /// Where it is published.
    url: &'static str,
    /// What its content hashes to: one of these.
    sha256: &'static [&'static str],
    /// Its size, unpacked.
    bytes: u64,
}

/// What is written as JSON.
#[cfg(test)]
pub(super) fn schema() -> schemars::Schema {
    crate::schemas::of::<Report>()
}

pub(super) fn run(args: &ListArgs) -> Result<Ending> {
    let cache = cache()?;
    let datasets =
        CatalogueEntry::all().iter().map(|entry| Dataset::new(entry, entry.find(&cache.join(entry.name)))).collect();
    let report = Report { cache, datasets };
    output::report(args.json, &report, &[], || report.to_text())?;
    Ok(Ending::Fine)
}

impl Dataset {
    fn new(entry: &CatalogueEntry, folder: Option<PathBuf>) -> Self {
        let file = |&PublishedFile { name, url, sha256, bytes, .. }: &PublishedFile| File { name, url, sha256, bytes };
        Self {
            name: entry.name,
            about: entry.about,
            recipe: Recipe::names().any(|name| name == entry.name),
            differs: Recipe::named(entry.name).ok().and_then(Recipe::differs),
            licence: entry.licence,
            citation: entry.citation,
            bytes: entry.bytes(),
            cached: folder.is_some(),
            folder,
            files: entry.files.iter().map(file).collect(),
        }
    }

    fn to_text(&self) -> String {
        let files: Vec<&str> = self.files.iter().map(|file| file.name).collect();
        let differs = self.differs.map(|how| format!("{:13}recipe: {how}\n", "")).unwrap_or_default();
        let here = if self.cached { "here" } else { "not here" };
        format!(
            "{:12} {}\n{:13}{here}; {}; {}; {}\n{differs}",
            self.name,
            self.about,
            "",
            megabytes(self.bytes),
            self.licence,
            files.join(", "),
        )
    }
}

impl Report {
    fn to_text(&self) -> String {
        let datasets: Vec<String> = self.datasets.iter().map(Dataset::to_text).collect();
        let next = "Get one with: evenhand data get NAME. Whom to cite, and where they are published: --json";
        format!("{}\nHere is {}. {next}\n", datasets.concat(), self.cache.display())
    }
}

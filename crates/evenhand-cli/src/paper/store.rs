//! What was measured, stored cell by cell: a run that was cut off goes on where it was.
//!
//! A line of JSON a cell, appended when it is measured. A line that was cut off is measured again.

use std::fs::{self, File, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use evenhand::Notion;
use evenhand_experiments::{Measured, PaperMethod};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// Something that is measured once.
pub(super) trait Kept: Serialize + DeserializeOwned {
    /// The file of such things in the folder of results.
    const FILE: &str;

    /// What distinguishes one from another.
    type Key: PartialEq;

    fn key(&self) -> &Self::Key;

    /// What measured it: cells of another version are not taken for those of this one.
    fn software(&self) -> &str;
}

/// Which cell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Key {
    pub(super) dataset: String,
    pub(super) notion: Notion,
    #[serde(rename = "method")]
    pub(super) method: PaperMethod,
    /// The seed of its split; none of the published one.
    #[serde(rename = "split")]
    pub(super) draw: Option<u64>,
}

/// A cell as it was measured.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Cell {
    #[serde(flatten)]
    pub(super) key: Key,
    #[serde(flatten)]
    pub(super) measured: Measured,
    pub(super) seconds: f64,
    software: String,
}

pub(super) const SOFTWARE: &str = concat!("evenhand ", env!("CARGO_PKG_VERSION"));

impl Cell {
    pub(super) fn new(key: Key, measured: Measured, seconds: f64) -> Self {
        Self { key, measured, seconds, software: SOFTWARE.to_owned() }
    }
}

impl Kept for Cell {
    const FILE: &str = "cells.jsonl";

    type Key = Key;

    fn key(&self) -> &Key {
        &self.key
    }

    fn software(&self) -> &str {
        &self.software
    }
}

/// All cells that are measured, and the file they are stored in.
pub(super) struct Store<C> {
    cells: Vec<C>,
    file: Option<(PathBuf, File)>,
}

impl<C: Kept> Store<C> {
    /// With what the folder has already; it is made where there is none.
    pub(super) fn open(folder: Option<&Path>) -> Result<Self> {
        let Some(folder) = folder else { return Ok(Self { cells: Vec::new(), file: None }) };
        fs::create_dir_all(folder).with_context(|| format!("--out {}", folder.display()))?;
        let path = folder.join(C::FILE);
        let text = if path.exists() {
            fs::read_to_string(&path).with_context(|| path.display().to_string())?
        } else {
            String::new()
        };
        let read = |line: &str| serde_json::from_str(line).ok().filter(|cell: &C| cell.software() == SOFTWARE);
        let cells = text.lines().filter_map(read).collect();
        let mut file =
            OpenOptions::new().create(true).append(true).open(&path).with_context(|| path.display().to_string())?;
        if !text.is_empty() && !text.ends_with('\n') {
            writeln!(file).with_context(|| path.display().to_string())?;
        }
        Ok(Self { cells, file: Some((path, file)) })
    }

    /// Whether a cell is measured.
    pub(super) fn has(&self, key: &C::Key) -> bool {
        self.cells.iter().any(|cell| cell.key() == key)
    }

    /// Adds a cell, and keeps it.
    pub(super) fn add(&mut self, cell: C) -> Result<()> {
        if let Some((path, file)) = &mut self.file {
            let line = serde_json::to_string(&cell)? + "\n";
            file.write_all(line.as_bytes()).with_context(|| path.display().to_string())?;
        }
        self.cells.push(cell);
        Ok(())
    }

    pub(super) fn into_cells(self) -> Vec<C> {
        self.cells
    }
}

//! What was measured, kept cell by cell: a run that was cut off goes on where it was.
//!
//! A line of JSON a cell, appended when it is known. A line that was cut off is measured again.

use std::fs::{self, File, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use evenhand::Notion;
use evenhand::paper::{Contender, Measured};
use serde::{Deserialize, Serialize};

/// The file of cells in the folder of results.
const NAME: &str = "cells.jsonl";

/// Which cell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Key {
    pub(super) dataset: String,
    pub(super) notion: Notion,
    #[serde(rename = "method")]
    pub(super) contender: Contender,
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
    /// What measured it: cells of another version are not taken for those of this one.
    software: String,
}

const SOFTWARE: &str = concat!("evenhand ", env!("CARGO_PKG_VERSION"));

impl Cell {
    pub(super) fn new(key: Key, measured: Measured, seconds: f64) -> Self {
        Self { key, measured, seconds, software: SOFTWARE.to_owned() }
    }
}

/// All cells that are known, and the file they are kept in.
pub(super) struct Store {
    cells: Vec<Cell>,
    file: Option<(PathBuf, File)>,
}

impl Store {
    /// With what the folder has already; it is made where there is none.
    pub(super) fn open(folder: Option<&Path>) -> Result<Self> {
        let Some(folder) = folder else { return Ok(Self { cells: Vec::new(), file: None }) };
        fs::create_dir_all(folder).with_context(|| format!("--out {}", folder.display()))?;
        let path = folder.join(NAME);
        let text = if path.exists() {
            fs::read_to_string(&path).with_context(|| path.display().to_string())?
        } else {
            String::new()
        };
        let read = |line: &str| serde_json::from_str(line).ok().filter(|cell: &Cell| cell.software == SOFTWARE);
        let cells = text.lines().filter_map(read).collect();
        let mut file =
            OpenOptions::new().create(true).append(true).open(&path).with_context(|| path.display().to_string())?;
        if !text.is_empty() && !text.ends_with('\n') {
            writeln!(file).with_context(|| path.display().to_string())?;
        }
        Ok(Self { cells, file: Some((path, file)) })
    }

    /// Whether a cell is known.
    pub(super) fn has(&self, key: &Key) -> bool {
        self.cells.iter().any(|cell| cell.key == *key)
    }

    /// Adds a cell, and keeps it.
    pub(super) fn add(&mut self, cell: Cell) -> Result<()> {
        if let Some((path, file)) = &mut self.file {
            let line = serde_json::to_string(&cell)? + "\n";
            file.write_all(line.as_bytes()).with_context(|| path.display().to_string())?;
        }
        self.cells.push(cell);
        Ok(())
    }

    pub(super) fn into_cells(self) -> Vec<Cell> {
        self.cells
    }
}

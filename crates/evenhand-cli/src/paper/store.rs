//! What was measured, stored cell by cell: a run that was cut off goes on where it was.
//!
//! A line of JSON a cell, appended when it is measured. A line that was cut off is measured again.

use std::fs::{self, File, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use anyhow::{Context as _, Result};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// What is measured once: what distinguishes it from others of its kind.
pub(super) trait Key: PartialEq + Serialize + DeserializeOwned {
    /// The file of such things in the folder of results.
    const FILE: &str;

    /// What is found by measuring.
    type Value: Serialize + DeserializeOwned;
}

/// A cell as it was measured.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(bound = "")]
pub(super) struct Cell<K: Key> {
    #[serde(flatten)]
    pub(super) key: K,
    #[serde(flatten)]
    pub(super) value: K::Value,
    /// What measured it: cells of another version are not taken for those of this one.
    software: String,
}

const SOFTWARE: &str = concat!("evenhand ", env!("CARGO_PKG_VERSION"));

/// All cells that are measured, and the file they are stored in; any thread may add one.
pub(super) struct Store<K: Key> {
    kept: Mutex<KeptCells<K>>,
}

struct KeptCells<K: Key> {
    cells: Vec<Cell<K>>,
    file: Option<(PathBuf, File)>,
}

impl<K: Key> Store<K> {
    /// With what the folder has already; it is made where there is none.
    pub(super) fn open(folder: Option<&Path>) -> Result<Self> {
        let Some(folder) = folder else { return Ok(Self::of(Vec::new(), None)) };
        fs::create_dir_all(folder).with_context(|| format!("--out {}", folder.display()))?;
        let path = folder.join(K::FILE);
        let text = if path.exists() {
            fs::read_to_string(&path).with_context(|| path.display().to_string())?
        } else {
            String::new()
        };
        let read = |line: &str| serde_json::from_str(line).ok().filter(|cell: &Cell<K>| cell.software == SOFTWARE);
        let cells = text.lines().filter_map(read).collect();
        let mut file =
            OpenOptions::new().create(true).append(true).open(&path).with_context(|| path.display().to_string())?;
        if !text.is_empty() && !text.ends_with('\n') {
            writeln!(file).with_context(|| path.display().to_string())?;
        }
        Ok(Self::of(cells, Some((path, file))))
    }

    fn of(cells: Vec<Cell<K>>, file: Option<(PathBuf, File)>) -> Self {
        Self { kept: Mutex::new(KeptCells { cells, file }) }
    }

    /// Whether a cell is measured.
    pub(super) fn has(&self, key: &K) -> bool {
        self.kept.lock().expect(NO_PANIC).cells.iter().any(|cell| cell.key == *key)
    }

    /// Adds a cell, and keeps it.
    pub(super) fn add(&self, key: K, value: K::Value) -> Result<()> {
        let cell = Cell { key, value, software: SOFTWARE.to_owned() };
        let KeptCells { cells, file } = &mut *self.kept.lock().expect(NO_PANIC);
        if let Some((path, file)) = file {
            let line = serde_json::to_string(&cell)? + "\n";
            file.write_all(line.as_bytes()).with_context(|| path.display().to_string())?;
        }
        cells.push(cell);
        Ok(())
    }

    pub(super) fn into_cells(self) -> Vec<Cell<K>> {
        self.kept.into_inner().expect(NO_PANIC).cells
    }
}

const NO_PANIC: &str = "no thread panics with it";

//! Where tests find the public datasets.
//!
//! They are not in this repository: `EVENHAND_DATA` names the folder that holds one folder
//! for each. Without it tests that need them are skipped, and say so; with
//! `EVENHAND_DATA_REQUIRED=1` its absence is a failure.

use std::io::Write as _;
use std::path::{Path, PathBuf};

/// The folder of a dataset, where there is one.
pub(crate) fn data_folder(dataset: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("EVENHAND_DATA").map(|root| Path::new(&root).join(dataset));
    let found = folder.filter(|folder| folder.is_dir());
    if found.is_none() {
        let required = std::env::var("EVENHAND_DATA_REQUIRED").is_ok_and(|value| value == "1");
        assert!(!required, "{dataset}: EVENHAND_DATA must name the folder that holds the datasets");
        // Not by a macro, whose output a test that passes does not show.
        let _ = writeln!(std::io::stderr(), "SKIPPED: EVENHAND_DATA names no folder that holds {dataset}");
    }
    found
}

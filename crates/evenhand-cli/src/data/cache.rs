//! The folder that datasets go to, and where one of them is found.

use std::path::{Path, PathBuf};

use anyhow::Result;
use evenhand_datasets::CatalogueEntry;

use crate::failure::Usage;

/// Names the folder in place of the platform's own.
const VARIABLE: &str = "EVENHAND_CACHE";

/// The folder that holds one folder for each dataset; it need not be there yet.
///
/// # Errors
/// [`Usage`] where neither the environment nor the platform names one.
pub(super) fn cache() -> Result<PathBuf> {
    let named = std::env::var_os(VARIABLE).filter(|named| !named.is_empty()).map(PathBuf::from);
    named.or_else(|| dirs::cache_dir().map(|folder| folder.join("evenhand"))).ok_or_else(|| {
        let message = "this system names no folder for caches";
        Usage::new(message).hint(format!("name one in the environment: {VARIABLE}=DIR")).into()
    })
}

/// The folder with the files of a dataset: in `folder` or one of its name inside it, or without any in the cache.
///
/// # Errors
/// [`Usage`] where a file is not there, with how to get it.
pub(crate) fn folder_of(entry: &CatalogueEntry, folder: Option<&Path>) -> Result<PathBuf> {
    let name = entry.name;
    if let Some(folder) = folder {
        return entry.find(folder).ok_or_else(|| {
            let files: Vec<&str> = entry.files.iter().map(|file| file.name).collect();
            let message = format!("{}: the files of {name} are not all there: {}", folder.display(), files.join(", "));
            Usage::new(message)
                .code("dataset-absent")
                .hint(format!("get them: evenhand data get {name} --into '{}'", folder.display()))
                .into()
        });
    }
    let cache = cache()?;
    entry.find(&cache.join(name)).ok_or_else(|| {
        let message = format!("the dataset {name} is not in {}", cache.display());
        Usage::new(message)
            .code("dataset-absent")
            .hint(format!("get it: evenhand data get {name}; or name a folder that has it with --data DIR"))
            .into()
    })
}

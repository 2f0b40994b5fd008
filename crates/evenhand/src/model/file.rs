//! A model on disk: written whole or not at all, read only if every byte is as written.
//!
//! The file is a short head, the body, and a tail; the head holds the SHA-256 of the body's
//! bytes. On reading, the whole file is made again from its parts and compared, so a byte
//! changed anywhere is found.

use std::path::Path;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::Model;
use crate::data::{digest_text as digest, write_atomically};
use crate::{Cause, Error, Result};

/// The version of the format this program writes and reads.
pub const FORMAT_VERSION: u64 = 1;

const FORMAT: &str = "evenhand-model";

#[derive(Deserialize)]
struct Envelope {
    format: String,
    version: u64,
}

#[derive(Deserialize)]
struct Whole<'a> {
    sha256: String,
    #[serde(borrow)]
    model: &'a RawValue,
}

impl Model {
    /// Writes the model beside its place and moves it there.
    ///
    /// # Errors
    /// [`Error::Io`] when the file cannot be written.
    pub fn save(&self, path: &Path) -> Result<()> {
        let body = self.to_json()?;
        write_atomically(path, |out| out.write_all(render(FORMAT_VERSION, &digest(&body), &body).as_bytes()))
    }

    /// The body of the file: the model as indented JSON.
    ///
    /// # Errors
    /// [`Error::ModelFormat`] when a number is not finite.
    pub fn to_json(&self) -> Result<String> {
        serde_json::to_string_pretty(self)
            .map_err(|error| Error::ModelFormat { path: "(in memory)".into(), source: error.into() })
    }

    /// A model from the body of a file, as [`Model::to_json`] wrote it.
    ///
    /// # Errors
    /// [`Error::ModelFormat`].
    pub fn from_json(body: &str) -> Result<Self> {
        serde_json::from_str(body)
            .map_err(|error| Error::ModelFormat { path: "(in memory)".into(), source: error.into() })
    }

    /// Reads a model and checks its version and integrity.
    ///
    /// # Errors
    /// [`Error::Io`], [`Error::ModelFormat`], [`Error::ModelVersion`] or [`Error::ModelIntegrity`].
    pub fn load(path: &Path) -> Result<Self> {
        let bytes = std::fs::read(path).map_err(|source| Error::Io { path: path.to_owned(), source })?;
        let wrong = |source: Cause| Error::ModelFormat { path: path.to_owned(), source };
        let text = std::str::from_utf8(&bytes).map_err(|_| wrong("it is not text".into()))?;
        let Envelope { format, version } = serde_json::from_str(text).map_err(|error| wrong(error.into()))?;
        if format != FORMAT {
            return Err(wrong(format!("its format is `{format}`").into()));
        }
        if version != FORMAT_VERSION {
            return Err(Error::ModelVersion { path: path.to_owned(), found: version, expected: FORMAT_VERSION });
        }
        let Whole { sha256, model } = serde_json::from_str(text).map_err(|error| wrong(error.into()))?;
        if render(version, &digest(model.get()), model.get()) != text || sha256 != digest(model.get()) {
            return Err(Error::ModelIntegrity { path: path.to_owned() });
        }
        serde_json::from_str(model.get()).map_err(|error| wrong(error.into()))
    }
}

fn render(version: u64, sha256: &str, body: &str) -> String {
    format!(
        "{{\n\"format\": \"{FORMAT}\",\n\"version\": {version},\n\"sha256\": \"{sha256}\",\n\"model\": {body}\n}}\n"
    )
}

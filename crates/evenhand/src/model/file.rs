//! A model on disk: written whole or not at all, read only if every byte is as written.
//!
//! The file is a short head, the body, and a tail; the head holds the SHA-256 of the body's
//! bytes, and a signature of it where somebody signed. On reading, the whole file is made again from its parts and
//! compared, so a byte changed anywhere is found. The hash tells accidents; a signature, who wrote it.

use std::path::Path;

use serde::Deserialize;
use serde_json::json;
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
    #[serde(default)]
    signature: Option<String>,
    #[serde(borrow)]
    model: &'a RawValue,
}

/// A model as its file has it: with the signature under it, if there is one.
#[derive(Debug, Clone, PartialEq)]
pub struct Sealed {
    /// The model.
    pub model: Model,
    sha256: String,
    signature: Option<String>,
}

impl Sealed {
    /// The signature as it stands in the file. Whether it is one of [`Sealed::message`] is the reader's to check.
    pub fn signature(&self) -> Option<&str> {
        self.signature.as_deref()
    }

    /// What was signed: the format, its version, and the SHA-256 of the model.
    pub fn message(&self) -> Vec<u8> {
        message(&self.sha256)
    }
}

fn message(sha256: &str) -> Vec<u8> {
    format!("{FORMAT} {FORMAT_VERSION} {sha256}\n").into_bytes()
}

impl Model {
    /// Writes the model beside its place and moves it there.
    ///
    /// # Errors
    /// [`Error::Io`] when the file cannot be written.
    pub fn save(&self, path: &Path) -> Result<()> {
        self.save_signed(path, |_| None)
    }

    /// As [`Model::save`], with a signature: `sign` is given [`Sealed::message`], and its answer stands in the file.
    ///
    /// # Errors
    /// As [`Model::save`].
    pub fn save_signed(&self, path: &Path, sign: impl FnOnce(&[u8]) -> Option<String>) -> Result<()> {
        let whole = self.to_file(sign)?;
        write_atomically(path, |out| out.write_all(whole.as_bytes()))
    }

    /// The whole file as [`Model::save_signed`] writes it, for who writes several files together.
    ///
    /// # Errors
    /// [`Error::ModelFormat`] when a number is not finite.
    pub fn to_file(&self, sign: impl FnOnce(&[u8]) -> Option<String>) -> Result<String> {
        let body = self.to_json()?;
        let sha256 = digest(&body);
        let signature = sign(&message(&sha256));
        Ok(render(&sha256, signature.as_deref(), &body))
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
    /// [`Error::ModelFormat`], also where its parts do not fit together.
    pub fn from_json(body: &str) -> Result<Self> {
        Self::parse(body).map_err(|source| Error::ModelFormat { path: "(in memory)".into(), source })
    }

    /// The only way from text to a model.
    fn parse(body: &str) -> Result<Self, Cause> {
        let model: Self = serde_json::from_str(body)?;
        model.validate()?;
        Ok(model)
    }

    /// Reads a model and checks its version, its integrity, and that its parts fit together.
    ///
    /// # Errors
    /// [`Error::Io`], [`Error::ModelFormat`], [`Error::ModelVersion`] or [`Error::ModelIntegrity`].
    pub fn load(path: &Path) -> Result<Self> {
        Ok(Self::load_sealed(path)?.model)
    }

    /// As [`Model::load`], with the signature.
    ///
    /// # Errors
    /// As [`Model::load`].
    pub fn load_sealed(path: &Path) -> Result<Sealed> {
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
        let Whole { sha256, signature, model } = serde_json::from_str(text).map_err(|error| wrong(error.into()))?;
        if render(&digest(model.get()), signature.as_deref(), model.get()) != text || sha256 != digest(model.get()) {
            return Err(Error::ModelIntegrity { path: path.to_owned() });
        }
        let model = Self::parse(model.get()).map_err(wrong)?;
        Ok(Sealed { model, sha256, signature })
    }
}

fn render(sha256: &str, signature: Option<&str>, body: &str) -> String {
    let signature = signature.map(|text| format!("\"signature\": {},\n", json!(text))).unwrap_or_default();
    format!(
        "{{\n\"format\": \"{FORMAT}\",\n\"version\": {FORMAT_VERSION},\n\"sha256\": \"{sha256}\",\n{signature}\"model\": {body}\n}}\n"
    )
}

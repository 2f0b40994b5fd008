//! A learner made of another program.
//!
//! The program is called once to fit and once per table to predict, with files in the
//! LIBSVM text format that `XGBoost`, `LightGBM` and scikit-learn read: no one-hot matrix is
//! ever written out.
//!
//! ```text
//! COMMAND fit TRAIN MODEL        read TRAIN and TRAIN.weight (a weight per line), write MODEL
//! COMMAND predict MODEL ROWS OUT read MODEL and ROWS, write a line per row to OUT: the
//!                                probability of class 1, or one per class, by blanks
//! ```
//! Labels are class codes from 0, features are counted from 1. Rows of weight zero are left
//! out of TRAIN, so a program that takes no weights works with the sampling technique. All files are in a folder that
//! nobody else can look into, and that is removed with them.

use std::fmt::Write as _;
use std::io::{BufWriter, Write as _};
use std::path::Path;
use std::process::Command;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};

use super::function::{check_length, check_probabilities, scorer_of_all};
use super::{Learner, Predictor, Scorer, Training};
use crate::features::Features;
use crate::scratch::ScratchFolder;
use crate::{Error, Result};

/// A learner that runs a command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessLearner {
    /// The command, as one would type it in a shell.
    pub command: String,
}

/// What a command left behind when it fitted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessModel {
    command: String,
    classes: usize,
    #[serde(serialize_with = "to_base64", deserialize_with = "from_base64")]
    content: Vec<u8>,
    /// A model read from a file runs nothing until its user agrees to the command.
    #[serde(skip)]
    agreed: bool,
}

impl Learner for ProcessLearner {
    type Predictor = ProcessModel;
    type WarmStart = ();

    fn fit(&self, training: Training<'_>, (): &mut ()) -> Result<ProcessModel> {
        let folder = ScratchFolder::new().map_err(Error::no_temporary)?;
        let (train, model) = (folder.path().join("train.svm"), folder.path().join("model"));
        let weights = training.weights.to_rows();
        let kept: Vec<usize> = (0..weights.len()).filter(|&row| weights[row] > 0.0).collect();
        write_rows(&train, training.features, kept.iter().copied(), |row| training.labels.get(row))?;
        write_lines(&folder.path().join("train.svm.weight"), kept.iter().map(|&row| weights[row].to_string()))?;
        run(&self.command, &["fit".as_ref(), &train, &model])?;
        let content = std::fs::read(&model)
            .map_err(|source| Error::learner_by(format!("`{} fit` wrote no model", self.command), source))?;
        Ok(ProcessModel { command: self.command.clone(), classes: training.classes, content, agreed: true })
    }
}

impl ProcessModel {
    /// The command that predicts.
    pub fn command(&self) -> &str {
        &self.command
    }

    /// How many classes it tells apart.
    pub(crate) fn classes(&self) -> usize {
        self.classes
    }

    /// Agrees to running the command of a model that came from a file.
    pub fn agree(&mut self, command: &str) {
        self.agreed = command == self.command;
    }
}

impl Predictor for ProcessModel {
    fn on<'a>(&'a self, features: &'a Features) -> Result<Scorer<'a>> {
        if !self.agreed {
            return Err(Error::NotAgreed { command: self.command.clone() });
        }
        let folder = ScratchFolder::new().map_err(Error::no_temporary)?;
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("model"), &self.content).map_err(Error::no_temporary)?;
        write_rows(&path("rows.svm"), features, features.range(), |_| 0)?;
        run(&self.command, &["predict".as_ref(), &path("model"), &path("rows.svm"), &path("scores")])?;
        let text = std::fs::read_to_string(path("scores"))
            .map_err(|source| Error::learner_by(format!("`{} predict` wrote no scores", self.command), source))?;
        let mut all = Vec::with_capacity(features.rows() * self.classes);
        for (at, line) in text.lines().enumerate() {
            self.read_scores(at, line, &mut all)?;
        }
        check_length(&all, features, self.classes)?;
        check_probabilities(&mut all, self.classes, &format!("`{} predict`", self.command), |row| row + 1)?;
        Ok(scorer_of_all(all, self.classes))
    }
}

impl ProcessModel {
    fn read_scores(&self, at: usize, line: &str, all: &mut Vec<f64>) -> Result<()> {
        let numbers: Option<Vec<f64>> = line.split_whitespace().map(|number| number.parse().ok()).collect();
        match numbers.as_deref() {
            Some([positive]) if self.classes == 2 => all.extend([1.0 - positive, *positive]),
            Some(scores) if scores.len() == self.classes => all.extend_from_slice(scores),
            _ => {
                let detail = format!(
                    "`{} predict`, line {} of the scores: `{line}` is not {} probabilities",
                    self.command,
                    at + 1,
                    self.classes
                );
                return Err(Error::learner(detail));
            }
        }
        Ok(())
    }
}

/// Writes rows in the LIBSVM format.
fn write_rows(
    path: &Path,
    features: &Features,
    rows: impl Iterator<Item = usize>,
    label: impl Fn(usize) -> usize,
) -> Result<()> {
    write_lines(
        path,
        rows.map(|row| {
            let mut line = label(row).to_string();
            for (feature, value) in features.row(row) {
                // Writing to a string cannot fail.
                let _ = write!(line, " {}:{value}", feature + 1);
            }
            line
        }),
    )
}

fn write_lines(path: &Path, lines: impl Iterator<Item = String>) -> Result<()> {
    let write = || -> std::io::Result<()> {
        let mut out = BufWriter::new(std::fs::File::create(path)?);
        for line in lines {
            out.write_all(line.as_bytes())?;
            out.write_all(b"\n")?;
        }
        out.flush()
    };
    write().map_err(Error::no_temporary)
}

fn run(command: &str, arguments: &[&Path]) -> Result<()> {
    let output = Command::new("sh")
        .arg("-c")
        .arg(format!("{command} \"$@\""))
        .arg("evenhand-learner")
        .args(arguments)
        .output()
        .map_err(|source| Error::learner_by(format!("`{command}` could not be started: {source}"), source))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let last: Vec<&str> = said.trim().lines().rev().take(3).collect();
    let last: Vec<&str> = last.into_iter().rev().collect();
    let step = arguments[0].display();
    Err(Error::learner(format!("`{command} {step}` ended with {}: {}", output.status, last.join(" / "))))
}

fn to_base64<S: serde::Serializer>(content: &[u8], to: S) -> std::result::Result<S::Ok, S::Error> {
    to.serialize_str(&STANDARD.encode(content))
}

fn from_base64<'de, D: serde::Deserializer<'de>>(from: D) -> std::result::Result<Vec<u8>, D::Error> {
    let text = String::deserialize(from)?;
    STANDARD.decode(text).map_err(serde::de::Error::custom)
}

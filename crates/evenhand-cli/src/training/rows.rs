//! Training rows and test rows, read from their files.

use std::path::PathBuf;

use anyhow::{Context as _, Result};
use evenhand::data::holdout;
use evenhand::model::Split;
use evenhand::{Dataset, Error, Table, Warning};

use super::Training;
use crate::progress::Progress;

/// Where test rows come from.
pub(super) enum Rows {
    /// There are none.
    All,
    /// Some rows are held out.
    Split(Split),
    /// They are in a file.
    TestFile(PathBuf),
}

/// The rows to fit and to test on.
pub(crate) struct Read {
    pub(crate) all: Dataset,
    pub(crate) train: Dataset,
    /// Which of all rows are trained on, where some are held out.
    pub(crate) train_rows: Option<Vec<usize>>,
    pub(crate) test: Option<Dataset>,
    pub(crate) warnings: Vec<Warning>,
}

impl Rows {
    pub(super) fn new(holdout: Option<f64>, seed: u64, test: Option<PathBuf>) -> Result<Self> {
        match (holdout, test) {
            (Some(holdout), _) if !(holdout > 0.0 && holdout < 1.0) => Err(Error::Setting {
                setting: "holdout",
                found: holdout.to_string(),
                allowed: "a fraction above 0 and below 1".into(),
            }
            .into()),
            (Some(holdout), _) => Ok(Self::Split(Split { holdout, seed })),
            (None, Some(path)) => Ok(Self::TestFile(path)),
            (None, None) => Ok(Self::All),
        }
    }
}

impl Training {
    /// Reads all files.
    pub(crate) fn read(&self, progress: Progress) -> Result<Read> {
        let (all, mut warnings) = progress.during(format!("reading {}", self.data.display()), || {
            Dataset::read(&self.data, &self.schema, &self.reading)
        })?;
        match &self.rows {
            Rows::All => Ok(Read { train: all.clone(), all, train_rows: None, test: None, warnings }),
            Rows::Split(split) => {
                let (train, test) = holdout(all.rows(), split.holdout, split.seed)?;
                let (train, train_rows, test) = (all.select(&train), Some(train), Some(all.select(&test)));
                Ok(Read { all, train, train_rows, test, warnings })
            }
            Rows::TestFile(path) => {
                let options = self.reading.like(all.table()).ignore(self.schema.ignored());
                let (table, more) =
                    progress.during(format!("reading {}", path.display()), || Table::read(path, &options))?;
                warnings.extend(more);
                let test = Some(all.like(table).with_context(|| path.display().to_string())?);
                Ok(Read { train: all.clone(), all, train_rows: None, test, warnings })
            }
        }
    }
}

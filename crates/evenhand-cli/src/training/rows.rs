//! Training rows and test rows, read from their files.

use std::path::PathBuf;

use anyhow::{Context as _, Result};
use evenhand::data::holdout;
use evenhand::model::Split;
use evenhand::{Correction, Dataset, Error, ReadOptions, Table, Warning};
use evenhand_datasets::recipe::Prepared;

use super::Training;
use crate::origin::{Conventions, Origin, Whole, prepare};
use crate::progress::Progress;
use crate::wide_columns;

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
    /// The training rows, where they are not all.
    part: Option<Dataset>,
    /// The places of the training rows among those of the file, where some are held out.
    pub(crate) train_rows: Option<Vec<usize>>,
    pub(crate) test: Option<Dataset>,
    /// How to read other files like these.
    pub(crate) reading: ReadOptions,
    conventions: Option<Conventions>,
    pub(crate) warnings: Vec<Warning>,
}

impl Rows {
    pub(super) fn new(holdout: Option<f64>, seed: u64, test: Option<PathBuf>) -> Result<Self> {
        match (holdout, test) {
            (Some(holdout), _) if !(holdout > 0.0 && holdout < 1.0) => {
                Err(Error::setting("holdout", holdout, "a fraction above 0 and below 1").into())
            }
            (Some(holdout), _) => Ok(Self::Split(Split { holdout, seed })),
            (None, Some(path)) => Ok(Self::TestFile(path)),
            (None, None) => Ok(Self::All),
        }
    }
}

impl Training {
    /// Reads all files.
    pub(crate) fn read(&self, progress: Progress) -> Result<Read> {
        if let Origin::Recipe { recipe, folder } = &self.origin {
            return Ok(Read::prepared(prepare(recipe, folder, self.split(), progress)?));
        }
        let Whole { data: all, mut warnings, .. } = self.origin.read(progress)?;
        if !self.json {
            wide_columns::tell(&all);
        }
        let reading = self.reading(&all);
        match &self.rows {
            Rows::All => {
                Ok(Read { all, part: None, train_rows: None, test: None, reading, conventions: None, warnings })
            }
            Rows::Split(split) => {
                let (train, test) = holdout(all.rows(), split.holdout, split.seed)?;
                let (part, train_rows, test) = (Some(all.select(&train)), Some(train), Some(all.select(&test)));
                Ok(Read { all, part, train_rows, test, reading, conventions: None, warnings })
            }
            Rows::TestFile(path) => {
                let options = reading.clone().ignore(all.schema().ignored());
                let (table, more) =
                    progress.during(format!("reading {}", path.display()), || Table::read(path, &options))?;
                warnings.extend(more);
                let test = Some(all.like(table).with_context(|| path.display().to_string())?);
                Ok(Read { all, part: None, train_rows: None, test, reading, conventions: None, warnings })
            }
        }
    }

    /// How to read another file like the one that was read.
    fn reading(&self, all: &Dataset) -> ReadOptions {
        match &self.origin {
            Origin::File { reading, .. } => reading.like(all.table()),
            Origin::Recipe { .. } => ReadOptions::default(),
        }
    }
}

impl Read {
    fn prepared(prepared: Prepared) -> Self {
        Self {
            train_rows: Some(prepared.train_places()),
            reading: prepared.reading().clone(),
            conventions: Some(Conventions::of(&prepared)),
            all: prepared.all,
            part: Some(prepared.train),
            test: Some(prepared.test),
            warnings: Vec::new(),
        }
    }

    /// The training rows.
    pub(crate) fn train(&self) -> &Dataset {
        self.part.as_ref().unwrap_or(&self.all)
    }

    /// Adds to what is asked what is known only from the rows: a recipe's features, and its groups where none are named.
    pub(crate) fn complete(&self, correction: &mut Correction) {
        if let Some(conventions) = &self.conventions {
            correction.plan = Some(conventions.plan.clone());
            correction.beside.extend(conventions.withheld.iter().cloned());
            if correction.groups.is_empty() {
                correction.groups.clone_from(&conventions.groups);
            }
        }
    }
}

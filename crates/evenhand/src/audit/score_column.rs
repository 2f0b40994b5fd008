//! A column of scores: which it is, what it decides, and into which bins its scores fall.

use serde::{Deserialize, Serialize};

use super::scores::BINS;
use crate::data::{Codes, Column, Table};
use crate::{Error, Result};

/// The scores to be audited: probabilities of the positive class, of two.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ScoreColumn {
    /// The column.
    pub column: String,
    /// From which score on a row is decided positive, where there are no predictions.
    pub threshold: f64,
}

impl ScoreColumn {
    /// Scores that decide from ½ on.
    pub fn new(column: impl Into<String>) -> Self {
        Self { column: column.into(), threshold: 0.5 }
    }

    pub(super) fn check(&self, classes: &[String], unlabelled: bool) -> Result<()> {
        if !(0.0..=1.0).contains(&self.threshold) {
            return Err(Error::setting("threshold", self.threshold, "from 0 to 1"));
        }
        if classes.len() != 2 || unlabelled {
            let found = format!("`{}`, with {} classes", self.column, classes.len());
            let found = if unlabelled { format!("`{}`, without labels", self.column) } else { found };
            return Err(Error::setting("score", found, "probabilities of the positive one of two known labels"));
        }
        Ok(())
    }

    /// The scores of a table.
    ///
    /// # Errors
    /// [`Error::UnknownColumn`], [`Error::ColumnKind`], and [`Error::Score`] for what is no probability.
    pub(super) fn of<'t>(&self, table: &'t Table) -> Result<&'t [f64]> {
        let Column::Numeric(scores) = table.column(&self.column)? else {
            let (column, purpose) = (self.column.clone(), "as scores".to_owned());
            return Err(Error::ColumnKind { column, found: "text", wanted: "a column of numbers", purpose });
        };
        match scores.iter().position(|one| !(0.0..=1.0).contains(one)) {
            Some(at) => {
                let found = if scores[at].is_nan() { "(missing)".to_owned() } else { scores[at].to_string() };
                Err(Error::Score { learner: format!("column `{}`", self.column), row: table.shown_row(at), found })
            }
            None => Ok(scores),
        }
    }

    /// The positive one of two classes from the threshold on.
    pub(super) fn decided(&self, scores: &[f64], positive: usize) -> Codes {
        let decide = |&score: &f64| u32::from((score >= self.threshold) == (positive == 1));
        Codes::narrow(scores.iter().map(decide).collect(), 2)
    }
}

/// The bin of each score; 1 is in the last.
pub(super) fn bins_of(scores: &[f64]) -> Codes {
    #[expect(clippy::cast_sign_loss, reason = "scores are not negative")]
    let bin = |&score: &f64| ((score * BINS as f64) as u32).min(BINS as u32 - 1);
    Codes::narrow(scores.iter().map(bin).collect(), BINS)
}

//! From which probability on a row is decided positive.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::{Error, Result};

/// From which probability on one of two classes is decided for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Threshold {
    /// ½: the more probable class is decided for.
    #[default]
    Half,
    /// The one of least error on the training rows, by their observed labels, nearest to ½ where several are. A correction is found for decisions at
    /// the best threshold of the fit without correction, and for decisions at ½, and the better of the two is kept; other methods take the best of
    /// their own, among those that keep what was asked no less than ½ does.
    Best,
}

impl Threshold {
    /// Its name in every output.
    pub fn name(self) -> &'static str {
        match self {
            Self::Half => "half",
            Self::Best => "best",
        }
    }

    /// Whether it is the usual one.
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde calls it")]
    pub(crate) fn is_half(&self) -> bool {
        *self == Self::Half
    }

    /// Whether it can be chosen for so many classes.
    pub(in crate::correction) fn check_classes(self, classes: usize) -> Result<()> {
        if self == Self::Half || classes == 2 {
            return Ok(());
        }
        let allowed = "`half` with more than two classes: the most probable one is decided for";
        Err(Error::setting("threshold", format!("`best` with {classes} classes"), allowed))
    }
}

impl fmt::Display for Threshold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Threshold {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        [Self::Half, Self::Best]
            .into_iter()
            .find(|one| one.name() == name)
            .ok_or_else(|| Error::setting("threshold", format!("`{name}`"), "`half` or `best`"))
    }
}

//! The one spelling of a sentence, which is read back as what it says.

use std::fmt;

use crate::notion::rate::{Against, ClassName, Counted, RateNotion, Subset, SubsetLabel, SubsetRows};

impl fmt::Display for RateNotion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.counted {
            Counted::Predicted(class) => write!(f, "predicted {class}")?,
            Counted::AsLabelled => f.write_str("predicted as labelled")?,
            Counted::Wrongly => f.write_str("predicted wrongly")?,
        }
        if let Some(column) = &self.weighted_by {
            write!(f, " weighted by {}", quoted(column))?;
        }
        if self.given != Subset::EVERYONE {
            write!(f, " given {}", self.given)?;
        }
        match &self.against {
            Against::Everyone => Ok(()),
            Against::Rows(subset) => write!(f, " against {subset}"),
            Against::Rate(rate) => write!(f, " against {rate}"),
            Against::AtLeast(rate) => write!(f, " at least {rate}"),
            Against::AtMost(rate) => write!(f, " at most {rate}"),
        }
    }
}

impl fmt::Display for Subset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rows = match &self.rows {
            SubsetRows::Everyone => None,
            SubsetRows::EachGroup => Some("each group".to_owned()),
            SubsetRows::Of(spec) => Some(spec.to_string()),
        };
        let labelled = match &self.labelled {
            SubsetLabel::Any => None,
            SubsetLabel::As(class) => Some(format!("labelled {class}")),
            SubsetLabel::NotAs(class) => Some(format!("not labelled {class}")),
        };
        match (rows, labelled) {
            (None, None) => f.write_str("everyone"),
            (Some(one), None) | (None, Some(one)) => f.write_str(&one),
            (Some(rows), Some(labelled)) => write!(f, "{rows} and {labelled}"),
        }
    }
}

impl fmt::Display for ClassName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Positive => f.write_str("positive"),
            Self::Negative => f.write_str("negative"),
            Self::Named(name) => f.write_str(&quoted(name)),
        }
    }
}

/// A class or a column as it can be read again: in backquotes unless it is plain letters and digits, and no word of the grammar.
fn quoted(name: &str) -> String {
    const WORDS: [&str; 15] = [
        "positive", "negative", "as", "labelled", "labeled", "wrongly", "given", "against", "at", "and", "not",
        "everyone", "each", "group", "weighted",
    ];
    let plain = name.chars().all(|one| one.is_alphanumeric() || "-_.+<>=/".contains(one));
    if plain && !name.is_empty() && !WORDS.iter().any(|word| name.eq_ignore_ascii_case(word)) {
        return name.to_owned();
    }
    format!("`{}`", name.replace('`', "``"))
}

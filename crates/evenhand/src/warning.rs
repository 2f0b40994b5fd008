//! Things a user should know about a result that is still a result.
//!
//! Holds [`Warning`]. Collected in what a call returns; the front doors print them.

use serde::{Deserialize, Serialize};

/// Something that makes a result weaker than it looks.
#[derive(Debug, Clone, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(tag = "code", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Warning {
    /// A group with so few rows that its rates say little.
    SmallGroup {
        /// The group.
        group: String,
        /// How many rows it has.
        rows: usize,
    },
    /// Rows whose sensitive value is missing: in no group of that column, still trained on.
    MissingSensitive {
        /// The column.
        column: String,
        /// How many rows.
        rows: usize,
    },
    /// Values of a group column that are one text in several spellings, as Unicode has them: groups of their own.
    TwoSpellings {
        /// The column.
        column: String,
        /// The values, which look the same.
        values: Vec<String>,
    },
    /// A constraint that conditions on rows there are none of in training: it gets no multiplier.
    ConstraintDropped {
        /// The constraint.
        constraint: String,
        /// Why.
        reason: String,
    },
    /// A group, or a constraint on one, with nobody outside of it to compare with.
    OwnReference {
        /// The group or the constraint.
        what: String,
    },
    /// A feature that tells a withheld column's groups, row for row.
    GroupTold {
        /// The withheld column.
        column: String,
        /// The feature.
        feature: String,
    },
    /// A group that some rows have and training rows did not.
    UnseenGroup {
        /// The group.
        group: String,
        /// How many rows.
        rows: usize,
    },
    /// Quantile buckets that fell together because many rows share a value.
    BucketsMerged {
        /// The group specification.
        spec: String,
        /// How many buckets were asked for.
        asked: usize,
        /// How many are left.
        left: usize,
    },
    /// Missing numbers replaced by the training mean, with an indicator column if training had any missing.
    MissingFilled {
        /// The column.
        column: String,
        /// How many rows.
        rows: usize,
        /// Whether an indicator column tells the learner.
        indicator: bool,
    },
    /// Categories that training never saw: treated as none of the known ones.
    UnseenCategories {
        /// The column.
        column: String,
        /// How many rows.
        rows: usize,
        /// One of them.
        example: String,
    },
    /// Unseen categories that differ from a known one by blanks or case alone: most likely the same.
    NearlyKnown {
        /// The column.
        column: String,
        /// How many rows.
        rows: usize,
        /// One of them.
        found: String,
        /// The category that it nearly is.
        known: String,
    },
    /// Columns of the new data that the model does not know: not used.
    ExtraColumns {
        /// Their names.
        columns: Vec<String>,
    },
    /// A feature with the same value in every training row: it can tell the learner nothing.
    ConstantColumn {
        /// The column.
        column: String,
    },
    /// A text column in which almost every row has a value of its own, such as a name.
    NearlyUnique {
        /// The column.
        column: String,
        /// How many distinct values.
        values: usize,
    },
    /// Features with few values, all of them whole numbers, that a learner takes as numbers: they may be codes.
    PossibleCodes {
        /// They, in the order of the file.
        columns: Vec<CountedValues>,
    },
    /// A name that occurs twice in a header; later ones were renamed.
    RenamedColumn {
        /// The name in the file.
        column: String,
        /// The name used here.
        renamed: String,
    },
    /// A few texts in a column of numbers, which make it a column of categories.
    StrayText {
        /// The column.
        column: String,
        /// The first row that has one.
        row: usize,
        /// The texts, in order of appearance.
        texts: Vec<String>,
        /// How many rows have one of them.
        rows: usize,
        /// How many rows have a number.
        numbers: usize,
    },
    /// Rows in groups that no training row was in together: there is no threshold of their own for them.
    UnseenPattern {
        /// How many rows.
        rows: usize,
        /// The groups of one of them.
        groups: Vec<String>,
    },
    /// Constraints on so few rows that no correction was searched for them.
    NotSearched {
        /// Their names.
        constraints: Vec<String>,
        /// How many rows it takes.
        min_group: usize,
    },
    /// Constraints on so few rows that they were held to less than the bound.
    HeldLoosely {
        /// Their names.
        constraints: Vec<String>,
    },
    /// A correction after which many more or fewer rows are predicted positive, or many more wrong.
    NotableChange {
        /// What changed.
        quantity: Quantity,
        /// The share of rows without correction.
        before: f64,
        /// And with it.
        after: f64,
    },
    /// A correction after which groups that had less than everyone, which it was to help, have less than before.
    LevelledDown {
        /// The groups.
        groups: Vec<Changed>,
        /// The share of all rows that is predicted positive without correction.
        positive_rate: f64,
    },
    /// A correction after which rows that lack a value by which groups are told are predicted positive far more, or far
    /// less, often than the others.
    MissingApart {
        /// Which rows, such as `race missing`.
        name: String,
        /// How many there are.
        rows: usize,
        /// The share of them that is predicted positive without correction.
        before: f64,
        /// And with it.
        after: f64,
        /// The share of all other rows without correction.
        others_before: f64,
        /// And with it.
        others_after: f64,
    },
    /// The learner stopped before its own tolerance was reached.
    LearnerNotConverged {
        /// In how many fits.
        fits: usize,
    },
}

/// A column, and how many distinct values it has.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct CountedValues {
    /// The column.
    pub column: String,
    /// How many distinct values, missing ones apart.
    pub values: usize,
}

/// What a correction may change beside evenness.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Quantity {
    /// The share of rows predicted positive.
    PositiveRate,
    /// The share of rows predicted otherwise than labelled.
    Error,
}

/// The rate of a group without a correction and with it.
#[derive(Debug, Clone, PartialEq, PartialOrd, Serialize, Deserialize)]
pub struct Changed {
    /// The group.
    pub group: String,
    /// Which rate.
    pub rate: String,
    /// Without.
    pub before: f64,
    /// With.
    pub after: f64,
}

impl Warning {
    /// The rate to ask for with `target-rate` so that as many rows are predicted positive as without correction, where the
    /// warning is that others are, and a twentieth of it as a bound on its violation: with two digits that count.
    pub fn target_rate(&self) -> Option<[String; 2]> {
        let rate = match self {
            Self::LevelledDown { positive_rate, .. } => *positive_rate,
            Self::NotableChange { quantity: Quantity::PositiveRate, before, .. } if *before > 0.0 => *before,
            _ => return None,
        };
        Some([short(rate), short(rate / 20.0)])
    }

    /// In words, where it is about what a correction changes.
    fn of_effect(&self) -> String {
        match self {
            Self::NotableChange { quantity, before, after } => changed(*quantity, *before, *after),
            Self::LevelledDown { groups, positive_rate } => {
                let group = |one: &Changed| {
                    format!("`{}` ({} {} against {})", one.group, one.rate, percent(one.after), percent(one.before))
                };
                let groups: Vec<String> = groups.iter().map(group).collect();
                format!(
                    "levelled down: who had less than everyone now has still less: {}; `target-rate={}` beside the notion asks for as many positives as without correction",
                    named(&groups),
                    short(*positive_rate)
                )
            }
            Self::MissingApart { name, rows, before, after, others_before, others_after } => format!(
                "rows that no group could be told of end apart: of {} with `{name}` {} are predicted positive and of the others {} ({} and {} without correction)",
                count(*rows, "row"),
                percent(*after),
                percent(*others_after),
                percent(*before),
                percent(*others_before)
            ),
            _ => String::new(),
        }
    }

    /// Whether it is about what a correction changes, on some rows, beside evenness.
    pub fn is_of_effect(&self) -> bool {
        matches!(self, Self::NotableChange { .. } | Self::LevelledDown { .. } | Self::MissingApart { .. })
    }
}

/// So many names are listed before the rest are counted.
const LISTED: usize = 5;

impl std::fmt::Display for Warning {
    #[expect(clippy::too_many_lines, reason = "a table: one sentence a warning")]
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::SmallGroup { group, rows } => {
                write!(f, "group `{group}` has {}: too few to say much about its rates", count(*rows, "row"))
            }
            Self::MissingSensitive { column, rows } => {
                write!(
                    f,
                    "column `{column}`: {} without a value: in no group of it, and still trained on",
                    count(*rows, "row")
                )
            }
            Self::TwoSpellings { column, values } => {
                let spelled: Vec<String> = values.iter().map(|value| format!("`{}`", code_points(value))).collect();
                let text = values.first().map_or("", String::as_str);
                write!(
                    f,
                    "column `{column}`: `{text}` is there in spellings that look the same and are groups of their own: {}",
                    spelled.join(" and ")
                )
            }
            Self::ConstraintDropped { constraint, reason } => {
                write!(f, "constraint `{constraint}` is judged, and not corrected for: {reason}")
            }
            Self::GroupTold { column, feature } if column == feature => {
                write!(
                    f,
                    "the groups of column `{column}` are withheld from the learner, and are told exactly by what is left of it: the values that are no group"
                )
            }
            Self::GroupTold { column, feature } => {
                write!(
                    f,
                    "column `{column}` is withheld from the learner, and is told exactly by the feature `{feature}`"
                )
            }
            Self::OwnReference { what } => {
                write!(
                    f,
                    "`{what}`: everyone it is about is in the group, so it would be compared with itself: not judged"
                )
            }
            Self::UnseenGroup { group, rows } => {
                write!(
                    f,
                    "group `{group}` has {} here and none in training: judged, not corrected for",
                    count(*rows, "row")
                )
            }
            Self::BucketsMerged { spec, asked, left } => {
                write!(f, "group `{spec}`: many rows share a value, so {asked} buckets became {left}")
            }
            Self::MissingFilled { column, rows, indicator } => {
                let how = if *indicator { ", with an indicator column" } else { " (training had none missing)" };
                write!(f, "column `{column}`: {} became the training mean{how}", count(*rows, "missing value"))
            }
            Self::UnseenCategories { column, rows, example } => {
                write!(
                    f,
                    "column `{column}`: {} of categories training never saw, such as `{example}`: taken as none of the known",
                    count(*rows, "row")
                )
            }
            Self::NearlyKnown { column, rows, found, known } => {
                write!(
                    f,
                    "column `{column}`: {} of categories that differ from known ones by blanks or case alone, such as `{found}` from `{known}`; spell them alike if they are the same",
                    count(*rows, "row")
                )
            }
            Self::ExtraColumns { columns } => {
                write!(f, "not used, since the model does not know them: {}", columns.join(", "))
            }
            Self::ConstantColumn { column } => {
                write!(f, "column `{column}` has the same value in every training row: it can tell the learner nothing")
            }
            Self::NearlyUnique { column, values } => write!(
                f,
                "column `{column}` has {values} distinct values, most in one row only; each becomes a feature and stands in the model: ignore it unless that is meant"
            ),
            Self::PossibleCodes { columns } => write!(f, "{}", possible_codes(columns)),
            Self::RenamedColumn { column, renamed } => {
                write!(f, "the header has `{column}` more than once; a later one is called `{renamed}` here")
            }
            Self::StrayText { column, row, texts, rows, numbers } => {
                write!(
                    f,
                    "column `{column}`, row {row}: {} in {} among {}: taken as a column of categories",
                    quoted(texts).join(", "),
                    count(*rows, "row"),
                    count(*numbers, "number")
                )
            }
            Self::UnseenPattern { rows, groups } => {
                let together = if groups.is_empty() { "no group at all".to_owned() } else { groups.join(" and ") };
                write!(
                    f,
                    "{} in groups that training never saw together, such as {together}: decided by the thresholds of the commonest",
                    count(*rows, "row")
                )
            }
            Self::NotSearched { constraints, min_group } => write!(
                f,
                "measured and judged, but not corrected for, since fewer than {min_group} rows tell their rates: {}",
                named(&quoted(constraints))
            ),
            Self::HeldLoosely { constraints } => write!(
                f,
                "too few rows to tell whether the bound holds, so held to half a standard error instead: {}",
                named(&quoted(constraints))
            ),
            Self::NotableChange { .. } | Self::LevelledDown { .. } | Self::MissingApart { .. } => {
                f.write_str(&self.of_effect())
            }
            Self::LearnerNotConverged { fits } => {
                write!(
                    f,
                    "the learner stopped before its tolerance in {}; raise its iteration limit or its penalty",
                    count(*fits, "fit")
                )
            }
        }
    }
}

/// A text in which every character beyond ASCII is its number: `Jos\u{e9}`.
fn code_points(text: &str) -> String {
    let one = |character: char| {
        if character.is_ascii() { character.to_string() } else { character.escape_unicode().to_string() }
    };
    text.chars().map(one).collect()
}

fn changed(quantity: Quantity, before: f64, after: f64) -> String {
    let (now, then) = (percent(after), percent(before));
    let by = |what: &str| match after / before {
        times if times > 3.0 => format!("{times:.1} times as many {what} as without correction"),
        times if times > 1.0 => format!("{:.0} % more {what} than without correction", (times - 1.0) * 100.0),
        times => format!("{:.0} % fewer {what} than without correction", (1.0 - times) * 100.0),
    };
    match quantity {
        Quantity::PositiveRate if after <= 0.0 => {
            format!("no row is predicted positive, {then} are without correction")
        }
        Quantity::PositiveRate if before <= 0.0 => {
            format!("{now} of rows are predicted positive, none is without correction")
        }
        Quantity::PositiveRate => {
            format!("{} ({now} against {then})", by("rows are predicted positive"))
        }
        Quantity::Error if before <= 0.0 => {
            format!("{now} of rows are predicted otherwise than labelled, none is without correction")
        }
        Quantity::Error => {
            format!("{} ({now} of rows against {then})", by("errors on the observed labels"))
        }
    }
}

/// A share as a percentage: `37.8 %`, with two digits where it is small.
fn percent(share: f64) -> String {
    let hundredths = share * 100.0;
    if hundredths > 0.0 && hundredths < 0.1 { format!("{hundredths:.2} %") } else { format!("{hundredths:.1} %") }
}

/// A rate as one would type it, with two digits that count.
fn short(rate: f64) -> String {
    let counts = |digits: &u8| rate * 10_f64.powi(i32::from(*digits)) >= 10.0;
    let most = if rate > 0.0 { 9 } else { 2 };
    let decimals = usize::from((2..most).find(counts).unwrap_or(most));
    format!("{rate:.decimals$}")
}

fn quoted(names: &[String]) -> Vec<String> {
    names.iter().map(|name| format!("`{name}`")).collect()
}

/// The first few names, and how many more there are.
fn named(all: &[String]) -> String {
    let mut named: Vec<String> = all.iter().take(LISTED).cloned().collect();
    if all.len() > LISTED {
        named.push(format!("and {} more", all.len() - LISTED));
    }
    named.join(", ")
}

fn possible_codes(columns: &[CountedValues]) -> String {
    if let [CountedValues { column, values }] = columns {
        return format!(
            "column `{column}` has {values} whole-number values and is used as a number; if they are codes, say that it is \
             categorical, else that it is numeric"
        );
    }
    let values: Vec<String> = columns.iter().map(|one| format!("`{}` ({})", one.column, one.values)).collect();
    format!(
        "{} columns have few whole-number values and are used as numbers: {}; of those that are codes say that they are \
         categorical, of the others that they are numeric",
        columns.len(),
        named(&values)
    )
}

fn count(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn possible(columns: &[(&str, usize)]) -> Warning {
        let columns = columns.iter().map(|&(column, values)| CountedValues { column: column.into(), values });
        Warning::PossibleCodes { columns: columns.collect() }
    }

    #[test]
    fn possible_codes_are_one_line_however_many_columns() {
        let one = possible(&[("RAC1P", 9)]).to_string();
        assert!(one.starts_with("column `RAC1P` has 9 whole-number values and is used as a number"), "{one}");
        let names = ["a", "b", "c", "d", "e", "f", "g"].map(|name| (name, 4));
        let many = possible(&names).to_string();
        assert!(many.starts_with("7 columns have") && many.contains("`e` (4), and 2 more;"), "{many}");
        assert!(!many.contains('\n') && !many.contains("`f`"), "{many}");
    }

    #[test]
    fn possible_codes_have_a_stable_form_in_json() {
        let json = serde_json::to_string(&possible(&[("RAC1P", 9)])).unwrap();
        assert_eq!(json, r#"{"code":"possible-codes","columns":[{"column":"RAC1P","values":9}]}"#);
    }
}

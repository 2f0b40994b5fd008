//! Warnings in words: a sentence each.

use super::{Changed, CountedValues, Quantity, Warning};

/// So many names are listed before the rest are counted.
const LISTED: usize = 5;

impl Warning {
    /// In words, where it is about what a correction changes.
    fn of_effect(&self) -> String {
        match self {
            Self::NotableChange { quantity, before, after } => changed(*quantity, *before, *after),
            Self::WorseThanConstant { error, constant } => format!(
                "the same decision for everyone has fewer errors: {} of rows against {} with this correction",
                percent(*constant),
                percent(*error)
            ),
            Self::LevelledDown { groups, positive_rate } => {
                let group = |one: &Changed| {
                    format!("`{}` ({} {} against {})", one.group, one.rate, percent(one.after), percent(one.before))
                };
                let groups: Vec<String> = groups.iter().map(group).collect();
                format!(
                    "levelled down: groups that had less than everyone now have still less: {}; `target-rate={}` beside the notion asks for as many positives as without correction",
                    named(&groups),
                    short(*positive_rate)
                )
            }
            Self::MissingApart { name, rows, before, after, others_before, others_after } => format!(
                "rows without a value are treated differently from the others: of {} with `{name}` {} are predicted positive, of the others {} ({} and {} without correction)",
                count(*rows, "row"),
                percent(*after),
                percent(*others_after),
                percent(*before),
                percent(*others_before)
            ),
            _ => String::new(),
        }
    }
}

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
                    "column `{column}`: {} without a value: in no group of it, and counted among all rows",
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
            Self::AlikeValues { column, values } => {
                let sets: Vec<String> = values.iter().map(|set| quoted(set).join(" and ")).collect();
                write!(
                    f,
                    "column `{column}`: values that differ by blanks or capitals alone are different values: {}",
                    listed(&sets, "; ")
                )
            }
            Self::ConstraintDropped { constraint, reason } => {
                write!(f, "constraint `{constraint}` is tested, and not corrected for: {reason}")
            }
            Self::ExactProxy { column, feature, groups } if !groups.is_empty() => {
                let rest = if column == feature {
                    "what is left of the column".to_owned()
                } else {
                    format!("the feature `{feature}`")
                };
                write!(
                    f,
                    "column `{column}` is withheld from the learner, but {rest} determines exactly who is in {}",
                    quoted(groups).join(" and in ")
                )
            }
            Self::ExactProxy { column, feature, .. } if column == feature => {
                write!(
                    f,
                    "the groups of column `{column}` are withheld from the learner, but what is left of the column, values that are no group, determines them exactly"
                )
            }
            Self::ExactProxy { column, feature, .. } => {
                write!(
                    f,
                    "column `{column}` is withheld from the learner, but the feature `{feature}` determines it exactly"
                )
            }
            Self::OwnReference { what } => {
                write!(
                    f,
                    "`{what}`: everyone it is about is in the group, so it would be compared with itself: not tested"
                )
            }
            Self::UnseenGroup { group, rows } => {
                write!(
                    f,
                    "group `{group}` has {} here and none in training: tested, not corrected for",
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
                    "column `{column}`: {} with a category that training did not have, such as `{example}`: treated as none of the known ones",
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
            Self::NearlyUnique { column, values, numbers } if 2 * numbers > *values && numbers < values => write!(
                f,
                "column `{column}` has {values} distinct values, each of which becomes a feature, and most of them are numbers: write the others as numbers too, or leave the column out"
            ),
            Self::NearlyUnique { column, values, .. } => write!(
                f,
                "column `{column}` has {values} distinct values, most in one row only; each becomes a feature and stands in the model: leave the column out unless that is meant"
            ),
            Self::PossibleCodes { columns } => write!(f, "{}", possible_codes(columns)),
            Self::RenamedColumn { column, renamed } => {
                write!(f, "the header has `{column}` more than once; the later one is called `{renamed}` here")
            }
            Self::StrayText { column, row, texts, others, rows, numbers } => {
                let others = if *others > 0 { format!(" and {}", count(*others, "other text")) } else { String::new() };
                write!(
                    f,
                    "column `{column}`, row {row}: {}{others} in {} among {}: taken as a column of categories",
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
                "measured and tested, but not corrected for, since their rates, or those of the others they are compared with, are based on fewer than {min_group} rows: {}",
                named(&quoted(constraints))
            ),
            Self::HeldLoosely { constraints } => write!(
                f,
                "too few rows to tell whether the bound holds, so held to half a standard error instead: {}",
                named(&quoted(constraints))
            ),
            Self::NotableChange { .. }
            | Self::WorseThanConstant { .. }
            | Self::LevelledDown { .. }
            | Self::MissingApart { .. } => f.write_str(&self.of_effect()),
            Self::OneDecision { decision, rows } => write!(
                f,
                "all {rows} rows are predicted `{decision}`: positive rates are equal between groups because nobody is told apart"
            ),
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
pub(super) fn short(rate: f64) -> String {
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
    listed(all, ", ")
}

fn listed(all: &[String], between: &str) -> String {
    let mut named: Vec<String> = all.iter().take(LISTED).cloned().collect();
    if all.len() > LISTED {
        named.push(format!("and {} more", all.len() - LISTED));
    }
    named.join(between)
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
}

//! Groups as a user writes them.
//!
//! Holds [`GroupSpec`], its scanner and its parser. Knows nothing of tables: what a
//! column holds, and whether there is one, is the business of `bind`.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::{Error, Result};

/// The fewest and the most quantile buckets of `age/5`.
const BUCKETS: std::ops::RangeInclusive<usize> = 2..=100;

/// One or several groups, as written on the command line.
///
/// | written | groups |
/// | --- | --- |
/// | `sex` | each value of the column |
/// | `race=Black,White` | these values, a group each |
/// | `race=Black\|Hispanic`, `race=White,Black\|Hispanic` | values that `\|` joins are one group |
/// | `age<=30`, `age<30`, `age>30`, `age>=30` | one group of a numeric column |
/// | `age/5` | quantile buckets of the training rows, 2 to 100 |
/// | `sex*race`, `sex*race=White,Black\|Hispanic*age/3` | the intersections that have rows |
///
/// To a learner, a column of numbers whose values are groups (the first three forms, also within an intersection) is a
/// category, unless [`Schema::numeric`](crate::Schema::numeric) says otherwise; one that is compared or cut into
/// buckets stays a number.
///
/// Blanks around parts are trimmed. A name or value in backquotes may hold
/// `= < > / * , |` and outer blanks; a backquote inside is written twice. A text that is
/// literally the name of a column stands for that column, so whether a specification
/// can be read is known only when [`Groups::bind`](super::Groups::bind) sees the table.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct GroupSpec {
    text: String,
}

/// One factor of an intersection.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Part {
    pub(super) column: String,
    pub(super) test: Test,
}

/// What a part asks of its column.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Test {
    /// Every value is a group.
    Any,
    /// These values are groups, those of one list together.
    Values(Vec<Vec<String>>),
    /// At most (or below) a number.
    Upper { at: f64, inclusive: bool },
    /// At least (or above) a number.
    Lower { at: f64, inclusive: bool },
    /// Quantile buckets.
    Buckets(usize),
}

impl GroupSpec {
    /// The specification as it was written.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The columns that it names: the one whose name it literally is, if it is among these, else those of its parts.
    ///
    /// # Errors
    /// [`Error::GroupSyntax`].
    pub fn columns(&self, known: &[String]) -> Result<Vec<String>> {
        let literal =
            [self.text.as_str(), self.text.trim()].into_iter().find(|name| known.iter().any(|one| one == name));
        match literal {
            Some(name) => Ok(vec![name.to_owned()]),
            None => Ok(self.parts()?.into_iter().map(|part| part.column).collect()),
        }
    }

    /// The factors of the intersection, at least one.
    pub(super) fn parts(&self) -> Result<Vec<Part>> {
        let tokens = scan(&self.text).map_err(|problem| self.error(problem))?;
        tokens
            .split(|token| *token == Token::Sign("*"))
            .map(|tokens| parse_part(tokens).map_err(|problem| self.error(problem)))
            .collect()
    }

    /// A syntax error that shows this specification.
    pub(super) fn error(&self, problem: impl Into<String>) -> Error {
        Error::GroupSyntax { spec: self.text.clone(), problem: problem.into() }
    }
}

impl FromStr for GroupSpec {
    type Err = Error;

    /// # Errors
    /// [`Error::GroupSyntax`] when there is nothing but blanks.
    fn from_str(text: &str) -> Result<Self> {
        let spec = Self { text: text.to_owned() };
        if text.trim().is_empty() { Err(spec.error("nothing is written")) } else { Ok(spec) }
    }
}

impl TryFrom<String> for GroupSpec {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        text.parse()
    }
}

impl From<GroupSpec> for String {
    fn from(spec: GroupSpec) -> Self {
        spec.text
    }
}

impl fmt::Display for GroupSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    Word(String),
    Sign(&'static str),
}

/// Longer signs first, so that `<=` is not read as `<` and `=`.
const SIGNS: [&str; 9] = ["<=", ">=", "<", ">", "=", "/", "*", ",", "|"];

fn scan(text: &str) -> Result<Vec<Token>, String> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        if let Some(sign) = SIGNS.into_iter().find(|sign| rest.starts_with(sign)) {
            tokens.push(Token::Sign(sign));
            rest = &rest[sign.len()..];
        } else if let Some(quoted) = rest.strip_prefix('`') {
            let (word, after) = unquote(quoted)?;
            tokens.push(Token::Word(word));
            rest = after;
        } else {
            let end = rest.find(['`', '<', '>', '=', '/', '*', ',', '|']).unwrap_or(rest.len());
            tokens.push(Token::Word(rest[..end].trim_end().to_owned()));
            rest = &rest[end..];
        }
        rest = rest.trim_start();
    }
    Ok(tokens)
}

/// The text up to the closing backquote, and what comes after it.
fn unquote(text: &str) -> Result<(String, &str), String> {
    let mut word = String::new();
    let mut rest = text;
    loop {
        let Some((before, after)) = rest.split_once('`') else {
            return Err("a backquote is not closed".into());
        };
        word.push_str(before);
        let Some(doubled) = after.strip_prefix('`') else { return Ok((word, after)) };
        word.push('`');
        rest = doubled;
    }
}

fn parse_part(tokens: &[Token]) -> Result<Part, String> {
    let (column, rest) = match tokens {
        [Token::Word(column), rest @ ..] => (column.clone(), rest),
        [Token::Sign(sign), ..] => return Err(format!("a column is needed before `{sign}`")),
        [] => return Err("a column is needed on both sides of `*`".into()),
    };
    let test = match rest {
        [] => Test::Any,
        [Token::Sign("="), values @ ..] => Test::Values(parse_values(values)?),
        [Token::Sign("/"), Token::Word(count)] => Test::Buckets(parse_buckets(count)?),
        [Token::Sign(sign @ ("<=" | "<")), Token::Word(number)] => {
            Test::Upper { at: parse_number(number)?, inclusive: *sign == "<=" }
        }
        [Token::Sign(sign @ (">=" | ">")), Token::Word(number)] => {
            Test::Lower { at: parse_number(number)?, inclusive: *sign == ">=" }
        }
        [Token::Word(word), ..] => return Err(format!("`{word}` does not belong after `{column}`")),
        [Token::Sign(","), ..] => return Err("values are listed after `=`; give several groups one by one".into()),
        [Token::Sign("|"), ..] => return Err("`|` joins values, after `=`, as in `race=Black|Hispanic`".into()),
        [Token::Sign(sign)] => return Err(format!("something is needed after `{sign}`")),
        [Token::Sign(sign), ..] => return Err(format!("one number is needed after `{sign}`")),
    };
    Ok(Part { column, test })
}

/// Groups by `,`, and the values of each by `|`.
fn parse_values(tokens: &[Token]) -> Result<Vec<Vec<String>>, String> {
    let joined = |group: &[Token]| group.split(|token| *token == Token::Sign("|")).map(parse_value).collect();
    tokens.split(|token| *token == Token::Sign(",")).map(joined).collect()
}

fn parse_value(tokens: &[Token]) -> Result<String, String> {
    match tokens {
        [Token::Word(value)] => Ok(value.clone()),
        [] => Err("a value is missing".to_owned()),
        _ => Err("a value with one of ` < > = / in it is written in backquotes".to_owned()),
    }
}

fn parse_buckets(count: &str) -> Result<usize, String> {
    match count.parse() {
        Ok(count) if BUCKETS.contains(&count) => Ok(count),
        _ => Err(format!("`{count}` is not a number of buckets from {} to {}", BUCKETS.start(), BUCKETS.end())),
    }
}

fn parse_number(number: &str) -> Result<f64, String> {
    match number.parse::<f64>() {
        // Adding zero turns -0 into 0, so that both are written alike in names.
        Ok(number) if number.is_finite() => Ok(number + 0.0),
        _ => Err(format!("`{number}` is not a number")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parts(text: &str) -> Vec<Part> {
        text.parse::<GroupSpec>().unwrap().parts().unwrap()
    }

    fn problem(text: &str) -> String {
        text.parse::<GroupSpec>().and_then(|spec| spec.parts()).unwrap_err().to_string()
    }

    fn part(column: &str, test: Test) -> Part {
        Part { column: column.into(), test }
    }

    /// Groups of these values.
    fn values(groups: &[&[&str]]) -> Test {
        Test::Values(groups.iter().map(|group| group.iter().map(|&value| value.to_owned()).collect()).collect())
    }

    #[test]
    fn columns_are_those_it_names() {
        let columns = |text: &str, known: &[&str]| {
            let known: Vec<String> = known.iter().map(|&name| name.to_owned()).collect();
            text.parse::<GroupSpec>().and_then(|spec| spec.columns(&known))
        };
        assert_eq!(columns("sex*race=Black,White*age/3", &["age"]).unwrap(), ["sex", "race", "age"]);
        assert_eq!(columns(" a*b ", &["a", "b", "a*b"]).unwrap(), ["a*b"]);
        assert_eq!(columns("`a=b`=1", &[]).unwrap(), ["a=b"]);
        assert!(columns("age<=", &["age"]).is_err());
    }

    #[test]
    fn every_form_is_read() {
        assert_eq!(parts(" sex "), [part("sex", Test::Any)]);
        assert_eq!(parts("race = Black , White"), [part("race", values(&[&["Black"], &["White"]]))]);
        assert_eq!(parts("age<=30"), [part("age", Test::Upper { at: 30.0, inclusive: true })]);
        assert_eq!(parts("age<30"), [part("age", Test::Upper { at: 30.0, inclusive: false })]);
        assert_eq!(parts("age >= -1e3"), [part("age", Test::Lower { at: -1000.0, inclusive: true })]);
        assert_eq!(parts("age>30"), [part("age", Test::Lower { at: 30.0, inclusive: false })]);
        assert_eq!(parts("age/5"), [part("age", Test::Buckets(5))]);
    }

    #[test]
    fn intersections_take_any_part() {
        let asked =
            [part("sex", Test::Any), part("race", values(&[&["Black"], &["White"]])), part("age", Test::Buckets(3))];
        assert_eq!(parts("sex * race=Black,White*age/3"), asked);
    }

    #[test]
    fn values_are_joined_by_a_bar_more_tightly_than_groups_are_listed() {
        assert_eq!(parts("race=Black|Hispanic"), [part("race", values(&[&["Black", "Hispanic"]]))]);
        let asked = [part("sex", Test::Any), part("race", values(&[&["White"], &["Black", "Hispanic"], &["Asian"]]))];
        assert_eq!(parts("sex*race = White, Black | Hispanic ,Asian"), asked);
        assert_eq!(parts("race=`A|B`"), [part("race", values(&[&["A|B"]]))]);
        assert_eq!(parts("`r|s`=`A|B`|C"), [part("r|s", values(&[&["A|B", "C"]]))]);
    }

    #[test]
    fn backquotes_hold_signs_blanks_and_doubled_backquotes() {
        let asked = [part("a/b", values(&[&[">50K"], &[" x`"]]))];
        assert_eq!(parts("`a/b`=`>50K`, ` x```"), asked);
    }

    #[test]
    fn problems_say_what_is_wrong() {
        assert!(problem("  ").contains("nothing is written"));
        assert!(problem("age<=old").contains("`old` is not a number"));
        assert!(problem("age/1").contains("from 2 to 100"));
        assert!(problem("age/").contains("something is needed after `/`"));
        assert!(problem("sex*").contains("both sides of `*`"));
        assert!(problem("=x").contains("before `=`"));
        assert!(problem("race=a,,b").contains("a value is missing"));
        for text in ["race=", "race=a|", "race=|a", "race=a||b", "race=a|,b", "race=a|*sex"] {
            assert!(problem(text).contains("is missing"), "{text}: {}", problem(text));
        }
        assert!(problem("sex|race").contains("`|` joins values, after `=`"));
        assert!(problem("age<=30|40").contains("one number is needed after `<=`"));
        assert!(problem("income=>50K").contains("backquotes"));
        assert!(problem("`sex").contains("not closed"));
        assert!(problem("sex,race").contains("one by one"));
    }

    #[test]
    fn a_specification_is_a_string_in_json() {
        let spec: GroupSpec = "sex*race".parse().unwrap();
        assert_eq!(serde_json::to_string(&spec).unwrap(), "\"sex*race\"");
        assert_eq!(serde_json::from_str::<GroupSpec>("\"sex*race\"").unwrap(), spec);
        assert!(serde_json::from_str::<GroupSpec>("\" \"").is_err());
    }

    proptest! {
        #[test]
        fn parsing_never_panics(text in "\\PC*", signs in "[a`<>=/*|, 0-9é\\n]{0,24}") {
            for text in [text, signs] {
                let _ = text.parse::<GroupSpec>().and_then(|spec| spec.parts());
            }
        }

        #[test]
        fn any_name_and_value_can_be_written_in_backquotes(column in "\\PC*", value in "\\PC*") {
            let quote = |word: &str| format!("`{}`", word.replace('`', "``"));
            let (column_text, text) = (quote(&column), quote(&value));
            prop_assert_eq!(parts(&format!("{column_text}={text}")), [part(&column, values(&[&[&value]]))]);
            prop_assert_eq!(parts(&format!("{column_text}={text}|b")), [part(&column, values(&[&[&value, "b"]]))]);
        }
    }
}

//! One column while it is read.
//!
//! Holds [`ColumnBuilder`], which takes texts (`arrow` teaches it arrays), and settles whether a
//! column of a text file holds numbers. It starts out believing so; when a later value
//! contradicts, earlier texts are gone, and the column has to be read again as categories.

use super::batches::Reading;
use super::dictionary::DictionaryBuilder;
use super::texts::Texts;
use super::values::Parsed;
use crate::data::table::{Rounded, is_exact};
use crate::data::{Categorical, Column};
use crate::{Error, Result};

/// One column, growing batch by batch.
#[derive(Debug)]
pub(super) struct ColumnBuilder {
    pub(super) name: String,
    pub(super) state: State,
    /// Whether a text that is no number makes a column of categories, or an error.
    infers_type: bool,
    /// Whether numbers become their texts at the end.
    as_categories: bool,
}

#[derive(Debug)]
pub(super) enum State {
    Numbers(Numbers),
    Categories(DictionaryBuilder),
    /// A column taken for numbers that holds text after all.
    NotNumeric,
}

#[derive(Debug, Default)]
pub(super) struct Numbers {
    values: Vec<f64>,
    found: Found,
}

/// What a column of numbers has shown so far.
#[derive(Debug, Default, Clone)]
struct Found {
    /// A number, or one of the words that are missing among numbers only.
    more_than_empty: bool,
    number: bool,
    infinite: Option<(usize, String)>,
    /// The first whole number that a double does not hold.
    rounded: Option<(usize, String)>,
}

impl ColumnBuilder {
    /// A column of a text file: numbers until shown otherwise.
    pub(super) fn inferred(name: &str) -> Self {
        Self { infers_type: true, ..Self::numeric(name) }
    }

    /// A column that must hold numbers.
    pub(super) fn numeric(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            state: State::Numbers(Numbers::default()),
            infers_type: false,
            as_categories: false,
        }
    }

    /// A column of numbers that is asked for as categories.
    #[cfg(feature = "_arrow")]
    pub(super) fn numbers_as_categories(name: &str) -> Self {
        Self { as_categories: true, ..Self::numeric(name) }
    }

    /// A column of texts.
    pub(super) fn categorical(name: &str) -> Self {
        Self { state: State::Categories(DictionaryBuilder::after_missing(0)), ..Self::numeric(name) }
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// The first whole number that a double does not hold, in a column of numbers.
    pub(super) fn rounded(&self, first_row: usize) -> Option<Rounded> {
        let State::Numbers(Numbers { found: Found { rounded: Some((row, found)), .. }, .. }) = &self.state else {
            return None;
        };
        Some(Rounded { column: self.name.clone(), row: row - first_row, found: found.clone() })
    }

    /// Whether its values so far are numbers; `None` where they are neither numbers nor texts that cannot be.
    pub(super) fn holds_numbers(&self) -> Option<bool> {
        match &self.state {
            State::Numbers(numbers) if self.infers_type => numbers.found.number.then_some(true),
            State::Numbers(_) => Some(true),
            State::Categories(_) | State::NotNumeric => Some(false),
        }
    }

    /// Whether the column has to be read again, as categories.
    pub(super) fn is_not_numeric(&self) -> bool {
        matches!(self.state, State::NotNumeric)
    }

    /// Adds rows of text.
    pub(super) fn push_texts(&mut self, texts: &impl Texts, reading: &Reading) -> Result<()> {
        match &mut self.state {
            State::NotNumeric => Ok(()),
            State::Categories(categories) => push_categories(categories, texts, reading, &self.name),
            State::Numbers(numbers) => {
                let (before, found) = (numbers.values.len(), numbers.found.clone());
                let Some(at) = numbers.push_texts(texts, reading) else { return Ok(()) };
                if !self.infers_type {
                    return Err(Error::NotNumeric {
                        column: self.name.clone(),
                        row: reading.first_row + before + at,
                        found: shown(texts.get(at)),
                    });
                }
                if found.more_than_empty {
                    self.state = State::NotNumeric;
                    return Ok(());
                }
                // All rows before this batch are empty, so nothing has been lost.
                let mut categories = DictionaryBuilder::after_missing(before);
                push_categories(&mut categories, texts, reading, &self.name)?;
                self.state = State::Categories(categories);
                Ok(())
            }
        }
    }

    /// The finished column. An entirely empty one that nobody asked to be numeric is categorical.
    pub(super) fn finish(self) -> Result<Column> {
        match self.state {
            State::Categories(categories) => Ok(Column::Categorical(categories.finish())),
            State::NotNumeric => Ok(Column::Categorical(Categorical::new(Vec::new(), Vec::new()))),
            State::Numbers(Numbers { found: Found { infinite: Some((row, found)), .. }, .. }) => {
                Err(Error::NotFinite { column: self.name, row, found })
            }
            State::Numbers(numbers) if self.infers_type && !numbers.found.number => {
                Ok(Column::Categorical(DictionaryBuilder::after_missing(numbers.values.len()).finish()))
            }
            State::Numbers(mut numbers) => {
                numbers.values.shrink_to_fit();
                let column = Column::Numeric(numbers.values);
                Ok(if self.as_categories { Column::Categorical(column.to_categorical()) } else { column })
            }
        }
    }
}

impl Numbers {
    /// Adds texts up to the first that is no number, whose position is returned.
    fn push_texts(&mut self, texts: &impl Texts, reading: &Reading) -> Option<usize> {
        self.values.reserve(texts.len());
        for at in 0..texts.len() {
            let value = match texts.get(at).map_or(Parsed::Missing, |text| reading.values.parse(text)) {
                Parsed::Missing => f64::NAN,
                Parsed::NoNumber => {
                    self.found.more_than_empty = true;
                    f64::NAN
                }
                Parsed::Number(number) => {
                    self.found.more_than_empty = true;
                    self.found.number = true;
                    if number.is_infinite() {
                        let row = reading.first_row + self.values.len();
                        self.found.infinite.get_or_insert_with(|| (row, shown(texts.get(at))));
                    }
                    if number.abs() >= LARGEST_EXACT && self.found.rounded.is_none() {
                        let (row, text) = (reading.first_row + self.values.len(), shown(texts.get(at)));
                        let rounded = text.parse::<i128>().is_ok_and(|value| !is_exact(value));
                        self.found.rounded = rounded.then_some((row, text));
                    }
                    number
                }
                Parsed::Text => return Some(at),
            };
            self.values.push(value);
        }
        None
    }
}

#[cfg(feature = "_arrow")]
impl Numbers {
    /// Adds numbers.
    pub(super) fn push_floats(&mut self, mut values: Vec<f64>, rounded: Option<(usize, String)>, reading: &Reading) {
        let before = self.values.len();
        if let Some((at, found)) = rounded {
            self.found.rounded.get_or_insert((reading.first_row + before + at, found));
        }
        for value in &mut values {
            if reading.values.is_missing_number(*value) {
                *value = f64::NAN;
            }
        }
        self.found.number = true;
        if let Some(at) = values.iter().position(|value| value.is_infinite()) {
            let found = values[at].to_string();
            self.found.infinite.get_or_insert((reading.first_row + before + at, found));
        }
        self.values.append(&mut values);
    }
}

/// Whole numbers below are doubles, every one of them.
const LARGEST_EXACT: f64 = 9_007_199_254_740_992.0;

/// A field as a message shows it.
fn shown(text: Option<&[u8]>) -> String {
    String::from_utf8_lossy(text.unwrap_or_default()).trim().to_owned()
}

fn push_categories(
    categories: &mut DictionaryBuilder,
    texts: &impl Texts,
    reading: &Reading,
    column: &str,
) -> Result<()> {
    for at in 0..texts.len() {
        match texts.get(at).and_then(|text| reading.values.text(text)) {
            None => categories.push_missing(),
            Some(text) => {
                let code = categories.code(text).ok_or_else(|| not_utf8(categories, reading, column))?;
                categories.push(code);
            }
        }
    }
    Ok(())
}

pub(super) fn not_utf8(categories: &DictionaryBuilder, reading: &Reading, column: &str) -> Error {
    let row = reading.first_row + categories.len();
    reading.unreadable(format!("column `{column}`, row {row}: the text is not UTF-8; save the file as UTF-8"))
}

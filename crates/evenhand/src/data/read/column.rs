//! One column while it is read.
//!
//! Holds [`ColumnBuilder`], which takes arrays of any accepted type and settles whether a
//! column of a text file holds numbers. It starts out believing so; when a later value
//! contradicts, earlier texts are gone, and the column has to be read again as categories.

use arrow::array::{Array, ArrayAccessor, AsArray, BooleanArray, Float64Array};
use arrow::compute::cast;
use arrow::datatypes::DataType;

use super::batches::Reading;
use super::growing::Growing;
use super::values::Parsed;
use crate::data::{Categorical, Column};
use crate::{Error, Result};

/// A dictionary entry whose code was not asked for yet.
const UNRESOLVED: u32 = u32::MAX;

/// One column, growing batch by batch.
#[derive(Debug)]
pub(super) struct ColumnBuilder {
    name: String,
    state: State,
    /// Whether a text that is no number makes a column of categories, or an error.
    guessing: bool,
    /// Whether numbers become their texts at the end.
    as_categories: bool,
}

#[derive(Debug)]
enum State {
    Numbers(Numbers),
    Categories(Growing),
    /// A column taken for numbers that holds text after all.
    Contradicted,
}

#[derive(Debug, Default)]
struct Numbers {
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
}

impl ColumnBuilder {
    /// A column of a text file: numbers until shown otherwise.
    pub(super) fn guess(name: &str) -> Self {
        Self { guessing: true, ..Self::numeric(name) }
    }

    /// A column that must hold numbers.
    pub(super) fn numeric(name: &str) -> Self {
        Self { name: name.to_owned(), state: State::Numbers(Numbers::default()), guessing: false, as_categories: false }
    }

    /// A column of numbers that is asked for as categories.
    pub(super) fn numbers_as_categories(name: &str) -> Self {
        Self { as_categories: true, ..Self::numeric(name) }
    }

    /// A column of texts.
    pub(super) fn categorical(name: &str) -> Self {
        Self { state: State::Categories(Growing::after_missing(0)), ..Self::numeric(name) }
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Whether the column has to be read again, as categories.
    pub(super) fn is_contradicted(&self) -> bool {
        matches!(self.state, State::Contradicted)
    }

    /// Adds the rows of one array.
    pub(super) fn push(&mut self, array: &dyn Array, reading: &Reading) -> Result<()> {
        match array.data_type() {
            DataType::Utf8 => self.push_texts(array.as_string::<i32>(), reading),
            DataType::LargeUtf8 => self.push_texts(array.as_string::<i64>(), reading),
            DataType::Utf8View => self.push_texts(array.as_string_view(), reading),
            DataType::Dictionary(_, values) => self.push_dictionary(array, values, reading),
            _ => match &mut self.state {
                State::Contradicted => Ok(()),
                State::Categories(categories) => push_flags(categories, array, &self.name),
                State::Numbers(numbers) => {
                    let floats = cast(array, &DataType::Float64).map_err(|error| reading.unreadable(&error))?;
                    numbers.push_floats(floats.as_primitive(), reading);
                    Ok(())
                }
            },
        }
    }

    fn push_texts<'a>(&mut self, texts: impl ArrayAccessor<Item = &'a str> + Copy, reading: &Reading) -> Result<()> {
        match &mut self.state {
            State::Contradicted => Ok(()),
            State::Categories(categories) => push_categories(categories, &texts, reading, &self.name),
            State::Numbers(numbers) => {
                let (before, found) = (numbers.values.len(), numbers.found.clone());
                let Some(at) = numbers.push_texts(&texts, reading) else { return Ok(()) };
                if !self.guessing {
                    return Err(Error::NotNumeric {
                        column: self.name.clone(),
                        row: reading.first_row + before + at,
                        found: texts.value(at).trim().to_owned(),
                    });
                }
                if found.more_than_empty {
                    self.state = State::Contradicted;
                    return Ok(());
                }
                // All rows before this batch are empty, so nothing has been lost.
                let mut categories = Growing::after_missing(before);
                push_categories(&mut categories, &texts, reading, &self.name)?;
                self.state = State::Categories(categories);
                Ok(())
            }
        }
    }

    fn push_dictionary(&mut self, array: &dyn Array, values: &DataType, reading: &Reading) -> Result<()> {
        let is_text = matches!(values, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View);
        match &mut self.state {
            State::Categories(categories) if is_text => push_coded(categories, array, reading, &self.name),
            _ => {
                let plain = cast(array, values).map_err(|error| reading.unreadable(&error))?;
                self.push(&plain, reading)
            }
        }
    }

    /// The finished column. An entirely empty one that nobody asked to be numeric is categorical.
    pub(super) fn finish(self) -> Result<Column> {
        match self.state {
            State::Categories(categories) => Ok(Column::Categorical(categories.finish())),
            State::Contradicted => Ok(Column::Categorical(Categorical::new(Vec::new(), Vec::new()))),
            State::Numbers(Numbers { found: Found { infinite: Some((row, found)), .. }, .. }) => {
                Err(Error::NotFinite { column: self.name, row, found })
            }
            State::Numbers(numbers) if self.guessing && !numbers.found.number => {
                Ok(Column::Categorical(Growing::after_missing(numbers.values.len()).finish()))
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
    fn push_texts<'a>(&mut self, texts: &impl ArrayAccessor<Item = &'a str>, reading: &Reading) -> Option<usize> {
        self.values.reserve(texts.len());
        for at in 0..texts.len() {
            let parsed = if texts.is_null(at) { Parsed::Missing } else { reading.values.parse(texts.value(at)) };
            let value = match parsed {
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
                        self.found.infinite.get_or_insert_with(|| (row, texts.value(at).trim().to_owned()));
                    }
                    number
                }
                Parsed::Text => return Some(at),
            };
            self.values.push(value);
        }
        None
    }

    fn push_floats(&mut self, floats: &Float64Array, reading: &Reading) {
        let before = self.values.len();
        if floats.null_count() == 0 {
            self.values.extend_from_slice(floats.values());
        } else {
            self.values.extend(floats.iter().map(|value| value.unwrap_or(f64::NAN)));
        }
        for value in &mut self.values[before..] {
            if reading.values.is_missing_number(*value) {
                *value = f64::NAN;
            }
        }
        self.found.number = true;
        if let Some(at) = self.values[before..].iter().position(|value| value.is_infinite()) {
            let found = self.values[before + at].to_string();
            self.found.infinite.get_or_insert((reading.first_row + before + at, found));
        }
    }
}

fn push_categories<'a>(
    categories: &mut Growing,
    texts: &impl ArrayAccessor<Item = &'a str>,
    reading: &Reading,
    column: &str,
) -> Result<()> {
    for at in 0..texts.len() {
        match (!texts.is_null(at)).then(|| reading.values.text(texts.value(at))).flatten() {
            None => categories.push_missing(),
            Some(text) => {
                let code = categories.code(text).ok_or_else(|| not_utf8(categories, reading, column))?;
                categories.push(code);
            }
        }
    }
    Ok(())
}

/// Adds an array of keys: each entry of its dictionary is looked up once, and only when a
/// row has it, since codes follow the order of rows.
fn push_coded(categories: &mut Growing, array: &dyn Array, reading: &Reading, column: &str) -> Result<()> {
    let dictionary = array.as_any_dictionary();
    let texts = cast(dictionary.values(), &DataType::Utf8View).map_err(|error| reading.unreadable(&error))?;
    let texts = texts.as_string_view();
    let keys = if texts.is_empty() { Vec::new() } else { dictionary.normalized_keys() };
    let mut codes = vec![UNRESOLVED; texts.len()];
    for row in 0..array.len() {
        let Some(&key) = keys.get(row).filter(|&&key| !array.is_null(row) && !texts.is_null(key)) else {
            categories.push_missing();
            continue;
        };
        if codes[key] == UNRESOLVED {
            let Some(text) = reading.values.text(texts.value(key)) else {
                categories.push_missing();
                continue;
            };
            codes[key] = categories.code(text).ok_or_else(|| not_utf8(categories, reading, column))?;
        }
        categories.push(codes[key]);
    }
    Ok(())
}

/// Adds booleans as `true` and `false`, and an array without type as missing.
fn push_flags(categories: &mut Growing, array: &dyn Array, column: &str) -> Result<()> {
    match array.data_type() {
        DataType::Null => (0..array.len()).for_each(|_| categories.push_missing()),
        DataType::Boolean => {
            let flags: &BooleanArray = array.as_boolean();
            for flag in flags {
                let code = flag.and_then(|flag| categories.code(if flag { b"true" } else { b"false" }));
                match code {
                    Some(code) => categories.push(code),
                    None => categories.push_missing(),
                }
            }
        }
        // A stream may hold a batch of another type than its schema says.
        other => return Err(Error::ColumnType { column: column.to_owned(), found: other.to_string() }),
    }
    Ok(())
}

fn not_utf8(categories: &Growing, reading: &Reading, column: &str) -> Error {
    let row = reading.first_row + categories.len();
    reading.unreadable(&format!("column `{column}`, row {row}: the text is not UTF-8; save the file as UTF-8"))
}

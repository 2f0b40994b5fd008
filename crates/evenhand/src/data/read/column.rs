//! One column while it is read.
//!
//! Holds [`ColumnBuilder`], which takes texts and arrays of any accepted type, and settles whether a
//! column of a text file holds numbers. It starts out believing so; when a later value
//! contradicts, earlier texts are gone, and the column has to be read again as categories.

use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_schema::DataType;
use arrow_select::take::take;

use super::batches::Reading;
use super::growing::Growing;
use super::numbers::floats;
use super::texts::Texts;
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
    pub(super) fn push_array(&mut self, array: &dyn Array, reading: &Reading) -> Result<()> {
        match array.data_type() {
            DataType::Utf8 => self.push_texts(array.as_string::<i32>(), reading),
            DataType::LargeUtf8 => self.push_texts(array.as_string::<i64>(), reading),
            DataType::Utf8View => self.push_texts(array.as_string_view(), reading),
            DataType::Dictionary(..) => self.push_dictionary(array, reading),
            found => {
                let pushed = match &mut self.state {
                    State::Contradicted => true,
                    State::Categories(categories) => push_flags(categories, array),
                    State::Numbers(numbers) => floats(array).map(|values| numbers.push_floats(values, reading)).is_some(),
                };
                // A stream may hold a batch of another type than its schema says.
                if pushed { Ok(()) } else { Err(self.unknown_type(found)) }
            }
        }
    }

    /// Adds rows of text.
    pub(super) fn push_texts(&mut self, texts: &impl Texts, reading: &Reading) -> Result<()> {
        match &mut self.state {
            State::Contradicted => Ok(()),
            State::Categories(categories) => push_categories(categories, texts, reading, &self.name),
            State::Numbers(numbers) => {
                let (before, found) = (numbers.values.len(), numbers.found.clone());
                let Some(at) = numbers.push_texts(texts, reading) else { return Ok(()) };
                if !self.guessing {
                    return Err(Error::NotNumeric {
                        column: self.name.clone(),
                        row: reading.first_row + before + at,
                        found: shown(texts.get(at)),
                    });
                }
                if found.more_than_empty {
                    self.state = State::Contradicted;
                    return Ok(());
                }
                // All rows before this batch are empty, so nothing has been lost.
                let mut categories = Growing::after_missing(before);
                push_categories(&mut categories, texts, reading, &self.name)?;
                self.state = State::Categories(categories);
                Ok(())
            }
        }
    }

    fn push_dictionary(&mut self, array: &dyn Array, reading: &Reading) -> Result<()> {
        let dictionary = array.as_any_dictionary();
        if let State::Categories(categories) = &mut self.state {
            let values = dictionary.values();
            match values.data_type() {
                DataType::Utf8 => return push_coded(categories, array, values.as_string::<i32>(), reading, &self.name),
                DataType::LargeUtf8 => {
                    return push_coded(categories, array, values.as_string::<i64>(), reading, &self.name);
                }
                DataType::Utf8View => return push_coded(categories, array, values.as_string_view(), reading, &self.name),
                _ => {}
            }
        }
        let plain = take(dictionary.values(), dictionary.keys(), None).map_err(|error| reading.unreadable(&error))?;
        self.push_array(&plain, reading)
    }

    fn unknown_type(&self, found: &DataType) -> Error {
        Error::ColumnType { column: self.name.clone(), found: found.to_string() }
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
                    number
                }
                Parsed::Text => return Some(at),
            };
            self.values.push(value);
        }
        None
    }

    fn push_floats(&mut self, mut values: Vec<f64>, reading: &Reading) {
        let before = self.values.len();
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

/// A field as a message shows it.
fn shown(text: Option<&[u8]>) -> String {
    String::from_utf8_lossy(text.unwrap_or_default()).trim().to_owned()
}

fn push_categories(categories: &mut Growing, texts: &impl Texts, reading: &Reading, column: &str) -> Result<()> {
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

/// Adds an array of keys into `texts`: each entry of the dictionary is looked up once, and only when a
/// row has it, since codes follow the order of rows.
fn push_coded(
    categories: &mut Growing,
    array: &dyn Array,
    texts: &impl Texts,
    reading: &Reading,
    column: &str,
) -> Result<()> {
    let keys = if texts.len() == 0 { Vec::new() } else { array.as_any_dictionary().normalized_keys() };
    let mut codes = vec![UNRESOLVED; texts.len()];
    for row in 0..array.len() {
        let Some(&key) = keys.get(row).filter(|_| !array.is_null(row)) else {
            categories.push_missing();
            continue;
        };
        if codes[key] == UNRESOLVED {
            let Some(text) = texts.get(key).and_then(|text| reading.values.text(text)) else {
                categories.push_missing();
                continue;
            };
            codes[key] = categories.code(text).ok_or_else(|| not_utf8(categories, reading, column))?;
        }
        categories.push(codes[key]);
    }
    Ok(())
}

/// Adds booleans as `true` and `false`, and an array without type as missing; whether it was one of the two.
fn push_flags(categories: &mut Growing, array: &dyn Array) -> bool {
    match array.data_type() {
        DataType::Null => (0..array.len()).for_each(|_| categories.push_missing()),
        DataType::Boolean => {
            for flag in array.as_boolean() {
                let code = flag.and_then(|flag| categories.code(if flag { b"true" } else { b"false" }));
                match code {
                    Some(code) => categories.push(code),
                    None => categories.push_missing(),
                }
            }
        }
        _ => return false,
    }
    true
}

fn not_utf8(categories: &Growing, reading: &Reading, column: &str) -> Error {
    let row = reading.first_row + categories.len();
    reading.unreadable(&format!("column `{column}`, row {row}: the text is not UTF-8; save the file as UTF-8"))
}

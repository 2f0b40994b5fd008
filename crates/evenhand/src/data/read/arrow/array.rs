//! Arrow's arrays on their way into a column.

use arrow_array::cast::AsArray;
use arrow_array::{Array, GenericStringArray, OffsetSizeTrait, StringViewArray};
use arrow_schema::DataType;
use arrow_select::take::take;

use super::numbers::{floats, rounded, whole};
use crate::data::read::batches::Reading;
use crate::data::read::column::{ColumnBuilder, State, not_utf8};
use crate::data::read::dictionary::DictionaryBuilder;
use crate::data::read::texts::Texts;
use crate::{Error, Result};

/// A dictionary entry whose code was not asked for yet.
const UNRESOLVED: u32 = u32::MAX;

/// One that stands for no value; codes are one more than they will be.
const MISSING: u32 = 0;

impl<O: OffsetSizeTrait> Texts for GenericStringArray<O> {
    fn len(&self) -> usize {
        Array::len(self)
    }

    fn get(&self, row: usize) -> Option<&[u8]> {
        self.is_valid(row).then(|| self.value(row).as_bytes())
    }
}

impl Texts for StringViewArray {
    fn len(&self) -> usize {
        Array::len(self)
    }

    fn get(&self, row: usize) -> Option<&[u8]> {
        self.is_valid(row).then(|| self.value(row).as_bytes())
    }
}

impl ColumnBuilder {
    /// Adds the rows of one array.
    pub(in crate::data::read) fn push_array(&mut self, array: &dyn Array, reading: &Reading) -> Result<()> {
        match array.data_type() {
            DataType::Utf8 => self.push_texts(array.as_string::<i32>(), reading),
            DataType::LargeUtf8 => self.push_texts(array.as_string::<i64>(), reading),
            DataType::Utf8View => self.push_texts(array.as_string_view(), reading),
            DataType::Dictionary(..) => self.push_dictionary(array, reading),
            found => {
                let pushed = match &mut self.state {
                    State::NotNumeric => true,
                    State::Categories(categories) if *found == DataType::Null => {
                        return categories.push_all_missing(array.len()).map_err(|error| reading.unreadable(error));
                    }
                    State::Categories(categories) => {
                        push_flags(categories, array) || push_whole(categories, array, reading)
                    }
                    State::Numbers(numbers) => {
                        floats(array).map(|values| numbers.push_floats(values, rounded(array), reading)).is_some()
                    }
                };
                // A stream may hold a batch of another type than its schema says.
                if pushed { Ok(()) } else { Err(self.unknown_type(found)) }
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
                DataType::Utf8View => {
                    return push_coded(categories, array, values.as_string_view(), reading, &self.name);
                }
                _ => {}
            }
        }
        let plain = take(dictionary.values(), dictionary.keys(), None).map_err(|error| reading.unreadable(error))?;
        self.push_array(&plain, reading)
    }

    fn unknown_type(&self, found: &DataType) -> Error {
        Error::ColumnType { column: self.name.clone(), found: found.to_string() }
    }
}

/// Adds an array of keys into `texts`: each entry of the dictionary is looked up once, and only when a
/// row has it, since codes follow the order of rows.
fn push_coded(
    categories: &mut DictionaryBuilder,
    array: &dyn Array,
    texts: &impl Texts,
    reading: &Reading,
    column: &str,
) -> Result<()> {
    if texts.len() == 0 {
        return categories.push_all_missing(array.len()).map_err(|error| reading.unreadable(error));
    }
    let keys = array.as_any_dictionary().normalized_keys();
    let nulls = array.nulls().filter(|nulls| nulls.null_count() > 0);
    let is_missing = |row: usize| nulls.is_some_and(|nulls| nulls.is_null(row));
    let (mut codes, mut unresolved) = (vec![UNRESOLVED; texts.len()], texts.len());
    for (row, &key) in keys.iter().enumerate() {
        if codes[key] != UNRESOLVED || is_missing(row) {
            continue;
        }
        codes[key] = if let Some(text) = texts.get(key).and_then(|text| reading.values.text(text)) {
            let Some(code) = categories.code(text) else {
                categories.push_shifted(&codes, &keys[..row], is_missing);
                return Err(not_utf8(categories, reading, column));
            };
            code + 1
        } else {
            MISSING
        };
        unresolved -= 1;
        if unresolved == 0 {
            break;
        }
    }
    categories.push_shifted(&codes, &keys, is_missing);
    Ok(())
}

/// Adds whole numbers as their texts, with all their digits; whether it was an array of them.
fn push_whole(categories: &mut DictionaryBuilder, array: &dyn Array, reading: &Reading) -> bool {
    let Some(values) = whole(array) else { return false };
    for value in values {
        let known = value.filter(|&value| !reading.values.is_missing_number(value as f64));
        match known.and_then(|value| categories.code(value.to_string().as_bytes())) {
            Some(code) => categories.push(code),
            None => categories.push_missing(),
        }
    }
    true
}

/// Adds booleans as `true` and `false`; whether the array holds them.
fn push_flags(categories: &mut DictionaryBuilder, array: &dyn Array) -> bool {
    let Some(flags) = array.as_boolean_opt() else { return false };
    for flag in flags {
        let code = flag.and_then(|flag| categories.code(if flag { b"true" } else { b"false" }));
        match code {
            Some(code) => categories.push(code),
            None => categories.push_missing(),
        }
    }
    true
}

//! Typed columns in memory, as a file held them.
//!
//! Holds [`Table`], [`Column`] and [`Categorical`]. Knows nothing of roles: which column
//! is the label or a feature is [`super::Schema`]'s business.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use super::Codes;
use crate::{Error, Result, parallel};

/// Named columns of one length.
#[derive(Debug, Clone, Default)]
pub struct Table {
    rows: usize,
    first_row: usize,
    names: Vec<String>,
    columns: Vec<Column>,
    /// Where the first column of each name stands.
    places: HashMap<String, usize>,
    /// Columns of whole numbers that doubles do not hold, each with the first.
    rounded: Vec<Rounded>,
    /// Where rows that were repeated stood before.
    places_before: Option<Arc<Vec<u32>>>,
}

/// A whole number that a double does not hold.
#[derive(Debug, Clone)]
pub(super) struct Rounded {
    pub(super) column: String,
    pub(super) row: usize,
    pub(super) found: String,
}

/// One column.
#[derive(Debug, Clone)]
pub enum Column {
    /// Finite numbers; NaN stands for missing.
    Numeric(Vec<f64>),
    /// Text from a dictionary.
    Categorical(Categorical),
}

/// Text values as codes into a dictionary.
///
/// The code that equals the dictionary's length stands for missing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Categorical {
    codes: Codes,
    dictionary: Vec<String>,
}

impl Table {
    /// A table whose row 0 is shown to users as `first_row`.
    ///
    /// # Errors
    /// [`Error::Length`] when a column has another length than the first.
    pub fn new(columns: Vec<(String, Column)>, first_row: usize) -> Result<Self> {
        let rows = columns.first().map_or(0, |(_, column)| column.len());
        for (_, column) in &columns {
            if column.len() != rows {
                return Err(Error::Length { what: "values in a column", expected: rows, found: column.len() });
            }
        }
        let (names, columns): (Vec<String>, Vec<Column>) = columns.into_iter().unzip();
        let mut places = HashMap::with_capacity(names.len());
        for (at, name) in names.iter().enumerate() {
            places.entry(name.clone()).or_insert(at);
        }
        Ok(Self { rows, first_row, names, columns, places, rounded: Vec::new(), places_before: None })
    }

    /// The same table, with what its columns lost of whole numbers.
    pub(super) fn rounded(self, rounded: Vec<Rounded>) -> Self {
        Self { rounded, ..self }
    }

    /// Checks that values of a column can be distinguished, as groups, classes or categories have to be.
    ///
    /// # Errors
    /// [`Error::Rounded`] for whole numbers beyond 2⁵³ that became others as doubles.
    pub(crate) fn check_exact(&self, name: &str) -> Result<()> {
        let Some(Rounded { column, row, found }) = self.rounded.iter().find(|one| one.column == name) else {
            return Ok(());
        };
        Err(Error::Rounded { column: column.clone(), row: self.shown_row(*row), found: found.clone() })
    }

    /// Adds a column of whole numbers, or replaces one; `None` is missing.
    ///
    /// They become doubles, and those that doubles do not hold are remembered: values of such a column are not taken for groups,
    /// classes or categories.
    ///
    /// # Errors
    /// Those of [`Table::set`].
    pub fn set_whole(&mut self, name: &str, values: impl Iterator<Item = Option<i128>>) -> Result<()> {
        let mut rounded = None;
        let number = |(row, value): (usize, Option<i128>)| {
            let Some(value) = value else { return f64::NAN };
            if !is_exact(value) && rounded.is_none() {
                rounded = Some(Rounded { column: name.to_owned(), row, found: value.to_string() });
            }
            value as f64
        };
        let column = Column::Numeric(values.enumerate().map(number).collect());
        self.set(name, column)?;
        self.rounded.extend(rounded);
        Ok(())
    }

    /// How many rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The same rows, the first of them shown to users as `first_row`.
    #[must_use]
    pub fn counted_from(self, first_row: usize) -> Self {
        Self { first_row, ..self }
    }

    /// The number under which a user finds a row in the file.
    pub fn shown_row(&self, row: usize) -> usize {
        self.first_row + self.places_before.as_ref().map_or(row, |places| places[row] as usize)
    }

    /// The same rows, which users find where others stood.
    pub(super) fn shown_as(self, places: Arc<Vec<u32>>) -> Self {
        Self { places_before: Some(places), ..self }
    }

    /// All columns but one.
    pub(super) fn without(&self, name: &str) -> Self {
        let kept = || (0..self.names.len()).filter(|&at| self.names[at] != name);
        let names: Vec<String> = kept().map(|at| self.names[at].clone()).collect();
        Self {
            places: names.iter().cloned().enumerate().rev().map(|(at, name)| (name, at)).collect(),
            columns: kept().map(|at| self.columns[at].clone()).collect(),
            names,
            rounded: self.rounded.iter().filter(|one| one.column != name).cloned().collect(),
            places_before: self.places_before.clone(),
            ..*self
        }
    }

    /// The names, in the order of the file.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The names and columns, in the order of the file.
    pub fn columns(&self) -> impl Iterator<Item = (&str, &Column)> {
        self.names.iter().map(String::as_str).zip(&self.columns)
    }

    /// The column of that name, if there is one.
    pub fn get(&self, name: &str) -> Option<&Column> {
        self.places.get(name).map(|&at| &self.columns[at])
    }

    /// The column of that name.
    ///
    /// # Errors
    /// [`Error::UnknownColumn`], listing those there are.
    pub fn column(&self, name: &str) -> Result<&Column> {
        self.get(name).ok_or_else(|| Error::UnknownColumn { column: name.to_owned(), known: self.names.clone() })
    }

    /// Replaces a column, or adds it at the end.
    ///
    /// # Errors
    /// [`Error::Length`] when it has another number of rows than the table.
    pub fn set(&mut self, name: &str, column: Column) -> Result<()> {
        if self.columns.is_empty() {
            self.rows = column.len();
        }
        if column.len() != self.rows {
            return Err(Error::Length { what: "values in a column", expected: self.rows, found: column.len() });
        }
        self.rounded.retain(|one| one.column != name);
        if let Some(&at) = self.places.get(name) {
            self.columns[at] = column;
        } else {
            self.places.insert(name.to_owned(), self.columns.len());
            self.names.push(name.to_owned());
            self.columns.push(column);
        }
        Ok(())
    }

    /// Adds a column of another table, or replaces one by it.
    ///
    /// # Errors
    /// [`Error::UnknownColumn`], and those of [`Table::set`].
    pub fn set_from(&mut self, name: &str, other: &Self, column: &str) -> Result<()> {
        self.set(name, other.column(column)?.clone())?;
        let rounded = other.rounded.iter().filter(|one| one.column == column);
        self.rounded.extend(rounded.map(|one| Rounded { column: name.to_owned(), ..one.clone() }));
        Ok(())
    }

    /// Tables of the same columns, one below the other. Rows are counted from where the first of them begins.
    ///
    /// # Errors
    /// [`Error::NoRows`] without any table, [`Error::UnknownColumn`] where a column is not in all of them, [`Error::ColumnKind`] where one is of
    /// another kind.
    pub fn concat(tables: Vec<Self>) -> Result<Self> {
        let mut tables = tables.into_iter();
        let Some(mut all) = tables.next() else { return Err(Error::NoRows { what: "the table".into() }) };
        let rest: Vec<Self> = tables.collect();
        for (at, name) in all.names.iter().enumerate() {
            let mut parts = vec![&all.columns[at]];
            for table in &rest {
                parts.push(table.column(name)?);
            }
            let column = Column::concat(name, &parts)?;
            all.columns[at] = column;
        }
        for table in rest {
            let lost = table.rounded.into_iter().map(|one| Rounded { row: one.row + all.rows, ..one });
            all.rounded.extend(lost.collect::<Vec<_>>());
            all.rows += table.rows;
        }
        all.places_before = None;
        Ok(all)
    }

    /// The given rows, in the given order. Their shown numbers are lost.
    #[must_use]
    pub fn select(&self, rows: &[usize]) -> Self {
        Self {
            rows: rows.len(),
            first_row: self.first_row,
            names: self.names.clone(),
            columns: self.columns.iter().map(|column| column.select(rows)).collect(),
            places: self.places.clone(),
            rounded: self.rounded.clone(),
            places_before: None,
        }
    }
}

/// Whether a double holds that whole number.
pub(super) fn is_exact(value: i128) -> bool {
    value.unsigned_abs() <= 1 << 53 || value as f64 as i128 == value
}

impl Column {
    /// How many rows.
    pub fn len(&self) -> usize {
        match self {
            Self::Numeric(values) => values.len(),
            Self::Categorical(values) => values.codes.len(),
        }
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The given rows, in the given order.
    #[must_use]
    pub fn select(&self, rows: &[usize]) -> Self {
        match self {
            Self::Numeric(values) => Self::Numeric(parallel::gather(values, rows)),
            Self::Categorical(values) => Self::Categorical(Categorical {
                codes: values.codes.select(rows),
                dictionary: values.dictionary.clone(),
            }),
        }
    }

    /// The rows of a range.
    #[must_use]
    pub fn slice(&self, rows: Range<usize>) -> Self {
        match self {
            Self::Numeric(values) => Self::Numeric(values[rows].to_vec()),
            Self::Categorical(values) => Self::Categorical(Categorical {
                codes: values.codes.slice(rows),
                dictionary: values.dictionary.clone(),
            }),
        }
    }

    /// Columns of one kind, one below the other.
    pub(super) fn concat(name: &str, parts: &[&Self]) -> Result<Self> {
        let numbers: Option<Vec<&[f64]>> = parts
            .iter()
            .map(|part| match part {
                Self::Numeric(values) => Some(values.as_slice()),
                Self::Categorical(_) => None,
            })
            .collect();
        if let Some(numbers) = numbers {
            return Ok(Self::Numeric(numbers.concat()));
        }
        let mut places: HashMap<&str, u32> = HashMap::new();
        let (mut dictionary, mut codes) = (Vec::new(), Vec::new());
        for part in parts {
            let Self::Categorical(values) = part else {
                let (column, purpose) = (name.to_owned(), "since it is categorical in other files".to_owned());
                return Err(Error::ColumnKind { column, found: "numeric", wanted: "a categorical one", purpose });
            };
            let place = |text| {
                *places.entry(text).or_insert_with(|| {
                    dictionary.push(str::to_owned(text));
                    dictionary.len() as u32 - 1
                })
            };
            let mut table: Vec<u32> = values.dictionary.iter().map(String::as_str).map(place).collect();
            table.push(u32::MAX);
            codes.extend(values.codes.iter().map(|code| table[code]));
        }
        let missing = dictionary.len() as u32;
        Ok(Self::Categorical(Categorical::new(codes.into_iter().map(|code| code.min(missing)).collect(), dictionary)))
    }

    /// How many rows have no value.
    pub fn missing_rows(&self) -> usize {
        match self {
            Self::Numeric(values) => values.iter().filter(|value| value.is_nan()).count(),
            Self::Categorical(values) => values.counts()[values.missing()],
        }
    }

    /// The value of a row as text, `None` where it is missing.
    ///
    /// Whole numbers are written without a decimal point, so that `1` in a CSV file
    /// and `1.0` in a Parquet file are the same value.
    pub fn text(&self, row: usize) -> Option<String> {
        match self {
            Self::Numeric(values) => (!values[row].is_nan()).then(|| values[row].to_string()),
            Self::Categorical(values) => values.value(row).map(str::to_owned),
        }
    }

    /// Whether it holds the values of another: the same numbers, or the same texts, whatever their codes.
    pub fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Numeric(one), Self::Numeric(other)) => {
                let same = |(one, other): (&f64, &f64)| one.is_nan() && other.is_nan() || one.total_cmp(other).is_eq();
                one.len() == other.len() && one.iter().zip(other).all(same)
            }
            (Self::Categorical(one), Self::Categorical(other)) => {
                // A code of theirs for every code of ours; what they never have matches nothing.
                let theirs: HashMap<&String, usize> =
                    other.dictionary.iter().enumerate().map(|(code, text)| (text, code)).collect();
                let mut places: Vec<Option<usize>> =
                    one.dictionary.iter().map(|text| theirs.get(text).copied()).collect();
                places.push(Some(other.missing()));
                let same = |(one, other): (usize, usize)| places[one] == Some(other);
                one.codes.len() == other.codes.len() && one.codes.iter().zip(other.codes.iter()).all(same)
            }
            _ => false,
        }
    }

    /// What kind of column this is, in a word.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Numeric(_) => "numeric",
            Self::Categorical(_) => "categorical",
        }
    }

    /// The column as categories: numbers become their text.
    pub fn to_categorical(&self) -> Categorical {
        match self {
            Self::Categorical(values) => values.clone(),
            Self::Numeric(values) => {
                // Codes are found by bit pattern, so that text is made once a distinct value and not once a row.
                let mut seen = HashMap::new();
                let mut dictionary = Vec::new();
                let codes: Vec<u32> = values
                    .iter()
                    .map(|&value| {
                        if value.is_nan() {
                            return u32::MAX;
                        }
                        *seen.entry((value + 0.0).to_bits()).or_insert_with(|| {
                            dictionary.push((value + 0.0).to_string());
                            dictionary.len() as u32 - 1
                        })
                    })
                    .collect();
                let missing = dictionary.len() as u32;
                Categorical::new(codes.into_iter().map(|code| code.min(missing)).collect(), dictionary)
            }
        }
    }
}

impl Categorical {
    /// Codes into `dictionary`; a code equal to its length stands for missing.
    pub fn new(codes: Vec<u32>, dictionary: Vec<String>) -> Self {
        debug_assert!(codes.iter().all(|&code| code as usize <= dictionary.len()), "codes lie in the dictionary");
        Self { codes: Codes::narrow(codes, dictionary.len() + 1), dictionary }
    }

    /// The same from codes that are already as narrow as the dictionary allows.
    pub(super) fn from_codes(codes: Codes, dictionary: Vec<String>) -> Self {
        debug_assert!(codes.iter().all(|code| code <= dictionary.len()), "codes lie in the dictionary");
        Self { codes, dictionary }
    }

    /// One value per row, in order of first appearance.
    pub fn from_values<S: AsRef<str>>(values: impl IntoIterator<Item = Option<S>>) -> Self {
        let mut seen: HashMap<String, u32> = HashMap::new();
        let mut dictionary = Vec::new();
        let codes: Vec<u32> = values
            .into_iter()
            .map(|value| {
                let Some(value) = value else { return u32::MAX };
                if let Some(&code) = seen.get(value.as_ref()) {
                    return code;
                }
                let code = dictionary.len() as u32;
                dictionary.push(value.as_ref().to_owned());
                seen.insert(value.as_ref().to_owned(), code);
                code
            })
            .collect();
        let missing = dictionary.len() as u32;
        Self::new(codes.into_iter().map(|code| code.min(missing)).collect(), dictionary)
    }

    /// The codes.
    pub fn codes(&self) -> &Codes {
        &self.codes
    }

    /// The values that codes stand for. Not every one need occur.
    pub fn dictionary(&self) -> &[String] {
        &self.dictionary
    }

    /// The code that stands for missing.
    pub fn missing(&self) -> usize {
        self.dictionary.len()
    }

    /// The value of a row, `None` where it is missing.
    pub fn value(&self, row: usize) -> Option<&str> {
        self.dictionary.get(self.codes.get(row)).map(String::as_str)
    }

    /// How many rows hold each code, missing last.
    pub fn counts(&self) -> Vec<usize> {
        let codes = self.dictionary.len() + 1;
        match &self.codes {
            Codes::U8(rows) => count(rows, codes, |&code| code as usize),
            Codes::U16(rows) => count(rows, codes, |&code| code as usize),
            Codes::U32(rows) => count(rows, codes, |&code| code as usize),
        }
    }
}

/// How many rows have each code.
fn count<T>(rows: &[T], codes: usize, code: impl Fn(&T) -> usize) -> Vec<usize> {
    /// Neighbouring rows are counted in places of their own: they often share a code, and an addition that waits for the one before it costs several
    /// times one that does not.
    const LANES: usize = 4;
    let mut counts = vec![0; codes];
    let (together, rest) = if codes <= 1 << 12 { rows.as_chunks::<LANES>() } else { ([].as_slice(), rows) };
    if !together.is_empty() {
        let mut lanes = vec![[0; LANES]; codes];
        for rows in together {
            for (lane, row) in rows.iter().enumerate() {
                lanes[code(row)][lane] += 1;
            }
        }
        counts = lanes.iter().map(|lanes| lanes.iter().sum()).collect();
    }
    for row in rest {
        counts[code(row)] += 1;
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(values: &[&str]) -> Column {
        Column::Categorical(Categorical::from_values(values.iter().map(|v| (!v.is_empty()).then_some(*v))))
    }

    #[test]
    fn rows_are_shown_as_they_are_counted() {
        let table = Table::new(vec![("a".into(), text(&["x", "y"]))], 2).unwrap();
        assert_eq!(table.shown_row(1), 3);
        assert_eq!(table.counted_from(0).shown_row(1), 1);
    }

    #[test]
    fn columns_are_the_same_by_their_values_and_not_by_their_codes() {
        let coded = Column::Categorical(Categorical::new(vec![2, 1, 3], vec!["z".into(), "f".into(), "m".into()]));
        assert!(text(&["m", "f", ""]).is_same(&coded) && coded.is_same(&text(&["m", "f", ""])));
        for other in [&["m", "f", "f"][..], &["m", "f"], &["m", "x", ""]] {
            assert!(!coded.is_same(&text(other)), "{other:?}");
        }
        let numbers = Column::Numeric(vec![1.0, f64::NAN]);
        assert!(numbers.is_same(&numbers.clone()) && !numbers.is_same(&Column::Numeric(vec![1.0, 0.0])));
        assert!(!numbers.is_same(&text(&["1", ""])));
    }
}

//! Formats with types of their own, through Arrow.
//!
//! Holds what Parquet, Arrow IPC and batches in memory share: from a schema to builders of columns, from batches to a
//! table. `array` and `numbers` take arrays apart; `parquet` and `ipc` are the files; `lengths` and `pages` keep a
//! damaged one from taking all memory.

mod array;
#[cfg(feature = "ipc")]
pub(in crate::data) mod ipc;
#[cfg(feature = "ipc")]
mod lengths;
mod numbers;
#[cfg(feature = "parquet")]
mod pages;
#[cfg(feature = "parquet")]
pub(in crate::data) mod parquet;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use arrow_array::RecordBatch;
use arrow_schema::{ArrowError, DataType, Schema as ArrowSchema};

use super::ReadOptions;
use super::batches::{Reading, collect, finish};
use super::column::ColumnBuilder;
use super::plan::{Kind, Plan};
use super::values::Values;
use crate::data::Table;
use crate::{Error, Result, Warning};

impl Reading {
    /// A typed file: rows are counted from 1, texts are taken as they are.
    pub(super) fn typed(path: &Path, format: &'static str, options: &ReadOptions) -> Self {
        Self {
            path: path.to_owned(),
            format,
            first_row: 1,
            values: Values::new(&options.missing, options.trim.unwrap_or(false)),
        }
    }
}

#[cfg(feature = "arrow")]
impl Table {
    /// A table from Arrow batches in memory or from a stream.
    ///
    /// Types, `missing`, `categorical`, `numeric`, `names` and `ignore` work as for a Parquet file.
    ///
    /// # Errors
    /// Those of [`Table::read`]; a batch that is an error becomes [`Error::Unreadable`].
    pub fn from_batches(
        schema: &ArrowSchema,
        batches: impl Iterator<Item = Result<RecordBatch, ArrowError>>,
        options: &ReadOptions,
    ) -> Result<(Self, Vec<Warning>)> {
        let plan = plan_of(schema, options)?;
        let reading = Reading::typed(Path::new("the batches"), "Arrow", options);
        let kept = plan.kept().to_vec();
        typed_table(schema, plan, batches.map(|batch| batch?.project(&kept)), &reading)
    }
}

/// The plan for a typed file.
pub(super) fn plan_of(schema: &ArrowSchema, options: &ReadOptions) -> Result<Plan> {
    Plan::new(schema.fields().iter().map(|field| field.name().clone()).collect(), options)
}

/// Builds the kept columns of `schema` from batches that hold those and no others.
pub(super) fn typed_table(
    schema: &ArrowSchema,
    plan: Plan,
    mut batches: impl Iterator<Item = Result<RecordBatch, ArrowError>>,
    reading: &Reading,
) -> Result<(Table, Vec<Warning>)> {
    let mut builders = builders(schema, &plan)?;
    let columns = builders.len();
    let next = || match decode(|| batches.next().transpose()) {
        Ok(Ok(Some(batch))) if batch.num_columns() != columns => {
            let found = batch.num_columns();
            Err(reading.unreadable(format!("a batch has {found} columns where {columns} were expected")))
        }
        Ok(batch) => batch.map_err(|error| reading.unreadable(error)),
        Err(panic) => Err(reading.unreadable(panic)),
    };
    collect(next, &mut builders, |builder, at, batch: &RecordBatch| builder.push_array(batch.column(at), reading))?;
    Ok((finish(builders, reading)?, plan.warnings))
}

/// A builder for each column that is kept.
pub(super) fn builders(schema: &ArrowSchema, plan: &Plan) -> Result<Vec<ColumnBuilder>> {
    let builder = |&at: &usize| {
        let name = plan.name(at);
        Ok(match (kind_of(name, schema.field(at).data_type())?, plan.asked(at)) {
            // Whole numbers keep all their digits as categories.
            (Kind::Numeric, Some(Kind::Categorical)) if is_whole(schema.field(at).data_type()) => {
                ColumnBuilder::categorical(name)
            }
            (Kind::Numeric, Some(Kind::Categorical)) => ColumnBuilder::numbers_as_categories(name),
            (Kind::Numeric, _) | (_, Some(Kind::Numeric)) => ColumnBuilder::numeric(name),
            (Kind::Categorical, _) => ColumnBuilder::categorical(name),
        })
    };
    plan.kept().iter().map(builder).collect()
}

/// Runs a decoder. Those of Arrow and Parquet check a damaged file almost everywhere, and
/// assert in the rest; a file must not be able to end the program.
pub(in crate::data) fn decode<T>(work: impl FnOnce() -> T) -> std::result::Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| {
        let said = panic.downcast_ref::<String>().cloned();
        let said = said.or_else(|| panic.downcast_ref::<&str>().map(|&said| said.to_owned()));
        format!("damaged: {}", said.unwrap_or_default())
    })
}

/// Whether a type is one of whole numbers, with a dictionary or without.
fn is_whole(data_type: &DataType) -> bool {
    match data_type {
        DataType::Dictionary(_, values) => values.is_integer(),
        other => other.is_integer(),
    }
}

/// What a column of a typed file becomes unless the options say otherwise.
pub(super) fn kind_of(name: &str, data_type: &DataType) -> Result<Kind> {
    match data_type {
        DataType::Dictionary(_, values) if !matches!(**values, DataType::Dictionary(..)) => kind_of(name, values),
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View | DataType::Boolean | DataType::Null => {
            Ok(Kind::Categorical)
        }
        // Decimals count as numeric in Arrow's own sense of the word.
        numeric if numeric.is_numeric() => Ok(Kind::Numeric),
        other => Err(Error::ColumnType { column: name.to_owned(), found: other.to_string() }),
    }
}

#[cfg(test)]
#[cfg(feature = "arrow")]
mod tests {
    use std::sync::Arc;

    use arrow_array::types::Int8Type;
    use arrow_array::{
        ArrayRef, BooleanArray, Date32Array, Decimal128Array, DictionaryArray, Float64Array, Int64Array, NullArray,
        StringArray, StringViewArray,
    };

    use super::*;

    fn read(columns: Vec<(&str, ArrayRef)>, options: &ReadOptions) -> Result<(Table, Vec<Warning>)> {
        let batch = RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(n, a)| (n, a, true))).unwrap();
        let halves = [batch.slice(0, 1), batch.slice(1, batch.num_rows() - 1)];
        Table::from_batches(&batch.schema(), halves.into_iter().map(Ok), options)
    }

    fn texts(table: &Table, column: &str) -> Vec<Option<String>> {
        let column = table.get(column).unwrap();
        (0..column.len()).map(|row| column.text(row)).collect()
    }

    #[test]
    fn every_accepted_type_becomes_numbers_or_texts() {
        let dictionary: DictionaryArray<Int8Type> = [Some("b"), None, Some("a")].into_iter().collect();
        let decimal = Decimal128Array::from(vec![Some(125), None, Some(-50)]).with_precision_and_scale(9, 2).unwrap();
        let columns: Vec<(&str, ArrayRef)> = vec![
            ("int", Arc::new(Int64Array::from(vec![Some(1), None, Some(3)]))),
            ("float", Arc::new(Float64Array::from(vec![Some(0.5), Some(f64::NAN), None]))),
            ("decimal", Arc::new(decimal)),
            ("bool", Arc::new(BooleanArray::from(vec![Some(true), None, Some(false)]))),
            ("text", Arc::new(StringArray::from(vec![Some("x"), Some(""), Some(" y ")]))),
            ("view", Arc::new(StringViewArray::from(vec![Some("x"), None, Some("a text too long to be inlined")]))),
            ("dictionary", Arc::new(dictionary)),
            ("nothing", Arc::new(NullArray::new(3))),
        ];
        let (table, warnings) = read(columns, &ReadOptions::default()).unwrap();
        let row =
            |column| texts(&table, column).into_iter().map(Option::unwrap_or_default).collect::<Vec<_>>().join("|");
        assert_eq!(row("int"), "1||3");
        assert_eq!(row("float"), "0.5||");
        assert_eq!(row("decimal"), "1.25||-0.5");
        assert_eq!(row("bool"), "true||false");
        assert_eq!(row("text"), "x|| y ");
        assert_eq!(row("view"), "x||a text too long to be inlined");
        assert_eq!(row("dictionary"), "b||a");
        assert_eq!(row("nothing"), "||");
        assert_eq!(table.get("nothing").unwrap().kind(), "categorical");
        assert!(warnings.is_empty());
    }

    #[test]
    fn a_type_without_meaning_fails_unless_it_is_ignored() {
        let columns = || -> Vec<(&str, ArrayRef)> {
            vec![("day", Arc::new(Date32Array::from(vec![1, 2]))), ("x", Arc::new(Int64Array::from(vec![1, 2])))]
        };
        assert_eq!(read(columns(), &ReadOptions::default()).unwrap_err().code(), "column-type");
        let (table, _) = read(columns(), &ReadOptions::default().ignore(["day"])).unwrap();
        assert_eq!(table.names(), ["x"]);
    }

    #[test]
    fn options_turn_numbers_into_categories_and_back() {
        let columns: Vec<(&str, ArrayRef)> = vec![
            ("zip", Arc::new(Int64Array::from(vec![10115, -999, 10115]))),
            ("age", Arc::new(StringArray::from(vec!["41", " 7.5", "?"]))),
        ];
        let options = ReadOptions::default().categorical(["zip"]).numeric(["age"]).missing(["?", "-999"]);
        let (table, _) = read(columns, &options).unwrap();
        assert_eq!(table.get("zip").unwrap().kind(), "categorical");
        assert_eq!(texts(&table, "zip"), [Some("10115".to_owned()), None, Some("10115".to_owned())]);
        assert_eq!(texts(&table, "age"), [Some("41".to_owned()), Some("7.5".to_owned()), None]);
    }

    #[test]
    fn infinities_and_failed_batches_are_errors() {
        let infinite: ArrayRef = Arc::new(Float64Array::from(vec![1.0, f64::NEG_INFINITY]));
        match read(vec![("x", infinite)], &ReadOptions::default()) {
            Err(Error::NotFinite { row: 2, found, .. }) => assert_eq!(found, "-inf"),
            other => panic!("{other:?}"),
        }
        let schema = ArrowSchema::new(vec![arrow_schema::Field::new("x", arrow_schema::DataType::Int8, true)]);
        let failed = std::iter::once(Err(ArrowError::ComputeError("lost".into())));
        let error = Table::from_batches(&schema, failed, &ReadOptions::default()).unwrap_err();
        assert_eq!(error.code(), "file-unreadable");
        let empty = Table::from_batches(&schema, std::iter::empty(), &ReadOptions::default()).unwrap_err();
        assert_eq!(empty.code(), "no-rows");
    }

    #[test]
    fn types_without_a_meaning_here_are_refused() {
        assert_eq!(kind_of("d", &DataType::Date32).unwrap_err().code(), "column-type");
        assert_eq!(kind_of("d", &DataType::Decimal128(10, 2)).unwrap(), Kind::Numeric);
        let dictionary = DataType::Dictionary(Box::new(DataType::Int8), Box::new(DataType::LargeUtf8));
        assert_eq!(kind_of("d", &dictionary).unwrap(), Kind::Categorical);
    }
}

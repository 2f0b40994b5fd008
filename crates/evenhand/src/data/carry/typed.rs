//! From a typed file to a typed file: the same types, values and metadata.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::BufWriter;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{ArrowError, DataType, Field, Schema as ArrowSchema};

use super::batches::{Batches, Palette, whole};
use super::{CarriedFile, Carry, Feed, Out, Put, Values, unwritten};
use crate::data::Column;
use crate::data::write::Target;
use crate::data::write::arrow::{BatchWriter, array};
use crate::{Error, Result};

/// Writes the batches of typed files with other columns beside them.
pub(super) fn carry(carry: &Carry, feed: &mut Feed<'_>, target: Target, out: &mut BufWriter<&File>) -> Result<()> {
    feed.begin(carry.path())?;
    let palettes = Palette::all(carry)?;
    let columns: Vec<(&str, Out<'_>)> = carry.columns();
    let first = Batches::open(&carry.files[0].source)?.schema;
    let mut sources = Vec::with_capacity(columns.len());
    let mut fields = Vec::with_capacity(columns.len());
    for (name, column) in &columns {
        let from = From::of(carry, *column, &first, &palettes, target)?;
        let field = from.field(name, &first, feed).map_err(|error| carry.files[0].source.unreadable(error))?;
        fields.push(field);
        sources.push(from);
    }
    let schema = Arc::new(ArrowSchema::new_with_metadata(fields, first.metadata().clone()));
    let mut writer = BatchWriter::new(target, &schema, out).map_err(unwritten)?;
    let mut rows = 0;
    for file in &carry.files {
        let mut batches = Batches::open(&file.source)?;
        while let Some(batch) = batches.next()? {
            let fed = feed.take(batch.num_rows())?;
            let arrays = sources.iter().map(|from| from.array(file, &batch, &fed, rows));
            let arrays = arrays.collect::<Result<Vec<_>, _>>().map_err(|error| file.source.unreadable(error))?;
            rows += batch.num_rows();
            if arrays.iter().any(|array| array.len() != batch.num_rows()) {
                return carry.check_rows(rows);
            }
            let made = RecordBatch::try_new(schema.clone(), arrays).map_err(|error| file.source.unreadable(error))?;
            writer.write(&made).map_err(unwritten)?;
        }
    }
    carry.check_rows(rows)?;
    feed.finish(rows)?;
    writer.close().map_err(unwritten)
}

/// Where the arrays of a column of the output come from.
enum From<'a> {
    /// The batches of the file, as they are.
    Batches(usize),
    /// A column of the file in one piece: an Arrow file has one dictionary a column.
    Whole(usize, ArrayRef),
    Fed(usize),
    Palette(&'a Palette),
}

impl<'a> From<'a> {
    fn of(
        carry: &Carry,
        column: Out<'_>,
        schema: &ArrowSchema,
        palettes: &'a BTreeMap<String, Palette>,
        target: Target,
    ) -> Result<Self> {
        Ok(match column {
            Out::Carried(at) => match schema.field(at).data_type() {
                DataType::Dictionary(..) if target.is_ipc() => Self::Whole(at, whole(carry, at)?),
                _ => Self::Batches(at),
            },
            Out::Put(Put { values: Values::Fed(at), .. }) => Self::Fed(*at),
            Out::Put(put) => {
                let unknown = || Error::UnknownColumn { column: put.name.clone(), known: carry.names.clone() };
                Self::Palette(palettes.get(&put.name).ok_or_else(unknown)?)
            }
        })
    }

    /// Its field: that of the file, or one for what is put.
    fn field(&self, name: &str, schema: &ArrowSchema, feed: &Feed<'_>) -> Result<Field, ArrowError> {
        Ok(match self {
            Self::Batches(at) | Self::Whole(at, _) => schema.field(*at).clone(),
            Self::Fed(at) => Field::new(name, array(&feed.none_of(*at)).data_type().clone(), true),
            Self::Palette(palette) => Field::new(name, palette.slice(0, 0)?.data_type().clone(), true),
        })
    }

    fn array(
        &self,
        file: &CarriedFile,
        batch: &RecordBatch,
        fed: &[Column],
        first: usize,
    ) -> Result<ArrayRef, ArrowError> {
        Ok(match self {
            Self::Batches(at) => batch.column(file.places[*at]).clone(),
            Self::Whole(_, whole) => {
                let start = first.min(whole.len());
                whole.slice(start, batch.num_rows().min(whole.len() - start))
            }
            Self::Fed(at) => array(&fed[*at]),
            Self::Palette(palette) => palette.slice(first, batch.num_rows())?,
        })
    }
}

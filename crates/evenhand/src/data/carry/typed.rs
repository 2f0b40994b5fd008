//! From a typed file to a typed file: the same types, values and metadata.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::BufWriter;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{ArrowError, DataType, Field, Schema as ArrowSchema};

use super::batches::{Batches, Palette, whole};
use super::{Carry, Out, Put, Values, unwritten};
use crate::data::write::Target;
use crate::data::write::arrow::{BatchWriter, array};
use crate::{Error, Result};

/// Writes the batches of a typed file with other columns beside them.
pub(super) fn carry(carry: &Carry, target: Target, out: &mut BufWriter<&File>) -> Result<()> {
    let mut batches = Batches::open(&carry.source)?;
    let palettes = Palette::all(carry)?;
    let columns: Vec<(&str, Out<'_>)> = carry.columns();
    let mut sources = Vec::with_capacity(columns.len());
    let mut fields = Vec::with_capacity(columns.len());
    for (name, column) in &columns {
        let from = From::of(carry, *column, &batches.schema, &palettes, target)?;
        fields.push(from.field(name, &batches.schema).map_err(|error| carry.source.unreadable(error))?);
        sources.push(from);
    }
    // Opening a column in one piece has moved the file's position.
    batches = Batches::open(&carry.source)?;
    let schema = Arc::new(ArrowSchema::new_with_metadata(fields, batches.schema.metadata().clone()));
    let mut writer = BatchWriter::new(target, &schema, out).map_err(unwritten)?;
    let mut rows = 0;
    while let Some(batch) = batches.next()? {
        let arrays = sources.iter().map(|from| from.array(&batch, rows));
        let arrays = arrays.collect::<Result<Vec<_>, _>>().map_err(|error| carry.source.unreadable(error))?;
        rows += batch.num_rows();
        if arrays.iter().any(|array| array.len() != batch.num_rows()) {
            break;
        }
        let made = RecordBatch::try_new(schema.clone(), arrays).map_err(|error| carry.source.unreadable(error))?;
        writer.write(&made).map_err(unwritten)?;
    }
    carry.check_rows(rows)?;
    writer.close().map_err(unwritten)
}

/// Where the arrays of a column of the output come from.
enum From<'a> {
    /// The batches of the file, as they are.
    Batches(usize),
    /// A column of the file in one piece: an Arrow file has one dictionary a column.
    Whole(usize, ArrayRef),
    Put(ArrayRef),
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
            Out::Put(Put { values: Values::Column(column), .. }) => Self::Put(array(column)),
            Out::Put(put) => {
                let unknown = || Error::UnknownColumn { column: put.name.clone(), known: carry.names.clone() };
                Self::Palette(palettes.get(&put.name).ok_or_else(unknown)?)
            }
        })
    }

    /// Its field: that of the file, or one for what is put.
    fn field(&self, name: &str, schema: &ArrowSchema) -> Result<Field, ArrowError> {
        Ok(match self {
            Self::Batches(at) | Self::Whole(at, _) => schema.field(*at).clone(),
            Self::Put(array) => Field::new(name, array.data_type().clone(), true),
            Self::Palette(palette) => Field::new(name, palette.slice(0, 0)?.data_type().clone(), true),
        })
    }

    fn array(&self, batch: &RecordBatch, first: usize) -> Result<ArrayRef, ArrowError> {
        let slice = |whole: &ArrayRef| {
            let start = first.min(whole.len());
            whole.slice(start, batch.num_rows().min(whole.len() - start))
        };
        Ok(match self {
            Self::Batches(at) => batch.column(*at).clone(),
            Self::Whole(_, whole) | Self::Put(whole) => slice(whole),
            Self::Palette(palette) => palette.slice(first, batch.num_rows())?,
        })
    }
}

//! Some encoded rows in a few bytes each.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::bytes::{Reader, Writer};
use super::numbers::Numbers;
use super::request::Leaf;
use super::{Frame, Layout};
use crate::data::Codes;
use crate::features::{CodedColumn, Features, RawNumbers};
use crate::group::Membership;
use crate::{Error, Result};

/// What rows of one cell share: the groups they are in, one bit each, and their label.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(crate) struct CellKey {
    pub(crate) pattern: Vec<u64>,
    pub(crate) label: u32,
}

/// Encoded rows with their cells and weights.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Block {
    pub(super) rows: usize,
    pub(super) codes: Vec<Codes>,
    pub(super) numbers: Vec<Numbers>,
    /// The cells that its rows are in.
    pub(super) cells: Vec<CellKey>,
    /// Of each row its place among them.
    pub(super) cell_of_row: Codes,
    /// The user's row weights, already scaled.
    pub(super) weights: Option<Vec<f64>>,
    /// The sum of the hashes of its rows.
    pub(super) fingerprint: u64,
    /// How many equal rows each of its rows stands for.
    pub(super) times: u64,
}

impl Block {
    /// Stores encoded rows.
    pub(crate) fn new(
        layout: &Layout,
        coded: &[CodedColumn],
        numbers: &[RawNumbers<'_>],
        membership: &Membership,
        labels: &Codes,
        weights: Option<Vec<f64>>,
    ) -> Self {
        let mut places: HashMap<(usize, usize), u32> = HashMap::new();
        let mut cells = Vec::new();
        let place = |(pattern, label): (usize, usize)| {
            *places.entry((pattern, label)).or_insert_with(|| {
                cells.push(CellKey { pattern: membership.bits(pattern).to_vec(), label: label as u32 });
                cells.len() as u32 - 1
            })
        };
        let cell_of_row: Vec<u32> = membership.codes().iter().zip(labels.iter()).map(place).collect();
        let block = Self {
            rows: labels.len(),
            codes: layout.combine(coded),
            numbers: numbers.iter().map(|raw| Numbers::new(raw.values)).collect(),
            cell_of_row: Codes::narrow(cell_of_row, cells.len().max(1)),
            cells,
            weights,
            fingerprint: 0,
            times: 1,
        };
        Self { fingerprint: block.summed_hashes(), ..block }
    }

    fn summed_hashes(&self) -> u64 {
        (0..self.rows).fold(0, |sum, row| sum.wrapping_add(self.hash(row, 0)))
    }

    /// The same rows, each of which stands for so many equal ones.
    #[must_use]
    pub(crate) fn standing_for(self, times: u64) -> Self {
        Self { fingerprint: self.fingerprint.wrapping_mul(times), times: self.times * times, ..self }
    }

    /// How many rows they stand for.
    pub(crate) fn counted_rows(&self) -> usize {
        // There are no more rows than that.
        usize::try_from(self.times).unwrap_or(usize::MAX).saturating_mul(self.rows)
    }

    /// A number that other rows do not have, whatever their order; that of rows in several blocks is the sum of theirs.
    pub(crate) fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    /// How many rows.
    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// The cells that its rows are in.
    pub(crate) fn cells(&self) -> &[CellKey] {
        &self.cells
    }

    /// What no number of these rows exceeds in size, as a feature.
    pub(crate) fn bounds(&self, layout: &Layout) -> Vec<f64> {
        self.numbers.iter().zip(layout.numbers()).map(|(numbers, number)| numbers.largest(number)).collect()
    }

    /// Some rows as kernels take them; `cells` says of each cell of this block where it stands among all.
    pub(super) fn leaf(&self, layout: &Layout, cells: &CellPlaces, rows: Range<usize>) -> Leaf {
        let codes = self.codes.iter().map(|codes| part(codes, rows.clone())).collect();
        let numbers = self.numbers.iter().zip(layout.numbers());
        let values = numbers.map(|(numbers, number)| numbers.features(number, rows.clone())).collect();
        let cell_of_row = part(&self.cell_of_row, rows.clone()).map(&cells.places, cells.count);
        Leaf {
            features: layout.features(codes, values, rows.len()),
            cell_of_row: Arc::new(cell_of_row),
            row_weights: self.weights.as_ref().map(|weights| weights[rows].into()),
        }
    }

    /// All rows as a learner in memory takes them: features, the place of each row's cell among all, and row weights.
    ///
    /// # Errors
    /// [`Error::BlockFormat`] when it is a block of other rows than the frame is of.
    pub(crate) fn in_memory(&self, frame: &Frame) -> Result<(Features, Codes, Option<Vec<f64>>)> {
        let places = CellPlaces::new(self, &frame.cells).ok_or(Error::BlockFormat)?;
        let leaf = self.leaf(&frame.layout, &places, 0..self.rows);
        let features = Features::new(
            self.rows,
            leaf.features.width(),
            leaf.features.coded().to_vec(),
            leaf.features.dense().to_vec(),
        )?;
        Ok((features, Arc::unwrap_or_clone(leaf.cell_of_row), self.weights.clone()))
    }

    /// A number that is the same for rows of the same content, wherever they stand; all bits of it are alike in being random.
    pub(super) fn hash(&self, row: usize, seed: u64) -> u64 {
        let codes = self.codes.iter().map(|codes| codes.get(row) as u64);
        let numbers = self.numbers.iter().map(|numbers| {
            let value = numbers.get(row);
            if value.is_nan() { f64::NAN.to_bits() } else { (value + 0.0).to_bits() }
        });
        let cell = &self.cells[self.cell_of_row.get(row)];
        let weight = self.weights.as_ref().map_or(0, |weights| weights[row].to_bits());
        let own = cell.pattern.iter().copied().chain([u64::from(cell.label), weight]);
        codes.chain(numbers).chain(own).fold(seed, |state, word| mix(state.wrapping_add(GOLDEN) ^ word))
    }

    /// Some of the rows.
    pub(super) fn select(&self, rows: &[usize]) -> Self {
        let numbers = |numbers: &Numbers| {
            let values: Vec<f64> = rows.iter().map(|&row| numbers.get(row)).collect();
            Numbers::new(&values)
        };
        Self {
            rows: rows.len(),
            codes: self.codes.iter().map(|codes| codes.select(rows)).collect(),
            numbers: self.numbers.iter().map(numbers).collect(),
            cells: self.cells.clone(),
            cell_of_row: self.cell_of_row.select(rows),
            weights: self.weights.as_ref().map(|weights| rows.iter().map(|&row| weights[row]).collect()),
            fingerprint: rows.iter().fold(0, |sum, &row| sum.wrapping_add(self.hash(row, 0))),
            times: self.times,
        }
    }

    /// How many bytes it takes, about.
    pub(crate) fn size(&self) -> usize {
        let width = |codes: &Codes| match codes {
            Codes::U8(_) => 1,
            Codes::U16(_) => 2,
            Codes::U32(_) => 4,
        };
        let number = |numbers: &Numbers| match numbers {
            Numbers::Coded { .. } => 1,
            Numbers::Single(_) => 4,
            Numbers::Double(_) => 8,
        };
        let own = self.codes.iter().map(width).sum::<usize>() + self.numbers.iter().map(number).sum::<usize>();
        self.rows * (own + width(&self.cell_of_row) + if self.weights.is_some() { 8 } else { 0 })
    }

    /// As bytes.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let mut out = Writer::default();
        out.number(self.rows);
        out.number(self.codes.len());
        self.codes.iter().for_each(|codes| out.codes(codes));
        out.number(self.numbers.len());
        self.numbers.iter().for_each(|numbers| numbers.write(&mut out));
        out.number(self.cells.len());
        for cell in &self.cells {
            out.words(&cell.pattern);
            out.number(cell.label as usize);
        }
        out.codes(&self.cell_of_row);
        out.number(usize::from(self.weights.is_some()));
        self.weights.iter().for_each(|weights| out.doubles(weights));
        out.words(&[self.fingerprint, self.times]);
        out.into_bytes()
    }

    /// From bytes that were written by [`Block::to_bytes`].
    ///
    /// # Errors
    /// [`crate::Error::BlockFormat`].
    pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let mut from = Reader::new(bytes);
        let rows = from.number()?;
        let codes = (0..from.number()?).map(|_| from.codes()).collect::<Result<Vec<_>>>()?;
        let numbers = (0..from.number()?).map(|_| Numbers::read(&mut from)).collect::<Result<Vec<_>>>()?;
        let cell = |from: &mut Reader<'_>| Ok(CellKey { pattern: from.words()?, label: from.number()? as u32 });
        let cells = (0..from.number()?).map(|_| cell(&mut from)).collect::<Result<Vec<_>>>()?;
        let cell_of_row = from.codes()?;
        let weights = if from.number()? == 1 { Some(from.doubles()?) } else { None };
        let &[fingerprint, times] = from.words()?.as_slice() else { return Err(Reader::damaged()) };
        let lengths = codes.iter().map(Codes::len).chain([cell_of_row.len()]).chain(weights.as_ref().map(Vec::len));
        if lengths.into_iter().any(|length| length != rows) || cell_of_row.iter().any(|cell| cell >= cells.len()) {
            return Err(Reader::damaged());
        }
        Ok(Self { rows, codes, numbers, cells, cell_of_row, weights, fingerprint, times })
    }
}

/// Of each cell of a block where it stands among all cells.
#[derive(Debug)]
pub(super) struct CellPlaces {
    places: Vec<u32>,
    count: usize,
}

impl CellPlaces {
    /// `None` where the block has a cell that is not among these, which are in order.
    pub(super) fn new(block: &Block, cells: &[CellKey]) -> Option<Self> {
        let place = |cell: &CellKey| cells.binary_search(cell).ok().map(|at| at as u32);
        Some(Self { places: block.cells.iter().map(place).collect::<Option<_>>()?, count: cells.len() })
    }

    /// Those of a block among its own.
    pub(super) fn of_own(block: &Block) -> Self {
        Self { places: (0..block.cells.len() as u32).collect(), count: block.cells.len() }
    }

    /// Where the cell of a row stands.
    pub(super) fn of(&self, block: &Block, row: usize) -> u32 {
        self.places[block.cell_of_row.get(row)]
    }
}

fn part(codes: &Codes, rows: Range<usize>) -> Codes {
    match codes {
        Codes::U8(codes) => Codes::U8(codes[rows].to_vec()),
        Codes::U16(codes) => Codes::U16(codes[rows].to_vec()),
        Codes::U32(codes) => Codes::U32(codes[rows].to_vec()),
    }
}

/// 2⁶⁴ over the golden ratio: no word stays what it is by being mixed.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// The finaliser of `SplitMix64`: every bit of the input changes half of those of the output. [Steele, Lea & Flood 2014]
pub(crate) fn mix(word: u64) -> u64 {
    let word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

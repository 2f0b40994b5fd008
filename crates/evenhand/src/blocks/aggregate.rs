//! Rows that repeat, kept once.
//!
//! Holds [`Distinct`], rows of different content with how often each was seen. A row that was seen 13 times is kept in three blocks, whose rows
//! stand for 8, 4 and 1 equal rows: sums over a block are integers, which are multiplied as they are. So no kernel knows of it, and sums
//! are those of all rows to the last bit.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use super::Block;
use super::block::CellPlaces;
use super::numbers::Numbers;
use crate::data::Codes;

/// Aggregation pays where it leaves at most this share of the rows: to find those that repeat takes as long as some five passes.
const WORTH_IT: f64 = 0.5;

/// This part of the memory for blocks may be taken for a while beside them.
const MEMORY_SHARE: usize = 4;

/// Of a sample of more rows than this, one part in so many tells what repeats.
const ENOUGH: usize = 1 << 17;
const PARTS: u64 = 16;

/// Rows of a block.
const ROWS: usize = 1 << 17;

/// Bits of a count.
const BITS: u32 = u32::BITS;

/// Rows of different content, and how many equal rows each stands for.
#[derive(Debug, Default)]
pub(super) struct Distinct {
    /// Where the row of each hash is; of several with one hash the others are under the numbers that follow it.
    places: HashMap<u64, u32, BuildHasherDefault<AsIs>>,
    codes: Vec<Vec<u32>>,
    numbers: Vec<Vec<f64>>,
    cells: Vec<u32>,
    weights: Option<Vec<f64>>,
    counts: Vec<u32>,
}

/// A hash is one already.
#[derive(Debug, Default)]
struct AsIs(u64);

impl Hasher for AsIs {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, _: &[u8]) {
        unreachable!("hashes alone are looked up");
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

/// How many of all rows are left once equal ones are one, by a sample in which rows of equal content are all or none; `None` where that is too many to
/// be worth it, or to be held in a part of so much memory while they are found.
pub(super) fn expected(sample: &Block, rows: usize, memory: usize) -> Option<usize> {
    let places = CellPlaces::of_own(sample);
    let mut distinct = Distinct::default();
    // Of many rows a part by content is enough, in which rows of equal content are all or none again.
    let parts = if sample.rows() > ENOUGH { PARTS } else { 1 };
    distinct.add(sample, &places, |hash| hash.is_multiple_of(parts))?;
    let share = parts as f64 * distinct.counts.len() as f64 / sample.rows().max(1) as f64;
    // It is less than there are rows.
    #[expect(clippy::cast_sign_loss)]
    let left = (share * rows as f64).ceil() as usize;
    (share <= WORTH_IT && left.saturating_mul(distinct.row_bytes()) <= memory / MEMORY_SHARE).then_some(left)
}

impl Distinct {
    /// Adds those rows of a block whose hashes are asked for; `None` where one was seen more often than can be counted.
    pub(super) fn add(&mut self, block: &Block, cells: &CellPlaces, asked: impl Fn(u64) -> bool) -> Option<()> {
        if self.codes.len() != block.codes.len() || self.numbers.len() != block.numbers.len() {
            self.codes.resize(block.codes.len(), Vec::new());
            self.numbers.resize(block.numbers.len(), Vec::new());
            self.weights = block.weights.as_ref().map(|_| Vec::new());
        }
        for row in 0..block.rows() {
            let hash = block.hash(row, 0);
            if !asked(hash) {
                continue;
            }
            let cell = cells.of(block, row);
            let mut key = hash;
            let place = loop {
                match self.places.get(&key) {
                    Some(&place) if self.is_same(place as usize, block, row, cell) => break place as usize,
                    Some(_) => key = key.wrapping_add(1),
                    None => {
                        let place = u32::try_from(self.counts.len()).ok()?;
                        self.places.insert(key, place);
                        self.push(block, row, cell);
                        break place as usize;
                    }
                }
            };
            self.counts[place] = self.counts[place].checked_add(1)?;
        }
        Some(())
    }

    fn is_same(&self, place: usize, block: &Block, row: usize, cell: u32) -> bool {
        let same = |(one, other): (&Vec<f64>, f64)| bits(one[place]) == bits(other);
        let mut weights = self.weights.iter().zip(&block.weights).map(|(own, others)| (own, others[row]));
        self.cells[place] == cell
            && self.codes.iter().zip(&block.codes).all(|(own, codes)| own[place] as usize == codes.get(row))
            && self.numbers.iter().zip(&block.numbers).map(|(own, others)| (own, others.get(row))).all(same)
            && weights.all(same)
    }

    fn push(&mut self, block: &Block, row: usize, cell: u32) {
        for (own, codes) in self.codes.iter_mut().zip(&block.codes) {
            own.push(codes.get(row) as u32);
        }
        for (own, numbers) in self.numbers.iter_mut().zip(&block.numbers) {
            own.push(numbers.get(row));
        }
        for (own, weights) in self.weights.iter_mut().zip(&block.weights) {
            own.push(weights[row]);
        }
        self.cells.push(cell);
        self.counts.push(0);
    }

    /// Bytes of memory that a row takes while rows are looked for, about.
    fn row_bytes(&self) -> usize {
        // A place in the table, with the room that it leaves, the cell and the count.
        48 + 4 * self.codes.len() + 8 * (self.numbers.len() + usize::from(self.weights.is_some()))
    }

    /// How many rows of different content.
    pub(super) fn len(&self) -> usize {
        self.counts.len()
    }

    /// Hands over blocks of these rows, laid out like another one, whose cells are all those there are.
    pub(super) fn each_block<E>(&self, like: &Block, mut each: impl FnMut(Block) -> Result<(), E>) -> Result<(), E> {
        for bit in 0..BITS {
            let rows: Vec<usize> = (0..self.len()).filter(|&row| self.counts[row] >> bit & 1 == 1).collect();
            for rows in rows.chunks(ROWS) {
                each(self.block(rows, 1 << bit, like))?;
            }
        }
        Ok(())
    }

    fn block(&self, rows: &[usize], times: u64, like: &Block) -> Block {
        let pick =
            |values: &Vec<u32>, bound: usize| Codes::narrow(rows.iter().map(|&row| values[row]).collect(), bound);
        let gather = |values: &Vec<f64>| -> Vec<f64> { rows.iter().map(|&row| values[row]).collect() };
        let codes = self.codes.iter().zip(&like.codes).map(|(own, like)| pick(own, bound(like)));
        Block {
            rows: rows.len(),
            codes: codes.collect(),
            numbers: self.numbers.iter().map(|own| Numbers::new(&gather(own))).collect(),
            cells: like.cells.clone(),
            cell_of_row: pick(&self.cells, like.cells.len().max(1)),
            weights: self.weights.as_ref().map(gather),
            // What tells rows from others was asked for before.
            fingerprint: 0,
            times,
        }
    }
}

/// Codes are kept as wide as others are.
fn bound(codes: &Codes) -> usize {
    match codes {
        Codes::U8(_) => 1 << 8,
        Codes::U16(_) => 1 << 16,
        Codes::U32(_) => usize::MAX,
    }
}

/// Numbers that are the same feature: −0 is 0, and what is missing is missing.
fn bits(number: f64) -> u64 {
    if number.is_nan() { f64::NAN.to_bits() } else { (number + 0.0).to_bits() }
}

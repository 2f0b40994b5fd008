//! Rows that repeat, kept once.
//!
//! Holds [`Distinct`], rows of different content with how often each was seen. A row that was seen 13 times is kept in three blocks, whose rows
//! stand for 8, 4 and 1 equal rows: sums over a block are integers, which are multiplied as they are. So no kernel knows of it, and sums
//! are those of all rows to the last bit.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use super::Block;
use super::block::{CellKey, CellPlaces};
use super::numbers::Numbers;
use crate::data::Codes;

/// Aggregation pays where it leaves at most this share of the rows: to find those that repeat takes as long as some five passes.
const WORTH_IT: f64 = 0.5;

/// This part of the memory for blocks may be taken for a while beside them.
pub(super) const MEMORY_SHARE: usize = 4;

/// Rows of a block.
const ROWS: usize = 1 << 17;

/// Rows of different content, and how many equal rows each stands for.
#[derive(Debug, Default)]
pub(super) struct Distinct {
    /// Where the row of each hash is; of several with one hash the others are under the numbers that follow it.
    places: HashMap<u64, u32, BuildHasherDefault<AsIs>>,
    codes: Vec<Vec<u32>>,
    numbers: Vec<Vec<f64>>,
    cells: Vec<u32>,
    weights: Option<Vec<f64>>,
    hashes: Vec<u64>,
    counts: Vec<u64>,
}

/// Of its bits half are ones: the lower bits of what it is multiplied with reach all higher ones.
const ODD: u64 = 0xd6e8_feb8_6659_fd93;

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
        // Of rows that were drawn the highest bits may be alike, which the table goes by too.
        self.0 = hash.wrapping_mul(ODD);
    }
}

/// Whether it pays to keep rows that repeat once, where so many of all rows are different: and whether these can be held in a part of so much memory while they
/// are found.
pub(super) fn is_worth_it(different: usize, rows: usize, row_bytes: usize, memory: usize) -> bool {
    different as f64 <= WORTH_IT * rows as f64 && different.saturating_mul(row_bytes) <= memory / MEMORY_SHARE
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
                        self.hashes.push(hash);
                        self.push(block, row, cell);
                        break place as usize;
                    }
                }
            };
            self.counts[place] = self.counts[place].checked_add(block.times)?;
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

    /// How many rows of different content.
    pub(super) fn len(&self) -> usize {
        self.counts.len()
    }

    /// How many rows they stand for.
    pub(super) fn rows(&self) -> u64 {
        self.counts.iter().fold(0, |all, count| all.saturating_add(*count))
    }

    /// Of each row the hash of its content, and how many it stands for.
    pub(super) fn counts(&self) -> impl Iterator<Item = (u64, u64)> {
        self.hashes.iter().copied().zip(self.counts.iter().copied())
    }

    /// Hands over blocks of these rows, laid out like another one, in cells that are all there are.
    pub(super) fn each_block<E>(
        &self,
        like: &Block,
        cells: &[CellKey],
        mut each: impl FnMut(Block) -> Result<(), E>,
    ) -> Result<(), E> {
        let most = self.counts.iter().fold(0, |all, count| all | count);
        for bit in (0..u64::BITS).filter(|bit| most >> bit & 1 == 1) {
            let rows: Vec<usize> = (0..self.len()).filter(|&row| self.counts[row] >> bit & 1 == 1).collect();
            for rows in rows.chunks(ROWS) {
                each(self.block(rows, 1 << bit, like, cells))?;
            }
        }
        Ok(())
    }

    /// A block of some of these rows, each of which stands for so many.
    pub(super) fn block(&self, rows: &[usize], times: u64, like: &Block, cells: &[CellKey]) -> Block {
        let pick =
            |values: &Vec<u32>, bound: usize| Codes::narrow(rows.iter().map(|&row| values[row]).collect(), bound);
        let gather = |values: &Vec<f64>| -> Vec<f64> { rows.iter().map(|&row| values[row]).collect() };
        let codes = self.codes.iter().zip(&like.codes).map(|(own, like)| pick(own, bound(like)));
        Block {
            rows: rows.len(),
            codes: codes.collect(),
            numbers: self.numbers.iter().map(|own| Numbers::new(&gather(own))).collect(),
            cells: cells.to_vec(),
            cell_of_row: pick(&self.cells, cells.len().max(1)),
            weights: self.weights.as_ref().map(gather),
            fingerprint: rows.iter().fold(0, |sum: u64, &row| sum.wrapping_add(self.hashes[row])).wrapping_mul(times),
            times,
        }
    }
}

impl Block {
    /// Bytes of memory that one of its rows takes while those that repeat are looked for, about.
    pub(super) fn distinct_bytes(&self) -> usize {
        // A place in the table, with the room that it leaves, the cell, the hash and the count.
        60 + 4 * self.codes.len() + 8 * (self.numbers.len() + usize::from(self.weights.is_some()))
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

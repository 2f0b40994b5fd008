//! A sample of the rows that stands for all of them, where a start is sought that need not be exact.
//!
//! Holds [`RowSample`]: so many rows of every cell, with the weight of the rows that they stand for. [Stratified sampling: Cochran 1977, ch. 5]
//! Which rows these are follows from their probabilities alone, so that neither the order of rows nor a row that stands for several changes it; and they
//! stand in an order of their own.

use rayon::prelude::*;

use crate::cells::Cells;
use crate::correction::evaluation::TiltedRows;
use crate::exact::Grid;
use crate::{Result, parallel};

/// How many rows are enough for a start, in all and of each cell.
const ENOUGH: usize = 8192;
const ENOUGH_OF_CELL: usize = 256;

/// Digits of a probability by which rows are chosen: their last digits do not say more of a row.
const DIGITS: f64 = 1e7;

/// Some rows, and the cells that they are in.
#[derive(Debug)]
pub(super) struct RowSample {
    pub(super) rows: TiltedRows,
    pub(super) cells: Cells,
}

impl RowSample {
    /// A sample of rows in cells; all of them where they are few.
    ///
    /// # Errors
    /// Where its rows weigh nothing.
    pub(super) fn of(rows: &TiltedRows, cells: &Cells) -> Result<Self> {
        let quota = (ENOUGH / cells.len().max(1)).max(ENOUGH_OF_CELL);
        let share: Vec<f64> = (0..cells.len()).map(|cell| quota as f64 / cells.count(cell).max(1) as f64).collect();
        let of_row = |row: usize| cells.cell_of_row().get(row);
        let mut is_drawn = vec![false; cells.rows()];
        parallel::fill(&mut is_drawn, 1, |part, out| {
            part.zip(out).for_each(|(row, out)| *out = place(rows.before(row)) < share[of_row(row)]);
        });
        // Rows of one probability are drawn together: of a cell that has few of these, too few may be drawn, or none, and all its rows are taken.
        let mut drawn = vec![0; cells.len()];
        (0..cells.rows()).filter(|&row| is_drawn[row]).for_each(|row| drawn[of_row(row)] += 1);
        let is_chosen = |row: &usize| is_drawn[*row] || drawn[of_row(*row)] < quota / 2;
        let chosen: Vec<usize> = (0..cells.rows()).filter(is_chosen).collect();
        let weight = |row: usize| cells.row_weights().map_or(1.0, |weights| weights[row]);
        // In an order of their own, so that sums of floats over the few rows of a sample do not depend on that of all rows either.
        let others = |row: usize| {
            let tilts = rows.tilts().columns.iter().map(move |column| column[row]);
            rows.before(row).iter().skip(1).copied().chain(tilts).chain([weight(row)]).map(f64::to_bits)
        };
        // Most of a cell differ in their first number.
        let mut of_cell = vec![Vec::new(); cells.len()];
        for row in chosen {
            of_cell[of_row(row)].push((rows.before(row).first().map_or(0, |first| first.to_bits()), row));
        }
        of_cell.par_iter_mut().for_each(|ordered| {
            ordered.sort_unstable();
            for alike in ordered.chunk_by_mut(|one, other| one.0 == other.0).filter(|alike| alike.len() > 1) {
                alike.sort_unstable_by(|(_, left), (_, right)| others(*left).cmp(others(*right)));
            }
        });
        let chosen: Vec<usize> = of_cell.into_iter().flatten().map(|(_, row)| row).collect();
        let grid = Grid::new(cells.cell_rows().heaviest, 1);
        let mut kept = vec![0; cells.len()];
        for &row in &chosen {
            kept[of_row(row)] += i128::from(grid.fix(weight(row)));
        }
        let kept: Vec<f64> = kept.into_iter().map(|weight| grid.float(weight)).collect();
        let stands_for = |row: usize| weight(row) * cells.weight(of_row(row)) / kept[of_row(row)];
        let mut weights = vec![0.0; cells.rows()];
        for &row in chosen.iter().filter(|&&row| weight(row) > 0.0) {
            weights[row] = stands_for(row);
        }
        Ok(Self { rows: rows.select(&chosen), cells: cells.reweighted(&weights, &chosen)? })
    }
}

/// A number between 0 and 1 that is as good as random, and the same for rows that are alike. [The mixer of Steele, Lea & Flood 2014]
fn place(probabilities: &[f64]) -> f64 {
    let mix = |state: u64, probability: &f64| {
        let mut mixed = (state ^ (probability * DIGITS).round().to_bits()).wrapping_add(0x9e37_79b9_7f4a_7c15);
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    };
    // All but the last, which follows from the others.
    let mixed = probabilities.iter().skip(1).fold(0, mix);
    (mixed >> 11) as f64 / (1_u64 << 53) as f64
}

//! What each row adds to an estimate: sums of products of the rows' own parts, of which sandwich variances are made.

use super::LogisticRows;
use super::buffers::Buffers;
use crate::data::Codes;
use crate::exact::{Grid, Totals};
use crate::kernel::product::{Tables, margins};
use crate::kernel::{BLOCK, blocks};
use crate::parallel;

/// What [`LogisticRows::influence`] adds up.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Parts<'a> {
    /// Per direction, a number per coefficient.
    pub(crate) directions: &'a [Vec<f64>],
    /// Per cell and direction: share and level.
    pub(crate) shares: &'a [[f64; 2]],
    pub(crate) cell_of_row: &'a Codes,
    pub(crate) row_weights: Option<&'a [f64]>,
    /// What no row weighs more than; 1 without row weights.
    pub(crate) heaviest: f64,
}

impl LogisticRows<'_> {
    /// Sums of products, over rows, of the parts that `Σ influence` has from each row: with p and y of two classes,
    /// `part_k = share_k·p − level_k − weight·(p − y)·(x·direction_k)`, times the row's own weight
    /// where it is not in `weight` already. Row by row of a square.
    pub(crate) fn influence(&self, coefficients: &[f64], parts: &Parts<'_>) -> Vec<f64> {
        self.influence_of(&self.influence_totals(coefficients, parts), parts)
    }

    /// The products that sums over these rows, or over more that are laid out like them, stand for.
    pub(crate) fn influence_of(&self, totals: &Totals, parts: &Parts<'_>) -> Vec<f64> {
        let grids = influence_grids(&self.part_bounds(&self.directions(parts), parts));
        totals.to_floats(|at| grids[at])
    }

    fn directions(&self, parts: &Parts<'_>) -> Vec<Tables> {
        parts.directions.iter().map(|one| Tables::new(self.features, one)).collect()
    }

    /// The sums that products are made of.
    pub(crate) fn influence_totals(&self, coefficients: &[f64], parts: &Parts<'_>) -> Totals {
        let (tables, directions) = (self.tables(coefficients), self.directions(parts));
        let count = directions.len();
        let bounds = self.part_bounds(&directions, parts);
        let grids = influence_grids(&bounds);
        let pass = |rows| {
            let mut at = Buffers::new(self.classes);
            let (mut moves, mut cells) = (vec![Vec::with_capacity(BLOCK); count], Vec::with_capacity(BLOCK));
            let (mut products, mut part, mut valid) = (vec![0; count * count], vec![0.0; count], true);
            for block in blocks(rows) {
                at.probabilities(self, &tables, block.clone());
                margins(self.features, &directions, block.clone(), &mut moves);
                parts.cell_of_row.block(block.clone(), &mut cells);
                for (row, (&p, &cell)) in at.margins[0].iter().zip(&cells).enumerate() {
                    let own = parts.row_weights.map_or(1.0, |weights| weights[block.start + row]);
                    let positive = f64::from(u8::from(self.labels.get(block.start + row) == 1));
                    let residual = at.weights[row] * (p - positive);
                    for (k, part) in part.iter_mut().enumerate() {
                        let [share, level] = parts.shares[cell as usize * count + k];
                        *part = own * (share * p - level) - residual * moves[k][row];
                        valid &= part.abs() <= bounds[k];
                    }
                    let places = products.chunks_exact_mut(count).zip(grids.chunks_exact(count));
                    for (one, (row, grids)) in part.iter().zip(places) {
                        for ((other, product), grid) in part.iter().zip(row).zip(grids) {
                            *product += grid.fix(one * other);
                        }
                    }
                }
            }
            Totals::new(products, valid)
        };
        parallel::sum(self.features.rows(), count * count, pass)
    }

    /// What no row's part of an influence exceeds, with room for rounding.
    fn part_bounds(&self, directions: &[Tables], parts: &Parts<'_>) -> Vec<f64> {
        let count = directions.len();
        let bound = |(k, direction): (usize, &Tables)| {
            let of_cells = parts.shares.iter().skip(k).step_by(count).map(|[share, level]| share.abs() + level.abs());
            let (of_cells, of_direction) = (of_cells.fold(0.0, f64::max), direction.bound(self.features));
            (parts.heaviest * of_cells + self.weights.bound() * of_direction) * (1.0 + 1e-9)
        };
        directions.iter().enumerate().map(bound).collect()
    }
}

/// The grids of products of parts, row by row of a square.
fn influence_grids(bounds: &[f64]) -> Vec<Grid> {
    let count = bounds.len();
    let products = (0..count * count).map(|at| bounds[at / count] * bounds[at % count]);
    products.map(|bound| Grid::new(bound, count * count)).collect()
}

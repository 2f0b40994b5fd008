//! Products of matrices, cut in blocks that do not depend on the number of threads.
//!
//! Every entry is computed in one block, in one order, by faer on one thread; blocks are handed to threads as these are free. So
//! the same bits come out on any number of them.

use std::ops::Range;

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};

/// Columns of a block: wide enough for whole registers, few enough for two cores to have some each.
pub(crate) const BLOCK: usize = 256;

/// With fewer multiplications, handing blocks to threads costs more than they do.
const WORTH_A_THREAD: usize = 1 << 18;

/// Row by row.
pub(crate) fn rows_of(values: &[f32], rows: usize, columns: usize) -> MatRef<'_, f32> {
    MatRef::from_row_major_slice(values, rows, columns)
}

/// Row by row.
pub(crate) fn rows_of_mut(values: &mut [f32], rows: usize, columns: usize) -> MatMut<'_, f32> {
    MatMut::from_row_major_slice_mut(values, rows, columns)
}

/// Products of no more multiplications are done here: faer would hand them to kernels whose build takes longer than they are worth.
const SMALL: usize = 1 << 12;

/// `out = left · right`.
pub(crate) fn multiply(mut out: MatMut<'_, f32>, left: MatRef<'_, f32>, right: MatRef<'_, f32>) {
    if out.nrows() * out.ncols() * left.ncols() > SMALL {
        return matmul(out, Accum::Replace, left, right, 1.0, Par::Seq);
    }
    for row in 0..out.nrows() {
        for column in 0..out.ncols() {
            out[(row, column)] = (0..left.ncols()).map(|at| left[(row, at)] * right[(at, column)]).sum();
        }
    }
}

/// Whether so many multiplications are worth more than one thread.
pub(crate) fn is_large(multiplications: usize) -> bool {
    multiplications >= WORTH_A_THREAD && rayon::current_num_threads() > 1
}

/// Does something to every block of columns of a matrix.
pub(crate) fn by_columns(out: MatMut<'_, f32>, large: bool, work: &(impl Fn(Range<usize>, MatMut<'_, f32>) + Sync)) {
    cut(out, 0, large, work);
}

fn cut(out: MatMut<'_, f32>, first: usize, large: bool, work: &(impl Fn(Range<usize>, MatMut<'_, f32>) + Sync)) {
    let blocks = out.ncols().div_ceil(BLOCK);
    if blocks <= 1 {
        return work(first..first + out.ncols(), out);
    }
    let middle = blocks / 2 * BLOCK;
    let (left, right) = out.split_at_col_mut(middle);
    if large {
        rayon::join(|| cut(left, first, large, work), || cut(right, first + middle, large, work));
    } else {
        cut(left, first, large, work);
        cut(right, first + middle, large, work);
    }
}

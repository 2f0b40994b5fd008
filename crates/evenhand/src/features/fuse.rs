//! Several coded columns as one.
//!
//! A pass over the rows pays for every coded column it looks up. Columns with few values
//! are therefore combined: sex and age band become one column whose code stands for a
//! pair and switches both features on. Only combinations that occur are numbered, so the
//! thirteen columns of the Adult census become a handful. Nothing outside this file can
//! tell the difference, but for the time it takes.

use super::design::{Active, CodedColumn};
use crate::data::Codes;

/// A fused column has at most this many codes: one byte a row, and a table of
/// coefficients that stays in the innermost cache.
const CODES: usize = 256;

/// Combines columns as long as the combinations that occur fit in a byte.
///
/// Greedy, fewest codes first: exact packing would save at best a column or two.
pub(super) fn fuse(rows: usize, mut columns: Vec<CodedColumn>) -> Vec<CodedColumn> {
    columns.sort_by_key(|column| column.active.codes());
    let mut fused: Vec<CodedColumn> = Vec::new();
    while !columns.is_empty() {
        let mut current = columns.remove(0);
        let mut at = 0;
        while at < columns.len() && rows > 0 {
            match pair(&current, &columns[at]) {
                Some(both) => {
                    current = both;
                    columns.remove(at);
                }
                None => at += 1,
            }
        }
        fused.push(current);
    }
    fused
}

/// The two columns as one, or `None` when too many combinations occur.
fn pair(left: &CodedColumn, right: &CodedColumn) -> Option<CodedColumn> {
    let (a, b) = (left.active.codes(), right.active.codes());
    if a > CODES || b > CODES {
        return None;
    }
    let mut number = vec![u32::MAX; a * b];
    let mut occurring = Vec::new();
    for (x, y) in left.codes.iter().zip(right.codes.iter()) {
        let combination = x * b + y;
        if number[combination] == u32::MAX {
            if occurring.len() == CODES {
                return None;
            }
            number[combination] = occurring.len() as u32;
            occurring.push(combination);
        }
    }
    // Numbered in the order of the codes, not of the rows.
    occurring.sort_unstable();
    for (code, &combination) in occurring.iter().enumerate() {
        number[combination] = code as u32;
    }
    let codes = left.codes.iter().zip(right.codes.iter()).map(|(x, y)| number[x * b + y]).collect();
    let active = Active::new(
        occurring
            .iter()
            .map(|&combination| [left.active.of(combination / b), right.active.of(combination % b)].concat()),
    );
    Some(CodedColumn { codes: Codes::narrow(codes, occurring.len()), active })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn column(codes: Vec<u32>, first: usize, count: usize) -> CodedColumn {
        CodedColumn { codes: Codes::narrow(codes, count), active: Active::one_hot(first, count, count) }
    }

    fn features_of(columns: &[CodedColumn], row: usize) -> Vec<u32> {
        let mut features: Vec<u32> =
            columns.iter().flat_map(|column| column.active.of(column.codes.get(row)).to_vec()).collect();
        features.sort_unstable();
        features
    }

    proptest! {
        #[test]
        fn fusing_keeps_every_row_as_it_was(
            codes in prop::collection::vec((0u32..3, 0u32..40, 0u32..200, 0u32..2), 1..60)
        ) {
            let columns = vec![
                column(codes.iter().map(|row| row.0).collect(), 0, 3),
                column(codes.iter().map(|row| row.1).collect(), 3, 40),
                column(codes.iter().map(|row| row.2).collect(), 43, 200),
                column(codes.iter().map(|row| row.3).collect(), 243, 2),
            ];
            let fused = fuse(codes.len(), columns.clone());
            prop_assert_eq!(fused.len(), 1);
            for row in 0..codes.len() {
                prop_assert_eq!(features_of(&fused, row), features_of(&columns, row));
            }
        }
    }

    #[test]
    fn columns_with_too_many_combinations_stay_apart() {
        let left = column((0..4000).map(|row| row % 50).collect(), 0, 50);
        let right = column((0..4000).map(|row| row / 50).collect(), 50, 80);
        assert_eq!(fuse(4000, vec![left, right]).len(), 2);
    }
}

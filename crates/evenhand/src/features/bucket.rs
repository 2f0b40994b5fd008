//! Columns of numbers cut into buckets.

use super::design::{Active, CodedColumn};
use crate::data::Codes;

/// The codes of numbers whose first bucket is feature `first`; outside all buckets, and without a number, no feature is on.
pub(super) fn bucket(values: &[f64], edges: &[f64], thermometer: bool, first: usize) -> CodedColumn {
    let buckets = edges.len().saturating_sub(1);
    // The first edge that is not below the value closes its bucket; NaN is below nothing and lands outside.
    let code = |&value: &f64| match edges.partition_point(|&edge| edge < value) {
        0 => buckets,
        at if value.is_nan() || at > buckets => buckets,
        at => at - 1,
    };
    let codes = values.iter().map(|value| code(value) as u32).collect();
    let active = Active::new((0..=buckets).map(|code| {
        let lowest = if thermometer { 0 } else { code };
        let on = if code < buckets { lowest..code + 1 } else { 0..0 };
        on.map(|feature| (first + feature) as u32)
    }));
    CodedColumn { codes: Codes::narrow(codes, buckets + 1), active }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_are_left_open_and_right_closed_and_thermometers_keep_lower_ones_on() {
        let edges = vec![0.0, 10.0, 20.0];
        let values = [0.0, 0.1, 10.0, 10.1, 20.0, 20.1, f64::NAN];
        let on = |thermometer| {
            let column = bucket(&values, &edges, thermometer, 5);
            (0..values.len()).map(|row| column.active.of(column.codes.get(row)).to_vec()).collect::<Vec<_>>()
        };
        assert_eq!(on(false), [vec![], vec![5], vec![5], vec![6], vec![6], vec![], vec![]]);
        assert_eq!(on(true), [vec![], vec![5], vec![5], vec![5, 6], vec![5, 6], vec![], vec![]]);
    }
}

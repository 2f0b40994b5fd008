//! Contributions of at most a known size, rounded to multiples of a unit and added as integers.
//!
//! With B the least power of two that no contribution exceeds, the unit is `q = B·2⁻ᵇ`. Adding `1.5·2⁵²·q` to a number of at most
//! B leaves its nearest multiple of q in the low bits of the mantissa, so rounding takes one addition, has no branch, and
//! vectorises. A multiple is at most 2ᵇ, so that `2⁶²⁻ᵇ` of them, a *run*, are added in 64 bits without overflow; runs are merged in
//! 128 bits, which no number of rows that a computer can hold fills.

use serde::{Deserialize, Serialize};

/// Rows in the shortest run: the unit is then 2⁻⁴⁶, 1.4e-14, of the largest contribution.
const SHORTEST: usize = 1 << 16;

/// Rows in the longest run: the unit is then 2⁻³².
const LONGEST: usize = 1 << 30;

/// Beyond these a bound is taken as that: nothing that is computed with comes near, and units and squares stay normal numbers.
const SMALLEST: f64 = 1e-280;
const LARGEST: f64 = 1e280;

/// How many rows may be added in 64 bits, where there are so many sums: more rows than sums, so that setting sums to zero and merging them costs
/// less than the rows do.
pub(crate) fn run(sums: usize) -> usize {
    sums.saturating_mul(4).clamp(SHORTEST, LONGEST).next_power_of_two()
}

/// The multiples of a unit that contributions to a sum are rounded to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Grid {
    unit: f64,
    /// Added to a number it leaves the multiple in the low bits.
    anchor: f64,
    /// The size that no contribution may exceed; not a number where none is known.
    largest: f64,
}

impl Grid {
    /// The grid for contributions of at most `bound`, up to [`run`] of them in 64 bits where there are so many sums.
    pub(crate) fn new(bound: f64, sums: usize) -> Self {
        if bound.is_nan() || bound > LARGEST {
            return Self { unit: 1.0, anchor: 0.0, largest: f64::NAN };
        }
        let largest = power_of_two_above(bound.max(SMALLEST));
        let unit = largest * (run(sums) as f64) / 2f64.powi(62);
        Self { unit, anchor: unit * 1.5 * 2f64.powi(52), largest }
    }

    /// The grid of counts.
    pub(crate) fn counting() -> Self {
        Self { unit: 1.0, anchor: 1.5 * 2f64.powi(52), largest: 2f64.powi(32) }
    }

    /// The multiple of the unit that is nearest to a contribution. Whoever calls it has seen to it that the contribution [`Grid::holds`].
    #[inline]
    pub(crate) fn fix(self, value: f64) -> i64 {
        (value + self.anchor).to_bits().wrapping_sub(self.anchor.to_bits()).cast_signed()
    }

    /// Whether a number may be added at all: neither too large nor missing.
    #[inline]
    pub(crate) fn holds(self, value: f64) -> bool {
        value.abs() <= self.largest
    }

    /// Whether it can hold anything: whether its bound is a number that can be computed with.
    pub(crate) fn is_bounded(self) -> bool {
        self.largest.is_finite()
    }

    /// The multiples nearest to some contributions, written over `out`; whether it [`Grid::holds`] all.
    pub(crate) fn fix_all(self, values: &[f64], out: &mut Vec<i64>) -> bool {
        out.clear();
        out.extend(values.iter().map(|&value| self.fix(value)));
        values.iter().fold(true, |all, &value| all & self.holds(value))
    }

    /// As [`Grid::fix_all`], each of as many contributions a row times the weight of the row.
    pub(crate) fn fix_weighted(self, values: &[f64], weights: &[f64], out: &mut Vec<i64>) -> bool {
        out.clear();
        out.resize(values.len(), 0);
        let width = values.len() / weights.len().max(1);
        let mut all = true;
        if let ((pairs, []), (out, []), 2) = (values.as_chunks::<2>(), out.as_chunks_mut::<2>(), width) {
            for ((out, pair), weight) in out.iter_mut().zip(pairs).zip(weights) {
                let weighted = pair.map(|value| weight * value);
                all &= self.holds(weighted[0]) & self.holds(weighted[1]);
                *out = weighted.map(|value| self.fix(value));
            }
            return all;
        }
        let rows = out.chunks_exact_mut(width.max(1)).zip(values.chunks_exact(width.max(1))).zip(weights);
        for ((out, values), weight) in rows {
            for (out, value) in out.iter_mut().zip(values) {
                all &= self.holds(weight * value);
                *out = self.fix(weight * value);
            }
        }
        all
    }

    /// The sum of the products of two columns, each product rounded. Whoever calls it knows that either is within a bound, of which the grid
    /// has the product; that this product is rounded too does no harm, since a run leaves a bit to spare.
    pub(crate) fn dot(self, left: &[f64], right: &[f64]) -> i64 {
        let mut sums = [0_u64; 8];
        let (left_parts, left_rest) = left.as_chunks::<8>();
        let (right_parts, right_rest) = right.as_chunks::<8>();
        for (left, right) in left_parts.iter().zip(right_parts) {
            for lane in 0..8 {
                sums[lane] = sums[lane].wrapping_add((left[lane] * right[lane] + self.anchor).to_bits());
            }
        }
        // The anchors are taken away together: integers wrap around, and come back.
        let anchors = (8 * left_parts.len() as u64).wrapping_mul(self.anchor.to_bits());
        let sum = sums.iter().fold(0_u64, |sum, one| sum.wrapping_add(*one)).wrapping_sub(anchors).cast_signed();
        left_rest.iter().zip(right_rest).fold(sum, |sum, (left, right)| sum + self.fix(left * right))
    }

    /// The number that a sum of multiples stands for.
    pub(crate) fn float(self, total: i128) -> f64 {
        total as f64 * self.unit
    }
}

/// The sums of a run of rows, each with a grid of its own; for sums that are not in the innermost loops.
#[derive(Debug, Clone)]
pub(crate) struct GridSums<'a> {
    grids: &'a [Grid],
    pub(crate) sums: Vec<i64>,
    pub(crate) valid: bool,
}

impl<'a> GridSums<'a> {
    pub(crate) fn new(grids: &'a [Grid]) -> Self {
        Self { grids, sums: vec![0; grids.len()], valid: true }
    }

    /// Adds a contribution to one of the sums.
    pub(crate) fn add(&mut self, at: usize, value: f64) {
        self.valid &= self.grids[at].holds(value);
        self.sums[at] = self.sums[at].wrapping_add(self.grids[at].fix(value));
    }

    pub(crate) fn totals(self) -> Totals {
        Totals::new(self.sums, self.valid)
    }
}

/// The sum of few or many contributions, one after the other: twice, once for their largest size and once for their sum.
pub(crate) fn sum(contributions: impl Iterator<Item = f64> + Clone) -> f64 {
    let grid = Grid::new(contributions.clone().fold(0.0, |largest: f64, one| largest.max(one.abs())), 1);
    let (total, valid) = contributions.fold((0, grid.is_bounded()), |(total, valid), one| {
        (total + i128::from(grid.fix(one)), valid & grid.holds(one))
    });
    if valid { grid.float(total) } else { f64::NAN }
}

/// The same of contributions that are there already: bit for bit [`sum`] of them.
pub(crate) fn sum_of(contributions: &[f64]) -> f64 {
    let grid = Grid::new(largest_size(contributions), 1);
    // A product with 1 is exact.
    let ones = [1.0; 512];
    let total = contributions.chunks(ones.len()).map(|part| i128::from(grid.dot(part, &ones[..part.len()]))).sum();
    if grid.is_bounded() && contributions.iter().all(|one| grid.holds(*one)) { grid.float(total) } else { f64::NAN }
}

/// The largest absolute value; numbers that are none do not count.
pub(crate) fn largest_size(numbers: &[f64]) -> f64 {
    let mut lanes = [0.0_f64; 8];
    let (parts, rest) = numbers.as_chunks::<8>();
    for part in parts {
        for (lane, one) in lanes.iter_mut().zip(part) {
            *lane = lane.max(one.abs());
        }
    }
    rest.iter().chain(&lanes).fold(0.0, |largest: f64, one| largest.max(one.abs()))
}

/// Sums of multiples over some rows: merged in any order, they are the same. What they are multiples of is known to whoever asks for numbers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Totals {
    sums: Vec<i128>,
    /// Whether all contributions were within their bounds. If not, no sum is known.
    valid: bool,
}

impl Totals {
    /// The sums of a run.
    pub(crate) fn new(sums: impl IntoIterator<Item = i64>, valid: bool) -> Self {
        Self { sums: sums.into_iter().map(i128::from).collect(), valid }
    }

    /// The sums of these rows and of others.
    pub(crate) fn merge(&mut self, other: &Self) {
        self.valid &= other.valid;
        for (sum, other) in self.sums.iter_mut().zip(&other.sums) {
            *sum += other;
        }
    }

    /// The sums of so many times these rows.
    #[must_use]
    pub(crate) fn times(mut self, times: u64) -> Self {
        self.sums.iter_mut().for_each(|sum| *sum *= i128::from(times));
        self
    }

    /// The sums as numbers, given the grid of each; none is a number where a contribution was not.
    pub(crate) fn to_floats(&self, grid: impl Fn(usize) -> Grid) -> Vec<f64> {
        let float = |(at, &sum): (usize, &i128)| if self.valid { grid(at).float(sum) } else { f64::NAN };
        self.sums.iter().enumerate().map(float).collect()
    }
}

/// The least power of two that is no smaller than a normal number.
fn power_of_two_above(number: f64) -> f64 {
    const EXPONENT: u64 = 0x7ff0_0000_0000_0000;
    let below = f64::from_bits(number.to_bits() & EXPONENT);
    if below < number { 2.0 * below } else { below }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn contributions_are_rounded_to_the_nearest_multiple() {
        let grid = Grid::new(3.0, 1);
        assert_eq!(grid.unit.to_bits(), (4.0 * 2f64.powi(-46)).to_bits());
        for value in [0.0, -0.0, 3.0, -3.0, 1.0, 0.1, -0.7, 1e-20, 4.0] {
            let back = grid.float(grid.fix(value).into());
            assert!(grid.holds(value) && (back - value).abs() <= grid.unit / 2.0, "{value} {back}");
        }
        assert_eq!(grid.fix(4.0), 1 << 46);
        assert!(!grid.holds(4.1) && !grid.holds(f64::NAN) && !grid.holds(f64::INFINITY));
    }

    #[test]
    fn a_run_of_the_largest_contributions_does_not_overflow() {
        for sums in [1, 1 << 14, 100_000, 1 << 24, usize::MAX] {
            let grid = Grid::new(1.0, sums);
            assert!(i128::from(grid.fix(1.0)) * (run(sums) as i128) <= 1 << 62, "{sums}");
        }
        assert!(run(1 << 20) >= 1 << 22);
    }

    #[test]
    fn sums_of_lists_and_weighted_contributions_have_the_bits_of_one_by_one() {
        let number = |at: usize| (at as f64 * 1.7).sin() * 10f64.powf((at % 9) as f64 - 4.0);
        for count in [0, 1, 7, 8, 513, 2_000] {
            let numbers: Vec<f64> = (0..count).map(number).collect();
            assert_eq!(sum_of(&numbers).to_bits(), sum(numbers.iter().copied()).to_bits(), "{count}");
            assert!(sum_of(&[&numbers[..], &[f64::NAN]].concat()).is_nan(), "{count}");
        }
        for width in 1..4 {
            let (weights, grid) = ([0.5, 3.0, 1e-3, 2.0], Grid::new(8.0, 1));
            let values: Vec<f64> = (0..4 * width).map(|at| (at as f64).cos()).collect();
            let one_by_one: Vec<f64> =
                values.iter().enumerate().map(|(at, value)| weights[at / width] * value).collect();
            let (mut found, mut expected) = (Vec::new(), Vec::new());
            assert!(grid.fix_weighted(&values, &weights, &mut found) && grid.fix_all(&one_by_one, &mut expected));
            assert_eq!(found, expected, "{width}");
            let beyond: Vec<f64> = values.iter().map(|value| 100.0 * value).collect();
            assert!(!grid.fix_weighted(&beyond, &weights, &mut found), "{width}");
        }
    }

    #[test]
    fn bounds_of_any_size_have_a_grid_or_none() {
        for bound in [0.0, 5e-324, 1e-300, 1e-100, 1e100, 1e280] {
            let grid = Grid::new(bound, 1);
            assert!(grid.holds(bound) && (grid.float(grid.fix(bound).into()) - bound).abs() <= 1e-13 * bound + 1e-290);
        }
        for bound in [f64::NAN, f64::INFINITY, 1e300] {
            assert!(!Grid::new(bound, 1).holds(0.0));
        }
    }

    #[test]
    fn what_is_beyond_its_bound_is_never_a_sum() {
        let grid = Grid::new(1.0, 1);
        let sum = |values: &[f64]| {
            let mut fixed = Vec::new();
            let valid = grid.fix_all(values, &mut fixed);
            Totals::new([fixed.iter().sum()], valid)
        };
        let mut all = sum(&[0.5, 0.25]);
        all.merge(&sum(&[0.25]));
        assert_eq!(all.to_floats(|_| grid), [1.0]);
        all.merge(&sum(&[1.0, f64::NAN]));
        assert!(all.to_floats(|_| grid)[0].is_nan());
        assert!(sum(&[2.0, -2.0]).to_floats(|_| grid)[0].is_nan());
    }

    #[test]
    fn a_sum_of_all_has_its_bound_from_all() {
        assert_eq!(sum([1.0, 0.25, -3.0].into_iter()).to_bits(), (-1.75_f64).to_bits());
        assert_eq!(sum(std::iter::empty()).to_bits(), 0);
        assert!(sum([1.0, f64::NAN].into_iter()).is_nan() && sum([f64::INFINITY].into_iter()).is_nan());
    }

    proptest! {
        #[test]
        fn order_and_cuts_do_not_matter(
            values in prop::collection::vec((-1.0..1.0_f64, -9.0..9.0_f64), 1..200),
            seed in any::<u64>(),
            cut in any::<prop::sample::Index>(),
        ) {
            let grid = Grid::new(9.0, 1);
            let sum = |values: &[(f64, f64)]| {
                let (left, right): (Vec<f64>, Vec<f64>) = values.iter().copied().unzip();
                Totals::new([grid.dot(&left, &right), right.iter().map(|&value| grid.fix(value)).sum()], true)
            };
            let whole = sum(&values);
            let mut shuffled = values.clone();
            shuffled.sort_by_key(|pair| pair.0.to_bits().wrapping_mul(seed | 1));
            let (one, other) = shuffled.split_at(cut.index(shuffled.len()));
            let mut merged = sum(other);
            merged.merge(&sum(one));
            prop_assert_eq!(&merged, &whole);
            let plain: f64 = values.iter().map(|pair| pair.0 * pair.1).sum();
            prop_assert!((whole.to_floats(|_| grid)[0] - plain).abs() < 1e-11);
        }
    }
}

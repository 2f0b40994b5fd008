//! Sums of doubles, and of products of doubles, that round nothing on the way, however large, small or cancelling.
//!
//! A double is an integer of 53 bits times a power of two, so a product of up to three is one of 159 bits; it is added to a row of digits to the base
//! 2³², of which those are kept that numbers reached. Integers are added, so neither the order of numbers nor how they are cut shows in the sum: it is
//! what processors with a long accumulator would have. [Kulisch 2013; Neal 2015]

use serde::{Deserialize, Serialize};

use super::whole::Whole;

/// Bits of a digit.
const BITS: u32 = 32;

/// The power of two of the lowest bit of a double.
const LOWEST: i32 = -1074;

/// The power of two of 1, counted from that.
const ONE: u32 = 1074;

/// A digit holds the sum of so many integers, each of which adds less than 2³⁴ to it, before it has to be carried.
const BEFORE_CARRY: u32 = 1 << 28;

/// A sum of doubles, or of products of so many doubles each.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct ExactSum {
    /// How many factors a product may have.
    factors: u32,
    /// Whether all were finite.
    finite: bool,
    /// The place of the first digit, counted from that of the lowest product.
    first: usize,
    /// From the lowest, each with a sign of its own.
    digits: Vec<i64>,
    /// How many numbers were added since digits were carried.
    waiting: u32,
}

impl Default for ExactSum {
    /// A sum of doubles.
    fn default() -> Self {
        Self::of_products(1)
    }
}

impl ExactSum {
    /// A sum of products of up to `factors` numbers, at most three.
    pub(crate) fn of_products(factors: u32) -> Self {
        Self { factors, finite: true, first: 0, digits: Vec::new(), waiting: 0 }
    }

    /// Adds a number.
    #[inline]
    pub(crate) fn add(&mut self, value: f64) {
        let one = Parts::of(value);
        self.add_words(value.is_sign_negative(), [one.mantissa], one.power + ONE * (self.factors - 1));
        self.finite &= value.is_finite();
    }

    /// Adds the square of a number.
    pub(crate) fn add_square(&mut self, value: f64) {
        let one = Parts::of(value);
        let square = u128::from(one.mantissa) * u128::from(one.mantissa);
        self.add_words(false, [square as u64, (square >> 64) as u64], 2 * one.power + ONE * (self.factors - 2));
        self.finite &= value.is_finite();
    }

    /// Adds the product of a number that is not negative with another.
    pub(crate) fn add_product(&mut self, weight: f64, value: f64) {
        let (weight_parts, one) = (Parts::of(weight), Parts::of(value));
        let product = u128::from(weight_parts.mantissa) * u128::from(one.mantissa);
        let power = weight_parts.power + one.power + ONE * (self.factors - 2);
        self.add_words(value.is_sign_negative(), [product as u64, (product >> 64) as u64], power);
        self.finite &= weight.is_finite() && value.is_finite();
    }

    /// Adds the product of a number that is not negative with the square of another.
    pub(crate) fn add_weighted_square(&mut self, weight: f64, value: f64) {
        let (weight_parts, one) = (Parts::of(weight), Parts::of(value));
        let square = u128::from(one.mantissa) * u128::from(one.mantissa);
        let low = u128::from(square as u64) * u128::from(weight_parts.mantissa);
        let high = (square >> 64) * u128::from(weight_parts.mantissa) + (low >> 64);
        let power = weight_parts.power + 2 * one.power + ONE * (self.factors - 3);
        self.add_words(false, [low as u64, high as u64, (high >> 64) as u64], power);
        self.finite &= weight.is_finite() && value.is_finite();
    }

    /// Adds an integer, its words from the lowest, times a power of two, counted from that of the lowest product.
    #[inline]
    fn add_words<const WORDS: usize>(&mut self, negative: bool, words: [u64; WORDS], power: u32) {
        let (first, shift) = ((power / BITS) as usize, power % BITS);
        let sign = if negative { -1 } else { 1 };
        let digits = self.digits_from(first, 2 * WORDS + 1);
        for (at, word) in words.into_iter().enumerate() {
            let wide = u128::from(word) << shift;
            let digits = &mut digits[2 * at..][..3];
            digits[0] += sign * i64::from(wide as u32);
            digits[1] += sign * i64::from((wide >> BITS) as u32);
            digits[2] += sign * i64::from((wide >> (2 * BITS)) as u32);
        }
        self.waiting += 1;
        if self.waiting >= BEFORE_CARRY {
            self.carry();
        }
    }

    /// So many digits from a place on, which are kept from now on.
    #[inline]
    fn digits_from(&mut self, first: usize, count: usize) -> &mut [i64] {
        if first < self.first || first + count > self.first + self.digits.len() {
            self.reach(first, count);
        }
        &mut self.digits[first - self.first..][..count]
    }

    #[cold]
    fn reach(&mut self, first: usize, count: usize) {
        if self.digits.is_empty() {
            self.first = first;
        }
        let below = self.first.saturating_sub(first);
        self.digits.splice(0..0, std::iter::repeat_n(0, below));
        self.first -= below;
        self.digits.resize(self.digits.len().max(first + count - self.first), 0);
    }

    /// Adds another sum of as many factors.
    pub(crate) fn merge(&mut self, other: &Self) {
        debug_assert_eq!(self.factors, other.factors);
        self.finite &= other.finite;
        if other.digits.is_empty() {
            return;
        }
        if self.waiting + other.waiting >= BEFORE_CARRY {
            self.carry();
        }
        // Its digits are less than those of one number more than were added to it.
        self.waiting += other.waiting + 1;
        for (digit, other) in self.digits_from(other.first, other.digits.len()).iter_mut().zip(&other.digits) {
            *digit += other;
        }
    }

    /// Twice the sum, so many times over.
    #[must_use]
    pub(crate) fn doubled(mut self, often: u32) -> Self {
        for _ in 0..often {
            let same = self.clone();
            self.merge(&same);
            self.carry();
        }
        self
    }

    /// Brings digits below 2³², all of one sign, with none that is zero at either end: equal sums are then equal to the bit.
    pub(crate) fn carry(&mut self) {
        self.carry_up();
        if self.digits.last().is_some_and(|top| *top < 0) {
            // Carried with its sign turned, every digit is at least zero.
            self.turn();
            self.carry_up();
            self.turn();
        }
        while self.digits.last() == Some(&0) {
            self.digits.pop();
        }
        let zeros = self.digits.iter().take_while(|digit| **digit == 0).count();
        self.digits.drain(..zeros);
        self.first = if self.digits.is_empty() { 0 } else { self.first + zeros };
        self.waiting = 0;
    }

    /// Carries from digit to digit: none but the highest is then negative.
    fn carry_up(&mut self) {
        let mut over = 0;
        for digit in &mut self.digits {
            let sum = *digit + over;
            over = sum >> BITS;
            *digit = sum - (over << BITS);
        }
        if over != 0 {
            self.digits.push(over);
        }
    }

    fn turn(&mut self) {
        self.digits.iter_mut().for_each(|digit| *digit = -*digit);
    }

    /// The sum, rounded once; not a number where a number was not finite.
    pub(crate) fn value(&self) -> f64 {
        if !self.finite {
            return f64::NAN;
        }
        Whole::of_digits(&self.digits).float(self.lowest() + (self.first as u32 * BITS).cast_signed()).value()
    }

    /// The sum as a whole number times 2 to the power of the lowest product, which is returned too; `None` where a number was not finite.
    pub(crate) fn exact(&self) -> Option<(Whole, i32)> {
        let digits = [&vec![0; self.first][..], &self.digits].concat();
        self.finite.then(|| (Whole::of_digits(&digits), self.lowest()))
    }

    fn lowest(&self) -> i32 {
        LOWEST * self.factors.cast_signed()
    }
}

impl PartialEq for ExactSum {
    fn eq(&self, other: &Self) -> bool {
        let carried = |sum: &Self| {
            let mut sum = sum.clone();
            sum.carry();
            (sum.factors, sum.finite, sum.first, sum.digits)
        };
        carried(self) == carried(other)
    }
}

impl Eq for ExactSum {}

impl FromIterator<f64> for ExactSum {
    fn from_iter<I: IntoIterator<Item = f64>>(values: I) -> Self {
        let mut sum = Self::default();
        values.into_iter().for_each(|value| sum.add(value));
        sum
    }
}

/// The bits of a double: `mantissa · 2^power`, with powers counted from that of the lowest bit of all doubles.
struct Parts {
    mantissa: u64,
    power: u32,
}

impl Parts {
    #[inline]
    fn of(value: f64) -> Self {
        let bits = value.to_bits();
        let exponent = (bits >> 52 & 0x7ff) as u32;
        // Below the normal numbers the leading bit is not implied, and the exponent is that of the smallest of them.
        let implied = u64::from(exponent > 0) << 52;
        Self { mantissa: bits & ((1 << 52) - 1) | implied, power: exponent.max(1) - 1 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Numbers of every size, subnormal ones too.
    fn any_number() -> impl Strategy<Value = f64> {
        prop_oneof![
            any::<u64>().prop_map(f64::from_bits).prop_filter("finite", |value| value.is_finite()),
            (-1000i32..1000).prop_map(f64::from),
            Just(5e-324),
            Just(f64::MAX),
            Just(f64::MIN),
        ]
    }

    fn sum(values: &[f64]) -> f64 {
        values.iter().copied().collect::<ExactSum>().value()
    }

    #[test]
    fn nothing_is_lost_between_numbers_of_different_size() {
        assert_eq!(sum(&[1e300, 1.0, -1e300]).to_bits(), 1f64.to_bits());
        assert_eq!(sum(&[5e-324, 1e100, 5e-324, -1e100]).to_bits(), 1e-323_f64.to_bits());
        assert_eq!(sum(&[f64::MAX]).to_bits(), f64::MAX.to_bits());
        assert_eq!(sum(&[f64::MAX, f64::MAX, f64::MIN, -1.0]).to_bits(), f64::MAX.to_bits());
        assert_eq!(sum(&[-0.1; 10]).to_bits(), (-1f64).to_bits());
        assert_eq!(sum(&[]).to_bits(), 0);
        assert_eq!(sum(&[1e16, 1.0, 1.0, -1e16]).to_bits(), 2f64.to_bits());
        assert!(sum(&[1.0, f64::INFINITY]).is_nan() && sum(&[f64::NAN]).is_nan());
    }

    #[test]
    fn a_sum_is_rounded_once() {
        // Halfway between two doubles but for a last bit far below, on either side.
        let half = 2f64.powi(-53);
        for (rest, expected) in [(2f64.powi(-200), 1.0 + 2.0 * half), (-2f64.powi(-200), 1.0), (0.0, 1.0)] {
            assert_eq!(sum(&[1.0, half, rest]).to_bits(), expected.to_bits(), "{rest:e}");
        }
    }

    #[test]
    fn digits_are_kept_where_numbers_are_and_equal_sums_have_equal_ones() {
        let carried = |values: &[f64]| {
            let mut sum: ExactSum = values.iter().copied().collect();
            sum.carry();
            (sum.first, sum.digits)
        };
        assert_eq!(carried(&[1e300, 3.0, -1e300]), carried(&[3.0]));
        assert_eq!(carried(&[-1e300, -3.0, 1e300]), carried(&[-3.0]));
        assert_eq!(carried(&[7.0, -7.0]), carried(&[]));
        assert!(carried(&[0.1; 1000]).1.len() <= 4 && carried(&[0.1, 1e-300]).1.len() > 30);
        // As many as digits hold, carried and not.
        let mut many = ExactSum { waiting: BEFORE_CARRY - 2, ..[2f64.powi(40)].into_iter().collect() };
        let others = many.clone();
        (0..3).for_each(|_| many.add(1.0));
        many.merge(&others);
        many.merge(&others);
        assert_eq!(many.value().to_bits(), (3.0 * 2f64.powi(40) + 3.0).to_bits());
        assert!(many.waiting < BEFORE_CARRY);
    }

    /// An integer times 2⁻¹⁵⁰, small enough that sums of products of three are exact in 128 bits.
    fn small() -> impl Strategy<Value = i32> {
        -2000i32..2000
    }

    proptest! {
        #[test]
        fn products_are_those_of_integers(
            rows in prop::collection::vec((0i32..1000, small()), 0..50),
            power in -340i32..300,
        ) {
            let unit = 2f64.powi(power);
            let mut sums = [1, 2, 3].map(ExactSum::of_products);
            let mut exact = [0i128; 3];
            for &(weight, value) in &rows {
                let (w, v) = (f64::from(weight), f64::from(value) * unit);
                sums[0].add(v);
                sums[1].add_product(w, v);
                sums[2].add_weighted_square(w, v);
                // Those of fewer factors are products with 1.
                sums[2].add_square(v);
                sums[2].add_weighted_square(1.0, v);
                sums[1].add(v);
                sums[1].add_product(1.0, v);
                let (weight, value) = (i128::from(weight), i128::from(value));
                exact = [exact[0] + value, exact[1] + (weight + 2) * value, exact[2] + (weight + 2) * value * value];
            }
            for ((sum, exact), factor) in sums.iter().zip(exact).zip([1, 1, 2]) {
                let (whole, lowest) = sum.exact().unwrap();
                let found = whole.float(lowest).scaled(-factor * power).value();
                prop_assert_eq!(found.to_bits(), (exact as f64).to_bits());
            }
        }

        #[test]
        fn order_and_cuts_do_not_matter(
            rows in prop::collection::vec((any_number(), any_number()), 0..40),
            turn in any::<prop::sample::Index>(),
            cut in any::<prop::sample::Index>(),
        ) {
            let of = |rows: &[(f64, f64)]| {
                let mut sums = [2, 3].map(ExactSum::of_products);
                for (weight, value) in rows {
                    sums[0].add_product(weight.abs(), *value);
                    sums[1].add_weighted_square(weight.abs(), *value);
                }
                sums
            };
            let whole = of(&rows);
            let mut turned = rows.clone();
            turned.rotate_left(turn.index(rows.len() + 1).min(rows.len()));
            let (one, other) = turned.split_at(cut.index(rows.len() + 1));
            let (mut merged, others) = (of(other), of(one));
            merged.iter_mut().zip(&others).for_each(|(sum, other)| sum.merge(other));
            prop_assert_eq!(&merged, &whole);
            // What is added and taken away again leaves nothing.
            for (weight, value) in &rows {
                merged[0].add_product(weight.abs(), -value);
            }
            prop_assert_eq!(merged[0].value().to_bits(), 0);
        }
    }
}

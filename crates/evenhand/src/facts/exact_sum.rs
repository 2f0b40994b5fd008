//! Sums of products of doubles that round nothing, however large, small or cancelling.
//!
//! A double is an integer of 53 bits times a power of two, so a product of up to three is one of 159 bits; it is added to a row of digits to the base
//! 2³² that reaches from the smallest such product to beyond the largest. Integers are added, so neither the order of numbers nor how
//! they are cut shows in the sum. [Neal 2015]

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

/// A sum of products of so many doubles each.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ExactSum {
    /// How many factors a product may have.
    factors: u32,
    /// Whether all were finite.
    finite: bool,
    /// From the lowest; once carried, none but the highest is negative or has more than 32 bits.
    digits: Vec<i64>,
    /// How many numbers were added since digits were carried.
    #[serde(skip)]
    waiting: u32,
}

impl ExactSum {
    /// A sum of products of up to `factors` numbers, at most three.
    pub(super) fn of_products(factors: u32) -> Self {
        // Exponents of a double span 2098 bits; 64 more are room for carries.
        let digits = (2098 * factors + 64).div_ceil(BITS) as usize;
        Self { factors, finite: true, digits: vec![0; digits], waiting: 0 }
    }

    /// Adds a number.
    pub(super) fn add(&mut self, value: f64) {
        self.add_once(value, self.factors - 1);
    }

    /// Adds the square of a number.
    pub(super) fn add_square(&mut self, value: f64) {
        let one = Parts::of(value);
        let square = u128::from(one.mantissa) * u128::from(one.mantissa);
        self.add_words(false, [square as u64, (square >> 64) as u64], 2 * one.power + ONE * (self.factors - 2));
        self.finite &= value.is_finite();
    }

    /// Adds the product of a number that is not negative with another.
    pub(super) fn add_product(&mut self, weight: f64, value: f64) {
        let (weight_parts, one) = (Parts::of(weight), Parts::of(value));
        let product = u128::from(weight_parts.mantissa) * u128::from(one.mantissa);
        let power = weight_parts.power + one.power + ONE * (self.factors - 2);
        self.add_words(value.is_sign_negative(), [product as u64, (product >> 64) as u64], power);
        self.finite &= weight.is_finite() && value.is_finite();
    }

    /// Adds the product of a number that is not negative with the square of another.
    pub(super) fn add_weighted_square(&mut self, weight: f64, value: f64) {
        let (weight_parts, one) = (Parts::of(weight), Parts::of(value));
        let square = u128::from(one.mantissa) * u128::from(one.mantissa);
        let low = u128::from(square as u64) * u128::from(weight_parts.mantissa);
        let high = (square >> 64) * u128::from(weight_parts.mantissa) + (low >> 64);
        let power = weight_parts.power + 2 * one.power + ONE * (self.factors - 3);
        self.add_words(false, [low as u64, high as u64, (high >> 64) as u64], power);
        self.finite &= weight.is_finite() && value.is_finite();
    }

    /// Adds a number times so many factors of 1.
    fn add_once(&mut self, value: f64, ones: u32) {
        let one = Parts::of(value);
        self.add_words(value.is_sign_negative(), [one.mantissa], one.power + ONE * ones);
        self.finite &= value.is_finite();
    }

    /// Adds an integer, its words from the lowest, times a power of two, counted from that of the lowest product.
    #[inline]
    fn add_words<const WORDS: usize>(&mut self, negative: bool, words: [u64; WORDS], power: u32) {
        let (first, shift) = ((power / BITS) as usize, power % BITS);
        let sign = if negative { -1 } else { 1 };
        for (at, word) in words.into_iter().enumerate() {
            let wide = u128::from(word) << shift;
            let digits = &mut self.digits[first + 2 * at..][..3];
            digits[0] += sign * i64::from(wide as u32);
            digits[1] += sign * i64::from((wide >> BITS) as u32);
            digits[2] += sign * i64::from((wide >> (2 * BITS)) as u32);
        }
        self.waiting += 1;
        if self.waiting == BEFORE_CARRY {
            self.carry();
        }
    }

    /// Adds another sum of as many factors.
    pub(super) fn merge(&mut self, other: &Self) {
        self.carry();
        self.finite &= other.finite;
        for (digit, other) in self.digits.iter_mut().zip(&other.carried().digits) {
            *digit += other;
        }
        self.carry();
    }

    /// Brings digits below 2³², so that equal sums have equal digits.
    pub(super) fn carry(&mut self) {
        let last = self.digits.len() - 1;
        for at in 0..last {
            let over = self.digits[at] >> BITS;
            self.digits[at] -= over << BITS;
            self.digits[at + 1] += over;
        }
        self.waiting = 0;
    }

    fn carried(&self) -> Self {
        let mut own = self.clone();
        own.carry();
        own
    }

    /// The sum as a whole number times 2 to the power that is returned; `None` where a number was not finite.
    pub(super) fn value(&self) -> Option<(Whole, i32)> {
        let value = Whole::of_digits(&self.carried().digits);
        self.finite.then_some((value, LOWEST * self.factors.cast_signed()))
    }
}

/// The bits of a double: `mantissa · 2^power`, with powers counted from that of the lowest bit of all doubles.
struct Parts {
    mantissa: u64,
    power: u32,
}

impl Parts {
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
        let mut sum = ExactSum::of_products(1);
        for &value in values {
            sum.add(value);
        }
        let (whole, power) = sum.value().unwrap();
        whole.float(power).value()
    }

    #[test]
    fn nothing_is_lost_between_numbers_of_different_size() {
        assert_eq!(sum(&[1e300, 1.0, -1e300]).to_bits(), 1f64.to_bits());
        assert_eq!(sum(&[5e-324, 1e100, 5e-324, -1e100]).to_bits(), 1e-323_f64.to_bits());
        assert_eq!(sum(&[f64::MAX]).to_bits(), f64::MAX.to_bits());
        assert_eq!(sum(&[f64::MAX, f64::MAX, f64::MIN, -1.0]).to_bits(), f64::MAX.to_bits());
        assert_eq!(sum(&[-0.1; 10]).to_bits(), (-1f64).to_bits());
        assert_eq!(sum(&[]).to_bits(), 0);
        let mut broken = ExactSum::of_products(1);
        broken.add(f64::INFINITY);
        assert!(broken.value().is_none());
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
                let (whole, lowest) = sum.value().unwrap();
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
                sums.map(|sum| sum.carried())
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
            prop_assert_eq!(merged[0].value().unwrap().0.float(0).value().to_bits(), 0);
        }
    }
}

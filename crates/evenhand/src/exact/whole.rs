//! Whole numbers of any length, for the few steps from exact sums to a mean and a spread.
//!
//! Holds [`Whole`] and [`Float`], a double with room for any exponent.

/// A whole number: its sign, and digits to the base 2³² from the lowest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Whole {
    negative: bool,
    digits: Vec<u32>,
}

/// `mantissa · 2^power`, where the mantissa is 0 or of a size in [1, 2).
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Float {
    mantissa: f64,
    power: i32,
}

impl Whole {
    /// The number whose digits are these, each with a sign of its own and of any size.
    pub(crate) fn of_digits(digits: &[i64]) -> Self {
        // The sign is that of what is carried out of the highest digit.
        let carry_out = digits.iter().fold(0, |carry, &digit| (i128::from(digit) + carry) >> 32);
        let negative = carry_out < 0;
        let mut carry = 0;
        let mut own = Vec::with_capacity(digits.len() + 2);
        for &digit in digits {
            let sum: i128 = carry + if negative { -i128::from(digit) } else { i128::from(digit) };
            own.push((sum & 0xffff_ffff).cast_unsigned() as u32);
            carry = sum >> 32;
        }
        while carry > 0 {
            own.push((carry & 0xffff_ffff).cast_unsigned() as u32);
            carry >>= 32;
        }
        Self { negative, digits: own }.trimmed()
    }

    /// The product with another.
    pub(crate) fn times(&self, other: &Self) -> Self {
        let mut digits = vec![0_u32; self.digits.len() + other.digits.len()];
        for (at, &one) in self.digits.iter().enumerate() {
            let mut carry = 0_u64;
            for (step, &two) in other.digits.iter().enumerate() {
                let sum = u64::from(digits[at + step]) + u64::from(one) * u64::from(two) + carry;
                digits[at + step] = sum as u32;
                carry = sum >> 32;
            }
            digits[at + other.digits.len()] = carry as u32;
        }
        Self { negative: self.negative != other.negative, digits }.trimmed()
    }

    /// The difference to another.
    pub(crate) fn minus(&self, other: &Self) -> Self {
        let signed = |whole: &Self, at: usize| {
            let digit = whole.digits.get(at).copied().map_or(0, i64::from);
            if whole.negative { -digit } else { digit }
        };
        let length = self.digits.len().max(other.digits.len());
        let digits: Vec<i64> = (0..length).map(|at| signed(self, at) - signed(other, at)).collect();
        Self::of_digits(&digits)
    }

    /// This number times 2 to a power, rounded to the nearest double.
    pub(crate) fn float(&self, power: i32) -> Float {
        let Some(&top) = self.digits.last() else { return Float { mantissa: 0.0, power: 0 } };
        // The highest 64 bits, and whether anything is below them: rounding to 53 then sees on which side of a half the rest is.
        let highest = self.digits.len() - 1;
        let digit = |below: usize| highest.checked_sub(below).map_or(0, |at| u128::from(self.digits[at]));
        let shift = top.leading_zeros();
        let bits = (digit(0) << 64 | digit(1) << 32 | digit(2)) << shift;
        let rest = self.digits[..(highest + 1).saturating_sub(3)].iter().any(|&digit| digit > 0);
        let leading = (bits >> 32) as u64 | u64::from(rest || bits as u32 > 0);
        let mantissa = leading as f64 * 2f64.powi(-63);
        let power = power + (32 * (highest as u32 + 1) - shift - 1).cast_signed();
        Float::of(if self.negative { -mantissa } else { mantissa }, power)
    }

    /// The quotient by a positive number, rounded to the nearest double.
    pub(crate) fn over(&self, other: &Self) -> Float {
        let (own, others) = (self.bit_length(), other.bit_length());
        if own == 0 || others == 0 {
            return Float { mantissa: 0.0, power: 0 };
        }
        // Both with their highest bit in the same place, and room for one more; then bit by bit.
        let length = own.max(others);
        let (mut rest, divisor) = (self.shifted(length - own), other.shifted(length - others));
        let mut power = (own as u32).cast_signed() - (others as u32).cast_signed();
        if is_less(&rest, &divisor) {
            double(&mut rest);
            power -= 1;
        }
        let mut quotient = 0_u64;
        for _ in 0..u64::BITS {
            quotient <<= 1;
            if !is_less(&rest, &divisor) {
                subtract(&mut rest, &divisor);
                quotient |= 1;
            }
            double(&mut rest);
        }
        let mantissa = (quotient | u64::from(rest.iter().any(|&digit| digit > 0))) as f64 * 2f64.powi(-63);
        Float::of(if self.negative { -mantissa } else { mantissa }, power)
    }

    fn bit_length(&self) -> usize {
        self.digits.last().map_or(0, |top| 32 * self.digits.len() - top.leading_zeros() as usize)
    }

    /// The digits of the size of this number times 2 to a power, with one more than they need.
    fn shifted(&self, by: usize) -> Vec<u32> {
        let mut digits = vec![0; by / 32];
        let mut carry = 0;
        for &digit in &self.digits {
            let wide = u64::from(digit) << (by % 32) | carry;
            digits.push(wide as u32);
            carry = wide >> 32;
        }
        digits.push(carry as u32);
        digits.resize((self.bit_length() + by) / 32 + 2, 0);
        digits
    }

    fn trimmed(mut self) -> Self {
        while self.digits.last() == Some(&0) {
            self.digits.pop();
        }
        self.negative &= !self.digits.is_empty();
        self
    }
}

fn is_less(one: &[u32], other: &[u32]) -> bool {
    one.iter().rev().lt(other.iter().rev())
}

fn double(digits: &mut [u32]) {
    let mut carry = 0;
    for digit in digits {
        let next = *digit >> 31;
        *digit = *digit << 1 | carry;
        carry = next;
    }
}

/// Takes away what is no larger.
fn subtract(digits: &mut [u32], other: &[u32]) {
    let mut borrow = 0;
    for (digit, other) in digits.iter_mut().zip(other) {
        let wide = i64::from(*digit) - i64::from(*other) - borrow;
        *digit = wide.cast_unsigned() as u32;
        borrow = i64::from(wide < 0);
    }
}

impl Float {
    /// A normal number, or 0, times 2 to a power.
    fn of(number: f64, power: i32) -> Self {
        if number.abs() <= 0.0 {
            return Self { mantissa: 0.0, power: 0 };
        }
        let exponent = (number.to_bits() >> 52 & 0x7ff) as i32 - 1023;
        Self { mantissa: number * 2f64.powi(-exponent), power: power + exponent }
    }

    /// The square root; 0 of what is not positive.
    pub(crate) fn sqrt(self) -> Self {
        let odd = self.power.rem_euclid(2);
        let mantissa = self.mantissa.max(0.0) * f64::from(1 + odd);
        Self::of(mantissa.sqrt(), (self.power - odd) / 2)
    }

    /// This number times 2 to a power.
    pub(crate) fn scaled(self, power: i32) -> Self {
        Self::of(self.mantissa, self.power + power)
    }

    /// The nearest double, the largest where it is beyond all.
    pub(crate) fn value(self) -> f64 {
        // In two steps, since the power alone may be beyond all doubles.
        let half = self.power.clamp(-2200, 2200) / 2;
        let number = self.mantissa * 2f64.powi(half) * 2f64.powi(self.power.clamp(-2200, 2200) - half);
        number.clamp(f64::MIN, f64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn whole(number: i64) -> Whole {
        Whole::of_digits(&[number])
    }

    proptest! {
        #[test]
        fn arithmetic_is_that_of_integers(a in any::<i64>(), b in any::<i64>(), c in 1..i64::MAX) {
            let float = |whole: Whole| whole.float(0).value().to_bits();
            let product = i128::from(a) * i128::from(b);
            prop_assert_eq!(float(whole(a).times(&whole(b))), (product as f64).to_bits());
            let difference = product - i128::from(c);
            prop_assert_eq!(float(whole(a).times(&whole(b)).minus(&whole(c))), (difference as f64).to_bits());
            prop_assert_eq!(float(whole(a).minus(&whole(b))), ((i128::from(a) - i128::from(b)) as f64).to_bits());
        }

        #[test]
        fn quotients_are_rounded_once(a in -(1i64 << 53)..1 << 53, b in 1i64..1 << 53) {
            prop_assert_eq!(whole(a).over(&whole(b)).value().to_bits(), (a as f64 / b as f64).to_bits());
            let factor = whole(i64::MAX).times(&whole(i64::MAX - 1));
            let (long, longer) = (whole(a).times(&factor), whole(b).times(&factor));
            prop_assert_eq!(long.over(&longer), whole(a).over(&whole(b)));
        }

        #[test]
        fn roots_are_those_of_doubles(number in 0i64..1 << 53, power in -200i32..200) {
            let found = whole(number).float(2 * power).sqrt().value();
            prop_assert_eq!(found.to_bits(), ((number as f64).sqrt() * 2f64.powi(power)).to_bits());
        }
    }
}

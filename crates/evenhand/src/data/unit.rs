//! The unit in which numbers are measured so that neither they nor their squares overflow or vanish.
//!
//! A power of two: dividing by it rounds nothing.

/// The largest power of two that is no larger than a positive finite number.
pub(crate) fn power_of_two(number: f64) -> f64 {
    // By the bits of the exponent: the logarithm of the largest double is rounded up, to that of infinity.
    const EXPONENT: u64 = 0x7ff0_0000_0000_0000;
    if number.is_normal() {
        f64::from_bits(number.to_bits() & EXPONENT)
    } else {
        f64::from_bits(1 << (u64::BITS - 1 - number.to_bits().leading_zeros()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_of_two_are_found_up_to_the_ends_of_what_a_double_can_be() {
        let cases = [
            (1.0, 1.0),
            (0.75, 0.5),
            (1023.9, 512.0),
            (f64::MAX, 2f64.powi(1023)),
            (f64::MIN_POSITIVE, f64::MIN_POSITIVE),
            (5e-324, 5e-324),
            (1.5e-323, 1e-323),
        ];
        for (number, expected) in cases {
            assert_eq!(power_of_two(number).to_bits(), f64::to_bits(expected), "{number:e}");
        }
    }
}

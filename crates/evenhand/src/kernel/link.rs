//! Margins to probabilities and losses, a block at a time.
//!
//! The exponential and the logarithm are written out without branches so that the compiler
//! turns the loops into vector code; `pulp` picks the widest instructions the machine has.
//! No fused multiply-add is used, so every width gives the same bits.

#![expect(clippy::inline_always, reason = "code that is not inlined into the dispatched loop is not vectorised")]

use pulp::{Arch, Simd, WithSimd};

/// Replaces each margin by the probability of the positive class, `1 / (1 + exp(-margin))`.
pub(crate) fn logistic(margins: &mut [f64]) {
    vectorised(|| {
        for margin in margins {
            *margin = 1.0 / (1.0 + exp(-*margin));
        }
    });
}

/// Replaces each margin by `weight · log(1 + exp(∓margin))`, minus for label 1 and plus for label 0.
pub(crate) fn logistic_losses(margins: &mut [f64], positive: &[f64], weights: &[f64]) {
    vectorised(|| {
        for ((margin, &positive), &weight) in margins.iter_mut().zip(positive).zip(weights) {
            let wrong_side = *margin * (1.0 - 2.0 * positive);
            *margin = weight * (wrong_side.max(0.0) + ln(1.0 + exp(-wrong_side.abs())));
        }
    });
}

/// The class probabilities of one row, `exp(e_y) / Σ_y' exp(e_y')`.
///
/// By the exponential of the standard library, for the few rows and cells where blocks would not pay; [`softmax_block`]
/// is the vectorised form for blocks of rows.
pub(crate) fn softmax(exponents: &[f64]) -> Vec<f64> {
    let mut shares = exponents.to_vec();
    softmax_in_place(&mut shares);
    shares
}

/// The same in place of the exponents.
pub(crate) fn softmax_in_place(exponents: &mut [f64]) {
    // The largest exponent is subtracted first: exp overflows f64 above ~709.78, and the common factor cancels.
    let largest = exponents.iter().fold(f64::NEG_INFINITY, |largest, &one| largest.max(one));
    let mut total = 0.0;
    for one in exponents.iter_mut() {
        *one = (*one - largest).exp();
        total += *one;
    }
    for one in exponents {
        *one /= total;
    }
}

/// Replaces the margins of each row (`classes` slices of one length) by class probabilities,
/// and writes the logarithm of each row's normaliser into `log_total`.
///
/// The largest margin is subtracted first: exp overflows f64 above ~709.78, and the common
/// factor cancels in the softmax.
pub(crate) fn softmax_block(margins: &mut [Vec<f64>], log_total: &mut Vec<f64>, scratch: &mut Vec<f64>) {
    let rows = margins.first().map_or(0, Vec::len);
    scratch.clear();
    scratch.resize(rows, f64::NEG_INFINITY);
    log_total.clear();
    log_total.resize(rows, 0.0);
    for class in margins.iter() {
        for (largest, &margin) in scratch.iter_mut().zip(class) {
            *largest = largest.max(margin);
        }
    }
    for class in margins.iter_mut() {
        vectorised(|| {
            for ((margin, &largest), total) in class.iter_mut().zip(scratch.iter()).zip(log_total.iter_mut()) {
                *margin = exp(*margin - largest);
                *total += *margin;
            }
        });
    }
    for class in margins.iter_mut() {
        for (share, &total) in class.iter_mut().zip(log_total.iter()) {
            *share /= total;
        }
    }
    for (total, &largest) in log_total.iter_mut().zip(scratch.iter()) {
        *total = largest + total.ln();
    }
}

/// Replaces two exponents a row by its probabilities after a tilt: those `before` times `exp(e_y)`, scaled to add up to 1.
///
/// What was impossible before stays so; where nothing else is left, the row stays as it was: no tilt is that strong by intent.
pub(crate) fn tilt_pairs(before: &[f64], exponents: &mut [f64]) {
    let (pairs, before) = (exponents.as_chunks_mut::<2>().0, before.as_chunks::<2>().0);
    // The larger of the two factors is 1, so that nothing overflows.
    let mut smaller: Vec<f64> = pairs.iter().map(|pair| -(pair[1] - pair[0]).abs()).collect();
    vectorised(|| {
        for power in &mut smaller {
            *power = exp(*power);
        }
    });
    // A loop of its own; see `soft_positive`.
    vectorised(|| {
        for ((out, before), &smaller) in pairs.iter_mut().zip(before).zip(&smaller) {
            let by = out[1] - out[0];
            let (first, second) = if by > 0.0 { (smaller, 1.0) } else { (1.0, smaller) };
            let (first, second) = (before[0] * first, before[1] * second);
            let total = first + second;
            let kept = total > 0.0;
            out[0] = if kept { first / total } else { before[0] };
            out[1] = if kept { second / total } else { before[1] };
        }
    });
}

/// Replaces probabilities by minus their logarithms; a zero counts as the smallest normal number.
pub(crate) fn minus_log(probabilities: &mut [f64]) {
    vectorised(|| {
        for probability in probabilities {
            *probability = -ln(probability.max(f64::MIN_POSITIVE));
        }
    });
}

/// For numbers x with weights, the smoothed positive part `width · log(1 + exp(x / width))` into `values`; its derivative times the weight, in place of x;
/// and its second derivative times the weight into `curvatures`. Where `exp(−|x| / width)` is below `certain` nothing is smoothed.
pub(crate) fn soft_positive(
    numbers: &mut [f64],
    weights: &[f64],
    (width, certain): (f64, f64),
    values: &mut [f64],
    curvatures: &mut [f64],
) {
    vectorised(|| {
        for (power, number) in curvatures.iter_mut().zip(numbers.iter()) {
            let one = exp(-number.abs() / width);
            *power = if one < certain { 0.0 } else { one };
        }
    });
    // A loop of its own: with both functions in one, the compiler keeps it apart from the dispatch, and does not vectorise it.
    vectorised(|| {
        for (value, power) in values.iter_mut().zip(curvatures.iter()) {
            *value = width * ln(1.0 + power);
        }
    });
    vectorised(|| {
        let out = values.iter_mut().zip(curvatures);
        for ((number, &weight), (value, curvature)) in numbers.iter_mut().zip(weights).zip(out) {
            let share = if *number > 0.0 { 1.0 } else { *curvature } / (1.0 + *curvature);
            *value += number.max(0.0);
            *curvature = weight / width * share * (1.0 - share);
            *number = weight * share;
        }
    });
}

/// Runs a loop compiled for the widest vectors of this machine.
#[inline(always)]
fn vectorised(work: impl FnOnce()) {
    struct Work<F>(F);
    impl<F: FnOnce()> WithSimd for Work<F> {
        type Output = ();
        #[inline(always)]
        fn with_simd<S: Simd>(self, _: S) {
            (self.0)();
        }
    }
    Arch::new().dispatch(Work(work));
}

/// `e^x` to within one unit in the last place; beyond ±708 the value at ±708.
///
/// x = k·ln 2 + r with |r| ≤ ½ ln 2; e^r by its Taylor polynomial of degree 13, whose
/// remainder is below 5e-18; 2^k by setting the exponent bits.
#[inline(always)]
fn exp(x: f64) -> f64 {
    // Adding 1.5·2⁵² leaves the nearest integer in the low bits of the mantissa.
    const ROUND: f64 = 6_755_399_441_055_744.0;
    const LN_2_HIGH: f64 = 6.931_471_803_691_238e-1;
    const LN_2_LOW: f64 = 1.908_214_929_270_587_7e-10;
    let x = x.clamp(-708.0, 708.0);
    let shifted = x * std::f64::consts::LOG2_E + ROUND;
    let k = shifted - ROUND;
    let r = (x - k * LN_2_HIGH) - k * LN_2_LOW;
    let mut sum = 1.0 / 6_227_020_800.0;
    sum = sum * r + 1.0 / 479_001_600.0;
    sum = sum * r + 1.0 / 39_916_800.0;
    sum = sum * r + 1.0 / 3_628_800.0;
    sum = sum * r + 1.0 / 362_880.0;
    sum = sum * r + 1.0 / 40_320.0;
    sum = sum * r + 1.0 / 5_040.0;
    sum = sum * r + 1.0 / 720.0;
    sum = sum * r + 1.0 / 120.0;
    sum = sum * r + 1.0 / 24.0;
    sum = sum * r + 1.0 / 6.0;
    sum = sum * r + 0.5;
    sum = sum * r + 1.0;
    sum = sum * r + 1.0;
    sum * f64::from_bits(shifted.to_bits().wrapping_add(1023) << 52)
}

/// `ln v` for normal v > 0, to within 2e-16 of max(1, |ln v|).
///
/// v = m·2^k with m in [√½, √2]; ln m = 2 artanh((m − 1) / (m + 1)), the odd series cut after
/// the 21st power, where its terms are below 1e-17.
#[inline(always)]
fn ln(v: f64) -> f64 {
    const MANTISSA: u64 = (1 << 52) - 1;
    // The exponent field as a float: its bits are or-ed into the low mantissa of 2⁵².
    const TWO_52: f64 = 4_503_599_627_370_496.0;
    let bits = v.to_bits();
    let m = f64::from_bits(bits & MANTISSA | 1f64.to_bits());
    let k = f64::from_bits(bits >> 52 | TWO_52.to_bits()) - (TWO_52 + 1023.0);
    let high = m > std::f64::consts::SQRT_2;
    let (m, k) = if high { (m * 0.5, k + 1.0) } else { (m, k) };
    let s = (m - 1.0) / (m + 1.0);
    let q = s * s;
    let mut sum = 1.0 / 21.0;
    for odd in [19.0, 17.0, 15.0, 13.0, 11.0, 9.0, 7.0, 5.0, 3.0, 1.0] {
        sum = sum * q + 1.0 / odd;
    }
    k * std::f64::consts::LN_2 + 2.0 * s * sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exp_is_right_to_one_unit_in_the_last_place() {
        for step in -70_000..=70_000 {
            let x = f64::from(step) * 0.010_007;
            let (ours, theirs) = (exp(x), x.exp());
            assert!((ours - theirs).abs() <= 2.3e-16 * theirs, "{x}: {ours} {theirs}");
        }
        assert!(exp(-1e9) > 0.0 && exp(1e9).is_finite());
    }

    #[test]
    fn ln_is_right_over_many_magnitudes() {
        for step in -30_000..=30_000 {
            let v = (f64::from(step) * 0.0231).exp();
            assert!((ln(v) - v.ln()).abs() <= 2.5e-16 * v.ln().abs().max(1.0), "{v}");
        }
    }

    #[test]
    fn the_loss_is_minus_the_log_probability_of_the_label() {
        let mut margins = [-3.0, 0.0, 0.5, 40.0, -800.0, 800.0, 1.0, 2.0, 3.0];
        let labels = [1.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0];
        let weights = [1.0, 2.0, 0.5, 1.0, 1.0, 1.0, 0.0, 1.0, 1.0];
        let expected: f64 = margins
            .iter()
            .zip(labels)
            .zip(weights)
            .map(|((&margin, label), weight): ((&f64, f64), f64)| {
                let wrong_side = if label > 0.5 { -margin } else { margin };
                weight * if wrong_side > 30.0 { wrong_side } else { wrong_side.exp().ln_1p() }
            })
            .sum();
        logistic_losses(&mut margins, &labels, &weights);
        assert!((margins.iter().sum::<f64>() - expected).abs() < 1e-12);
    }

    #[test]
    fn the_smoothed_positive_part_has_its_derivatives() {
        let of = |x: f64, certain: f64| {
            let (mut slope, mut value, mut curvature) = ([x], [0.0], [0.0]);
            soft_positive(&mut slope, &[3.0], (0.1, certain), &mut value, &mut curvature);
            [value[0], slope[0], curvature[0]]
        };
        for x in [-2.0_f64, -0.3, -0.05, 0.0, 0.02, 0.4, 3.0] {
            let share = 1.0 / (1.0 + (-x / 0.1).exp());
            let expected = [0.1 * (x / 0.1).exp().ln_1p(), 3.0 * share, 30.0 * share * (1.0 - share)];
            for (found, expected) in of(x, 0.0).iter().zip(expected) {
                assert!((found - expected).abs() < 1e-14 * (1.0 + expected.abs()), "{x}: {found} {expected}");
            }
        }
        assert_eq!((of(2.0, 1e-6), of(-2.0, 1e-6)), ([2.0, 3.0, 0.0], [0.0; 3]), "decided for sure");
    }

    #[test]
    fn softmax_of_huge_margins_neither_overflows_nor_loses_the_difference() {
        let mut margins = vec![vec![1000.0, -1000.0], vec![999.0, -1000.0], vec![0.0, -1000.0]];
        let (mut log_total, mut scratch) = (Vec::new(), Vec::new());
        softmax_block(&mut margins, &mut log_total, &mut scratch);
        assert!((margins[0][0] - 1.0 / (1.0 + (-1f64).exp())).abs() < 1e-15);
        assert!((margins[1][1] - 1.0 / 3.0).abs() < 1e-15);
        assert!((log_total[0] - (1000.0 + (-1f64).exp().ln_1p())).abs() < 1e-12);
    }
}

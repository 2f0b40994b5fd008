//! How far shares of rows can be trusted, and what two of them make.
//!
//! Holds the Wilson interval of a share, the intervals of the difference and of the ratio of two
//! shares that are made from Wilson's, and the normal quantiles that all of them need. One way for
//! everybody: `audit` and `correction` both lean on it. Knows nothing of groups or notions.

use crate::{Error, Result};

/// A share of some rows, and how many rows of equal weight these are worth.
///
/// For a mean of probabilities in place of decisions the same intervals hold: the variance of
/// numbers between 0 and 1 with mean p is at most p(1 − p), that of decisions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Share {
    pub(crate) value: f64,
    pub(crate) rows: f64,
    /// Whether its interval is corrected for continuity.
    corrected: bool,
}

impl Share {
    /// A share; sums in another order may have passed 0 or 1 by a rounding error.
    pub(crate) fn new(value: f64, rows: f64) -> Self {
        Self { value: value.clamp(0.0, 1.0), rows, corrected: false }
    }

    /// The same share, with an interval that is corrected for continuity: wider, by about half a row at either end. Where
    /// few rows count among few, a Wilson end errs up to three times as often as it says; this one keeps its word, nearly.
    pub(crate) fn corrected(self) -> Self {
        Self { corrected: true, ..self }
    }

    /// The Wilson score interval.
    pub(crate) fn interval(self, z: f64) -> (f64, f64) {
        if self.corrected { corrected_wilson(self.value, self.rows, z) } else { wilson(self.value, self.rows, z) }
    }
}

/// Kish's effective sample size, `(Σw)² / Σw²`: how many rows of equal weight some weighted rows are worth. It is their
/// number where all weights are 1, and undefined where all are 0. [Kish 1965]
pub(crate) fn effective_rows(weight: f64, squares: f64) -> f64 {
    weight * weight / squares
}

/// The Wilson score interval of a share among `rows` rows. [Wilson 1927]
pub(crate) fn wilson(share: f64, rows: f64, z: f64) -> (f64, f64) {
    let z2 = z * z;
    let scale = 1.0 + z2 / rows;
    let centre = (share + z2 / (2.0 * rows)) / scale;
    let half = z / scale * (share * (1.0 - share) / rows + z2 / (4.0 * rows * rows)).sqrt();
    // At 0 and 1 an end is exact in theory; rounding must not push it past the share.
    ((centre - half).clamp(0.0, share), (centre + half).clamp(share, 1.0))
}

/// The Wilson score interval corrected for continuity. [Newcombe 1998a, method 4]
fn corrected_wilson(share: f64, rows: f64, z: f64) -> (f64, f64) {
    let (z2, scale) = (z * z, 2.0 * (rows + z * z));
    let low = |share: f64| {
        let under_root = z2 - 2.0 - 1.0 / rows + 4.0 * share * (rows * (1.0 - share) + 1.0);
        let low = (2.0 * rows * share + z2 - 1.0 - z * under_root.max(0.0).sqrt()) / scale;
        if share > 0.0 { low.clamp(0.0, share) } else { 0.0 }
    };
    (low(share), 1.0 - low(1.0 - share))
}

/// The interval of `first − second`, two shares of different rows. [Newcombe 1998, method 10]
///
/// Where some rows are in both, the shares vary together and the interval is wider than it need be.
pub(crate) fn difference(first: Share, second: Share, z: f64) -> (f64, f64) {
    let low = |first: Share, second: Share| {
        let (below, above) = (first.interval(z).0, second.interval(z).1);
        first.value - second.value - (first.value - below).hypot(above - second.value)
    };
    (low(first, second), -low(second, first))
}

/// The interval of `share · number`, where the number has an interval of its own and varies independently of the share: distances of the ends of
/// either, each times the other's value, are added as squares. [MOVER: Zou & Donner 2008]
pub(crate) fn scaled(share: Share, (number, ends): (f64, (f64, f64)), z: f64) -> (f64, f64) {
    let (less, more) = share.interval(z);
    // A larger share takes the product away from zero.
    let [towards, away] = [share.value - less, more - share.value].map(|by| by * number.abs());
    let [below, above] = if number < 0.0 { [away, towards] } else { [towards, away] };
    let value = share.value * number;
    let low = value - (share.value * (number - ends.0)).hypot(below);
    let high = value + (share.value * (ends.1 - number)).hypot(above);
    (low.max(-1.0), high.min(1.0))
}

/// The interval of `first / second`, two shares of different rows: the ratios θ for which the
/// interval of `first − θ·second`, made as [`difference`] makes it, holds zero. [Donner & Zou 2012]
///
/// From 0 to infinity where nothing is known. Unlike intervals of the logarithm it needs no
/// made-up counts where a share is 0, and has a width where both are 1.
pub(crate) fn ratio(first: Share, second: Share, z: f64) -> (f64, f64) {
    let low = |first: Share, second: Share| {
        let (below, above) = (first.interval(z).0, second.interval(z).1);
        // The smaller root of a·θ² − 2b·θ + c, in the form that a = 0 does not harm.
        let a = above * (2.0 * second.value - above);
        let b = first.value * second.value;
        let c = below * (2.0 * first.value - below);
        if c > 0.0 { c / (b + (b * b - a * c).max(0.0).sqrt()) } else { 0.0 }
    };
    (low(first, second), low(second, first).recip())
}

/// The z for a two-sided interval: 1.96 for 0.95.
///
/// # Errors
/// [`Error::Setting`] for a confidence outside 0.5 to 0.999999.
pub(crate) fn quantile(confidence: f64) -> Result<f64> {
    simultaneous(confidence, 1)
}

/// The z at which so many two-sided intervals hold all at once (Bonferroni).
///
/// # Errors
/// As [`quantile`].
pub(crate) fn simultaneous(confidence: f64, intervals: usize) -> Result<f64> {
    if !(0.5..=0.999_999).contains(&confidence) {
        let (found, allowed) = (confidence.to_string(), "from 0.5 to 0.999999".to_owned());
        return Err(Error::setting("confidence", found, allowed));
    }
    Ok(exceeded(((1.0 - confidence) / 2.0) / intervals.max(1) as f64))
}

/// What a normal variable exceeds with this probability, in (0, 1): algorithm AS 241
/// [Wichura 1988], exact to about 1e-16.
pub(crate) fn exceeded(probability: f64) -> f64 {
    let q = 0.5 - probability;
    if q.abs() <= 0.425 {
        let r = 0.180_625 - q * q;
        return q * polynomial(&CENTRE_ABOVE, r) / polynomial(&CENTRE_BELOW, r);
    }
    let r = (-probability.min(1.0 - probability).ln()).sqrt();
    let z = if r <= 5.0 {
        polynomial(&TAIL_ABOVE, r - 1.6) / polynomial(&TAIL_BELOW, r - 1.6)
    } else {
        polynomial(&FAR_ABOVE, r - 5.0) / polynomial(&FAR_BELOW, r - 5.0)
    };
    z.copysign(q)
}

/// Coefficients from the highest power down.
fn polynomial(coefficients: &[f64; 8], x: f64) -> f64 {
    coefficients.iter().fold(0.0, |sum, coefficient| sum * x + coefficient)
}

// Published to more digits than f64 holds, and kept so that they can be compared.
#[rustfmt::skip]
#[allow(clippy::excessive_precision)]
const CENTRE_ABOVE: [f64; 8] = [
    2.509_080_928_730_122_672_7e+3, 3.343_057_558_358_812_810_5e+4, 6.726_577_092_700_870_085_3e+4,
    4.592_195_393_154_987_145_7e+4, 1.373_169_376_550_946_112_5e+4, 1.971_590_950_306_551_442_7e+3,
    1.331_416_678_917_843_774_5e+2, 3.387_132_872_796_366_608_0e+0,
];
#[rustfmt::skip]
#[allow(clippy::excessive_precision)]
const CENTRE_BELOW: [f64; 8] = [
    5.226_495_278_852_854_561_0e+3, 2.872_908_573_572_194_267_4e+4, 3.930_789_580_009_271_061_0e+4,
    2.121_379_430_158_659_586_7e+4, 5.394_196_021_424_751_107_7e+3, 6.871_870_074_920_579_083_0e+2,
    4.231_333_070_160_091_125_2e+1, 1.0,
];
#[rustfmt::skip]
#[allow(clippy::excessive_precision)]
const TAIL_ABOVE: [f64; 8] = [
    7.745_450_142_783_414_076_40e-4, 2.272_384_498_926_918_458_33e-2, 2.417_807_251_774_506_117_70e-1,
    1.270_458_252_452_368_382_58e+0, 3.647_848_324_763_204_605_04e+0, 5.769_497_221_460_691_405_50e+0,
    4.630_337_846_156_545_295_90e+0, 1.423_437_110_749_683_577_34e+0,
];
#[rustfmt::skip]
#[allow(clippy::excessive_precision)]
const TAIL_BELOW: [f64; 8] = [
    1.050_750_071_644_416_843_24e-9, 5.475_938_084_995_344_946_00e-4, 1.519_866_656_361_645_719_66e-2,
    1.481_039_764_274_800_745_90e-1, 6.897_673_349_851_000_045_50e-1, 1.676_384_830_183_803_849_40e+0,
    2.053_191_626_637_758_821_87e+0, 1.0,
];
#[rustfmt::skip]
#[allow(clippy::excessive_precision)]
const FAR_ABOVE: [f64; 8] = [
    2.010_334_399_292_288_132_65e-7, 2.711_555_568_743_487_578_15e-5, 1.242_660_947_388_078_438_60e-3,
    2.653_218_952_657_612_309_30e-2, 2.965_605_718_285_048_912_30e-1, 1.784_826_539_917_291_335_80e+0,
    5.463_784_911_164_114_369_90e+0, 6.657_904_643_501_103_777_20e+0,
];
#[rustfmt::skip]
#[allow(clippy::excessive_precision)]
const FAR_BELOW: [f64; 8] = [
    2.044_263_103_389_939_785_64e-15, 1.421_511_758_316_445_888_70e-7, 1.846_318_317_510_054_681_80e-5,
    7.868_691_311_456_132_591_00e-4, 1.487_536_129_085_061_485_25e-2, 1.369_298_809_227_358_053_10e-1,
    5.998_322_065_558_879_376_90e-1, 1.0,
];

#[cfg(test)]
mod tests {
    use super::*;

    fn share(successes: f64, rows: f64) -> Share {
        Share::new(successes / rows, rows)
    }

    fn near(found: (f64, f64), expected: (f64, f64), tolerance: f64) -> bool {
        (found.0 - expected.0).abs() < tolerance && (found.1 - expected.1).abs() < tolerance
    }

    #[test]
    fn quantiles_agree_with_tables() {
        // From Python's `statistics.NormalDist().inv_cdf`.
        for (confidence, z) in [
            (0.5, 0.674_489_750_196_081_7),
            (0.8, 1.281_551_565_544_600_4),
            (0.9, 1.644_853_626_951_472_2),
            (0.95, 1.959_963_984_540_054),
            (0.99, 2.575_829_303_548_900_4),
            (0.999_999, 4.891_638_475_671_084),
        ] {
            let found = quantile(confidence).unwrap();
            assert!((found - z).abs() < 1e-9, "{confidence}: {found}");
        }
        for (probability, z) in
            [(1e-20, 9.262_340_089_798_405), (1e-11, 6.706_023_155_495_136), (0.97, -1.880_793_608_151_250_4)]
        {
            let found = exceeded(probability);
            assert!((found - z).abs() < 1e-12, "{probability}: {found}");
        }
    }

    #[test]
    fn a_confidence_out_of_range_is_refused() {
        for confidence in [0.0, 0.4, 1.0, 95.0, f64::NAN] {
            assert_eq!(quantile(confidence).unwrap_err().code(), "setting-invalid");
        }
    }

    #[test]
    fn many_intervals_at_once_take_each_at_a_higher_confidence() {
        assert!((simultaneous(0.95, 5).unwrap() - quantile(0.99).unwrap()).abs() < 1e-12);
        assert_eq!(simultaneous(0.95, 0).ok(), quantile(0.95).ok());
    }

    #[test]
    fn differences_agree_with_published_ones() {
        // [Newcombe 1998], table II, method 10.
        let z = quantile(0.95).unwrap();
        for (first, second, expected) in [
            (share(56.0, 70.0), share(48.0, 80.0), (0.0524, 0.3339)),
            (share(9.0, 10.0), share(3.0, 10.0), (0.1705, 0.8090)),
            (share(0.0, 10.0), share(0.0, 20.0), (-0.1611, 0.2775)),
            (share(10.0, 10.0), share(0.0, 20.0), (0.6791, 1.0)),
        ] {
            assert!(near(difference(first, second, z), expected, 5e-5), "{:?}", difference(first, second, z));
        }
    }

    #[test]
    fn a_scaled_number_varies_by_the_share_too() {
        let z = quantile(0.95).unwrap();
        // Of many rows the interval is that of the delta method: (p d)² has the variance p² var(d) + d² var(p).
        let (outside, first, second) = (share(7e5, 1e6), share(2.7e5, 3e5), share(0.7e5, 7e5));
        let apart = (first.value - second.value, difference(first, second, z));
        let variance = |one: Share| one.value * (1.0 - one.value) / one.rows;
        let of_number = variance(first) + variance(second);
        let error = (0.7_f64.powi(2) * of_number + 0.8_f64.powi(2) * variance(outside)).sqrt();
        let found = scaled(outside, apart, z);
        // Wilson ends are not quite symmetric.
        assert!(near(found, (0.56 - z * error, 0.56 + z * error), 1e-5), "{found:?}");
        // The other way round it is the same but for its sign.
        let turned = scaled(outside, (-apart.0, (-apart.1.1, -apart.1.0)), z);
        assert!(near((-turned.1, -turned.0), found, 1e-15));
        // Where the number is zero, the share does not matter.
        let none = scaled(outside, (0.0, (-0.1, 0.2)), z);
        assert!(near(none, (-0.07, 0.14), 1e-15), "{none:?}");
    }

    #[test]
    fn corrected_intervals_agree_with_published_ones_and_are_wider() {
        let z = quantile(0.95).unwrap();
        // [Newcombe 1998a], table I, method 4.
        for (one, expected) in [
            (share(81.0, 263.0), (0.2535, 0.3682)),
            (share(15.0, 148.0), (0.0598, 0.1644)),
            (share(0.0, 20.0), (0.0, 0.2005)),
            (share(1.0, 29.0), (0.0018, 0.1963)),
        ] {
            let found = one.corrected().interval(z);
            assert!(near(found, expected, 5e-5), "{found:?} {expected:?}");
            assert!(found.0 <= one.interval(z).0 && found.1 > one.interval(z).1);
        }
        // [Newcombe 1998], table II, method 11.
        let (first, second) = (share(56.0, 70.0), share(48.0, 80.0));
        assert!(near(difference(first.corrected(), second.corrected(), z), (0.0428, 0.3422), 5e-5));
    }

    #[test]
    fn a_ratio_is_where_the_difference_it_makes_may_be_zero() {
        let z = quantile(0.95).unwrap();
        for (first, second) in [(share(30.0, 100.0), share(45.0, 90.0)), (share(1.0, 50.0), share(49.0, 50.0))] {
            let (low, high) = ratio(first, second, z);
            assert!(0.0 < low && low < first.value / second.value && first.value / second.value < high);
            let (below, above) = (first.interval(z).0, second.interval(z).1);
            let spread = (first.value - below).hypot(low * (above - second.value));
            assert!((first.value - low * second.value - spread).abs() < 1e-12);
            let turned = ratio(second, first, z);
            assert!(near((turned.1.recip(), turned.0.recip()), (low, high), 1e-12));
        }
    }

    #[test]
    fn ratios_stay_sensible_at_the_edges() {
        let z = quantile(0.95).unwrap();
        let none = share(0.0, 50.0);
        assert_eq!(ratio(none, none, z), (0.0, f64::INFINITY));
        let (low, high) = ratio(none, share(25.0, 50.0), z);
        assert!(low.to_bits() == 0 && high > 0.1 && high < 0.2, "{high}");
        let (low, high) = ratio(share(50.0, 50.0), share(50.0, 50.0), z);
        assert!(low > 0.9 && low < 0.95 && high < 1.1 && high > 1.05, "{low} {high}");
        assert!(ratio(share(25.0, 50.0), none, z).0 > 3.0);
    }
}

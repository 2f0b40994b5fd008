//! A share of rows and how far it can be trusted.
//!
//! Holds [`Rate`], the Wilson interval and the normal quantile it needs. Leans on the
//! sums of `tally`; knows nothing of groups or notions.

use serde::{Deserialize, Serialize};

use super::tally::Sums;
use crate::{Error, Result};

/// A share of some rows, with its interval.
///
/// | JSON key | meaning |
/// | --- | --- |
/// | `value` | `successes / total`; null when `total` is 0: the rate is undefined |
/// | `successes` | weight of the rows that count, their number when rows have no weights |
/// | `total` | weight of the rows asked about, their number when rows have no weights |
/// | `count` | number of the rows asked about |
/// | `low`, `high` | ends of the Wilson score interval; null when the rate is undefined |
///
/// With row weights the interval takes Kish's effective number of rows, (Σw)² / Σw², in
/// place of their number: it treats weights as the cause of extra noise, not as repeats.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Rate {
    /// The share, `None` when there are no rows to ask about.
    pub value: Option<f64>,
    /// The weight of rows that count.
    pub successes: f64,
    /// The weight of rows asked about.
    pub total: f64,
    /// The number of rows asked about.
    pub count: usize,
    /// The lower end of the interval.
    pub low: Option<f64>,
    /// The upper end of the interval.
    pub high: Option<f64>,
}

impl Rate {
    /// The share of `successes` in `asked`, which holds them, at confidence quantile `z`.
    pub(super) fn new(successes: Sums, asked: Sums, z: f64) -> Self {
        let undefined = Self {
            value: None,
            successes: successes.weight,
            total: asked.weight,
            count: asked.rows,
            low: None,
            high: None,
        };
        if asked.weight <= 0.0 {
            return undefined;
        }
        // Sums of the same weights in another order may pass 1 by a rounding error.
        let value = (successes.weight / asked.weight).min(1.0);
        let effective = asked.weight * asked.weight / asked.squares;
        let (low, high) = wilson(value, effective, z);
        Self { value: Some(value), low: Some(low), high: Some(high), ..undefined }
    }
}

/// The Wilson score interval of a share among `rows` rows. [Wilson 1927]
fn wilson(share: f64, rows: f64, z: f64) -> (f64, f64) {
    let z2 = z * z;
    let scale = 1.0 + z2 / rows;
    let centre = (share + z2 / (2.0 * rows)) / scale;
    let half = z / scale * (share * (1.0 - share) / rows + z2 / (4.0 * rows * rows)).sqrt();
    // At 0 and 1 an end is exact in theory; rounding must not push it past the share.
    ((centre - half).clamp(0.0, share), (centre + half).clamp(share, 1.0))
}

/// The z for a two-sided interval: 1.96 for 0.95.
///
/// # Errors
/// [`Error::Setting`] for a confidence outside 0.5 to 0.999999.
pub(crate) fn quantile(confidence: f64) -> Result<f64> {
    if !(0.5..=0.999_999).contains(&confidence) {
        let (found, allowed) = (confidence.to_string(), "from 0.5 to 0.999999".to_owned());
        return Err(Error::Setting { setting: "confidence", found, allowed });
    }
    // The quantile at 1/2 + confidence/2, by algorithm AS 241 [Wichura 1988], exact to
    // about 1e-16. Its third region, tails under e^-25, is out of the allowed range.
    let q = confidence / 2.0;
    if q <= 0.425 {
        let r = 0.180_625 - q * q;
        return Ok(q * polynomial(&CENTRE_ABOVE, r) / polynomial(&CENTRE_BELOW, r));
    }
    let r = (-(0.5 - q).ln()).sqrt() - 1.6;
    Ok(polynomial(&TAIL_ABOVE, r) / polynomial(&TAIL_BELOW, r))
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

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(count: usize) -> Sums {
        Sums { rows: count, weight: count as f64, squares: count as f64 }
    }

    fn interval(successes: usize, count: usize) -> (f64, f64) {
        let rate = Rate::new(rows(successes), rows(count), quantile(0.95).unwrap());
        (rate.low.unwrap(), rate.high.unwrap())
    }

    #[test]
    fn wilson_intervals_agree_with_published_ones() {
        for (successes, low, high) in [(0, 0.0, 0.2775), (5, 0.2366, 0.7634), (10, 0.7225, 1.0)] {
            let found = interval(successes, 10);
            assert!((found.0 - low).abs() < 5e-5 && (found.1 - high).abs() < 5e-5, "{successes}: {found:?}");
        }
        assert!(interval(0, 10).0.to_bits() == 0 && interval(10, 10).1.to_bits() == 1f64.to_bits());
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
    }

    #[test]
    fn a_confidence_out_of_range_is_refused() {
        for confidence in [0.0, 0.4, 1.0, 95.0, f64::NAN] {
            assert_eq!(quantile(confidence).unwrap_err().code(), "setting-invalid");
        }
    }

    #[test]
    fn a_rate_without_rows_is_undefined() {
        let rate = Rate::new(rows(0), rows(0), 1.96);
        assert_eq!((rate.value, rate.low, rate.high), (None, None, None));
    }

    #[test]
    fn equal_weights_change_no_interval_and_unequal_ones_widen_it() {
        let z = quantile(0.95).unwrap();
        let plain = Rate::new(rows(5), rows(10), z);
        let doubled = |sums: Sums| Sums { weight: 2.0 * sums.weight, squares: 4.0 * sums.squares, ..sums };
        let equal = Rate::new(doubled(rows(5)), doubled(rows(10)), z);
        assert_eq!((plain.value, plain.low, plain.high), (equal.value, equal.low, equal.high));
        let unequal = Rate::new(rows(5), Sums { squares: 20.0, ..rows(10) }, z);
        assert!(unequal.low < plain.low && unequal.high > plain.high);
    }
}

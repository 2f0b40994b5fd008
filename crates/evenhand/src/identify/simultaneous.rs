//! How far intervals reach that hold all at once: the quantile of the largest |t| of correlated estimates.
//!
//! The more groups there are, the more of their intervals miss by chance. With z such that P(max |t| ≤ z) is the
//! confidence, t jointly normal with the correlation of the estimates, all intervals `estimate ± z · standard error` cover
//! together with that probability. [Hothorn, Bretz & Westfall 2008] Bonferroni's z, which knows nothing of the
//! correlation, is larger. Groups that partition the rows have a singular correlation, which needs no special care here.

use faer::{Mat, Side};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::Result;
use crate::interval::{quantile, simultaneous};

/// At most so many directions are drawn; z then has a standard error of about 0.1 %.
const MOST_DIRECTIONS: usize = 1 << 16;

/// So many products of two numbers in all, which take about a second.
const MOST_PRODUCTS: usize = 1 << 30;

/// Beyond this many estimates z is Bonferroni's, which is then hardly larger.
const MOST_ESTIMATES: usize = 500;

/// Eigenvalues of a correlation, whose mean is 1, are rounding errors below this.
const RANK: f64 = 1e-8;

/// How many standard errors two-sided intervals of estimates with this covariance reach so that all of them cover with
/// this confidence.
///
/// # Errors
/// As [`quantile`].
pub(super) fn max_t_quantile(covariance: &Mat<f64>, confidence: f64) -> Result<f64> {
    // An estimate without variance has an interval without width, whatever z is.
    let uncertain: Vec<usize> = (0..covariance.nrows()).filter(|&at| covariance[(at, at)] > 0.0).collect();
    let (smallest, largest) = (quantile(confidence)?, simultaneous(confidence, uncertain.len())?);
    if uncertain.len() <= 1 {
        return Ok(smallest);
    }
    let Some(factor) = Factor::of(covariance, &uncertain) else { return Ok(largest) };
    if factor.rank <= 1 {
        return Ok(smallest);
    }
    let directions = Directions::draw(&factor);
    // P(max |t| > z) falls with z. Halving a width of 2 or so twenty times leaves 2e-6.
    let (mut low, mut high) = (smallest, largest);
    for _ in 0..20 {
        let middle = 0.5 * (low + high);
        if directions.exceeded(middle) > 1.0 - confidence {
            low = middle;
        } else {
            high = middle;
        }
    }
    Ok(high)
}

/// Estimates in units of their standard errors as products with independent normal numbers: one row of length 1 per estimate.
struct Factor {
    rows: Vec<Vec<f64>>,
    rank: usize,
}

impl Factor {
    /// By the eigenvectors of the correlation; `None` where there are too many estimates, or none can be found.
    fn of(covariance: &Mat<f64>, of: &[usize]) -> Option<Self> {
        let count = of.len();
        if count > MOST_ESTIMATES {
            return None;
        }
        let error = |at: usize| covariance[(of[at], of[at])].sqrt();
        let correlation =
            Mat::from_fn(count, count, |row, column| covariance[(of[row], of[column])] / error(row) / error(column));
        let eigen = correlation.self_adjoint_eigen(Side::Lower).ok()?;
        let (values, vectors) = (eigen.S().column_vector(), eigen.U());
        let kept: Vec<usize> = (0..count).filter(|&at| values[at] > RANK).collect();
        let row = |row: usize| kept.iter().map(|&at| vectors[(row, at)] * values[at].sqrt()).collect();
        Some(Self { rows: (0..count).map(row).collect(), rank: kept.len() })
    }
}

/// Directions drawn evenly from a sphere, and for each the largest |t| at distance 1.
///
/// Normal numbers are a direction and, independent of it, a distance from zero, whose square has a χ² distribution. So
/// P(max |t| > z) is the mean over directions of the probability that the distance exceeds z over this largest |t|: far more
/// precise than counting draws, above all at high confidence. [Deák 1980]
struct Directions {
    /// The squares of the largest |t|.
    squares: Vec<f64>,
    dimensions: usize,
}

impl Directions {
    fn draw(factor: &Factor) -> Self {
        // One more dimension than needed does no harm, and χ² of an even number of them is a finite sum.
        let dimensions = factor.rank.next_multiple_of(2);
        let products = factor.rows.len() * factor.rank;
        let count = (MOST_PRODUCTS / products).min(MOST_DIRECTIONS);
        // Of this computation alone: the same estimates have the same intervals.
        let mut random = ChaCha8Rng::seed_from_u64(0);
        let mut direction = vec![0.0; dimensions];
        let square = |_| {
            for pair in direction.as_chunks_mut::<2>().0 {
                *pair = normal(&mut random);
            }
            let length: f64 = direction.iter().map(|one| one * one).sum();
            let t = |row: &Vec<f64>| row.iter().zip(&direction).map(|(a, b)| a * b).sum::<f64>();
            factor.rows.iter().map(|row| t(row).powi(2)).fold(0.0, f64::max) / length
        };
        Self { squares: (0..count).map(square).collect(), dimensions }
    }

    /// P(max |t| > z).
    fn exceeded(&self, z: f64) -> f64 {
        let sum: f64 = self.squares.iter().map(|square| chi_square_exceeds(z * z / square, self.dimensions)).sum();
        sum / self.squares.len() as f64
    }
}

/// The probability that χ² of an even number of dimensions exceeds some value: `exp(−x/2) Σ_{j < d/2} (x/2)^j / j!`.
fn chi_square_exceeds(value: f64, dimensions: usize) -> f64 {
    let half = 0.5 * value;
    let mut term = (-half).exp();
    let mut sum = term;
    for j in 1..dimensions / 2 {
        term *= half / j as f64;
        sum += term;
    }
    sum
}

/// Two independent standard normal numbers, by Box and Muller.
fn normal(random: &mut ChaCha8Rng) -> [f64; 2] {
    let radius = (-2.0 * (1.0 - random.random::<f64>()).ln()).sqrt();
    let (sine, cosine) = (std::f64::consts::TAU * random.random::<f64>()).sin_cos();
    [radius * cosine, radius * sine]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interval::exceeded;

    fn correlated(count: usize, correlation: f64) -> Mat<f64> {
        Mat::from_fn(count, count, |row, column| if row == column { 1.0 } else { correlation })
    }

    /// All differences between so many independent means of equal variance.
    fn pairs(means: usize) -> Mat<f64> {
        let pairs: Vec<(usize, usize)> = (0..means).flat_map(|one| (0..one).map(move |other| (one, other))).collect();
        let contrast = Mat::from_fn(pairs.len(), means, |pair, mean| {
            f64::from(u8::from(pairs[pair].0 == mean)) - f64::from(u8::from(pairs[pair].1 == mean))
        });
        &contrast * contrast.transpose()
    }

    fn z(covariance: &Mat<f64>, confidence: f64) -> f64 {
        max_t_quantile(covariance, confidence).unwrap()
    }

    #[test]
    fn one_estimate_or_several_that_are_the_same_have_the_plain_quantile() {
        for covariance in
            [correlated(1, 1.0), correlated(5, 1.0), Mat::from_fn(2, 2, |a, b| if a == b { 4.0 } else { -4.0 })]
        {
            assert!((z(&covariance, 0.95) - quantile(0.95).unwrap()).abs() < 1e-12);
        }
        let with_none = Mat::from_fn(2, 2, |a, b| f64::from(u8::from(a == 0 && b == 0)));
        assert!((z(&with_none, 0.95) - quantile(0.95).unwrap()).abs() < 1e-12, "an estimate without variance");
        assert!(z(&correlated(0, 0.0), 0.95).is_finite());
    }

    #[test]
    fn independent_estimates_have_the_quantile_of_sidak() {
        for (count, confidence) in [(2, 0.95), (7, 0.95), (7, 0.999_999), (40, 0.9)] {
            let exact = exceeded(0.5 * (1.0 - f64::powf(confidence, 1.0 / count as f64)));
            let found = z(&correlated(count, 0.0), confidence);
            // Standard errors of z are below 0.2 % here, at fixed directions.
            assert!((found / exact - 1.0).abs() < 5e-3, "{count} at {confidence}: {found} {exact}");
        }
    }

    #[test]
    fn correlated_estimates_agree_with_tables() {
        // [Dunnett 1964], two-sided, many comparisons with one control, infinitely many degrees of freedom.
        for (count, table) in [(2, 2.21), (3, 2.35), (5, 2.51), (9, 2.69)] {
            assert!((z(&correlated(count, 0.5), 0.95) - table).abs() < 0.01, "{count}");
        }
        // The studentised range of 3, 4 and 10 means over √2 [Tukey 1953]: more differences than independent means.
        for (means, range) in [(3, 3.3145), (4, 3.6332), (10, 4.4745)] {
            let (found, table) = (z(&pairs(means), 0.95), range / f64::sqrt(2.0));
            assert!((found / table - 1.0).abs() < 5e-3, "{means}: {found} {table}");
        }
    }

    #[test]
    fn very_many_estimates_take_bonferroni() {
        let count = MOST_ESTIMATES + 1;
        assert!((z(&correlated(count, 0.0), 0.95) - simultaneous(0.95, count).unwrap()).abs() < 1e-12);
    }

    #[test]
    fn chi_square_agrees_with_tables() {
        for (value, dimensions, table) in [(5.991_465, 2, 0.05), (15.507_31, 8, 0.05), (18.307_04, 10, 0.05)] {
            assert!((chi_square_exceeds(value, dimensions) - table).abs() < 1e-6);
        }
    }
}

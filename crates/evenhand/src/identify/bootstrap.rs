//! Intervals checked by drawing rows again.
//!
//! Each draw counts every row a Poisson number of times, of mean 1, and estimates anew. The number of times that m equal
//! rows are counted together is Poisson of mean m: where rows have no weights of their own, they are drawn aggregated.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::{Identification, Identify};
use crate::Result;
use crate::correction::{Correction, Problem};

/// What drawing rows again says of a number.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Resampled {
    /// The standard deviation over draws; for an odds ratio, of its logarithm.
    pub standard_error: f64,
    /// The lower end of the middle share of draws.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// How many draws.
    pub draws: usize,
}

/// Multipliers, and how far a correction raises the log odds of each effect.
pub(super) type Again = (Vec<f64>, Vec<f64>);

/// Fills in what draws say of every multiplier and effect; `estimate` makes an estimate of some rows, `None` where there is none.
pub(super) fn check(
    found: &mut Identification,
    problem: &Problem,
    correction: &Correction,
    settings: &Identify,
    estimate: impl Fn(&Problem) -> Result<Option<Again>> + Sync,
) -> Result<()> {
    let learner = &settings.learner;
    let own_weights = problem.cells().row_weights().cloned();
    let aggregated = if own_weights.is_none() { problem.aggregated_for(correction, learner) } else { None };
    let problem = aggregated.as_ref().unwrap_or(problem);
    // How many rows each row stands for.
    let counts = if aggregated.is_some() { problem.cells().row_weights().cloned() } else { None };
    let draw = |number: usize| -> Result<Option<Again>> {
        let mut random = ChaCha8Rng::seed_from_u64(settings.seed);
        // A stream a draw, so that draws can be made side by side.
        random.set_stream(number as u64);
        let mut weight = |row: usize| {
            let mean = counts.as_ref().map_or(1.0, |counts| counts[row]);
            own_weights.as_ref().map_or(1.0, |weights| weights[row]) * poisson(mean, &mut random)
        };
        let weights: Vec<f64> = (0..problem.labels().len()).map(&mut weight).collect();
        // A draw in which a group has no rows says nothing of it.
        let Ok(drawn) = problem.reweighted(&weights) else { return Ok(None) };
        estimate(&drawn)
    };
    let draws = (0..settings.resamples).into_par_iter().map(draw).collect::<Result<Vec<_>>>()?;
    let (multipliers, exponents): (Vec<_>, Vec<_>) = draws.into_iter().flatten().unzip();
    for (at, one) in found.multipliers.iter_mut().enumerate() {
        one.resampled = summarise(multipliers.iter().map(|draw| draw[at]).collect(), found.confidence);
    }
    for (at, one) in found.effects.iter_mut().enumerate() {
        let logs = summarise(exponents.iter().map(|draw| -draw[at]).collect(), found.confidence);
        one.resampled = logs.map(|logs| Resampled { low: logs.low.exp(), high: logs.high.exp(), ..logs });
    }
    Ok(())
}

fn summarise(mut draws: Vec<f64>, confidence: f64) -> Option<Resampled> {
    let count = draws.len();
    if count < 2 {
        return None;
    }
    draws.sort_by(f64::total_cmp);
    let mean = draws.iter().sum::<f64>() / count as f64;
    let variance = draws.iter().map(|draw| (draw - mean).powi(2)).sum::<f64>() / (count - 1) as f64;
    let at = |share: f64| {
        let place = share * (count - 1) as f64;
        // Between 0 and the number of draws.
        #[expect(clippy::cast_sign_loss)]
        let below = place.floor() as usize;
        let above = (below + 1).min(count - 1);
        draws[below] + (place - below as f64) * (draws[above] - draws[below])
    };
    let tail = (1.0 - confidence) / 2.0;
    Some(Resampled { standard_error: variance.sqrt(), low: at(tail), high: at(1.0 - tail), draws: count })
}

/// A Poisson number with a whole number as its mean: the sum of so many of mean 1, each by multiplying uniform numbers until
/// their product falls below 1/e.
fn poisson(mean: f64, random: &mut ChaCha8Rng) -> f64 {
    let (mut left, mut count) = (mean, 0.0);
    while left > 0.0 {
        let mut product = random.random::<f64>();
        while product > (-1.0_f64).exp() {
            product *= random.random::<f64>();
            count += 1.0;
        }
        left -= 1.0;
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_have_the_mean_and_the_variance_of_poisson_numbers() {
        let mut random = ChaCha8Rng::seed_from_u64(1);
        for mean in [1.0, 7.0, 150.0] {
            let draws: Vec<f64> = (0..20_000).map(|_| poisson(mean, &mut random)).collect();
            let found = draws.iter().sum::<f64>() / draws.len() as f64;
            let variance = draws.iter().map(|draw| (draw - found).powi(2)).sum::<f64>() / draws.len() as f64;
            // Standard errors are 0.7 % and about 1 %; five of them.
            assert!((found / mean - 1.0).abs() < 0.035 && (variance / mean - 1.0).abs() < 0.06, "{found} {variance}");
        }
    }
}

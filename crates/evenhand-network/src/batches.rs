//! Which rows a batch has.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::settings::Batches;

/// Draws rows, with replacement.
#[derive(Debug)]
pub(crate) struct Draws {
    /// The sum of the weights of each row and of those before it.
    sums: Vec<f64>,
    weights: Option<Vec<f32>>,
}

impl Draws {
    /// By the weight of each row; `None` where none is above zero.
    pub(crate) fn new(batches: Batches, weights: &[f64]) -> Option<Self> {
        let total: f64 = weights.iter().sum();
        let usable = total.is_finite() && total > 0.0 && weights.iter().all(|weight| *weight >= 0.0);
        if !usable {
            return None;
        }
        let mut sum = 0.0;
        let mut summed = |weight: f64| {
            sum += weight;
            sum
        };
        Some(match batches {
            Batches::Drawn => Self { sums: weights.iter().map(|weight| summed(*weight)).collect(), weights: None },
            Batches::Weighted => {
                let mean = total / weights.len() as f64;
                let own = weights.iter().map(|weight| (weight / mean) as f32).collect();
                Self { sums: weights.iter().map(|_| summed(1.0)).collect(), weights: Some(own) }
            }
        })
    }

    /// A number is drawn for each row, and by it the row: with other weights the same seed draws rows that are mostly the same.
    pub(crate) fn draw(&self, rng: &mut ChaCha8Rng, batch: &mut [usize]) {
        let total = self.sums.last().copied().unwrap_or_default();
        for row in batch {
            let place = rng.random::<f64>() * total;
            *row = self.sums.partition_point(|sum| *sum <= place).min(self.last());
        }
    }

    /// How much the loss of a row counts that was drawn.
    pub(crate) fn weight(&self, row: usize) -> f32 {
        self.weights.as_ref().map_or(1.0, |weights| weights[row])
    }

    /// The last row that can be drawn: what rounding puts beyond the sum is in it.
    fn last(&self) -> usize {
        let total = self.sums.last().copied().unwrap_or_default();
        self.sums.partition_point(|sum| *sum < total)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng as _;

    const WEIGHTS: [f64; 5] = [0.5, 0.0, 2.0, 1.0, 0.0];

    fn shares(batches: Batches) -> Vec<f64> {
        let draws = Draws::new(batches, &WEIGHTS).unwrap();
        let (mut rng, mut sums, mut batch) = (ChaCha8Rng::seed_from_u64(7), [0.0; 5], vec![0; 50]);
        for _ in 0..2000 {
            draws.draw(&mut rng, &mut batch);
            for &row in &batch {
                sums[row] += f64::from(draws.weight(row)) / 100_000.0;
            }
        }
        sums.to_vec()
    }

    #[test]
    fn rows_count_by_their_weight_whether_drawn_or_weighted() {
        // 100,000 draws: a share is within .0105 of its own, six standard errors of the larger variance.
        for batches in [Batches::Drawn, Batches::Weighted] {
            for (found, weight) in shares(batches).iter().zip(WEIGHTS) {
                assert!((found - weight / 3.5).abs() < 0.0105, "{batches:?} {found} {weight}");
            }
        }
        assert!(shares(Batches::Drawn)[4] <= 0.0, "a row of weight zero is never drawn");
    }

    #[test]
    fn rows_without_weight_cannot_be_drawn_from() {
        assert!(Draws::new(Batches::Drawn, &[0.0, 0.0]).is_none());
        assert!(Draws::new(Batches::Weighted, &[f64::NAN]).is_none());
        assert!(Draws::new(Batches::Drawn, &[]).is_none());
    }
}

//! Cutting rows into a part to train on and a part to test on.
//!
//! Holds [`holdout`] and, where the number of test rows is known, [`holdout_rows`]. Works on row
//! numbers alone; the draw depends on the seed and on nothing else.

use rand::Rng;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

use crate::{Error, Result};

/// The rows to train on and the rows to test on, each in ascending order.
///
/// Exactly `round(rows * fraction)` rows are tested on, every such set being equally likely.
///
/// # Errors
/// [`Error::Setting`] when `fraction` is not between 0 and 1; [`Error::NoRows`] when a
/// part would be empty.
pub fn holdout(rows: usize, fraction: f64, seed: u64) -> Result<(Vec<usize>, Vec<usize>)> {
    if !(fraction > 0.0 && fraction < 1.0) {
        return Err(Error::setting("holdout", fraction, "a fraction above 0 and below 1"));
    }
    // The fraction is positive and below one, so the product lies in 0..=rows.
    #[expect(clippy::cast_sign_loss)]
    let tested = (rows as f64 * fraction).round() as usize;
    for (size, what) in [(tested, "the test part"), (rows - tested, "the training part")] {
        if size == 0 {
            return Err(Error::NoRows { what: format!("{what} of {rows} rows at a holdout of {fraction}") });
        }
    }
    Ok(holdout_rows(rows, tested, seed))
}

/// The rows to train on and the `tested` rows to test on, or all of them where there are fewer, each in ascending order.
pub fn holdout_rows(rows: usize, tested: usize, seed: u64) -> (Vec<usize>, Vec<usize>) {
    let tested = tested.min(rows);
    let mut is_tested = vec![false; rows];
    for row in draw(rows, tested, &mut ChaCha8Rng::seed_from_u64(seed)) {
        is_tested[row] = true;
    }
    (0..rows).partition(|&row| !is_tested[row])
}

/// The first steps of a Fisher–Yates shuffle. Written out, since the order in which a
/// library's shuffle asks for numbers may change between its versions.
fn draw(rows: usize, count: usize, stream: &mut ChaCha8Rng) -> Vec<usize> {
    let mut order: Vec<usize> = (0..rows).collect();
    for at in 0..count {
        let with = at + below(rows - at, stream);
        order.swap(at, with);
    }
    order.truncate(count);
    order
}

/// A uniform number below `bound`, without the bias of a remainder: the lowest
/// `2^64 mod bound` draws would come up once too often, and are drawn again.
fn below(bound: usize, stream: &mut ChaCha8Rng) -> usize {
    let bound = bound as u64;
    let surplus = bound.wrapping_neg() % bound;
    loop {
        let draw = stream.next_u64();
        if draw >= surplus {
            return (draw % bound) as usize;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_share_no_row_and_lack_none() {
        let (train, test) = holdout(101, 0.3, 7).unwrap();
        assert_eq!((train.len(), test.len()), (71, 30));
        assert!(train.is_sorted() && test.is_sorted());
        let mut all = [train, test].concat();
        all.sort_unstable();
        assert_eq!(all, (0..101).collect::<Vec<_>>());
    }

    #[test]
    fn the_seed_alone_decides() {
        assert_eq!(holdout(1000, 0.25, 1).unwrap(), holdout(1000, 0.25, 1).unwrap());
        assert_ne!(holdout(1000, 0.25, 1).unwrap(), holdout(1000, 0.25, 2).unwrap());
    }

    #[test]
    fn every_row_is_drawn_about_equally_often() {
        let mut counts = [0_i32; 10];
        for seed in 0..4000 {
            for row in holdout(10, 0.3, seed).unwrap().1 {
                counts[row] += 1;
            }
        }
        // Mean 1200, standard deviation 29: six of them are passed by chance once in 10^8.
        assert!(counts.iter().all(|count| (count - 1200).abs() < 174), "{counts:?}");
    }

    #[test]
    fn a_fraction_that_leaves_a_part_empty_is_refused() {
        for fraction in [0.0, 1.0, -0.1, f64::NAN] {
            assert_eq!(holdout(10, fraction, 0).unwrap_err().code(), "setting-invalid");
        }
        assert_eq!(holdout(10, 0.01, 0).unwrap_err().code(), "no-rows");
        assert_eq!(holdout(1, 0.5, 0).unwrap_err().code(), "no-rows");
    }
}

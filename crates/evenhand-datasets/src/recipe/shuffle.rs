//! The order into which numpy shuffles rows, by which published splits were drawn.

use rand_mt::Mt;

/// `RandomState(seed).permutation(rows)` of numpy: 0, 1, 2, … shuffled from the end, each place
/// swapped with one drawn from those up to it.
pub(super) fn permutation(rows: usize, seed: u32) -> Vec<usize> {
    let mut stream = Mt::new(seed);
    let mut order: Vec<usize> = (0..rows).collect();
    for last in (1..rows).rev() {
        order.swap(last, up_to(last, &mut stream));
    }
    order
}

/// A uniform number from 0 to `most`: as many bits as that has, drawn again while they say more.
fn up_to(most: usize, stream: &mut Mt) -> usize {
    let mask = u32::MAX >> (most as u32).leading_zeros();
    loop {
        let drawn = (stream.next_u32() & mask) as usize;
        if drawn <= most {
            return drawn;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_is_that_of_numpy() {
        // numpy.random.RandomState(42).permutation(10)
        assert_eq!(permutation(10, 42), [8, 1, 5, 0, 7, 2, 9, 4, 3, 6]);
        assert_eq!(permutation(1, 42), [0]);
        assert!(permutation(0, 42).is_empty());
    }
}

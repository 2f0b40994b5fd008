//! Percentiles, linearly interpolated between neighbouring values.

/// The percentiles of the values that are not missing.
///
/// Rounds as numpy does, from the nearer neighbour: a value equal to a percentile on paper
/// is then on the same side of it as in the published experiments.
pub(super) fn percentiles(values: &[f64], at: &[f64]) -> Vec<f64> {
    let mut sorted: Vec<f64> = values.iter().copied().filter(|value| !value.is_nan()).collect();
    sorted.sort_unstable_by(f64::total_cmp);
    at.iter().map(|&percentile| interpolated(&sorted, percentile / 100.0)).collect()
}

fn interpolated(sorted: &[f64], share: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else { return f64::NAN };
    let position = share * last as f64;
    // Not negative and at most `last`, so that nothing is lost.
    #[allow(clippy::cast_sign_loss)]
    let below = (position.floor() as usize).min(last);
    let (low, high) = (sorted[below], sorted[(below + 1).min(last)]);
    let part = position - below as f64;
    if part < 0.5 { low + (high - low) * part } else { high - (high - low) * (1.0 - part) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_between_two_are_interpolated() {
        let values = [4.0, f64::NAN, 1.0, 3.0, 2.0];
        assert_eq!(percentiles(&values, &[0.0, 50.0, 75.0, 100.0]), [1.0, 2.5, 3.25, 4.0]);
        assert_eq!(percentiles(&[7.0], &[30.0]), [7.0]);
        assert!(percentiles(&[], &[50.0])[0].is_nan());
    }
}

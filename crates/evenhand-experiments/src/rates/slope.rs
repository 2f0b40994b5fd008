//! How fast something falls: the slope of its logarithm.

/// The least-squares slope of log(value) against log(number): −⅓ where values fall as the cube root. Nothing for fewer than two different numbers,
/// or where there is no logarithm.
pub fn log_log_slope(points: &[(f64, f64)]) -> Option<f64> {
    let logs: Vec<(f64, f64)> = points.iter().map(|&(x, y)| (x.ln(), y.ln())).collect();
    let count = logs.len() as f64;
    let (mean_x, mean_y) =
        (logs.iter().map(|log| log.0).sum::<f64>() / count, logs.iter().map(|log| log.1).sum::<f64>() / count);
    let product: f64 = logs.iter().map(|(x, y)| (x - mean_x) * (y - mean_y)).sum();
    let square: f64 = logs.iter().map(|(x, _)| (x - mean_x).powi(2)).sum();
    let slope = product / square;
    slope.is_finite().then_some(slope)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_power_has_its_exponent_for_a_slope() {
        let points: Vec<(f64, f64)> = [10.0_f64, 100.0, 5_000.0].map(|x| (x, 7.0 * x.powf(-0.3))).to_vec();
        assert!((log_log_slope(&points).unwrap() + 0.3).abs() < 1e-12);
        assert_eq!(log_log_slope(&points[..1]), None);
        assert_eq!(log_log_slope(&[(1.0, 0.0), (2.0, 1.0)]), None);
    }
}

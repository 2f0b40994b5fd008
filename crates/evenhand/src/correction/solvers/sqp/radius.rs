//! The radius of the trust region.

/// The radius after a step of some norm. After a good step (ratio above ¾) it is at least twice the norm. After a poor one (ratio below ¼) it is where the parabola through
/// the merit function before and after the step has its minimum, from a quarter to half of the norm. [Conn, Gould & Toint 2000, ch. 17.1]
pub(super) fn next_radius(radius: f64, norm: f64, ratio: f64, largest: f64) -> f64 {
    if ratio < 0.25 {
        norm * (0.5 / (1.0 - ratio)).clamp(0.25, 0.5)
    } else if ratio > 0.75 {
        radius.max(2.0 * norm).min(largest)
    } else {
        radius
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_radius_shrinks_after_poor_steps_and_grows_after_good_ones() {
        let check = |radius, norm, ratio, expected: f64, why: &str| {
            assert!((next_radius(radius, norm, ratio, 4.0) - expected).abs() < 1e-12, "{why}");
        };
        check(2.0, 1.0, 0.5, 2.0, "neither");
        check(2.0, 2.0, 0.9, 4.0, "good, at the edge");
        check(2.0, 0.5, 0.9, 2.0, "good, and well inside");
        check(4.0, 4.0, 0.9, 4.0, "never above the largest");
        check(2.0, 1.0, 0.0, 0.5, "nothing gained: half of the step");
        check(2.0, 1.0, -1.0, 0.25, "lost as much as was promised: a quarter");
        check(2.0, 1.0, -99.0, 0.25, "never below a quarter at once");
    }
}

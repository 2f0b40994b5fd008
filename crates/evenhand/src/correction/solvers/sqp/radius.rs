//! The radius of the trust region.

/// The radius after a step of some norm. After a good step (ratio above ¾) it is at least twice the norm. After a poor one (ratio below ¼) it is where the parabola through
/// the merit function before and after the step has its minimum. [Conn, Gould & Toint 2000, ch. 17.1] Where the inequalities are just met the merit function has a kink, which
/// no parabola follows, and the radius shrinks to no less than 0.3 of the norm at once.
pub(super) fn next_radius(radius: f64, norm: f64, ratio: f64, largest: f64, at_the_edge: bool) -> f64 {
    if ratio < 0.25 {
        norm * (0.5 / (1.0 - ratio)).clamp(if at_the_edge { 0.3 } else { 0.1 }, 0.5)
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
            assert!((next_radius(radius, norm, ratio, 4.0, false) - expected).abs() < 1e-12, "{why}");
        };
        check(2.0, 1.0, 0.5, 2.0, "neither");
        check(2.0, 2.0, 0.9, 4.0, "good, at the edge");
        check(2.0, 0.5, 0.9, 2.0, "good, and well inside");
        check(4.0, 4.0, 0.9, 4.0, "never above the largest");
        check(2.0, 1.0, 0.0, 0.5, "nothing gained: half of the step");
        check(2.0, 1.0, -1.0, 0.25, "lost as much as was promised: a quarter");
        check(2.0, 1.0, -99.0, 0.1, "never below a tenth at once");
        assert!((next_radius(2.0, 1.0, -99.0, 4.0, true) - 0.3).abs() < 1e-12, "less at a kink");
    }
}

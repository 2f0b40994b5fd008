//! Verdicts against rates that were counted row by row.

use evenhand::correction::BoundTest;
use evenhand::{Bound, Verdict};

use super::must;

/// Sums in another order differ by so much.
pub(super) const ROUNDING: f64 = 1e-6;

/// What weighs less than this much of the heaviest row weighs nothing.
pub(super) const LEAST: f64 = 1e-100;

/// One rate, of everyone (or the one asked for) and of each group that is held to it; `None` without rows.
pub(super) struct Rates {
    pub(super) overall: Option<f64>,
    pub(super) groups: Vec<Option<f64>>,
}

impl Rates {
    /// What a bound limits at its worst, among what has rows.
    fn worst(&self, bound: &Bound) -> Option<f64> {
        let groups = || self.groups.iter().flatten().copied();
        let (least, most) = (groups().fold(f64::INFINITY, f64::min), groups().fold(0.0, f64::max));
        let several = groups().count() > 1;
        match bound {
            Bound::MaxViolation(_) => {
                self.overall.and_then(|overall| groups().map(|group| (overall - group).abs()).reduce(f64::max))
            }
            Bound::MaxDifference(_) => several.then_some(most - least),
            _ => several.then_some(if most > 0.0 { least / most } else { 1.0 }),
        }
    }
}

/// A bound said to be met is met, and for every group; one said to be missed is missed; and its value is the worst.
pub(super) fn holds(test: &BoundTest, rates: &[Rates]) -> Result<(), String> {
    let is_ratio = matches!(test.bound, Bound::MinRatio(_));
    let worst = rates.iter().filter_map(|rates| rates.worst(&test.bound));
    let worst = worst.reduce(|one, other| if is_ratio { one.min(other) } else { one.max(other) });
    let beyond = |worst: f64| if is_ratio { test.bound.limit() - worst } else { worst - test.bound.limit() };
    let context = || format!("{test:?}, and the worst is {worst:?}");
    let finite = [test.value, test.low, test.high].into_iter().flatten().all(f64::is_finite);
    must(finite, || format!("numbers that are none: {}", context()))?;
    if test.own_reference.is_empty() {
        let same = match (test.value, worst) {
            (Some(said), Some(found)) => (said - found).abs() <= ROUNDING,
            (said, found) => said.is_none() == found.is_none(),
        };
        must(same, || format!("another value: {}", context()))?;
    }
    match test.verdict {
        Verdict::Met => {
            let all = rates.iter().all(|rates| rates.groups.iter().all(Option::is_some));
            must(all, || format!("said to be met with a group that has no rows: {}", context()))?;
            must(worst.is_some_and(|worst| beyond(worst) <= ROUNDING), || format!("not met: {}", context()))
        }
        Verdict::NotMet => {
            must(worst.is_some_and(|worst| beyond(worst) >= -ROUNDING), || format!("met: {}", context()))
        }
        _ => Ok(()),
    }
}

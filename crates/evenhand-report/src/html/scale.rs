//! From numbers to places on a chart, and where to put the ticks.
//!
//! Places along are percentages of a chart's width: charts then fit any width without their text being scaled.

/// How much of the width is left free at either end, so that a mark there is not cut.
const INSET: f64 = 1.5;

/// A range of numbers, laid out from left to right.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Scale {
    pub(super) low: f64,
    pub(super) high: f64,
    /// From tick to tick, where that is the same everywhere.
    step: f64,
    logarithmic: bool,
}

/// A line with a number on it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Tick {
    pub(super) value: f64,
    pub(super) at: String,
    pub(super) label: String,
}

impl Scale {
    /// From round number to round number, with all of the values between.
    pub(super) fn linear(values: impl Iterator<Item = f64>, least: f64) -> Self {
        let (low, high) = ends(values).unwrap_or((0.0, least));
        let missing = (least - (high - low)).max(0.0) / 2.0;
        let (low, high) = (low - missing, high + missing);
        let step = step(high - low);
        Self {
            low: (low / step + 1e-9).floor() * step,
            high: (high / step - 1e-9).ceil() * step,
            step,
            logarithmic: false,
        }
    }

    /// The same, but not below 0 or above 1.
    pub(super) fn shares(values: impl Iterator<Item = f64>) -> Self {
        let scale = Self::linear(values, 0.04);
        Self { low: scale.low.max(0.0), high: scale.high.min(1.0), ..scale }
    }

    /// Factors: twice as much is as far from 1 as half as much, which is always in sight.
    pub(super) fn factors(values: impl Iterator<Item = f64>) -> Self {
        let positive = values.filter(|value| *value > 0.0 && value.is_finite()).chain([0.8, 1.25]);
        let (low, high) = ends(positive).unwrap_or((0.5, 2.0));
        Self { low: (low * 0.95).max(1e-6), high: (high / 0.95).min(1e6), step: 0.0, logarithmic: true }
    }

    /// Where a number is, as a percentage of the width; what is outside is put at the end.
    pub(super) fn at(&self, value: f64) -> String {
        let map = |value: f64| if self.logarithmic { value.max(f64::MIN_POSITIVE).ln() } else { value };
        let width = map(self.high) - map(self.low);
        let share = if width > 0.0 { ((map(value) - map(self.low)) / width).clamp(0.0, 1.0) } else { 0.5 };
        format!("{:.2}", INSET + (100.0 - 2.0 * INSET) * share)
    }

    /// The share of the way from low to high.
    pub(super) fn share(&self, value: f64) -> f64 {
        let width = self.high - self.low;
        if width > 0.0 { ((value - self.low) / width).clamp(0.0, 1.0) } else { 0.5 }
    }

    /// Round numbers on the scale.
    pub(super) fn ticks(&self, label: impl Fn(f64) -> String) -> Vec<Tick> {
        let values: Vec<f64> = if self.logarithmic { self.factors_on() } else { self.steps_on() };
        values.into_iter().map(|value| Tick { value, at: self.at(value), label: label(value) }).collect()
    }

    fn steps_on(&self) -> Vec<f64> {
        let step = self.step;
        let first = (self.low / step - 1e-9).ceil() as i64;
        let last = (self.high / step + 1e-9).floor() as i64;
        (first..=last).map(|at| at as f64 * step).collect()
    }

    fn factors_on(&self) -> Vec<f64> {
        let wide = self.high / self.low > 30.0;
        let digits: &[f64] = if wide { &[1.0] } else { &[1.0, 2.0, 5.0] };
        let decades = -6..=6;
        let all = decades.flat_map(|decade| digits.iter().map(move |digit| digit * 10f64.powi(decade)));
        let within: Vec<f64> = all.filter(|value| *value >= self.low && *value <= self.high).collect();
        if within.len() > 1 {
            within
        } else {
            [0.8, 1.0, 1.25].into_iter().filter(|v| *v >= self.low && *v <= self.high).collect()
        }
    }
}

fn ends(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    let finite = values.filter(|value| value.is_finite());
    finite.fold(None, |ends, value| match ends {
        None => Some((value, value)),
        Some((low, high)) => Some((value.min(low), value.max(high))),
    })
}

/// One, two or five of a power of ten: three to six of them make the width.
fn step(width: f64) -> f64 {
    let rough = (width / 4.0).max(1e-9);
    let power = 10f64.powf(rough.log10().floor());
    let digit = match rough / power {
        digit if digit < 1.5 => 1.0,
        digit if digit < 3.5 => 2.0,
        digit if digit < 7.5 => 5.0,
        _ => 10.0,
    };
    digit * power
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_hold_all_values() {
        let scale = Scale::shares([0.213, 0.487].into_iter());
        assert!(scale.low <= 0.213 && scale.high >= 0.487, "{scale:?}");
        let labels: Vec<String> = scale.ticks(crate::number::percent).into_iter().map(|tick| tick.label).collect();
        assert!((3..=7).contains(&labels.len()) && labels[0] == "20.0\u{a0}%", "{labels:?}");
        assert_eq!((scale.at(scale.low), scale.at(scale.high)), ("1.50".into(), "98.50".into()));
    }

    #[test]
    fn one_value_or_none_still_make_a_scale() {
        for scale in
            [Scale::shares([0.5].into_iter()), Scale::shares([].into_iter()), Scale::shares([1.0, 1.0].into_iter())]
        {
            assert!(scale.high > scale.low && scale.low >= 0.0 && scale.high <= 1.0, "{scale:?}");
            assert!(scale.ticks(crate::number::percent).len() > 1, "{scale:?}");
        }
    }

    #[test]
    fn factors_are_even_around_one() {
        let scale = Scale::factors([0.5, 2.0].into_iter());
        let place = |value: f64| scale.at(value).parse::<f64>().unwrap();
        assert!((place(1.0) - 50.0).abs() < 0.01 && (place(2.0) + place(0.5) - 100.0).abs() < 0.02);
        assert!(scale.ticks(crate::number::factor).iter().any(|tick| tick.label == "1.00"));
        assert!(Scale::factors([0.97, 1.02].into_iter()).ticks(crate::number::factor).len() > 1);
    }
}

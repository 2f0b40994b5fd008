//! From numbers to places on a chart, and where to put the ticks.
//!
//! Places along are percentages of a chart's width: charts then fit any width without their text being scaled.

/// How much of the width is left free at either end, so that a mark there is not cut.
const INSET: f64 = 1.5;

/// How much of the width is between factors at the least, so that they can be read on a narrow page.
const LEAST_APART: f64 = 0.12;

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

    /// From one number to another, with ticks between them.
    pub(super) fn between(low: f64, high: f64) -> Self {
        Self { low, high, step: step(high - low), logarithmic: false }
    }

    /// As `linear`, but not below 0 or above 1.
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
        format!("{:.2}", INSET + (100.0 - 2.0 * INSET) * self.share(value))
    }

    /// The share of the way from low to high.
    pub(super) fn share(&self, value: f64) -> f64 {
        let map = |value: f64| if self.logarithmic { value.max(f64::MIN_POSITIVE).ln() } else { value };
        let width = map(self.high) - map(self.low);
        if width > 0.0 { ((map(value) - map(self.low)) / width).clamp(0.0, 1.0) } else { 0.5 }
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

    /// As many round factors as have room beside each other; 1 is one of them.
    fn factors_on(&self) -> Vec<f64> {
        let decades = |digits: &'static [f64], apart: usize| {
            let powers = (-6..=6).step_by(apart);
            powers.flat_map(|power| digits.iter().map(move |digit| digit * 10f64.powi(power))).collect()
        };
        let ladders: [Vec<f64>; 4] = [
            vec![0.5, 0.67, 0.8, 1.0, 1.25, 1.5, 2.0],
            decades(&[1.0, 2.0, 5.0], 1),
            decades(&[1.0], 1),
            decades(&[1.0], 3),
        ];
        let width = (self.high / self.low).ln();
        let within = ladders.map(|ladder| -> Vec<f64> {
            ladder.into_iter().filter(|value| *value >= self.low && *value <= self.high).collect()
        });
        let has_room = |ticks: &&Vec<f64>| ticks.windows(2).all(|two| (two[1] / two[0]).ln() >= LEAST_APART * width);
        within.iter().find(has_room).unwrap_or(&within[3]).clone()
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
    fn factors_have_ticks_from_end_to_end_and_room_between() {
        let ends = [(0.1, 3.3), (0.57, 1.7), (0.01, 900.0), (0.2, 2.5), (1.0, 1.0), (1e-6, 1e6), (0.3, 80.0)];
        for (low, high) in ends {
            let scale = Scale::factors([low, high].into_iter());
            let ticks = scale.ticks(|value| value.to_string());
            let places: Vec<f64> = ticks.iter().map(|tick| tick.at.parse().unwrap()).collect();
            assert!((3..=8).contains(&places.len()), "{low} to {high}: {ticks:?}");
            assert!(places.windows(2).all(|two| two[1] - two[0] > 11.0), "{low} to {high}: {ticks:?}");
            assert!(places[0] < 40.0 && places[places.len() - 1] > 60.0, "{low} to {high}: {ticks:?}");
            assert!(ticks.iter().any(|tick| (tick.value - 1.0).abs() < 1e-9), "{low} to {high}: {ticks:?}");
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

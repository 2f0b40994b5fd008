//! Charts of one number against another: the trade-off, the steps of a search, and an estimate with its band.
//!
//! Holds [`Plot`]. Along, places are percentages; upwards, fixed: text keeps its size on any width.

use askama::Template;

use super::scale::{Scale, Tick};

/// Where the drawing begins and ends, from the top.
const TOP: f64 = 12.0;
const BOTTOM: f64 = 192.0;

/// Points, joined by lines.
#[derive(Debug, Template)]
#[template(path = "plot.html")]
pub(super) struct Plot {
    pub(super) alt: String,
    /// What is counted along, and upwards.
    pub(super) along: String,
    pub(super) up: String,
    pub(super) ticks_along: Vec<Tick>,
    pub(super) ticks_up: Vec<(String, String)>,
    /// What lies under the curves.
    pub(super) under: Option<Under>,
    /// Where both numbers are the same: the ends of a line.
    pub(super) diagonal: Option<[Spot; 2]>,
    /// Intervals upwards.
    pub(super) bars: Vec<Bar>,
    pub(super) curves: Vec<Curve>,
    /// Marks apart from the curves.
    pub(super) others: Vec<Other>,
    /// Whether a script marks one of its points.
    pub(super) is_live: bool,
}

/// A band around a curve, and a level that it is read against.
#[derive(Debug)]
pub(super) struct Under {
    /// The corners of the band, in hundredths of the width and in the units of the height.
    pub(super) band: String,
    /// The height of the level.
    pub(super) level: String,
}

/// An interval at a place.
#[derive(Debug)]
pub(super) struct Bar {
    x: String,
    low: String,
    high: String,
}

impl Bar {
    pub(super) fn new(scales: [&Scale; 2], along: f64, ends: [f64; 2]) -> Self {
        let [low, high] = ends.map(|end| height(scales[1], end));
        Self { x: scales[0].at(along), low, high }
    }
}

/// A mark with an outline of its own.
#[derive(Debug)]
pub(super) struct Other {
    pub(super) spot: Spot,
    /// The path of it, around its middle.
    pub(super) outline: &'static str,
}

impl Other {
    /// A square, a diamond, a triangle and a cross.
    pub(super) const OUTLINES: [&'static str; 4] =
        ["M-5,-5h10v10h-10z", "M0,-7L7,0L0,7L-7,0z", "M0,-7L7,5h-14z", "M-6,-2h4v-4h4v4h4v4h-4v4h-4v-4h-4z"];
}

/// Points in their order.
#[derive(Debug)]
pub(super) struct Curve {
    /// Whether it is the one that counts.
    pub(super) accent: bool,
    pub(super) points: Vec<Spot>,
}

/// A point.
#[derive(Debug, Clone)]
pub(super) struct Spot {
    pub(super) x: String,
    pub(super) y: String,
    /// Its description, shown when it is pointed at.
    pub(super) title: String,
    /// What stands beside it.
    pub(super) label: Option<String>,
    pub(super) filled: bool,
}

impl Plot {
    /// A point on two scales.
    pub(super) fn spot(scales: [&Scale; 2], values: [f64; 2], title: String) -> Spot {
        Spot { x: scales[0].at(values[0]), y: height(scales[1], values[1]), title, label: None, filled: false }
    }

    /// The line on which both numbers are the same, where both scales go from 0 to 1.
    pub(super) fn diagonal(scales: [&Scale; 2]) -> [Spot; 2] {
        [0.0, 1.0].map(|value| Self::spot(scales, [value, value], String::new()))
    }

    /// A band between two values at every place, and a level.
    pub(super) fn under(scales: [&Scale; 2], places: &[[f64; 3]], level: f64) -> Under {
        let corner = |along: f64, up: f64| format!("{},{}", scales[0].at(along), height(scales[1], up));
        let lower = places.iter().map(|&[along, low, _]| corner(along, low));
        let upper = places.iter().rev().map(|&[along, _, high]| corner(along, high));
        Under { band: lower.chain(upper).collect::<Vec<_>>().join(" "), level: height(scales[1], level) }
    }

    /// Labels beside points, where the fewest points and lines are under them.
    fn labels(&self) -> Vec<Label<'_>> {
        let others = self.others.iter().map(|other| Taken::at(&other.spot, 7.5));
        let mut taken: Vec<Taken> = self.curves.iter().flat_map(Curve::taken).chain(others).collect();
        let spots = self.curves.iter().flat_map(|curve| &curve.points);
        let place = |(spot, text)| {
            let best = Label::around(spot, text)
                .min_by_key(|label| label.covers(&taken))
                .expect("there are places around a point");
            taken.extend(best.taken());
            best
        };
        spots.filter_map(|spot| Some((spot, spot.label.as_deref()?))).map(place).collect()
    }

    /// Whether points are so many that they would hide their lines.
    fn is_dense(&self) -> bool {
        self.curves.iter().map(|curve| curve.points.len()).sum::<usize>() > 120
            || self.curves.iter().any(|curve| curve.points.len() > 30)
    }

    /// The curves that have a name at their end.
    fn ends(&self) -> Vec<(&Curve, &Spot, &str)> {
        let named = |curve| Some((curve, Curve::end(curve)?, Curve::end(curve)?.label.as_deref()?));
        self.curves.iter().filter_map(named).collect()
    }

    /// Lines across, with their numbers.
    pub(super) fn ticks_up(scale: &Scale, label: impl Fn(f64) -> String) -> Vec<(String, String)> {
        scale.ticks(label).into_iter().map(|tick| (height(scale, tick.value), tick.label)).collect()
    }
}

/// Text beside a point.
struct Label<'a> {
    text: &'a str,
    spot: &'a Spot,
    /// From the point to the foot of the text.
    dx: f64,
    dy: f64,
    /// Whether the text ends there.
    last: bool,
}

impl<'a> Label<'a> {
    /// The widths of a drawing on narrow pages and on wide ones.
    const WIDTHS: [f64; 3] = [230.0, 300.0, 640.0];

    /// Where it could be, the best first: above, below, at either side; farther away.
    fn around(spot: &'a Spot, text: &'a str) -> impl Iterator<Item = Self> {
        let places = [
            (-6.0, -16.0, false),
            (6.0, -16.0, true),
            (-6.0, 25.0, false),
            (6.0, 25.0, true),
            (16.0, 4.0, false),
            (-16.0, 4.0, true),
            (48.0, -16.0, true),
            (-48.0, -16.0, false),
            (48.0, 25.0, true),
            (-48.0, 25.0, false),
            (-6.0, -32.0, false),
            (6.0, -32.0, true),
            (-6.0, 41.0, false),
            (6.0, 41.0, true),
            (48.0, -32.0, true),
            (48.0, 41.0, true),
            (22.0, -10.0, false),
            (22.0, 18.0, false),
            (-22.0, -10.0, true),
            (-22.0, 18.0, true),
            (22.0, -28.0, false),
            (22.0, 36.0, false),
            (-6.0, -48.0, false),
            (6.0, -48.0, true),
        ];
        places.into_iter().map(move |(dx, dy, last)| Self { text, spot, dx, dy, last })
    }

    /// Left, right, top and bottom in a drawing so wide, by what letters measure about.
    fn sides(&self, width: f64) -> [f64; 4] {
        let long = 7.5 * self.text.chars().count() as f64;
        let from = place(&self.spot.x) / 100.0 * width + self.dx - if self.last { long } else { 0.0 };
        let foot = place(&self.spot.y) + self.dy;
        [from, from + long, foot - 11.0, foot + 4.0]
    }

    /// How much of what is taken lies under it; beyond the edge is worse.
    fn covers(&self, taken: &[Taken]) -> usize {
        let covered = |width: f64| -> usize {
            let [left, right, top, bottom] = self.sides(width);
            let is_beyond = left < -8.0 || right > width + 8.0 || top < -2.0 || bottom > BOTTOM + 2.0;
            let is_under = |one: &&Taken| {
                let x = one.x / 100.0 * width;
                let reach = one.reach;
                x > left - reach && x < right + reach && one.y > top - reach && one.y < bottom + reach
            };
            taken.iter().filter(is_under).map(|one| one.cost).sum::<usize>() + if is_beyond { 1_000 } else { 0 }
        };
        Self::WIDTHS.map(covered).iter().sum()
    }

    /// Points of it that others keep away from, in every width.
    fn taken(&self) -> Vec<Taken> {
        let points = |width: f64| {
            let [left, right, top, bottom] = self.sides(width);
            let across = (0..=8).map(move |at| (left + (right - left) * f64::from(at) / 8.0) / width * 100.0);
            across.flat_map(move |x| [top, bottom].map(|y| Taken { x, y, reach: 4.0, cost: 10 }))
        };
        Self::WIDTHS.into_iter().flat_map(points).collect()
    }
}

/// A point that a label should not lie on, and how bad it is.
struct Taken {
    x: f64,
    y: f64,
    /// How far around it is taken too.
    reach: f64,
    cost: usize,
}

impl Taken {
    /// Where a mark is.
    fn at(spot: &Spot, reach: f64) -> Self {
        Self { x: place(&spot.x), y: place(&spot.y), reach, cost: 30 }
    }
}

/// A place that was written, as a number.
fn place(written: &str) -> f64 {
    written.parse().unwrap_or(0.0)
}

impl Curve {
    /// Its points, and more of them along its lines.
    fn taken(&self) -> impl Iterator<Item = Taken> {
        const PARTS: u8 = 12;
        let between = |(from, to): (&Spot, &Spot)| {
            let ([x, far], [y, down]) = ([&from.x, &to.x].map(|at| place(at)), [&from.y, &to.y].map(|at| place(at)));
            (1..PARTS).map(move |part| {
                let share = f64::from(part) / f64::from(PARTS);
                Taken { x: x + (far - x) * share, y: y + (down - y) * share, reach: 4.0, cost: 1 }
            })
        };
        self.points.iter().map(|spot| Taken::at(spot, 4.5)).chain(self.joins().flat_map(between))
    }

    /// Where it ends.
    fn end(&self) -> Option<&Spot> {
        self.points.last()
    }

    /// From each point to the next.
    fn joins(&self) -> impl Iterator<Item = (&Spot, &Spot)> {
        self.points.iter().zip(self.points.iter().skip(1))
    }
}

fn height(scale: &Scale, value: f64) -> String {
    format!("{:.1}", BOTTOM - (BOTTOM - TOP) * scale.share(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A curve through places, with a label at the first.
    fn labelled(places: &[[f64; 2]]) -> Plot {
        let unit = Scale::between(0.0, 1.0);
        let mut points: Vec<Spot> =
            places.iter().map(|&values| Plot::spot([&unit, &unit], values, String::new())).collect();
        points[0].label = Some("no correction".to_owned());
        Plot {
            alt: String::new(),
            along: String::new(),
            up: String::new(),
            ticks_along: Vec::new(),
            ticks_up: Vec::new(),
            under: None,
            diagonal: None,
            bars: Vec::new(),
            curves: vec![Curve { accent: true, points }],
            others: Vec::new(),
            is_live: true,
        }
    }

    #[test]
    fn a_band_goes_along_its_lower_end_and_back_along_the_upper() {
        let (along, up) = (Scale::between(0.0, 1.0), Scale::factors([0.25, 4.0].into_iter()));
        let under = Plot::under([&along, &up], &[[0.0, 0.5, 2.0], [1.0, 1.0, 1.0]], 1.0);
        let middle = f64::midpoint(TOP, BOTTOM);
        let corners: Vec<Vec<f64>> =
            under.band.split(' ').map(|corner| corner.split(',').map(|at| at.parse().unwrap()).collect()).collect();
        assert_eq!(corners.iter().map(|corner| corner[0]).collect::<Vec<_>>(), [1.5, 98.5, 98.5, 1.5]);
        // Upwards is less; half and double are equally far from no bias.
        assert!((corners[0][1] - middle - (middle - corners[3][1])).abs() < 0.15 && corners[0][1] > middle);
        assert!(
            (corners[1][1] - middle).abs() < 0.1
                && under.level.parse::<f64>().is_ok_and(|at| (at - middle).abs() < 0.1)
        );
    }

    #[test]
    fn a_label_keeps_off_the_curve_and_inside_the_drawing() {
        // A curve that falls to its labelled end at the right: above it is the curve, to its right the edge.
        let falling = labelled(&[[0.95, 0.3], [0.8, 0.36], [0.6, 0.5], [0.2, 0.9]]);
        let label = &falling.labels()[0];
        assert!(label.last && label.dy > 20.0, "{} {}", label.dx, label.dy);
        // Nothing is in the way.
        let rising = labelled(&[[0.2, 0.3], [0.1, 0.2], [0.05, 0.1]]);
        assert_eq!((rising.labels()[0].dx, rising.labels()[0].dy), (-6.0, -16.0));
    }
}

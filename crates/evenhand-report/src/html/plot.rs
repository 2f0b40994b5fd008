//! Charts of one number against another: the trade-off, and the steps of a search.
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
    pub(super) curves: Vec<Curve>,
    /// Marks apart from the curves.
    pub(super) others: Vec<Other>,
    /// Whether a script marks one of its points.
    pub(super) is_live: bool,
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
    /// What is said of it when it is pointed at.
    pub(super) told: String,
    /// What stands beside it.
    pub(super) label: Option<String>,
    /// Whether that is to the left of it.
    pub(super) leftward: bool,
    pub(super) filled: bool,
}

impl Plot {
    /// A point on two scales.
    pub(super) fn spot(scales: [&Scale; 2], values: [f64; 2], told: String) -> Spot {
        let x = scales[0].at(values[0]);
        let leftward = x.parse::<f64>().is_ok_and(|x| x > 60.0);
        Spot { x, y: height(scales[1], values[1]), told, label: None, leftward, filled: false }
    }

    /// Lines across, with their numbers.
    pub(super) fn ticks_up(scale: &Scale, label: impl Fn(f64) -> String) -> Vec<(String, String)> {
        scale.ticks(label).into_iter().map(|tick| (height(scale, tick.value), tick.label)).collect()
    }
}

impl Curve {
    /// From each point to the next.
    fn joins(&self) -> impl Iterator<Item = (&Spot, &Spot)> {
        self.points.iter().zip(self.points.iter().skip(1))
    }
}

fn height(scale: &Scale, value: f64) -> String {
    format!("{:.1}", BOTTOM - (BOTTOM - TOP) * scale.share(value))
}

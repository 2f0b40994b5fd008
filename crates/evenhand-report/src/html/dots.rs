//! Dot-and-interval charts: a line for each group, hollow before, filled after.
//!
//! Holds [`Dots`]. Names and numbers are text beside small drawings of marks, so that a narrow page wraps them
//! instead of making them smaller.

use askama::Template;

use super::scale::{Scale, Tick};

/// A chart of lines with marks.
#[derive(Debug, Template)]
#[template(path = "dots.html")]
pub(super) struct Dots {
    /// What it shows, for those who do not see it.
    pub(super) alt: String,
    pub(super) ticks: Vec<Tick>,
    /// Where a line is drawn from top to bottom.
    pub(super) reference: Option<String>,
    /// Over the names and over the numbers.
    pub(super) heads: [&'static str; 2],
    pub(super) lines: Vec<DotLine>,
    /// Whether each line has one number.
    pub(super) single: bool,
    /// Ends of the scale, where a script moves the marks.
    pub(super) live: Option<Scale>,
}

/// One line.
#[derive(Debug)]
pub(super) struct DotLine {
    pub(super) name: String,
    /// How many rows.
    pub(super) rows: String,
    pub(super) small: bool,
    /// Whether it is of all rows.
    pub(super) overall: bool,
    pub(super) marks: Vec<Mark>,
    pub(super) numbers: String,
}

/// A dot, and its interval.
#[derive(Debug)]
pub(super) struct Mark {
    pub(super) shape: Shape,
    pub(super) at: String,
    pub(super) interval: Option<(String, String)>,
}

/// How a mark is drawn: shapes and places differ, not colours alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// A stroke across.
    Label,
    /// A hollow dot, above.
    Before,
    /// A filled dot, below.
    After,
    /// A filled dot in the middle.
    Alone,
}

impl Mark {
    pub(super) fn new(
        shape: Shape,
        scale: &Scale,
        value: Option<f64>,
        low: Option<f64>,
        high: Option<f64>,
    ) -> Option<Self> {
        let interval =
            low.zip(high).filter(|_| shape != Shape::Label).map(|(low, high)| (scale.at(low), scale.at(high)));
        Some(Self { shape, at: scale.at(value?), interval })
    }

    fn class(&self) -> &'static str {
        match self.shape {
            Shape::Label => "label",
            Shape::Before => "before",
            Shape::After | Shape::Alone => "after",
        }
    }

    /// How far from the top of a line of 34.
    fn down(&self) -> usize {
        match self.shape {
            Shape::Before => 11,
            Shape::After => 23,
            Shape::Alone | Shape::Label => 17,
        }
    }

    fn is_stroke(&self) -> bool {
        self.shape == Shape::Label
    }
}

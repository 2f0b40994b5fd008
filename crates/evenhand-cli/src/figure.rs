//! Figures: small line charts side by side, as SVG that needs nothing else to be seen.
//!
//! Holds [`Figure`], its [`Panel`]s and their [`Line`]s. Knows nothing of what is drawn. Lines are distinguished by dashes as well
//! as by colour, and named where they end; a title and a description are there for those who do not see them.

use std::fmt::Write as _;

use evenhand::format::clean;

/// Panels in columns under one title.
pub(crate) struct Figure {
    pub(crate) title: String,
    /// What is to be seen, in a sentence.
    pub(crate) caption: String,
    /// What all horizontal axes show.
    pub(crate) across: String,
    pub(crate) axes: Axes,
    /// A value of the horizontal axes that matters, and its name.
    pub(crate) mark: Option<(f64, &'static str)>,
    pub(crate) columns: Vec<Column>,
}

/// How values become places.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Axes {
    Linear,
    /// Both logarithmic: powers are straight lines. Values are positive.
    Logarithmic,
}

/// Panels under one heading.
pub(crate) struct Column {
    pub(crate) heading: String,
    pub(crate) panels: Vec<Panel>,
}

/// One chart.
pub(crate) struct Panel {
    /// What its vertical axis shows.
    pub(crate) up: &'static str,
    pub(crate) lines: Vec<Line>,
}

/// A named series of points.
pub(crate) struct Line {
    pub(crate) name: &'static str,
    pub(crate) points: Vec<(f64, f64)>,
}

/// The size of a panel, and what is around it.
const PANEL: (f64, f64) = (190.0, 130.0);
const LEFT: f64 = 64.0;
/// Beside a panel there is room for names of eight letters, and more where they are longer.
const RIGHT: f64 = 50.0;
const LETTERS: usize = 8;
const LETTER: f64 = 8.0;
const TOP: f64 = 84.0;
const BETWEEN: f64 = 30.0;
const BOTTOM: f64 = 64.0;

/// Colours that differ in lightness too, and dashes.
const STYLES: [(&str, &str); 4] = [("#1f4e79", "none"), ("#c2571a", "5 3"), ("#3b7d3b", "2 2"), ("#6b4c9a", "8 3 2 3")];

/// The least distance of two names at the ends of lines.
const APART: f64 = 11.0;

const STYLE: &str = "\
text{font-family:'Source Sans 3','Helvetica Neue',Arial,sans-serif;font-size:11px;fill:#333}\
.title{font-family:'Source Serif 4',Georgia,serif;font-size:17px;fill:#111}\
.heading{font-size:12.5px;font-weight:600;fill:#111}\
.grid{stroke:#e3e3e3;stroke-width:1}.axis{stroke:#777;stroke-width:1}\
.mark{stroke:#999;stroke-width:1;stroke-dasharray:1 3}\
.line{fill:none;stroke-width:1.8;stroke-linejoin:round}";

impl Figure {
    /// The figure as an SVG document.
    pub(crate) fn svg(&self) -> String {
        let rows = self.columns.iter().map(|column| column.panels.len()).max().unwrap_or(0);
        let apart = LEFT + PANEL.0 + self.right();
        let width = self.columns.len() as f64 * apart + 12.0;
        let height = TOP + rows as f64 * (PANEL.1 + BETWEEN) - BETWEEN + BOTTOM;
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
             role=\"img\" aria-labelledby=\"title caption\">\n<title id=\"title\">{}</title>\n<desc id=\"caption\">{}</desc>\n\
             <style>{STYLE}</style>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n",
            escaped(&self.title),
            escaped(&self.caption),
        );
        put(&mut svg, "title", (16.0, 30.0), "start", &self.title);
        put(&mut svg, "", (16.0, 48.0), "start", &self.caption);
        let range = self.axes.range(self.points().map(|point| point.0), 0.0);
        for (at, column) in self.columns.iter().enumerate() {
            let left = at as f64 * apart + LEFT;
            put(&mut svg, "heading", (left, TOP - 10.0), "start", &column.heading);
            for (row, panel) in column.panels.iter().enumerate() {
                let top = TOP + row as f64 * (PANEL.1 + BETWEEN);
                let up = self.axes.range(panel.points().map(|point| point.1), 0.05);
                let frame = Frame { left, top, axes: self.axes, across: range, up };
                frame.draw(&mut svg, panel, self.mark, row + 1 == column.panels.len());
            }
            put(&mut svg, "", (left + PANEL.0 / 2.0, height - 26.0), "middle", &self.across);
        }
        svg.push_str("</svg>\n");
        svg
    }

    /// How much room names take beside a panel.
    fn right(&self) -> f64 {
        let lines = self.columns.iter().flat_map(|column| &column.panels).flat_map(|panel| &panel.lines);
        let longest = lines.map(|line| line.name.chars().count()).max().unwrap_or_default();
        RIGHT + LETTER * longest.saturating_sub(LETTERS) as f64
    }

    fn points(&self) -> impl Iterator<Item = (f64, f64)> {
        self.columns.iter().flat_map(|column| &column.panels).flat_map(Panel::points)
    }
}

impl Panel {
    fn points(&self) -> impl Iterator<Item = (f64, f64)> {
        self.lines.iter().flat_map(|line| line.points.iter().copied())
    }
}

impl Axes {
    /// What a value is drawn at, before it is put into a panel.
    fn map(self, value: f64) -> f64 {
        match self {
            Self::Linear => value,
            Self::Logarithmic => value.log10(),
        }
    }

    /// From the least to the greatest. Linear ones start from zero where that is near: rates and errors are read by their height.
    fn range(self, values: impl Iterator<Item = f64>, room: f64) -> (f64, f64) {
        let mapped = values.map(|value| self.map(value)).filter(|value| value.is_finite());
        if self == Self::Linear {
            return range(mapped, room);
        }
        let (low, high) =
            mapped.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
        // Names at the ends of falling lines stay above the numbers of the axis.
        if low < high { (low - 2.0 * room * (high - low), high + room * (high - low)) } else { (low - 0.5, low + 0.5) }
    }

    /// Places of numbers on an axis, and how they are written.
    fn ticks(self, range: (f64, f64), about: usize) -> Vec<(f64, String)> {
        match self {
            Self::Linear => {
                let (ticks, digits) = ticks(range, about);
                ticks.into_iter().map(|tick| (tick, format!("{tick:.digits$}"))).collect()
            }
            Self::Logarithmic => powers(range, about),
        }
    }
}

/// Where a panel lies, and what its edges stand for.
struct Frame {
    left: f64,
    top: f64,
    axes: Axes,
    across: (f64, f64),
    up: (f64, f64),
}

impl Frame {
    fn x(&self, value: f64) -> f64 {
        self.at_width(self.axes.map(value))
    }

    fn y(&self, value: f64) -> f64 {
        self.at_height(self.axes.map(value))
    }

    fn at_width(&self, mapped: f64) -> f64 {
        self.left + PANEL.0 * (mapped - self.across.0) / (self.across.1 - self.across.0)
    }

    fn at_height(&self, mapped: f64) -> f64 {
        self.top + PANEL.1 * (1.0 - (mapped - self.up.0) / (self.up.1 - self.up.0))
    }

    fn draw(&self, svg: &mut String, panel: &Panel, mark: Option<(f64, &str)>, last: bool) {
        let (right, bottom) = (self.left + PANEL.0, self.top + PANEL.1);
        for (tick, label) in self.axes.ticks(self.up, 4) {
            let y = self.at_height(tick);
            let _ =
                writeln!(svg, "<line class=\"grid\" x1=\"{}\" y1=\"{y:.2}\" x2=\"{right}\" y2=\"{y:.2}\"/>", self.left);
            put(svg, "", (self.left - 6.0, y + 3.5), "end", &label);
        }
        if let Some((value, name)) = mark {
            let x = self.x(value);
            let _ =
                writeln!(svg, "<line class=\"mark\" x1=\"{x:.2}\" y1=\"{}\" x2=\"{x:.2}\" y2=\"{bottom}\"/>", self.top);
            if last {
                put(svg, "", (x, bottom + 28.0), "middle", name);
            }
        }
        let _ =
            writeln!(svg, "<line class=\"axis\" x1=\"{}\" y1=\"{bottom}\" x2=\"{right}\" y2=\"{bottom}\"/>", self.left);
        for (tick, label) in self.axes.ticks(self.across, 3).into_iter().filter(|_| last) {
            put(svg, "", (self.at_width(tick), bottom + 14.0), "middle", &label);
        }
        let (x, y) = (self.left - 48.0, self.top + PANEL.1 / 2.0);
        let _ = writeln!(
            svg,
            "<text transform=\"translate({x:.2} {y:.2}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
            escaped(panel.up)
        );
        self.lines(svg, panel, right);
    }

    /// The lines, and their names where they end.
    fn lines(&self, svg: &mut String, panel: &Panel, right: f64) {
        let mut ends = Vec::new();
        for (line, (colour, dashes)) in panel.lines.iter().zip(STYLES.iter().cycle()) {
            let points: Vec<String> =
                line.points.iter().map(|&(x, y)| format!("{:.2},{:.2}", self.x(x), self.y(y))).collect();
            let points = points.join(" ");
            let _ = writeln!(
                svg,
                "<polyline class=\"line\" stroke=\"{colour}\" stroke-dasharray=\"{dashes}\" points=\"{points}\"/>"
            );
            ends.extend(line.points.last().map(|&(_, y)| (self.y(y), line.name, colour)));
        }
        ends.sort_by(|one, other| one.0.total_cmp(&other.0));
        let mut above = f64::NEG_INFINITY;
        for (y, name, colour) in ends {
            above = y.max(above + APART);
            let _ = writeln!(
                svg,
                "<text x=\"{:.2}\" y=\"{:.2}\" style=\"fill:{colour}\">{}</text>",
                right + 5.0,
                above + 3.5,
                escaped(name)
            );
        }
    }
}

fn put(svg: &mut String, class: &str, (x, y): (f64, f64), anchor: &str, text: &str) {
    let _ = writeln!(
        svg,
        "<text class=\"{class}\" x=\"{x:.2}\" y=\"{y:.2}\" text-anchor=\"{anchor}\">{}</text>",
        escaped(text)
    );
}

/// From the least to the greatest, with some room, and from zero where that is not far.
fn range(values: impl Iterator<Item = f64>, room: f64) -> (f64, f64) {
    let found = values.filter(|value| value.is_finite());
    let (low, high) =
        found.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
    if low > high {
        return (0.0, 1.0);
    }
    let high = high + room * (high - low).max(1e-3);
    let low = if low >= 0.0 && low < 0.5 * high { 0.0 } else { low - room * (high - low) };
    if high > low { (low, high) } else { (low - 0.5, high + 0.5) }
}

/// Round numbers within a range, about as many as asked, and how many digits they need.
fn ticks((low, high): (f64, f64), about: usize) -> (Vec<f64>, usize) {
    let rough = (high - low) / about as f64;
    let power = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 2.5, 5.0, 10.0].into_iter().map(|by| by * power).find(|&step| step >= rough).unwrap_or(rough);
    let first = (low / step).ceil() as i64;
    let last = (high / step + 1e-9).floor() as i64;
    let is_enough = |power: f64| (step * power - (step * power).round()).abs() < 1e-9 * (step * power).max(1.0);
    let digits = [1.0, 1e1, 1e2, 1e3, 1e4, 1e5].into_iter().position(is_enough);
    ((first..=last).map(|at| at as f64 * step).collect(), digits.unwrap_or(6))
}

/// Powers of ten within a range of logarithms; between few of them, twice and five times these as well. As superscripts where they are large.
fn powers((low, high): (f64, f64), about: usize) -> Vec<(f64, String)> {
    let decades = low.floor() as i32..=high.ceil() as i32;
    let within = |digits: &[u32]| -> Vec<(f64, String)> {
        let all = decades.clone().flat_map(|power| digits.iter().map(move |&digit| (digit, power)));
        let placed = all.map(|(digit, power)| (f64::from(digit).log10() + f64::from(power), written(digit, power)));
        placed.filter(|(place, _)| (low - 1e-9..=high + 1e-9).contains(place)).collect()
    };
    let whole = within(&[1]);
    if whole.len() >= about { whole } else { within(&[1, 2, 5]) }
}

/// A digit times a power of ten: `0.02`, `50`, `10⁴`, `5·10⁴`.
fn written(digit: u32, power: i32) -> String {
    let value = f64::from(digit) * 10f64.powi(power);
    match power {
        ..0 => format!("{value:.*}", power.unsigned_abs() as usize),
        0..3 => format!("{value:.0}"),
        _ if digit == 1 => superscript(power),
        _ => format!("{digit}·{}", superscript(power)),
    }
}

/// `10⁴`.
fn superscript(power: i32) -> String {
    let digits = power
        .to_string()
        .chars()
        .filter_map(|digit| "⁰¹²³⁴⁵⁶⁷⁸⁹".chars().nth(digit.to_digit(10)? as usize))
        .collect::<String>();
    format!("10{digits}")
}

/// Text that is nothing but text.
fn escaped(text: &str) -> String {
    // Control characters are no XML.
    clean(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_within_the_range() {
        assert_eq!(ticks((0.0, 1.5), 3), (vec![0.0, 0.5, 1.0, 1.5], 1));
        let (found, digits) = ticks((0.137, 0.172), 4);
        assert_eq!(
            (found.iter().map(|tick| format!("{tick:.digits$}")).collect::<Vec<_>>(), digits),
            (vec!["0.14".into(), "0.15".into(), "0.16".into(), "0.17".to_owned()], 2)
        );
    }

    #[test]
    fn logarithmic_axes_have_powers_of_ten_and_powers_are_straight() {
        let labels = |range, about| powers(range, about).into_iter().map(|(_, label)| label).collect::<Vec<_>>();
        assert_eq!(labels((3.0, 6.0), 3), ["10³", "10⁴", "10⁵", "10⁶"]);
        assert_eq!(labels((3.0, 4.0), 3), ["10³", "2·10³", "5·10³", "10⁴"]);
        assert_eq!(labels((-2.4, -0.6), 4), ["0.005", "0.01", "0.02", "0.05", "0.1", "0.2"]);
        let across = Axes::Logarithmic.range([1e3, 1e6].into_iter(), 0.0);
        let up = Axes::Logarithmic.range([0.1, 0.001].into_iter(), 0.0);
        let frame = Frame { left: 0.0, top: 0.0, axes: Axes::Logarithmic, across, up };
        assert!((frame.x(1e3)).abs() < 1e-9 && (frame.x(1e5) - 2.0 * frame.x(1e4)).abs() < 1e-9);
        assert!((frame.y(0.01) - PANEL.1 / 2.0).abs() < 1e-9);
    }

    #[test]
    fn names_from_data_are_text_and_break_nothing() {
        let line = Line { name: "a", points: vec![(0.0, 0.1), (1.0, f64::NAN)] };
        let figure = Figure {
            title: "<script>\"&\u{1b}".into(),
            caption: String::new(),
            across: "x".into(),
            axes: Axes::Linear,
            mark: None,
            columns: vec![Column { heading: "h".into(), panels: vec![Panel { up: "y", lines: vec![line] }] }],
        };
        let svg = figure.svg();
        assert!(svg.contains("&lt;script&gt;&quot;&amp;\\u{1b}") && !svg.contains("<script>"), "{svg}");
    }
}

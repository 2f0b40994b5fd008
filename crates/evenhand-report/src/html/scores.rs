//! The section of what scores show: how well they rank, and whether they are as high as labels are frequent.

use evenhand::audit::{Estimate, GroupScores, ScoreAudit, ScoreBin};

use super::charted::Charted;
use super::dots::{DotLine, Dots, Mark, Shape};
use super::plot::{Bar, Curve, Plot};
use super::scale::Scale;
use super::table::Table;
use crate::number::{
    NONE, confidence, count, counted, decimal, factor_short, or_none, percent, percent_short, points, points_short,
};
use crate::report::About;
use crate::scores::{self, auc, lines, name};

/// So many groups have a chart of their bins, besides everyone.
const MOST_CURVES: usize = 7;

/// What is shown of scores.
pub(super) struct ScoresView {
    pub(super) intro: String,
    pub(super) charts: Vec<Charted>,
    pub(super) reliability: Vec<ReliabilityView>,
    /// How many groups have no chart of their bins.
    pub(super) left_out: usize,
}

/// The bins of one group.
pub(super) struct ReliabilityView {
    pub(super) group: String,
    pub(super) rows: String,
    pub(super) plot: Plot,
    pub(super) table: Table,
}

pub(super) fn view(found: &ScoreAudit, about: &About) -> ScoresView {
    let with_bins: Vec<&GroupScores> = lines(found).filter(|group| !group.bins.is_empty()).collect();
    ScoresView {
        intro: scores::intro(found),
        charts: vec![areas(found, about), in_the_large(found, about), errors(found, about)],
        left_out: with_bins.len().saturating_sub(MOST_CURVES + 1),
        reliability: with_bins.into_iter().take(MOST_CURVES + 1).map(|group| reliability(group, about)).collect(),
    }
}

/// A chart of one number for each group.
struct Numbers<'a> {
    title: &'a str,
    note: String,
    alt: &'a str,
    scale: Scale,
    reference: Option<f64>,
    ticks: fn(f64) -> String,
    marks: &'a dyn Fn(&GroupScores, &Scale) -> Vec<Option<Mark>>,
    shown: &'a dyn Fn(&GroupScores) -> String,
    key: Vec<(&'static str, &'static str)>,
}

impl Numbers<'_> {
    fn charted(
        self,
        found: &ScoreAudit,
        about: &About,
        heads: Vec<String>,
        cells: impl Fn(&GroupScores) -> Vec<String>,
    ) -> Charted {
        let Self { title, note, alt, scale, reference, ticks, marks, shown, key } = self;
        let small = |group: &GroupScores| group.rows < about.small_group;
        let line = |(at, group): (usize, &GroupScores)| DotLine {
            name: name(at, group),
            rows: counted(group.rows, "row"),
            small: small(group),
            overall: at == 0,
            marks: marks(group, &scale).into_iter().flatten().collect(),
            numbers: shown(group),
        };
        let row = |(at, group): (usize, &GroupScores)| {
            let few = if small(group) { " (few)" } else { "" };
            let first = [name(at, group), format!("{}{few}", count(group.rows))];
            first.into_iter().chain(cells(group)).collect()
        };
        Charted {
            title: title.to_owned(),
            note,
            dots: Dots {
                alt: format!("{alt}, by group. The numbers are in the table that follows."),
                ticks: scale.ticks(ticks),
                reference: reference.map(|value| scale.at(value)),
                heads: ["", ""],
                lines: lines(found).enumerate().map(line).collect(),
                single: true,
                live: None,
            },
            table: Table {
                caption: alt.to_owned(),
                heads: ["Group", "Rows"].map(str::to_owned).into_iter().chain(heads).collect(),
                words: 1,
                remarks: false,
                rows: lines(found).enumerate().map(row).collect(),
            },
            more: None,
            key,
        }
    }
}

/// The mark of a number with its interval.
fn alone(one: Option<Estimate>, scale: &Scale) -> Vec<Option<Mark>> {
    vec![one.and_then(|one| Mark::new(Shape::Alone, scale, Some(one.value), Some(one.low), Some(one.high)))]
}

/// Both ends of an interval.
fn ends(one: Option<Estimate>, shown: impl Fn(f64) -> String) -> String {
    one.map_or_else(|| NONE.to_owned(), |one| format!("{} to {}", shown(one.low), shown(one.high)))
}

fn values(one: Option<Estimate>) -> impl Iterator<Item = f64> {
    one.into_iter().flat_map(|one| [one.low, one.value, one.high])
}

fn areas(found: &ScoreAudit, about: &About) -> Charted {
    let sure = confidence(about.confidence);
    let numbers = Numbers {
        title: "How well scores rank",
        note: format!("{}, with {sure} intervals. 0.5 is an order by chance, 1 a perfect one.", scores::AUC),
        alt: "AUC of the scores",
        scale: Scale::shares(lines(found).flat_map(|group| values(group.auc))),
        reference: found.overall.auc.map(|one| one.value),
        ticks: |value| decimal(value, 2),
        marks: &|group, scale| alone(group.auc, scale),
        shown: &|group| or_none(group.auc.map(|one| one.value), auc),
        key: Vec::new(),
    };
    numbers.charted(found, about, vec!["AUC".to_owned(), format!("{sure} interval")], |group| {
        vec![or_none(group.auc.map(|one| one.value), auc), ends(group.auc, auc)]
    })
}

fn in_the_large(found: &ScoreAudit, about: &About) -> Charted {
    let sure = confidence(about.confidence);
    let numbers = Numbers {
        title: "Calibration in the large",
        note: format!("{}, in points, with {sure} intervals. Above 0 scores are too high.", scores::CALIBRATION),
        alt: "Mean score minus share labelled positive",
        scale: Scale::linear(lines(found).flat_map(|group| values(group.calibration)).chain([0.0]), 0.04),
        reference: Some(0.0),
        ticks: points_short,
        marks: &|group, scale| alone(group.calibration, scale),
        shown: &|group| or_none(group.calibration.map(|one| one.value), points),
        key: Vec::new(),
    };
    let heads = ["Mean score", "Labelled positive", "Difference, points"].map(str::to_owned);
    let heads = heads.into_iter().chain([format!("{sure} interval")]).collect();
    numbers.charted(found, about, heads, |group| {
        vec![
            or_none(group.mean_score, percent),
            or_none(group.positive_rate.value, percent),
            or_none(group.calibration.map(|one| one.value), points),
            ends(group.calibration, points),
        ]
    })
}

fn errors(found: &ScoreAudit, about: &About) -> Charted {
    let both = |group: &GroupScores| [group.calibration_error, group.calibration_error_by_chance];
    let numbers = Numbers {
        title: "Expected calibration error",
        note: format!("{}, in points. Fewer rows show more of it by chance alone.", scores::CALIBRATION_ERROR),
        alt: "Expected calibration error",
        scale: Scale::shares(lines(found).flat_map(|group| both(group).into_iter().flatten()).chain([0.0])),
        reference: None,
        ticks: points_short,
        marks: &|group, scale| {
            let [error, chance] = both(group);
            vec![Mark::new(Shape::Label, scale, chance, None, None), Mark::new(Shape::Alone, scale, error, None, None)]
        },
        shown: &|group| or_none(group.calibration_error, points),
        key: vec![("label", "by chance alone"), ("after", "measured")],
    };
    let heads = ["Measured, points", "By chance alone, points"].map(str::to_owned).to_vec();
    numbers.charted(found, about, heads, |group| both(group).map(|value| or_none(value, points)).to_vec())
}

/// Shares labelled positive against scores.
fn reliability(group: &GroupScores, about: &About) -> ReliabilityView {
    let unit = Scale::between(0.0, 1.0);
    let scales = [&unit, &unit];
    let spot = |bin: &ScoreBin| {
        let rate = bin.positive_rate.value?;
        let title = format!("Mean score {}: {} labelled positive", percent(bin.mean_score), percent(rate));
        Some(Plot::spot(scales, [bin.mean_score, rate], title))
    };
    let bar = |bin: &ScoreBin| {
        let (low, high) = bin.positive_rate.low.zip(bin.positive_rate.high)?;
        Some(Bar::new(scales, bin.mean_score, [low, high]))
    };
    let row = |bin: &ScoreBin| {
        let rate = &bin.positive_rate;
        let few = if rate.count < about.small_group { " (few)" } else { "" };
        vec![
            format!("{} to {}", factor_short(bin.from), factor_short(bin.to)),
            format!("{}{few}", count(rate.count)),
            percent(bin.mean_score),
            or_none(rate.value, percent),
            crate::number::range(rate.low, rate.high, points).unwrap_or_else(|| NONE.to_owned()),
        ]
    };
    let interval = format!("{} interval", confidence(about.confidence));
    let title = if group.group == "overall" { "Everyone" } else { &group.group };
    ReliabilityView {
        group: title.to_owned(),
        rows: format!(
            "{}{}",
            counted(group.rows, "row"),
            if group.rows < about.small_group { ": too few to say much" } else { "" }
        ),
        plot: Plot {
            alt: format!("Share labelled positive against score, {title}. The numbers are in the table that follows."),
            along: "Score →".to_owned(),
            up: "↑ Labelled positive".to_owned(),
            ticks_along: unit.ticks(factor_short),
            ticks_up: Plot::ticks_up(&unit, percent_short),
            under: None,
            diagonal: Some(Plot::diagonal(scales)),
            bars: group.bins.iter().filter_map(bar).collect(),
            curves: vec![Curve { accent: true, points: group.bins.iter().filter_map(spot).collect() }],
            others: Vec::new(),
            is_live: false,
        },
        table: Table {
            caption: format!("Scores and labels of {title}"),
            heads: ["Scores", "Rows", "Mean score", "Labelled positive", &interval].map(str::to_owned).to_vec(),
            words: 1,
            remarks: false,
            rows: group.bins.iter().map(row).collect(),
        },
    }
}

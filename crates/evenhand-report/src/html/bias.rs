//! The section of what labels say about themselves.

use super::charted::Charted;
use super::dots::{DotLine, Dots, Mark, Shape};
use super::scale::Scale;
use super::table::Table;
use crate::Bias;
use crate::number::{NONE, confidence, count, counted, factor, factor_short, or_none, range};

/// The bias as odds ratios.
pub(super) fn bias(bias: &Bias) -> Option<Charted> {
    if bias.missing.is_some() {
        return None;
    }
    let ends = bias.groups.iter().flat_map(|one| [one.odds_ratio, one.simultaneous_low, one.simultaneous_high]);
    let scale = Scale::factors(ends.flatten());
    let sure = confidence(bias.confidence);
    let lines = bias.groups.iter().map(|one| DotLine {
        name: one.name(),
        rows: counted(one.rows, "row"),
        small: false,
        overall: false,
        marks: Mark::new(Shape::Alone, &scale, one.odds_ratio, one.simultaneous_low, one.simultaneous_high)
            .into_iter()
            .collect(),
        numbers: or_none(one.odds_ratio, factor),
    });
    let row = |one: &crate::GroupBias| {
        let ends = |low, high| range(low, high, factor).unwrap_or_else(|| NONE.to_owned());
        let [alone, at_once] = [ends(one.low, one.high), ends(one.simultaneous_low, one.simultaneous_high)];
        vec![one.name(), count(one.rows), or_none(one.odds_ratio, factor), alone, at_once]
    };
    let labels = if bias.groups.iter().any(|one| one.class.is_some()) { "labels" } else { "a positive label" };
    Some(Charted {
        title: format!("Odds of {labels}, against those that the data otherwise support"),
        note: format!(
            "Odds ratios with {sure} intervals that hold for all groups at once, on a scale where half and double are equally far from 1, which is no bias."
        ),
        dots: Dots {
            alt: "Odds ratio of each group. The numbers are in the table that follows.".into(),
            ticks: scale.ticks(factor_short),
            reference: Some(scale.at(1.0)),
            heads: ["", "odds ratio"],
            lines: lines.collect(),
            single: true,
            live: None,
        },
        table: Table {
            caption: "Odds ratios".to_owned(),
            heads: ["Group", "Rows", "Odds ratio", &format!("{sure} interval, each by itself"), "all at once"]
                .map(str::to_owned)
                .to_vec(),
            words: 1,
            remarks: false,
            rows: bias.groups.iter().map(row).collect(),
        },
        more: None,
        key: Vec::new(),
    })
}

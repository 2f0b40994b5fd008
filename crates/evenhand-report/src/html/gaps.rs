//! The chart of how far groups are from what was asked.

use super::charted::Charted;
use super::dots::{DotLine, Dots, Mark, Shape};
use super::scale::Scale;
use super::table::Table;
use crate::Gap;
use crate::number::{NONE, confidence, or_none, points, points_short};
use crate::report::Report;

/// How far each group is from what was asked.
pub(super) fn gaps(report: &Report) -> Option<Charted> {
    let mut constraints: Vec<_> = report.constraints.iter().collect();
    constraints.sort_by(|one, other| other.before.size().total_cmp(&one.before.size()));
    let ends =
        constraints.iter().flat_map(|one| [one.before, one.after]).flat_map(|gap| [gap.value, gap.low, gap.high]);
    let scale = Scale::linear(ends.flatten().chain([0.0]), 0.02);
    let sure = confidence(report.about.confidence);
    let mark = |shape, gap: Gap| Mark::new(shape, &scale, gap.value, gap.low, gap.high);
    let shown = |gap: Gap| or_none(gap.value, points);
    let ends = |gap: Gap| gap.range().unwrap_or_else(|| NONE.to_owned());
    let lines = constraints.iter().map(|one| DotLine {
        name: report.short_name(&one.name).to_owned(),
        rows: String::new(),
        small: false,
        overall: false,
        marks: [mark(Shape::Before, one.before), mark(Shape::After, one.after)].into_iter().flatten().collect(),
        numbers: format!("{} → {}", shown(one.before), shown(one.after)),
    });
    let row = |one: &&crate::Constrained| {
        let [before, after] = [one.before, one.after];
        vec![one.name.clone(), shown(before), ends(before), shown(after), ends(after)]
    };
    let heads = ["Constraint", "Before", &format!("{sure} interval"), "After", &format!("{sure} interval")];
    (!constraints.is_empty()).then(|| Charted {
        title: "Distance from what was asked".to_owned(),
        note: "In points, overall (or asked) rate minus the group’s: right of zero, the group has less. Largest before correction first.".to_owned(),
        dots: Dots {
            alt: "Signed violation of every constraint before and after. The numbers are in the table that follows.".into(),
            ticks: scale.ticks(points_short),
            reference: Some(scale.at(0.0)),
            heads: ["", "before → after"],
            lines: lines.collect(),
            single: false,
            live: None,
        },
        table: Table {
            caption: "Violation of every constraint, in points".to_owned(),
            heads: heads.map(str::to_owned).to_vec(),
            words: 1,
            remarks: false,
            rows: constraints.iter().map(row).collect(),
        },
        more: None,
        key: vec![("before", "before"), ("after", "after")],
    })
}

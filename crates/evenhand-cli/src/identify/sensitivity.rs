//! How the estimate depends on true differences between groups, as text: sentences, then a short table for each group.

use evenhand::identify::{Sensitivity, SensitivityCurve, SensitivityPoint};

use super::{range, wrapped};
use crate::text::{Lines, clean, counted, percent, signed};

/// Of the points of a curve every so many are shown: both ends, and the quarters between.
const EVERY: usize = 3;

/// So many groups have a table.
const MOST_TABLES: usize = 8;

/// What to do for those who know more than how far groups may differ.
const KNOWN: &str = "Where the true rate of a group is known from elsewhere, read the line with that rate, or train for it: evenhand fit --notion known-rate=GROUP:RATE --measure scores.";

pub(super) fn text(sensitivity: &Sensitivity) -> String {
    let sentences: Vec<String> = sensitivity.curves.iter().map(|curve| clean(&curve.sentence) + "\n").collect();
    format!(
        "If groups truly differ\n{}\n{}\n{}\n{}\n",
        wrapped(&sensitivity.assumption),
        sentences.concat(),
        tables(&sensitivity.curves),
        wrapped(KNOWN)
    )
}

fn tables(curves: &[SensitivityCurve]) -> String {
    let mut lines = Lines::default();
    let heads = ["true rate", "everyone's", "factor", "interval", "multiplier", "interval"];
    for curve in curves.iter().take(MOST_TABLES) {
        lines.push(curve.group.clone(), heads.map(str::to_owned).to_vec());
        let last = curve.points.len().saturating_sub(1);
        let shown = curve.points.iter().enumerate().filter(|(at, _)| at % EVERY == 0 || *at == last);
        for (_, point) in shown {
            lines.push(format!("  {}", difference(point.difference)), numbers(point));
        }
    }
    if curves.len() > MOST_TABLES {
        lines.push(
            format!("and {} (--json has all)", counted(curves.len() - MOST_TABLES, "group") + " more"),
            Vec::new(),
        );
    }
    lines.render()
}

fn numbers(point: &SensitivityPoint) -> Vec<String> {
    vec![
        percent(point.group_rate),
        percent(point.overall_rate),
        format!("{:.3}", point.odds_ratio),
        range(point.low, point.high),
        signed(point.multiplier),
        range(point.multiplier_low, point.multiplier_high),
    ]
}

/// A true difference in words.
fn difference(difference: f64) -> String {
    let points = format!("{:.1} points", 100.0 * difference.abs());
    match difference {
        difference if difference.abs() < 5e-5 => "alike".to_owned(),
        difference if difference > 0.0 => format!("{points} less often"),
        _ => format!("{points} more often"),
    }
}

//! Estimates of a bias against a group that the model may not see, by what a bias is taken to depend on.

use evenhand::{Dataset, Identify, Schema, Tilt};
use evenhand_datasets::synthetic::{BiasBy, WithheldGroup};

use crate::{Result, each_draw, print};

/// λ: a mild bias and a strong one.
const MULTIPLIERS: [f64; 2] = [0.2, 0.6];

pub(crate) fn run(rows: &[usize], draws: u64) -> Result<()> {
    print("rows,draw,bias,tilt,truth,value,standard_error,low,high");
    for &rows in rows {
        each_draw(draws, |draw| {
            let mut lines = Vec::new();
            for by in [BiasBy::Seen, BiasBy::Group] {
                for multiplier in MULTIPLIERS {
                    lines.extend(estimates(WithheldGroup { by, multiplier }, rows, draw)?);
                }
            }
            Ok(lines)
        })?;
    }
    Ok(())
}

fn estimates(people: WithheldGroup, rows: usize, draw: u64) -> Result<Vec<String>> {
    let data = Dataset::new(people.draw(rows, draw)?, &Schema::label("approved").positive("yes"))?;
    let by = if people.by == BiasBy::Seen { "seen" } else { "group" };
    let mut lines = Vec::new();
    for (name, tilt) in [("expected", Tilt::Expected), ("centred", Tilt::Centred)] {
        let settings = Identify { tilt, withhold: vec!["sex".into()], ..Identify::default() };
        let (found, _) = settings.group("sex=female")?.run(&data)?;
        // Where there is no estimate a line says so, with none of its numbers.
        let numbers = found.multipliers.first().map_or_else(
            || ",,,".to_owned(),
            |one| [one.value, one.standard_error, one.low, one.high].map(|number| format!("{number:.5}")).join(","),
        );
        lines.push(format!("{rows},{draw},{by},{name},{:.5},{numbers}", people.multiplier));
    }
    Ok(lines)
}

//! Estimates of the bias in samples of one population: how far they are off, and whether intervals cover the truth.

use evenhand::identify::Resampled;
use evenhand::{Dataset, Identify};
use evenhand_datasets::synthetic::{self, BiasModel, PopulationParameters};

use crate::sample::schema;
use crate::{Result, each_draw, print};

/// Half the width of a 95 % interval, in standard errors.
const NORMAL: f64 = 1.959_964;

pub(crate) fn run(rows: &[usize], draws: u64, resamples: usize) -> Result<()> {
    let model = PopulationParameters::default().bias_model();
    print("rows,draw,of,group,truth,value,standard_error,low,high,resampled_low,resampled_high");
    for &rows in rows {
        each_draw(draws, |draw| estimate(&model, rows, draw, resamples))?;
    }
    Ok(())
}

fn estimate(model: &BiasModel, rows: usize, draw: u64, resamples: usize) -> Result<Vec<String>> {
    let data = Dataset::new(model.draw(rows, draw)?.table, &schema("approved"))?;
    let mut settings = Identify { resamples, seed: draw, ..Identify::default() };
    for (group, _) in synthetic::MULTIPLIERS {
        settings = settings.group(group)?;
    }
    let (found, _) = settings.run(&data)?;
    let mut lines = Vec::new();
    let mut tell = |of: &str, group: &str, numbers: [f64; 5], resampled: Option<Resampled>| {
        let numbers = numbers.map(|number| format!("{number:.5}")).join(",");
        let drawn = resampled.map_or(",".to_owned(), |again| format!("{:.5},{:.5}", again.low, again.high));
        lines.push(format!("{rows},{draw},{of},{group},{numbers},{drawn}"));
    };
    for ((group, truth), one) in synthetic::MULTIPLIERS.into_iter().zip(&found.multipliers) {
        tell("multiplier", group, [truth, one.value, one.standard_error, one.low, one.high], one.resampled);
    }
    for (truth, one) in model.odds_ratios().into_iter().zip(&found.effects) {
        // Of the logarithm, in which the interval is symmetric.
        let error = (one.high / one.low).ln() / (2.0 * NORMAL);
        tell("odds-ratio", &one.group, [truth, one.odds_ratio, error, one.low, one.high], one.resampled);
    }
    Ok(lines)
}

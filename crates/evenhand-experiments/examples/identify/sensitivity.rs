//! Curves of the estimated bias against a true difference, in populations that have one: whether they pass through the bias that was put in at
//! the difference that was put in, and where there is no bias at all, whether the tipping point is that difference.

use evenhand::{Dataset, Identify};
use evenhand_datasets::synthetic::{self, BiasModel, PopulationParameters};

use crate::sample::schema;
use crate::{Result, each_draw, print};

/// Who truly differs, and how far: the place of the group, everyone's true rate minus its own, and the bias in parts of that of the demonstration.
const POPULATIONS: [(usize, f64, f64); 4] = [(0, 0.06, 1.0), (0, 0.12, 1.0), (1, 0.08, 1.0), (0, 0.06, 0.0)];

pub(crate) fn run(rows: &[usize], draws: u64) -> Result<()> {
    print("rows,draw,group,difference,strength,of,truth,value,low,high,even,observed");
    for (group, difference, strength) in POPULATIONS {
        let mut parameters = PopulationParameters { strength, ..PopulationParameters::default() };
        parameters.differences[group] = difference;
        let model = parameters.bias_model();
        for &rows in rows {
            each_draw(draws, |draw| estimate(&model, rows, draw, (group, difference, strength)))?;
        }
    }
    Ok(())
}

fn estimate(
    model: &BiasModel,
    rows: usize,
    draw: u64,
    (group, difference, strength): (usize, f64, f64),
) -> Result<Vec<String>> {
    let data = Dataset::new(model.draw(rows, draw)?.table, &schema("approved"))?;
    let mut settings = Identify { sensitivity: true, ..Identify::default() };
    for (group, _) in synthetic::MULTIPLIERS {
        settings = settings.group(group)?;
    }
    let (found, _) = settings.run(&data)?;
    let curve = &found.sensitivity.as_ref().ok_or("there are no curves")?.curves[group];
    let name = synthetic::MULTIPLIERS[group].0;
    let line = |of: &str, truth: f64, numbers: [f64; 3], even: Option<f64>| {
        let even = even.map_or_else(String::new, |even| format!("{even:.6}"));
        let numbers = numbers.map(|number| format!("{number:.6}")).join(",");
        format!("{rows},{draw},{name},{difference},{strength},{of},{truth:.6},{numbers},{even},{:.6}", curve.observed)
    };
    if strength <= 0.0 {
        let tipping = curve.tipping.ok_or("there is no tipping point")?;
        return Ok(vec![line("tipping-point", difference, [tipping.difference, tipping.low, tipping.high], None)]);
    }
    let point = curve.at(difference).ok_or("the true difference is beyond the curve")?;
    let multiplier = strength * synthetic::MULTIPLIERS[group].1;
    Ok(vec![
        line(
            "multiplier",
            multiplier,
            [point.multiplier, point.multiplier_low, point.multiplier_high],
            Some(curve.points[0].multiplier),
        ),
        line(
            "odds-ratio",
            model.odds_ratios()[group],
            [point.odds_ratio, point.low, point.high],
            Some(curve.points[0].odds_ratio),
        ),
    ])
}

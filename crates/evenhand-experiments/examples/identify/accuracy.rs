//! Classifiers from biased labels, with correction and without, beside one from true labels.

use evenhand::correction::CovariateShift;
use evenhand::{Logistic, Measure};
use evenhand_datasets::synthetic::{BiasModel, PopulationParameters};

use crate::sample::{JUDGED_BY, Judges, Sample, parity};
use crate::{Result, each_draw, print};

pub(crate) fn run(rows: &[usize], draws: u64) -> Result<()> {
    let model = PopulationParameters::default().bias_model();
    let judges = model.draw(JUDGED_BY, 0)?;
    let judges = Judges::new(&judges, judges.table.clone());
    print("rows,draw,trained,accuracy");
    for &rows in rows {
        each_draw(draws, |draw| measure(&model, rows, draw, &judges))?;
    }
    Ok(())
}

fn measure(model: &BiasModel, rows: usize, draw: u64, judges: &Judges) -> Result<Vec<String>> {
    let sample = Sample::new(&model.draw(rows, draw)?.table, judges)?;
    let corrected = |measure, shift| sample.corrected(&parity(measure, shift)?, &Logistic::default());
    let all = [
        ("uncorrected", sample.plain(&sample.past)?),
        ("scores", corrected(Measure::Scores, CovariateShift::Ignored)?),
        ("scores-shift-corrected", corrected(Measure::Scores, CovariateShift::Corrected)?),
        ("decisions", corrected(Measure::Decisions, CovariateShift::Ignored)?),
        ("true-labels", sample.plain(&sample.truth)?),
    ];
    Ok(all.iter().map(|(trained, judged)| format!("{rows},{draw},{trained},{:.6}", judged.accuracy)).collect())
}

//! Classifiers from biased labels, with correction and without, beside one from true labels.

use evenhand::correction::CovariateShift;
use evenhand::{Logistic, Measure};
use evenhand_datasets::synthetic::{BiasModel, PopulationParameters};

use crate::sample::{EVALUATED_ON, EvaluationSample, Sample, parity};
use crate::{Result, each_draw, print};

pub(crate) fn run(rows: &[usize], draws: u64) -> Result<()> {
    let model = PopulationParameters::default().bias_model();
    let evaluation = model.draw(EVALUATED_ON, 0)?;
    let evaluation = EvaluationSample::new(&evaluation, evaluation.table.clone());
    print("rows,draw,trained,accuracy");
    for &rows in rows {
        each_draw(draws, |draw| measure(&model, rows, draw, &evaluation))?;
    }
    Ok(())
}

fn measure(model: &BiasModel, rows: usize, draw: u64, evaluation: &EvaluationSample) -> Result<Vec<String>> {
    let sample = Sample::new(&model.draw(rows, draw)?.table, evaluation)?;
    let corrected = |measure, shift| sample.corrected(&parity(measure, shift)?, &Logistic::default());
    let all = [
        ("uncorrected", sample.plain(&sample.past)?),
        ("scores", corrected(Measure::Scores, CovariateShift::Ignored)?),
        ("scores-shift-corrected", corrected(Measure::Scores, CovariateShift::Corrected)?),
        ("decisions", corrected(Measure::Decisions, CovariateShift::Ignored)?),
        ("true-labels", sample.plain(&sample.truth)?),
    ];
    Ok(all.iter().map(|(trained, evaluated)| format!("{rows},{draw},{trained},{:.6}", evaluated.accuracy)).collect())
}

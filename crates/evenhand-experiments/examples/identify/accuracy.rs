//! Classifiers from biased labels, with correction and without, beside one from true labels.

use evenhand::correction::Shift;
use evenhand::{Logistic, Measure};
use evenhand_datasets::synthetic::{Law, Making};

use crate::contender::{JUDGED_BY, Judges, Sample, parity};
use crate::{Result, each_draw, print};

pub(crate) fn run(rows: &[usize], draws: u64) -> Result<()> {
    let law = Making::default().law();
    let judges = law.draw(JUDGED_BY, 0)?;
    let judges = Judges::new(&judges, judges.table.clone());
    print("rows,draw,trained,accuracy");
    for &rows in rows {
        each_draw(draws, |draw| measure(&law, rows, draw, &judges))?;
    }
    Ok(())
}

fn measure(law: &Law, rows: usize, draw: u64, judges: &Judges) -> Result<Vec<String>> {
    let sample = Sample::new(&law.draw(rows, draw)?.table, judges)?;
    let corrected = |measure, shift| sample.corrected(&parity(measure, shift)?, &Logistic::default());
    let all = [
        ("uncorrected", sample.plain(&sample.past)?),
        ("scores", corrected(Measure::Scores, Shift::Kept)?),
        ("scores-undone", corrected(Measure::Scores, Shift::Undone)?),
        ("decisions", corrected(Measure::Decisions, Shift::Kept)?),
        ("true-labels", sample.plain(&sample.truth)?),
    ];
    Ok(all.iter().map(|(trained, judged)| format!("{rows},{draw},{trained},{:.6}", judged.accuracy)).collect())
}

//! Options in every combination, on people who are easy to fit.

use arbitrary::{Result, Unstructured};
use evenhand::correction::{
    CorrectionOptions, CovariateShift, Decisions, Keep, Lagrangian, Method, Technique, ThresholdPostprocessing, Tilt,
    Validation, WeightRange,
};
use evenhand::{Logistic, Measure, Preset};

use super::{Checked, fits};
use crate::ground::Ground;

const NOTIONS: [&str; 16] = [
    "demographic-parity",
    "disparate-impact",
    "paper-disparate-impact",
    "equal-opportunity",
    "equalized-odds",
    "predictive-equality",
    "equal-accuracy",
    "target-rate=0.2",
    "group-target-rate=0.3",
    "pinned=age<=30:0.8",
    "known-rate=sex=f:0.4",
    "rate=predicted positive given each group and labelled positive",
    "rate=predicted wrongly given sex=f at most 0.3",
    "rate=predicted positive given sex=f against sex=m and not labelled positive",
    "rate=predicted positive weighted by age given sex=f",
    "target-rate=maybe:0.1",
];

const GROUPS: [&str; 8] =
    ["sex", "race", "age/3", "sex*race", "age<=30", "race=Black,White", "sex*race=White,Black|Other", "score>0"];

const NUMBERS: [f64; 6] = [0.0, 1.0, 0.01, 0.05, 0.2, 0.8];

/// Numbers that most settings refuse.
const ODD: [f64; 6] = [-1.0, 10.0, f64::NAN, f64::INFINITY, 1e-320, 1e300];

pub(super) fn check(ground: &Ground, input: &[u8]) -> Checked {
    let from = &mut Unstructured::new(input);
    let (options, learner, classes) = draw(from).map_err(|error| error.to_string())?;
    let Ok(correction) = options.build() else { return Ok(false) };
    let data = if classes { &ground.two_classes } else { &ground.three_classes };
    fits::check(data, &correction, &learner)
}

fn draw(from: &mut Unstructured<'_>) -> Result<(CorrectionOptions, Logistic, bool)> {
    let notions = some(&NOTIONS, 1..=2, from)?.into_iter().filter_map(|text| text.parse().ok()).collect();
    let groups = some(&GROUPS, 1..=2, from)?.into_iter().filter_map(|text| text.parse().ok()).collect();
    let preset = *from.choose(&[Preset::Default, Preset::Default, Preset::Default, Preset::Paper, Preset::Notebook])?;
    let printed = preset != Preset::Default;
    let number = |from: &mut Unstructured<'_>, of: u8| -> Result<Option<f64>> {
        let list = if from.ratio(1, 12)? { &ODD } else { &NUMBERS };
        Ok(if from.ratio(1, of)? { Some(*from.choose(list)?) } else { None })
    };
    let options = CorrectionOptions {
        notions,
        groups,
        withhold: some(&["age", "sex", "score"], 0..=1, from)?.into_iter().map(str::to_owned).collect(),
        max_violation: number(from, 2)?.into_iter().map(Into::into).collect(),
        max_difference: number(from, 6)?.into_iter().map(Into::into).collect(),
        min_ratio: number(from, 6)?.into_iter().map(Into::into).collect(),
        method: method(from)?,
        preset,
        margin: if printed { None } else { number(from, 8)? },
        min_group: if printed { None } else { Some(*from.choose(&[0, 1, 30, usize::MAX])?) },
        // Few, so that many are tried.
        max_fits: if printed { None } else { Some(from.int_in_range(1..=12)?) },
        range: *from.choose(&[None, None, Some(WeightRange::Bounded), Some(WeightRange::Unbounded)])?,
        tilt: if printed { *from.choose(&[None, Some(Tilt::Paper), Some(Tilt::Centred)])? } else { None },
        step: if printed { number(from, 3)? } else { None },
        loops: if printed { Some(from.int_in_range(1..=8)?) } else { None },
        keep: if printed { *from.choose(&[None, Some(Keep::Best), Some(Keep::Last)])? } else { None },
        validation: *from.choose(&[
            Validation::Training,
            Validation::Training,
            Validation::Holdout { share: 0.3, seed: 1 },
        ])?,
        measure: *from.choose(&[Measure::Decisions, Measure::Decisions, Measure::Scores])?,
        technique: *from.choose(&[Technique::Weighting, Technique::Weighting, Technique::Sampling { seed: 3 }])?,
        covariate_shift: *from.choose(&[
            CovariateShift::Ignored,
            CovariateShift::Ignored,
            CovariateShift::Corrected,
        ])?,
        standardise: *from.choose(&[None, Some(true), Some(false)])?,
        interactions: *from.choose(&[None, Some(true), Some(false)])?,
        ..CorrectionOptions::default()
    };
    let learner = Logistic { l2: *from.choose(&[1.0, 1.0, 0.0, 1e-6, 100.0])?, max_passes: 60, ..Logistic::default() };
    Ok((options, learner, from.ratio(3, 4)?))
}

/// Some of a list, in any order, also twice.
fn some(
    list: &[&'static str],
    count: std::ops::RangeInclusive<usize>,
    from: &mut Unstructured<'_>,
) -> Result<Vec<&'static str>> {
    let count = from.int_in_range(count)?;
    (0..count).map(|_| from.choose(list).copied()).collect()
}

fn method(from: &mut Unstructured<'_>) -> Result<Method> {
    Ok(match from.int_in_range(0..=9)? {
        0 => Method::Unconstrained,
        1 => Method::Reweighing,
        2 => Method::ThresholdPostprocessing(ThresholdPostprocessing {
            decisions: *from.choose(&[Decisions::Randomised { seed: 0 }, Decisions::Deterministic])?,
        }),
        3 => Method::Lagrangian(Lagrangian { passes: 1, ..Lagrangian::default() }),
        4 => Method::PercentileThresholds,
        _ => Method::Correction,
    })
}

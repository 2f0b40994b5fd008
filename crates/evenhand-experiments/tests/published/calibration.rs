//! Calibration as the paper ran it, against its Table 1. Skipped without the datasets: see `support`.

use crate::support::data_folder;
use evenhand::correction::Silent;
use evenhand::{Method, Notion};
use evenhand_datasets::Recipe;
use evenhand_experiments::{Experiment, PaperMethod, published};

/// Those whose split is known.
const DATASETS: [&str; 4] = ["adult", "bank", "compas", "german"];

/// Half the last digit that the paper prints of violations; its errors are rounded or cut off.
const PRINTED: (f64, f64) = (1e-4, 0.5e-4);

/// Calibration as the paper ran it: seven of eight violations to the last digit that is printed. Equal opportunity on COMPAS depends on
/// ties (see below); its error is two test rows off, and that on Bank two of 8,238.
#[test]
fn calibration_gives_the_cells_of_table_1() {
    let mut exact = 0;
    for dataset in DATASETS {
        let Some(folder) = data_folder(dataset) else { return };
        let prepared = Recipe::named(dataset).unwrap().load(&folder).unwrap();
        for notion in [Notion::DemographicParity, Notion::EqualOpportunity] {
            let experiment = Experiment::new(&prepared, &notion).unwrap();
            let ours = experiment.measure(PaperMethod::Calibration, &mut Silent).unwrap().test;
            let theirs = published(dataset, &notion, PaperMethod::Calibration).unwrap();
            let (error, violation) = match (dataset, &notion) {
                ("compas", Notion::EqualOpportunity) => (0.0011, 0.0126),
                ("bank", Notion::EqualOpportunity) => (2.0 / 8_238.0, PRINTED.1),
                _ => PRINTED,
            };
            let apart = ((ours.error - theirs.error).abs(), (ours.violation.unwrap() - theirs.violation).abs());
            assert!(apart.0 <= error && apart.1 <= violation, "{dataset} {notion}: {ours:?}, {theirs:?}");
            exact += usize::from(apart.1 <= PRINTED.1);
        }
    }
    assert_eq!(exact, 7);
}

/// African-American women, by the groups of COMPAS: Female, Male, Caucasian, African-American.
const WOMEN: [bool; 4] = [true, false, false, true];

/// The 4,073 training rows of COMPAS have some 2,100 distinct scores. With the threshold of one pattern one score lower the published cell comes out.
#[test]
fn the_eighth_cell_is_one_score_of_one_pattern_away() {
    let Some(folder) = data_folder("compas") else { return };
    let compas = Recipe::named("compas").unwrap().load(&folder).unwrap();
    let settings = compas.correction(Notion::EqualOpportunity).method(Method::PercentileThresholds);
    let fitted = settings.fit(&compas.train, &compas.learner()).unwrap();
    // By pattern (Female, Male, Caucasian, African-American): score and whether labelled positive.
    let scored = |data: &evenhand::Dataset| -> Vec<([bool; 4], f64, bool)> {
        let scores = fitted.predict(data.table()).unwrap().scores;
        let groups = fitted.binding().groups().membership(data.table()).unwrap();
        let row = |row: usize| {
            let pattern = [0, 1, 2, 3].map(|group| groups.is_member(row, group));
            (pattern, scores[2 * row + 1], data.labels().codes().get(row) == 1)
        };
        (0..data.rows()).map(row).collect()
    };
    let (train, test) = (scored(&compas.train), scored(&compas.test));
    let mut distinct: Vec<u64> = train.iter().map(|row| row.1.to_bits()).collect();
    distinct.sort_unstable();
    distinct.dedup();
    assert!((2_000..2_200).contains(&distinct.len()), "{}", distinct.len());
    let names = ["sex=Female", "sex=Male", "race=Caucasian", "race=African-American"];
    let rules = &fitted.solution().thresholds.as_ref().unwrap().patterns;
    let usual = |pattern: [bool; 4]| {
        let own: Vec<&str> = (0..4).filter(|&at| pattern[at]).map(|at| names[at]).collect();
        rules.iter().find(|rule| rule.groups == own).unwrap().steps[0].at_least.unwrap()
    };
    let mut below: Vec<f64> = train.iter().filter(|row| row.0 == WOMEN && row.2).map(|row| row.1).collect();
    below.retain(|&score| score < usual(WOMEN));
    below.sort_unstable_by(f64::total_cmp);
    let lower = below[below.len() - 1];
    let measured = |lowered: bool| {
        let decided =
            |row: &([bool; 4], f64, bool)| row.1 >= if lowered && row.0 == WOMEN { lower } else { usual(row.0) };
        let errors = test.iter().filter(|row| decided(row) != row.2).count();
        let rate = |group: Option<usize>| {
            let of: Vec<_> = test.iter().filter(|row| row.2 && group.is_none_or(|group| row.0[group])).collect();
            of.iter().filter(|row| decided(row)).count() as f64 / of.len() as f64
        };
        let violation = (0..4).map(|group| (rate(None) - rate(Some(group))).abs()).fold(0.0, f64::max);
        (errors as f64 / test.len() as f64, violation)
    };
    let near = |(error, violation): (f64, f64), expected: (f64, f64)| {
        (error - expected.0).abs() <= PRINTED.0 && (violation - expected.1).abs() <= PRINTED.1
    };
    assert!(near(measured(false), (0.3173, 0.0381)), "{:?}", measured(false));
    let theirs = published("compas", &Notion::EqualOpportunity, PaperMethod::Calibration).unwrap();
    assert!(near(measured(true), (theirs.error, theirs.violation)), "{:?}", measured(true));
}

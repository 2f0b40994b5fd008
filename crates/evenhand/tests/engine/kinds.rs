//! Columns of codes: what groups are made of is a category to the learner too.

use evenhand::data::Categorical;
use evenhand::features::Code;
use evenhand::learner::LogisticModel;
use evenhand::{
    Column, Correction, Dataset, Fitted, Identify, Logistic, Notion, ReadOptions, Schema, Table, Termination, Warning,
};
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// By how much each code is above the middle: neither rising nor falling with the code, so that no straight line
/// through codes can make up for it.
const SHIFTS: [f64; 6] = [7.0, -7.0, 9.0, -5.0, 8.0, -6.0];

const ROWS: usize = 6000;

/// People with a code from 1, hours that differ by code, and a label that depends on hours.
fn census(schema: &Schema) -> Dataset {
    let mut random = ChaCha8Rng::seed_from_u64(5);
    let (mut codes, mut hours, mut labels) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROWS {
        let code = random.random_range(0..SHIFTS.len());
        let hour = SHIFTS[code] + 60.0 * random.random::<f64>();
        codes.push((code + 1) as f64);
        hours.push(hour);
        labels.push(Some(if 60.0 * random.random::<f64>() < hour { "1" } else { "0" }));
    }
    let columns = vec![
        ("code".to_owned(), Column::Numeric(codes)),
        ("hours".to_owned(), Column::Numeric(hours)),
        ("y".to_owned(), Column::Categorical(Categorical::from_values(labels))),
    ];
    Dataset::new(Table::new(columns, 2).unwrap(), schema).unwrap()
}

fn label() -> Schema {
    Schema::label("y")
}

fn fit(schema: &Schema, group: &str) -> Fitted<LogisticModel> {
    let correction = Correction::new(Notion::DemographicParity).group(group).unwrap();
    correction.fit(&census(schema), &Logistic::default()).unwrap()
}

fn is_category(fitted: &Fitted<LogisticModel>) -> bool {
    let encoded = fitted.binding().encoding().columns().iter().find(|one| one.column == "code").unwrap();
    matches!(encoded.code, Code::OneHot { .. })
}

fn violation(fitted: &Fitted<LogisticModel>) -> f64 {
    fitted.solution().train.violation.unwrap()
}

/// The table with other codes in place of its own.
fn recoded(table: &Table, code: Column) -> Table {
    let mut table = table.clone();
    table.set("code", code).unwrap();
    table
}

#[test]
fn groups_of_codes_are_evened_and_as_numbers_they_are_not() {
    for group in ["code", "code=1,2,5"] {
        let by_value = fit(&label(), group);
        assert!(is_category(&by_value) && violation(&by_value) < 0.01, "{group}: {}", violation(&by_value));
        let as_number = fit(&label().numeric("code"), group);
        assert!(!is_category(&as_number) && violation(&as_number) > 0.05, "{group}: {}", violation(&as_number));
    }
}

#[test]
fn it_is_the_same_as_saying_that_the_column_is_categorical() {
    let (by_value, said) = (fit(&label(), "code"), fit(&label().categorical("code"), "code"));
    assert_eq!(by_value.predictor(), said.predictor());
    let data = census(&label());
    let text = recoded(data.table(), Column::Categorical(data.table().column("code").unwrap().to_categorical()));
    let text = Dataset::new(text, &label()).unwrap();
    let correction = Correction::new(Notion::DemographicParity).group("code").unwrap();
    let of_text = correction.fit(&text, &Logistic::default()).unwrap();
    assert_eq!(by_value.predictor(), of_text.predictor());
}

#[test]
fn groups_that_notions_name_count_as_well_and_withheld_columns_are_not_seen() {
    let notion: Notion = "known-rate=code=2:0.4".parse().unwrap();
    let fitted = Correction::new(notion).fit(&census(&label()), &Logistic::default()).unwrap();
    assert!(is_category(&fitted));
    let correction = Correction::new(Notion::DisparateImpact).group("code").unwrap();
    let fitted = correction.fit(&census(&label()), &Logistic::default()).unwrap();
    assert!(fitted.binding().encoding().columns().iter().all(|one| one.column != "code"));
}

#[test]
fn identification_takes_codes_alike() {
    let found = |schema: &Schema| Identify::default().group("code=2").unwrap().run(&census(schema)).unwrap().0;
    let by_value = found(&label());
    assert!(by_value.stop == Termination::Converged && (0.3..0.6).contains(&by_value.effects[0].odds_ratio));
    // No multiplier makes the scores of a straight line through codes even.
    assert_ne!(found(&label().numeric("code")).stop, Termination::Converged);
}

#[test]
fn codes_that_no_group_names_are_told_of_once() {
    let warned = |schema: &Schema, group: &str| -> Vec<String> {
        let warned = |warning: &&Warning| matches!(warning, Warning::PossibleCodes { .. });
        fit(schema, group).warnings().iter().filter(warned).map(ToString::to_string).collect()
    };
    let said = warned(&label(), "hours<=20");
    assert_eq!(said.len(), 1);
    assert!(said[0].starts_with("column `code` has 6 whole-number values and is used as a number"), "{said:?}");
    assert!(warned(&label().numeric("code"), "hours<=20").is_empty());
    assert!(warned(&label().categorical("code"), "hours<=20").is_empty());
    assert!(warned(&label(), "code").is_empty() && warned(&label(), "code<=3").is_empty());
}

#[test]
fn what_is_numeric_when_a_file_is_read_is_numeric_to_the_learner() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("census.csv");
    census(&label()).table().write(&path).unwrap();
    let correction = Correction::new(Notion::DemographicParity).group("code").unwrap();
    for (options, category) in [(ReadOptions::default(), true), (ReadOptions::default().numeric(["code"]), false)] {
        let (data, _) = Dataset::read(&path, &label(), &options).unwrap();
        assert_eq!(is_category(&correction.fit(&data, &Logistic::default()).unwrap()), category);
    }
    let both = Dataset::read(&path, &label().categorical("code"), &ReadOptions::default().numeric(["code"]));
    assert_eq!(both.unwrap_err().code(), "setting-invalid");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn a_code_is_the_same_value_as_a_number_and_as_text(codes in prop::collection::vec(0u8..9, 1..40)) {
        let fitted = fit(&label(), "code");
        let rows: Vec<usize> = (0..codes.len()).collect();
        let table = census(&label()).table().select(&rows);
        let numbers = Column::Numeric(codes.iter().map(|&code| f64::from(code)).collect());
        let texts = Column::Categorical(Categorical::from_values(codes.iter().map(|code| Some(code.to_string()))));
        let of_numbers = fitted.predict(&recoded(&table, numbers)).unwrap();
        let of_texts = fitted.predict(&recoded(&table, texts)).unwrap();
        prop_assert_eq!(of_numbers.scores, of_texts.scores);
        // Codes that training never saw are told of alike: 0, 7 and 8.
        let unseen = codes.iter().filter(|&&code| code == 0 || code > 6).count();
        let warned = of_numbers.warnings.iter().any(|one| matches!(one, Warning::UnseenCategories { rows, .. } if *rows == unseen));
        prop_assert_eq!(warned, unseen > 0);
    }
}

//! Disparate impact as the paper's table has it: the groups' own indicators are withheld, and nothing else.

use crate::corrections::{dataset, fit};
use crate::model_files::model;
use crate::population::table;
use evenhand::correction::Binding;
use evenhand::data::Categorical;
use evenhand::{Column, Correction, Dataset, Model, Notion, Preset, Table, Tilt, Warning};

/// Two of four regions are groups, as two of five races are in the paper.
fn asked(groups: &[&str]) -> Correction {
    let correction = Correction::new(Notion::PaperDisparateImpact);
    groups.iter().fold(correction, |correction, group| correction.group(group).unwrap())
}

fn bound(correction: &Correction, data: &Dataset) -> (Binding, Vec<Warning>) {
    let (binding, _, warnings) = Binding::new(correction, data).unwrap();
    (binding, warnings)
}

fn proxies(warnings: &[Warning]) -> Vec<String> {
    warnings.iter().filter(|one| matches!(one, Warning::ExactProxy { .. })).map(ToString::to_string).collect()
}

#[test]
fn values_that_are_no_group_stay_features_and_the_groups_are_blind() {
    let data = dataset(table());
    let fitted = fit(&asked(&["sex", "region=north,south"]), &data);
    let mut names = fitted.binding().feature_names();
    names.iter_mut().filter(|name| name.starts_with("age_band")).for_each(|name| *name = "age_band".into());
    names.dedup();
    assert_eq!(names, ["income", "history", "region=east", "region=west", "age_band"]);
    assert_eq!(fitted.binding().withheld(), ["sex"]);
    // A model says who is in a group, as where whole columns are withheld.
    assert_eq!(fitted.solution().rule.tilt, Tilt::Expected);
    let quality = fitted.solution().memberships(fitted.binding());
    assert!(quality.iter().any(|one| one.group == "region=north"), "{quality:?}");
    // That rows have a value that is withheld is nothing new to say of new rows.
    assert!(fitted.predict(data.table()).unwrap().warnings.is_empty());
}

/// The same features made by hand: an indicator for each region that is no group, and the regions themselves withheld.
#[test]
fn it_is_the_fit_to_columns_that_were_made_by_hand() {
    let data = dataset(table());
    let mut by_hand = table();
    for value in ["east", "west"] {
        let region = by_hand.column("region").unwrap();
        let is_it = |row| f64::from(u8::from(region.text(row).as_deref() == Some(value)));
        let indicator = Column::Numeric((0..by_hand.rows()).map(is_it).collect());
        by_hand.set(&format!("in the {value}"), indicator).unwrap();
    }
    let groups = ["sex", "region=north,south"];
    let whole = Correction { notions: vec![Notion::DisparateImpact], ..asked(&groups) };
    for preset in [Preset::Default, Preset::Notebook] {
        let plain = |correction: Correction| {
            let mut correction = correction.preset(preset);
            correction.standardise = false;
            correction
        };
        let ours = fit(&plain(asked(&groups)), &data);
        let theirs = fit(&plain(whole.clone()), &dataset(by_hand.clone()));
        let (ours, theirs) = (ours.solution(), theirs.solution());
        assert_eq!((ours.train.errors, ours.fits), (theirs.train.errors, theirs.fits), "{preset:?}");
        assert!((ours.train.violation.unwrap() - theirs.train.violation.unwrap()).abs() < 1e-9, "{preset:?}");
    }
}

#[test]
fn a_column_without_other_values_or_with_numbers_is_withheld_whole() {
    let data = dataset(table());
    let (binding, warnings) = bound(&asked(&["region", "income<=40"]), &data);
    assert_eq!(binding.withheld(), ["income", "region"]);
    assert!(proxies(&warnings).is_empty());
    // And where both notions are asked for, the one that withholds more counts.
    let both = asked(&["region=north,south"]).and(Notion::DisparateImpact);
    assert_eq!(bound(&both, &data).0.withheld(), ["region"]);
}

#[test]
fn what_is_left_of_a_column_is_named_where_it_tells_the_group() {
    let data = dataset(table());
    let (_, warnings) = bound(&asked(&["region=north"]), &data);
    let expected = "the groups of column `region` are withheld from the learner, but what is left of the column, values that are no group, determines them exactly";
    assert_eq!(proxies(&warnings), [expected]);
    assert!(proxies(&bound(&asked(&["region=north,south"]), &data).1).is_empty());
}

#[test]
fn codes_are_values_like_any_others() {
    let mut table = table();
    let code = |row: usize| (row * row % 7) as f64;
    table.set("code", Column::Numeric((0..table.rows()).map(code).collect())).unwrap();
    let names = bound(&asked(&["code=1,2"]), &dataset(table)).0.feature_names();
    let codes: Vec<&String> = names.iter().filter(|name| name.starts_with("code")).collect();
    assert_eq!(codes, ["code=0", "code=4"]);
}

#[test]
fn a_missing_value_is_no_group_and_stays_a_feature() {
    let texts = |row: usize| (!row.is_multiple_of(5)).then_some(["a", "b"][row % 2]);
    let side = Column::Categorical(Categorical::from_values((0..6000).map(texts)));
    let mut table = table();
    table.set("side", side).unwrap();
    let (binding, _) = bound(&asked(&["side"]), &dataset(table));
    assert!(binding.withheld().is_empty());
    let own: Vec<String> = binding.feature_names().into_iter().filter(|name| name.starts_with("side")).collect();
    assert_eq!(own, ["side is missing"]);
}

#[test]
fn a_model_says_what_was_withheld_and_verifies() {
    let data = dataset(table());
    let model = model(&data, &asked(&["sex", "region=north,south"]), None);
    let text = model.to_json().unwrap();
    assert!(text.contains(r#""paper-disparate-impact""#) && text.contains(r#""withheld""#));
    let model = Model::from_json(&text).unwrap();
    let verdict = model.verify(data.table().clone()).unwrap();
    assert!(verdict.matches, "{verdict:?}");
    // Regions decide in so far as they are no groups: the groups' own are one to the model.
    let with = |region: &str| {
        let mut table: Table = data.table().clone();
        table.set("region", Column::Categorical(Categorical::from_values((0..6000).map(|_| Some(region))))).unwrap();
        model.predict(&table).unwrap().scores
    };
    assert_eq!(with("north"), with("south"));
    assert_ne!(with("north"), with("east"));
}

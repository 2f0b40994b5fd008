//! Groups of several values: corrected, kept in model files and found again in new rows, like any other group.

use crate::corrections::{dataset, fit};
use crate::model_files::model;
use crate::population::table;
use evenhand::correction::Binding;
use evenhand::data::Categorical;
use evenhand::{Column, Correction, Measure, Model, Notion, Table, Warning};
use serde_json::{Value, json};

const JOINED: &str = "sex*region=east,north|south";

fn asked(notion: Notion, group: &str) -> Correction {
    Correction::new(notion).group(group).unwrap()
}

/// The population, with one region under another name.
fn renamed(from: &str, to: &str) -> Table {
    let mut table = table();
    let region = table.column("region").unwrap().clone();
    let names: Vec<String> = (0..table.rows()).filter_map(|row| region.text(row)).collect();
    let names = names.iter().map(|name| Some(if name == from { to } else { name.as_str() }));
    table.set("region", Column::Categorical(Categorical::from_values(names))).unwrap();
    table
}

#[test]
fn joined_values_have_the_rates_of_one_value_in_their_place() {
    let (data, one) = (dataset(table()), dataset(renamed("south", "north")));
    let joined = fit(&asked(Notion::DemographicParity, "region=north|south").group("sex").unwrap(), &data);
    let expected = joined.binding().membership(data.table()).unwrap();
    let by_name = fit(&asked(Notion::DemographicParity, "region=north").group("sex").unwrap(), &one);
    let found = by_name.binding().membership(one.table()).unwrap();
    assert_eq!(joined.binding().group_names(), ["region=north|south", "sex=female", "sex=male"]);
    assert_eq!((expected.codes(), expected.counts()), (found.codes(), found.counts()));
    // Only the features differ: there is still one for each of the two regions.
    assert_eq!(joined.binding().width(), by_name.binding().width() + 1);
    assert!(joined.solution().train.violation.unwrap() < 0.01, "{:?}", joined.solution().train.violation);
}

#[test]
fn a_model_keeps_them_predicts_by_them_and_verifies() {
    let data = dataset(table());
    let model = model(&data, &asked(Notion::DemographicParity, JOINED), None);
    let names = [
        "sex=female & region=east",
        "sex=female & region=north|south",
        "sex=male & region=east",
        "sex=male & region=north|south",
    ];
    assert_eq!(model.binding.group_names(), names);
    let json = model.to_json().unwrap();
    let again = Model::from_json(&json).unwrap();
    assert_eq!(again, model);
    assert_eq!(again.predict(data.table()).unwrap(), model.predict(data.table()).unwrap());
    let verdict = again.verify(data.table().clone()).unwrap();
    assert!(verdict.matches, "{verdict:?}");
    let features = model.binding.feature_names();
    assert!(names.iter().all(|name| features.iter().any(|feature| feature == name)), "{features:?}");
}

#[test]
fn a_model_file_whose_joined_values_are_none_or_repeat_is_refused() {
    let model = model(&dataset(table()), &asked(Notion::DemographicParity, JOINED), None);
    let whole: Value = serde_json::from_str(&model.to_json().unwrap()).unwrap();
    for place in ["groups/1/conditions/1", "templates/0/parts/1/conditions/1"] {
        let path = format!("/binding/groups/{place}");
        let expected = json!({ "test": "one-of", "column": "region", "values": ["north", "south"] });
        assert_eq!(whole.pointer(&path), Some(&expected), "{path}");
        for values in [json!([]), json!(["north", "north"])] {
            let mut damaged = whole.clone();
            damaged.pointer_mut(&path).unwrap()["values"] = values;
            assert_eq!(Model::from_json(&damaged.to_string()).unwrap_err().code(), "model-format", "{path}");
        }
    }
}

#[test]
fn a_value_that_training_lacked_is_none_of_them() {
    let (data, other) = (dataset(table()), dataset(renamed("south", "centre")));
    let fitted = fit(&asked(Notion::DemographicParity, "sex*region=north|south"), &data);
    let (metrics, warnings) = fitted.evaluate(&other, Measure::Decisions).unwrap();
    let names: Vec<&str> = metrics.groups.iter().map(|group| group.name.as_str()).collect();
    assert_eq!(names, ["sex=female & region=north|south", "sex=male & region=north|south"]);
    assert!(!warnings.iter().any(|one| matches!(one, Warning::UnseenGroup { .. })), "{warnings:?}");
    let members = |table: &Table| fitted.binding().membership(table).unwrap().counts().iter().sum::<usize>();
    let region = other.table().column("region").unwrap();
    let is_centre = |&row: &usize| region.text(row).as_deref() == Some("centre");
    assert_eq!(members(data.table()) - members(other.table()), (0..other.rows()).filter(is_centre).count());
}

#[test]
fn the_papers_disparate_impact_withholds_each_of_them() {
    let data = dataset(table());
    let (binding, _, _) = Binding::new(&asked(Notion::PaperDisparateImpact, "region=north|south"), &data).unwrap();
    let regions: Vec<String> = binding.feature_names().into_iter().filter(|name| name.starts_with("region")).collect();
    assert_eq!(regions, ["region=east", "region=west"]);
    let (binding, _, _) = Binding::new(&asked(Notion::DisparateImpact, "region=north|south"), &data).unwrap();
    assert_eq!(binding.withheld(), ["region"]);
}

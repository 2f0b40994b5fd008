//! What must not matter to the decisions of a corrected classifier: the order of rows, the order
//! and the names of groups, the number of threads, and a group that is the complement of another.
use evenhand::data::{Categorical, Codes};
use evenhand::{Column, Correction, Dataset, Logistic, Notion, Schema, Table, Termination};
use evenhand_datasets::synthetic;

const NOTIONS: [Notion; 4] =
    [Notion::DemographicParity, Notion::DisparateImpact, Notion::EqualOpportunity, Notion::EqualizedOdds];

fn table() -> Table {
    synthetic::population(6_000, 11).unwrap()
}

fn dataset(table: Table) -> Dataset {
    Dataset::new(table, &Schema::label("approved").positive("yes").ignore("deserved")).unwrap()
}

/// The decisions of a classifier corrected for these groups, on the rows it was trained on.
fn decisions(data: &Dataset, notion: &Notion, groups: &[&str]) -> Codes {
    let settings = Correction::new(notion.clone());
    let settings = groups.iter().fold(settings, |settings, group| settings.group(group).unwrap());
    settings.fit(data, &Logistic::default()).unwrap().predict(data.table()).unwrap().decisions
}

/// Fails with how many decisions differ.
fn assert_same(one: &Codes, other: &Codes, notion: &Notion) {
    let differ = one.iter().zip(other.iter()).filter(|(one, other)| one != other).count();
    assert_eq!((one.len(), differ), (other.len(), 0), "{notion}");
}

#[test]
fn the_order_of_rows_does_not_matter() {
    let table = table();
    let backwards: Vec<usize> = (0..table.rows()).rev().collect();
    for notion in &NOTIONS {
        let forth = decisions(&dataset(table.clone()), notion, &["sex", "age_band=18-24"]);
        let back = decisions(&dataset(table.select(&backwards)), notion, &["sex", "age_band=18-24"]);
        assert_same(&forth, &back.select(&backwards), notion);
    }
}

#[test]
fn the_order_of_groups_does_not_matter() {
    let data = dataset(table());
    for notion in &NOTIONS {
        let one = decisions(&data, notion, &["sex=female", "age_band=18-24", "region"]);
        assert_same(&one, &decisions(&data, notion, &["region", "age_band=18-24", "sex=female"]), notion);
    }
}

#[test]
fn the_names_of_groups_do_not_matter() {
    let table = table();
    let mut renamed = table.clone();
    let sex = table.column("sex").unwrap();
    let names =
        (0..table.rows()).map(|row| sex.text(row).map(|text| if text == "female" { "b" } else { "a" }.to_owned()));
    let names: Vec<Option<String>> = names.collect();
    renamed.set("sex", Column::Categorical(Categorical::from_values(names.iter().map(Option::as_deref)))).unwrap();
    for notion in &NOTIONS {
        let one = decisions(&dataset(table.clone()), notion, &["sex=female", "age_band=18-24"]);
        assert_same(&one, &decisions(&dataset(renamed.clone()), notion, &["sex=b", "age_band=18-24"]), notion);
    }
}

/// Of notions that can be met: where the search ends short of its goal, its way there decides the last rows.
#[test]
fn the_complement_of_a_group_changes_no_prediction() {
    let data = dataset(table());
    for notion in &NOTIONS {
        let one = decisions(&data, notion, &["sex=female", "age_band=18-24"]);
        assert_same(&one, &decisions(&data, notion, &["sex=female", "sex=male", "age_band=18-24"]), notion);
        assert_same(&one, &decisions(&data, notion, &["sex=male", "age_band=18-24", "sex=female"]), notion);
    }
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    let data = dataset(table());
    for notion in &NOTIONS {
        let settings = Correction::new(notion.clone()).group("sex").unwrap().group("age_band").unwrap();
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let fitted = pool.install(|| settings.fit(&data, &Logistic::default()).unwrap());
            let bits: Vec<u64> = fitted.predictor().coefficients().iter().map(|one| one.to_bits()).collect();
            (bits, fitted.solution().multipliers.clone(), fitted.stop())
        };
        let (one, two) = (on(1), on(2));
        assert_eq!(one, two, "{notion}");
        assert_ne!(one.2, Termination::IterationLimit);
    }
}

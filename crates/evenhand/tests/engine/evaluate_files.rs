//! A model evaluated on new rows that are never all in memory, as on all of them at once.

use std::path::Path;

use evenhand::correction::StoredFiles;
use evenhand::data::{RowFiles, find_files};
use evenhand::model::{Evaluation, LearnerRecord};
use evenhand::{Bound, Logistic, Model, Notion, NotionBound, Result, Table, Warning};

use crate::row_files::shuffled;
use crate::stored::{asked, lines, saved, write};

fn in_files(model: &Model, folder: &Path, bounds: &[NotionBound]) -> Result<(Evaluation, Vec<Warning>)> {
    let (files, _) = RowFiles::open(&find_files(folder)?, &model.reading_all())?;
    model.evaluate_files(&StoredFiles { files: &files, watch: None }, bounds, 0.9)
}

fn in_memory(model: &Model, folder: &Path, bounds: &[NotionBound]) -> (Evaluation, Vec<Warning>) {
    let (table, _) = Table::read(folder, &model.reading_all()).unwrap();
    model.evaluate(&table, bounds, 0.9).unwrap()
}

/// Every number of an evaluation.
fn numbers(found: &Evaluation) -> Vec<f64> {
    fn walk(value: &serde_json::Value, out: &mut Vec<f64>) {
        match value {
            serde_json::Value::Number(number) => out.push(number.as_f64().unwrap()),
            serde_json::Value::Array(all) => all.iter().for_each(|one| walk(one, out)),
            serde_json::Value::Object(all) => all.values().for_each(|one| walk(one, out)),
            _ => {}
        }
    }
    let mut all = Vec::new();
    walk(&serde_json::to_value(found).unwrap(), &mut all);
    all
}

fn assert_close(one: &Evaluation, other: &Evaluation) {
    let (own, others) = (numbers(one), numbers(other));
    assert!(own.len() == others.len() && own.len() > 20);
    for (one, other) in own.iter().zip(&others) {
        assert!((one - other).abs() <= 1e-12 * (1.0 + other.abs()), "{one} {other}");
    }
    let words = |found: &Evaluation| -> Vec<String> {
        let bounds = found.bounds.iter().map(|test| format!("{:?}", test.verdict));
        found.metrics.groups.iter().map(|group| group.name.clone()).chain(bounds).collect()
    };
    assert_eq!(words(one), words(other));
}

/// A model of weighted rows, and a folder of new ones: with groups and categories that training rows did not have.
fn model(notion: Notion, unseen: bool) -> (Model, tempfile::TempDir) {
    let (train, new) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let all = lines(2);
    write(train.path(), "all.csv", &all);
    let model = saved(train.path(), &asked(notion).max_violation(0.02));
    let mut rows = shuffled(&all)[..17_000].to_vec();
    if unseen {
        for (at, line) in rows.iter_mut().enumerate() {
            match at % 100 {
                7 => *line = line.replace("White", "Green").replace("Black", "Green"),
                8 => *line = line.replace("job 2", "astronaut"),
                9 if at > 9_000 => *line = line.replace("White", "Blue"),
                _ => {}
            }
        }
    }
    write(new.path(), "a.csv", &rows[..6_000]);
    write(new.path(), "b.csv", &rows[6_000..]);
    (model, new)
}

#[test]
fn rows_in_files_are_judged_as_all_rows_at_once() {
    for (notion, unseen) in
        [(Notion::EqualizedOdds, false), (Notion::DemographicParity, true), (Notion::EqualOpportunity, true)]
    {
        let (model, folder) = model(notion.clone(), unseen);
        model.check_evaluate_files().unwrap();
        let own = [NotionBound::from(Bound::MaxDifference(0.1))];
        for bounds in [&[][..], &own] {
            let (found, warnings) = in_files(&model, folder.path(), bounds).unwrap();
            let (expected, of_all) = in_memory(&model, folder.path(), bounds);
            assert_close(&found, &expected);
            assert_eq!(warnings, of_all, "{notion}");
        }
        let (_, warnings) = in_files(&model, folder.path(), &[]).unwrap();
        let groups: Vec<&str> = warnings
            .iter()
            .filter_map(|warning| match warning {
                Warning::UnseenGroup { group, .. } => Some(group.as_str()),
                _ => None,
            })
            .collect();
        assert_eq!(groups, if unseen { vec!["race=Blue", "race=Green"] } else { Vec::new() });
    }
}

#[test]
fn what_is_wrong_is_said_as_with_rows_in_memory() {
    let (model, folder) = model(Notion::DemographicParity, false);
    let code = |found: Result<(Evaluation, Vec<Warning>)>| found.unwrap_err().code();
    let bad = [NotionBound::from(Bound::MaxViolation(2.0))];
    assert_eq!(code(in_files(&model, folder.path(), &bad)), "setting-invalid");
    let mut rows = lines(2);
    rows[5] = "Male,White,job 1,40,3.5,1,".into();
    write(folder.path(), "b.csv", &rows);
    assert_eq!(code(in_files(&model, folder.path(), &[])), "label-missing");
    rows[5] = "Male,White,job 1,40,3.5,-1,yes".into();
    write(folder.path(), "b.csv", &rows);
    assert_eq!(code(in_files(&model, folder.path(), &[])), "weight-invalid");
    rows[5] = "Male,White,job 1,40,3.5,1,perhaps".into();
    write(folder.path(), "b.csv", &rows);
    assert_eq!(code(in_files(&model, folder.path(), &[])), "class-unknown");
    for name in ["a.csv", "b.csv"] {
        std::fs::write(folder.path().join(name), "sex,race,job,age,amount,weight\nMale,White,job 1,40,3.5,1\n")
            .unwrap();
    }
    assert_eq!(code(in_files(&model, folder.path(), &[])), "column-unknown");
}

#[test]
fn a_model_that_needs_rows_in_memory_says_so() {
    let (mut model, _) = model(Notion::DemographicParity, false);
    model.settings.apply = evenhand::correction::Apply::Tilt;
    assert_eq!(model.check_evaluate_files().unwrap_err().code(), "needs-memory");
    let LearnerRecord::Logistic { settings, .. } = &model.learner else { panic!("it is one") };
    assert_eq!(*settings, Logistic::default());
}

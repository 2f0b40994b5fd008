//! Audits of rows that are never all in memory: the same value, to the last bit, as of all rows in memory, however rows are shuffled and cut.

use std::path::Path;

use crate::row_files::{self, draws, shuffled};
use evenhand::audit::{AuditOptions, AuditTask, RemoteAuditRows};
use evenhand::data::{RowFiles, find_files};
use evenhand::{Audit, Bound, Dataset, Error, GroupSpec, Groups, Notion, ReadOptions, Result, Schema, Table};

const ROWS: usize = 9_000;
const HEADER: &str = "sex,race,age,amount,weight,predicted,label,noise\n";

/// People with two attributes that overlap, missing values, weights that are far apart, and predictions.
fn lines(classes: usize) -> Vec<String> {
    let mut draw = draws(5);
    let line = |row: usize| {
        let (sex, race, age) = (draw(2), draw(10), 18 + draw(60));
        let named =
            |score: u64| ["no", "yes", "later"][(score * classes as u64 / 100).min(classes as u64 - 1) as usize];
        let (label, predicted) = (named(draw(70) + 30 * sex), named(draw(80) + 20 * sex));
        // The first chunk knows of no missing value of `race`.
        let race = if row > ROWS / 2 && draw(30) == 0 { "" } else { ["Black", "White"][usize::from(race > 2)] };
        let age = if draw(40) == 0 { String::new() } else { age.to_string() };
        let weight = [0.0, 0.3, 1.0, 7.5, 1e-7, 1e5][draw(6) as usize];
        format!("{},{race},{age},{},{weight},{predicted},{label},{row}", ["f", "m"][sex as usize], draw(9))
    };
    (0..ROWS).map(line).collect()
}

fn write(folder: &Path, name: &str, lines: &[String]) {
    row_files::write(folder, name, HEADER, lines);
}

fn schema(weighted: bool) -> Schema {
    let schema = Schema::label("label").positive("yes").ignore("noise");
    if weighted { schema.weight("weight") } else { schema.ignore("weight") }
}

fn reading(weighted: bool) -> ReadOptions {
    let ignored: &[&str] = if weighted { &["noise"] } else { &["noise", "weight"] };
    ReadOptions::default().ignore(ignored.iter().copied())
}

fn specs() -> Vec<GroupSpec> {
    ["sex", "race", "age/3", "sex*race"].map(|spec| spec.parse().unwrap()).to_vec()
}

/// Bounds and rates of one's own, one of them weighted by a column.
fn options() -> AuditOptions {
    let notions = [
        "demographic-parity",
        "equalized-odds",
        "equal-accuracy",
        "rate=predicted wrongly given sex=f against sex=m",
        "rate=predicted positive weighted by amount given race=Black",
    ];
    AuditOptions {
        notions: notions.map(|notion| notion.parse().unwrap_or_else(|error| panic!("{notion}: {error}"))).to_vec(),
        bounds: vec![Bound::MaxViolation(0.02), Bound::MaxDifference(0.3), Bound::MinRatio(0.8)],
        ..AuditOptions::default()
    }
}

/// What all rows in memory give.
fn in_memory(folder: &Path, weighted: bool, predictions: Option<&str>, options: &AuditOptions) -> Audit {
    let (data, _) = Dataset::read(folder, &schema(weighted), &ReadOptions::default()).unwrap();
    let (groups, warnings) = Groups::of(&specs(), &data).unwrap();
    let mut audit = Audit::of_dataset(&data, &groups, predictions, options).unwrap();
    audit.warnings.splice(0..0, warnings);
    audit
}

fn of_files(folder: &Path, weighted: bool, predictions: Option<&str>, options: &AuditOptions) -> Result<Audit> {
    let (files, _) = RowFiles::open(&find_files(folder)?, &reading(weighted))?;
    Audit::of_files(&files, &schema(weighted), &specs(), predictions, options, None)
}

/// Every bit of it: what is shown of a double for debugging tells it from every other.
fn bits(audit: &Audit) -> String {
    format!("{audit:?}")
}

#[test]
fn files_in_any_order_and_parts_give_the_audit_of_rows_in_memory() {
    for (classes, weighted) in [(2, false), (2, true), (3, true)] {
        let lines = lines(classes);
        let (whole, parts) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        write(whole.path(), "all.csv", &lines);
        let other = shuffled(&lines);
        for (at, part) in other.chunks(ROWS / 4 + 7).enumerate() {
            write(parts.path(), &format!("{at}.csv"), part);
        }
        let all = options();
        let labels = AuditOptions { notions: vec![Notion::DemographicParity], ..options() };
        for (predictions, options) in [(Some("predicted"), &all), (None, &labels)] {
            let expected = in_memory(whole.path(), weighted, predictions, options);
            assert!(expected.bounds.len() == 3 && expected.weighted == weighted && expected.rows == ROWS);
            for folder in [&whole, &parts] {
                let found = of_files(folder.path(), weighted, predictions, options).unwrap();
                assert_eq!(bits(&found), bits(&expected), "{classes} {weighted} {predictions:?}");
            }
        }
    }
}

/// Workers with rows, as a cluster has them.
struct Workers(Vec<Table>);

impl RemoteAuditRows for Workers {
    fn on_rows(&self, task: &[u8]) -> Result<Vec<Vec<u8>>> {
        let task = AuditTask::new(task)?;
        let answers = self.0.iter().filter_map(|part| task.on_rows(part).transpose()).collect::<Result<Vec<_>>>()?;
        // Some send what they have together.
        let (one, others) = answers.split_at(2);
        Ok([vec![task.merge(one)?], others.to_vec()].concat())
    }
}

#[test]
fn rows_on_other_machines_give_the_audit_of_rows_in_memory() {
    let folder = tempfile::tempdir().unwrap();
    let lines = lines(2);
    write(folder.path(), "all.csv", &lines);
    let expected = in_memory(folder.path(), true, Some("predicted"), &options());
    let (table, _) = Table::read(folder.path(), &reading(true)).unwrap();
    let rows: Vec<usize> = (0..ROWS).map(|at| at * 7919 % ROWS).collect();
    let workers = Workers(rows.chunks(1_700).map(|part| table.select(part)).collect());
    let found = Audit::of_remote(&workers, &schema(true), &specs(), Some("predicted"), &options()).unwrap();
    assert_eq!(bits(&found), bits(&expected));
}

#[test]
fn what_is_wrong_is_said_as_of_rows_in_memory() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "all.csv", &lines(2));
    let failed = |schema: &Schema, groups: &str, predictions: &str| -> Error {
        let (files, _) = RowFiles::open(&find_files(folder.path()).unwrap(), &ReadOptions::default()).unwrap();
        let specs = [groups.parse().unwrap()];
        Audit::of_files(&files, schema, &specs, Some(predictions), &AuditOptions::default(), None).unwrap_err()
    };
    let usual = Schema::label("label").positive("yes");
    for (schema, groups, predictions, lost) in [
        (&usual, "sexx", "predicted", "sexx"),
        (&usual, "sex", "predicte", "predicte"),
        (&Schema::label("labl").positive("yes"), "sex", "predicted", "labl"),
    ] {
        let error = failed(schema, groups, predictions);
        assert_eq!(error.code(), "column-unknown");
        assert!(error.to_string().contains(&format!("`{lost}`")) && error.to_string().contains("noise"), "{error}");
    }
    assert_eq!(failed(&usual, "sex", "race").code(), "label-missing");
    assert_eq!(failed(&usual, "sex=x", "predicted").code(), "group-value");
}

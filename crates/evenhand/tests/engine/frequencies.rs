//! A row of a frequency is that many rows, to the last bit: in memory, in blocks, in a scratch file; for fits, identifications, audits and model files; with continuous
//! columns, missing values, two and three classes.

use std::path::Path;

use evenhand::audit::AuditOptions;
use evenhand::correction::{Silent, StoredFiles, StoredFit};
use evenhand::data::{RowFiles, find_files};
use evenhand::learner::LogisticModel;
use evenhand::{Audit, Correction, Dataset, GroupSpec, Logistic, Notion, ReadOptions, Schema, Table};
use tempfile::TempDir;

use crate::row_files::shuffled;
use crate::stored::{ROWS, asked, asks, bits, lines, options, schema, settings, write};

/// Lines whose `weight` is 0 to 3.
fn counted(classes: usize) -> Vec<String> {
    let zero = |(at, line): (usize, String)| {
        let mut fields: Vec<&str> = line.split(',').collect();
        if at % 11 == 3 {
            fields[5] = "0";
        }
        fields.join(",")
    };
    lines(classes).into_iter().enumerate().map(zero).collect()
}

/// A folder of these lines as they are, and one in which each stands as often as it says, in another order and several files.
fn folders(all: &[String]) -> (TempDir, TempDir) {
    let (counted, repeated) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    write(counted.path(), "all.csv", all);
    let times = |line: &String| line.split(',').nth(5).unwrap().parse::<usize>().unwrap();
    let each: Vec<String> = all.iter().flat_map(|line| std::iter::repeat_n(line.clone(), times(line))).collect();
    let each = shuffled(&each);
    write(repeated.path(), "a.csv", &each[..10_001]);
    write(repeated.path(), "b.csv", &each[10_001..]);
    (counted, repeated)
}

fn by_frequency() -> (ReadOptions, Schema) {
    (ReadOptions::default().frequency("weight"), Schema::label("label").positive("yes"))
}

fn stored(folder: &Path, (options, schema): &(ReadOptions, Schema), notion: Notion, memory: usize) -> StoredFit {
    let (files, _) = RowFiles::open(&find_files(folder).unwrap(), options).unwrap();
    let (correction, learner) = (asked(notion), Logistic::default());
    correction.fit_files(&files, schema, &learner, &settings(memory), None, &mut Silent).unwrap()
}

#[test]
fn in_blocks_and_in_a_scratch_file() {
    for (classes, notion) in [(2, Notion::EqualizedOdds), (3, Notion::DemographicParity)] {
        let (counted, repeated) = folders(&counted(classes));
        let expected = stored(repeated.path(), &(options(false), schema(false)), notion.clone(), usize::MAX);
        assert!(expected.rows > ROWS + ROWS / 2);
        for memory in [usize::MAX, 0] {
            let found = stored(counted.path(), &by_frequency(), notion.clone(), memory);
            assert_eq!((found.rows, found.sample_rows), (expected.rows, expected.sample_rows));
            assert_eq!(bits(&found), bits(&expected), "{notion} {memory}");
        }
    }
}

/// Coefficients, multipliers and decisions on rows that are each there once.
fn in_memory(data: &Dataset, correction: &Correction, once: &Table) -> (Vec<u64>, Vec<u64>, Vec<usize>) {
    let fitted = correction.fit(data, &Logistic::default()).unwrap();
    let of = |numbers: &[f64]| numbers.iter().map(|number| number.to_bits()).collect::<Vec<_>>();
    let model: &LogisticModel = fitted.predictor();
    let decisions = fitted.predict(once).unwrap().decisions.iter().collect();
    (of(model.coefficients()), of(&fitted.solution().multipliers), decisions)
}

#[test]
fn in_memory_for_fits_identifications_and_audits() {
    for (classes, notion) in [(2, Notion::EqualOpportunity), (3, Notion::DemographicParity)] {
        let all = counted(classes);
        let (counted, repeated) = folders(&all);
        let (options_of, schema_of) = by_frequency();
        let (one, _) = Dataset::read(counted.path(), &schema_of, &options_of).unwrap();
        let (other, _) = Dataset::read(repeated.path(), &schema(false), &options(false)).unwrap();
        let (once, _) = Table::read(counted.path(), &options(false)).unwrap();
        assert_eq!((once.rows(), one.rows()), (ROWS, other.rows()));
        let correction = asked(notion.clone());
        assert!(in_memory(&one, &correction, &once) == in_memory(&other, &correction, &once), "{notion}");
        let identified = [&one, &other].map(|data| asks(notion.clone()).run(data).unwrap().0);
        assert_eq!(identified[0], identified[1], "{notion}");
        // A weight is something else: it counts relative to the mean, and for importance.
        let (weighted, _) = Dataset::read(counted.path(), &schema(true), &options(true)).unwrap();
        assert!(in_memory(&weighted, &correction, &once).0 != in_memory(&one, &correction, &once).0);
    }
}

#[test]
fn in_audits_of_files() {
    let (counted, repeated) = folders(&counted(2));
    let specs: Vec<GroupSpec> = ["sex", "race", "age/3"].iter().map(|spec| spec.parse().unwrap()).collect();
    let audit = |folder: &Path, options: &ReadOptions, schema: &Schema| {
        let (files, _) = RowFiles::open(&find_files(folder).unwrap(), options).unwrap();
        let found = Audit::of_files(&files, schema, &specs, None, &AuditOptions::default(), None).unwrap();
        format!("{found:?}")
    };
    let (options_of, schema_of) = by_frequency();
    let expected = audit(repeated.path(), &options(false), &schema(false));
    assert!(audit(counted.path(), &options_of, &schema_of) == expected);
}

#[test]
fn in_a_bias_identified_from_files() {
    let (counted, repeated) = folders(&counted(2));
    let identify = |folder: &Path, options: &ReadOptions, schema: &Schema, memory: usize| {
        let (files, _) = RowFiles::open(&find_files(folder).unwrap(), options).unwrap();
        let rows = StoredFiles { files: &files, watch: None };
        asks(Notion::EqualOpportunity).run_files(&rows, schema, &settings(memory)).unwrap().found
    };
    let (options_of, schema_of) = by_frequency();
    let expected = identify(repeated.path(), &options(false), &schema(false), usize::MAX);
    assert_eq!(identify(counted.path(), &options_of, &schema_of, 0), expected);
}

#[test]
fn what_is_no_frequency_is_said_with_file_and_row() {
    let folder = tempfile::tempdir().unwrap();
    let mut all = counted(2);
    write(folder.path(), "a.csv", &all);
    all[4] = "Female,White,job 1,41,17.5,1.5,yes".into();
    write(folder.path(), "b.csv", &all);
    let (options, schema) = by_frequency();
    let (files, _) = RowFiles::open(&find_files(folder.path()).unwrap(), &options).unwrap();
    assert!(!files.names().contains(&"weight".to_owned()) && files.rows().is_none());
    let learner = Logistic::default();
    let settings = settings(0);
    let found = asked(Notion::DemographicParity)
        .fit_files(&files, &schema, &learner, &settings, None, &mut Silent)
        .unwrap_err();
    assert_eq!(found.code(), "frequency-invalid");
    assert!(found.to_string().contains("b.csv") && found.to_string().contains("row 6: `1.5`"), "{found}");
    let missing = ReadOptions::default().frequency("count");
    assert_eq!(RowFiles::open(&find_files(folder.path()).unwrap(), &missing).unwrap_err().code(), "column-unknown");
}

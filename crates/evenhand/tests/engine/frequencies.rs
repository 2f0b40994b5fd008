//! A row of a frequency is that many rows, to the last bit: in memory, in blocks, in a scratch file, on other machines; for fits, identifications, audits and model files; with continuous
//! columns, missing values, two and three classes.

use std::path::Path;

use evenhand::audit::AuditOptions;
use evenhand::correction::{Silent, StoredFiles, StoredFit, StoredSettings};
use evenhand::data::{RowFiles, find_files};
use evenhand::learner::LogisticModel;
use evenhand::{Audit, Correction, Dataset, GroupSpec, Logistic, Notion, ReadOptions, Schema, Table};
use tempfile::TempDir;

use crate::row_files::shuffled;
use crate::stored::{ROWS, asked, asks, bits, counted_workers, lines, options, schema, settings, write};

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
        for parts in [1, 7] {
            let workers = counted_workers(counted.path(), parts, "weight");
            let (schema, learner) = (by_frequency().1, Logistic::default());
            let found =
                asked(notion.clone()).fit_remote(&workers, &schema, &learner, &settings(0), &mut Silent).unwrap();
            assert_eq!((found.rows, bits(&found)), (expected.rows, bits(&expected)), "{notion} on {parts} machines");
        }
    }
}

/// A few kinds of rows of which there are very many: no row is repeated, and the sample has most kinds.
#[test]
fn very_many_rows_of_a_few_kinds() {
    let (millions, counted, repeated) =
        (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let kind = |line: &String, times: &str| {
        let mut fields: Vec<&str> = line.split(',').collect();
        let age = format!("{}", fields[3].parse::<u32>().unwrap() / 30 * 30);
        (fields[2], fields[3], fields[4], fields[5]) = ("job", &age, "1", times);
        fields.join(",")
    };
    let some = &lines(2)[..2_000];
    let of = |times: &str| -> Vec<String> { some.iter().map(|line| kind(line, times)).collect() };
    write(millions.path(), "all.csv", &of("3000000"));
    write(counted.path(), "all.csv", &of("12"));
    write(repeated.path(), "all.csv", &std::iter::repeat_n(of("1"), 12).flatten().collect::<Vec<_>>());
    let (notion, plain) = (Notion::DemographicParity, (options(false), schema(false)));
    let expected = stored(repeated.path(), &plain, notion.clone(), usize::MAX);
    let found = stored(counted.path(), &by_frequency(), notion.clone(), usize::MAX);
    assert_eq!((found.rows, bits(&found)), (24_000, bits(&expected)));
    assert!(found.distinct_rows.is_some_and(|rows| rows < 40), "{:?}", found.distinct_rows);
    let found = stored(millions.path(), &by_frequency(), notion, 0);
    assert_eq!((found.rows, found.distinct_rows), (6_000_000_000, None));
    // About as many as were asked for, in the shares that all rows have.
    assert!(found.sample_rows > 3_900 && found.sample_rows < 4_100, "{}", found.sample_rows);
    assert!(found.passes < 40, "{}", found.passes);
    // Unless told how many, as many as bring a step's error to a 32nd of what the rows of the smallest group can tell.
    write(millions.path(), "all.csv", &of("3000"));
    let smallest = some.iter().filter(|line| line.contains("Black")).count() as f64;
    let (files, _) = RowFiles::open(&find_files(millions.path()).unwrap(), &by_frequency().0).unwrap();
    let own = StoredSettings::default();
    let correction = asked(Notion::DemographicParity);
    let fit = correction.fit_files(&files, &by_frequency().1, &Logistic::default(), &own, None, &mut Silent).unwrap();
    let enough = 6e6 * 32.0 / (3000.0 * smallest).sqrt();
    assert!((fit.sample_rows as f64 / enough - 1.0).abs() < 1e-3, "{} {enough}", fit.sample_rows);
    let violation = |fit: &StoredFit| fit.evaluated()[1].metrics().violation.unwrap();
    assert!((violation(&found) - violation(&expected)).abs() < 1e-3, "{} {}", violation(&found), violation(&expected));
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

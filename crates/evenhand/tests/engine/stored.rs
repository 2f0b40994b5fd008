//! Rows that are never all in memory: the same bits whatever their order, how they are cut, and where blocks are kept; and close to what all rows in
//! memory give.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use evenhand::correction::{RemoteRows, RemoteTask, Silent, StoredFit, StoredSettings};
use evenhand::data::{RowFiles, find_files};
use evenhand::learner::LogisticModel;
use evenhand::model::LearnerRecord;
use evenhand::{Correction, Dataset, Error, Logistic, Model, Notion, ReadOptions, Result, Schema, Table};

const ROWS: usize = 24_000;
const HEADER: &str = "sex,race,job,age,amount,weight,label\n";

/// Rows as lines of text, with two attributes that overlap, a number with few values, one with many, missing values of each kind.
fn lines(classes: usize) -> Vec<String> {
    let mut state = 9_u64;
    let mut draw = |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let line = |_| {
        let (sex, race, job, age, amount) = (draw(2), draw(10), draw(7), draw(60), draw(100_000));
        let score = 900 + 500 * sex + if race < 2 { 0 } else { 300 } + 60 * job + 10 * age + draw(2000);
        let label = ["no", "yes", "later"][((score * classes as u64) / 4400).min(classes as u64 - 1) as usize];
        let job = if draw(50) == 0 { String::new() } else { format!("job {job}") };
        let amount = if draw(40) == 0 { String::new() } else { format!("{}", amount as f64 / 7.0) };
        let race = if race < 2 { "Black" } else { "White" };
        let weight = 1 + draw(3);
        format!("{},{race},{job},{},{amount},{weight},{label}", ["Female", "Male"][sex as usize], 18 + age)
    };
    (0..ROWS).map(line).collect()
}

fn write(folder: &Path, name: &str, lines: &[String]) {
    let mut text = HEADER.to_owned();
    for line in lines {
        writeln!(text, "{line}").unwrap();
    }
    std::fs::write(folder.join(name), text).unwrap();
}

/// The lines in another order: every so many.
fn shuffled(lines: &[String]) -> Vec<String> {
    (0..lines.len()).map(|at| lines[at * 7919 % lines.len()].clone()).collect()
}

fn schema(weighted: bool) -> Schema {
    let schema = Schema::label("label").positive("yes");
    if weighted { schema.weight("weight") } else { schema.ignore("weight") }
}

fn options(weighted: bool) -> ReadOptions {
    let options = ReadOptions::default();
    if weighted { options } else { options.ignore(["weight"]) }
}

fn asked(notion: Notion) -> Correction {
    Correction::new(notion).group("sex").unwrap().group("race").unwrap()
}

fn settings(memory: usize) -> StoredSettings {
    StoredSettings { memory, sample_rows: 4_000, seed: 1 }
}

fn fit(folder: &Path, correction: &Correction, weighted: bool, memory: usize) -> Result<StoredFit> {
    let (files, _) = RowFiles::open(&find_files(folder)?, &options(weighted))?;
    correction.fit_files(&files, &schema(weighted), &Logistic::default(), &settings(memory), None, &mut Silent)
}

/// All bits of a result.
fn bits(fit: &StoredFit) -> (Vec<u64>, Vec<u64>, String) {
    let of = |numbers: &[f64]| numbers.iter().map(|number| number.to_bits()).collect::<Vec<_>>();
    let multipliers: Vec<f64> = fit.fitted.multipliers().map(|(_, value)| value).collect();
    (of(fit.fitted.predictor().coefficients()), of(&multipliers), fit.digest())
}

/// Workers with rows, as a cluster has them: every part of the rows answers for itself.
struct Workers {
    parts: Vec<Table>,
    blocks: std::sync::Mutex<Vec<Vec<u8>>>,
    /// The block of one part comes out differently once it is made anew.
    changes: bool,
}

impl RemoteRows for Workers {
    fn on_rows(&self, task: &[u8]) -> Result<Vec<Vec<u8>>> {
        let task = RemoteTask::new(task)?;
        self.parts.iter().map(|part| task.on_rows(part)).collect()
    }

    fn encode(&self, task: &[u8]) -> Result<Vec<Vec<u8>>> {
        let task = RemoteTask::new(task)?;
        let mut known = Vec::new();
        for part in &self.parts {
            let (block, of_block) = task.encode(part)?;
            self.blocks.lock().unwrap().push(block);
            known.push(of_block);
        }
        Ok(vec![task.merge(&known)?])
    }

    fn on_blocks(&self, task: &[u8]) -> Result<Vec<Vec<u8>>> {
        let (task, mut blocks) = (RemoteTask::new(task)?, self.blocks.lock().unwrap());
        if self.changes {
            let last = blocks.len() - 1;
            let first = blocks[0].clone();
            blocks[last] = first;
        }
        let answers = blocks.iter().map(|block| task.on_block(block)).collect::<Result<Vec<_>>>()?;
        if task.merges() { Ok(vec![task.merge(&answers)?]) } else { Ok(answers) }
    }
}

fn workers(folder: &Path, parts: usize, weighted: bool) -> Workers {
    let (files, _) = RowFiles::open(&find_files(folder).unwrap(), &options(weighted)).unwrap();
    let all = files.read_all().unwrap();
    let part = |at: usize| all.select(&(at..all.rows()).step_by(parts).collect::<Vec<_>>());
    Workers { parts: (0..parts).map(part).collect(), blocks: Vec::new().into(), changes: false }
}

#[test]
fn neither_order_nor_files_nor_memory_nor_machines_show_in_a_bit() {
    for (classes, weighted, notion) in
        [(2, false, Notion::DemographicParity), (2, true, Notion::EqualizedOdds), (3, true, Notion::DemographicParity)]
    {
        let all = lines(classes);
        let (whole, cut) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        write(whole.path(), "all.csv", &all);
        let other = shuffled(&all);
        write(cut.path(), "a.csv", &other[..5]);
        write(cut.path(), "b.csv", &other[5..15_000]);
        write(cut.path(), "c.csv", &other[15_000..]);
        let correction = asked(notion);
        let first = fit(whole.path(), &correction, weighted, usize::MAX).unwrap();
        assert!(first.passes < 60 && first.sample_rows > 3_000 && first.sample_rows < 5_000, "{}", first.passes);
        assert_eq!(bits(&first), bits(&fit(cut.path(), &correction, weighted, usize::MAX).unwrap()), "cut");
        assert_eq!(bits(&first), bits(&fit(whole.path(), &correction, weighted, 0).unwrap()), "scratch file");
        for parts in [1, 2, 5, 16] {
            let workers = workers(cut.path(), parts, weighted);
            let learner = Logistic::default();
            let found =
                correction.fit_remote(&workers, &schema(weighted), &learner, &settings(0), &mut Silent).unwrap();
            assert_eq!(bits(&first), bits(&found), "{parts} parts");
        }
    }
}

#[test]
fn it_ends_where_all_rows_in_memory_end() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "all.csv", &lines(2));
    let correction = asked(Notion::DemographicParity);
    let stored = fit(folder.path(), &correction, false, usize::MAX).unwrap();
    let (data, _) = Dataset::read(folder.path(), &schema(false), &options(false)).unwrap();
    let whole = correction.fit(&data, &Logistic::default()).unwrap();
    let [before, after] = stored.evaluated();
    let uncorrected = correction.uncorrected(whole.problem(), &Logistic::default()).unwrap();
    assert!((before.metrics().error - uncorrected.train.error).abs() < 1e-9);
    assert!(before.metrics().violation.unwrap() > 0.1);
    // As even as the rows can tell, either way.
    for violation in [after.metrics().violation.unwrap(), whole.solution().train.violation.unwrap()] {
        assert!(violation < 0.004, "{violation}");
    }
    assert!((after.metrics().error - whole.solution().train.error).abs() < 0.003);
    let [one, other] =
        [stored.fitted.predict(data.table()), whole.predict(data.table())].map(|found| found.unwrap().decisions);
    let otherwise = one.iter().zip(other.iter()).filter(|(one, other)| one != other).count();
    assert!(otherwise < ROWS / 50, "{otherwise}");
}

#[test]
fn its_model_file_is_verified_by_rows_in_memory_in_any_order() {
    let all = lines(2);
    let (one, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    write(one.path(), "all.csv", &all);
    write(other.path(), "all.csv", &shuffled(&all));
    let correction = asked(Notion::DemographicParity);
    let found = fit(one.path(), &correction, true, 0).unwrap();
    let record =
        |model: &LogisticModel| LearnerRecord::Logistic { settings: Logistic::default(), model: model.clone() };
    let model = Model::of_stored(&correction, &found, record);
    let read = |folder: &Path| Table::read(folder, &options(true)).unwrap().0;
    let model = model.read_as(&options(true), &read(one.path()));
    for folder in [one.path(), other.path()] {
        let verdict = model.verify(read(folder)).unwrap();
        assert!(verdict.matches, "{:?}", verdict.checks.iter().map(|one| &one.detail).collect::<Vec<_>>());
    }
    write(other.path(), "all.csv", &all[..ROWS - 1]);
    assert!(!model.verify(read(other.path())).unwrap().matches);
}

#[test]
fn rows_that_change_between_passes_are_noticed() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "all.csv", &lines(2));
    let workers = Workers { changes: true, ..workers(folder.path(), 4, false) };
    let found = asked(Notion::DemographicParity).fit_remote(
        &workers,
        &schema(false),
        &Logistic::default(),
        &settings(0),
        &mut Silent,
    );
    assert_eq!(found.unwrap_err().code(), "rows-changed");
}

#[test]
fn what_is_wrong_is_said_with_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let all = lines(2);
    write(folder.path(), "a.csv", &all[..12_000]);
    let correction = asked(Notion::DemographicParity);
    let failed = |fit: Result<StoredFit>| fit.unwrap_err();

    let mut rest = all[12_000..].to_vec();
    rest[7] = "Male,White,job 1,40,3.5,1,".into();
    write(folder.path(), "b.csv", &rest);
    let error = failed(fit(folder.path(), &correction, false, usize::MAX));
    assert_eq!(error.code(), "label-missing");
    assert!(error.to_string().contains("b.csv") && error.to_string().contains("row 9"), "{error}");

    std::fs::write(folder.path().join("b.csv"), "sex,race,label\nMale,White,yes\n").unwrap();
    let error = failed(fit(folder.path(), &correction, false, usize::MAX));
    assert!(error.code() == "column-unknown" && error.to_string().contains("b.csv"), "{error}");

    std::fs::write(folder.path().join("b.csv"), "sex,race,weight,label\nMale,White,1,yes\n").unwrap();
    let error = failed(fit(folder.path(), &correction, false, usize::MAX));
    assert_eq!(error.code(), "file-other-columns");
    assert!(error.to_string().contains("b.csv"), "{error}");

    std::fs::write(folder.path().join("b.csv"), "").unwrap();
    assert_eq!(failed(fit(folder.path(), &correction, false, usize::MAX)).code(), "no-rows");

    let nowhere: PathBuf = folder.path().join("*.parquet");
    assert_eq!(find_files(&nowhere).unwrap_err().code(), "no-rows");
}

#[test]
fn what_needs_rows_in_memory_is_refused_before_any_is_read() {
    let nothing = Workers { parts: Vec::new(), blocks: Vec::new().into(), changes: false };
    let learner = Logistic::default();
    for correction in [
        asked(Notion::DisparateImpact),
        asked(Notion::DemographicParity).validation("k-fold".parse().unwrap()),
        asked(Notion::DemographicParity).method(evenhand::Method::Reweighing),
    ] {
        let found = correction.fit_remote(&nothing, &schema(false), &learner, &settings(0), &mut Silent);
        assert!(matches!(found.unwrap_err(), Error::NotStored { .. }));
    }
}

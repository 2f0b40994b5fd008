//! Rows that are never all in memory: the same bits whatever their order, how they are cut, and where blocks are kept; and close to what all rows in
//! memory give.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::row_files::{self, draws, shuffled};
use evenhand::correction::{
    Frontier, PassWatch, RemoteRows, RemoteTask, Silent, StoredFiles, StoredFit, StoredFrontier, StoredSettings,
};
use evenhand::data::{RowFiles, find_files};
use evenhand::identify::{Identification, StoredIdentification};
use evenhand::learner::LogisticModel;
use evenhand::model::{LearnerRecord, Verdict};
use evenhand::{
    Correction, Dataset, Error, Identify, Logistic, Model, Notion, ReadOptions, Result, Schema, Table, Warning,
};

pub(crate) const ROWS: usize = 24_000;
const HEADER: &str = "sex,race,job,age,amount,weight,label\n";

/// Rows as lines of text, with two attributes that overlap, a number with few values, one with many, missing values of each kind.
pub(crate) fn lines(classes: usize) -> Vec<String> {
    let mut draw = draws(9);
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

pub(crate) fn write(folder: &Path, name: &str, lines: &[String]) {
    row_files::write(folder, name, HEADER, lines);
}

pub(crate) fn schema(weighted: bool) -> Schema {
    let schema = Schema::label("label").positive("yes");
    if weighted { schema.weight("weight") } else { schema.ignore("weight") }
}

pub(crate) fn options(weighted: bool) -> ReadOptions {
    let options = ReadOptions::default();
    if weighted { options } else { options.ignore(["weight"]) }
}

pub(crate) fn asked(notion: Notion) -> Correction {
    Correction::new(notion).group("sex").unwrap().group("race").unwrap()
}

pub(crate) fn settings(memory: usize) -> StoredSettings {
    StoredSettings { memory, sample_rows: Some(4_000), seed: 1 }
}

fn fit(folder: &Path, correction: &Correction, weighted: bool, memory: usize) -> Result<StoredFit> {
    let (files, _) = RowFiles::open(&find_files(folder)?, &options(weighted))?;
    correction.fit_files(&files, &schema(weighted), &Logistic::default(), &settings(memory), None, &mut Silent)
}

/// All bits of a result.
pub(crate) fn bits(fit: &StoredFit) -> (Vec<u64>, Vec<u64>, String) {
    let of = |numbers: &[f64]| numbers.iter().map(|number| number.to_bits()).collect::<Vec<_>>();
    let multipliers: Vec<f64> = fit.fitted.multipliers().map(|(_, value)| value).collect();
    (of(fit.fitted.predictor().coefficients()), of(&multipliers), fit.digest())
}

/// Workers with rows, as a cluster has them: every part of the rows answers for itself.
pub(crate) struct Workers {
    parts: Vec<Table>,
    /// Of each part.
    blocks: std::sync::Mutex<Vec<Vec<Vec<u8>>>>,
    /// The block of one part comes out differently once it is made anew.
    changes: bool,
    /// The column that says how often each row counts.
    frequency: Option<String>,
}

impl RemoteRows for Workers {
    fn on_rows(&self, task: &[u8]) -> Result<Vec<Vec<u8>>> {
        let task = RemoteTask::new(task)?;
        self.parts.iter().filter_map(|part| task.on_rows(part).transpose()).collect()
    }

    fn encode(&self, task: &[u8]) -> Result<Vec<Vec<u8>>> {
        let task = RemoteTask::new(task)?;
        let mut known = Vec::new();
        for part in &self.parts {
            let (blocks, of_blocks): (Vec<_>, Vec<_>) = task.encode(part)?.into_iter().unzip();
            self.blocks.lock().unwrap().push(blocks);
            known.extend(of_blocks);
        }
        Ok(vec![task.merge(&known)?])
    }

    fn aggregate(&self, task: &[u8]) -> Result<Vec<Vec<u8>>> {
        let (task, mut known) = (RemoteTask::new(task)?, Vec::new());
        for part in self.blocks.lock().unwrap().iter_mut() {
            let mut once = task.aggregation()?;
            let mut made = Vec::new();
            for block in part.iter() {
                made.extend(once.add(block)?);
            }
            made.extend(once.finish()?);
            let (blocks, of_blocks): (Vec<_>, Vec<_>) = made.into_iter().unzip();
            *part = blocks;
            known.push(task.merge(&of_blocks)?);
        }
        Ok(known)
    }

    fn on_blocks(&self, task: &[u8]) -> Result<Vec<Vec<u8>>> {
        let (task, mut blocks) = (RemoteTask::new(task)?, self.blocks.lock().unwrap());
        if self.changes {
            let last = blocks.len() - 1;
            let first = blocks[0].clone();
            blocks[last] = first;
        }
        let of_part = |part: &Vec<Vec<u8>>| -> Result<Vec<Vec<u8>>> {
            let answers = part.iter().map(|block| task.on_block(block)).collect::<Result<Vec<_>>>()?.concat();
            if task.merges() { Ok(vec![task.merge(&answers)?]) } else { Ok(answers) }
        };
        Ok(blocks.iter().map(of_part).collect::<Result<Vec<_>>>()?.concat())
    }

    fn frequency(&self) -> Option<&str> {
        self.frequency.as_deref()
    }
}

/// All rows of a folder, every so many of them at one worker, each of which counts as often as a column says.
pub(crate) fn counted_workers(folder: &Path, parts: usize, frequency: &str) -> Workers {
    Workers { frequency: Some(frequency.to_owned()), ..workers(folder, parts, true) }
}

fn workers(folder: &Path, parts: usize, weighted: bool) -> Workers {
    workers_of(&RowFiles::open(&find_files(folder).unwrap(), &options(weighted)).unwrap().0, parts)
}

fn workers_of(files: &RowFiles, parts: usize) -> Workers {
    let all = files.read_all().unwrap();
    let part = |at: usize| all.select(&(at..all.rows()).step_by(parts).collect::<Vec<_>>());
    Workers { parts: (0..parts).map(part).collect(), blocks: Vec::new().into(), changes: false, frequency: None }
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
        assert_eq!(first.distinct_rows, None, "a number has many values");
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
fn rows_that_repeat_are_kept_once_and_no_bit_shows_it() {
    use std::collections::BTreeSet;
    for weighted in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        // Without the number of many values, and fewer ages.
        let coarse = |line: &String| {
            let mut fields: Vec<&str> = line.split(',').collect();
            let age = format!("{}", fields[3].parse::<u32>().unwrap() / 10 * 10);
            (fields[3], fields[4]) = (&age, "");
            if !weighted {
                fields[5] = "1";
            }
            fields.join(",")
        };
        let all: Vec<String> = lines(2).iter().map(coarse).collect();
        write(folder.path(), "all.csv", &all);
        let (schema, options) = (schema(weighted).ignore("amount"), options(weighted).ignore(["amount"]));
        let correction = asked(Notion::EqualizedOdds);
        let (files, _) = RowFiles::open(&find_files(folder.path()).unwrap(), &options).unwrap();
        let fit = |memory: usize| {
            let learner = Logistic::default();
            correction.fit_files(&files, &schema, &learner, &settings(memory), None, &mut Silent).unwrap()
        };
        let (once, each) = (fit(usize::MAX), fit(0));
        let different = all.iter().collect::<BTreeSet<_>>().len();
        assert_eq!((once.distinct_rows, each.distinct_rows), (Some(different), None));
        assert!(different < ROWS / 10);
        assert_eq!(bits(&once), bits(&each), "{weighted}");
        assert_eq!(once.evaluated()[1].metrics(), each.evaluated()[1].metrics());
        for parts in [1, 2, 5] {
            let workers = workers_of(&files, parts);
            let learner = Logistic::default();
            let found = correction.fit_remote(&workers, &schema, &learner, &settings(0), &mut Silent).unwrap();
            // Each part keeps its own.
            let left = found.distinct_rows.unwrap();
            assert!((different..=parts * different).contains(&left) && (parts > 1 || left == different), "{left}");
            assert_eq!((bits(&found), found.passes), (bits(&once), once.passes), "{weighted} {parts} parts");
        }
        // So many parts that hardly any row repeats within one.
        let apart = workers_of(&files, 2_000);
        let found = correction.fit_remote(&apart, &schema, &Logistic::default(), &settings(0), &mut Silent).unwrap();
        assert_eq!((found.distinct_rows, bits(&found)), (None, bits(&once)));
        for notion in [Notion::DemographicParity, Notion::EqualOpportunity] {
            let rows = StoredFiles { files: &files, watch: None };
            let identify = |memory| asks(notion.clone()).run_files(&rows, &schema, &settings(memory)).unwrap();
            let (once, each) = (identify(usize::MAX), identify(0));
            assert!(once.distinct_rows.is_some() && each.distinct_rows.is_none());
            assert_eq!(once.found, each.found, "{notion} {weighted}");
        }
    }
}

/// Categories that few rows have, and the sample hardly any, cost a few passes, not a search.
#[test]
fn categories_that_the_sample_lacks_take_few_passes() {
    let (folder, plain) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let mut draw = draws(3);
    let rare = |line: &String| {
        let job = format!("rare {}", draw(300));
        let mut fields: Vec<&str> = line.split(',').collect();
        if draw(20) == 0 {
            fields[2] = &job;
        }
        fields.join(",")
    };
    let all: Vec<String> = lines(2).iter().map(rare).collect();
    write(folder.path(), "all.csv", &all);
    write(plain.path(), "all.csv", &lines(2));
    let correction = asked(Notion::DemographicParity);
    let [found, other] = [&folder, &plain].map(|folder| fit(folder.path(), &correction, false, usize::MAX).unwrap());
    let per_fit = |fit: &StoredFit| fit.passes as f64 / fit.fitted.solution().fits as f64;
    assert!(per_fit(&found) < 1.6 * per_fit(&other), "{} {}", per_fit(&found), per_fit(&other));
    let coefficients = found.fitted.predictor().coefficients().len();
    assert!(coefficients > 300, "{coefficients}");
}

#[test]
fn small_groups_are_warned_of_as_in_memory() {
    let folder = tempfile::tempdir().unwrap();
    let mut all = lines(2);
    for line in all.iter_mut().take(12) {
        *line = line.replace("White", "Green").replace("Black", "Green");
    }
    write(folder.path(), "all.csv", &all);
    let correction = asked(Notion::DemographicParity);
    let (data, _) = Dataset::read(folder.path(), &schema(false), &options(false)).unwrap();
    let small = |warnings: &[Warning]| -> Vec<Warning> {
        warnings.iter().filter(|warning| matches!(warning, Warning::SmallGroup { .. })).cloned().collect()
    };
    let stored = fit(folder.path(), &correction, false, 0).unwrap();
    let expected = [Warning::SmallGroup { group: "race=Green".into(), rows: 12 }];
    assert_eq!(small(stored.fitted.warnings()), expected);
    let whole = correction.fit(&data, &Logistic::default()).unwrap();
    assert_eq!(small(whole.warnings()), expected);
}

#[test]
fn joined_values_are_one_group_as_in_memory() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "all.csv", &lines(2));
    let correction = Correction::new(Notion::DemographicParity);
    let correction = correction.group("sex*job=job 0,job 2|job 1").unwrap().group("age=21|20.0,30").unwrap();
    let (data, _) = Dataset::read(folder.path(), &schema(false), &options(false)).unwrap();
    let whole = correction.fit(&data, &Logistic::default()).unwrap();
    let stored = fit(folder.path(), &correction, false, 0).unwrap().fitted;
    assert_eq!(stored.binding().groups(), whole.binding().groups());
    let names = stored.binding().group_names();
    assert_eq!(
        names[1..],
        ["sex=Female & job=job 1|job 2", "sex=Male & job=job 0", "sex=Male & job=job 1|job 2", "age=20|21", "age=30"]
    );
    let rows = |fitted: &evenhand::Fitted<LogisticModel>| -> Vec<usize> {
        fitted.solution().train.groups[..names.len()].iter().map(|group| group.rows).collect()
    };
    assert_eq!(rows(&stored), rows(&whole));
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

/// The model of rows in a folder, as it is saved.
pub(crate) fn saved(folder: &Path, correction: &Correction) -> Model {
    let found = fit(folder, correction, true, 0).unwrap();
    let record =
        |model: &LogisticModel| LearnerRecord::Logistic { settings: Logistic::default(), model: model.clone() };
    let [_, after] = found.evaluated();
    let bounds = after.test_bounds(&correction.bounds, 0.95).unwrap();
    let (files, _) = RowFiles::open(&find_files(folder).unwrap(), &options(true)).unwrap();
    let model = Model::of_stored(correction, &found, record).unwrap().with_bound_tests(bounds);
    model.read_as(files.options(), &found.columns)
}

fn verified(model: &Model, folder: &Path, memory: usize) -> Result<Verdict> {
    let (files, _) = RowFiles::open(&find_files(folder)?, &model.reading_all())?;
    model.verify_files(&StoredFiles { files: &files, watch: None }, memory)
}

#[test]
fn its_model_file_is_verified_by_rows_in_any_order_in_memory_or_not() {
    let all = lines(2);
    let (one, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    write(one.path(), "all.csv", &all);
    let other_order = shuffled(&all);
    write(other.path(), "a.csv", &other_order[..7_000]);
    write(other.path(), "b.csv", &other_order[7_000..]);
    let correction = asked(Notion::DemographicParity).max_violation(0.02);
    let model = saved(one.path(), &correction);
    let read = |folder: &Path| Table::read(folder, &options(true)).unwrap().0;
    let mut all_said = Vec::new();
    for folder in [one.path(), other.path()] {
        for verdict in [model.verify(read(folder)), verified(&model, folder, 0), verified(&model, folder, usize::MAX)] {
            let verdict = verdict.unwrap();
            let said: Vec<_> = verdict.checks.iter().map(|one| (one.name, one.matches, one.detail.clone())).collect();
            assert!(verdict.matches, "{said:?}");
            all_said.push(said);
        }
    }
    // The same answers to the last digit, however the rows came.
    assert!(all_said.iter().all(|said| *said == all_said[0]), "{all_said:?}");
    let names: Vec<&str> = all_said[0].iter().map(|(name, ..)| *name).collect();
    let expected = ["data", "settings", "columns", "weights", "classifier", "multipliers", "search", "training rates"];
    assert_eq!(names, [&expected[..], &["verdicts", "software"]].concat());
}

#[test]
fn a_model_file_of_other_rows_or_with_other_numbers_is_told() {
    let all = lines(2);
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "all.csv", &all);
    let correction = asked(Notion::DemographicParity).max_violation(0.02);
    let model = saved(folder.path(), &correction);
    let differs = |model: &Model| -> Vec<&'static str> {
        let verdict = verified(model, folder.path(), usize::MAX).unwrap();
        assert!(!verdict.matches);
        let wrong = verdict.checks.iter().filter(|check| check.matches == Some(false));
        wrong.map(|check| check.name).collect()
    };
    let mut forged = model.clone();
    forged.train.violations[0].value = Some(0.0);
    assert_eq!(differs(&forged), ["training rates"]);
    let mut forged = model.clone();
    let LearnerRecord::Logistic { model: fitted, .. } = &mut forged.learner else { panic!("it is one") };
    let mut coefficients = fitted.coefficients().to_vec();
    coefficients[1] += 0.01;
    *fitted = LogisticModel::new(2, coefficients).unwrap();
    let wrong = differs(&forged);
    assert!(wrong.contains(&"classifier") && wrong.contains(&"search"), "{wrong:?}");
    let mut forged = model.clone();
    forged.bound_tests[0].confidence = 0.9;
    assert_eq!(differs(&forged), ["verdicts"]);

    write(folder.path(), "all.csv", &all[..ROWS - 1]);
    assert!(differs(&model).contains(&"data"));
    // As many rows, of which one has another label, and of which all have another category.
    let mut changed = all.clone();
    changed[5] = if all[5].ends_with("yes") { all[5].replace("yes", "no") } else { all[5].replace(",no", ",yes") };
    write(folder.path(), "all.csv", &changed);
    assert!(differs(&model).contains(&"data"));
    let renamed: Vec<String> = all.iter().map(|line| line.replace("job 1", "job 9")).collect();
    write(folder.path(), "all.csv", &renamed);
    assert_eq!(differs(&model), ["data", "columns"]);
}

fn frontier(folder: &Path, correction: &Correction, memory: usize) -> StoredFrontier {
    let (files, _) = RowFiles::open(&find_files(folder).unwrap(), &options(true)).unwrap();
    let (rows, learner) = (StoredFiles { files: &files, watch: None }, Logistic::default());
    correction.frontier_files(&rows, &schema(true), &learner, 5, &settings(memory), &mut Silent).unwrap()
}

#[test]
fn a_frontier_has_the_same_bits_however_rows_are_kept_and_ends_where_that_in_memory_ends() {
    let all = lines(2);
    let (whole, cut) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    write(whole.path(), "all.csv", &all);
    let other = shuffled(&all);
    write(cut.path(), "a.csv", &other[..10_000]);
    write(cut.path(), "b.csv", &other[10_000..]);
    let correction = asked(Notion::DemographicParity);
    let bits = |found: &Frontier<LogisticModel>| -> Vec<(String, Vec<u64>)> {
        let of = |numbers: &[f64]| numbers.iter().map(|number| number.to_bits()).collect::<Vec<_>>();
        let point = |point: &evenhand::correction::Point<LogisticModel>| {
            let numbers = [of(point.solution.predictor.coefficients()), of(&point.solution.multipliers)].concat();
            (format!("{:?}", point.asked), numbers)
        };
        found.points.iter().map(point).collect()
    };
    let found = frontier(whole.path(), &correction, usize::MAX);
    assert_eq!(bits(&found.frontier), bits(&frontier(cut.path(), &correction, 0).frontier));
    let (data, _) = Dataset::read(whole.path(), &schema(true), &options(true)).unwrap();
    let (_, problem, _) = evenhand::correction::Binding::new(&correction, &data).unwrap();
    let in_memory = correction.frontier(&problem, &Logistic::default(), 5, &mut Silent).unwrap();
    assert_eq!(found.frontier.points.len(), in_memory.points.len());
    assert!(found.rows == ROWS && found.passes > found.frontier.fits() && found.sample_rows < ROWS);
    for (one, other) in found.frontier.points.iter().zip(&in_memory.points) {
        let bounds = (one.asked.bound().unwrap_or(0.0), other.asked.bound().unwrap_or(0.0));
        assert!((bounds.0 - bounds.1).abs() < 1e-6, "{bounds:?}");
        let [one, other] = [one, other].map(evenhand::correction::Point::validation);
        // Either meets what was asked of it; decisions in between are a matter of single rows.
        assert!((one.violation.unwrap() - other.violation.unwrap()).abs() < 0.004, "{one:?} {other:?}");
        assert!((one.error - other.error).abs() < 0.003, "{} {}", one.error, other.error);
    }
}

fn identify(folder: &Path, notion: Notion, memory: usize) -> Result<StoredIdentification> {
    let (files, _) = RowFiles::open(&find_files(folder)?, &options(true))?;
    asks(notion).run_files(&StoredFiles { files: &files, watch: None }, &schema(true), &settings(memory))
}

pub(crate) fn asks(notion: Notion) -> Identify {
    Identify::default().group("sex").unwrap().group("race").unwrap().notion(notion)
}

/// Every number of an estimate, with a name.
fn numbers(found: &Identification) -> Vec<(String, f64)> {
    let effects = found.effects.iter().flat_map(|one| {
        let name = |what: &str| format!("{} {:?} {what}", one.group, one.class);
        [(name("odds"), one.odds_ratio), (name("low"), one.low), (name("all"), one.simultaneous_high)]
    });
    let multipliers = found
        .multipliers
        .iter()
        .flat_map(|one| [(one.name.clone(), one.value), (format!("{} standard error", one.name), one.standard_error)]);
    effects.chain(multipliers).collect()
}

#[test]
fn a_bias_is_identified_from_all_rows_as_it_is_in_memory() {
    for (classes, notion) in
        [(2, Notion::DemographicParity), (2, Notion::EqualOpportunity), (3, Notion::DemographicParity)]
    {
        let all = lines(classes);
        let (whole, cut) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        write(whole.path(), "all.csv", &all);
        let other = shuffled(&all);
        write(cut.path(), "a.csv", &other[..10_000]);
        write(cut.path(), "b.csv", &other[10_000..]);
        let found = identify(whole.path(), notion.clone(), usize::MAX).unwrap();
        assert!(found.sample_rows < 5_000 && found.found.rows == ROWS && found.passes > 3);
        let (data, _) = Dataset::read(whole.path(), &schema(true), &options(true)).unwrap();
        let (in_memory, _) = asks(notion.clone()).run(&data).unwrap();
        assert_eq!(found.found.missing, in_memory.missing, "{notion}");
        let (own, expected) = (numbers(&found.found), numbers(&in_memory));
        assert!(!own.is_empty() && own.len() == expected.len());
        for ((name, one), (other_name, other)) in own.iter().zip(&expected) {
            assert!(name == other_name && (one - other).abs() <= 1e-5 * (1.0 + other.abs()), "{name}: {one} {other}");
        }
        let again = identify(cut.path(), notion.clone(), 0).unwrap();
        assert_eq!(found.found, again.found, "{notion}: cut, and in a scratch file");
    }
}

#[test]
fn a_bias_is_identified_on_other_machines_where_these_know_how() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "all.csv", &lines(2));
    let found = identify(folder.path(), Notion::DemographicParity, usize::MAX).unwrap();
    let on = |notion: Notion| asks(notion).run_remote(&workers(folder.path(), 3, true), &schema(true), &settings(0));
    assert_eq!(on(Notion::DemographicParity).unwrap().found, found.found);
    assert!(matches!(on(Notion::EqualOpportunity).unwrap_err(), Error::NotStored { .. }));
    let drawn = Identify { resamples: 20, ..asks(Notion::DemographicParity) };
    assert!(matches!(drawn.check_stored().unwrap_err(), Error::NotStored { .. }));
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

/// Workers whose rows are others when they are encoded than when columns were learnt.
struct Changing {
    learnt: Workers,
    encoded: Workers,
}

impl RemoteRows for Changing {
    fn on_rows(&self, task: &[u8]) -> Result<Vec<Vec<u8>>> {
        self.learnt.on_rows(task)
    }

    fn encode(&self, task: &[u8]) -> Result<Vec<Vec<u8>>> {
        self.encoded.encode(task)
    }

    fn aggregate(&self, task: &[u8]) -> Result<Vec<Vec<u8>>> {
        self.encoded.aggregate(task)
    }

    fn on_blocks(&self, task: &[u8]) -> Result<Vec<Vec<u8>>> {
        self.encoded.on_blocks(task)
    }
}

#[test]
fn rows_that_change_before_they_are_encoded_are_noticed() {
    let (one, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let mut all = lines(2);
    write(one.path(), "all.csv", &all);
    all[77] = "Female,White,job 1,41,17.5,1,yes".into();
    write(other.path(), "all.csv", &all);
    let fit = |learnt: &Path, encoded: &Path| {
        let rows = Changing { learnt: workers(learnt, 2, false), encoded: workers(encoded, 3, false) };
        let learner = Logistic::default();
        asked(Notion::DemographicParity).fit_remote(&rows, &schema(false), &learner, &settings(0), &mut Silent)
    };
    let error = fit(one.path(), other.path()).unwrap_err();
    assert_eq!(error.code(), "rows-changed");
    assert!(error.to_string().contains("as many with other values"), "{error}");
    assert!(fit(one.path(), one.path()).is_ok());
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
fn a_file_without_rows_changes_nothing() {
    let (one, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (all, correction) = (lines(2), asked(Notion::DemographicParity));
    write(one.path(), "all.csv", &all);
    write(other.path(), "a.csv", &[]);
    write(other.path(), "b.csv", &all);
    write(other.path(), "c.csv", &[]);
    let [one, other] = [one, other].map(|folder| fit(folder.path(), &correction, true, usize::MAX).unwrap());
    assert_eq!(bits(&one), bits(&other));
}

/// Something that happens to the rows once some of them were read for the so-manieth time.
struct Amid<F: Fn() + Send + Sync> {
    begun: std::sync::atomic::AtomicUsize,
    at: usize,
    happens: F,
}

impl<F: Fn() + Send + Sync> PassWatch for Amid<F> {
    fn begin(&self, _: &'static str, _: Option<usize>) {
        self.begun.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    }

    fn advance(&self, _: usize) -> bool {
        if self.begun.load(std::sync::atomic::Ordering::Relaxed) == self.at {
            (self.happens)();
        }
        true
    }
}

#[test]
fn a_file_that_grows_or_changes_while_it_is_read_is_noticed() {
    use std::io::Write as _;
    let (all, correction) = (lines(2), asked(Notion::DemographicParity));
    // While columns are learnt, and when rows are read again.
    for at in 1..=2 {
        for grows in [true, false] {
            let folder = tempfile::tempdir().unwrap();
            write(folder.path(), "a.csv", &all[..20_000]);
            write(folder.path(), "b.csv", &all[20_000..]);
            let path = folder.path().join("b.csv");
            let happens = move || {
                let mut file = std::fs::OpenOptions::new().append(true).open(&path).unwrap();
                if grows {
                    writeln!(file, "Male,White,job 1,40,3.5,1,yes").unwrap();
                } else {
                    file.set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap();
                }
            };
            let watch = Arc::new(Amid { begun: 0.into(), at, happens });
            let (files, _) = RowFiles::open(&find_files(folder.path()).unwrap(), &options(true)).unwrap();
            let (settings, learner) = (settings(usize::MAX), Logistic::default());
            let found = correction.fit_files(&files, &schema(true), &learner, &settings, Some(watch), &mut Silent);
            let error = found.unwrap_err();
            assert!(error.code() == "file-changed" && error.to_string().contains("b.csv"), "{at} {grows}: {error}");
        }
    }
}

#[test]
fn what_needs_rows_in_memory_is_refused_before_any_is_read() {
    let nothing = Workers { parts: Vec::new(), blocks: Vec::new().into(), changes: false, frequency: None };
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

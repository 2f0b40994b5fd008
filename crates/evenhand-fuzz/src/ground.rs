//! What targets stand on: a folder for files, people to fit and to predict, models to change, and the inputs that are kept.

use std::path::{Path, PathBuf};

use arbitrary::Unstructured;
use evenhand::correction::{CovariateShift, ThresholdPostprocessing};
use evenhand::data::Categorical;
use evenhand::learner::LogisticModel;
use evenhand::model::LearnerRecord;
use evenhand::{Column, Correction, Dataset, Logistic, Method, Model, Notion, Preset, Schema, Table};
use serde_json::Value;

/// Inputs below this size are tried.
const LARGEST: usize = 1 << 20;

pub(crate) struct Ground {
    folder: tempfile::TempDir,
    /// The inputs under `corpus/`, with their target.
    pub(crate) corpus: Vec<(String, Vec<u8>)>,
    /// For groups: categories, numbers, missing values, and names that look like specifications.
    pub(crate) people: Table,
    /// The rows that the models were fitted on.
    pub(crate) applicants: Table,
    pub(crate) two_classes: Dataset,
    pub(crate) three_classes: Dataset,
    /// The JSON of fitted models, one of each kind.
    pub(crate) models: Vec<Value>,
}

impl Ground {
    pub(crate) fn new() -> Result<Self, String> {
        let (two, three) = (applicants(2), applicants(3));
        let data = |table: &Table, schema: Schema| {
            Dataset::new(table.clone(), &schema).map_err(|error| format!("the ground: {error}"))
        };
        let two_classes = data(&two, Schema::label("decision").positive("yes"))?;
        let three_classes = data(&three, Schema::label("decision"))?;
        let models = models(&two_classes, &three_classes)?;
        Ok(Self {
            folder: folder().map_err(|error| error.to_string())?,
            corpus: corpus().map_err(|error| format!("the corpus: {error}"))?,
            people: people(),
            applicants: two,
            two_classes,
            three_classes,
            models,
        })
    }

    /// A place for a file.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// An input as a file.
    pub(crate) fn write(&self, name: &str, input: &[u8]) -> Result<PathBuf, String> {
        let path = self.path(name);
        std::fs::write(&path, input).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(path)
    }

    /// Now and then one of the inputs that are kept for a target.
    pub(crate) fn kept(&self, target: &str, from: &mut Unstructured<'_>) -> arbitrary::Result<Option<Vec<u8>>> {
        let of_target: Vec<&Vec<u8>> =
            self.corpus.iter().filter(|(of, _)| of == target).map(|(_, input)| input).collect();
        if of_target.is_empty() || !from.ratio(1, 2)? {
            return Ok(None);
        }
        Ok(Some((*from.choose(&of_target)?).clone()))
    }
}

/// In memory where there is such a place: files are written by the thousand.
fn folder() -> std::io::Result<tempfile::TempDir> {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir())
}

/// Where inputs are kept.
pub(crate) fn corpus_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus")
}

fn corpus() -> std::io::Result<Vec<(String, Vec<u8>)>> {
    let mut found = Vec::new();
    for target in std::fs::read_dir(corpus_folder())? {
        let target = target?;
        for file in std::fs::read_dir(target.path())? {
            found.push((target.file_name().to_string_lossy().into_owned(), std::fs::read(file?.path())?));
        }
    }
    found.retain(|(_, input)| input.len() < LARGEST);
    found.sort();
    Ok(found)
}

/// A number from 0 to `below` for a row, scattered.
fn scattered(row: usize, salt: usize, below: usize) -> usize {
    (row.wrapping_mul(7919).wrapping_add(salt * 104_729) >> 3) % below
}

fn categories(values: impl Iterator<Item = Option<&'static str>>) -> Column {
    Column::Categorical(Categorical::from_values(values))
}

fn people() -> Table {
    let rows = 24;
    let one_of = |salt: usize, list: &'static [Option<&'static str>]| {
        categories((0..rows).map(move |row| list[scattered(row, salt, list.len())]))
    };
    let numbers = |salt: usize, scale: f64| {
        Column::Numeric(
            (0..rows).map(|row| if row == 5 { f64::NAN } else { scattered(row, salt, 60) as f64 * scale }).collect(),
        )
    };
    let columns = vec![
        ("sex".to_owned(), one_of(1, &[Some("f"), Some("m"), None])),
        ("race".to_owned(), one_of(2, &[Some("Black"), Some("White"), Some("é"), Some("x")])),
        ("age".to_owned(), numbers(3, 1.0)),
        ("score".to_owned(), numbers(4, -0.1)),
        ("a/b".to_owned(), one_of(5, &[Some("5"), Some("=")])),
        ("empty".to_owned(), one_of(6, &[None])),
    ];
    Table::new(columns, 1).unwrap_or_default()
}

/// People whose decisions lean against a group, with as many kinds of decisions.
fn applicants(classes: usize) -> Table {
    let rows = 160;
    let sex = |row: usize| scattered(row, 1, 2);
    let race = |row: usize| scattered(row, 2, 3);
    let age = |row: usize| 18 + scattered(row, 3, 50);
    let score = |row: usize| scattered(row, 4, 100) as f64 / 50.0 - 1.0;
    let decision = |row: usize| {
        let merit = score(row) + 0.6 * sex(row) as f64 - 0.3 + scattered(row, 5, 100) as f64 / 100.0 - 0.5;
        match (classes, merit) {
            (3, merit) if merit.abs() < 0.25 => "maybe",
            (_, merit) if merit > 0.0 => "yes",
            _ => "no",
        }
    };
    let columns = vec![
        ("sex".to_owned(), categories((0..rows).map(|row| Some(["f", "m"][sex(row)])))),
        ("race".to_owned(), categories((0..rows).map(|row| Some(["Black", "White", "Other"][race(row)])))),
        ("age".to_owned(), Column::Numeric((0..rows).map(|row| age(row) as f64).collect())),
        (
            "score".to_owned(),
            Column::Numeric((0..rows).map(|row| if row % 31 == 7 { f64::NAN } else { score(row) }).collect()),
        ),
        ("decision".to_owned(), categories((0..rows).map(|row| Some(decision(row))))),
    ];
    Table::new(columns, 1).unwrap_or_default()
}

/// One model of each kind that there is.
fn models(two: &Dataset, three: &Dataset) -> Result<Vec<Value>, String> {
    let asked = |notion: Notion| {
        let mut correction = Correction::new(notion).max_violation(0.1);
        correction.groups.extend(["sex", "race"].iter().filter_map(|text| text.parse().ok()));
        correction
    };
    let thresholds = Method::ThresholdPostprocessing(ThresholdPostprocessing::default());
    let mut looped = asked(Notion::EqualOpportunity).preset(Preset::Paper);
    if let evenhand::correction::Solver::Loop(settings) = &mut looped.solver {
        settings.loops = 3;
    }
    let shifted = asked(Notion::DemographicParity).covariate_shift(CovariateShift::Corrected);
    let pinned = asked(Notion::DemographicParity).and("pinned=age<=30:0.9".parse().map_err(|_| "a notion")?);
    [
        (asked(Notion::DemographicParity), two),
        (asked(Notion::EqualizedOdds), two),
        (asked(Notion::DisparateImpact), three),
        (asked(Notion::DemographicParity).method(thresholds), two),
        (asked(Notion::EqualOpportunity).method(Method::PercentileThresholds), two),
        (asked(Notion::DemographicParity).method(Method::Reweighing), two),
        (looped, two),
        (shifted, two),
        (pinned, two),
    ]
    .into_iter()
    .map(|(correction, data)| model(&correction, data).map_err(|error| format!("a model of the ground: {error}")))
    .collect()
}

fn model(correction: &Correction, data: &Dataset) -> Result<Value, Box<dyn std::error::Error>> {
    let learner = Logistic::default();
    let fitted = correction.fit(data, &learner)?;
    let (tests, _) = fitted.test_bounds(data, 0.95)?;
    let (metrics, _) = fitted.evaluate(data, correction.measure)?;
    let record = |model: &LogisticModel| LearnerRecord::Logistic { settings: learner, model: model.clone() };
    let model = Model::new(correction, &fitted, record, Some(metrics), (data.digest(), data.rows()), None)?;
    Ok(serde_json::from_str(&model.with_bound_tests(tests).to_json()?)?)
}

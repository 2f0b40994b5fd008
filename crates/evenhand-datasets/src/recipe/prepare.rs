//! Carrying out a recipe: from its rows to two datasets, a plan and groups.

use super::percentile::percentiles;
use super::shuffle::permutation;
use super::source::Parts;
use super::{Edges, Feature, GroupRule, Label, Others, Recipe, Rows};
use evenhand::data::Categorical;
use evenhand::features::{ColumnPlan, PlanKind};
use evenhand::{
    Column, Correction, Dataset, Error, GroupSpec, Logistic, Notion, Preset, ReadOptions, Result, Schema, Table,
};

/// A dataset made ready: training and test rows, how columns are encoded, which groups.
#[derive(Debug, Clone)]
pub struct Prepared {
    /// The training rows.
    pub train: Dataset,
    /// The test rows.
    pub test: Dataset,
    /// All rows, in the order of the files.
    pub all: Dataset,
    parts: Parts,
    places: Vec<usize>,
    pub(super) plan: Vec<ColumnPlan>,
    pub(super) groups: Vec<GroupSpec>,
    reading: ReadOptions,
}

impl Prepared {
    /// A correction as in the published experiments: their features, groups and conventions.
    pub fn correction(&self, notion: Notion) -> Correction {
        let mut correction = Correction::new(notion).preset(Preset::Notebook);
        correction.groups.clone_from(&self.groups);
        correction.plan = Some(self.plan.clone());
        correction
    }

    /// The learner of the published experiments: penalty 1, on the intercept too.
    pub fn learner(&self) -> Logistic {
        Preset::Notebook.learner()
    }

    /// How each column is encoded.
    pub fn plan(&self) -> &[ColumnPlan] {
        &self.plan
    }

    /// Columns that are neither label nor features: what is known of the truth.
    pub fn withheld(&self) -> Vec<String> {
        let schema = self.all.schema();
        let is_feature = |name: &String| self.plan.iter().any(|plan| plan.column == *name);
        let names = self.all.table().names().iter();
        names.filter(|name| *name != schema.label_column() && !is_feature(name)).cloned().collect()
    }

    /// Which of all rows are for training, in the order of the training rows.
    pub fn train_rows(&self) -> &[usize] {
        &self.parts.train
    }

    /// Of each training row, its place among the rows of the published file, counted from 0. Where test rows have
    /// a file of their own they come after those of the first.
    pub fn train_places(&self) -> Vec<usize> {
        self.parts.train.iter().map(|&row| self.places[row]).collect()
    }

    /// How to read a table of rows like these, with a header: columns of the same kinds, and what means missing.
    pub fn reading(&self) -> &ReadOptions {
        &self.reading
    }

    /// The groups.
    pub fn groups(&self) -> &[GroupSpec] {
        &self.groups
    }
}

/// Carries a recipe out on its rows, some of them for training and the others for testing.
pub(super) fn prepare(
    recipe: &Recipe,
    table: &Table,
    places: &[usize],
    parts: Parts,
    label_seed: Option<u32>,
) -> Result<Prepared> {
    let training = table.select(&parts.train);
    let plan = plan(recipe, table, &training)?;
    let groups = groups(recipe, &plan)?;
    let mut kept = keep_columns(recipe, table, &plan)?;
    let schema = label(recipe, &mut kept, &parts, label_seed)?;
    if recipe.fill_missing {
        fill_missing(&mut kept, &parts.train)?;
    }
    let all = Dataset::new(kept, &schema)?;
    let reading = ReadOptions::default().missing(recipe.file.missing.iter().copied()).like(all.table());
    let (train, test) = (all.select(&parts.train), all.select(&parts.test));
    Ok(Prepared { train, test, all, parts, places: places.to_vec(), plan, groups, reading })
}

pub(super) fn numbers<'a>(table: &'a Table, name: &str) -> Result<&'a [f64]> {
    match table.column(name)? {
        Column::Numeric(values) => Ok(values),
        Column::Categorical(_) => Err(Error::ColumnKind {
            column: name.to_owned(),
            found: "categorical",
            wanted: "numeric",
            purpose: "by this recipe".into(),
        }),
    }
}

fn plan(recipe: &Recipe, all: &Table, training: &Table) -> Result<Vec<ColumnPlan>> {
    let mut plans = Vec::new();
    for (column, feature) in recipe.features {
        let kind = match feature {
            Feature::Category => PlanKind::OneHot,
            Feature::Number => PlanKind::Number,
            Feature::Centred => {
                let values = numbers(all, column)?;
                PlanKind::Centred(values.iter().sum::<f64>() / values.len() as f64)
            }
            Feature::Buckets(edges) => {
                PlanKind::Buckets { edges: edges.of(column, all, training)?, thermometer: false }
            }
            Feature::Thermometer(edges) => {
                PlanKind::Buckets { edges: edges.of(column, all, training)?, thermometer: true }
            }
        };
        plans.push(ColumnPlan { column: (*column).to_owned(), kind });
    }
    let (but, vary) = match recipe.others {
        Others::Dropped => return Ok(plans),
        Others::Numbers { but } => (but, false),
        Others::Varying { but } => (but, true),
    };
    for name in all.names().iter().filter(|name| *name != recipe.label.column() && !but.contains(&name.as_str())) {
        if !vary || numbers(training, name)?.windows(2).any(|pair| pair[0].to_bits() != pair[1].to_bits()) {
            plans.push(ColumnPlan { column: name.clone(), kind: PlanKind::Number });
        }
    }
    Ok(plans)
}

impl Edges {
    fn of(self, column: &str, all: &Table, training: &Table) -> Result<Vec<f64>> {
        match self {
            Self::At(edges) => Ok(edges.to_vec()),
            Self::Percentiles { of, lowest, at } => {
                let table = match of {
                    Rows::All => all,
                    Rows::Training => training,
                };
                Ok(lowest.into_iter().chain(percentiles(numbers(table, column)?, at)).collect())
            }
        }
    }
}

/// One specification per group, in the order of the recipe.
fn groups(recipe: &Recipe, plan: &[ColumnPlan]) -> Result<Vec<GroupSpec>> {
    let mut specs = Vec::new();
    for rule in recipe.groups {
        match rule {
            GroupRule::Value(column, value) => specs.push(format!("{column}={value}")),
            GroupRule::AtMost(column, most) => specs.push(format!("{column}<={most}")),
            GroupRule::Buckets(column) => specs.extend(bucket_specs(column, plan)),
        }
    }
    specs.iter().map(|spec| spec.parse()).collect()
}

/// `age<=32`, `age>32*age<=38`, …, `age>52`: the lowest bucket begins below all values, and the highest ends above them.
fn bucket_specs(column: &str, plan: &[ColumnPlan]) -> Vec<String> {
    let of_column = plan.iter().filter(|plan| plan.column == column);
    let buckets: Vec<(f64, f64)> = of_column
        .filter_map(|plan| match &plan.kind {
            PlanKind::Buckets { edges, .. } => Some(edges),
            _ => None,
        })
        .flat_map(|edges| edges.windows(2).map(|edge| (edge[0], edge[1])))
        .collect();
    let spec = |(at, &(low, high)): (usize, &(f64, f64))| {
        let above = (at > 0).then(|| format!("{column}>{low}"));
        let below = (at + 1 < buckets.len()).then(|| format!("{column}<={high}"));
        above.into_iter().chain(below).collect::<Vec<_>>().join("*")
    };
    buckets.iter().enumerate().map(spec).collect()
}

impl Label {
    fn column(&self) -> &'static str {
        match self {
            Self::Is { column, .. } | Self::Above { column, .. } | Self::Flipped { column, .. } => column,
        }
    }
}

/// The label and every column that is encoded: all others are left behind.
fn keep_columns(recipe: &Recipe, table: &Table, plan: &[ColumnPlan]) -> Result<Table> {
    let is_truth = |name: &str| matches!(recipe.label, Label::Flipped { truth, .. } if truth == name);
    let is_feature = |name: &str| plan.iter().any(|plan| plan.column == name);
    let used = |name: &str| name == recipe.label.column() || is_truth(name) || is_feature(name);
    let columns = table.columns().filter(|(name, _)| used(name));
    Table::new(columns.map(|(name, column)| (name.to_owned(), column.clone())).collect(), table.shown_row(0))
}

/// Puts the label in place and says which value is positive.
fn label(recipe: &Recipe, table: &mut Table, parts: &Parts, seed: Option<u32>) -> Result<Schema> {
    match recipe.label {
        Label::Is { column, positive } => Ok(Schema::label(column).positive(positive)),
        Label::Above { column, percentile } => {
            let values = numbers(table, column)?;
            let edge = percentiles(values, &[percentile])[0];
            let side = values.iter().map(|&value| Some(if value > edge { "high" } else { "low" }));
            let side = Column::Categorical(Categorical::from_values(side));
            table.set(column, side)?;
            Ok(Schema::label(column).positive("high"))
        }
        Label::Flipped { column, truth, to, share, seed: published } => {
            let mut labels: Vec<Option<String>> =
                (0..table.rows()).map(|row| table.column(truth).map(|known| known.text(row))).collect::<Result<_>>()?;
            for &row in &flipped(&parts.train, share, seed.unwrap_or(published)) {
                labels[row] = Some(to.to_owned());
            }
            table.set(column, Column::Categorical(Categorical::from_values(labels)))?;
            Ok(Schema::label(column))
        }
    }
}

/// A share of some rows, drawn as `RandomState(seed).choice(rows, share · rows, replace=False)` of numpy draws them.
fn flipped(rows: &[usize], share: f64, seed: u32) -> Vec<usize> {
    #[allow(clippy::cast_sign_loss)] // a share is positive
    let count = (share * rows.len() as f64).round() as usize;
    permutation(rows.len(), seed).into_iter().take(count).map(|at| rows[at]).collect()
}

fn fill_missing(table: &mut Table, train: &[usize]) -> Result<()> {
    for name in table.names().to_vec() {
        let Column::Numeric(values) = table.column(&name)? else { continue };
        let known: Vec<f64> = train.iter().map(|&row| values[row]).filter(|value| !value.is_nan()).collect();
        let mean = known.iter().sum::<f64>() / known.len() as f64;
        let filled = values.iter().map(|&value| if value.is_nan() { mean } else { value }).collect();
        table.set(&name, Column::Numeric(filled))?;
    }
    Ok(())
}

//! The files of a dataset, read once: its rows, and ways to cut them into training and test rows.
//!
//! Holds [`Source`]. Which rows stay and how text becomes columns is settled here; what
//! depends on the cut is left to `prepare`.

use std::collections::BTreeSet;
use std::path::Path;

use super::impact::with_other_categories;
use super::prepare::{numbers, prepare};
use super::{File, Keep, Names, Prepared, Recipe, Split};
use crate::data::{ReadOptions, Table, cut, text_of};
use crate::{Error, Result};

/// The rows of a dataset, not yet cut into training and test rows.
///
/// ```no_run
/// use evenhand::Recipe;
/// # fn main() -> evenhand::Result<()> {
/// let source = Recipe::named("german")?.read("data/german".as_ref())?;
/// let published = source.published()?;
/// let splits: Vec<_> = (1..=20).map(|seed| source.drawn(seed)).collect::<Result<_, _>>()?;
/// assert_eq!(splits[0].test.rows(), published.test.rows());
/// # Ok(()) }
/// ```
#[derive(Debug, Clone)]
pub struct Source<'a> {
    recipe: &'a Recipe,
    table: Table,
    published: Parts,
}

/// Which rows are for training and which for testing.
#[derive(Debug, Clone)]
pub(super) struct Parts {
    pub(super) train: Vec<usize>,
    pub(super) test: Vec<usize>,
}

impl<'a> Source<'a> {
    pub(super) fn read(recipe: &'a Recipe, folder: &Path) -> Result<Self> {
        let (table, published) = read(recipe, folder)?;
        Ok(Self { recipe, table, published })
    }

    /// How many rows, for training and for testing.
    pub fn rows(&self) -> usize {
        self.table.rows()
    }

    /// The training and test rows of the published experiments.
    ///
    /// # Errors
    /// [`Error::UnknownColumn`] and the like when the files are not the published ones.
    pub fn published(&self) -> Result<Prepared> {
        prepare(self.recipe, &self.table, &self.published)
    }

    /// The same as the paper's table has it for disparate impact: categories that share a column with groups and are none
    /// (other races) stay with the learner, as features of their own.
    ///
    /// # Errors
    /// Those of [`Source::published`].
    pub fn published_impact(&self) -> Result<Prepared> {
        with_other_categories(self.recipe, &self.published()?)
    }

    /// As many training and test rows as published, drawn by lot from all of them.
    ///
    /// Whatever the recipe learns of training rows it learns of the drawn ones. The same
    /// seed draws the same rows.
    ///
    /// # Errors
    /// Those of [`Source::published`].
    pub fn drawn(&self, seed: u64) -> Result<Prepared> {
        let (train, test) = cut(self.table.rows(), self.published.test.len(), seed);
        prepare(self.recipe, &self.table, &Parts { train, test })
    }
}

/// All rows that stay, and which of them are published for training and for testing.
fn read(recipe: &Recipe, folder: &Path) -> Result<(Table, Parts)> {
    let first = recipe.file.text(folder, recipe.file.name)?;
    match recipe.split {
        Split::Listed => {
            let table = recipe.file.parse(folder, &first)?;
            let stay = rows_that_stay(recipe.rows, &table)?;
            let parts = listed(folder, &stay)?;
            Ok((table.select(&stay), parts))
        }
        Split::File(name) => {
            // Read as one file, so that both have the same columns of the same types.
            let training_rows = recipe.file.parse(folder, &first)?.rows();
            let table = recipe.file.parse(folder, &(first + &recipe.file.text(folder, name)?))?;
            let test = (training_rows..table.rows()).collect();
            Ok((table, Parts { train: (0..training_rows).collect(), test }))
        }
    }
}

impl File {
    /// The lines of a file, tidied.
    fn text(&self, folder: &Path, name: &str) -> Result<String> {
        let mut text = text_of(&folder.join(name))?;
        if let Some(tidy) = self.tidy {
            text = text.lines().filter_map(tidy).collect::<Vec<_>>().join("\n");
        }
        if !text.ends_with('\n') {
            text.push('\n');
        }
        Ok(text)
    }

    fn parse(&self, folder: &Path, text: &str) -> Result<Table> {
        let options = ReadOptions::default().missing(self.missing.iter().copied());
        let options = match self.names {
            Names::Header => options,
            Names::Listed => options.header(false).names(text_of(&folder.join("columns.txt"))?.lines()),
            Names::Given(names) => options.header(false).names(names.iter().copied()),
        };
        // Warnings speak of repeated names only, and which columns are used is said here.
        Ok(Table::parse(text, &folder.join(self.name), &options)?.0)
    }
}

fn rows_that_stay(rules: &[Keep], table: &Table) -> Result<Vec<usize>> {
    let mut stay: Vec<usize> = (0..table.rows()).collect();
    for rule in rules {
        match rule {
            Keep::Between(name, lowest, highest) => {
                let values = numbers(table, name)?;
                stay.retain(|&row| (*lowest..=*highest).contains(&values[row]));
            }
            Keep::Not(name, unwanted) => {
                let values = table.column(name)?;
                stay.retain(|&row| values.text(row).is_some_and(|text| text != *unwanted));
            }
        }
    }
    Ok(stay)
}

/// Which of the rows that stay `split.csv` lists for training and for testing.
///
/// It counts rows as the file does, from 0; the answer counts those that stay.
fn listed(folder: &Path, stay: &[usize]) -> Result<Parts> {
    let path = folder.join("split.csv");
    let (table, _) = Table::read(&path, &ReadOptions::default().numeric(["row"]))?;
    let (numbers, part) = (numbers(&table, "row")?, table.column("split")?);
    let (mut train, mut test) = (Vec::new(), Vec::new());
    for (line, &number) in numbers.iter().enumerate() {
        // A negative or missing number becomes 0, and the count below finds it out.
        #[allow(clippy::cast_sign_loss)]
        let place = stay.binary_search(&(number as usize));
        match (place, part.text(line).as_deref()) {
            (Ok(place), Some("train")) => train.push(place),
            (Ok(place), Some("test")) => test.push(place),
            _ => {}
        }
    }
    let distinct: BTreeSet<usize> = train.iter().chain(&test).copied().collect();
    if distinct.len() != stay.len() || numbers.len() != stay.len() {
        let detail = format!("it must list each of {} rows once, as train or test", stay.len());
        return Err(Error::Unreadable { path, format: "a split", detail });
    }
    Ok(Parts { train, test })
}

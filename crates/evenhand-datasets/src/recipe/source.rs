//! The files of a dataset, read once: its rows, and ways to cut them into training and test rows.
//!
//! Holds [`Source`]. Which rows stay and how text becomes columns is settled here; what
//! depends on the cut is left to `prepare`.

use std::io;
use std::path::{Path, PathBuf};

use super::prepare::{numbers, prepare};
use super::shuffle::permutation;
use super::{File, Keep, Names, Part, Prepared, Recipe, Split, mnist};
use evenhand::data::{holdout, holdout_rows, read_text};
use evenhand::model::Verdict;
use evenhand::{Error, Result};
use evenhand::{Model, ReadOptions, Table};

use crate::catalogue;

/// The rows of a dataset, not yet cut into training and test rows.
///
/// ```no_run
/// use evenhand_datasets::Recipe;
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
    /// The place of each row among those of the files.
    places: Vec<usize>,
    published: Parts,
    /// By which labels are drawn, where it is not the published one.
    label_seed: Option<u32>,
}

/// Which rows are for training and which for testing.
#[derive(Debug, Clone)]
pub(super) struct Parts {
    pub(super) train: Vec<usize>,
    pub(super) test: Vec<usize>,
}

/// The rows of one published file, whatever becomes of them, read with these options but for the names of its columns.
pub(super) fn rows_of(recipe: &Recipe, path: &Path, options: &ReadOptions) -> Result<Table> {
    match recipe.file.names {
        Names::Pixels(size) => mnist::images_of(path, size),
        _ => recipe.file.parse(path, &recipe.file.text(path)?, options),
    }
}

impl<'a> Source<'a> {
    pub(super) fn read(recipe: &'a Recipe, folder: &Path) -> Result<Self> {
        let (table, places, published) = read(recipe, folder)?;
        Ok(Self { recipe, table, places, published, label_seed: None })
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
        self.prepare(self.published.clone())
    }

    /// As many training and test rows as published, drawn at random from all of them.
    ///
    /// Whatever the recipe learns of training rows it learns of the drawn ones. The same
    /// seed draws the same rows.
    ///
    /// # Errors
    /// Those of [`Source::published`].
    pub fn drawn(&self, seed: u64) -> Result<Prepared> {
        let (train, test) = holdout_rows(self.table.rows(), self.published.test.len(), seed);
        self.prepare(Parts { train, test })
    }

    /// A share of all rows drawn at random for testing, as [`holdout`] draws them.
    ///
    /// # Errors
    /// Those of [`holdout`] and of [`Source::published`].
    pub fn held_out(&self, fraction: f64, seed: u64) -> Result<Prepared> {
        let (train, test) = holdout(self.table.rows(), fraction, seed)?;
        self.prepare(Parts { train, test })
    }

    /// As [`Model::verify`], from these rows, parted as the model says.
    ///
    /// # Errors
    /// Those of [`Model::verify`].
    pub fn verify(&self, model: &Model) -> Result<Verdict> {
        let prepared = match &model.provenance.split {
            Some(split) => self.held_out(split.holdout, split.seed)?,
            None => self.published()?,
        };
        model.verify_parts(&prepared.all, &prepared.train, Some(&prepared.test))
    }

    /// The same rows, where a recipe draws labels by another seed than the published one.
    #[must_use]
    pub fn with_label_seed(self, seed: u32) -> Self {
        Self { label_seed: Some(seed), ..self }
    }

    fn prepare(&self, parts: Parts) -> Result<Prepared> {
        prepare(self.recipe, &self.table, &self.places, parts, self.label_seed)
    }
}

/// All rows that stay, their places in the files, and which of them are published for training and for testing.
fn read(recipe: &Recipe, folder: &Path) -> Result<(Table, Vec<usize>, Parts)> {
    if let (Names::Pixels(size), Split::File(test)) = (&recipe.file.names, &recipe.split) {
        let (table, parts) = mnist::read(folder, *size, [recipe.file.name, test])?;
        let all = (0..table.rows()).collect();
        return Ok((table, all, parts));
    }
    let path = file_in(folder, recipe.file.name)?;
    let first = recipe.file.text(&path)?;
    let options = ReadOptions::default().missing(recipe.file.missing.iter().copied());
    let table = recipe.file.parse(&path, &first, &options)?;
    match recipe.split {
        Split::Shuffled { seed, train, test, first } => {
            let stay = rows_that_stay(recipe.rows, &table)?;
            let parts = shuffled(&path, stay.len(), [train, test], seed, first)?;
            Ok((table.select(&stay), stay, parts))
        }
        Split::File(name) => {
            // Read as one file, so that both have the same columns of the same types.
            let (training_rows, second) = (table.rows(), file_in(folder, name)?);
            let table = recipe.file.parse(&path, &(first + &recipe.file.text(&second)?), &options)?;
            let (train, test) = ((0..training_rows).collect(), (training_rows..table.rows()).collect());
            let all = (0..table.rows()).collect();
            Ok((table, all, Parts { train, test }))
        }
    }
}

impl File {
    /// The lines of a file, tidied.
    fn text(&self, path: &Path) -> Result<String> {
        let mut text = read_text(path)?;
        if let Some(tidy) = self.tidy {
            text = text.lines().filter_map(tidy).collect::<Vec<_>>().join("\n");
        }
        if !text.ends_with('\n') {
            text.push('\n');
        }
        Ok(text)
    }

    /// With the names of the published file, and all else as asked.
    fn parse(&self, path: &Path, text: &str, options: &ReadOptions) -> Result<Table> {
        let options = match self.names {
            Names::Header | Names::Pixels(_) => options.clone(),
            Names::Given(names) => options.clone().header(false).names(names.iter().copied()),
        };
        // Warnings are about repeated names only, and which columns are used is said here.
        Ok(Table::parse(text, path, &options)?.0)
    }
}

/// Where a file of that name is in a folder, gzipped or not.
pub(super) fn file_in(folder: &Path, name: &str) -> Result<PathBuf> {
    catalogue::find(folder, name).ok_or_else(|| {
        let source = io::Error::new(io::ErrorKind::NotFound, "there is no such file, gzipped or not");
        Error::Io { path: folder.join(name), source }
    })
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

/// The parts of the rows that stay, as they were published.
///
/// # Errors
/// [`Error::Unreadable`] when there are more or fewer rows than were published.
fn shuffled(path: &Path, rows: usize, [train, test]: [usize; 2], seed: u32, first: Part) -> Result<Parts> {
    if rows != train + test {
        let detail = format!("the published one has {} rows that are used, this one {rows}", train + test);
        return Err(Error::Unreadable { path: path.to_owned(), format: "the published file", source: detail.into() });
    }
    let mut first_part = permutation(rows, seed);
    let (train, test) = match first {
        Part::Train => {
            let test = first_part.split_off(train);
            (first_part, test)
        }
        Part::Test => (first_part.split_off(test), first_part),
    };
    Ok(Parts { train, test })
}

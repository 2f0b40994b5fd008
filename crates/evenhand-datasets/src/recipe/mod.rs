//! Recipes: how published datasets become the tasks of the paper's experiments.
//!
//! Each dataset is one file of data, a [`Recipe`] constant: which file, which rows, what is
//! to be predicted, how columns become features, which groups. `source` reads files and cuts
//! rows into training and test rows, `shuffle` as the published splits were drawn, `prepare` carries a recipe out on them, `percentile`
//! finds edges. Leans on `data`, `features`, `group`, `catalogue` and the engine. What the paper leaves unsaid about these tasks is as its authors' notebooks have it. [Jiang & Nachum 2019, Sec. 7]

mod adult;
mod bank;
mod communities;
mod compas;
mod german;
mod mnist;
mod percentile;
mod prepare;
mod shuffle;
mod source;

pub use prepare::Prepared;
pub use source::Source;

use std::path::Path;

use evenhand::{Error, Notion, Result};
use evenhand::{ReadOptions, Table};

use crate::CatalogueEntry;

/// All recipes, in the order of their names.
const ALL: [&Recipe; 6] =
    [&adult::RECIPE, &bank::RECIPE, &communities::RECIPE, &compas::RECIPE, &german::RECIPE, &mnist::RECIPE];

/// How a published dataset becomes a training set, a test set, features and groups.
///
/// ```no_run
/// use evenhand::Notion;
/// use evenhand_datasets::Recipe;
/// # fn main() -> evenhand::Result<()> {
/// let adult = Recipe::named("adult")?.load("data/adult".as_ref())?;
/// let fitted = adult.correction(Notion::DemographicParity).fit(&adult.train, &adult.learner())?;
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct Recipe {
    name: &'static str,
    file: File,
    rows: &'static [Keep],
    label: Label,
    split: Split,
    /// Whether missing numbers become the training mean beforehand, with no feature that tells so.
    fill_missing: bool,
    features: &'static [(&'static str, Feature)],
    others: Others,
    groups: &'static [GroupRule],
}

/// A published text file, gzipped or not; where it is published is said by its [`CatalogueEntry`].
#[derive(Debug)]
struct File {
    name: &'static str,
    names: Names,
    missing: &'static [&'static str],
    /// Applied to every line before it is parsed; `None` drops the line.
    tidy: Option<fn(&str) -> Option<String>>,
}

/// Where the names of columns come from.
#[derive(Debug)]
enum Names {
    Header,
    /// The file has none.
    Given(&'static [&'static str]),
    /// It is no text: a file of images of this height and width, with a column per pixel.
    Pixels([usize; 2]),
}

/// Rows that stay; a missing value meets none of these.
#[derive(Debug)]
enum Keep {
    Between(&'static str, f64, f64),
    Not(&'static str, &'static str),
}

/// What is to be predicted.
#[derive(Debug)]
enum Label {
    Is {
        column: &'static str,
        positive: &'static str,
    },
    /// Whether a number lies strictly above a percentile of all rows.
    Above {
        column: &'static str,
        percentile: f64,
    },
    /// One of several classes. The column `truth` has it, which is no feature; a share of the training rows, drawn by a seed, is labelled otherwise.
    Flipped {
        column: &'static str,
        truth: &'static str,
        to: &'static str,
        share: f64,
        seed: u32,
    },
}

/// Which rows are for training.
#[derive(Debug)]
enum Split {
    /// The test rows are a file of their own.
    File(&'static str),
    /// The rows that stay are shuffled as numpy does, and the first of them are one part.
    Shuffled { seed: u32, train: usize, test: usize, first: Part },
}

/// A part of the rows.
#[derive(Debug, Clone, Copy)]
enum Part {
    Train,
    Test,
}

/// What becomes of a column.
#[derive(Debug, Clone, Copy)]
enum Feature {
    Category,
    Number,
    /// The number less its mean over all rows.
    Centred,
    /// Left-open, right-closed buckets.
    Buckets(Edges),
    /// A bucket switches on those below it too.
    Thermometer(Edges),
}

/// Where buckets begin and end.
#[derive(Debug, Clone, Copy)]
enum Edges {
    At(&'static [f64]),
    /// Percentiles of some rows.
    Percentiles {
        of: Rows,
        /// An edge below the percentiles; without it the first of them is the lowest edge.
        lowest: Option<f64>,
        at: &'static [f64],
    },
}

#[derive(Debug, Clone, Copy)]
enum Rows {
    All,
    Training,
}

/// What becomes of columns that the list of features leaves out.
#[derive(Debug, Clone, Copy)]
enum Others {
    Dropped,
    /// Numbers as they are, but for the columns named here.
    Numbers {
        but: &'static [&'static str],
    },
    /// The same, but for those that are alike in all training rows.
    Varying {
        but: &'static [&'static str],
    },
}

/// One group or several.
#[derive(Debug)]
enum GroupRule {
    Value(&'static str, &'static str),
    AtMost(&'static str, f64),
    /// Every bucket of a column.
    Buckets(&'static str),
}

impl Recipe {
    /// The names of all recipes.
    pub fn names() -> impl Iterator<Item = &'static str> {
        ALL.iter().map(|recipe| recipe.name)
    }

    /// The recipe of that name.
    ///
    /// # Errors
    /// [`Error::Setting`], listing those there are.
    pub fn named(name: &str) -> Result<&'static Self> {
        ALL.into_iter().find(|recipe| recipe.name == name).ok_or_else(|| {
            Error::setting(
                "recipe",
                format!("`{name}`"),
                format!("one of {}", Self::names().collect::<Vec<_>>().join(", ")),
            )
        })
    }

    /// The name.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// What the paper asks for on it, where it has no groups: of MNIST that a tenth of the digits is a 2.
    pub fn notion(&self) -> Option<Notion> {
        let rate = || Notion::TargetRate { class: Some("2".to_owned()), rate: 0.1, per_group: false };
        (self.name == mnist::RECIPE.name).then(rate)
    }

    /// Whether it sets labels of the training rows otherwise than they were: those of the test rows are the truth.
    pub fn sets_labels(&self) -> bool {
        matches!(self.label, Label::Flipped { .. })
    }

    /// How its rows or groups differ from what the paper's text says of them, where they do: the published numbers came from these.
    pub fn differs(&self) -> Option<&'static str> {
        match self.name {
            "bank" => Some("41,188 rows, where the paper's text has 45,211"),
            "communities" => {
                Some("groups are the outer thirds of each share of a race, where the paper's text cuts at the median")
            }
            "compas" => Some("6,172 rows after ProPublica's own filter, where the paper's text has 7,918"),
            "german" => Some("one group, aged 30 or younger, where the paper's text has two"),
            _ => None,
        }
    }

    /// Where its files are published.
    ///
    /// # Errors
    /// None but by our own mistake: every recipe has an entry.
    pub fn entry(&self) -> Result<&'static CatalogueEntry> {
        CatalogueEntry::named(self.name)
    }

    /// The rows of one file as it is published, read with these options but for the names of columns. None is left
    /// out, and nothing becomes of them.
    ///
    /// # Errors
    /// Those of [`Table::read`].
    pub fn rows_of(&self, path: &Path, options: &ReadOptions) -> Result<Table> {
        source::rows_of(self, path, options)
    }

    /// Reads the dataset's files from a folder and prepares them as published.
    ///
    /// # Errors
    /// Those of [`Recipe::read`] and of [`Source::published`].
    pub fn load(&self, folder: &Path) -> Result<Prepared> {
        self.read(folder)?.published()
    }

    /// Reads the dataset's files from a folder, to be split as published or at random.
    ///
    /// # Errors
    /// Those of [`Table::read`](evenhand::Table::read), and [`Error::UnknownColumn`] and the
    /// like when the files are not the published ones.
    pub fn read(&self, folder: &Path) -> Result<Source<'_>> {
        Source::read(self, folder)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_recipe_has_an_entry_that_publishes_its_files() {
        for recipe in ALL {
            let mut files = vec![recipe.file.name];
            if let Split::File(name) = recipe.split {
                files.push(name);
            }
            let published = recipe.entry().unwrap().files.iter().map(|file| file.name);
            // Of images, the files of labels stand beside them.
            let published: Vec<&str> = published.filter(|name| !name.contains("labels")).collect();
            assert_eq!(files, published, "{}", recipe.name);
        }
    }

    #[test]
    fn names_are_in_order_and_lead_to_their_recipes() {
        let names: Vec<&str> = Recipe::names().collect();
        assert!(names.is_sorted());
        for name in names {
            assert_eq!(Recipe::named(name).unwrap().name(), name);
        }
        assert_eq!(
            Recipe::named("iris").unwrap_err().to_string(),
            "`recipe` is `iris`; allowed is one of adult, bank, communities, compas, german, mnist"
        );
    }
}

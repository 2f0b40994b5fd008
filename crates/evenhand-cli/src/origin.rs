//! Where rows come from: a file, or a public dataset by a recipe.
//!
//! Holds [`Origin`], which options are made into before any file is read, and [`Whole`], all rows that it names. What
//! a recipe says of features and groups is known only when its rows are read.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use evenhand::features::ColumnPlan;
use evenhand::model::Split;
use evenhand::{Dataset, GroupSpec, Notion, ReadOptions, Schema, Warning};
use evenhand_datasets::Recipe;
use evenhand_datasets::recipe::Prepared;

use crate::data::folder_of;
use crate::progress::Progress;

/// Where rows come from.
pub(crate) enum Origin {
    File { path: PathBuf, schema: Schema, reading: Box<ReadOptions> },
    Recipe { recipe: &'static Recipe, folder: PathBuf },
}

/// Files of rows that may be read a chunk at a time.
pub(crate) struct Streamable<'a> {
    pub(crate) path: &'a Path,
    pub(crate) schema: &'a Schema,
    pub(crate) reading: &'a ReadOptions,
}

/// All rows, and what a recipe says of them.
pub(crate) struct Whole {
    pub(crate) data: Dataset,
    pub(crate) conventions: Option<Conventions>,
    pub(crate) warnings: Vec<Warning>,
}

/// How a recipe encodes columns, which groups it has, and which columns no learner may see.
pub(crate) struct Conventions {
    pub(crate) plan: Vec<ColumnPlan>,
    pub(crate) groups: Vec<GroupSpec>,
    pub(crate) withheld: Vec<String>,
}

impl Conventions {
    pub(crate) fn of(prepared: &Prepared) -> Self {
        let (plan, groups) = (prepared.plan().to_vec(), prepared.groups().to_vec());
        Self { plan, groups, withheld: prepared.withheld() }
    }
}

impl Whole {
    /// The groups that were asked for, or without any those of the recipe.
    pub(crate) fn groups(&self, asked: &[GroupSpec]) -> Vec<GroupSpec> {
        match &self.conventions {
            Some(conventions) if asked.is_empty() => conventions.groups.clone(),
            _ => asked.to_vec(),
        }
    }

    /// The columns that no learner may see, by the recipe.
    pub(crate) fn withheld(&self) -> Vec<String> {
        self.conventions.as_ref().map(|conventions| conventions.withheld.clone()).unwrap_or_default()
    }

    /// How the recipe encodes columns, if there is one.
    pub(crate) fn plan(&self) -> Option<Vec<ColumnPlan>> {
        self.conventions.as_ref().map(|conventions| conventions.plan.clone())
    }
}

impl Origin {
    /// A recipe, whose files are there: in the folder, or without one in the cache.
    pub(crate) fn recipe(name: &str, folder: Option<&Path>) -> Result<Self> {
        let recipe = Recipe::named(name)?;
        Ok(Self::Recipe { recipe, folder: folder_of(recipe.entry()?, folder)? })
    }

    /// The files, where they can be read more than once.
    pub(crate) fn streamable(&self) -> Option<Streamable<'_>> {
        match self {
            Self::File { path, schema, reading } if path != Path::new("-") => {
                Some(Streamable { path, schema, reading })
            }
            _ => None,
        }
    }

    /// The name of the recipe, if it is one.
    pub(crate) fn recipe_name(&self) -> Option<&'static str> {
        match self {
            Self::File { .. } => None,
            Self::Recipe { recipe, .. } => Some(recipe.name()),
        }
    }

    /// The files that are read, which no output may replace.
    pub(crate) fn files(&self) -> Vec<PathBuf> {
        match self {
            Self::File { path, .. } => vec![path.clone()],
            Self::Recipe { recipe, folder } => {
                let files = recipe.entry().map(|entry| entry.files).unwrap_or_default();
                files.iter().filter_map(|file| file.find(folder)).collect()
            }
        }
    }

    /// What a recipe without groups is asked for, where no groups are named either.
    pub(crate) fn notion(&self, groups: &[GroupSpec]) -> Option<Notion> {
        match self {
            Self::Recipe { recipe, .. } if groups.is_empty() => recipe.notion(),
            _ => None,
        }
    }

    /// Reads the rows whose labels are looked at: all of them, but the training rows alone of a recipe that sets labels there.
    pub(crate) fn read_as_labelled(&self, progress: Progress) -> Result<Whole> {
        match self {
            Self::Recipe { recipe, folder } if recipe.sets_labels() => {
                let prepared = prepare(recipe, folder, None, progress)?;
                let conventions = Some(Conventions::of(&prepared));
                Ok(Whole { data: prepared.train, conventions, warnings: Vec::new() })
            }
            _ => self.read(progress),
        }
    }

    /// Reads all rows; of a recipe those that it uses, in the order of its files.
    pub(crate) fn read(&self, progress: Progress) -> Result<Whole> {
        match self {
            Self::File { path, schema, reading } => {
                let (data, warnings) =
                    progress.during(format!("reading {}", path.display()), || Dataset::read(path, schema, reading))?;
                Ok(Whole { data, conventions: None, warnings })
            }
            Self::Recipe { recipe, folder } => {
                let prepared = prepare(recipe, folder, None, progress)?;
                let conventions = Some(Conventions::of(&prepared));
                Ok(Whole { data: prepared.all, conventions, warnings: Vec::new() })
            }
        }
    }
}

/// Carries a recipe out, with its published split or one of the user's.
pub(crate) fn prepare(recipe: &Recipe, folder: &Path, split: Option<Split>, progress: Progress) -> Result<Prepared> {
    let work = || -> evenhand::Result<Prepared> {
        let source = recipe.read(folder)?;
        match split {
            Some(Split { holdout, seed }) => source.held_out(holdout, seed),
            None => source.published(),
        }
    };
    progress.during(format!("reading {}", folder.display()), work).with_context(|| format!("recipe {}", recipe.name()))
}

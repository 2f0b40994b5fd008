//! Rows in files, read a chunk at a time. Of their columns those are read that are asked about.

use super::CountedRows;
use crate::audit::{Audit, AuditOptions, AuditPlan, ContingencyTable};
use crate::blocks::PassWatch;
use crate::data::{RowFiles, Schema, Table};
use crate::facts::{Answer, Profile, Question, Rescan};
use crate::group::GroupSpec;
use crate::notion::Notion;
use crate::{Error, Result};

impl Audit {
    /// Audits rows in files a chunk at a time: the same to the last bit as [`Audit::of_dataset`] of all of them, in whatever order and files they are.
    ///
    /// # Errors
    /// What is wrong with rows, groups or options, as [`Audit::of_dataset`] says it, and what keeps files from being read.
    pub fn of_files(
        files: &RowFiles,
        schema: &Schema,
        specs: &[GroupSpec],
        predictions: Option<&str>,
        options: &AuditOptions,
        watch: Option<&dyn PassWatch>,
    ) -> Result<Self> {
        let unknown = |column: String| Error::UnknownColumn { column, known: files.names().to_vec() };
        let score = options.score.as_ref().map(|score| score.column.as_str());
        let is_lost = |name: &&str| !files.names().iter().any(|known| known == name);
        let weighing = options.notions.iter().filter_map(Notion::weighted_by);
        let named = [Some(schema.label_column()), schema.weight_column(), predictions, score].into_iter().flatten();
        if let Some(lost) = named.chain(weighing).find(is_lost) {
            return Err(unknown(lost.to_owned()));
        }
        let rows = FileRows { files, columns: asked_about(files, schema, specs, &options.notions), watch };
        super::audit(&rows, schema, specs, predictions, options).map_err(|error| match error {
            // Not all columns are read, and all of them are known.
            Error::UnknownColumn { column, .. } => unknown(column),
            other => other,
        })
    }
}

/// The columns that anything may be asked of: those with a role, and those whose name stands in a specification.
fn asked_about(files: &RowFiles, schema: &Schema, specs: &[GroupSpec], notions: &[Notion]) -> Vec<String> {
    let own = notions.iter().flat_map(Notion::own_rows).flatten();
    // A backquote in a quoted name is written twice.
    let texts: Vec<String> =
        specs.iter().chain(own).flat_map(|spec| [spec.to_string(), spec.as_str().replace("``", "`")]).collect();
    let is_asked = |name: &&String| {
        let name = name.as_str();
        [Some(schema.label_column()), schema.weight_column()].contains(&Some(name))
            || schema.is_categorical(name)
            || schema.is_numeric(name)
            || notions.iter().any(|notion| notion.weighted_by() == Some(name))
            || texts.iter().any(|text| text.contains(name))
    };
    files.names().iter().filter(is_asked).cloned().collect()
}

struct FileRows<'a> {
    files: &'a RowFiles,
    columns: Vec<String>,
    watch: Option<&'a dyn PassWatch>,
}

impl FileRows<'_> {
    fn fold<S: Send + Clone>(
        &self,
        purpose: &'static str,
        columns: &[String],
        map: impl Fn(&Table) -> Result<S> + Sync,
        merge: impl Fn(S, S) -> Result<S> + Sync,
    ) -> Result<S> {
        if let Some(watch) = self.watch {
            watch.begin(purpose, self.files.rows());
        }
        let watched = |table: &Table| {
            let found = map(table)?;
            let goes_on = self.watch.is_none_or(|watch| watch.advance(table.rows()));
            if goes_on { Ok(found) } else { Err(Error::Interrupted) }
        };
        let found = self.files.fold(Some(columns), watched, merge)?;
        found.ok_or_else(|| Error::NoRows { what: "the data".into() })
    }
}

impl Rescan for FileRows<'_> {
    fn ask(&self, question: &Question) -> Result<Answer> {
        let columns = question.columns();
        self.fold("reading columns again", &columns, |table| Answer::of(question, table), Answer::merge)
    }
}

impl CountedRows for FileRows<'_> {
    fn rescan(&self) -> &dyn Rescan {
        self
    }

    fn profile(&self, schema: &Schema) -> Result<Profile> {
        self.fold("reading columns", &self.columns, |table| Profile::of(table, schema), Profile::merge)
    }

    fn count(&self, plan: &AuditPlan) -> Result<ContingencyTable> {
        let merge = |one: ContingencyTable, other| Ok(one.merge(other));
        self.fold("counting rows", &plan.columns(), |table| plan.count(table), merge)
    }
}

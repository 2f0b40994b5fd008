//! Rows on other machines: tasks as bytes go there, and bytes that are merged come back.
//!
//! Holds [`RemoteAuditRows`], which whoever drives such machines implements, and [`AuditTask`], what they do with it. What comes back is merged in
//! any order, so that it does not matter how rows are spread, or whether something is computed twice since a machine was lost.

use serde::{Deserialize, Serialize};

use super::CountedRows;
use crate::Result;
use crate::audit::{Audit, AuditOptions, AuditPlan, ContingencyTable};
use crate::data::{Schema, Table};
use crate::facts::{Answer, Profile, Question, Rescan, answer, from_bytes, merged, to_bytes};
use crate::group::GroupSpec;

/// Machines with rows, driven from here.
pub trait RemoteAuditRows: Sync {
    /// Does a task on rows, everywhere they are; what comes back is one answer for each part of them.
    ///
    /// # Errors
    /// What went wrong there.
    fn on_rows(&self, task: &[u8]) -> Result<Vec<Vec<u8>>>;

    /// The column that says how many times each row counts, where one does.
    fn frequency(&self) -> Option<&str> {
        None
    }
}

/// What a machine is asked to do, and the column that says how many times each row counts.
#[derive(Debug, Serialize, Deserialize)]
struct Asked {
    task: Task,
    frequency: Option<String>,
}

#[derive(Debug, Serialize, Deserialize)]
enum Task {
    Profile(Schema),
    Ask(Question),
    Count(Box<AuditPlan>),
}

/// A task that a machine has understood, for as many rows as it has.
#[derive(Debug)]
pub struct AuditTask {
    asked: Asked,
}

impl AuditTask {
    /// Understands a task.
    ///
    /// # Errors
    /// [`crate::Error::BlockFormat`] for bytes that are no task of this version.
    pub fn new(bytes: &[u8]) -> Result<Self> {
        Ok(Self { asked: from_bytes(bytes)? })
    }

    /// The columns of rows that it is about; `None` for all of them.
    pub fn columns(&self) -> Option<Vec<String>> {
        match &self.asked.task {
            Task::Ask(question) => Some(question.columns_with(self.asked.frequency.as_deref())),
            _ => None,
        }
    }

    /// What some rows answer; `None` where no row counts.
    ///
    /// # Errors
    /// What is wrong with them.
    pub fn on_rows(&self, rows: &Table) -> Result<Option<Vec<u8>>> {
        let frequency = self.asked.frequency.as_deref();
        match &self.asked.task {
            Task::Profile(schema) => answer(rows, frequency, |rows| Profile::of(rows, schema), Profile::merge),
            Task::Ask(question) => answer(rows, frequency, |rows| Answer::of(question, rows), Answer::merge),
            Task::Count(plan) => answer(rows, frequency, |rows| plan.count(rows), both),
        }
    }

    /// What several answers of the same task are together: whoever has many sends one.
    ///
    /// # Errors
    /// [`crate::Error::BlockFormat`] for bytes that are no answers.
    pub fn merge(&self, answers: &[Vec<u8>]) -> Result<Vec<u8>> {
        match &self.asked.task {
            Task::Profile(_) => to_bytes(&merged(answers, Profile::merge)?),
            Task::Ask(_) => to_bytes(&merged(answers, Answer::merge)?),
            Task::Count(_) => to_bytes(&merged(answers, both)?),
        }
    }
}

impl Audit {
    /// Audits rows on other machines: the same to the last bit as [`Audit::of_dataset`] of all of them.
    ///
    /// # Errors
    /// As [`Audit::of_files`].
    pub fn of_remote(
        rows: &dyn RemoteAuditRows,
        schema: &Schema,
        specs: &[GroupSpec],
        predictions: Option<&str>,
        options: &AuditOptions,
    ) -> Result<Self> {
        super::audit(&Remote { rows }, schema, specs, predictions, options)
    }
}

struct Remote<'a> {
    rows: &'a dyn RemoteAuditRows,
}

impl Remote<'_> {
    fn answers(&self, task: Task) -> Result<Vec<Vec<u8>>> {
        self.rows.on_rows(&to_bytes(&Asked { task, frequency: self.rows.frequency().map(str::to_owned) })?)
    }
}

impl Rescan for Remote<'_> {
    fn ask(&self, question: &Question) -> Result<Answer> {
        merged(&self.answers(Task::Ask(question.clone()))?, Answer::merge)
    }
}

impl CountedRows for Remote<'_> {
    fn rescan(&self) -> &dyn Rescan {
        self
    }

    fn profile(&self, schema: &Schema) -> Result<Profile> {
        merged(&self.answers(Task::Profile(schema.clone()))?, Profile::merge)
    }

    fn count(&self, plan: &AuditPlan) -> Result<ContingencyTable> {
        merged(&self.answers(Task::Count(Box::new(plan.clone())))?, both)
    }
}

#[expect(clippy::unnecessary_wraps, reason = "as answers of other kinds are merged")]
fn both(one: ContingencyTable, other: ContingencyTable) -> Result<ContingencyTable> {
    Ok(one.merge(other))
}

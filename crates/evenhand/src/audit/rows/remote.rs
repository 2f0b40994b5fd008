//! Rows on other machines: tasks as bytes go there, and bytes that are merged come back.
//!
//! Holds [`RemoteAuditRows`], which whoever drives such machines implements, and [`AuditTask`], what they do with it. What comes back is merged in
//! any order, so that it does not matter how rows are spread, or whether something is computed twice since a machine was lost.

use serde::{Deserialize, Serialize};

use super::CountedRows;
use crate::Result;
use crate::audit::{Audit, AuditOptions, AuditPlan, ContingencyTable};
use crate::data::{Schema, Table};
use crate::facts::{Answer, Profile, Question, Rescan, from_bytes, merged, to_bytes};
use crate::group::GroupSpec;

/// Machines with rows, driven from here.
pub trait RemoteAuditRows: Sync {
    /// Does a task on rows, everywhere they are; what comes back is one answer for each part of them.
    ///
    /// # Errors
    /// What went wrong there.
    fn on_rows(&self, task: &[u8]) -> Result<Vec<Vec<u8>>>;
}

/// What a machine is asked to do.
#[derive(Debug, Serialize, Deserialize)]
enum Task {
    Profile(Schema),
    Ask(Question),
    Count(Box<AuditPlan>),
}

/// A task that a machine has understood, for as many rows as it has.
#[derive(Debug)]
pub struct AuditTask {
    task: Task,
}

impl AuditTask {
    /// Understands a task.
    ///
    /// # Errors
    /// [`crate::Error::BlockFormat`] for bytes that are no task of this version.
    pub fn new(bytes: &[u8]) -> Result<Self> {
        Ok(Self { task: from_bytes(bytes)? })
    }

    /// What some rows answer.
    ///
    /// # Errors
    /// What is wrong with them.
    pub fn on_rows(&self, rows: &Table) -> Result<Vec<u8>> {
        match &self.task {
            Task::Profile(schema) => to_bytes(&Profile::of(rows, schema)?),
            Task::Ask(question) => to_bytes(&Answer::of(question, rows)?),
            Task::Count(plan) => to_bytes(&plan.count(rows)?),
        }
    }

    /// What several answers of the same task are together: whoever has many sends one.
    ///
    /// # Errors
    /// [`crate::Error::BlockFormat`] for bytes that are no answers.
    pub fn merge(&self, answers: &[Vec<u8>]) -> Result<Vec<u8>> {
        match &self.task {
            Task::Profile(_) => to_bytes(&merged(answers, Profile::merge)?),
            Task::Ask(_) => to_bytes(&merged(answers, Answer::merge)?),
            Task::Count(_) => to_bytes(&merged(answers, |one: ContingencyTable, other| Ok(one.merge(other)))?),
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
    fn answers(&self, task: &Task) -> Result<Vec<Vec<u8>>> {
        self.rows.on_rows(&to_bytes(task)?)
    }
}

impl Rescan for Remote<'_> {
    fn ask(&self, question: &Question) -> Result<Answer> {
        merged(&self.answers(&Task::Ask(question.clone()))?, Answer::merge)
    }
}

impl CountedRows for Remote<'_> {
    fn rescan(&self) -> &dyn Rescan {
        self
    }

    fn profile(&self, schema: &Schema) -> Result<Profile> {
        merged(&self.answers(&Task::Profile(schema.clone()))?, Profile::merge)
    }

    fn count(&self, plan: &AuditPlan) -> Result<ContingencyTable> {
        merged(
            &self.answers(&Task::Count(Box::new(plan.clone())))?,
            |one: ContingencyTable, other| Ok(one.merge(other)),
        )
    }
}

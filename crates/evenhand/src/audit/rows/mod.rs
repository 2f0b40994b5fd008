//! Audits of rows that are never all in memory: in files, or on other machines.
//!
//! Rows are gone through twice: for what is to be known of all of them (classes, groups, the heaviest weight), and to be counted.
//! `files` and `remote` are where they may be. Leans on `facts`, as a correction of such rows does.

mod files;
mod remote;

pub use remote::{AuditTask, RemoteAuditRows};

use super::{Audit, AuditOptions, AuditPlan, ContingencyTable};
use crate::data::Schema;
use crate::facts::{Profile, Rescan};
use crate::group::{GroupSpec, Groups};
use crate::{Error, Result};

/// Rows that are counted where they are.
trait CountedRows {
    /// The same rows, to be asked again.
    fn rescan(&self) -> &dyn Rescan;

    /// What is known of the columns that are asked about.
    fn profile(&self, schema: &Schema) -> Result<Profile>;

    /// All rows, counted.
    fn count(&self, plan: &AuditPlan) -> Result<ContingencyTable>;
}

fn audit(
    rows: &dyn CountedRows,
    schema: &Schema,
    specs: &[GroupSpec],
    predictions: Option<&str>,
    options: &AuditOptions,
) -> Result<Audit> {
    let profile = rows.profile(schema)?;
    let (classes, positive) = profile.classes(schema)?;
    let facts = profile.facts(rows.rescan());
    let (groups, warnings) = Groups::learn_roles(specs, schema, &facts)?;
    let unit = profile.weight_unit(schema)?;
    let plan = AuditPlan::new(schema, (&classes, positive), &groups, predictions, unit, options, &facts)?;
    let counted = rows.count(&plan)?;
    if counted.rows() != profile.rows() {
        return Err(Error::RowsChanged { before: profile.rows(), after: counted.rows() });
    }
    let mut audit = plan.audit(&counted, options)?;
    audit.warnings.splice(0..0, warnings);
    Ok(audit)
}

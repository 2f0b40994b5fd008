//! Bounds on audited rows: whether predictions, or labels, keep them.
//!
//! The rows take the form in which a correction judges its own, and the same code gives the verdict.

use super::confusion::View;
use super::{AuditOptions, AuditedNotion};
use crate::bound::{self, BoundTest, Judged};
use crate::cells::Cells;
use crate::constraint::{Measure, bind, constraints};
use crate::kernel::CellSums;
use crate::{Error, Result};

/// Tests the bounds of an audit, where there are any.
///
/// # Errors
/// [`Error::Setting`] for bounds, a confidence or notions that cannot be judged, [`Error::NoConstraints`] without groups.
pub(super) fn test(
    view: View<'_>,
    classes: &[String],
    positive: Option<usize>,
    options: &AuditOptions,
) -> Result<Vec<BoundTest>> {
    bound::check(&options.bounds, options.confidence)?;
    if options.bounds.is_empty() {
        return Ok(Vec::new());
    }
    let decided = view.predictions.unwrap_or(view.labels);
    for notion in &options.notions {
        let audited = AuditedNotion::of(notion);
        if audited.is_none() {
            return Err(Error::setting("notion", notion, "a notion that compares groups"));
        }
        if view.predictions.is_none() && audited != Some(AuditedNotion::DemographicParity) {
            let allowed = "demographic-parity, the one notion that labels alone can be judged by";
            return Err(Error::setting("notion", notion, allowed));
        }
    }
    let names = view.membership.group_names();
    let constraints = constraints(&options.notions, names, classes, positive, &[], names)?;
    let cells = Cells::new(view.membership, view.labels, classes.len(), view.row_weights.map(Into::into))?;
    let functionals = bind(&constraints, &cells);
    let judged = Judged { cells: &cells, constraints: &constraints, functionals: &functionals };
    let sums = CellSums::of_rows(decided, cells.cell_rows());
    judged.test(&sums, &options.bounds, Measure::Decisions, options.confidence)
}

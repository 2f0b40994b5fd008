//! What was asked of audited rows: rates of one's own as they are, and bounds on them and on notions.
//!
//! The rows take the form in which a correction evaluates its own, and the same code measures and gives the verdict.

use serde::{Deserialize, Serialize};

use super::confusion::View;
use super::{AuditOptions, AuditedNotion};
use crate::bound::{self, Bound, BoundTest, ConstrainedRows, Contrast, Contrasts};
use crate::cells::Cells;
use crate::constraint::{Constraint, Event, Functional, Labelled, Measure, OwnRows, bind, constraints};
use crate::group::Membership;
use crate::interval::quantile;
use crate::kernel::CellSums;
use crate::notion::Notion;
use crate::{Error, Result};

/// A rate that was asked for by a notion `rate=…`, or by one about given rates or rows (`target-rate`, `known-rate`, `pinned`), and what it is compared with.
///
/// | JSON key | meaning |
/// | --- | --- |
/// | `name` | the rate, with the one subset that it is about |
/// | `rate` | its value; null where no row is in the subset |
/// | `reference` | the rate that it is compared with, or the number |
/// | `gap` | `reference` − `rate`; zero where the rate is beyond a number that is a bound, on the side that is asked for |
/// | `low`, `high` | ends of the interval of `reference` − `rate` |
/// | `rows` | how many rows are in the subset |
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AskedRate {
    /// The rate, with the one subset that it is about.
    pub name: String,
    /// Its value; `None` where no row is in the subset, or among those that it is compared with.
    pub rate: Option<f64>,
    /// What it is compared with.
    pub reference: Option<f64>,
    /// How far it is from that.
    pub gap: Option<f64>,
    /// The lower end of the interval of that.
    pub low: Option<f64>,
    /// The upper end.
    pub high: Option<f64>,
    /// How many rows are in the subset.
    pub rows: usize,
}

/// Rows with the groups that were asked for, and behind them those that notions name themselves.
pub(super) struct Asked<'a> {
    pub(super) view: View<'a>,
    pub(super) membership: &'a Membership,
    pub(super) own: &'a [OwnRows],
    pub(super) classes: &'a [String],
    pub(super) positive: Option<usize>,
}

/// Measures the rates that were asked for, and tests the bounds, where there are any.
///
/// # Errors
/// [`Error::Setting`] for bounds, a confidence or notions that cannot be tested, [`Error::NoConstraints`] without groups.
pub(super) fn measure(asked: &Asked<'_>, options: &AuditOptions) -> Result<(Vec<AskedRate>, Vec<BoundTest>)> {
    bound::check(&options.bounds, options.confidence)?;
    let rates = options.notions.iter().any(is_rate);
    if options.bounds.is_empty() && !rates {
        return Ok((Vec::new(), Vec::new()));
    }
    let view = asked.view;
    check(options, view.predictions.is_some())?;
    let (groups, all) = (view.membership.group_names(), asked.membership.group_names());
    let constraints = constraints(&options.notions, groups, asked.classes, asked.positive, asked.own, all)?;
    if view.predictions.is_none() {
        check_labels(&constraints)?;
    }
    let cells = Cells::new(asked.membership, view.labels, asked.classes.len(), None)?;
    let cells = cells.standing_for(view.sums.iter().map(|sums| (sums.rows, sums.weight, sums.squares)))?;
    let functionals = bind(&constraints, &cells);
    let rows = ConstrainedRows { cells: &cells, constraints: &constraints, functionals: &functionals };
    let sums = decided(view, &cells);
    let tested = if options.bounds.is_empty() {
        Vec::new()
    } else {
        rows.test(&sums, &options.bounds, Measure::Decisions, options.confidence)?
    };
    Ok((asked_rates(&rows, &sums, options.confidence)?, tested))
}

/// The weight that is decided for each class, cell by cell.
fn decided(view: View<'_>, cells: &Cells) -> CellSums {
    let (classes, decisions) = (cells.classes(), view.predictions.unwrap_or(view.labels));
    let mut weights = vec![0.0; cells.len() * classes];
    for ((cell, decision), sums) in cells.cell_of_row().iter().zip(decisions.iter()).zip(view.sums) {
        weights[cell * classes + decision] += sums.weight;
    }
    CellSums::of_decisions(classes, weights.into_iter())
}

/// Whether notions can be measured; without predictions, by labels alone.
fn check(options: &AuditOptions, predicted: bool) -> Result<()> {
    for notion in &options.notions {
        if is_rate(notion) {
            continue;
        }
        if !predicted && AuditedNotion::of(notion) != Some(AuditedNotion::DemographicParity) {
            let allowed =
                "demographic-parity, the one notion that labels alone, or predictions alone, can be tested by";
            return Err(Error::setting("notion", notion, allowed));
        }
    }
    Ok(())
}

/// Whether a notion is about a rate as it is, and not about how rates of groups compare.
fn is_rate(notion: &Notion) -> bool {
    AuditedNotion::of(notion).is_none()
}

/// Labels take the place of predictions: then no rate can condition on labels too.
fn check_labels(constraints: &[Constraint]) -> Result<()> {
    let is_told = |one: &&Constraint| {
        matches!(one.event, Event::Predicts(_)) && one.labelled == Labelled::Any && one.base().1 == Labelled::Any
    };
    match constraints.iter().find(|one| !is_told(one)) {
        Some(one) => {
            let allowed = "a rate of predictions among rows of any label, the one kind that labels alone, or predictions alone, can be tested by";
            Err(Error::setting("notion", &one.notion, allowed))
        }
        None => Ok(()),
    }
}

fn asked_rates(rows: &ConstrainedRows<'_>, sums: &CellSums, confidence: f64) -> Result<Vec<AskedRate>> {
    let (z, cells) = (quantile(confidence)?, rows.cells);
    let contrasts = Contrasts::new(*rows, sums, Measure::Decisions, Bound::MaxViolation(0.0), |_| true);
    let of = |(at, constraint): (usize, &Constraint)| {
        let functional = rows.functionals[at].as_ref();
        let measured = |of: fn(&Functional, &CellSums, Measure) -> f64| {
            functional.map(|functional| of(functional, sums, Measure::Decisions))
        };
        let interval = functional.map(|_| contrasts.interval(Contrast::Less(at), z));
        let inside = |&cell: &usize| {
            constraint.labelled.holds(cells.label(cell))
                && constraint.group.is_none_or(|group| cells.is_in(cell, group))
        };
        AskedRate {
            name: constraint.name.clone(),
            rate: measured(Functional::group_rate),
            reference: measured(Functional::reference),
            gap: measured(Functional::violation),
            low: interval.map(|interval| interval.0),
            high: interval.map(|interval| interval.1),
            rows: (0..cells.len()).filter(inside).map(|cell| cells.count(cell)).sum(),
        }
    };
    let all = rows.constraints.iter().enumerate();
    Ok(all.filter(|(_, constraint)| is_rate(&constraint.notion)).map(of).collect())
}

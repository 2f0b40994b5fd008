//! A chart with everything around it.

use super::dots::Dots;
use super::table::Table;

/// A chart and its text alternative.
pub(super) struct Charted {
    pub(super) title: String,
    pub(super) note: String,
    pub(super) dots: Dots,
    pub(super) table: Table,
    /// More lines, behind a click.
    pub(super) more: Option<(String, Dots)>,
    /// Which shapes there are.
    pub(super) key: Vec<(&'static str, &'static str)>,
}

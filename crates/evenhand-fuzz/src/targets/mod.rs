//! What is tried: for each target how inputs are made, and what must hold of them.

mod audit;
mod csv;
mod files;
mod fits;
mod holds;
mod model;
mod options;
mod problem;
mod spec;
mod verdicts;

use arbitrary::Unstructured;

use crate::ground::Ground;

/// Whether an input was accepted, or what is wrong with what was made of it.
pub(crate) type Checked = Result<bool, String>;

/// One thing that takes inputs.
pub(crate) struct Target {
    pub(crate) name: &'static str,
    /// Inputs of a turn: as many as take about a quarter of a second.
    pub(crate) turn: u64,
    /// An input, from random bytes.
    pub(crate) make: fn(&Ground, &mut Unstructured<'_>) -> arbitrary::Result<Vec<u8>>,
    /// What must hold of any input.
    pub(crate) check: fn(&Ground, &[u8]) -> Checked,
}

/// All of them.
pub(crate) const ALL: [Target; 9] = [
    Target { name: "csv", turn: 1500, make: csv::make, check: csv::check },
    Target { name: "parquet", turn: 1000, make: files::make_parquet, check: files::check_parquet },
    Target { name: "arrow", turn: 1000, make: files::make_arrow, check: files::check_arrow },
    Target { name: "model", turn: 800, make: model::make, check: model::check },
    Target { name: "group", turn: 15_000, make: spec::make_group, check: spec::check_group },
    Target { name: "notion", turn: 25_000, make: spec::make_notion, check: spec::check_notion },
    Target { name: "audit", turn: 80, make: entropy, check: audit::check },
    Target { name: "options", turn: 100, make: entropy, check: options::check },
    Target { name: "problem", turn: 80, make: entropy, check: problem::check },
];

/// The target of that name.
pub(crate) fn named(name: &str) -> Result<&'static Target, String> {
    static TARGETS: [Target; 9] = ALL;
    let known = || TARGETS.iter().map(|target| target.name).collect::<Vec<_>>().join(", ");
    TARGETS
        .iter()
        .find(|target| target.name == name)
        .ok_or_else(|| format!("no target `{name}`; there are: {}", known()))
}

/// Random bytes, from which the target makes its own values.
fn entropy(_: &Ground, from: &mut Unstructured<'_>) -> arbitrary::Result<Vec<u8>> {
    let length = from.int_in_range(16..=1024_usize)?.min(from.len());
    Ok(from.bytes(length)?.to_vec())
}

/// A number from the bytes of an input, to choose by: the same input is always treated alike.
fn choice(input: &[u8], choices: usize) -> usize {
    let sum = input.iter().fold(input.len() as u64, |sum, &byte| sum.wrapping_mul(31).wrapping_add(u64::from(byte)));
    (sum % choices as u64) as usize
}

/// What a property says where it does not hold.
fn must(holds: bool, otherwise: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(otherwise()) }
}

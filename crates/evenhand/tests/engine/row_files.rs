//! Rows as lines of text files, and numbers to make them of.

use std::fmt::Write as _;
use std::path::Path;

/// Numbers below what is asked for, the same in every run.
pub(crate) fn draws(seed: u64) -> impl FnMut(u64) -> u64 {
    let mut state = seed;
    move |below| {
        // The multiplier and increment of Knuth's MMIX; the high bits are the random ones.
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    }
}

/// Writes a file of a folder.
pub(crate) fn write(folder: &Path, name: &str, header: &str, lines: &[String]) {
    let mut text = header.to_owned();
    for line in lines {
        writeln!(text, "{line}").unwrap();
    }
    std::fs::write(folder.join(name), text).unwrap();
}

/// The lines in another order: every so many.
pub(crate) fn shuffled(lines: &[String]) -> Vec<String> {
    (0..lines.len()).map(|at| lines[at * 7919 % lines.len()].clone()).collect()
}

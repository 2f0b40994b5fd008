//! How messages write lists, counts and files.

use std::path::PathBuf;

use crate::format::listed;

/// At most this many names are listed in a message; the rest are counted.
const LISTED: usize = 12;

/// Files, one after the other.
pub(super) fn paths(paths: &[PathBuf]) -> String {
    paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ")
}

/// Names in backquotes, the first of them where they are many.
pub(super) fn list(names: &[String]) -> String {
    listed(names, LISTED, |name| format!("`{name}`"))
}

/// The class that was asked for.
pub(super) fn asked(class: Option<&str>) -> String {
    class.map_or_else(|| "no class in particular".to_owned(), |class| format!("`{class}`, which is no class"))
}

/// `a column`, `2 columns`.
pub(super) fn count(number: usize, noun: &str) -> String {
    if number == 1 { format!("a {noun}") } else { format!("{number} {noun}s") }
}

/// How many rows there were the second time, which may be as many.
pub(super) fn other_rows(before: usize, after: usize) -> String {
    if before == after { "as many with other values".to_owned() } else { after.to_string() }
}

/// `1 row has`, `2 rows have`.
pub(super) fn count_have(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun} has") } else { format!("{number} {noun}s have") }
}

/// The column that has the most features, where it is known.
pub(super) fn widest(column: Option<&(String, usize)>) -> String {
    column.map_or_else(String::new, |(column, features)| format!("; column `{column}` alone makes {features} of them"))
}

#[cfg(test)]
mod tests {
    use crate::Error;

    #[test]
    fn long_lists_are_cut_with_a_count() {
        let known: Vec<String> = (0..20).map(|i| format!("c{i}")).collect();
        let message = Error::UnknownColumn { column: "x".into(), known }.to_string();
        assert!(message.ends_with("`c11` and 8 more"), "{message}");
    }
}

//! Tables: the text alternative of every chart.

use askama::Template;

/// A table with a heading for every row.
#[derive(Debug, Template)]
#[template(path = "table.html")]
pub(super) struct Table {
    pub(super) caption: String,
    pub(super) heads: Vec<String>,
    /// How many of the first columns hold words; the others hold numbers.
    pub(super) words: usize,
    /// Whether the last column holds words as well.
    pub(super) remarks: bool,
    pub(super) rows: Vec<Vec<String>>,
}

impl Table {
    #[allow(clippy::trivially_copy_pass_by_ref)] // templates pass references
    fn kind(&self, column: &usize) -> &'static str {
        if *column < self.words || (self.remarks && column + 1 == self.heads.len()) { "word" } else { "number" }
    }
}

//! What can go wrong while a report is made.

/// Why there is no report.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The engine could not measure something.
    #[error(transparent)]
    Engine(#[from] evenhand::Error),
    /// A path without points has nothing to show.
    #[error("the frontier has no points: there is nothing to report")]
    Empty,
    /// A file name whose extension names no format.
    #[error("`{found}` does not say how a report is written; end it with .html, .md or .txt")]
    Format {
        /// The name.
        found: String,
    },
    /// A template could not be filled.
    #[error("the page could not be written: {0}")]
    Template(#[from] askama::Error),
    /// A number that JSON cannot hold.
    #[error("the report could not be written as JSON: {0}")]
    Json(#[from] serde_json::Error),
}

/// A result of this crate.
pub type Result<T> = std::result::Result<T, Error>;

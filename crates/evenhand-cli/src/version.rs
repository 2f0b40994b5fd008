//! What `--version` says: the version, the engine's, what was built in, and for which machine.

use std::env::consts::{ARCH, OS};
use std::sync::LazyLock;

/// The parts of this build that can be left out.
const FEATURES: &[&str] = &[
    #[cfg(feature = "download")]
    "download (data get)",
    #[cfg(feature = "network")]
    "network (--learner network)",
    #[cfg(feature = "report")]
    "report (--report)",
];

static LONG: LazyLock<String> = LazyLock::new(|| {
    let version = env!("CARGO_PKG_VERSION");
    let features = if FEATURES.is_empty() { "none".to_owned() } else { FEATURES.join(", ") };
    format!(
        "{version}\nengine: evenhand {version}, {ARCH} {OS}\nfiles: CSV, TSV, Parquet, Arrow IPC\nfeatures: {features}"
    )
});

/// The text of `--version`; `-V` gives the number alone.
pub(crate) fn long() -> &'static str {
    &LONG
}

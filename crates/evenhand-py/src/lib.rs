//! The engine as a Python module, `evenhand._core`.
//!
//! Each method is a line or two over `evenhand`: what Python gives becomes engine types, the
//! interpreter is let go while the engine works, and what it says becomes arrays, JSON and
//! exceptions. `python/evenhand` is the front that people see. No formula is here.

#![allow(clippy::needless_pass_by_value)] // Python hands arguments over by value

mod audit;
mod binding;
mod corrector;
mod error;
mod fit;
mod fit_state;
mod frontier;
mod identify;
mod learner;
mod memberships;
mod model;
mod observer;
mod pickle;
mod program;
mod remote;
mod remote_audit;
mod remote_identify;
mod report;
mod settings;
mod small;
mod table;
mod tilt;
mod work;

use pyo3::prelude::*;

/// The engine. Private: use what `evenhand` exports.
#[pymodule]
mod _core {
    #[pymodule_export]
    use crate::audit::audit;
    #[pymodule_export]
    use crate::binding::Binding;
    #[pymodule_export]
    use crate::corrector::{Corrector, Found};
    #[pymodule_export]
    use crate::fit::{Fitted, fit};
    #[pymodule_export]
    use crate::fit_state::FitState;
    #[pymodule_export]
    use crate::frontier::{Traced, frontier};
    #[pymodule_export]
    use crate::identify::identify;
    #[pymodule_export]
    use crate::memberships::memberships;
    #[pymodule_export]
    use crate::model::Model;
    #[pymodule_export]
    use crate::program::main;
    #[pymodule_export]
    use crate::remote::{RemoteAggregation, RemoteFit, RemoteTask, fit_remote};
    #[pymodule_export]
    use crate::remote_audit::{AuditTask, audit_remote};
    #[pymodule_export]
    use crate::remote_identify::identify_remote;
    #[pymodule_export]
    use crate::report::Report;
    #[pymodule_export]
    use crate::settings::{Roles, Settings};
    #[pymodule_export]
    use crate::small::{class_order, log_odds, notions, population};
    #[pymodule_export]
    use crate::table::Table;
    #[pymodule_export]
    use crate::tilt::Tilting;

    /// The version of the engine.
    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");
}

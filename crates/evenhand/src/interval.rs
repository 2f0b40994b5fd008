//! Stand-in until intervals move here.
pub(crate) use crate::audit::rate::quantile;

//! A mean over splits, with its standard error.

use serde::{Deserialize, Serialize};

/// What several splits say of a number.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Estimate {
    /// Their mean.
    pub mean: f64,
    /// The standard error of the mean; `None` of a single split.
    pub error: Option<f64>,
    /// How many splits.
    pub splits: usize,
}

impl Estimate {
    /// Of some numbers; `None` of none.
    ///
    /// ```
    /// use evenhand_experiments::Estimate;
    /// let found = Estimate::of(&[1.0, 2.0, 3.0]).unwrap();
    /// assert_eq!((found.mean, found.splits), (2.0, 3));
    /// assert!((found.error.unwrap() - (1.0f64 / 3.0).sqrt()).abs() < 1e-15);
    /// ```
    pub fn of(values: &[f64]) -> Option<Self> {
        let splits = values.len();
        if splits == 0 {
            return None;
        }
        let mean = values.iter().sum::<f64>() / splits as f64;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        let error = (splits > 1).then(|| (squares / (splits - 1) as f64 / splits as f64).sqrt());
        Some(Self { mean, error, splits })
    }
}

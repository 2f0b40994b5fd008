//! Which column plays which part.
//!
//! Holds [`Schema`]. Says nothing about whether the columns exist: that is checked once,
//! when a [`super::Dataset`] is made.

use serde::{Deserialize, Serialize};

use super::LabelRole;

/// The roles of columns: the label, what counts as positive, the row weight, what to leave out; and as what a learner
/// takes columns of numbers.
///
/// | name | default | effect |
/// | --- | --- | --- |
/// | `label` | none, it must be said | the column to be predicted |
/// | `positive` | inferred for 0/1, false/true, no/yes, n/y and -1/1 | the class that counts as positive |
/// | `weight` | none: every row counts once | a column of row weights, scaled to mean 1 |
/// | `ignore` | none | columns that are not read at all |
/// | `categorical` | those whose values are groups | columns of numbers that are categories to a learner |
/// | `numeric` | all others | columns of numbers that are numbers to a learner, even if groups are made of their values |
///
/// Every column that is not the label, the weight or ignored is a feature.
///
/// ```
/// use evenhand::Schema;
/// let schema = Schema::label("approved").positive("yes").ignore("id");
/// assert_eq!(schema.label_column(), "approved");
/// assert_eq!(schema.ignored(), ["id"]);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Schema {
    label: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    positive: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    weight: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    ignore: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    categorical: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    numeric: Vec<String>,
    #[serde(default, skip_serializing_if = "LabelRole::is_labels")]
    role: LabelRole,
}

impl Schema {
    /// A schema whose label is the column of that name.
    pub fn label(column: impl Into<String>) -> Self {
        Self {
            label: column.into(),
            positive: None,
            weight: None,
            ignore: Vec::new(),
            categorical: Vec::new(),
            numeric: Vec::new(),
            role: LabelRole::Labels,
        }
    }

    /// The same, of a label column that holds predictions, whose labels nobody knows: one class is enough.
    #[must_use]
    pub fn of_predictions(mut self) -> Self {
        self.role = LabelRole::Predictions;
        self
    }

    /// The label value that counts as positive.
    #[must_use]
    pub fn positive(mut self, value: impl Into<String>) -> Self {
        self.positive = Some(value.into());
        self
    }

    /// The column that holds row weights.
    #[must_use]
    pub fn weight(mut self, column: impl Into<String>) -> Self {
        self.weight = Some(column.into());
        self
    }

    /// A column to leave out; may be said several times.
    #[must_use]
    pub fn ignore(mut self, column: impl Into<String>) -> Self {
        self.ignore.push(column.into());
        self
    }

    /// A column that is a category to a learner, whatever its type; may be said several times.
    #[must_use]
    pub fn categorical(mut self, column: impl Into<String>) -> Self {
        self.categorical.push(column.into());
        self
    }

    /// A column that is a number to a learner, even if groups are made of its values; may be said several times.
    #[must_use]
    pub fn numeric(mut self, column: impl Into<String>) -> Self {
        self.numeric.push(column.into());
        self
    }

    /// The name of the label column.
    pub fn label_column(&self) -> &str {
        &self.label
    }

    /// Whether the label column holds labels or predictions.
    pub fn label_role(&self) -> LabelRole {
        self.role
    }

    /// The value that counts as positive, where one was said.
    pub fn positive_value(&self) -> Option<&str> {
        self.positive.as_deref()
    }

    /// The name of the weight column, where one was said.
    pub fn weight_column(&self) -> Option<&str> {
        self.weight.as_deref()
    }

    /// The names of columns left out.
    pub fn ignored(&self) -> &[String] {
        &self.ignore
    }

    /// The names of columns said to be categories.
    pub fn categorical_columns(&self) -> &[String] {
        &self.categorical
    }

    /// The names of columns said to be numbers.
    pub fn numeric_columns(&self) -> &[String] {
        &self.numeric
    }

    /// Whether a column of that name is said to be a category.
    pub fn is_categorical(&self, column: &str) -> bool {
        self.categorical.iter().any(|name| name == column)
    }

    /// Whether a column of that name is said to be a number.
    pub fn is_numeric(&self, column: &str) -> bool {
        self.numeric.iter().any(|name| name == column)
    }

    /// Whether a column of that name is a feature.
    pub fn is_feature(&self, column: &str) -> bool {
        column != self.label
            && self.weight.as_deref() != Some(column)
            && !self.ignore.iter().any(|ignored| ignored == column)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_without_a_role_is_a_feature() {
        let schema = Schema::label("y").weight("w").ignore("id");
        let features: Vec<_> = ["id", "a", "y", "w", "b"].into_iter().filter(|name| schema.is_feature(name)).collect();
        assert_eq!(features, ["a", "b"]);
    }

    #[test]
    fn a_schema_survives_json_and_omits_what_was_not_said() {
        let schema = Schema::label("y").positive("yes");
        let json = serde_json::to_string(&schema).unwrap();
        assert_eq!(json, r#"{"label":"y","positive":"yes"}"#);
        assert_eq!(serde_json::from_str::<Schema>(&json).unwrap(), schema);
    }
}

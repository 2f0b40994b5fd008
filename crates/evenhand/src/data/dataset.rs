//! A table with roles, checked once and never changed.
//!
//! Holds [`Dataset`], the only thing the rest of the crate trains on or audits. Leans on
//! `table`, `schema`, `labels` and `read`. Knows nothing of groups or encodings.

use std::path::Path;
use std::sync::Arc;

use super::digest::digest;
use super::labels::check_present;
use super::{Categorical, Codes, Column, LabelRole, Labels, ReadOptions, Schema, Table, mean_one};
use crate::{Error, Result, Warning, parallel};

/// Columns with roles: labels that are all there, weights that are weights.
///
/// ```no_run
/// use evenhand::{Dataset, ReadOptions, Schema};
/// let schema = Schema::label("approved").positive("yes").ignore("id");
/// let (data, warnings) = Dataset::read("loans.csv", &schema, &ReadOptions::default())?;
/// println!("{} rows, features {:?}, {} warnings", data.rows(), data.feature_names(), warnings.len());
/// # Ok::<(), evenhand::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Dataset {
    table: Table,
    schema: Schema,
    labels: Labels,
    row_weights: Option<Arc<[f64]>>,
}

impl Dataset {
    /// Training data.
    ///
    /// # Errors
    /// [`Error::UnknownColumn`] when a role, `ignore` included, names a column the table
    /// lacks; those of [`Labels::from_column`]; [`Error::RowWeight`], [`Error::NoWeight`]
    /// and [`Error::ColumnKind`] for the weight column; [`Error::ColumnKind`] for text that is said to be numeric;
    /// [`Error::NoRows`]; and [`Error::Setting`] when a column has two roles, or is said to be of two kinds.
    pub fn new(table: Table, schema: &Schema) -> Result<Self> {
        for name in [schema.ignored(), schema.categorical_columns(), schema.numeric_columns()].concat() {
            table.column(&name)?;
        }
        Self::checked(table, schema)
    }

    /// New data with the roles, the classes and the positive class of these.
    ///
    /// Ignored columns may be absent.
    ///
    /// # Errors
    /// Those of [`Dataset::with_classes`].
    pub fn like(&self, table: Table) -> Result<Self> {
        Self::with_classes(table, &self.schema, self.labels.classes(), self.labels.positive())
    }

    /// New data whose classes are those of training.
    ///
    /// # Errors
    /// Those of [`Labels::against`], and of [`Dataset::new`] for all but the label.
    pub fn with_classes(table: Table, schema: &Schema, classes: &[String], positive: Option<usize>) -> Result<Self> {
        check_roles(&table, schema)?;
        let name = schema.label_column();
        let labels = Labels::against(table.column(name)?, name, &table, classes, positive)?;
        Ok(Self::of(table, schema, labels))
    }

    /// Training data from a file. Ignored columns are not read; what the options say is numeric the schema of the
    /// data says as well.
    ///
    /// # Errors
    /// Those of [`Table::read`] and of [`Dataset::new`].
    pub fn read(path: impl AsRef<Path>, schema: &Schema, options: &ReadOptions) -> Result<(Self, Vec<Warning>)> {
        check_one_role_each(schema)?;
        let said = options.numeric.iter().filter(|name| !schema.is_numeric(name)).fold(schema.clone(), Schema::numeric);
        check_one_kind_each(&said)?;
        let mut options = options.clone();
        options.ignore.extend_from_slice(schema.ignored());
        let (table, warnings) = Table::read(path.as_ref(), &options)?;
        for name in schema.categorical_columns().iter().chain(schema.numeric_columns()) {
            table.column(name)?;
        }
        Ok((Self::checked(table, &said)?, warnings))
    }

    fn checked(table: Table, schema: &Schema) -> Result<Self> {
        check_roles(&table, schema)?;
        check_kinds(&table, schema)?;
        let name = schema.label_column();
        let labels =
            Labels::from_column(table.column(name)?, name, &table, schema.positive_value(), schema.label_role())?;
        Ok(Self::of(table, schema, labels))
    }

    fn of(table: Table, schema: &Schema, labels: Labels) -> Self {
        let row_weights = match schema.weight_column().and_then(|name| table.get(name)) {
            Some(Column::Numeric(weights)) => Some(mean_one(weights.as_slice().into())),
            _ => None,
        };
        Self { table, schema: schema.clone(), labels, row_weights }
    }

    /// All columns, whatever their role.
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// The roles.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// The labels.
    pub fn labels(&self) -> &Labels {
        &self.labels
    }

    /// How many rows.
    pub fn rows(&self) -> usize {
        self.table.rows()
    }

    /// The row weights, where the schema names a column of them: finite, not negative, not all zero, and scaled to mean 1
    /// over the rows that weigh anything. Only their ratios count, so that a learner's penalty does not depend on their unit.
    pub fn row_weights(&self) -> Option<&[f64]> {
        self.row_weights.as_deref()
    }

    /// Every column that is not the label, the weight or ignored, in the order of the file.
    pub fn feature_names(&self) -> Vec<String> {
        self.table.names().iter().filter(|name| self.schema.is_feature(name)).cloned().collect()
    }

    /// The given rows, in the given order, their weights scaled anew. Nothing is checked again: a part may lack a class.
    #[must_use]
    pub fn select(&self, rows: &[usize]) -> Self {
        let weights = self.row_weights.as_ref().map(|weights| mean_one(parallel::gather(weights, rows).into()));
        Self {
            table: self.table.select(rows),
            schema: self.schema.clone(),
            labels: self.labels.select(rows),
            row_weights: weights,
        }
    }

    /// The same rows with other labels, of the same classes.
    ///
    /// # Errors
    /// [`Error::Length`] when there is not one for each row, [`Error::Setting`] when one is no class.
    pub fn relabelled(&self, codes: &Codes) -> Result<Self> {
        let classes = self.labels.classes();
        if codes.len() != self.rows() {
            return Err(Error::Length { what: "labels", expected: self.rows(), found: codes.len() });
        }
        if let Some(code) = codes.iter().find(|&code| code >= classes.len()) {
            let allowed = format!("the number of a class, below {}", classes.len());
            return Err(Error::setting("labels", code, allowed));
        }
        let name = self.schema.label_column();
        let column = match self.table.column(name)? {
            // The text of a number is the shortest that reads back as the same.
            Column::Numeric(_) => {
                let value = |code: usize| classes[code].parse().unwrap_or(f64::NAN);
                Column::Numeric(codes.iter().map(value).collect())
            }
            Column::Categorical(_) => {
                Column::Categorical(Categorical::new(codes.iter().map(|code| code as u32).collect(), classes.to_vec()))
            }
        };
        let mut table = self.table.clone();
        table.set(name, column)?;
        let labels = Labels::against(table.column(name)?, name, &table, classes, self.labels.positive())?;
        Ok(Self { table, schema: self.schema.clone(), labels, row_weights: self.row_weights.clone() })
    }

    /// The same rows with two classes: one of theirs, which is the positive one, and all others together.
    pub(crate) fn one_class(&self, class: usize) -> Result<Self> {
        let (name, own) = (self.schema.label_column(), &self.labels.classes()[class]);
        let code = |row: usize| u32::from(self.labels.get(row) == class);
        let column = Categorical::new((0..self.rows()).map(code).collect(), vec![format!("not {own}"), own.clone()]);
        let mut table = self.table.clone();
        table.set(name, Column::Categorical(column))?;
        let schema = self.schema.clone().positive(own.as_str());
        let labels = Labels::from_column(table.column(name)?, name, &table, Some(own), LabelRole::Labels)?;
        Ok(Self { table, schema, labels, row_weights: self.row_weights.clone() })
    }

    /// Lower-case hexadecimal SHA-256 of the content, ignored columns apart.
    ///
    /// The same for the same data in CSV and in Parquet; another when rows change places.
    pub fn digest(&self) -> String {
        digest(&self.table, |name| !self.schema.ignored().iter().any(|ignored| ignored == name))
    }
}

/// Checks some of the rows of training data: what [`Dataset::new`] checks, but for what only all rows together can tell.
///
/// # Errors
/// Those of [`Dataset::new`], but for classes, and that there are no rows or none that weighs anything.
pub(crate) fn check_part(table: &Table, schema: &Schema) -> Result<()> {
    check_one_role_each(schema)?;
    for name in schema.categorical_columns().iter().chain(schema.numeric_columns()) {
        table.column(name)?;
    }
    check_kinds(table, schema)?;
    schema.weight_column().map_or(Ok(()), |name| check_each_weight(table, name).map(|_| ()))?;
    check_each_label(table, schema.label_column())
}

fn check_each_label(table: &Table, name: &str) -> Result<()> {
    match table.column(name)? {
        Column::Categorical(labels) => check_present(labels.codes(), &labels.counts(), name, table),
        Column::Numeric(labels) => match labels.iter().position(|label| label.is_nan()) {
            Some(row) => {
                let count = labels.iter().filter(|label| label.is_nan()).count();
                Err(Error::LabelMissing { column: name.to_owned(), row: table.shown_row(row), count })
            }
            None => Ok(()),
        },
    }
}

fn check_kinds(table: &Table, schema: &Schema) -> Result<()> {
    check_one_kind_each(schema)?;
    for name in schema.numeric_columns() {
        if let Some(Column::Categorical(_)) = table.get(name) {
            return Err(Error::ColumnKind {
                column: name.clone(),
                found: "categorical",
                wanted: "a numeric one",
                purpose: "since it is said to be numeric".into(),
            });
        }
    }
    Ok(())
}

fn check_roles(table: &Table, schema: &Schema) -> Result<()> {
    check_one_role_each(schema)?;
    if table.rows() == 0 {
        return Err(Error::NoRows { what: "the table".into() });
    }
    schema.weight_column().map_or(Ok(()), |name| check_weights(table, name))
}

fn check_one_role_each(schema: &Schema) -> Result<()> {
    let (label, weight) = (schema.label_column(), schema.weight_column());
    let twice = |setting, name: &str, role: &str| {
        Err(Error::setting(setting, format!("`{name}`"), format!("a column that is not {role}")))
    };
    if weight == Some(label) {
        return twice("weight", label, "the label");
    }
    match schema.ignored().iter().find(|&name| name == label || Some(name.as_str()) == weight) {
        Some(name) => twice("ignore", name, "the label or the weight"),
        None => Ok(()),
    }
}

fn check_one_kind_each(schema: &Schema) -> Result<()> {
    match schema.numeric_columns().iter().find(|name| schema.is_categorical(name)) {
        Some(name) => {
            Err(Error::setting("numeric", format!("`{name}`"), "a column that is not also said to be categorical"))
        }
        None => Ok(()),
    }
}

fn check_weights(table: &Table, name: &str) -> Result<()> {
    if check_each_weight(table, name)?.iter().all(|&weight| weight <= 0.0) {
        return Err(no_weight(name));
    }
    Ok(())
}

/// The error of weights that are all zero.
pub(crate) fn no_weight(column: &str) -> Error {
    Error::NoWeight { what: format!("the weights in column `{column}`") }
}

/// The weights in a column, each of which is one.
///
/// # Errors
/// [`Error::UnknownColumn`], [`Error::ColumnKind`] and [`Error::RowWeight`].
pub(crate) fn check_each_weight<'a>(table: &'a Table, name: &str) -> Result<&'a [f64]> {
    let Column::Numeric(weights) = table.column(name)? else {
        return Err(Error::ColumnKind {
            column: name.to_owned(),
            found: "categorical",
            wanted: "numeric",
            purpose: "for row weights".into(),
        });
    };
    if let Some(row) = weights.iter().position(|weight| !weight.is_finite() || *weight < 0.0) {
        let found = if weights[row].is_nan() { "missing".to_owned() } else { weights[row].to_string() };
        return Err(Error::RowWeight { column: name.to_owned(), row: table.shown_row(row), found });
    }
    Ok(weights)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Categorical;

    fn table(weights: &[f64]) -> Table {
        let label = Categorical::from_values(["no", "yes", "yes"].map(Some));
        Table::new(
            vec![
                ("id".into(), Column::Numeric(vec![7.0, 8.0, 9.0])),
                ("x".into(), Column::Numeric(vec![0.5, 1.5, 2.5])),
                ("w".into(), Column::Numeric(weights.to_vec())),
                ("y".into(), Column::Categorical(label)),
            ],
            2,
        )
        .unwrap()
    }

    fn schema() -> Schema {
        Schema::label("y").weight("w").ignore("id")
    }

    #[test]
    fn roles_are_found_and_the_rest_are_features() {
        let data = Dataset::new(table(&[2.0, 0.0, 2.0]), &schema()).unwrap();
        assert_eq!(data.feature_names(), ["x"]);
        assert_eq!(data.row_weights(), Some(&[1.0, 0.0, 1.0][..]));
        assert_eq!(data.labels().classes(), ["no", "yes"]);
        let part = data.select(&[2, 0]);
        assert_eq!((part.rows(), part.row_weights()), (2, Some(&[1.0, 1.0][..])));
        assert_eq!(part.labels().codes().iter().collect::<Vec<_>>(), [1, 0]);
    }

    #[test]
    fn labels_are_replaced_one_for_one() {
        let data = Dataset::new(table(&[1.0; 3]), &schema()).unwrap();
        let other = data.relabelled(&Codes::narrow(vec![1, 0, 1], 2)).unwrap();
        assert_eq!(other.labels().codes().iter().collect::<Vec<_>>(), [1, 0, 1]);
        assert_eq!(other.table().column("y").unwrap().text(1).as_deref(), Some("no"));
        assert_eq!((other.labels().classes(), other.feature_names()), (data.labels().classes(), vec!["x".to_owned()]));
        assert_eq!(data.relabelled(&Codes::narrow(vec![1, 0], 2)).unwrap_err().code(), "length-mismatch");
        assert_eq!(data.relabelled(&Codes::narrow(vec![1, 0, 2], 3)).unwrap_err().code(), "setting-invalid");
    }

    #[test]
    fn weights_that_are_no_weights_are_refused() {
        for (bad, found) in [(f64::NAN, "missing"), (-1.0, "-1"), (f64::INFINITY, "inf")] {
            match Dataset::new(table(&[1.0, bad, 1.0]), &schema()) {
                Err(Error::RowWeight { row: 3, found: shown, .. }) => assert_eq!(shown, found),
                other => panic!("{other:?}"),
            }
        }
        assert_eq!(Dataset::new(table(&[0.0; 3]), &schema()).unwrap_err().code(), "weight-none");
    }

    #[test]
    fn a_role_for_a_column_that_is_not_there_is_refused() {
        for schema in [Schema::label("z"), Schema::label("y").weight("z"), Schema::label("y").ignore("z")] {
            assert_eq!(Dataset::new(table(&[1.0; 3]), &schema).unwrap_err().code(), "column-unknown");
        }
    }

    #[test]
    fn two_roles_for_one_column_are_refused() {
        for schema in [Schema::label("y").weight("y"), Schema::label("y").ignore("y"), schema().ignore("w")] {
            assert_eq!(Dataset::new(table(&[1.0; 3]), &schema).unwrap_err().code(), "setting-invalid");
        }
    }

    #[test]
    fn kinds_are_said_of_columns_that_are_there_once_and_as_they_can_be() {
        let code = |schema: Schema| Dataset::new(table(&[1.0; 3]), &schema).unwrap_err().code();
        assert_eq!(code(schema().numeric("z")), "column-unknown");
        assert_eq!(code(schema().categorical("z")), "column-unknown");
        assert_eq!(code(schema().categorical("x").numeric("x")), "setting-invalid");
        assert_eq!(code(schema().numeric("y")), "column-kind");
        Dataset::new(table(&[1.0; 3]), &schema().numeric("x")).unwrap();
    }

    #[test]
    fn new_data_follow_the_training_data() {
        let train = Dataset::new(table(&[1.0; 3]), &schema()).unwrap();
        let one_class = train.like(table(&[1.0; 3]).select(&[1, 2])).unwrap();
        assert_eq!(one_class.labels().codes().iter().collect::<Vec<_>>(), [1, 1]);
        assert_eq!(one_class.labels().classes(), train.labels().classes());
        assert_eq!(train.like(table(&[1.0; 3]).select(&[])).unwrap_err().code(), "no-rows");
    }

    #[test]
    fn ignored_columns_do_not_enter_the_digest() {
        let schema = schema();
        let data = Dataset::new(table(&[1.0; 3]), &schema).unwrap();
        let mut other = table(&[1.0; 3]);
        other.set("id", Column::Numeric(vec![0.0; 3])).unwrap();
        assert_eq!(data.digest(), Dataset::new(other, &schema).unwrap().digest());
    }
}

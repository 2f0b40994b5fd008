//! From raw columns to features, as training rows taught it.
//!
//! Holds [`Encoding`]: dictionaries, means, scales and buckets, fitted on training rows and
//! saved in the model, so that prediction takes a raw file. `code` has what may become of a column, and
//! `category`, `number` and `bucket` how it becomes that. What new data may do that
//! training data did not has a stated behaviour, reported by a [`Warning`]: unseen categories
//! count as none of the known ones, missing numbers become the training mean, extra
//! columns are not used, the order of columns does not matter. A lost column is an error.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use super::bucket::bucket;
use super::category::{Known, look_up, one_hot};
use super::code::{Code, ColumnPlan, PlanKind};
use super::design::{Active, CodedColumn, Features};
use super::number::{RawNumbers, number};
use crate::data::{Codes, Column, Table};
use crate::facts::{Facts, Kind, TableFacts, not_numbers};
use crate::{Error, Result, Warning};

/// How raw columns become features.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Encoding {
    columns: Vec<EncodedColumn>,
}

/// One raw column and its code.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EncodedColumn {
    /// The raw column.
    pub column: String,
    /// What becomes of it.
    #[serde(flatten)]
    pub code: Code,
}

/// Coded columns, numbers, and what was not as in training.
pub(crate) type EncodedRows<'t> = (Vec<CodedColumn>, Vec<RawNumbers<'t>>, Vec<Warning>);

/// With fewer distinct values a small table says nothing about its column.
const NEARLY_UNIQUE: usize = 50;

impl Encoding {
    /// Categories one-hot and numbers standardised (or as they are), for the named columns.
    ///
    /// # Errors
    /// [`Error::NoFeatures`] without a name, [`Error::UnknownColumn`] for an unknown one.
    pub fn plan(table: &Table, names: &[String], standardise: bool) -> Result<Vec<ColumnPlan>> {
        Self::plan_by(&TableFacts::new(table, None), names, standardise)
    }

    /// As [`Encoding::plan`], of rows wherever they are.
    pub(crate) fn plan_by(facts: &dyn Facts, names: &[String], standardise: bool) -> Result<Vec<ColumnPlan>> {
        if names.is_empty() {
            return Err(Error::NoFeatures);
        }
        names
            .iter()
            .map(|name| {
                let kind = match facts.kind(name)? {
                    Kind::Categorical => PlanKind::OneHot,
                    Kind::Numeric if standardise => PlanKind::Standardised,
                    Kind::Numeric => PlanKind::Number,
                };
                Ok(ColumnPlan { column: name.clone(), kind })
            })
            .collect()
    }

    /// Learns dictionaries, means and scales from training rows.
    ///
    /// `row_weights` count in means and scales, so that a repeated row is a weight of 2; their unit does not.
    ///
    /// # Errors
    /// [`Error::UnknownColumn`], or [`Error::ColumnKind`] when numbers are planned for text.
    pub fn fit(plans: &[ColumnPlan], table: &Table, row_weights: Option<&[f64]>) -> Result<(Self, Vec<Warning>)> {
        Self::learn(plans, &TableFacts::new(table, row_weights))
    }

    /// As [`Encoding::fit`], from rows wherever they are.
    ///
    /// # Errors
    /// Those of [`Encoding::fit`].
    pub fn learn(plans: &[ColumnPlan], facts: &dyn Facts) -> Result<(Self, Vec<Warning>)> {
        if plans.is_empty() {
            return Err(Error::NoFeatures);
        }
        let mut warnings = Vec::new();
        let mut columns = Vec::with_capacity(plans.len());
        for plan in plans {
            let column = &plan.column;
            let (code, constant) = match &plan.kind {
                PlanKind::OneHot => one_hot(column, facts, &[])?,
                PlanKind::OneHotWithout(withheld) => one_hot(column, facts, withheld)?,
                PlanKind::Buckets { edges, thermometer } => {
                    if facts.kind(column)? == Kind::Categorical {
                        return Err(not_numbers(column));
                    }
                    (Code::Buckets { edges: edges.clone(), thermometer: *thermometer }, false)
                }
                kind => number(column, kind, &facts.number(column)?)?,
            };
            if constant {
                warnings.push(Warning::ConstantColumn { column: plan.column.clone() });
            }
            if let Code::OneHot { values, .. } = &code
                && values.len() >= NEARLY_UNIQUE
                && 2 * values.len() > facts.rows()
            {
                let numbers = values.iter().filter(|value| value.parse::<f64>().is_ok()).count();
                warnings.push(Warning::NearlyUnique { column: plan.column.clone(), values: values.len(), numbers });
            }
            columns.push(EncodedColumn { column: plan.column.clone(), code });
        }
        Ok((Self { columns }, warnings))
    }

    /// The columns and their codes.
    pub fn columns(&self) -> &[EncodedColumn] {
        &self.columns
    }

    /// Whether all of a column is among the features, none of its categories left out.
    pub(crate) fn shows(&self, column: &str) -> bool {
        self.columns.iter().any(|one| one.column == column && one.code.withheld().is_empty())
    }

    /// How many features come out.
    pub fn width(&self) -> usize {
        self.columns.iter().map(|column| column.code.width()).sum()
    }

    /// A name for every feature.
    pub fn feature_names(&self) -> Vec<String> {
        self.columns.iter().flat_map(|column| column.code.feature_names(&column.column)).collect()
    }

    /// Turns a raw table into features, and says what was not as in training.
    ///
    /// `others` are columns that have a role but are not features (the label, say): they are not reported as extra.
    ///
    /// # Errors
    /// [`Error::LostColumns`] when a column is not there, [`Error::ColumnKind`] when numbers have become text.
    pub fn transform(&self, table: &Table, others: &[String]) -> Result<(Features, Vec<Warning>)> {
        let extra = self.check_columns(table.names(), others)?;
        let (coded, numbers, mut warnings) = self.encode(table)?;
        warnings.extend(extra);
        let dense = numbers.iter().map(RawNumbers::features).collect();
        Ok((Features::new(table.rows(), self.width(), coded, dense)?, warnings))
    }

    /// Raw columns as coded ones, one by one, and as numbers as they are.
    ///
    /// # Errors
    /// [`Error::UnknownColumn`] when a column is not there, [`Error::ColumnKind`] when numbers have become text.
    pub(crate) fn encode<'t>(&self, table: &'t Table) -> Result<EncodedRows<'t>> {
        let (mut coded, mut numbers, mut warnings) = (Vec::new(), Vec::new(), Vec::new());
        let mut first = 0;
        for encoded in &self.columns {
            let column = table.column(&encoded.column)?;
            match &encoded.code {
                Code::OneHot { values, missing, withheld } => {
                    let column = column.to_categorical();
                    let known = Known { values, missing: *missing, withheld };
                    coded.push(look_up(&column, &known, first, &encoded.column, &mut warnings));
                }
                &Code::Number { centre, scale, fill, indicator } => {
                    let values = encoded.numbers(column)?;
                    let rows = values.iter().filter(|value| value.is_nan()).count();
                    if rows > 0 {
                        let column = encoded.column.clone();
                        warnings.push(Warning::MissingFilled { column, rows, indicator });
                    }
                    numbers.push(RawNumbers { feature: first, centre, scale, fill, values });
                    if indicator {
                        let codes = values.iter().map(|value| u32::from(value.is_nan())).collect();
                        let active = Active::new([None, Some(first as u32 + 1)]);
                        coded.push(CodedColumn { codes: Codes::narrow(codes, 2), active });
                    }
                }
                Code::Buckets { edges, thermometer } => {
                    coded.push(bucket(encoded.numbers(column)?, edges, *thermometer, first));
                }
            }
            first += encoded.code.width();
        }
        Ok((coded, numbers, warnings))
    }

    /// Checks that all columns are among these, and says which of these are not known: neither here nor among `others`.
    ///
    /// # Errors
    /// [`Error::LostColumns`].
    pub fn check_columns(&self, names: &[String], others: &[String]) -> Result<Option<Warning>> {
        let present: HashSet<&String> = names.iter().collect();
        let lost = self.columns.iter().map(|column| &column.column).filter(|name| !present.contains(name));
        let mut columns: Vec<String> = lost.cloned().collect();
        columns.dedup();
        if !columns.is_empty() {
            return Err(Error::LostColumns { columns });
        }
        let known: HashSet<&String> = self.columns.iter().map(|column| &column.column).chain(others).collect();
        let columns: Vec<String> = names.iter().filter(|name| !known.contains(name)).cloned().collect();
        Ok((!columns.is_empty()).then_some(Warning::ExtraColumns { columns }))
    }
}

impl EncodedColumn {
    fn numbers<'a>(&self, column: &'a Column) -> Result<&'a [f64]> {
        match column {
            Column::Numeric(values) => Ok(values),
            Column::Categorical(_) => Err(not_numbers(&self.column)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Categorical;

    fn table(columns: Vec<(&str, Column)>) -> Table {
        Table::new(columns.into_iter().map(|(name, column)| (name.to_owned(), column)).collect(), 1).unwrap()
    }

    fn text(values: &[&str]) -> Column {
        Column::Categorical(Categorical::from_values(values.iter().map(|v| (!v.is_empty()).then_some(v))))
    }

    fn fit(table: &Table, standardise: bool) -> Encoding {
        let plans = Encoding::plan(table, table.names(), standardise).unwrap();
        Encoding::fit(&plans, table, None).unwrap().0
    }

    #[test]
    fn categories_missing_ones_and_numbers_each_get_their_features() {
        let train = table(vec![
            ("sex", text(&["f", "m", "", "f"])),
            ("age", Column::Numeric(vec![20.0, f64::NAN, 40.0, 30.0])),
        ]);
        let encoding = fit(&train, false);
        assert_eq!(encoding.feature_names(), ["sex=f", "sex=m", "sex is missing", "age", "age is missing"]);
        let (features, warnings) = encoding.transform(&train, &[]).unwrap();
        assert_eq!(features.row(1), [(1, 1.0), (3, 30.0), (4, 1.0)]);
        assert_eq!(features.row(2), [(2, 1.0), (3, 40.0)]);
        assert_eq!(warnings, [Warning::MissingFilled { column: "age".into(), rows: 1, indicator: true }]);
    }

    #[test]
    fn new_data_may_bring_unseen_missing_extra_and_reordered_columns() {
        let train = table(vec![("a", text(&["x", "y"])), ("b", Column::Numeric(vec![1.0, 3.0]))]);
        let fresh = table(vec![
            ("b", Column::Numeric(vec![f64::NAN, 5.0])),
            ("note", text(&["?", "?"])),
            ("y", text(&["1", "0"])),
            ("a", text(&["z", "y"])),
        ]);
        let (features, warnings) = fit(&train, false).transform(&fresh, &["y".into()]).unwrap();
        assert_eq!(features.row(0), [(2, 2.0)]);
        assert_eq!(features.row(1), [(1, 1.0), (2, 5.0)]);
        assert_eq!(
            warnings,
            [
                Warning::UnseenCategories { column: "a".into(), rows: 1, example: "z".into() },
                Warning::MissingFilled { column: "b".into(), rows: 1, indicator: false },
                Warning::ExtraColumns { columns: vec!["note".into()] },
            ]
        );
    }

    #[test]
    fn a_lost_column_and_numbers_turned_text_are_errors() {
        let train = table(vec![("a", Column::Numeric(vec![1.0, 2.0])), ("b", text(&["x", "y"]))]);
        let encoding = fit(&train, true);
        let lost = table(vec![("a", Column::Numeric(vec![1.0]))]);
        assert_eq!(encoding.transform(&lost, &[]).unwrap_err().code(), "columns-lost");
        let turned = table(vec![("a", text(&["one"])), ("b", text(&["x"]))]);
        assert_eq!(encoding.transform(&turned, &[]).unwrap_err().code(), "column-kind");
    }

    #[test]
    fn standardised_numbers_have_weighted_mean_zero_and_spread_one() {
        let train = table(vec![("a", Column::Numeric(vec![1.0, 2.0, 6.0]))]);
        let plans = Encoding::plan(&train, train.names(), true).unwrap();
        let weights = [2.0, 1.0, 1.0];
        let (encoding, _) = Encoding::fit(&plans, &train, Some(&weights)).unwrap();
        let (features, _) = encoding.transform(&train, &[]).unwrap();
        let values = features.dense()[0].values();
        let mean: f64 = values.iter().zip(weights).map(|(v, w)| v * w).sum();
        let square: f64 = values.iter().zip(weights).map(|(v, w)| v * v * w).sum();
        assert!(mean.abs() < 1e-12 && (square - 4.0).abs() < 1e-12, "{mean} {square}");
    }

    #[test]
    fn a_constant_column_is_named_and_harmless() {
        let train = table(vec![("a", Column::Numeric(vec![7.1; 3])), ("b", text(&["x", "x", "x"]))]);
        let plans = Encoding::plan(&train, train.names(), true).unwrap();
        let (encoding, warnings) = Encoding::fit(&plans, &train, None).unwrap();
        assert_eq!(warnings.len(), 2);
        let (features, _) = encoding.transform(&train, &[]).unwrap();
        assert!(features.dense()[0].values().iter().all(|value| value.abs() < 1e-12));
    }
}

//! From raw columns to features, as training rows taught it.
//!
//! Holds [`Encoding`]: dictionaries, means, scales and buckets, fitted on training rows and
//! saved in the model, so that prediction takes a raw file. What new data may do that
//! training data did not has a stated behaviour, told by a [`Warning`]: unseen categories
//! count as none of the known ones, missing numbers become the training mean, extra
//! columns are not used, the order of columns does not matter. A lost column is an error.

use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Serialize};

use super::design::{Active, CodedColumn, DenseColumn, Features};
use super::number::{number, scaled};
use crate::data::{Categorical, Codes, Column, Table};
use crate::facts::{Categories, Facts, Kind, TableFacts, not_numbers};
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

/// What becomes of a raw column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum Code {
    /// One feature per category, and one for missing if training had any.
    OneHot {
        /// The categories of the training rows, in text order.
        values: Vec<String>,
        /// Whether missing is a category of its own.
        missing: bool,
        /// Categories that are no features, although training rows have them: those that the learner may not see.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        withheld: Vec<String>,
    },
    /// The number less `centre`, over `scale`; missing is `fill`.
    Number {
        /// Subtracted.
        centre: f64,
        /// Divided by.
        scale: f64,
        /// The training mean.
        fill: f64,
        /// Whether a second feature tells that the number was missing.
        indicator: bool,
    },
    /// Left-open, right-closed intervals between neighbouring edges; outside all of them, no feature.
    Buckets {
        /// Ascending edges, one more than there are buckets.
        edges: Vec<f64>,
        /// Whether a bucket switches on the features of all lower buckets too.
        thermometer: bool,
    },
}

/// What to do with one raw column, before any row was seen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ColumnPlan {
    /// The raw column. It may stand in several plans.
    pub column: String,
    /// What should become of it.
    pub kind: PlanKind,
}

/// What should become of a raw column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum PlanKind {
    /// One feature per category.
    OneHot,
    /// One feature per category but these.
    OneHotWithout(Vec<String>),
    /// The number as it is.
    Number,
    /// The number less the given centre.
    Centred(f64),
    /// The number less its training mean, over its training standard deviation.
    Standardised,
    /// Buckets between the given edges.
    Buckets {
        /// Ascending edges.
        edges: Vec<f64>,
        /// Whether lower buckets stay on.
        thermometer: bool,
    },
}

/// Coded columns, numbers, and what was not as in training.
pub(crate) type EncodedRows<'t> = (Vec<CodedColumn>, Vec<RawNumbers<'t>>, Vec<Warning>);

/// Numbers as they are, and how they become a feature.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RawNumbers<'t> {
    pub(crate) feature: usize,
    pub(crate) centre: f64,
    pub(crate) scale: f64,
    /// Stands for a missing number.
    pub(crate) fill: f64,
    pub(crate) values: &'t [f64],
}

impl RawNumbers<'_> {
    fn features(&self) -> DenseColumn {
        let value = |&raw: &f64| scaled(if raw.is_nan() { self.fill } else { raw }, self.centre, self.scale);
        DenseColumn::new(self.feature, self.values.iter().map(value).collect())
    }
}

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
                warnings.push(Warning::NearlyUnique { column: plan.column.clone(), values: values.len() });
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
        as_numbers(&self.column, column)
    }
}

impl Code {
    /// How many features this code makes.
    pub fn width(&self) -> usize {
        match self {
            Self::OneHot { values, missing, .. } => values.len() + usize::from(*missing),
            Self::Number { indicator, .. } => 1 + usize::from(*indicator),
            Self::Buckets { edges, .. } => edges.len().saturating_sub(1),
        }
    }

    /// The categories that are no features.
    pub(crate) fn withheld(&self) -> &[String] {
        match self {
            Self::OneHot { withheld, .. } => withheld,
            Self::Number { .. } | Self::Buckets { .. } => &[],
        }
    }

    fn feature_names(&self, column: &str) -> Vec<String> {
        let absent = |wanted: bool| wanted.then(|| format!("{column} is missing"));
        match self {
            Self::OneHot { values, missing, .. } => {
                values.iter().map(|value| format!("{column}={value}")).chain(absent(*missing)).collect()
            }
            Self::Number { indicator, .. } => std::iter::once(column.to_owned()).chain(absent(*indicator)).collect(),
            Self::Buckets { edges, thermometer: false } => {
                edges.windows(2).map(|edge| format!("{column} in ({}, {}]", edge[0], edge[1])).collect()
            }
            Self::Buckets { edges, thermometer: true } => {
                edges.windows(2).map(|edge| format!("{column}>{}", edge[0])).collect()
            }
        }
    }
}

fn as_numbers<'a>(name: &str, column: &'a Column) -> Result<&'a [f64]> {
    match column {
        Column::Numeric(values) => Ok(values),
        Column::Categorical(_) => Err(not_numbers(name)),
    }
}

fn one_hot(column: &str, facts: &dyn Facts, without: &[String]) -> Result<(Code, bool)> {
    facts.check_exact(column)?;
    let Categories { values, missing } = facts.categories(column)?;
    let missing = missing > 0;
    let constant = values.len() + usize::from(missing) < 2;
    let (withheld, values) = values.into_iter().partition(|value| without.contains(value));
    Ok((Code::OneHot { values, missing, withheld }, constant))
}

/// The categories of training rows.
struct Known<'a> {
    values: &'a [String],
    missing: bool,
    withheld: &'a [String],
}

fn look_up(
    column: &Categorical,
    &Known { values, missing, withheld }: &Known<'_>,
    first: usize,
    name: &str,
    warnings: &mut Vec<Warning>,
) -> CodedColumn {
    let features = values.len() + usize::from(missing);
    let (unseen, counts) = (features as u32, column.counts());
    let mut table: Vec<u32> =
        column.dictionary().iter().map(|value| values.binary_search(value).map_or(unseen, |at| at as u32)).collect();
    let is_withheld = |code: usize| withheld.binary_search(&column.dictionary()[code]).is_ok();
    let strange: Vec<usize> =
        (0..table.len()).filter(|&code| table[code] == unseen && counts[code] > 0 && !is_withheld(code)).collect();
    let absent = counts[column.missing()];
    table.push(if missing { values.len() as u32 } else { unseen });
    let rows = strange.iter().map(|&code| counts[code]).sum::<usize>() + if missing { 0 } else { absent };
    if rows > 0 {
        let example = strange.first().map_or(Warning::MISSING, |&code| &column.dictionary()[code]).to_owned();
        warnings.push(Warning::UnseenCategories { column: name.to_owned(), rows, example });
    }
    warnings.extend(nearly_known(column, values, &strange, &counts, name));
    CodedColumn {
        codes: column.codes().map(&table, features + 1),
        active: Active::one_hot(first, features, features + 1),
    }
}

/// What to say of unseen categories that differ from a known one by blanks or case alone.
fn nearly_known(
    column: &Categorical,
    values: &[String],
    strange: &[usize],
    counts: &[usize],
    name: &str,
) -> Option<Warning> {
    if strange.is_empty() {
        return None;
    }
    let bare = |text: &str| text.split_whitespace().collect::<String>().to_lowercase();
    let known: HashMap<String, &String> = values.iter().rev().map(|value| (bare(value), value)).collect();
    let text = |code: usize| &column.dictionary()[code];
    let mut near = strange.iter().filter_map(|&code| Some((code, *known.get(&bare(text(code)))?))).peekable();
    let &(first, meant) = near.peek()?;
    let (found, meant) = (text(first).clone(), meant.clone());
    let rows = near.map(|(code, _)| counts[code]).sum();
    Some(Warning::NearlyKnown { column: name.to_owned(), rows, found, known: meant })
}

fn bucket(values: &[f64], edges: &[f64], thermometer: bool, first: usize) -> CodedColumn {
    let buckets = edges.len().saturating_sub(1);
    // The first edge that is not below the value closes its bucket; NaN is below nothing and lands outside.
    let code = |&value: &f64| match edges.partition_point(|&edge| edge < value) {
        0 => buckets,
        at if value.is_nan() || at > buckets => buckets,
        at => at - 1,
    };
    let codes = values.iter().map(|value| code(value) as u32).collect();
    let active = Active::new((0..=buckets).map(|code| {
        let lowest = if thermometer { 0 } else { code };
        let on = if code < buckets { lowest..code + 1 } else { 0..0 };
        on.map(|feature| (first + feature) as u32)
    }));
    CodedColumn { codes: Codes::narrow(codes, buckets + 1), active }
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn buckets_are_left_open_and_right_closed_and_thermometers_keep_lower_ones_on() {
        let edges = vec![0.0, 10.0, 20.0];
        let values = [0.0, 0.1, 10.0, 10.1, 20.0, 20.1, f64::NAN];
        let on = |thermometer| {
            let column = bucket(&values, &edges, thermometer, 5);
            (0..values.len()).map(|row| column.active.of(column.codes.get(row)).to_vec()).collect::<Vec<_>>()
        };
        assert_eq!(on(false), [vec![], vec![5], vec![5], vec![6], vec![6], vec![], vec![]]);
        assert_eq!(on(true), [vec![], vec![5], vec![5], vec![5, 6], vec![5, 6], vec![], vec![]]);
    }
}

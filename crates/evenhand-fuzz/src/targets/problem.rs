//! Rows that are hard to compute with: values at the ends of what a number can be, groups of one, labels of one kind,
//! weights that vanish or overflow.

use arbitrary::{Result, Unstructured};
use evenhand::correction::Solver;
use evenhand::data::Categorical;
use evenhand::{Bound, Column, Correction, Dataset, Logistic, Notion, Schema, Table};

use super::{Checked, fits};
use crate::ground::Ground;

const VALUES: [f64; 21] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    1e-8,
    1e8,
    1e15,
    9_007_199_254_740_993.0,
    1e100,
    -1e100,
    1e140,
    1e-100,
    1e-140,
    -1e-300,
    f64::MAX,
    f64::MIN,
    1e300,
    5e-324,
    f64::MIN_POSITIVE,
    f64::NAN,
];

/// Weights, of rows that are alike in little else.
const WEIGHTS: [f64; 8] = [1.0, 1.0, 0.0, 2.5, 1e-6, 1e6, 1e-3, 7.0];

/// The same at the ends of what a weight can be.
const EXTREME: [f64; 8] = [1.0, 1e-20, 1e-60, 1e-300, 1e300, f64::MAX, 5e-324, 0.0];

const NOTIONS: [Notion; 6] = [
    Notion::DemographicParity,
    Notion::EqualOpportunity,
    Notion::EqualizedOdds,
    Notion::PredictiveEquality,
    Notion::EqualAccuracy,
    Notion::DisparateImpact,
];

pub(super) fn check(_: &Ground, input: &[u8]) -> Checked {
    let from = &mut Unstructured::new(input);
    let Ok((table, schema, correction)) = draw(from) else { return Ok(false) };
    let Ok(data) = Dataset::new(table, &schema) else { return Ok(false) };
    fits::check(&data, &correction, &Logistic { max_passes: 100, ..Logistic::default() })
}

fn draw(from: &mut Unstructured<'_>) -> Result<(Table, Schema, Correction)> {
    let rows = from.int_in_range(1..=80)?;
    let (classes, groups) = (from.int_in_range(1..=3)?, from.int_in_range(1..=5)?);
    let features = from.int_in_range(1..=3)?;
    let mut columns = Vec::new();
    for at in 0..features {
        columns.push((format!("x{at}"), Column::Numeric(numbers(rows, from)?)));
    }
    let texts = |kinds: usize, missing: bool, from: &mut Unstructured<'_>| -> Result<Column> {
        let lopsided = from.arbitrary::<bool>()?;
        let one = |from: &mut Unstructured<'_>| -> Result<Option<String>> {
            let kind = if lopsided && from.ratio(9, 10)? { 0 } else { from.int_in_range(0..=kinds - 1)? };
            Ok(if missing && from.ratio(1, 8)? { None } else { Some(format!("v{kind}")) })
        };
        let values = (0..rows).map(|_| one(from)).collect::<Result<Vec<_>>>()?;
        Ok(Column::Categorical(Categorical::from_values(values)))
    };
    columns.push(("group".into(), texts(groups, true, from)?));
    columns.push(("label".into(), texts(classes, false, from)?));
    let mut schema = Schema::label("label");
    if classes <= 2 || from.arbitrary()? {
        schema = schema.positive("v0");
    }
    if from.ratio(1, 3)? {
        let list = if from.ratio(1, 3)? { &EXTREME } else { &WEIGHTS };
        let weights = (0..rows).map(|_| from.choose(list).copied()).collect::<Result<Vec<f64>>>()?;
        columns.push(("weight".into(), Column::Numeric(weights)));
        schema = schema.weight("weight");
    }
    let mut correction = Correction::new(from.choose(&NOTIONS)?.clone());
    correction.groups.extend("group".parse());
    if from.arbitrary()? {
        let limit = *from.choose(&[0.0, 0.01, 0.1, 0.5, 1.0])?;
        let kinds = [Bound::MaxViolation, Bound::MaxViolation, Bound::MaxDifference, Bound::MinRatio];
        correction.bounds.push(from.choose(&kinds)?(limit).into());
    }
    if let Solver::Sqp(settings) = &mut correction.solver {
        settings.min_group = *from.choose(&[0, 0, 30])?;
    }
    let table = Table::new(columns, 1).map_err(|_| arbitrary::Error::IncorrectFormat)?;
    Ok((table, schema, correction))
}

/// One size, several, or all of them in a column.
fn numbers(rows: usize, from: &mut Unstructured<'_>) -> Result<Vec<f64>> {
    let (kind, unit) = (from.int_in_range(0..=2)?, *from.choose(&VALUES)?);
    let value = |from: &mut Unstructured<'_>| -> Result<f64> {
        Ok(match kind {
            0 => f64::from(from.arbitrary::<i8>()?) / 16.0,
            1 => unit * f64::from(from.arbitrary::<i8>()?) / 128.0,
            _ => *from.choose(&VALUES)?,
        })
    };
    let finite = |value: f64| if value.is_infinite() { f64::MAX } else { value };
    (0..rows).map(|_| value(from).map(finite)).collect()
}

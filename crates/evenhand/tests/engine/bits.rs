//! The same model to the last bit, in whatever order rows stand and on any number of threads: with continuous columns, missing values, row weights and
//! three classes; for identifications and audits as well.
use evenhand::audit::AuditOptions;
use evenhand::correction::Apply;
use evenhand::data::Categorical;
use evenhand::{Audit, Column, Correction, Dataset, Groups, Identify, Logistic, Notion, Schema, Table};

/// More rows than a leaf of any pass.
const ROWS: usize = 9_001;

/// Numbers between 0 and 1 that look like noise.
fn noise(row: usize, column: usize) -> f64 {
    let mixed = (row as u64 * 31 + column as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    ((mixed ^ (mixed >> 32)) >> 11) as f64 / (1_u64 << 53) as f64
}

/// A number that is not negative, rounded down.
#[expect(clippy::cast_sign_loss)]
fn whole(number: f64) -> usize {
    number as usize
}

fn categories(of: impl Fn(usize) -> Option<&'static str>) -> Column {
    let values: Vec<Option<&str>> = (0..ROWS).map(of).collect();
    Column::Categorical(Categorical::from_values(values))
}

/// People of two sexes and three regions, with an income that has outliers, ages that may be missing, weights, and labels of two kinds.
fn table() -> Table {
    let female = |row: usize| noise(row, 0) < 0.4;
    let income = |row: usize| (3.0 * noise(row, 1) + noise(row, 2)).exp() * if row % 1000 == 7 { 1e4 } else { 1.0 };
    let age = |row: usize| if noise(row, 3) < 0.1 { f64::NAN } else { (18.0 + 60.0 * noise(row, 4)).floor() };
    let merit = |row: usize| {
        noise(row, 1) + 0.7 * noise(row, 5) - if female(row) { 0.3 } else { 0.0 }
            + 0.2 * f64::from(row.is_multiple_of(3))
    };
    let region = |row: usize| [Some("north"), Some("south"), Some("west"), None][whole(3.3 * noise(row, 6))];
    let columns = vec![
        ("sex", categories(|row| Some(if female(row) { "f" } else { "m" }))),
        ("region", categories(region)),
        ("income", Column::Numeric((0..ROWS).map(income).collect())),
        ("age", Column::Numeric((0..ROWS).map(age).collect())),
        ("counts", Column::Numeric((0..ROWS).map(|row| 0.05 + 7.0 * noise(row, 7).powi(3)).collect())),
        ("hired", categories(|row| Some(if merit(row) > 0.8 { "yes" } else { "no" }))),
        ("grade", categories(|row| Some(["low", "middle", "high"][whole(((merit(row) + 0.2) * 1.6).clamp(0.0, 2.0))]))),
    ];
    Table::new(columns.into_iter().map(|(name, column)| (name.to_owned(), column)).collect(), 1).unwrap()
}

/// All row numbers in another order.
fn shuffled(seed: usize) -> Vec<usize> {
    let mut rows: Vec<usize> = (0..ROWS).collect();
    rows.sort_by_key(|&row| noise(row, 100 + seed).to_bits());
    rows
}

fn schema(label: &str, weighted: bool) -> Schema {
    let (positive, other) = if label == "hired" { ("yes", "grade") } else { ("high", "hired") };
    let schema = Schema::label(label).positive(positive).ignore(other);
    if weighted { schema.weight("counts") } else { schema.ignore("counts") }
}

/// Bits of coefficients and multipliers, and decisions in the order of the unshuffled rows.
type Bits = (Vec<u64>, Vec<u64>, Vec<usize>);

fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|value| value.to_bits()).collect()
}

fn fit(table: &Table, order: &[usize], schema: &Schema, notion: &Notion) -> Bits {
    let settings = Correction::new(notion.clone()).group("sex").unwrap().group("region=south").unwrap();
    fit_by(&settings, table, order, schema)
}

fn fit_by(settings: &Correction, table: &Table, order: &[usize], schema: &Schema) -> Bits {
    let data = Dataset::new(table.select(order), schema).unwrap();
    let fitted = settings.fit(&data, &Logistic::default()).unwrap();
    let found = fitted.predict(data.table()).unwrap().decisions;
    let mut decisions = vec![0; order.len()];
    for (at, &row) in order.iter().enumerate() {
        decisions[row] = found.get(at);
    }
    (bits(fitted.predictor().coefficients()), bits(&fitted.solution().multipliers), decisions)
}

#[test]
fn a_shuffled_table_gives_the_same_bits() {
    let table = table();
    let straight: Vec<usize> = (0..ROWS).collect();
    for notion in [Notion::DemographicParity, Notion::EqualizedOdds, Notion::DisparateImpact] {
        for (label, weighted) in [("hired", false), ("hired", true), ("grade", true)] {
            let schema = schema(label, weighted);
            let one = fit(&table, &straight, &schema, &notion);
            assert!(one.0.iter().all(|bits| f64::from_bits(*bits).is_finite()));
            for seed in 0..2 {
                let other = fit(&table, &shuffled(seed), &schema, &notion);
                assert!(one == other, "{notion} {label} {weighted} {seed}");
            }
        }
    }
}

#[test]
fn tilts_of_a_shuffled_table_have_the_same_bits() {
    let table = table();
    let straight: Vec<usize> = (0..ROWS).collect();
    for (label, weighted) in [("hired", false), ("hired", true), ("grade", true)] {
        let schema = schema(label, weighted);
        let tilted = |order: &[usize]| {
            let settings = Correction::new(Notion::DemographicParity).group("sex").unwrap();
            let settings = settings.group("region=south").unwrap().apply(Apply::Tilt).max_violation(0.02);
            fit_by(&settings, &table, order, &schema)
        };
        let one = tilted(&straight);
        assert!(weighted || one.1.iter().any(|bits| f64::from_bits(*bits).abs() > 0.0));
        for seed in 5..7 {
            assert!(one == tilted(&shuffled(seed)), "{label} {weighted} {seed}");
        }
    }
}

#[test]
fn rows_that_are_alike_are_aggregated_to_the_same_bits() {
    let table = table();
    let straight: Vec<usize> = (0..ROWS).collect();
    for weighted in [false, true] {
        let schema = schema("hired", weighted).ignore("income").ignore("age");
        let one = fit(&table, &straight, &schema, &Notion::DemographicParity);
        assert!(one == fit(&table, &shuffled(3), &schema, &Notion::DemographicParity), "{weighted}");
    }
}

#[test]
fn the_number_of_threads_gives_the_same_bits() {
    let (table, schema) = (table(), schema("hired", true));
    let on = |threads: usize, order: &[usize]| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| fit(&table, order, &schema, &Notion::EqualizedOdds))
    };
    let one = on(1, &(0..ROWS).collect::<Vec<_>>());
    assert!(one == on(2, &shuffled(1)) && one == on(5, &shuffled(2)));
}

#[test]
fn identified_bias_and_audits_have_the_same_bits() {
    let (table, schema) = (table(), schema("hired", true));
    // What is shown of a double for debugging tells it from every other.
    let estimated = |order: &[usize], notion: Notion| {
        let data = Dataset::new(table.select(order), &schema).unwrap();
        let (identified, _) = Identify::default().notion(notion).group("sex=f").unwrap().run(&data).unwrap();
        let (groups, _) = Groups::of(&["sex".parse().unwrap(), "region".parse().unwrap()], &data).unwrap();
        let audit = Audit::of_dataset(&data, &groups, None, &AuditOptions::default()).unwrap();
        format!("{identified:?}\n{audit:?}")
    };
    for notion in [Notion::DemographicParity, Notion::EqualOpportunity] {
        let one = estimated(&(0..ROWS).collect::<Vec<_>>(), notion.clone());
        assert!(one == estimated(&shuffled(4), notion.clone()), "{notion}");
    }
}

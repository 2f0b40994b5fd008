//! Passes over 100,000 rows: what a correction spends its time on.
//!
//! Ten categorical columns and two of numbers, two classes, four groups. Passes are reached
//! through the public calls that make exactly one of them each.

use divan::{Bencher, black_box};
use evenhand::correction::Problem;
use evenhand::data::Codes;
use evenhand::features::{Active, CodedColumn, DenseColumn, Features};
use evenhand::learner::{LogisticModel, Training};
use evenhand::{Logistic, Measure, Membership, Notion, Weights};

const ROWS: usize = 100_000;
const COLUMNS: usize = 10;
const CODES: usize = 12;

fn main() {
    divan::main();
}

/// A fixed stream of numbers that look random: the same rows every time.
fn noise(row: usize, column: usize) -> usize {
    let mixed = (row as u64 * 64 + column as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    usize::try_from(mixed >> 40).expect("24 bits")
}

fn features() -> Features {
    let coded = |column: usize| CodedColumn {
        codes: Codes::narrow((0..ROWS).map(|row| (noise(row, column) % CODES) as u32).collect(), CODES),
        active: Active::one_hot(column * CODES, CODES, CODES),
    };
    let dense = |column: usize| {
        let value = |row| noise(row, COLUMNS + column) as f64 / f64::from(1 << 23) - 1.0;
        DenseColumn::new(COLUMNS * CODES + column, (0..ROWS).map(value).collect())
    };
    let (coded, dense) = ((0..COLUMNS).map(coded).collect(), (0..2).map(dense).collect());
    Features::new(ROWS, COLUMNS * CODES + 2, coded, dense).expect("columns are of one length")
}

fn labels() -> Codes {
    Codes::narrow((0..ROWS).map(|row| (noise(row, 20) % 2) as u32).collect(), 2)
}

fn model() -> LogisticModel {
    let coefficients = (0..=COLUMNS * CODES + 2).map(|at| (at as f64).sin() / 4.0).collect();
    LogisticModel::new(2, coefficients).expect("one margin")
}

fn problem() -> Problem {
    let mask = |group: usize| (0..ROWS).map(|row| noise(row, 30 + group).is_multiple_of(3)).collect::<Vec<bool>>();
    let masks: Vec<Vec<bool>> = (0..4).map(mask).collect();
    let names = (0..4).map(|group| format!("group {group}")).collect();
    let membership = Membership::from_masks(names, &masks).expect("masks are of one length");
    let classes = ["0".to_owned(), "1".to_owned()];
    let notions = [Notion::DemographicParity];
    Problem::of_arrays(features(), labels(), &classes, &membership, None, &notions).expect("every group has rows").0
}

#[divan::bench(name = "gradient/100k_rows/122_features")]
fn gradient(bencher: Bencher<'_, '_>) {
    let (features, labels, weights, model) = (features(), labels(), Weights::equal(ROWS), model());
    let training = Training { features: &features, labels: &labels, classes: 2, weights: &weights };
    bencher.bench_local(|| Logistic::default().gradient_norm(black_box(training), &model));
}

#[divan::bench(name = "loss/100k_rows/122_features")]
fn loss(bencher: Bencher<'_, '_>) {
    let (features, labels, weights, model) = (features(), labels(), Weights::equal(ROWS), model());
    let training = Training { features: &features, labels: &labels, classes: 2, weights: &weights };
    bencher.bench_local(|| Logistic::default().objective(black_box(training), &model));
}

#[divan::bench(name = "sums/100k_rows/4_groups")]
fn cell_sums(bencher: Bencher<'_, '_>) {
    let (problem, model) = (problem(), model());
    bencher.bench_local(|| black_box(&problem).evaluate_predictor(&model, Measure::Decisions).expect("widths agree"));
}

//! Labels with a given violation, against bisection, and against all others that have it. [Jiang & Nachum 2019, Ass. 1]

use evenhand::correction::{AskedViolation, Problem};
use evenhand::data::Codes;
use evenhand::features::Features;
use evenhand::{Membership, Notion};

const ROWS: usize = 60;

/// Numbers between 0 and 1 that are the same everywhere.
fn uniform(at: usize) -> f64 {
    // The golden ratio's multiples are spread evenly.
    (at as f64 * 0.618_033_988_749_894_9 + 0.1).fract()
}

/// The first group is every third row, the second every row above 40; weights are 1 and 2.
fn is_in(row: usize, group: usize) -> bool {
    if group == 0 { row.is_multiple_of(3) } else { row > 40 }
}

fn weight(row: usize) -> f64 {
    1.0 + (row % 2) as f64
}

fn problem(notion: &str, partition: bool) -> Problem {
    let features = Features::from_rows(&(0..ROWS).map(uniform).collect::<Vec<_>>(), 1).unwrap();
    let labels = Codes::narrow((0..ROWS).map(|row| u32::from(uniform(row + 7) < 0.5)).collect(), 2);
    let second = |row: usize| if partition { !is_in(row, 0) } else { is_in(row, 1) };
    let masks = [(0..ROWS).map(|row| is_in(row, 0)).collect::<Vec<_>>(), (0..ROWS).map(second).collect()];
    let membership = Membership::from_masks(vec!["a".into(), "b".into()], &masks).unwrap();
    let classes = ["no".to_owned(), "yes".to_owned()];
    let weights = (0..ROWS).map(weight).collect();
    let notions = [notion.parse::<Notion>().unwrap()];
    Problem::of_arrays(features, labels, &classes, &membership, Some(weights), &notions).unwrap().0
}

/// The probability of a positive true label.
fn truth(row: usize) -> f64 {
    0.1 + 0.8 * uniform(row)
}

fn probabilities() -> Vec<f64> {
    (0..ROWS).flat_map(|row| [1.0 - truth(row), truth(row)]).collect()
}

/// Overall rate minus that of a group, of rows that count so much.
fn violation(positive: impl Fn(usize) -> f64, group: usize, counts: impl Fn(usize) -> f64) -> f64 {
    let rate = |inside: &dyn Fn(usize) -> bool| {
        let rows = (0..ROWS).filter(|&row| inside(row));
        let sums = rows.map(|row| (counts(row) * weight(row) * positive(row), counts(row) * weight(row)));
        let (decided, all) = sums.fold((0.0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
        decided / all
    };
    rate(&|_| true) - rate(&|row| is_in(row, group))
}

fn divergence(positive: impl Fn(usize) -> f64) -> f64 {
    let total: f64 = (0..ROWS).map(weight).sum();
    let of = |q: f64, p: f64| q * (q / p).ln() + (1.0 - q) * ((1.0 - q) / (1.0 - p)).ln();
    (0..ROWS).map(|row| weight(row) * of(positive(row), truth(row))).sum::<f64>() / total
}

fn asked(violations: &[f64]) -> Vec<AskedViolation> {
    let one = |(constraint, &violation)| AskedViolation { constraint, violation };
    violations.iter().enumerate().map(one).collect()
}

#[test]
fn the_multiplier_of_one_group_is_that_of_bisection() {
    let (problem, truths) = (problem("demographic-parity", false), probabilities());
    let total: f64 = (0..ROWS).map(weight).sum();
    let share = (0..ROWS).filter(|&row| is_in(row, 0)).map(weight).sum::<f64>() / total;
    for epsilon in [0.05, 0.3, -0.2, 0.6] {
        let found = problem.closest(&asked(&[epsilon]), &truths).unwrap();
        let biased = |lambda: f64, row: usize| {
            let tilt = lambda * (f64::from(u8::from(is_in(row, 0))) / share - 1.0);
            let odds = truth(row) / (1.0 - truth(row)) * (-tilt).exp();
            odds / (1.0 + odds)
        };
        let (mut low, mut high) = (-20.0, 20.0);
        for _ in 0..100 {
            let middle = f64::midpoint(low, high);
            let below = violation(|row| biased(middle, row), 0, |_| 1.0) < epsilon;
            if below { low = middle } else { high = middle }
        }
        assert!((found.multipliers[0] - low).abs() < 1e-8, "{epsilon}: {} and {low}", found.multipliers[0]);
        assert!(found.multipliers[1] == 0.0, "nothing was asked of the second");
        assert!((found.before[0] - violation(truth, 0, |_| 1.0)).abs() < 1e-12);
        assert!((found.divergence - divergence(|row| biased(low, row))).abs() < 1e-8);
    }
}

#[test]
fn no_other_labels_with_these_violations_are_closer() {
    for (notion, counts) in [
        ("demographic-parity", (|_| 1.0) as fn(usize) -> f64),
        ("equal-opportunity", truth),
        ("predictive-equality", |row| 1.0 - truth(row)),
    ] {
        let (problem, truths) = (problem(notion, false), probabilities());
        let epsilons = [0.12, -0.07];
        let found = problem.closest(&asked(&epsilons), &truths).unwrap();
        let biased = problem.biased(&found.multipliers, &truths).unwrap();
        let positive = |row: usize| biased[2 * row + 1];
        for (group, epsilon) in epsilons.into_iter().enumerate() {
            let reached = violation(positive, group, counts);
            assert!((reached - epsilon).abs() < 1e-9, "{notion}: {reached} for {epsilon}");
        }
        assert!((found.divergence - divergence(positive)).abs() < 1e-9, "{notion}");
        // Moves that keep both violations: any, less their part along the two gradients of the violations.
        let gradient = |group: usize| -> Vec<f64> {
            (0..ROWS).map(|row| violation(|other| f64::from(u8::from(other == row)), group, counts)).collect()
        };
        let dot = |one: &[f64], other: &[f64]| one.iter().zip(other).map(|(one, other)| one * other).sum::<f64>();
        let without = |from: &[f64], along: &[f64]| -> Vec<f64> {
            let part = dot(from, along) / dot(along, along);
            from.iter().zip(along).map(|(one, other)| one - part * other).collect()
        };
        let first = gradient(0);
        let second = without(&gradient(1), &first);
        for seed in 0..50 {
            let any: Vec<f64> = (0..ROWS).map(|row| uniform(row * 13 + seed * 101) - 0.5).collect();
            let step = without(&without(&any, &first), &second);
            let moved = |row: usize| positive(row) + 0.02 * step[row];
            assert!((violation(moved, 1, counts) - epsilons[1]).abs() < 1e-9);
            assert!(divergence(moved) > found.divergence, "{notion}: {seed}");
        }
    }
}

#[test]
fn groups_that_partition_the_rows_may_be_asked_what_fits_together() {
    let (problem, truths) = (problem("demographic-parity", true), probabilities());
    let total: f64 = (0..ROWS).map(weight).sum();
    let share = (0..ROWS).filter(|&row| is_in(row, 0)).map(weight).sum::<f64>() / total;
    // The overall rate is the mean of both: Z ε₀ + (1 − Z) ε₁ = 0.
    let other = -0.2 * share / (1.0 - share);
    let found = problem.closest(&asked(&[0.2, other]), &truths).unwrap();
    let biased = problem.biased(&found.multipliers, &truths).unwrap();
    assert!((violation(|row| biased[2 * row + 1], 0, |_| 1.0) - 0.2).abs() < 1e-9);
    let said = problem.closest(&asked(&[0.2, 0.2]), &truths).unwrap_err().to_string();
    assert!(
        said.starts_with("`violation` is 0.2 of `demographic-parity a`, 0.2 of `demographic-parity b` at once"),
        "{said}"
    );
}

#[test]
fn what_cannot_be_put_in_is_refused() {
    let (problem, truths) = (problem("demographic-parity", false), probabilities());
    let before = violation(truth, 1, |_| 1.0);
    let said = |group: usize, violation: f64| {
        let asked = [AskedViolation { constraint: group, violation }];
        problem.closest(&asked, &truths).unwrap_err().to_string()
    };
    for wrong in [0.0, f64::NAN, f64::INFINITY, 0.9, -0.9] {
        let said = said(0, wrong);
        assert!(said.contains("which labels can have, and not 0"), "{wrong}: {said}");
    }
    assert!(before.abs() > 0.001, "{before}");
    for (part, more) in [(0.5, true), (1.0, true), (1.1, false)] {
        let asked = [AskedViolation { constraint: 1, violation: part * before }];
        let found = problem.closest(&asked, &truths);
        assert_eq!(found.is_err(), more, "{part}");
        if let Err(error) = found {
            assert!(error.to_string().contains("that the true labels have already"), "{error}");
        }
    }
    let twice = [AskedViolation { constraint: 0, violation: 0.1 }; 2];
    assert!(problem.closest(&twice, &truths).unwrap_err().to_string().contains("twice of `demographic-parity a`"));
    assert!(said(5, 0.1).contains("of constraint 5"));
    assert_eq!(problem.closest(&twice[..1], &truths[1..]).unwrap_err().code(), "length-mismatch");
}

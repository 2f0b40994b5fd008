//! What a bound means where rows are few: how near to it a search aims, and whom it leaves alone.

use evenhand::correction::{Problem, Silent, Solution};
use evenhand::learner::LogisticModel;
use evenhand::{Bound, Correction, Logistic, Measure, Termination, Warning};
use evenhand_datasets::synthetic::{People, standard_normal};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// People of two sexes and three races, one of them with `few` members, whose labels were given with a bias against three of the five groups.
fn people(rows: usize, few: Option<usize>, bias: f64, seed: u64) -> People {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut people = People { features: Vec::new(), width: 6, labels: Vec::new(), masks: vec![Vec::new(); 5] };
    for row in 0..rows {
        let (female, drawn) = (rng.random::<f64>() < 0.4, rng.random::<f64>());
        let race = match few {
            Some(few) if row < few => 2,
            Some(_) => usize::from(drawn < 0.4),
            None => usize::from(drawn < 0.4) + usize::from(drawn < 0.1),
        };
        let first = standard_normal(&mut rng) + if female { 0.0 } else { 0.7 * bias };
        let second = standard_normal(&mut rng);
        let against = [0.0, 0.5, 0.9][race] + f64::from(u8::from(female));
        let chance = 1.0 / (1.0 + (bias * against - first - 0.5 * second).exp());
        people.labels.push(u32::from(rng.random::<f64>() < chance));
        let members = [female, !female, race == 0, race == 1, race == 2];
        people.features.extend([first, second]);
        people.features.extend(members[1..].iter().map(|member| f64::from(u8::from(*member))));
        people.masks.iter_mut().zip(members).for_each(|(mask, member)| mask.push(member));
    }
    people
}

fn solve(problem: &Problem, notion: &str, bound: Option<Bound>) -> (Correction, Solution<LogisticModel>) {
    let mut settings = Correction::new(notion.parse().unwrap());
    settings.bounds.extend(bound.map(Into::into));
    let solution = settings.solve(problem, &Logistic::default(), &mut Silent).unwrap();
    (settings, solution)
}

#[test]
fn a_ratio_is_kept_on_the_rows_by_which_multipliers_are_chosen() {
    for (rows, seed) in [(4_000, 1), (30_000, 2)] {
        let people = people(rows, None, 1.5, seed);
        for notion in ["demographic-parity", "equal-opportunity"] {
            let problem = people.problem(&notion.parse().unwrap()).unwrap();
            for least in [0.8, 0.9] {
                let (settings, found) = solve(&problem, notion, Some(Bound::MinRatio(least)));
                let tests = found.test_bounds(&problem, &settings.bounds, Measure::Decisions, 0.95).unwrap();
                let context = format!("{rows} rows, {notion}, at least {least}: {:?}", tests[0].value);
                assert!(found.stop == Termination::Converged && tests[0].value >= Some(least), "{context}");
                let loosely = |warning: &Warning| matches!(warning, Warning::HeldLoosely { .. });
                assert!(!found.warnings.iter().any(loosely), "{context}: so many rows can tell");
            }
        }
    }
}

#[test]
fn a_bound_finer_than_rows_can_tell_is_kept_where_evenness_is_worth_it() {
    let people = people(3_000, None, 1.0, 3);
    let problem = people.problem(&"demographic-parity".parse().unwrap()).unwrap();
    let (_, found) = solve(&problem, "demographic-parity", Some(Bound::MaxViolation(0.005)));
    assert!(
        found.warnings.iter().any(|warning| matches!(warning, Warning::HeldLoosely { .. })),
        "{:?}",
        found.warnings
    );
    // Half a standard error is 0.012 here; less than 0.001 is not worth another fit.
    assert!(found.train.violation.unwrap() <= 0.006, "{:?}", found.train.violation);
}

#[test]
fn people_too_few_to_search_for_are_left_alone() {
    for seed in 0..4 {
        let people = people(1_500, Some(12), 1.0, seed);
        let problem = people.problem(&"demographic-parity".parse().unwrap()).unwrap();
        let (_, found) = solve(&problem, "demographic-parity", None);
        assert!(found.warnings.iter().any(|warning| matches!(warning, Warning::NotSearched { .. })));
        // By the weights w(x, 1) = σ(e) and w(x, 0) = σ(−e): the mean exponent of a group.
        let weights = found.weights(&problem).unwrap().to_rows();
        let exponent = |row: usize| {
            let odds = (weights[row] / (1.0 - weights[row])).ln();
            if people.labels[row] == 1 { odds } else { -odds }
        };
        let mean = |group: usize| {
            let rows: Vec<usize> = (0..1_500).filter(|&row| people.masks[group][row]).collect();
            rows.iter().map(|&row| exponent(row)).sum::<f64>() / rows.len() as f64
        };
        assert!(mean(4).abs() < 0.5 && mean(0) > 0.8, "the few {}, women {}", mean(4), mean(0));
    }
}

#[test]
fn bounded_weights_that_saturate_are_not_the_end() {
    // With this bias weights below 1 stall at a violation of 0.035, since three quarters of it are gone; unbounded ones go on, for less error.
    let people = people(12_000, None, 1.4, 5);
    let problem = people.problem(&"equal-opportunity".parse().unwrap()).unwrap();
    let (_, found) = solve(&problem, "equal-opportunity", None);
    assert_eq!(found.stop, Termination::Converged);
    assert!(found.train.violation.unwrap() < 0.02, "{:?}", found.train.violation);
}

//! Whether the bias that was put into labels is found again, within its intervals.
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use evenhand::{Dataset, Identify, Schema, Stop, Table, synthetic};

const SCHEMA: fn() -> Schema = || Schema::label("approved").positive("yes").ignore("deserved");

fn settings() -> Identify {
    Identify::default().group("sex=female").unwrap().group("age_band=18-24").unwrap()
}

fn dataset(table: Table) -> Dataset {
    Dataset::new(table, &SCHEMA()).unwrap()
}

/// Rows drawn from a population ten times as large, in which groups deserve alike.
fn draws(rows: usize, count: usize) -> impl Iterator<Item = Dataset> {
    (0..count.div_ceil(10)).flat_map(move |population| {
        let table = synthetic::population(10 * rows, 7_000 + population as u64).unwrap();
        let part = move |at: usize| dataset(table.select(&(at * rows..(at + 1) * rows).collect::<Vec<_>>()));
        (0..10.min(count - 10 * population)).map(part)
    })
}

#[test]
fn intervals_cover_the_bias_that_was_put_in() {
    let (simulations, mut covered, mut sums) = (200, [0; 2], [0.0; 2]);
    for data in draws(5_000, simulations) {
        let (found, _) = settings().run(&data).unwrap();
        assert_eq!(found.stop, Stop::Converged);
        for (at, (multiplier, (_, truth))) in found.multipliers.iter().zip(synthetic::MULTIPLIERS).enumerate() {
            covered[at] += usize::from(multiplier.low <= truth && truth <= multiplier.high);
            sums[at] += multiplier.value;
        }
    }
    // Of 200 intervals at 95 %, fewer than 184 or more than 196 cover in 5.5 % of all cases; the seed is fixed.
    for (at, (_, truth)) in synthetic::MULTIPLIERS.into_iter().enumerate() {
        assert!((184..=196).contains(&covered[at]), "{covered:?}");
        // The mean of 200 estimates has a standard error of about 0.003 and 0.0012.
        assert!((sums[at] / simulations as f64 - truth).abs() < 0.012, "{sums:?}");
    }
}

#[test]
fn drawing_rows_again_agrees_with_the_derivatives() {
    let data = dataset(synthetic::population(8_000, 3).unwrap());
    let (found, _) = Identify { resamples: 100, seed: 5, ..settings() }.run(&data).unwrap();
    for one in &found.multipliers {
        let again = one.resampled.unwrap();
        // A standard deviation from 100 draws has a standard error of 7 %.
        let ratio = again.standard_error / one.standard_error;
        assert!((0.75..1.3).contains(&ratio) && again.draws == 100, "{ratio} {again:?}");
    }
    let (same, _) = Identify { resamples: 100, seed: 5, ..settings() }.run(&data).unwrap();
    assert_eq!(found, same);
}

#[test]
fn a_complement_changes_no_effect_and_mirrors_its_own() {
    let data = dataset(synthetic::population(6_000, 9).unwrap());
    let (one, _) = Identify::default().group("sex=female").unwrap().run(&data).unwrap();
    let (both, _) = Identify::default().group("sex").unwrap().run(&data).unwrap();
    let log = |effects: &[evenhand::identify::Effect], group: &str| {
        let effect = effects.iter().find(|effect| effect.group == group).unwrap();
        [effect.odds_ratio.ln(), effect.low.ln(), effect.high.ln()]
    };
    let (alone, female, male) =
        (log(&one.effects, "sex=female"), log(&both.effects, "sex=female"), log(&both.effects, "sex=male"));
    for (a, b) in alone.iter().zip(female) {
        assert!((a - b).abs() < 1e-6, "{alone:?} {female:?}");
    }
    let rows = |group: &str| both.effects.iter().find(|effect| effect.group == group).unwrap().rows as f64;
    assert!((female[0] * rows("sex=female") + male[0] * rows("sex=male")).abs() < 1e-4, "{female:?} {male:?}");
}

#[test]
fn labels_without_bias_are_not_accused() {
    let table = synthetic::population(20_000, 2).unwrap();
    let data = Dataset::new(table, &Schema::label("deserved").positive("yes").ignore("approved")).unwrap();
    let (found, _) = Identify { confidence: 0.999, ..settings() }.run(&data).unwrap();
    for effect in &found.effects {
        assert!(effect.sentence.starts_with("No bias"), "{}", effect.sentence);
    }
}

#[test]
fn settings_out_of_range_are_refused() {
    for wrong in [Identify { confidence: 1.0, ..settings() }, Identify { resamples: 3, ..settings() }] {
        let data = dataset(synthetic::population(1_000, 1).unwrap());
        assert_eq!(wrong.run(&data).unwrap_err().code(), "setting-invalid");
    }
}

//! What must not matter to a correction: the order of rows, the names of groups, the number
//! of threads, the unit of weights; and what must: a repeated row is a weight of 2, for as much penalty a row.
use evenhand::correction::{Problem, Silent, Solution, Technique, Termination, Tilt, WeightRule};
use evenhand::data::Codes;
use evenhand::features::{Active, CodedColumn, DenseColumn, Features};
use evenhand::learner::Learner;
use evenhand::{Correction, Logistic, Measure, Membership, Notion, Preset};
use proptest::prelude::*;

/// One row: a category, a number, a label and two memberships.
type Row = (u32, i32, u32, bool, bool);

fn rows() -> impl Strategy<Value = Vec<Row>> {
    let row = (0u32..3, -20i32..20, 0u32..2, any::<bool>(), any::<bool>());
    prop::collection::vec(row, 40..120).prop_filter("both labels, and both groups with members of each label", |rows| {
        let has = |label: u32, inside: &dyn Fn(&Row) -> bool| rows.iter().any(|row| row.2 == label && inside(row));
        (0..2).all(|label| has(label, &|row| row.3) && has(label, &|row| row.4))
    })
}

fn problem(rows: &[Row], names: [&str; 2], weights: Option<Vec<f64>>, notion: Notion) -> Problem {
    let column = CodedColumn {
        codes: Codes::narrow(rows.iter().map(|row| row.0).collect(), 3),
        active: Active::one_hot(0, 3, 3),
    };
    let values = rows.iter().map(|row| f64::from(row.1) / 10.0).collect();
    let features = Features::new(rows.len(), 4, vec![column], vec![DenseColumn::new(3, values)]).unwrap();
    let labels = Codes::narrow(rows.iter().map(|row| row.2).collect(), 2);
    let masks = [rows.iter().map(|row| row.3).collect::<Vec<bool>>(), rows.iter().map(|row| row.4).collect()];
    let membership = Membership::from_masks(names.map(str::to_owned).to_vec(), &masks).unwrap();
    let classes = ["no".to_owned(), "yes".to_owned()];
    Problem::of_arrays(features, labels, &classes, &membership, weights, &[notion]).unwrap().0
}

/// What a correction found for a problem, and how: enough to ask whether another found the same.
struct Found {
    problem: Problem,
    correction: Correction,
    learner: Logistic,
    solution: Solution<<Logistic as Learner>::Predictor>,
}

/// Scores vary smoothly with the rows' order of summation, decisions do not: a tie may fall either way.
fn solution(problem: Problem) -> Found {
    penalised(problem, 1.0)
}

fn penalised(problem: Problem, l2: f64) -> Found {
    let correction = Correction::new(problem.constraints()[0].notion.clone()).measure(Measure::Scores);
    let learner = Logistic { tolerance: 1e-13, l2, ..Logistic::default() };
    let solution = correction.solve(&problem, &learner, &mut Silent).unwrap();
    Found { problem, correction, learner, solution }
}

impl Found {
    fn violation(&self) -> f64 {
        self.solution.train.violation.unwrap()
    }

    /// The violation that is left here by what was found elsewhere.
    fn violation_by(&self, other: &Self) -> f64 {
        let Self { problem, correction, learner, .. } = self;
        let swept = correction.sweep(problem, learner, &other.solution, &[1.0], &mut Silent).unwrap();
        swept[0].train.violation.unwrap()
    }

    /// Even scores are an equation, solved until violations are below 1e-8, or until what is left is worth no step. Its multipliers have as many
    /// digits as the equation is well conditioned, which it is not where a learner can hardly tell groups apart; that the multipliers of one
    /// solve the equation of the other holds all the same. Where scores cannot be evened, many multipliers are nearly as good as the best, and
    /// which is found hangs on the last digits of sums; what comes of them does not.
    fn is_close(&self, other: &Self) -> bool {
        let even = [self, other].map(|found| found.violation() < 1e-7);
        match even {
            [true, true] => {
                let pairs = self.solution.multipliers.iter().zip(&other.solution.multipliers);
                let solved = self.violation_by(other).max(other.violation_by(self)) < 1e-6;
                solved && pairs.into_iter().all(|(a, b)| (a - b).abs() < 0.01 * (1.0 + a.abs()))
            }
            [false, false] => (self.violation() - other.violation()).abs() < 1e-3,
            _ => false,
        }
    }

    /// What must be the same to the last bit where nothing was added in another order.
    fn bits(&self) -> (Vec<f64>, f64, Termination) {
        (self.solution.multipliers.clone(), self.violation(), self.solution.stop)
    }
}

const NOTIONS: [Notion; 5] = [
    Notion::DemographicParity,
    Notion::EqualOpportunity,
    Notion::EqualizedOdds,
    Notion::PredictiveEquality,
    Notion::EqualAccuracy,
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn the_order_of_rows_does_not_matter(rows in rows(), notion in 0usize..5) {
        let mut turned = rows.clone();
        turned.reverse();
        turned.rotate_left(7);
        let of = |rows: &[Row]| solution(problem(rows, ["a", "b"], None, NOTIONS[notion].clone()));
        let (one, other) = (of(&rows), of(&turned));
        prop_assert!(one.is_close(&other), "{:?} {:?}", one.bits(), other.bits());
    }

    #[test]
    fn the_names_of_groups_do_not_matter(rows in rows(), notion in 0usize..5) {
        let of = |names| solution(problem(&rows, names, None, NOTIONS[notion].clone()));
        prop_assert_eq!(of(["a", "b"]).bits(), of(["zebra", "apple"]).bits());
    }

    #[test]
    fn a_repeated_row_is_a_row_weight_of_two(rows in rows(), notion in 0usize..5) {
        let repeated: Vec<Row> = rows.iter().chain(&rows[..15]).copied().collect();
        let weights = (0..rows.len()).map(|row| if row < 15 { 2.0 } else { 1.0 }).collect();
        // Weights are relative: the penalty stands against as many rows as there are, and repeated ones are more.
        let l2 = rows.len() as f64 / repeated.len() as f64;
        let weighted = penalised(problem(&rows, ["a", "b"], Some(weights), NOTIONS[notion].clone()), l2);
        let repeated = solution(problem(&repeated, ["a", "b"], None, NOTIONS[notion].clone()));
        prop_assert!(weighted.is_close(&repeated), "{:?} {:?}", weighted.bits(), repeated.bits());
    }

    #[test]
    fn the_unit_of_weights_does_not_matter(
        rows in rows(), notion in 0usize..5, exponent in -900i32..900, seed in prop::collection::vec(0.0f64..4.0, 120)
    ) {
        // By powers of two, which round nothing: the same bits.
        let of = |factor: f64| {
            let weights = seed[..rows.len()].iter().map(|weight| (weight + 0.01) * factor).collect();
            solution(problem(&rows, ["a", "b"], Some(weights), NOTIONS[notion].clone()))
        };
        prop_assert_eq!(of(1.0).bits(), of(2f64.powi(exponent)).bits());
    }

    #[test]
    fn equal_weights_are_none(rows in rows(), notion in 0usize..5, weight in 1e-3f64..1e3) {
        let of = |weights| solution(problem(&rows, ["a", "b"], weights, NOTIONS[notion].clone()));
        prop_assert_eq!(of(None).bits(), of(Some(vec![weight; rows.len()])).bits());
    }

    #[test]
    fn weights_are_the_closed_form_over_classes(
        rows in rows(), first in -6.0f64..6.0, second in -6.0f64..6.0, centred in any::<bool>()
    ) {
        // w(x,y) = w̃(x,y) / Σ w̃(x,y'), w̃(x,1) = exp(Σ λ c), c = g/Z − 1 (or bare g), c(x,0) = 0, row by row.
        let problem = problem(&rows, ["a", "b"], None, Notion::DemographicParity);
        let tilt = if centred { Tilt::Centred } else { Tilt::Paper };
        let rule = WeightRule { tilt, ..WeightRule::CENTRED };
        let ours = problem.weights(rule, &[first, second]).unwrap().to_rows();
        let share = |inside: &dyn Fn(&Row) -> bool| rows.iter().filter(|row| inside(row)).count() as f64 / rows.len() as f64;
        let shares = [share(&|row| row.3), share(&|row| row.4)];
        for (row, ours) in rows.iter().zip(&ours) {
            let exponent: f64 = [(row.3, first), (row.4, second)]
                .iter()
                .zip(shares)
                .map(|((member, multiplier), share)| {
                    let g = f64::from(u8::from(*member));
                    multiplier * if centred { g / share - 1.0 } else { g }
                })
                .sum();
            let unnormalised = [1.0, exponent.exp()];
            let expected = unnormalised[row.2 as usize] / (unnormalised[0] + unnormalised[1]);
            prop_assert!((ours - expected).abs() < 1e-12, "{ours} {expected}");
            prop_assert!(*ours > 0.0 && *ours < 1.0);
        }
    }

    #[test]
    fn weights_stay_positive_for_any_multipliers(rows in rows(), first in -1e6f64..1e6, second in -1e6f64..1e6) {
        let problem = problem(&rows, ["a", "b"], None, Notion::EqualizedOdds);
        let multipliers = [first, second, -first, second];
        for weight in problem.weights(WeightRule::CENTRED, &multipliers).unwrap().to_rows() {
            prop_assert!(weight > 0.0 && weight <= 1.0);
        }
    }
}

/// Some rows without randomness, more than one leaf of them.
fn many(count: usize) -> Vec<Row> {
    (0..count)
        .map(|row| {
            let (a, b) = (row * 7919 % 1013, row * 104_729 % 997);
            let group = a % 3 == 0;
            let label = (a + b + if group { 0 } else { 300 }) % 2000 > 900;
            ((a % 3) as u32, i32::try_from(b % 40).unwrap() - 20, u32::from(label), group, b % 4 == 0)
        })
        .collect()
}

#[test]
fn one_thread_and_two_give_the_same_bits() {
    let rows = many(9000);
    let fit = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let problem = problem(&rows, ["a", "b"], None, Notion::EqualizedOdds);
            let solution =
                Correction::new(Notion::EqualizedOdds).solve(&problem, &Logistic::default(), &mut Silent).unwrap();
            let bits: Vec<u64> = solution.predictor.coefficients().iter().map(|c| c.to_bits()).collect();
            (bits, solution.multipliers)
        })
    };
    let one = fit(1);
    assert_eq!(one, fit(2));
    assert_eq!(one, fit(3));
}

#[test]
fn zero_multipliers_leave_the_learner_unit_weights() {
    let problem = problem(&many(500), ["a", "b"], None, Notion::DemographicParity);
    let settings = Correction::new(Notion::DemographicParity).max_violation(1.0);
    let corrected = settings.solve(&problem, &Logistic::default(), &mut Silent).unwrap();
    let plain = settings.clone().preset(Preset::Paper).solve(&problem, &Logistic::default(), &mut Silent).unwrap();
    assert_eq!(corrected.trace.len(), 1);
    assert!(plain.unweighted && !corrected.unweighted);
    assert_eq!(corrected.predictor.coefficients(), plain.predictor.coefficients());
}

#[test]
fn sampling_reaches_about_the_multipliers_of_weighting() {
    let rows = many(9000);
    let problem = problem(&rows, ["a", "b"], None, Notion::DemographicParity);
    let base = Correction::new(Notion::DemographicParity).measure(Measure::Scores);
    let weighted = base.solve(&problem, &Logistic::default(), &mut Silent).unwrap();
    let sampled = base
        .clone()
        .technique(Technique::Sampling { seed: 1 })
        .solve(&problem, &Logistic::default(), &mut Silent)
        .unwrap();
    for (one, other) in weighted.multipliers.iter().zip(&sampled.multipliers) {
        assert!((one - other).abs() < 0.15, "{one} {other}");
    }
}

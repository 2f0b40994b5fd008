//! Verdicts on public data are right as often as they say. Skipped without the datasets: see `support`.

use crate::support::data_folder;
use evenhand::learner::LogisticModel;
use evenhand::{Bound, BoundTest, Dataset, Fitted, Measure, Notion, Preset, Verdict};
use evenhand_datasets::Recipe;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// How many splits into training and test rows, and how many draws from the test rows of each.
const SPLITS: u64 = 20;
const DRAWS: usize = 20;

/// What is asked for, and what so many rows can tell of a classifier that just meets it.
const BOUNDS: [Bound; 2] = [Bound::MaxViolation(0.02), Bound::MaxViolation(0.05)];

/// Verdicts that say what is true of the people they are drawn from, that do not, and that say nothing;
/// and intervals that hold the truth.
#[derive(Debug, Default)]
struct Counts {
    right: usize,
    wrong: usize,
    open: usize,
    held: usize,
}

impl Counts {
    fn add(&mut self, tested: &BoundTest, truth: f64) {
        match tested.verdict {
            Verdict::TooFewRows => self.open += 1,
            verdict if (verdict == Verdict::Met) == tested.bound.holds(truth) => self.right += 1,
            _ => self.wrong += 1,
        }
        self.held += usize::from(tested.low.unwrap() <= truth && truth <= tested.high.unwrap());
    }
}

/// The test rows stand for everybody: what is measured on all of them is the truth, and verdicts are
/// passed on as many rows drawn from them, with replacement.
#[test]
fn verdicts_on_adult_are_right_as_often_as_they_say() {
    let Some(folder) = data_folder("adult") else { return };
    let source = Recipe::named("adult").unwrap().read(&folder).unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let (mut counts, mut kept) = ([Counts::default(), Counts::default()], 0);
    for seed in 1..=SPLITS {
        let split = source.drawn(seed).unwrap();
        let settings = split.correction(Notion::DemographicParity).preset(Preset::Default).bound(BOUNDS[0]);
        let fitted = settings.fit(&split.train, &Preset::Default.learner()).unwrap();
        let truth = test_bounds(&fitted, &split.test)[0].value.unwrap();
        kept += usize::from(BOUNDS[0].holds(truth));
        for _ in 0..DRAWS {
            let rows = split.test.rows();
            let drawn: Vec<usize> = (0..rows).map(|_| rng.random_range(0..rows)).collect();
            let tested = test_bounds(&fitted, &split.test.select(&drawn));
            counts.iter_mut().zip(&tested).for_each(|(counts, tested)| counts.add(tested, truth));
        }
    }
    // So many test rows have a standard error of half the bound. Without a margin it is kept on 9 of the 20.
    assert!(kept > 10, "{kept}");
    // A correction that just meets a bound ends close to it, where most verdicts stay open.
    assert!(counts[1].right > counts[1].open, "{counts:?}");
    for counts in counts {
        // Half of what a confidence of 0.95 leaves is 10 of 400; above 20 would be seen once in 500 times.
        assert!(counts.wrong <= 20, "{counts:?}");
        // 380 of 400, and below 367 once in 500 times.
        assert!(counts.held >= 367, "{counts:?}");
    }
}

fn test_bounds(fitted: &Fitted<LogisticModel>, data: &Dataset) -> Vec<BoundTest> {
    let (problem, _) = fitted.binding().problem(data).unwrap();
    problem.test_bounds(fitted.predictor(), &BOUNDS, Measure::Decisions, 0.95).unwrap()
}

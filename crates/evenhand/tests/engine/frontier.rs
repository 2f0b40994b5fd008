//! Frontiers on the made-up population: from no correction to the floor.
use evenhand::correction::{Apply, Asked, Binding, Frontier, Iteration, Observer, Problem, Silent};
use evenhand::features::Features;
use evenhand::learner::{FnLearner, FnPredictor, LogisticModel, Training, scores};
use evenhand::{Bound, Correction, Dataset, Error, Learner, Logistic, Preset, Schema, Termination};
use evenhand_datasets::synthetic;

const NOTIONS: [&str; 4] = ["demographic-parity", "disparate-impact", "equal-opportunity", "equalized-odds"];

fn correction(notion: &str) -> Correction {
    Correction::new(notion.parse().unwrap()).group("sex").unwrap().group("age_band=18-24").unwrap()
}

fn problem(settings: &Correction) -> Problem {
    let schema = Schema::label("approved").positive("yes").ignore("deserved");
    let data = Dataset::new(synthetic::population(6000, 11).unwrap(), &schema).unwrap();
    Binding::new(settings, &data).unwrap().1
}

fn frontier(settings: &Correction, points: usize) -> Frontier<LogisticModel> {
    settings.frontier(&problem(settings), &Logistic::default(), points, &mut Silent).unwrap()
}

fn violations(frontier: &Frontier<LogisticModel>) -> Vec<f64> {
    frontier.points.iter().map(|point| point.solution.train.violation.unwrap()).collect()
}

/// What is said of wrong settings.
fn refusal(settings: &Correction, points: usize) -> (&'static str, String) {
    let problem = problem(&correction("demographic-parity"));
    match settings.frontier(&problem, &Logistic::default(), points, &mut Silent).unwrap_err() {
        Error::Setting { setting, allowed, .. } => (setting, allowed),
        other => panic!("{other}"),
    }
}

#[test]
fn the_first_point_is_the_uncorrected_classifier() {
    let settings = correction("equalized-odds");
    let first = &frontier(&settings, 4).points[0];
    let uncorrected = settings.uncorrected(&problem(&settings), &Logistic::default()).unwrap();
    assert_eq!((first.asked, first.solution.fits), (Asked::Nothing, 1));
    assert!(first.solution.multipliers.iter().all(|&multiplier| multiplier == 0.0));
    assert_eq!(first.solution.train, uncorrected.train);
}

#[test]
fn violations_fall_along_the_path_and_every_point_meets_its_bound() {
    for notion in NOTIONS {
        let frontier = frontier(&correction(notion), 10);
        // The last may be where the one before it was: at the floor.
        assert!(violations(&frontier).is_sorted_by(|one, next| one >= next), "{notion}: {:?}", violations(&frontier));
        let (last, rest) = frontier.points.split_last().unwrap();
        assert!(rest.len() >= 4 && rest.iter().all(|point| point.solution.stop == Termination::Converged), "{notion}");
        for point in frontier.points.iter().filter(|point| point.solution.stop == Termination::Converged) {
            let violation = point.solution.train.violation.unwrap();
            assert!(
                point.asked.bound().is_none_or(|most| violation <= most),
                "{notion}: {:?} {violation}",
                point.asked
            );
        }
        assert_eq!(frontier.floor().is_some(), last.solution.stop != Termination::Converged, "{notion}");
    }
}

#[test]
fn no_point_is_beaten_by_its_neighbour() {
    for notion in NOTIONS {
        for apply in [Apply::Weights, Apply::Tilt] {
            let frontier = frontier(&correction(notion).apply(apply), 10);
            let place = |at: usize| {
                let train = &frontier.points[at].solution.train;
                (train.violation.unwrap(), train.error)
            };
            for at in 1..frontier.points.len() {
                let ((violation, error), (before, cheaper)) = (place(at), place(at - 1));
                // A little correction may cost less than nothing.
                assert!(
                    violation <= before && (error >= cheaper || at == 1),
                    "{notion} {apply:?} {at}: {violation} {error}"
                );
            }
        }
    }
}

#[test]
fn paths_take_fewer_fits_than_their_bounds_one_by_one() {
    // In all: at a floor alone a path takes a few more, for it tries to go on first.
    let (mut paths, mut one_by_one) = (0, 0);
    // With groups withheld two paths are taken, of which the best is kept.
    for notion in NOTIONS.into_iter().filter(|notion| *notion != "disparate-impact") {
        let settings = correction(notion);
        let (problem, frontier) = (problem(&settings), frontier(&settings, 10));
        let alone = |bound: Option<f64>| {
            let mut settings = settings.clone();
            settings.bounds = bound.map(|most| Bound::MaxViolation(most).into()).into_iter().collect();
            settings.solve(&problem, &Logistic::default(), &mut Silent).unwrap().fits
        };
        paths += frontier.fits();
        // Bounds that a tighter one beats were looked for all the same.
        let kept = &frontier.points[1..];
        let own = kept.iter().map(|point| alone(point.asked.bound())).sum::<usize>();
        one_by_one += own * 9 / kept.len();
    }
    assert!(paths < one_by_one, "{paths} {one_by_one}");
}

#[test]
fn points_that_others_beat_in_both_are_marked() {
    let frontier = frontier(&correction("equal-opportunity"), 12);
    let place =
        |at: usize| (frontier.points[at].solution.train.violation.unwrap(), frontier.points[at].solution.train.error);
    for (at, point) in frontier.points.iter().enumerate() {
        let beaten =
            |other: usize| place(other).0 <= place(at).0 && place(other).1 <= place(at).1 && place(other) != place(at);
        assert_eq!(point.dominated, (0..frontier.points.len()).any(beaten), "{at}");
    }
    assert!(frontier.points.iter().any(|point| !point.dominated));
}

#[test]
fn no_result_depends_on_the_number_of_threads() {
    let settings = correction("equalized-odds");
    let path = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let frontier = pool.install(|| frontier(&settings, 6));
        let bits = |model: &LogisticModel| model.coefficients().iter().map(|c| c.to_bits()).collect::<Vec<_>>();
        let points = frontier.points.into_iter();
        points.map(|point| (bits(&point.solution.predictor), point.solution.multipliers)).collect::<Vec<_>>()
    };
    let one = path(1);
    assert_eq!(one, path(2));
    assert_eq!(one, path(3));
}

#[test]
fn a_learner_without_derivatives_has_a_frontier_too() {
    let learner = FnLearner::new(|training: Training<'_>| {
        let model = Logistic::default().fit(training, &mut <Logistic as Learner>::WarmStart::default())?;
        Ok(FnPredictor::new(2, move |features: &Features| scores(&model, features, 2)))
    });
    let settings = correction("demographic-parity");
    let frontier = settings.frontier(&problem(&settings), &learner, 5, &mut Silent).unwrap();
    let violations: Vec<f64> = frontier.points.iter().map(|point| point.solution.train.violation.unwrap()).collect();
    assert!(violations.len() >= 4 && violations.is_sorted_by(|one, next| one > next), "{violations:?}");
}

#[test]
fn an_observer_may_end_the_path() {
    struct Few(usize);
    impl Observer for Few {
        fn after(&mut self, _: &Iteration) -> bool {
            self.0 -= 1;
            self.0 > 0
        }
    }
    let settings = correction("demographic-parity");
    let path = |few| settings.frontier(&problem(&settings), &Logistic::default(), 10, &mut Few(few)).unwrap();
    assert_eq!(path(1).points.len(), 1);
    assert!(path(4).points.len() < 10);
}

#[test]
fn settings_that_have_no_frontier_are_refused() {
    let settings = correction("demographic-parity");
    assert_eq!(refusal(&settings.clone().max_violation(0.1), 5).0, "max-violation");
    assert_eq!(refusal(&settings.clone().preset(Preset::Paper), 5).0, "preset");
    assert_eq!(refusal(&settings, 1), ("points", "2 to 1000".into()));
    assert_eq!(refusal(&settings, 1_000_000_000), ("points", "2 to 1000".into()));
}

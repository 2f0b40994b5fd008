//! Threshold post-processing against brute force on small cases, and on the made-up population.
use crate::population::{table, three_classes};
use crate::row_files::draws;
use evenhand::correction::{Decisions, Problem, Silent, ThresholdPostprocessing};
use evenhand::data::Codes;
use evenhand::features::Features;
use evenhand::learner::{FnLearner, FnPredictor, Learner, LogisticModel, Training};
use evenhand::{
    Bound, Column, Correction, Dataset, Error, Fitted, Logistic, Measure, Membership, Method, Notion, Schema,
    Termination, Warning,
};

const RANDOMISED: Method =
    Method::ThresholdPostprocessing(ThresholdPostprocessing { decisions: Decisions::Randomised { seed: 3 } });
const DETERMINISTIC: Method =
    Method::ThresholdPostprocessing(ThresholdPostprocessing { decisions: Decisions::Deterministic });

/// Rows with a score each, two groups, labels and weights.
#[derive(Debug)]
struct Rows {
    scores: Vec<f64>,
    groups: Vec<[bool; 2]>,
    labels: Vec<bool>,
    weights: Vec<f64>,
}

impl Rows {
    /// `each` rows of every pattern, with ties among scores; groups that overlap, or one and its complement.
    fn made(seed: u64, each: usize, overlapping: bool) -> Self {
        let mut draw = draws(seed);
        let mut rows = Self { scores: vec![], groups: vec![], labels: vec![], weights: vec![] };
        let patterns: &[[bool; 2]] = if overlapping {
            &[[false, false], [true, false], [false, true], [true, true]]
        } else {
            &[[true, false], [false, true]]
        };
        for (at, &groups) in patterns.iter().enumerate() {
            for row in 0..each {
                let eighths = 1 + draw(7);
                rows.scores.push(eighths as f64 / 8.0);
                rows.groups.push(groups);
                // Higher scores are positive more often, and less so in some patterns; both labels occur everywhere.
                let positive = draw(8 + at as u64) < eighths;
                rows.labels.push(if row < 2 { row == 0 } else { positive });
                rows.weights.push([1.0, 1.0, 2.5][draw(3) as usize]);
            }
        }
        rows
    }

    fn problem(&self, notion: &str) -> Problem {
        let features = Features::from_rows(&self.scores, 1).unwrap();
        let labels = Codes::narrow(self.labels.iter().map(|&label| u32::from(label)).collect(), 2);
        let masks = [0, 1].map(|group| self.groups.iter().map(|of| of[group]).collect::<Vec<bool>>());
        let membership = Membership::from_masks(vec!["a".into(), "b".into()], &masks).unwrap();
        let classes = ["no".to_owned(), "yes".to_owned()];
        let notions = [notion.parse::<Notion>().unwrap()];
        Problem::of_arrays(features, labels, &classes, &membership, Some(self.weights.clone()), &notions).unwrap().0
    }

    /// Of rows picked by group and label, the share at or above a threshold, by pattern: what the pattern adds to it.
    fn adds(&self, pattern: [bool; 2], threshold: f64, picked: &dyn Fn([bool; 2], bool) -> bool) -> f64 {
        let all = 0..self.scores.len();
        let inside: Vec<usize> = all.filter(|&row| picked(self.groups[row], self.labels[row])).collect();
        let total: f64 = inside.iter().map(|&row| self.weights[row]).sum();
        let decided = inside.iter().filter(|&&row| self.groups[row] == pattern && self.scores[row] >= threshold);
        decided.map(|&row| self.weights[row]).sum::<f64>() / total
    }

    /// The least error of any mixture of thresholds per pattern with all violations at most `most`: every basis of
    /// the linear programme is tried, with every threshold as a column.
    fn brute_force(&self, notion: &str, most: f64) -> f64 {
        let mut patterns = self.groups.clone();
        patterns.sort_unstable();
        patterns.dedup();
        let mut columns: Vec<([bool; 2], f64)> = Vec::new();
        for &pattern in &patterns {
            let inside = (0..self.scores.len()).filter(|&row| self.groups[row] == pattern);
            let mut thresholds: Vec<f64> = inside.map(|row| self.scores[row]).chain([2.0]).collect();
            thresholds.sort_by(f64::total_cmp);
            thresholds.dedup();
            columns.extend(thresholds.into_iter().map(|threshold| (pattern, threshold)));
        }
        let mut rows: Vec<Vec<f64>> = patterns
            .iter()
            .map(|pattern| {
                columns.iter().map(|column| f64::from(u8::from(column.0 == *pattern))).chain([1.0]).collect()
            })
            .collect();
        let kinds: &[Option<bool>] = match notion {
            "demographic-parity" | "disparate-impact" => &[None],
            "equal-opportunity" => &[Some(true)],
            "predictive-equality" => &[Some(false)],
            "equalized-odds" => &[Some(true), Some(false)],
            _ => panic!("no such notion"),
        };
        for &label in kinds {
            for group in 0..2 {
                let labelled = |of: bool| label.is_none_or(|label| label == of);
                let violation = |&(pattern, threshold): &([bool; 2], f64)| {
                    self.adds(pattern, threshold, &|_, of| labelled(of))
                        - self.adds(pattern, threshold, &|groups, of| groups[group] && labelled(of))
                };
                rows.push(columns.iter().map(violation).chain([0.0]).collect());
            }
        }
        let total: f64 = self.weights.iter().sum();
        let share = |label: bool| {
            let of = (0..self.labels.len()).filter(|&row| self.labels[row] == label);
            of.map(|row| self.weights[row]).sum::<f64>() / total
        };
        let error = |&(pattern, threshold): &([bool; 2], f64)| {
            share(false) * self.adds(pattern, threshold, &|_, label| !label)
                - share(true) * self.adds(pattern, threshold, &|_, label| label)
        };
        let mut costs: Vec<f64> = columns.iter().map(error).collect();
        if most > 0.0 {
            let limits = rows.split_off(patterns.len());
            with_room(&mut rows, &limits, &mut costs, most);
        }
        share(true) + least_of_all_bases(&rows, &costs)
    }
}

/// Each limit becomes two, on either side, with a slack each.
fn with_room(rows: &mut Vec<Vec<f64>>, limits: &[Vec<f64>], costs: &mut Vec<f64>, most: f64) {
    let (asked, slacks) = (costs.len(), 2 * limits.len());
    costs.resize(asked + slacks, 0.0);
    for row in rows.iter_mut() {
        let right = row.pop().unwrap();
        row.resize(asked + slacks, 0.0);
        row.push(right);
    }
    for (at, limit) in limits.iter().enumerate() {
        for (side, sign) in [(0, 1.0), (1, -1.0)] {
            let mut row: Vec<f64> = limit[..asked].iter().map(|entry| sign * entry).collect();
            row.resize(asked + slacks, 0.0);
            row[asked + 2 * at + side] = 1.0;
            row.push(most);
            rows.push(row);
        }
    }
}

/// The least cost among all basic solutions of rows (their right sides last) that are not negative.
fn least_of_all_bases(rows: &[Vec<f64>], costs: &[f64]) -> f64 {
    let rows = independent(rows);
    let mut chosen: Vec<usize> = (0..rows.len()).collect();
    let mut least = f64::INFINITY;
    loop {
        if let Some(found) = solved(&rows, &chosen)
            && found.iter().all(|share| *share > -1e-10)
        {
            let cost = found.iter().zip(&chosen).map(|(share, &column)| share * costs[column]).sum::<f64>();
            least = least.min(cost);
        }
        // The next combination, in order.
        let Some(at) = (0..chosen.len()).rev().find(|&at| chosen[at] < costs.len() - chosen.len() + at) else {
            return least;
        };
        chosen[at] += 1;
        for later in at + 1..chosen.len() {
            chosen[later] = chosen[later - 1] + 1;
        }
    }
}

/// Gauss–Jordan on whole rows; those that vanish said nothing new.
fn independent(rows: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let mut rows = rows.to_vec();
    let mut done = 0;
    for column in 0..rows[0].len() - 1 {
        let best = (done..rows.len()).max_by(|&a, &b| rows[a][column].abs().total_cmp(&rows[b][column].abs()));
        let Some(best) = best.filter(|&best| rows[best][column].abs() > 1e-10) else { continue };
        rows.swap(done, best);
        eliminate(&mut rows, done, column);
        done += 1;
    }
    rows.truncate(done);
    rows
}

fn eliminate(rows: &mut [Vec<f64>], pivot: usize, column: usize) {
    let scale = rows[pivot][column];
    let line: Vec<f64> = rows[pivot].iter().map(|entry| entry / scale).collect();
    for (at, row) in rows.iter_mut().enumerate() {
        let by = row[column];
        for (entry, other) in row.iter_mut().zip(&line) {
            *entry = if at == pivot { *other } else { *entry - by * other };
        }
    }
}

/// The values of chosen columns where all others are zero; `None` where they do not tell.
fn solved(rows: &[Vec<f64>], chosen: &[usize]) -> Option<Vec<f64>> {
    let pick = |row: &Vec<f64>| chosen.iter().map(|&column| row[column]).chain(row.last().copied()).collect();
    let mut rows: Vec<Vec<f64>> = rows.iter().map(pick).collect();
    for column in 0..chosen.len() {
        let best = (column..rows.len()).max_by(|&a, &b| rows[a][column].abs().total_cmp(&rows[b][column].abs()))?;
        if rows[best][column].abs() < 1e-10 {
            return None;
        }
        rows.swap(column, best);
        eliminate(&mut rows, column, column);
    }
    Some(rows.iter().map(|row| row[chosen.len()]).collect())
}

/// A learner that takes the one feature for the score.
fn as_scored() -> impl Learner {
    FnLearner::new(|_: Training<'_>| {
        Ok(FnPredictor::new(2, |features: &Features| {
            Ok(features.dense()[0].values().iter().flat_map(|&score| [1.0 - score, score]).collect())
        }))
    })
}

const NOTIONS: [&str; 5] =
    ["demographic-parity", "disparate-impact", "equal-opportunity", "predictive-equality", "equalized-odds"];

fn equals_brute_force(overlapping: bool, each: usize, seeds: std::ops::Range<u64>, bound: Option<f64>) {
    for notion in NOTIONS {
        for seed in seeds.clone() {
            let rows = Rows::made(seed, each, overlapping);
            let mut settings = Correction::new(notion.parse().unwrap()).method(RANDOMISED);
            settings.bounds.extend(bound.map(|most| Bound::MaxViolation(most).into()));
            let solution = settings.solve(&rows.problem(notion), &as_scored(), &mut Silent).unwrap();
            let (found, expected) = (solution.train.error, rows.brute_force(notion, bound.unwrap_or(0.0)));
            assert!((found - expected).abs() < 1e-9, "{notion}, seed {seed}: {found} {expected}\n{rows:?}");
            let violation = solution.train.violation.unwrap();
            assert!(violation < bound.unwrap_or(0.0) + 1e-9, "{notion}, seed {seed}: {violation}");
            assert_eq!(solution.stop, Termination::Converged);
        }
    }
}

#[test]
fn the_optimum_for_groups_apart_is_that_of_brute_force() {
    equals_brute_force(false, 8, 1..25, None);
}

#[test]
fn the_optimum_for_overlapping_groups_is_that_of_brute_force() {
    equals_brute_force(true, 4, 1..16, None);
}

#[test]
fn the_optimum_within_a_bound_is_that_of_brute_force() {
    equals_brute_force(false, 5, 1..6, Some(0.1));
}

fn dataset() -> Dataset {
    Dataset::new(table(), &Schema::label("approved").positive("yes").ignore("deserved")).unwrap()
}

fn asked(notion: &str, method: Method) -> Correction {
    let settings = Correction::new(notion.parse().unwrap()).method(method);
    settings.group("sex").unwrap().group("age_band=18-24").unwrap()
}

fn fit(notion: &str, method: Method) -> Fitted<LogisticModel> {
    asked(notion, method).fit(&dataset(), &Logistic::default()).unwrap()
}

#[test]
fn randomised_decisions_hold_every_notion_on_training_rows() {
    for notion in NOTIONS {
        let train = fit(notion, RANDOMISED).solution().train.clone();
        assert!(train.violation.unwrap() < 1e-9, "{notion}: {train:?}");
    }
}

#[test]
fn one_threshold_per_pattern_comes_within_single_rows_of_the_optimum() {
    for notion in NOTIONS {
        let (mixed, single) = (fit(notion, RANDOMISED), fit(notion, DETERMINISTIC));
        let rules = &single.solution().thresholds.as_ref().unwrap().patterns;
        assert!(rules.iter().all(|rule| rule.steps.len() <= 1 && rule.steps.iter().all(|step| step.chance >= 1.0)));
        let (mixed, single) = (&mixed.solution().train, &single.solution().train);
        // The smallest pattern has some 500 rows, 100 of them positive; two rates need two thresholds.
        let (most, dearer) = if notion == "equalized-odds" { (0.05, 0.03) } else { (0.005, 0.002) };
        assert!(single.violation.unwrap() < most, "{notion}: {single:?}");
        assert!((single.error - mixed.error).abs() < dearer, "{notion}: {} {}", single.error, mixed.error);
    }
}

#[test]
fn it_costs_less_than_any_other_thresholds_would() {
    // The thresholds of one notion keep another at no less error than those found for it.
    let plain = fit("demographic-parity", Method::Unconstrained).solution().train.error;
    let odds = fit("equalized-odds", RANDOMISED).solution().train.error;
    let opportunity = fit("equal-opportunity", RANDOMISED).solution().train.error;
    assert!(opportunity <= odds + 1e-12 && plain <= opportunity + 0.01, "{plain} {opportunity} {odds}");
}

#[test]
fn decisions_are_drawn_by_the_seed_and_rates_are_their_expectation() {
    let (fitted, data) = (fit("demographic-parity", RANDOMISED), dataset());
    let decide = |fitted: &Fitted<LogisticModel>| fitted.predict(data.table()).unwrap().decisions;
    let decisions = decide(&fitted);
    assert_eq!(decisions, decide(&fitted));
    let on = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| decide(&fit("demographic-parity", RANDOMISED)))
    };
    assert_eq!((on(1), on(2)), (decisions.clone(), decisions.clone()));
    let drawn = decisions.iter().sum::<usize>() as f64 / decisions.len() as f64;
    let expected = fitted.solution().train.positive_rate.unwrap();
    // Few rows are decided at random: far less than the standard deviation of 6,000 random decisions at one half, 0.0065.
    assert!((drawn - expected).abs() < 0.0065, "{drawn} {expected}");
}

#[test]
fn a_table_without_the_groups_is_refused_in_words() {
    let fitted = fit("demographic-parity", DETERMINISTIC);
    let names: Vec<String> = dataset().table().names().iter().filter(|name| *name != "sex").cloned().collect();
    let columns = names.into_iter().map(|name| (name.clone(), dataset().table().get(&name).unwrap().clone()));
    let table = evenhand::Table::new(columns.collect::<Vec<(String, Column)>>(), 1).unwrap();
    let error = fitted.predict(&table).unwrap_err();
    assert!(matches!(&error, Error::GroupNeeded { column, .. } if column == "sex"), "{error}");
    assert!(error.to_string().contains("decides by groups"), "{error}");
}

#[test]
fn groups_that_training_never_saw_together_are_told() {
    let data = dataset();
    let young = |row: usize| data.table().get("age_band").unwrap().text(row).as_deref() == Some("18-24");
    let female = |row: usize| data.table().get("sex").unwrap().text(row).as_deref() == Some("female");
    let some: Vec<usize> = (0..data.rows()).filter(|&row| !(young(row) && female(row))).collect();
    let fitted = asked("demographic-parity", DETERMINISTIC).fit(&data.select(&some), &Logistic::default()).unwrap();
    let rows = data.rows() - some.len();
    let groups = vec!["sex=female".to_owned(), "age_band=18-24".to_owned()];
    let warning = Warning::UnseenPattern { rows, groups };
    assert!(fitted.predict(data.table()).unwrap().warnings.contains(&warning));
    assert!(fitted.evaluate(&data, Measure::Decisions).unwrap().1.contains(&warning));
}

#[test]
fn what_cannot_be_post_processed_is_refused() {
    let said = asked("demographic-parity", RANDOMISED).fit(&three_classes(), &Logistic::default()).unwrap_err();
    assert!(
        said.to_string().contains("`method` is threshold-postprocessing with 3 classes; allowed is two classes"),
        "{said}"
    );
    let said = asked("demographic-parity", RANDOMISED).measure(Measure::Scores).check().unwrap_err();
    assert!(said.to_string().contains("`measure` is scores with the method threshold-postprocessing"), "{said}");
}

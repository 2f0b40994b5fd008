//! The whole audit, on cases small enough to work by hand and on random ones.

use proptest::prelude::*;

use super::*;

fn classes(count: usize) -> Vec<String> {
    (0..count).map(|class| format!("c{class}")).collect()
}

fn codes(values: &[u8]) -> Codes {
    Codes::U8(values.to_vec())
}

fn masks(groups: &[(&str, Vec<bool>)]) -> Membership {
    let names = groups.iter().map(|(name, _)| (*name).to_owned()).collect();
    let masks: Vec<Vec<bool>> = groups.iter().map(|(_, mask)| mask.clone()).collect();
    Membership::from_masks(names, &masks).unwrap()
}

fn audit(labels: &[u8], predictions: &[u8], membership: &Membership) -> Audit {
    let (labels, predictions) = (codes(labels), codes(predictions));
    Audit::of(&labels, Some(&predictions), membership, None, &classes(2), Some(1), &AuditOptions::default()).unwrap()
}

/// Six rows: `a` holds the first four, `b` the last four.
fn six_rows() -> Audit {
    let a = vec![true, true, true, true, false, false];
    let b = vec![false, false, true, true, true, true];
    audit(&[1, 1, 0, 0, 1, 0], &[1, 0, 1, 0, 1, 0], &masks(&[("a", a), ("b", b)]))
}

#[test]
fn a_small_case_worked_by_hand() {
    let audit = six_rows();
    let found = audit.classes[0].predictions.as_ref().unwrap();
    let values = |rates: &GroupRates| {
        [&rates.positive_rate, &rates.true_positive_rate, &rates.false_positive_rate, &rates.accuracy]
            .map(|rate| rate.value)
    };
    assert_eq!(values(&found.overall), [3.0 / 6.0, 2.0 / 3.0, 1.0 / 3.0, 4.0 / 6.0].map(Some));
    assert_eq!(values(&found.groups[0]), [2.0 / 4.0, 1.0 / 2.0, 1.0 / 2.0, 2.0 / 4.0].map(Some));
    assert_eq!(values(&found.groups[1]), [2.0 / 4.0, 1.0, 1.0 / 3.0, 3.0 / 4.0].map(Some));
    assert_eq!((found.groups[1].rows, found.groups[1].positives), (4, 1));
    let odds = found.violations.iter().find(|found| found.notion == AuditedNotion::EqualizedOdds).unwrap();
    let largest = odds.paper.as_ref().unwrap();
    assert!((largest.value - 1.0 / 3.0).abs() < 1e-15 && largest.group == "b");
    assert_eq!((odds.difference, odds.ratio), (Some(0.5), Some(0.5)));
    assert_eq!(audit.accuracy.unwrap().value, Some(4.0 / 6.0));
}

#[test]
fn the_violation_of_a_notion_is_that_of_predictions_where_there_are_any() {
    let mut audit = six_rows();
    assert!(audit.violation(AuditedNotion::EqualizedOdds).is_some_and(|found| (found - 1.0 / 3.0).abs() < 1e-15));
    assert_eq!(audit.violation(AuditedNotion::DemographicParity), Some(0.0));
    audit.classes[0].predictions = None;
    assert_eq!(audit.violation(AuditedNotion::DemographicParity), Some(0.25));
    assert_eq!(audit.violation(AuditedNotion::EqualizedOdds), None);
}

#[test]
fn labels_are_audited_by_demographic_parity() {
    let found = six_rows();
    let labels = found.classes[0].labels.as_ref().unwrap();
    assert_eq!(labels.overall.positive_rate.value, Some(0.5));
    assert_eq!(labels.groups[1].positive_rate.value, Some(0.25));
    assert_eq!(labels.violation.notion, AuditedNotion::DemographicParity);
    assert_eq!(labels.violation.difference, Some(0.25));
}

/// Every number of an audit of random rows with these weights.
fn numbers(weights: &[f64], seed: usize) -> Vec<f64> {
    let rows = 60;
    let drawn = |salt: usize, below: usize| {
        (0..rows).map(move |row| ((row * 7919 + (seed * 31 + salt) * 104_729) >> 4) % below).collect::<Vec<_>>()
    };
    let bits = |salt: usize| drawn(salt, 2).into_iter().map(|bit| bit as u8).collect::<Vec<_>>();
    let row_weights: Vec<f64> = drawn(1, weights.len()).into_iter().map(|at| weights[at]).collect();
    let membership =
        masks(&[("a", 2), ("b", 3)].map(|(name, salt)| (name, bits(salt).iter().map(|&bit| bit > 0).collect())));
    let options = AuditOptions { bounds: vec![Bound::MaxViolation(0.1)], ..AuditOptions::default() };
    let (labels, predictions) = (codes(&bits(5)), codes(&bits(6)));
    let audit = Audit::of(&labels, Some(&predictions), &membership, Some(&row_weights), &classes(2), Some(1), &options)
        .unwrap();
    let found = audit.classes[0].predictions.as_ref().unwrap();
    let gaps =
        found.violations.iter().flat_map(|violation| &violation.gaps).flat_map(|gap| [gap.value, gap.low, gap.high]);
    let rates =
        found.groups.iter().map(|group| &group.true_positive_rate).flat_map(|rate| [rate.value, rate.low, rate.high]);
    let tests = audit.bounds.iter().flat_map(|test| [test.value, test.low, test.high]);
    gaps.chain(rates).chain(tests).flatten().collect()
}

#[test]
fn weights_that_are_hundreds_of_orders_of_magnitude_apart_give_numbers() {
    for weights in [[1.0, 2.5, 1e-60, 1e60], [1e-300, 1e300, 1.0, 3.0], [f64::MAX, 5e-324, 1e-6, 0.0]] {
        for seed in 0..50 {
            let found = numbers(&weights, seed);
            assert!(found.iter().all(|number| (-1.0..=1.0).contains(number)), "{weights:?}, {seed}: {found:?}");
        }
    }
}

#[test]
fn rows_in_several_groups_are_an_intersection() {
    let found = six_rows();
    let predictions = found.classes[0].predictions.as_ref().unwrap();
    assert_eq!(predictions.intersections.len(), 1);
    assert_eq!((predictions.intersections[0].group.as_str(), predictions.intersections[0].rows), ("a & b", 2));
    assert_eq!(predictions.intersections[0].true_positive_rate.value, None);
}

#[test]
fn an_intersection_holds_the_rows_of_larger_ones() {
    let membership = masks(&[("a", vec![true; 2]), ("b", vec![true; 2]), ("c", vec![true, false])]);
    let found = audit(&[1, 0], &[1, 0], &membership);
    let rows: Vec<_> = found.classes[0]
        .labels
        .iter()
        .flat_map(|labels| &labels.intersections)
        .map(|l| (l.group.as_str(), l.rows))
        .collect();
    assert_eq!(rows, [("a & b", 2), ("a & b & c", 1)]);
}

#[test]
fn too_many_intersections_are_cut_with_a_count() {
    // Nine groups, one row for each set of them: 512 patterns, 502 of two groups or more.
    let groups: Vec<Vec<bool>> = (0..9).map(|g| (0..512).map(|row| row >> g & 1 == 1).collect()).collect();
    let membership = Membership::from_masks(classes(9), &groups).unwrap();
    let found = audit(&[1; 512], &[1; 512], &membership);
    assert_eq!(found.classes[0].labels.as_ref().unwrap().intersections.len(), MOST_INTERSECTIONS);
    assert_eq!(found.intersections_left_out, 502 - MOST_INTERSECTIONS);
}

#[test]
fn a_group_without_positives_has_no_true_positive_rate() {
    let membership = masks(&[("a", vec![true, true, false]), ("b", vec![false, false, true])]);
    let found = audit(&[1, 0, 0], &[1, 0, 1], &membership);
    let predictions = found.classes[0].predictions.as_ref().unwrap();
    assert_eq!(predictions.groups[1].true_positive_rate.value, None);
    assert_eq!(predictions.violations[1].undefined().count(), 1);
    assert_eq!(predictions.violations[1].difference, None);
}

#[test]
fn one_row_and_no_group_are_audited_too() {
    let found = audit(&[1], &[0], &Membership::none(1));
    let predictions = found.classes[0].predictions.as_ref().unwrap();
    assert_eq!(predictions.overall.true_positive_rate.value, Some(0.0));
    assert_eq!(predictions.overall.false_positive_rate.value, None);
    assert!(predictions.violations.iter().all(|violation| violation.paper.is_none()));
    assert!(!found.to_string().is_empty());
}

#[test]
fn one_group_of_all_rows_has_no_violation() {
    let found = audit(&[1, 0], &[1, 1], &masks(&[("all", vec![true; 2])]));
    let predictions = found.classes[0].predictions.as_ref().unwrap();
    assert!(predictions.violations.iter().all(|violation| violation.paper.as_ref().is_some_and(|l| l.value <= 0.0)));
}

#[test]
fn several_classes_are_taken_in_turn_or_one_alone() {
    let (labels, predictions) = (codes(&[0, 1, 2, 2]), codes(&[0, 2, 2, 1]));
    let of = |positive| {
        let options = AuditOptions::default();
        Audit::of(&labels, Some(&predictions), &Membership::none(4), None, &classes(3), positive, &options).unwrap()
    };
    let all = of(None);
    assert_eq!(all.classes.iter().map(|class| class.positive.as_str()).collect::<Vec<_>>(), ["c0", "c1", "c2"]);
    assert_eq!(all.classes[2], of(Some(2)).classes[0]);
    assert_eq!(all.accuracy.unwrap().value, Some(0.5));
    assert_eq!(all.classes[1].predictions.as_ref().unwrap().overall.accuracy.value, Some(0.5));
    // Accuracy is that of predictions, not of one class against the rest.
    assert_eq!(all.classes[0].predictions.as_ref().unwrap().overall.accuracy.value, Some(0.5));
}

#[test]
fn without_predictions_the_labels_are_audited_alone() {
    let options = AuditOptions::default();
    let labels = codes(&[0, 1]);
    let found = Audit::of(&labels, None, &Membership::none(2), None, &classes(2), None, &options).unwrap();
    assert_eq!((found.classes.len(), found.classes[0].positive.as_str()), (1, "c1"));
    assert!(found.classes[0].predictions.is_none() && found.accuracy.is_none());
}

#[test]
fn bad_input_is_refused() {
    let none = Membership::none(2);
    let good = codes(&[0, 1]);
    let code = |labels: &Codes, predictions: Option<&Codes>, weights: Option<&[f64]>, positive| {
        let options = AuditOptions::default();
        Audit::of(labels, predictions, &none, weights, &classes(2), positive, &options).unwrap_err().code()
    };
    assert_eq!(code(&codes(&[1]), None, None, None), "length-mismatch");
    assert_eq!(code(&good, Some(&codes(&[1])), None, None), "length-mismatch");
    assert_eq!(code(&good, None, Some(&[1.0]), None), "length-mismatch");
    assert_eq!(code(&codes(&[0, 2]), None, None, None), "setting-invalid");
    assert_eq!(code(&good, Some(&codes(&[0, 2])), None, None), "setting-invalid");
    assert_eq!(code(&good, None, None, Some(2)), "setting-invalid");
    assert_eq!(code(&good, None, Some(&[1.0, -1.0]), None), "weight-invalid");
    assert_eq!(code(&good, None, Some(&[1.0, f64::NAN]), None), "weight-invalid");
    assert_eq!(code(&good, None, Some(&[0.0, 0.0]), None), "weight-none");
    let options = AuditOptions::default();
    let empty = Audit::of(&codes(&[]), None, &Membership::none(0), None, &classes(2), None, &options);
    assert_eq!(empty.unwrap_err().code(), "no-rows");
}

#[test]
fn small_groups_are_warned_of() {
    assert_eq!(six_rows().warnings.len(), 2);
}

#[test]
fn an_audit_survives_json() {
    let audit = six_rows();
    let json = serde_json::to_string(&audit).unwrap();
    assert_eq!(serde_json::from_str::<Audit>(&json).unwrap(), audit);
    let value: serde_json::Value = serde_json::from_str(&json).unwrap();
    let predictions = &value["classes"][0]["predictions"];
    assert_eq!(predictions["violations"][3]["notion"], "equalized-odds");
    assert_eq!(predictions["violations"][3]["paper"]["rate"], "true_positive_rate");
    assert_eq!(predictions["groups"][0]["positive_rate"]["count"], 4);
}

/// Rows as (label, prediction, in the first group, in the second, in the third).
type Row = (bool, bool, [bool; 3], u8);

fn random_rows() -> impl Strategy<Value = Vec<Row>> {
    proptest::collection::vec((any::<bool>(), any::<bool>(), any::<[bool; 3]>(), 1u8..4), 1..40)
}

/// Audits rows, each with its weight; groups are taken in the given order.
fn audit_rows(rows: &[Row], order: [usize; 3], weighted: bool) -> Audit {
    let labels = Codes::U8(rows.iter().map(|row| u8::from(row.0)).collect());
    let predictions = Codes::U8(rows.iter().map(|row| u8::from(row.1)).collect());
    let matrix: Vec<bool> = rows.iter().flat_map(|row| order.map(|group| row.2[group])).collect();
    let names = order.map(|group| format!("g{group}")).to_vec();
    let membership = Membership::from_matrix(names, rows.len(), &matrix).unwrap();
    let weights: Vec<f64> = rows.iter().map(|row| f64::from(row.3)).collect();
    let weights = weighted.then_some(weights.as_slice());
    let options = AuditOptions::default();
    Audit::of(&labels, Some(&predictions), &membership, weights, &classes(2), Some(1), &options).unwrap()
}

fn rates_and_violations(audit: &Audit) -> (Vec<[Option<f64>; 4]>, Vec<Violation>) {
    let found = audit.classes[0].predictions.as_ref().unwrap();
    let all = [&found.overall].into_iter().chain(&found.groups).chain(&found.intersections);
    let rates = all.map(|rates| {
        [&rates.positive_rate, &rates.true_positive_rate, &rates.false_positive_rate, &rates.accuracy].map(|r| r.value)
    });
    // Intervals are left out: a weight is not taken for a repeated row there.
    let mut violations = found.violations.clone();
    for violation in &mut violations {
        for gap in &mut violation.gaps {
            (gap.low, gap.high) = (None, None);
        }
        if let Some(largest) = &mut violation.paper {
            (largest.low, largest.high) = (0.0, 0.0);
        }
    }
    (rates.collect(), violations)
}

proptest! {
    // Weights are small whole numbers: their sums are exact in any order, so results
    // are compared without a tolerance.

    #[test]
    fn the_order_of_rows_does_not_matter(rows in random_rows(), at in any::<prop::sample::Index>()) {
        let mut turned = rows.clone();
        turned.rotate_left(at.index(rows.len()));
        prop_assert_eq!(audit_rows(&rows, [0, 1, 2], true), audit_rows(&turned, [0, 1, 2], true));
    }

    #[test]
    fn the_order_of_groups_does_not_matter(rows in random_rows()) {
        let (straight, turned) = (audit_rows(&rows, [0, 1, 2], true), audit_rows(&rows, [2, 0, 1], true));
        let found = |audit: &Audit| audit.classes[0].predictions.clone().unwrap();
        let (straight, turned) = (found(&straight), found(&turned));
        prop_assert_eq!(&straight.overall, &turned.overall);
        for group in &straight.groups {
            prop_assert!(turned.groups.contains(group));
        }
        for (left, right) in straight.violations.iter().zip(&turned.violations) {
            prop_assert_eq!(left.paper.as_ref().map(|l| l.value), right.paper.as_ref().map(|l| l.value));
            prop_assert_eq!((left.difference, left.ratio), (right.difference, right.ratio));
        }
    }

    #[test]
    fn a_repeated_row_is_a_row_of_weight_two(rows in random_rows()) {
        let repeated: Vec<Row> = rows.iter().flat_map(|row| vec![*row; usize::from(row.3)]).collect();
        let (weighted, repeated) = (audit_rows(&rows, [0, 1, 2], true), audit_rows(&repeated, [0, 1, 2], false));
        prop_assert_eq!(rates_and_violations(&weighted), rates_and_violations(&repeated));
    }

    #[test]
    fn intervals_hold_their_rate(rows in random_rows()) {
        let audit = audit_rows(&rows, [0, 1, 2], true);
        for rates in &audit.classes[0].predictions.as_ref().unwrap().groups {
            let rate = &rates.true_positive_rate;
            if let (Some(value), Some(low), Some(high)) = (rate.value, rate.low, rate.high) {
                prop_assert!(0.0 <= low && low <= value && value <= high && high <= 1.0);
            }
        }
    }
}

#[test]
fn weights_whose_sum_overflows_give_the_rates_of_their_ratios() {
    let membership = masks(&[("a", vec![true, true, false, false])]);
    let of = |factor: f64| {
        let weights = [1.0, 3.0, 2.0, 2.0].map(|weight| weight * factor);
        let (labels, options) = (codes(&[1, 0, 1, 0]), AuditOptions::default());
        let found =
            Audit::of(&labels, Some(&labels), &membership, Some(&weights), &classes(2), Some(1), &options).unwrap();
        let labels = found.classes[0].labels.as_ref().unwrap();
        let rate = labels.groups[0].positive_rate;
        (labels.violation.clone(), rate.value, rate.low, rate.high)
    };
    assert_eq!(of(2f64.powi(1021)), of(1.0));
    assert_eq!(of(2f64.powi(-1000)), of(1.0));
}

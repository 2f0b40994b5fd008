//! Rates of one's own: the fixed notions as spellings of them, and what none of these can ask for.

use crate::corrections::{dataset, fit};
use crate::population::{table, three_classes};
use evenhand::audit::AuditOptions;
use evenhand::correction::{Constraint, Labelled, Reference};
use evenhand::learner::LogisticModel;
use evenhand::{Audit, Bound, Correction, Dataset, Error, Fitted, Groups, Membership, Notion};

/// A fixed notion, and the rates that it is made of.
const SPELLINGS: [(&str, &[&str]); 9] = [
    ("demographic-parity", &["rate=predicted positive given each group"]),
    ("equal-opportunity", &["rate=predicted positive given each group and labelled positive"]),
    ("predictive-equality", &["rate=predicted positive given each group and not labelled positive"]),
    (
        "equalized-odds",
        &[
            "rate=predicted positive given each group and labelled positive",
            "rate=predicted positive given each group and not labelled positive",
        ],
    ),
    ("equal-accuracy", &["rate=predicted as labelled given each group"]),
    ("target-rate=0.3", &["rate=predicted positive against 0.3"]),
    ("group-target-rate=0.4", &["rate=predicted positive given each group against 0.4"]),
    ("pinned=income>=40:0.9", &["rate=predicted as labelled given income>=40 at least 0.9"]),
    ("known-rate=age_band=18-24:0.4", &["rate=predicted positive given age_band=18-24 against 0.4"]),
];

fn asking(notions: &[&str]) -> Correction {
    let mut all = notions.iter().map(|notion| notion.parse::<Notion>().unwrap());
    let mut correction = Correction::new(all.next().unwrap());
    correction.notions.extend(all);
    correction.group("sex").unwrap().group("age_band=18-24").unwrap()
}

/// Everything of a constraint but its name and notion. Under the bare tilt alone it matters which labels a multiplier moves: Algorithm 1 moves all of them for
/// equal opportunity and predictive equality.
fn form(constraint: &Constraint, groups: &[String]) -> String {
    let Constraint { group, labelled, event, reference, .. } = constraint;
    // The rows of a known rate have a name of their own.
    let group = group.map(|group| groups[group].trim_start_matches("known-rate ").trim_start_matches("pinned "));
    format!("{group:?} {labelled:?} {event:?} {reference:?}")
}

fn forms(fitted: &Fitted<LogisticModel>) -> Vec<String> {
    let groups = fitted.binding().group_names();
    fitted.binding().constraints().iter().map(|one| form(one, &groups)).collect()
}

#[test]
fn every_fixed_notion_is_a_spelling_of_the_general_form() {
    let data = dataset(table());
    for (fixed, general) in SPELLINGS {
        let [fixed_fit, general_fit] = [&[fixed][..], general].map(|notions| fit(&asking(notions), &data));
        let [mut one, mut other] = [&fixed_fit, &general_fit].map(forms);
        let same_order = one == other;
        one.sort();
        other.sort();
        assert_eq!(one, other, "{fixed}");
        if same_order {
            let bits = |fitted: &Fitted<LogisticModel>| -> Vec<u64> {
                fitted.multipliers().map(|(_, value)| value.to_bits()).collect()
            };
            assert_eq!(bits(&fixed_fit), bits(&general_fit), "{fixed}");
            assert_eq!(fixed_fit.weights().to_rows(), general_fit.weights().to_rows(), "{fixed}");
        } else {
            assert_eq!(fixed, "equalized-odds", "two notions, one after the other");
        }
    }
}

#[test]
fn with_many_classes_the_positive_one_is_each_of_them() {
    let data = three_classes();
    for (fixed, general) in &SPELLINGS[..5] {
        let forms = |notions: &[&str]| {
            let mut all = forms(&fit(&asking(notions).max_violation(1.0), &data));
            all.sort();
            all
        };
        assert_eq!(forms(&[fixed]), forms(general), "{fixed}");
    }
    let one = fit(&asking(&["rate=predicted best given sex and labelled best"]).max_violation(1.0), &data);
    let names: Vec<&str> = one.multipliers().map(|(name, _)| name).collect();
    assert_eq!(
        names,
        [
            "rate=predicted best given sex=female and labelled best",
            "rate=predicted best given sex=male and labelled best"
        ]
    );
}

/// Rows by a condition on their texts.
fn rows(data: &Dataset, inside: impl Fn(&dyn Fn(&str) -> String) -> bool) -> Vec<usize> {
    let text = |row: usize| move |column: &str| data.table().column(column).unwrap().text(row).unwrap_or_default();
    (0..data.rows()).filter(|&row| inside(&text(row))).collect()
}

fn share(rows: &[usize], counts: impl Fn(usize) -> bool) -> f64 {
    rows.iter().filter(|&&row| counts(row)).count() as f64 / rows.len() as f64
}

#[test]
fn one_subset_is_brought_to_the_rate_of_another() {
    let data = dataset(table());
    let asked =
        asking(&["rate=predicted positive given sex=female and age_band=18-24 against sex=male and age_band=60+"]);
    let fitted = fit(&asked.max_violation(0.02), &data);
    let decisions = fitted.predict(data.table()).unwrap().decisions;
    let [young, old] = [("female", "18-24"), ("male", "60+")]
        .map(|(sex, age)| rows(&data, |text| text("sex") == sex && text("age_band") == age));
    let [own, other] = [&young, &old].map(|rows| share(rows, |row| decisions.get(row) == 1));
    let measured = fitted.solution().train.violation.unwrap();
    assert!(((other - own).abs() - measured).abs() < 1e-12 && measured <= 0.02, "{own} {other} {measured}");
    assert!(fitted.trace()[0].violation > 0.1, "there was something to correct");
}

#[test]
fn rates_of_labels_are_compared_with_those_of_other_labels() {
    // A true positive rate against a false positive rate: nested in no way.
    let data = dataset(table());
    let notion =
        "rate=predicted positive given sex=female and labelled positive against sex=male and not labelled positive";
    let fitted = fit(&asking(&[notion]).max_violation(0.03), &data);
    let (decisions, labels) = (fitted.predict(data.table()).unwrap().decisions, data.labels().codes());
    let of = |sex: &str, label: usize| -> f64 {
        let own = rows(&data, |text| text("sex") == sex);
        let own: Vec<usize> = own.into_iter().filter(|&row| labels.get(row) == label).collect();
        share(&own, |row| decisions.get(row) == 1)
    };
    let measured = fitted.solution().train.violation.unwrap();
    assert!(((of("male", 0) - of("female", 1)).abs() - measured).abs() < 1e-12, "{measured}");
    assert!(measured <= 0.03 && fitted.trace()[0].violation > 0.2, "{measured}");
}

#[test]
fn wrong_decisions_are_those_that_are_not_right() {
    let data = dataset(table());
    let [right, wrong] = ["as labelled", "wrongly"]
        .map(|event| fit(&asking(&[&format!("rate=predicted {event} given age_band=18-24")]), &data));
    let first = |fitted: &Fitted<LogisticModel>| fitted.trace()[0].violations[0];
    assert!(first(&right).abs() > 0.001 && (first(&right) + first(&wrong)).abs() < 1e-12);
    let moves = |fitted: &Fitted<LogisticModel>| fitted.multipliers().next().unwrap().1;
    assert!((moves(&right) + moves(&wrong)).abs() < 1e-6, "{} {}", moves(&right), moves(&wrong));
}

#[test]
fn at_most_is_kept_from_above_and_costs_nothing_where_it_holds() {
    let data = dataset(table());
    let rate = |notion: &str| {
        let fitted = fit(&asking(&[notion]), &data);
        let decisions = fitted.predict(data.table()).unwrap().decisions;
        let found = share(&(0..data.rows()).collect::<Vec<_>>(), |row| decisions.get(row) == 1);
        (found, fitted.multipliers().next().unwrap().1)
    };
    let (plain, none) = rate("rate=predicted positive at most 0.99");
    assert!(none.abs() < 1e-12 && plain > 0.3, "{plain} {none}");
    let (lowered, multiplier) = rate("rate=predicted positive at most 0.3");
    assert!((lowered - 0.3).abs() < 0.005 && multiplier < 0.0, "{lowered} {multiplier}");
    let (raised, multiplier) = rate("rate=predicted positive at least 0.8");
    assert!((raised - 0.8).abs() < 0.005 && multiplier > 0.0, "{raised} {multiplier}");
}

#[test]
fn an_audit_measures_the_rate_as_it_was_asked_for() {
    let data = dataset(table());
    let groups = Groups::bind(&["sex".parse().unwrap()], data.table()).unwrap().0;
    let notion = |text: &str| -> Notion { text.parse().unwrap() };
    let asked = notion("rate=predicted positive given sex=female and age_band=18-24 against sex=male");
    let options = AuditOptions { notions: vec![asked.clone()], ..AuditOptions::default() };
    let audit = Audit::of_dataset(&data, &groups, None, &options).unwrap();
    let labels = data.labels().codes();
    let young = rows(&data, |text| text("sex") == "female" && text("age_band") == "18-24");
    let men = rows(&data, |text| text("sex") == "male");
    let [own, other] = [&young, &men].map(|rows| share(rows, |row| labels.get(row) == 1));
    let [found] = &audit.rates[..] else { panic!("{:?}", audit.rates) };
    assert!((found.rate.unwrap() - own).abs() < 1e-12 && (found.reference.unwrap() - other).abs() < 1e-12);
    assert!((found.gap.unwrap() - (other - own)).abs() < 1e-12 && found.rows == young.len());
    assert!(found.low.unwrap() < found.gap.unwrap() && found.gap.unwrap() < found.high.unwrap());
    assert!(audit.bounds.is_empty() && audit.to_string().contains("RATES ASKED FOR"), "{audit}");
    let bounded = AuditOptions { bounds: vec![Bound::MaxViolation(0.01)], ..options.clone() };
    let audit = Audit::of_dataset(&data, &groups, None, &bounded).unwrap();
    assert!((audit.bounds[0].value.unwrap() - (other - own).abs()).abs() < 1e-12);
    // Labels alone cannot be tested among rows of a label.
    let of_label =
        AuditOptions { notions: vec![notion("rate=predicted positive given sex=female labelled positive")], ..options };
    assert_eq!(Audit::of_dataset(&data, &groups, None, &of_label).unwrap_err().code(), "setting-invalid");
}

#[test]
fn an_audit_measures_given_rates_as_the_rates_that_they_are() {
    let data = dataset(table());
    let groups = Groups::bind(&["sex".parse().unwrap()], data.table()).unwrap().0;
    let audited = |notion: &str, predictions: Option<&str>| {
        let options = AuditOptions { notions: vec![notion.parse().unwrap()], ..AuditOptions::default() };
        Audit::of_dataset(&data, &groups, predictions, &options)
    };
    for (fixed, own) in [
        ("target-rate=0.5", "rate=predicted positive against 0.5"),
        ("group-target-rate=0.5", "rate=predicted positive given each group against 0.5"),
        ("known-rate=sex=female:0.3", "rate=predicted positive given sex=female against 0.3"),
    ] {
        let [fixed, own] = [fixed, own].map(|notion| audited(notion, None).unwrap().rates);
        assert!(!fixed.is_empty() && fixed.len() == own.len());
        for (fixed, own) in fixed.into_iter().zip(own) {
            assert_eq!(evenhand::audit::AskedRate { name: own.name.clone(), ..fixed }, own);
        }
    }
    // Labels cannot be told to be right by themselves.
    assert_eq!(audited("pinned=sex=female:0.9", None).unwrap_err().code(), "setting-invalid");
}

#[test]
fn rows_that_nothing_is_known_of_are_refused_by_name() {
    let data = dataset(table());
    let refused = |notion: &str| asking(&[notion]).fit(&data, &evenhand::Logistic::default()).unwrap_err();
    let Error::RateSyntax { problem, .. } = refused("rate=predicted positive given sex=female against age_band") else {
        panic!("not about the syntax")
    };
    assert_eq!(problem, "what stands after `against` is 4 groups; name one of them, or join values by `|`");
    let unknown = refused("rate=predicted maybe given sex").to_string();
    assert!(unknown.contains("`maybe` is no class; there are: `no`, `yes`"), "{unknown}");
    assert_eq!(refused("rate=predicted positive given gender=f").code(), "column-unknown");
    let membership = Membership::none(3);
    let labels = evenhand::data::Codes::narrow(vec![0, 1, 0], 2);
    let options = AuditOptions {
        notions: vec!["rate=predicted positive given sex=f".parse().unwrap()],
        ..AuditOptions::default()
    };
    let classes = ["no".to_owned(), "yes".to_owned()];
    assert_eq!(
        Audit::of(&labels, None, &membership, None, &classes, None, &options).unwrap_err().code(),
        "no-constraints"
    );
}

#[test]
fn groups_that_only_other_rows_have_are_compared_with_the_same_rows() {
    let data = dataset(table());
    let asked = Correction::new("rate=predicted positive given each group against sex=male".parse().unwrap());
    let training = rows(&data, |text| text("age_band") != "60+");
    let fitted = fit(&asked.group("age_band").unwrap().max_violation(1.0), &dataset(table().select(&training)));
    let (problem, _) = fitted.binding().problem(&data).unwrap();
    let further: Vec<&Constraint> =
        problem.measured_constraints()[fitted.binding().constraints().len()..].iter().collect();
    let [one] = &further[..] else { panic!("{further:?}") };
    let Reference::Rows { group: Some(place), labelled: Labelled::Any } = one.reference else { panic!("{one:?}") };
    assert_eq!(one.name, "rate=predicted positive given age_band=60+ against sex=male");
    assert_eq!(problem.group_names()[place], "sex=male");
    assert_eq!(problem.group_names()[one.group.unwrap()], "age_band=60+");
}

//! Rates that are weighted by a column: held to sums over rows that are made here, and to rates that need no column.

use crate::corrections::{dataset, fit};
use crate::model_files::model;
use crate::population::{table, three_classes};
use evenhand::audit::AuditOptions;
use evenhand::correction::{
    Binding, CovariateShift, Method, Technique, ThresholdPostprocessing, Validation, WeightRule,
};
use evenhand::data::Codes;
use evenhand::learner::LogisticModel;
use evenhand::{
    Audit, Bound, Column, Correction, Dataset, Fitted, Groups, Identify, Logistic, Measure, Model, Notion, Schema,
    Table, Verdict,
};

const BY_INCOME: &str = "rate=predicted positive weighted by income given sex=female";

fn asking(notion: &str) -> Correction {
    Correction::new(notion.parse::<Notion>().unwrap()).group("sex").unwrap()
}

fn numbers(data: &Dataset, column: &str) -> Vec<f64> {
    let Column::Numeric(values) = data.table().column(column).unwrap() else { panic!("{column} is numeric") };
    values.clone()
}

fn women(data: &Dataset) -> Vec<bool> {
    let sex = data.table().column("sex").unwrap();
    (0..data.rows()).map(|row| sex.text(row).as_deref() == Some("female")).collect()
}

/// Σ v·decision / Σ v over some rows.
fn rate(values: &[f64], inside: impl Fn(usize) -> bool, counts: impl Fn(usize) -> bool) -> f64 {
    let sum = |which: &dyn Fn(usize) -> bool| -> f64 {
        (0..values.len()).filter(|&row| inside(row) && which(row)).map(|row| values[row]).sum()
    };
    sum(&counts) / sum(&|_| true)
}

/// The table with a further column of numbers.
fn with(name: &str, value: impl Fn(usize) -> f64) -> Table {
    let mut table = table();
    table.set(name, Column::Numeric((0..table.rows()).map(value).collect())).unwrap();
    table
}

fn audited(data: &Dataset, notion: &str) -> evenhand::audit::AskedRate {
    let groups = Groups::bind(&["sex".parse().unwrap()], data.table()).unwrap().0;
    let options = AuditOptions { notions: vec![notion.parse().unwrap()], ..AuditOptions::default() };
    let audit = Audit::of_dataset(data, &groups, None, &options).unwrap();
    audit.rates.into_iter().next().unwrap()
}

#[test]
fn women_get_of_every_sum_of_incomes_the_overall_share() {
    let data = dataset(table());
    let fitted = fit(&asking(BY_INCOME).max_violation(0.02), &data);
    let (income, women) = (numbers(&data, "income"), women(&data));
    let decisions = fitted.predict(data.table()).unwrap().decisions;
    let approved = |decisions: &Codes, of: &dyn Fn(usize) -> bool| rate(&income, of, |row| decisions.get(row) == 1);
    let gap = approved(&decisions, &|_| true) - approved(&decisions, &|row| women[row]);
    let measured = fitted.solution().train.violation.unwrap();
    assert!((gap.abs() - measured).abs() < 1e-12 && measured <= 0.02, "{gap} {measured}");
    assert!(fitted.trace()[0].violation > 0.05, "there was something to correct");
    let names: Vec<&str> = fitted.multipliers().map(|(name, _)| name).collect();
    assert_eq!(names, [BY_INCOME]);
}

#[test]
fn weights_are_those_of_corollary_1_row_by_row() {
    let data = dataset(table());
    let (_, problem, _) = Binding::new(&asking(BY_INCOME), &data).unwrap();
    let (income, women, labels) = (numbers(&data, "income"), women(&data), data.labels().codes());
    let total: f64 = income.iter().sum();
    let of_women: f64 = (0..data.rows()).filter(|&row| women[row]).map(|row| income[row]).sum();
    let (mean, share, multiplier) = (total / data.rows() as f64, of_women / total, 0.3);
    let found = problem.weights(WeightRule::CENTRED, &[multiplier]).unwrap().to_rows();
    for row in 0..data.rows() {
        let member = if women[row] { 1.0 } else { 0.0 };
        let exponent = multiplier * income[row] / mean * (member / share - 1.0);
        let own = if labels.get(row) == 1 { -exponent } else { exponent };
        let expected = 1.0 / (1.0 + own.exp());
        assert!((found[row] - expected).abs() < 1e-12, "row {row}: {} {expected}", found[row]);
    }
}

#[test]
fn one_number_for_all_is_the_rate_without_weights_to_the_bit() {
    let data = dataset(with("three", |_| 3.0));
    for (plain, weighted) in [
        ("rate=predicted positive given each group", "rate=predicted positive weighted by three given each group"),
        (
            "rate=predicted wrongly given sex=female and labelled positive against 0.2",
            "rate=predicted wrongly weighted by three given sex=female and labelled positive against 0.2",
        ),
    ] {
        let [one, other] = [plain, weighted].map(|notion| fit(&asking(notion).max_violation(0.03), &data));
        let bits = |fitted: &Fitted<LogisticModel>| -> Vec<u64> {
            fitted.multipliers().map(|(_, value)| value.to_bits()).collect()
        };
        assert_eq!(bits(&one), bits(&other), "{plain}");
        assert_eq!(one.weights().to_rows(), other.weights().to_rows(), "{plain}");
    }
}

#[test]
fn rows_that_count_nothing_are_rows_that_are_not_there() {
    // Of incomes above 30 by a column of ones and zeros, and by naming the rows.
    let income = numbers(&dataset(table()), "income");
    let data = dataset(with("counts", |row| if income[row] > 30.0 { 1.0 } else { 0.0 }));
    let weighted = audited(&data, "rate=predicted positive weighted by counts given sex=female");
    let named = audited(&data, "rate=predicted positive given sex=female and income>30 against income>30");
    let numbers =
        |one: &evenhand::audit::AskedRate| [one.rate, one.reference, one.gap, one.low, one.high].map(Option::unwrap);
    for (one, other) in numbers(&weighted).into_iter().zip(numbers(&named)) {
        assert!((one - other).abs() < 1e-12, "{weighted:?} {named:?}");
    }
    assert!(weighted.gap.unwrap().abs() > 0.01 && weighted.rows > named.rows);
}

#[test]
fn intervals_are_of_as_many_rows_as_the_weights_are_worth() {
    let data = dataset(table());
    let (plain, weighted) = (audited(&data, "rate=predicted positive given sex=female against 0.5"), {
        audited(&data, "rate=predicted positive weighted by income given sex=female against 0.5")
    });
    let (income, women) = (numbers(&data, "income"), women(&data));
    let own = (0..data.rows()).filter(|&row| women[row]).map(|row| income[row]);
    let (sum, squares) = own.fold((0.0, 0.0), |(sum, squares), value| (sum + value, squares + value * value));
    let width = |one: &evenhand::audit::AskedRate| {
        let rate = one.rate.unwrap();
        (one.high.unwrap() - one.low.unwrap()) / (rate * (1.0 - rate)).sqrt()
    };
    let kish = sum * sum / squares / plain.rows as f64;
    // Wilson's intervals of many rows are nearly those of the normal distribution.
    assert!((width(&plain) / width(&weighted) - kish.sqrt()).abs() < 0.01, "{plain:?} {weighted:?} {kish}");
    assert!(kish < 0.95, "incomes differ");
}

#[test]
fn the_order_of_rows_does_not_matter_and_a_repeated_row_is_a_weight_of_two() {
    let plain = dataset(table());
    let rows: Vec<usize> = (0..plain.rows()).collect();
    let turned = dataset(table().select(&rows.iter().rev().copied().collect::<Vec<_>>()));
    let repeated = dataset(table().select(&rows.iter().copied().chain(0..2000).collect::<Vec<_>>()));
    let counted = with("count", |row| if row < 2000 { 2.0 } else { 1.0 });
    let schema = Schema::label("approved").positive("yes").ignore("deserved").weight("count");
    let counted = Dataset::new(counted, &schema).unwrap();
    let alike = |one: &Dataset, other: &Dataset| {
        let numbers = |data| {
            let one = audited(data, BY_INCOME);
            [one.rate, one.reference, one.gap].map(Option::unwrap)
        };
        for (one, other) in numbers(one).into_iter().zip(numbers(other)) {
            assert!((one - other).abs() < 1e-12);
        }
        let weights = |data: &Dataset| {
            let (_, problem, _) = Binding::new(&asking(BY_INCOME), data).unwrap();
            problem.weights(WeightRule::CENTRED, &[0.4]).unwrap().to_rows()
        };
        (weights(one), weights(other))
    };
    let (one, mut other) = alike(&plain, &turned);
    other.reverse();
    assert!(one.iter().zip(&other).all(|(one, other)| (one - other).abs() < 1e-12));
    let (one, other) = alike(&repeated, &counted);
    // Those of the counted rows are times the row's own, which are scaled to mean 1.
    let mean = (plain.rows() + 2000) as f64 / plain.rows() as f64;
    for (row, weight) in other.iter().enumerate() {
        let own = if row < 2000 { 2.0 } else { 1.0 } / mean;
        assert!((weight / own - one[row]).abs() < 1e-12, "{row}");
    }
}

#[test]
fn every_way_to_fit_measures_it_as_sums_over_rows_do() {
    let data = dataset(table());
    let holdout = Validation::Holdout { share: 0.3, seed: 1 };
    let asked = || asking(BY_INCOME).max_violation(0.05);
    let (income, women) = (numbers(&data, "income"), women(&data));
    for settings in [
        Correction { technique: Technique::Sampling { seed: 1 }, ..asked() },
        Correction { covariate_shift: CovariateShift::Corrected, ..asked() },
        Correction { validation: holdout, ..asked() },
        asked().method(Method::Unconstrained),
        asked().method(Method::Reweighing),
    ] {
        let fitted = fit(&settings, &data);
        let decisions = fitted.predict(data.table()).unwrap().decisions;
        let of = |inside: &dyn Fn(usize) -> bool| rate(&income, inside, |row| decisions.get(row) == 1);
        let gap = (of(&|_| true) - of(&|row| women[row])).abs();
        let found = fitted.evaluate(&data, Measure::Decisions).unwrap().0.violation.unwrap();
        assert!((gap - found).abs() < 1e-12, "{settings:?}: {gap} {found}");
    }
}

#[test]
fn classes_may_be_three_and_columns_two() {
    let three = three_classes();
    let mut table = three.table().clone();
    table.set("debt", Column::Numeric((0..three.rows()).map(|row| (row % 9) as f64).collect())).unwrap();
    let data = Dataset::new(table, three.schema()).unwrap();
    let mut settings = asking("rate=predicted best weighted by income given sex=female").max_violation(0.03);
    settings
        .notions
        .push("rate=predicted refused weighted by debt given sex=female and labelled refused".parse().unwrap());
    let fitted = fit(&settings, &data);
    let decisions = fitted.predict(data.table()).unwrap().decisions;
    let women = women(&data);
    let labels = data.labels();
    let place = |name: &str| labels.classes().iter().position(|class| class == name).unwrap();
    let (best, refused) = (place("best"), place("refused"));
    let (income, debt) = (numbers(&data, "income"), numbers(&data, "debt"));
    let first = |inside: &dyn Fn(usize) -> bool| rate(&income, inside, |row| decisions.get(row) == best);
    let second = |inside: &dyn Fn(usize) -> bool| {
        rate(&debt, |row| inside(row) && labels.codes().get(row) == refused, |row| decisions.get(row) == refused)
    };
    let gaps = [first(&|_| true) - first(&|row| women[row]), second(&|_| true) - second(&|row| women[row])];
    let worst = gaps.iter().fold(0.0, |worst: f64, gap| worst.max(gap.abs()));
    assert!((worst - fitted.solution().train.violation.unwrap()).abs() < 1e-12, "{gaps:?}");
}

#[test]
fn a_saved_model_verifies_and_another_column_does_not() {
    let data = dataset(table());
    let saved = model(&data, &asking(BY_INCOME).max_violation(0.03), None);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.json");
    saved.save(&path).unwrap();
    let read = Model::load(&path).unwrap();
    assert_eq!(read, saved);
    let verdict = read.verify(data.table().clone()).unwrap();
    assert!(verdict.matches, "{verdict:?}");
    let mut other = table();
    let turned = numbers(&data, "income").into_iter().rev().collect();
    other.set("income", Column::Numeric(turned)).unwrap();
    assert!(!read.verify(other).unwrap().matches);
    // Predicting does not need the groups, and the column only as a feature.
    assert_eq!(read.predict(data.table()).unwrap().decisions.len(), data.rows());
}

#[test]
fn what_cannot_be_weighted_by_is_refused_by_column_and_row() {
    let refused = |value: fn(usize) -> f64| {
        let data = dataset(with("by", value));
        let notion = "rate=predicted positive weighted by by given sex=female";
        let groups = Groups::bind(&["sex".parse().unwrap()], data.table()).unwrap().0;
        let options = AuditOptions { notions: vec![notion.parse().unwrap()], ..AuditOptions::default() };
        let audit = Audit::of_dataset(&data, &groups, None, &options).unwrap_err();
        let fit = asking(notion).fit(&data, &Logistic::default()).unwrap_err();
        assert_eq!(audit.to_string(), fit.to_string());
        fit
    };
    let negative = refused(|row| if row == 6 { -1.0 } else { 1.0 });
    assert_eq!(negative.code(), "rate-weight-invalid");
    assert!(negative.to_string().contains("column `by`, row 7: a rate cannot be weighted by `-1`"), "{negative}");
    assert!(refused(|row| if row == 0 { f64::NAN } else { 1.0 }).to_string().contains("(missing)"));
    assert_eq!(refused(|_| 0.0).code(), "weight-none");
    let data = dataset(table());
    let unknown = asking("rate=predicted positive weighted by wealth given sex=female");
    assert_eq!(unknown.fit(&data, &Logistic::default()).unwrap_err().code(), "column-unknown");
    let text = asking("rate=predicted positive weighted by age_band given sex=female");
    assert_eq!(text.fit(&data, &Logistic::default()).unwrap_err().code(), "column-kind");
}

#[test]
fn what_does_not_go_together_is_refused_by_name_before_any_fit() {
    let asked = || asking(BY_INCOME);
    let mut blind = asked();
    blind.notions.push(Notion::DisparateImpact);
    for (settings, named) in [
        (asked().apply(evenhand::correction::Apply::Tilt), "apply"),
        (asked().method(Method::ThresholdPostprocessing(ThresholdPostprocessing::default())), "method"),
        (asked().method(Method::PercentileThresholds), "notions"),
        (blind, "notions"),
    ] {
        let error = settings.check().unwrap_err();
        assert!(error.code() == "setting-invalid" && error.to_string().contains(named), "{error}");
    }
    let identify = Identify::default().notion(BY_INCOME.parse().unwrap());
    assert!(identify.check().unwrap_err().to_string().contains("without `weighted by`"));
}

#[test]
fn bounds_are_judged_by_what_the_rate_is_weighted_by() {
    let data = dataset(table());
    let groups = Groups::bind(&["sex".parse().unwrap()], data.table()).unwrap().0;
    let notions = vec![BY_INCOME.parse().unwrap()];
    let options = AuditOptions { notions, bounds: vec![Bound::MaxViolation(0.01)], ..AuditOptions::default() };
    let audit = Audit::of_dataset(&data, &groups, None, &options).unwrap();
    let (income, women, labels) = (numbers(&data, "income"), women(&data), data.labels().codes());
    let of = |inside: &dyn Fn(usize) -> bool| rate(&income, inside, |row| labels.get(row) == 1);
    let gap = (of(&|_| true) - of(&|row| women[row])).abs();
    assert!((audit.bounds[0].value.unwrap() - gap).abs() < 1e-12, "{:?} {gap}", audit.bounds);
    assert_eq!(audit.bounds[0].verdict, Verdict::NotMet);
}

#[test]
fn sentences_with_a_column_read_back_and_errors_say_where() {
    for text in [
        "rate=predicted positive weighted by income given sex=female",
        "rate=predicted wrongly weighted by `loan given` given each group at most 0.2",
        "rate=predicted `weighted` weighted by `weighted` against 0.3",
    ] {
        assert_eq!(text.parse::<Notion>().unwrap().to_string(), text);
    }
    for (text, expected) in [
        ("rate=predicted positive weighted by given sex", "a column of numbers is expected after `weighted by`"),
        ("rate=predicted positive weighted by a weighted by b given sex", "`weighted by` stands twice"),
        ("rate=predicted positive given sex weighted by income", "`weighted by` belongs before `given`"),
        ("rate=predicted positive weighted by income", "everyone would be compared with everyone"),
    ] {
        let error = text.parse::<Notion>().unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}

//! Reports of made-up people: what is in them, and that nothing breaks a page.

use evenhand::correction::Silent;
use evenhand::data::Categorical;
use evenhand::{Column, Correction, Dataset, Logistic, Notion, Schema, Table};
use evenhand_datasets::synthetic;

use super::{FitResult, STRENGTHS, Trained};
use crate::{Format, Record, Report, Series};

/// Decisions about made-up people, by these groups.
fn asked(groups: &[&str]) -> Correction {
    let correction = Correction::new(Notion::DemographicParity);
    groups.iter().fold(correction, |correction, group| correction.group(group).unwrap())
}

fn report_of(data: &Dataset, asked: &Correction) -> Report {
    let learner = Logistic::default();
    let fitted = asked.fit(data, &learner).unwrap();
    let trained = Trained {
        correction: asked,
        learner: &learner,
        binding: fitted.binding(),
        trained_on: fitted.problem(),
        train: data,
        test: None,
        confidence: 0.95,
        warnings: fitted.warnings().to_vec(),
        record: Record::new(data.digest(), data.rows(), asked, &learner).by("evenhand fit loans.csv".into()),
    };
    let found = fitted.solution();
    let result = FitResult { trained, found, evaluated: None, identify: true, strengths: &STRENGTHS };
    Report::from_fit(&result, &mut Silent).unwrap()
}

fn people() -> Dataset {
    let schema = Schema::label("approved").positive("yes").ignore("deserved");
    Dataset::new(synthetic::population(2_000, 1).unwrap(), &schema).unwrap()
}

fn text_column(values: impl Iterator<Item = String>) -> Column {
    let values: Vec<String> = values.collect();
    Column::Categorical(Categorical::from_values(values.iter().map(|value| Some(value.as_str()))))
}

/// Rows of some groups, the label leaning with the group; `classes` names the labels.
fn rows(names: &[String], sizes: &[usize], column: &str, classes: &[&str]) -> Dataset {
    let of: Vec<usize> = sizes.iter().enumerate().flat_map(|(at, &size)| vec![at; size]).collect();
    // A number that runs through 0 to 96 in no order that groups share.
    let score = |row: usize| row * 31 % 97;
    let label = |row: usize| {
        let lean = score(row) + 7 * (of[row] % 5) + row * 13 % 29;
        classes[(lean * classes.len() / 150).min(classes.len() - 1)].to_owned()
    };
    let table = Table::new(
        vec![
            ("score".into(), Column::Numeric((0..of.len()).map(|row| score(row) as f64).collect())),
            (column.to_owned(), text_column(of.iter().map(|&at| names[at].clone()))),
            ("label".into(), text_column((0..of.len()).map(label))),
        ],
        1,
    )
    .unwrap();
    Dataset::new(
        table,
        &if classes.len() == 2 { Schema::label("label").positive(classes[1]) } else { Schema::label("label") },
    )
    .unwrap()
}

/// The JSON in a page.
fn embedded(page: &str) -> &str {
    let start = page.find(r#"id="report">"#).unwrap() + r#"id="report">"#.len();
    &page[start..start + page[start..].find("</script>").unwrap()]
}

/// A page is well formed enough: what was opened is closed, and the only scripts are its own.
fn check_page(page: &str) {
    for element in ["section", "figure", "table", "details", "svg", "main", "div", "dl", "ul"] {
        let (opened, closed) =
            (page.matches(&format!("<{element}")).count(), page.matches(&format!("</{element}>")).count());
        assert_eq!(opened, closed, "{element}");
    }
    assert_eq!(page.matches("<script").count(), 2);
    assert!(!page.contains("http://") && !page.contains("https://"), "a page needs no network");
    assert!(page.len() < 5_000_000, "{}", page.len());
}

#[test]
fn a_report_has_every_section_and_says_what_was_found() {
    let report = report_of(&people(), &asked(&["sex", "age_band=18-24"]));
    let summary = report.summary();
    assert!(summary[0].starts_with("Before correction, rows in "), "{summary:?}");
    assert!(summary[0].contains("95\u{a0}% interval"), "{summary:?}");
    assert!(summary[1].starts_with("After it: ") && summary[1].contains("error on the observed labels"), "{summary:?}");
    assert_eq!(report.panels.len(), 1);
    assert_eq!(report.panels[0].series, [Series::Labels, Series::Before, Series::After]);
    assert_eq!((report.panels[0].groups.len(), report.panels[0].overall.rows), (3, 2_000));
    let tradeoff = report.tradeoff.as_ref().unwrap();
    assert_eq!((tradeoff.points.len(), tradeoff.chosen), (13, Some(10)));
    let search = report.search.as_ref().unwrap();
    assert!(search.steps.len() > 1 && search.cells.iter().map(|cell| cell.rows).sum::<usize>() == 2_000);
    assert!(search.cells[0].relative.ln().abs() >= search.cells[1].relative.ln().abs());
    let page = report.html().unwrap();
    check_page(&page);
    for id in ["groups", "bias", "tradeoff", "search", "record", "limits"] {
        assert!(page.contains(&format!(r#"<h2 id="{id}">"#)), "{id}");
    }
    assert!(!page.to_lowercase().contains(" fair "));
}

#[test]
fn numbers_of_a_report_agree_with_each_other() {
    let report = report_of(&people(), &asked(&["sex"]));
    let (change, tradeoff, panel) = (report.change.unwrap(), report.tradeoff.as_ref().unwrap(), &report.panels[0]);
    let chosen = &tradeoff.points[10];
    assert_eq!((chosen.error.to_bits(), chosen.violation), (change.error_after.to_bits(), change.violation_after));
    assert_eq!(
        (tradeoff.points[0].error.to_bits(), tradeoff.points[0].violation),
        (change.error_before.to_bits(), change.violation_before)
    );
    for (point, series) in [(0, 1), (10, 2)] {
        for (line, rate) in std::iter::once(&panel.overall).chain(&panel.groups).zip(&tradeoff.points[point].rates) {
            assert_eq!(*rate, [line.rates[series].value, line.rates[series].low, line.rates[series].high]);
        }
    }
    // overall − group, from the rates that the page shows
    for one in &report.constraints {
        let line = panel.groups.iter().find(|line| Some(&line.group) == one.group.as_ref()).unwrap();
        let rate = |line: &crate::Line, at: usize| line.rates[at].value.unwrap();
        for (at, gap) in [(1, one.before), (2, one.after)] {
            assert!((rate(&panel.overall, at) - rate(line, at) - gap.value.unwrap()).abs() < 1e-12, "{one:?}");
        }
    }
}

#[test]
fn a_page_is_made_of_the_json_in_it_and_nothing_else() {
    let page = report_of(&people(), &asked(&["sex", "age_band"])).html().unwrap();
    let again: Report = serde_json::from_str(embedded(&page)).unwrap();
    assert_eq!(again.html().unwrap(), page);
    let panel = &again.panels[0];
    let rate = |line: &crate::Line, at: usize| crate::number::percent(line.rates[at].value.unwrap());
    for line in std::iter::once(&panel.overall).chain(&panel.groups) {
        let shown = format!(r#"<div class="numbers">{} → {}</div>"#, rate(line, 1), rate(line, 2));
        assert!(page.contains(&shown), "{shown}");
    }
}

#[test]
fn other_methods_stand_beside_the_correction() {
    let report = report_of(&people(), &asked(&["sex"]));
    let baselines = &report.tradeoff.as_ref().unwrap().baselines;
    assert_eq!(
        baselines.iter().map(|one| one.method.as_str()).collect::<Vec<_>>(),
        ["reweighing", "threshold-postprocessing", "lagrangian"]
    );
    assert_eq!(baselines.iter().map(|one| one.by_group).collect::<Vec<_>>(), [false, true, false]);
    let page = report.html().unwrap();
    // Each on the chart and in the list below it, unless it is too far away.
    let drawn = baselines.len() - page.matches("too far away to be drawn").count();
    assert_eq!((page.matches(r#"<svg class="other""#).count(), drawn > 0), (2 * drawn, true));
    for baseline in baselines {
        let shown = format!("{}: error {}", baseline.method, crate::number::percent(baseline.error.unwrap()));
        assert!(page.contains(&shown) && report.text().contains(&shown), "{shown}");
    }
    // Three classes are not for two of them, which is stated.
    let names: Vec<String> = (0..3).map(|at| format!("team {at}")).collect();
    let three = report_of(&rows(&names, &[300; 3], "team", &["a", "b", "c"]), &asked(&["team"]));
    let why: Vec<bool> = three.tradeoff.as_ref().unwrap().baselines.iter().map(|one| one.why.is_some()).collect();
    assert_eq!(why, [false, true, true]);
    assert!(three.html().unwrap().contains("two classes for this method"));
}

#[test]
fn a_classifier_that_hardly_decides_is_not_praised_for_even_rates() {
    let mut report = report_of(&people(), &asked(&["sex"]));
    assert!(!report.summary().iter().any(|sentence| sentence.contains("hardly decides")));
    report.panels[0].overall.rates[2].value = Some(0.995);
    let summary = report.summary();
    assert!(summary.iter().any(|one| one.starts_with("Note that 99.5\u{a0}% of everyone are then")), "{summary:?}");
}

#[test]
fn the_change_in_error_has_an_interval() {
    let report = report_of(&people(), &asked(&["sex"]));
    let change = report.change.unwrap();
    let (low, high) = (change.error_change_low.unwrap(), change.error_change_high.unwrap());
    let value = change.error_after - change.error_before;
    assert!(low < value && value < high && high - low < 0.05, "{change:?}");
}

#[test]
fn the_same_input_gives_the_same_bytes() {
    let [one, other] = [0, 1].map(|_| report_of(&people(), &asked(&["sex"])));
    for format in [Format::Html, Format::Markdown, Format::Text] {
        assert_eq!(one.render(format).unwrap(), other.render(format).unwrap());
    }
}

#[test]
fn hostile_names_are_text() {
    let long = "x".repeat(200);
    let names: Vec<String> =
        ["<script>alert(1)</script>", "a\"b'c&d", "🦉 owl", "קבוצה א", &long, "</svg><img src=x onerror=alert(2)>"]
            .map(str::to_owned)
            .to_vec();
    let data = rows(&names, &[200; 6], "<b>team</b> \"x\"", &["no <i>", "yes \" onload=\"x"]);
    let report = report_of(&data, &asked(&["<b>team</b> \"x\""]));
    let page = report.html().unwrap();
    check_page(&page);
    let shown = page.replace(embedded(&page), "");
    for tag in ["<script>alert", "<img", "<b>team", "<i>"] {
        assert!(!shown.contains(tag), "{tag}");
    }
    assert!(!shown.contains("\" onload=\"x"));
    for name in ["🦉 owl", "קבוצה א", &long, "&#60;script&#62;alert(1)&#60;/script&#62;"] {
        assert!(shown.contains(name), "{name}");
    }
    let back: Report = serde_json::from_str(embedded(&page)).unwrap();
    assert_eq!(back, report);
    let markdown = report.markdown();
    assert!(!markdown.contains('<') && markdown.contains("🦉 owl"), "{markdown}");
}

#[test]
fn forty_groups_one_group_and_a_group_of_three_are_shown() {
    let names: Vec<String> = (0..40).map(|at| format!("team {at}")).collect();
    let many = report_of(&rows(&names, &[60; 40], "team", &["no", "yes"]), &asked(&["team"]));
    assert_eq!(many.panels[0].groups.len(), 40);
    check_page(&many.html().unwrap());
    let one = report_of(&rows(&names[..2], &[300, 300], "team", &["no", "yes"]), &asked(&["team=team 0"]));
    assert_eq!(one.panels[0].groups.len(), 1);
    check_page(&one.html().unwrap());
    let few = report_of(&rows(&names[..3], &[300, 300, 3], "team", &["no", "yes"]), &asked(&["team"]));
    let small: Vec<&str> =
        few.panels[0].groups.iter().filter(|line| line.small).map(|line| line.group.as_str()).collect();
    assert_eq!(small, ["team=team 2"]);
    let page = few.html().unwrap();
    check_page(&page);
    assert!(page.contains("<b>few rows</b>") && page.contains("too few to say much about its rates"));
    assert!(few.search.unwrap().small_cells.is_some(), "three people are not listed one by one");
}

#[test]
fn three_classes_and_five_notions_are_shown() {
    let names: Vec<String> = (0..3).map(|at| format!("team {at}")).collect();
    let three = report_of(&rows(&names, &[300; 3], "team", &["a", "b", "c"]), &asked(&["team"]));
    assert_eq!(three.panels.iter().map(|panel| panel.class.as_str()).collect::<Vec<_>>(), ["a", "b", "c"]);
    check_page(&three.html().unwrap());
    let mut five = asked(&["team"]);
    five.notions =
        ["demographic-parity", "equal-opportunity", "predictive-equality", "equal-accuracy", "target-rate=0.4"]
            .map(|notion| notion.parse().unwrap())
            .to_vec();
    let five = report_of(&rows(&names, &[400; 3], "team", &["no", "yes"]), &five);
    assert_eq!((five.panels.len(), five.notions.len(), five.constraints.len()), (4, 5, 13));
    check_page(&five.html().unwrap());
    assert!(five.text().contains("Predicted as labelled (accuracy"));
}

//! `--report` of `fit`, `audit`, `identify` and `frontier`: a page, a card or a text, for people who were not there.

use crate::support::{CliTest, snapshot, snapshot_of};

const FIT: &str = "fit loans.csv --label approved --ignore id --group sex --notion demographic-parity";

/// The JSON in a page.
fn embedded(page: &str) -> serde_json::Value {
    let start = page.find(r#"id="report">"#).unwrap() + r#"id="report">"#.len();
    let end = start + page[start..].find("</script>").unwrap();
    serde_json::from_str(&page[start..end]).unwrap()
}

#[test]
fn the_page_has_the_numbers_of_the_command() {
    let test = CliTest::new();
    let json = test.json(&format!("{FIT} --holdout 0.3 --seed 7 --report report.html --json"));
    assert_eq!(json["report"], "report.html");
    let report = embedded(&test.read("report.html"));
    assert_eq!(report["change"]["error_after"], json["test"]["error"]);
    assert_eq!(report["change"]["violation_before"], json["uncorrected"]["test"]["violation"]);
    assert_eq!(report["search"]["multipliers"], json["multipliers"]);
    assert_eq!(report["record"]["split"]["seed"], 7);
    assert_eq!(report["about"]["are_training"], false);
    let command = report["record"]["command"].as_str().unwrap();
    assert!(command.starts_with("evenhand fit loans.csv --label approved --ignore id --group sex"), "{command}");
}

#[test]
fn the_same_data_elsewhere_give_the_same_bytes() {
    let [one, other] = [CliTest::new(), CliTest::new()];
    for test in [&one, &other] {
        let data = test.path("loans.csv").display().to_string();
        test.expect(0, &format!("{} --report report.html --quiet", FIT.replace("loans.csv", &data)));
    }
    assert_eq!(one.read("report.html"), other.read("report.html"));
    assert!(!one.read("report.html").contains(&one.path("").display().to_string()));
}

#[test]
fn a_card_and_a_text_are_written_by_their_names() {
    let test = CliTest::new();
    test.expect(0, &format!("{FIT} --report card.md"));
    test.expect(0, &format!("{FIT} --report report.txt"));
    let card = test.read("card.md");
    let start = "## Predicting “approved”, before and after correction\n\nThe correction changes more than evenness: ";
    assert!(card.starts_with(start) && card.contains("\nBefore correction, "), "{card}");
    snapshot_of!(test.read("report.txt"));
}

#[test]
fn a_name_that_says_no_format_is_refused_before_any_work() {
    snapshot!(CliTest::new(), &format!("{FIT} --report report.pdf"));
}

#[test]
fn a_report_replaces_no_other_file_of_the_command() {
    let test = CliTest::new();
    let output = test.expect(2, &format!("{FIT} --model same.html --report same.html"));
    assert!(String::from_utf8(output.stderr).unwrap().contains("is also another file of this command"));
}

#[test]
fn methods_without_multipliers_have_a_report_too() {
    let test = CliTest::new();
    for method in ["unconstrained", "reweighing", "threshold-postprocessing", "lagrangian"] {
        test.expect(0, &format!("{FIT} --method {method} --report {method}.html"));
        let report = embedded(&test.read(&format!("{method}.html")));
        assert_eq!(report["method"], method);
        if method == "unconstrained" {
            assert!(report["tradeoff"].is_null());
            continue;
        }
        // Without it and with it, and the three others beside it.
        let tradeoff = &report["tradeoff"];
        assert_eq!((tradeoff["points"].as_array().unwrap().len(), &tradeoff["points"][1]["name"]), (2, &method.into()));
        let baselines: Vec<&str> = tradeoff["baselines"]
            .as_array()
            .unwrap()
            .iter()
            .map(|baseline| baseline["method"].as_str().unwrap())
            .collect();
        assert!(
            baselines.len() == 3 && baselines.contains(&"correction") && !baselines.contains(&method),
            "{baselines:?}"
        );
    }
}

#[test]
fn baselines_in_a_report_are_what_their_own_fits_give() {
    let test = CliTest::new();
    test.expect(0, &format!("{FIT} --holdout 0.3 --report report.html"));
    let report = embedded(&test.read("report.html"));
    for baseline in report["tradeoff"]["baselines"].as_array().unwrap() {
        let alone = test.json(&format!("{FIT} --holdout 0.3 --method {} --json", baseline["method"].as_str().unwrap()));
        assert_eq!(
            (&baseline["error"], &baseline["violation"]),
            (&alone["test"]["error"], &alone["test"]["violation"])
        );
    }
}

#[test]
fn a_frontier_has_a_report() {
    let test = CliTest::new();
    let frontier = FIT.replace("fit ", "frontier ");
    let json = test.json(&format!("{frontier} --points 4 --holdout 0.3 --report path.html --json"));
    assert_eq!(json["report"], "path.html");
    let page = test.read("path.html");
    let report = embedded(&page);
    let (tradeoff, points) = (&report["tradeoff"]["points"], json["points"].as_array().unwrap());
    assert_eq!((report["kind"].as_str(), tradeoff.as_array().unwrap().len()), (Some("frontier"), points.len()));
    for (at, point) in points.iter().enumerate() {
        assert_eq!(
            (&tradeoff[at]["error"], &tradeoff[at]["violation"]),
            (&point["test"]["error"], &point["test"]["violation"])
        );
    }
    assert!(page.contains("What less violation costs") && page.contains("end of the path"));
    test.expect(2, &format!("{frontier} --out path.csv --report path.csv"));
}

#[test]
fn test_rows_of_another_file_are_in_the_record() {
    let test = CliTest::new();
    std::fs::copy(test.path("loans.csv"), test.path("later.csv")).unwrap();
    test.expect(0, &format!("{FIT} --test later.csv --report report.html"));
    let record = &embedded(&test.read("report.html"))["record"];
    assert_eq!(record["test_sha256"], record["data_sha256"]);
    test.expect(0, &format!("{FIT} --holdout 0.3 --report report.html"));
    assert!(embedded(&test.read("report.html"))["record"]["test_sha256"].is_null());
}

#[test]
fn a_bound_on_what_is_audited_is_in_the_finding() {
    let test = CliTest::new();
    test.expect(1, "audit loans.csv --label approved --ignore id --group sex --max-violation 0.001 --report audit.md");
    assert!(
        test.read("audit.md")
            .contains("The bound that was asked for, at most 0.1 points (demographic-parity of labels")
    );
}

#[test]
fn an_audit_and_an_identification_have_reports() {
    let test = CliTest::new();
    let json = test.json("audit loans.csv --label approved --ignore id --group sex --report audit.html --json");
    let report = embedded(&test.read("audit.html"));
    assert_eq!((&report["kind"], &report["about"]["rows"]), (&"audit".into(), &json["rows"]));
    let overall = &json["classes"][0]["labels"]["overall"]["positive_rate"];
    assert_eq!(&report["panels"][0]["overall"]["rates"][0], overall);
    let command = "identify loans.csv --label approved --ignore id --group sex --resamples 0";
    let json = test.json(&format!("{command} --report bias.html --json"));
    let report = embedded(&test.read("bias.html"));
    assert_eq!(report["bias"]["groups"][0]["odds_ratio"], json["effects"][0]["odds_ratio"]);
    test.expect(2, &format!("{command} --report bias.doc"));
}

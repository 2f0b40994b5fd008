//! `evenhand paper` on the smallest of the public datasets. Skipped without them: `EVENHAND_DATA` names their folder.

use std::fs;

use crate::support::{CliTest, data_folder};

/// The options that name the datasets, where there are any.
fn data() -> Option<String> {
    data_folder().map(|folder| format!("paper --data '{folder}' --dataset german"))
}

#[test]
fn ours_stands_beside_what_was_published() {
    let Some(paper) = data() else { return };
    let text = CliTest::new().run(&format!("{paper} --notion demographic-parity"));
    let line = |method: &str| text.lines().find(|line| line.trim_start().starts_with(method)).unwrap().to_owned();
    let columns = |method: &str| line(method).split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(columns("unconstrained")[1..3], ["0.2485", "0.0766"]);
    assert_eq!(columns("label-bias")[4..], ["0.2515", "0.0137", "agrees"]);
    assert_eq!(columns("default")[4..], ["-", "-"]);
    assert!(text.contains("330 test rows") && text.contains("under parity"), "{text}");
}

#[test]
fn the_json_has_a_row_for_every_method() {
    let Some(paper) = data() else { return };
    let found = CliTest::new().json(&format!("{paper} --notion demographic-parity --json"));
    assert_eq!(found["rows"].as_array().unwrap().len(), 7);
}

/// Where labels are biased by hand, the correction finds more of the truth than nothing does.
#[test]
fn an_injected_bias_is_told_as_json_too() {
    let Some(folder) = data_folder() else { return };
    let injected =
        format!("paper --data '{folder}' --injected --dataset compas --method unconstrained --method default");
    let found = CliTest::new().json(&format!("{injected} --json"));
    let rows = found["rows"].as_array().unwrap();
    let recovered = |method: &str| rows.iter().find(|row| row["method"] == method).unwrap()["recovered"].as_f64();
    assert_eq!(recovered("unconstrained"), Some(0.0));
    assert!(recovered("default") > Some(0.5), "{found}");
}

#[test]
fn a_run_that_was_cut_off_goes_on_and_ends_with_the_same_tables() {
    let Some(paper) = data() else { return };
    let test = CliTest::new();
    let some = format!("{paper} --protocol repeated --splits 3 --method unconstrained --method default");
    test.expect(0, &format!("{some} --out whole"));
    let cells = test.read("whole/cells.jsonl");
    assert_eq!(cells.lines().count(), 3 * 4 * 2);
    // Half of the cells, the last of them torn.
    fs::create_dir(test.path("cut")).unwrap();
    test.write("cut/cells.jsonl", &cells[..cells.len() / 2]);
    test.expect(0, &format!("{some} --out cut --threads 1"));
    let without_times = |name: &str| {
        let table: serde_json::Value = serde_json::from_str(&test.read(name)).unwrap();
        let mut rows = table["rows"].as_array().unwrap().clone();
        for row in &mut rows {
            row["seconds"] = 0.into();
        }
        rows
    };
    assert_eq!(without_times("cut/table.json"), without_times("whole/table.json"));
    for file in ["table.md", "table.csv", "sweep-german-default.svg", "sweep-german-default.csv"] {
        assert!(test.path("cut").join(file).is_file(), "{file}");
    }
}

/// Theorems 2 and 3 on few rows: steep with weights, flat without; and the same numbers in every form, on any number of threads.
#[test]
fn rates_fall_as_guaranteed_and_a_run_goes_on_where_it_was_cut_off() {
    let test = CliTest::new();
    let rates = "paper --rates --rows-max 10000 --draws 3";
    let whole = test.json(&format!("{rates} --json --out whole"));
    let populations = whole["populations"].as_array().unwrap();
    assert_eq!(populations.len(), 4);
    for one in populations {
        let slope = |kind: &str| one["slopes"][kind]["mean"].as_f64().unwrap();
        let guaranteed = one["guaranteed_slope"].as_f64().unwrap();
        assert!(slope("known") < guaranteed && slope("found") < guaranteed, "{one}");
        assert_eq!(one["sizes"].as_array().unwrap().len(), 3);
        let last = &one["sizes"][2];
        assert!(last["none"]["mean"].as_f64() > Some(0.18) && last["known"]["mean"].as_f64() < Some(0.15), "{last}");
    }
    let (cells, figure) = (test.read("whole/rates.jsonl"), test.read("whole/rates.svg"));
    assert_eq!(cells.lines().count(), 4 * 3 * 3);
    assert!(
        figure.contains("D = 4: guaranteed −1/12") && figure.contains("10⁴") && !figure.contains("NaN"),
        "{figure}"
    );
    assert!(test.read("whole/rates.md").contains("| D = 1 | least squares over Lipschitz functions | −1/6 = -0.167 |"));
    assert_eq!(test.read("whole/rates.csv").lines().count(), 1 + 4 * 3);
    fs::create_dir(test.path("cut")).unwrap();
    test.write("cut/rates.jsonl", &cells[..cells.len() / 2]);
    let text = test.run(&format!("{rates} --out cut --threads 1"));
    assert!(text.contains("slope; guaranteed -0.167") && text.contains("10,000 rows"), "{text}");
    for file in ["rates.md", "rates.json", "rates.svg", "rates.csv"] {
        assert_eq!(test.read(&format!("cut/{file}")), test.read(&format!("whole/{file}")), "{file}");
    }
}

#[test]
fn what_cannot_be_run_is_refused() {
    let test = CliTest::new();
    for wrong in [
        "paper --data nowhere",
        "paper --data . --dataset iris",
        "paper --data . --notion equal-accuracy",
        "paper --data . --method magic",
        "paper --data . --protocol repeated --splits 1",
        "paper --data . --injected --dataset german",
        "paper --data . --out loans.csv",
        "paper --rates --out loans.csv",
        "paper --rates --injected",
        "paper --rates --dataset adult",
        "paper --rates --rows-max 100",
        "paper --rates --draws 1",
        "paper --rows-max 10000",
    ] {
        let output = test.run(wrong);
        assert!(output.starts_with("exit code 2"), "{wrong}: {output}");
    }
}

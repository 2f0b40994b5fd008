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
    ] {
        let output = test.run(wrong);
        assert!(output.starts_with("exit code 2"), "{wrong}: {output}");
    }
}

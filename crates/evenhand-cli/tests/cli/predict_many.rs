//! `evenhand predict` of more rows than a chunk holds, of folders and patterns, and what is left of it after an error.

use std::fs;

use crate::support::{CliTest, loans};

const FIT: &str = "fit loans.csv --label approved --ignore id --group sex --notion demographic-parity";

fn fitted(more: &str) -> CliTest {
    let test = CliTest::new();
    test.expect(0, &format!("{FIT} {more} --model model.json"));
    test
}

/// The loans in three files of a folder, the second with its columns in another order.
fn cut(test: &CliTest) -> Vec<String> {
    let all = test.read("loans.csv");
    let (head, rows) = all.split_once('\n').unwrap();
    let rows: Vec<&str> = rows.lines().collect();
    fs::create_dir(test.path("people")).unwrap();
    let parts: Vec<String> = rows.chunks(150).map(|part| format!("{head}\n{}\n", part.join("\n"))).collect();
    for (at, part) in parts.iter().enumerate() {
        test.write(&format!("people/part-{at}.csv"), part);
    }
    parts
}

#[test]
fn a_folder_and_a_pattern_are_predicted_as_the_rows_at_once() {
    // Decisions are random here: each row is to get the one that it has among all.
    let test = fitted("--method threshold-postprocessing");
    test.expect(0, "predict model.json loans.csv --out whole.csv");
    assert_eq!(cut(&test).len(), 3);
    let said = test.json("predict model.json people --out scored.csv --json");
    assert_eq!(said["rows"], 400);
    assert_eq!(test.read("scored.csv"), test.read("whole.csv"));
    test.expect(0, "predict model.json 'people/part-*.csv' --out scored.parquet");
    test.expect(0, "predict model.json loans.csv --out whole.parquet");
    test.expect(0, "predict model.json scored.parquet --ignore probability --ignore decision --out again.csv");
    test.expect(0, "predict model.json whole.parquet --ignore probability --ignore decision --out back.csv");
    assert_eq!(test.read("again.csv"), test.read("back.csv"));
}

#[test]
fn what_is_said_of_parts_is_said_of_all_rows() {
    let test = fitted("");
    let strange = test.read("loans.csv").replace(",r3,", ",r9,").replace(",good,", ",GOOD,");
    test.write("loans.csv", &strange);
    let whole = test.json("predict model.json loans.csv --out whole.csv --json");
    cut(&test);
    let parts = test.json("predict model.json people --out scored.csv --json");
    assert_eq!(parts["warnings"], whole["warnings"]);
    assert!(whole["warnings"].as_array().unwrap().len() >= 3, "{whole}");
}

#[test]
fn more_rows_than_a_chunk_are_predicted_row_by_row_alike() {
    let test = fitted("");
    // Two chunks of a text file, and a part of a third.
    let few = loans(400);
    let (head, rows) = few.split_once('\n').unwrap();
    test.write("many.csv", &format!("{head}\n{}", rows.repeat(700)));
    test.expect(0, "predict model.json loans.csv --out few.csv");
    let said = test.json("predict model.json many.csv --out many-scored.csv --json");
    assert_eq!(said["rows"], 280_000);
    let (expected, found) = (test.read("few.csv"), test.read("many-scored.csv"));
    let expected: Vec<&str> = expected.lines().skip(1).collect();
    for (at, line) in found.lines().skip(1).enumerate() {
        assert_eq!(line, expected[at % 400], "row {at}");
    }
}

#[test]
fn an_error_in_a_late_row_is_told_with_its_row_and_leaves_nothing() {
    let test = fitted("");
    let few = loans(400);
    let (head, rows) = few.split_once('\n').unwrap();
    let last = rows.lines().last().unwrap();
    let income = last.split(',').nth(1).unwrap();
    let wrong = last.replacen(&format!(",{income},"), ",much,", 1);
    test.write("many.csv", &format!("{head}\n{}{wrong}\n", rows.repeat(400)));
    let before: Vec<_> = fs::read_dir(test.path("")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    let said = test.run("predict model.json many.csv --out scored.parquet");
    assert!(said.contains("row 160002: `much` is not a number"), "{said}");
    let after: Vec<_> = fs::read_dir(test.path("")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(before.len(), after.len(), "{after:?}");
    // A file that has other columns is named, and so is one without any row.
    cut(&test);
    test.write("people/part-9.csv", "income,history\n5,good\n");
    let said = test.run("predict model.json people --out scored.csv");
    assert!(said.starts_with("exit code 2") && said.contains("part-9.csv"), "{said}");
    test.write("none.csv", &format!("{head}\n"));
    let said = test.run("predict model.json none.csv --out scored.csv");
    assert!(said.starts_with("exit code 2") && said.contains("none.csv"), "{said}");
    assert!(!test.path("scored.csv").exists());
}

//! Files without names, and what columns were read as.

use crate::support::{CliTest, snapshot};

const NAMES: &str = "id,income,history,sex,age,region,approved";
const ASKED: &str = "--label approved --positive yes --ignore id --group sex --notion demographic-parity";

/// The loans without their first line.
fn headerless() -> CliTest {
    let test = CliTest::new();
    let rows = test.read("loans.csv").split_once('\n').unwrap().1.to_owned();
    test.write("rows.csv", &rows);
    test
}

#[test]
fn names_for_a_file_without_a_header_are_given_in_every_command() {
    let test = headerless();
    let columns = format!("--columns {NAMES}");
    let with_header = test.json(&format!("fit loans.csv {ASKED} --json --model named.json"));
    let without = test.json(&format!("fit rows.csv {ASKED} {columns} --json --model model.json"));
    assert_eq!(with_header["multipliers"], without["multipliers"]);
    let audit = "--label approved --positive yes --ignore id --group sex --json";
    let audits =
        ["loans.csv".to_owned(), format!("rows.csv {columns}")].map(|file| test.json(&format!("audit {file} {audit}")));
    assert_eq!(audits[0], audits[1]);
    // A model that was fitted to a file with names takes one without, and the other way round what it was fitted to is known.
    test.expect(0, &format!("predict named.json rows.csv {columns} --out scored.csv"));
    test.expect(0, "predict model.json rows.csv --out again.csv");
    test.expect(0, "predict named.json loans.csv --out usual.csv");
    assert_eq!(test.read("scored.csv"), test.read("usual.csv"));
    assert_eq!(test.read("again.csv"), test.read("usual.csv"));
    for command in ["evaluate", "verify"] {
        let named = test.expect(0, &format!("{command} named.json loans.csv")).stdout;
        assert_eq!(test.expect(0, &format!("{command} named.json rows.csv {columns}")).stdout, named, "{command}");
    }
}

#[test]
fn another_number_of_names_is_refused() {
    snapshot!(headerless(), &format!("fit rows.csv {ASKED} --columns id,income,history"));
}

#[test]
fn without_a_correction_there_is_no_before_and_after() {
    snapshot!(CliTest::new(), &format!("fit loans.csv {ASKED} --method unconstrained --holdout 0.3"));
}

//! Columns that are only carried along, what a model was read with, and values that numbers do not hold.

use crate::support::{CliTest, each_line};

const FIT: &str = "fit loans.csv --label approved --ignore id --group sex --notion demographic-parity";

/// Numbers that `f64` would spell otherwise, an empty field, and a text that means missing.
const ODD: &str = "id,income,history,sex,age,region\n\
    00502,0055,good,female,30.0,r1\n\
    12345678901234567890,5.50e1,?,male,,r2\n\
    7,?,NA,male,+41,r0\n";

#[track_caller]
fn assert_carried(before: &str, after: &str, delimiter: char) {
    assert_eq!(before.lines().count(), after.lines().count(), "{after}");
    for (before, after) in before.lines().zip(after.lines()) {
        assert!(after.starts_with(&format!("{before}{delimiter}")), "{before}\n{after}");
    }
}

#[test]
fn fields_of_a_text_file_come_out_to_the_letter() {
    let test = CliTest::new();
    test.expect(0, &format!("{FIT} --missing ? --model model.json"));
    test.write("new.csv", ODD);
    test.expect(0, "predict model.json new.csv --out scored.csv");
    assert_carried(ODD, &test.read("scored.csv"), ',');
    let tabs = ODD.replace(',', "\t");
    test.write("new.tsv", &tabs);
    test.expect(0, "predict model.json new.tsv --out scored.tsv");
    assert_carried(&tabs, &test.read("scored.tsv"), '\t');
}

/// A file with columns that the model does not use, spelled in all the ways that files are.
const SPELLED: &str = " id , income,history,\"se\"\"x\",sex,age,region,day,flag\n\
    9007199254740993, 55 ,good,\"a, b\",female,30,r1,2024-02-29,true\n\
    9007199254740992,51,good,  \"x,male,41,r2,1999-12-31,\n";

#[test]
fn carried_columns_come_out_as_they_went_in_in_every_format() {
    let test = CliTest::new();
    test.expect(0, &format!("{FIT} --model model.json"));
    test.write("new.csv", SPELLED);
    test.expect(0, "predict model.json new.csv --out scored.csv");
    assert_carried(SPELLED, &test.read("scored.csv"), ',');
    // Through typed files, and back to text: nothing is lost on the way.
    for format in ["parquet", "arrow"] {
        test.expect(0, &format!("predict model.json new.csv --out scored.{format}"));
        test.expect(
            0,
            &format!("predict model.json scored.{format} --ignore probability --ignore decision --out again.{format}"),
        );
        test.expect(
            0,
            &format!("predict model.json again.{format} --ignore probability --ignore decision --out back.csv"),
        );
        let back = test.read("back.csv");
        let ids: Vec<&str> = back.lines().skip(1).map(|line| line.split(',').next().unwrap()).collect();
        assert_eq!(ids, ["9007199254740993", "9007199254740992"], "{format}");
        assert!(back.contains("\"a, b\",female,30,r1,2024-02-29,true,"), "{back}");
    }
}

#[test]
fn what_training_read_as_missing_is_missing_to_the_model() {
    let test = CliTest::new();
    test.expect(0, &format!("{FIT} --model model.json"));
    test.write("new.csv", "income,history,sex,age,region\n55,?,female,30,r1\n");
    let unseen = test.json("predict model.json new.csv --out scored.csv --json");
    assert_eq!(unseen["warnings"][0]["code"], "unseen-categories");
    let said = test.json("predict model.json new.csv --missing ? --out scored.csv --json");
    assert_eq!(said["warnings"][0]["example"], "(missing)");
    test.write("blank.csv", "income,history,sex,age,region\n55,GOOD ,female,30,r1\n");
    let near = test.json("predict model.json blank.csv --out scored.csv --json");
    let codes: Vec<&str> = near["warnings"].as_array().unwrap().iter().filter_map(|one| one["code"].as_str()).collect();
    assert_eq!(codes, ["unseen-categories", "nearly-known"], "{near}");
    assert_eq!((&near["warnings"][1]["found"], &near["warnings"][1]["known"]), (&"GOOD".into(), &"good".into()));
}

#[test]
fn what_a_model_was_read_with_needs_no_option_again() {
    let test = CliTest::new();
    // Texts that mean missing, numbers that are categories, another delimiter: none of them is to be told from the file alone.
    let marked = each_line(&test.read("loans.csv"), |at, line| {
        let line = if at % 7 == 3 { line.replace(",good,", ",?,") } else { line.to_owned() };
        line.replace(',', "|")
    });
    test.write("marked.csv", &marked);
    let fit = FIT.replace("loans.csv", "marked.csv");
    test.expect(0, &format!("{fit} --missing ? --categorical age --delimiter '|' --model model.json"));
    test.expect(0, "verify model.json marked.csv");
    test.write("new.csv", "income|history|sex|age|region\n55|?|female|30|r1\n");
    let predicted = test.json("predict model.json new.csv --out scored.csv --json");
    let also = test.json("predict model.json new.csv --missing ? --delimiter '|' --out again.csv --json");
    assert_eq!(predicted["warnings"], also["warnings"]);
    assert_eq!(predicted["warnings"], serde_json::json!([]), "{predicted}");
    assert_eq!(test.read("scored.csv"), test.read("again.csv"));
}

#[test]
fn group_codes_beyond_doubles_do_not_merge() {
    let test = CliTest::new();
    let coded = each_line(&test.read("loans.csv"), |at, line| match at {
        0 => format!("{line},code"),
        _ => format!("{line},{}", if line.contains(",female,") { "9007199254740992" } else { "9007199254740993" }),
    });
    test.write("coded.csv", &coded);
    let audit = "audit coded.csv --label approved --group code";
    let output = String::from_utf8(test.expect(2, audit).stderr).unwrap();
    assert!(output.contains("`9007199254740993` has more digits than a number keeps here"), "{output}");
    assert!(output.contains("give --categorical 'code'"), "{output}");
    let found = test.json(&format!("{audit} --categorical code --json"));
    assert!(found.to_string().contains("code=9007199254740993"), "{found}");
}

#[test]
fn numbers_of_any_size_are_no_less_of_a_column() {
    let test = CliTest::new();
    let loans = test.read("loans.csv");
    let fit = |name: &str, exponent: &str| {
        let scaled = each_line(&loans, |at, line| {
            let mut fields: Vec<String> = line.split(',').map(str::to_owned).collect();
            if at > 0 {
                fields[1] = format!("{}{exponent}", fields[1]);
            }
            fields.join(",")
        });
        test.write(name, &scaled);
        test.json(&format!("{} --json", FIT.replace("loans.csv", name)))["train"]["error"].as_f64().unwrap()
    };
    let usual = fit("usual.csv", "");
    for (name, exponent) in [("large.csv", "e160"), ("small.csv", "e-170")] {
        assert!((fit(name, exponent) - usual).abs() < 1e-9, "{exponent}");
    }
}

#[cfg(unix)]
#[test]
fn rows_may_come_through_a_pipe() {
    let test = CliTest::new();
    test.expect(0, &format!("{FIT} --missing ? --model model.json"));
    test.write("new.csv", ODD);
    let piped = "cat new.csv | \"$0\" predict model.json /dev/stdin --out scored.csv";
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", piped, env!("CARGO_BIN_EXE_evenhand")]).current_dir(test.path(""));
    let output = shell.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_carried(ODD, &test.read("scored.csv"), ',');
}

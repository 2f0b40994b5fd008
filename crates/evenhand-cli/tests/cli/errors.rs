//! Input that cannot be used, and input that can but should be reported.

use evenhand::{Column, ReadOptions, Table};

use crate::support::{CliTest, each_line, snapshot};

const FIT: &str = "fit loans.csv --label approved --ignore id --group sex --notion demographic-parity";

/// Loans with one value replaced: a line of the file, from 1, and a column, from 0.
fn with_value(line: usize, column: usize, value: &str) -> CliTest {
    let test = CliTest::new();
    let csv = each_line(&test.read("loans.csv"), |at, text| {
        let mut fields: Vec<&str> = text.split(',').collect();
        if at + 1 == line {
            fields[column] = value;
        }
        fields.join(",")
    });
    test.write("loans.csv", &csv);
    test
}

#[test]
fn a_file_that_is_not_there() {
    snapshot!(CliTest::new(), &FIT.replace("loans.csv", "nowhere.csv"));
}

#[test]
fn an_error_as_json() {
    snapshot!(CliTest::new(), &FIT.replace("loans.csv", "nowhere.csv --json"));
}

#[test]
fn a_wrong_column_with_the_nearest_name() {
    snapshot!(CliTest::new(), &FIT.replace("approved", "Aproved"));
}

#[test]
fn a_wrong_group_column() {
    snapshot!(CliTest::new(), &format!("{FIT} --group religion"));
}

#[test]
fn a_wrong_weight_column() {
    snapshot!(CliTest::new(), &format!("{FIT} --weight heft"));
}

#[test]
fn an_ignored_column_that_is_not_there() {
    snapshot!(CliTest::new(), &format!("{FIT} --ignore number"));
}

#[test]
fn an_unknown_positive_value() {
    snapshot!(CliTest::new(), &format!("{FIT} --positive ja"));
}

#[test]
fn a_positive_value_that_must_be_said() {
    snapshot!(CliTest::new(), &FIT.replace("--label approved", "--label sex").replace("--group sex", "--group region"));
}

#[test]
fn labels_of_one_class() {
    let test = CliTest::new();
    test.write("loans.csv", &test.read("loans.csv").replace(",yes\n", ",no\n"));
    snapshot!(test, FIT);
}

#[test]
fn a_missing_label() {
    snapshot!(with_value(5, 6, ""), FIT);
}

#[test]
fn labels_that_are_numbers() {
    let test = CliTest::new();
    let csv = each_line(&test.read("loans.csv"), |at, line| {
        format!("{line},{}", if at == 0 { "price".into() } else { format!("{at}.5") })
    });
    let many: String =
        std::iter::once(csv).chain((0..1000).map(|at| format!("x,1,bad,male,20,r1,no,{at}\n"))).collect();
    test.write("loans.csv", &many);
    snapshot!(test, &FIT.replace("--label approved", "--label price"));
}

#[test]
fn an_empty_group() {
    snapshot!(CliTest::new(), &format!("{FIT} --group 'age<=10'"));
}

#[test]
fn an_unknown_group_value() {
    snapshot!(CliTest::new(), &format!("{FIT} --group region=r1,r9"));
}

#[test]
fn a_group_that_cannot_be_read() {
    snapshot!(CliTest::new(), &format!("{FIT} --group 'age<=old'"));
}

#[test]
fn joined_values_that_are_missing_unknown_or_repeat() {
    let test = CliTest::new();
    for (group, sentence) in [
        ("region=r1|", "group `region=r1|`: a value is missing"),
        ("region=r1|r9", "column `region` has no value `r9`"),
        ("region=r1|r1", "`region=r1` is named twice in one group"),
        ("region=r1|r2,r2", "`region=r2` is in two groups of one list; give groups that overlap one by one"),
        ("region|sex", "`|` joins values, after `=`"),
    ] {
        let output = test.expect(2, &format!("{FIT} --group '{group}'"));
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains(sentence), "{group}: {said}");
    }
}

#[test]
fn a_group_given_twice() {
    snapshot!(CliTest::new(), &format!("{FIT} --group sex"));
}

#[test]
fn a_notion_without_groups() {
    snapshot!(CliTest::new(), "fit loans.csv --label approved --notion demographic-parity");
}

#[test]
fn an_unknown_notion() {
    snapshot!(CliTest::new(), &format!("{FIT} --notion evenness"));
}

#[test]
fn a_constant_column_is_told_and_fitted() {
    let test = CliTest::new();
    let csv =
        each_line(&test.read("loans.csv"), |at, line| format!("{line},{}", if at == 0 { "country" } else { "x" }));
    test.write("loans.csv", &csv);
    snapshot!(test, &format!("{FIT} --max-fits 3"));
}

#[test]
fn missing_numbers_are_told_and_fitted() {
    snapshot!(with_value(9, 1, "NaN"), &format!("{FIT} --max-fits 3"));
}

#[test]
fn an_infinite_number() {
    snapshot!(with_value(9, 1, "inf"), FIT);
}

#[test]
fn an_infinite_number_in_a_typed_file() {
    let test = CliTest::new();
    let (mut table, _) = Table::read(&test.path("loans.csv"), &ReadOptions::default()).unwrap();
    let values = (0..table.rows()).map(|row| if row == 6 { f64::INFINITY } else { row as f64 }).collect();
    table.set("income", Column::Numeric(values)).unwrap();
    table.write(&test.path("loans.parquet")).unwrap();
    snapshot!(test, &FIT.replace(".csv", ".parquet"));
}

#[test]
fn an_infinite_number_read_as_missing() {
    with_value(9, 1, "inf").expect(0, &format!("{FIT} --missing inf"));
}

#[test]
fn a_text_among_numbers() {
    snapshot!(with_value(9, 1, "plenty"), &format!("{FIT} --numeric income"));
}

#[test]
fn a_negative_weight() {
    snapshot!(with_value(9, 4, "-3"), &format!("{FIT} --weight age"));
}

#[test]
fn an_empty_file_and_a_header_alone() {
    let test = CliTest::new();
    test.write("loans.csv", "");
    snapshot!(test, FIT);
    test.write("loans.csv", "income,sex,approved\n");
    snapshot!(test, &FIT.replace("--ignore id", ""));
}

#[test]
fn no_feature_is_left() {
    let test = CliTest::new();
    test.write("loans.csv", "sex,approved\nf,yes\nm,no\nf,no\n");
    snapshot!(test, &FIT.replace("--ignore id", "--withhold sex"));
}

#[test]
fn an_output_folder_that_is_not_there() {
    snapshot!(CliTest::new(), &format!("{FIT} --model deep/down/model.json"));
}

#[test]
fn an_output_that_is_the_input() {
    let test = CliTest::new();
    snapshot!(test, &format!("{FIT} --weights ./loans.csv"));
    test.expect(0, &format!("{FIT} --model model.json"));
    snapshot!(test, "predict model.json loans.csv --out loans.csv");
}

#[test]
fn test_rows_with_a_class_that_training_never_saw() {
    let test = CliTest::new();
    test.write("later.csv", &test.read("loans.csv").replacen(",yes\n", ",perhaps\n", 1));
    snapshot!(test, &format!("{FIT} --test later.csv"));
}

#[test]
fn a_holdout_too_small_to_hold_a_row() {
    snapshot!(CliTest::new(), &format!("{FIT} --holdout 0.0001"));
}

/// Rows as people type them: a group and a label in two spellings, amounts with and without separators.
fn as_typed(test: &CliTest) {
    let row = |row: usize| {
        let sex = ["F", "M", "f", "M"][row % 4];
        let amount = if row.is_multiple_of(7) { format!("\"{},500\"", 1 + row) } else { format!("{}", 1_000 + row) };
        let label = ["Y", "N", "N", "y", "Y"][row % 5];
        format!("{sex},{amount},{},{label}\n", row * 37 % 101)
    };
    test.write("typed.csv", &("sex,amount,x,label\n".to_owned() + &(0..300).map(row).collect::<String>()));
}

#[test]
fn values_that_nobody_cleaned_are_told_with_what_to_do() {
    let test = CliTest::new();
    as_typed(&test);
    let output = test.run("audit typed.csv --label label --positive Y --group sex");
    for said in [
        "column `sex`: values that differ by blanks or capitals alone are different values: `F` and `f`",
        "column `label`: values that differ by blanks or capitals alone are different values: `Y` and `y`",
        "column `amount`, row 2: `1,500`, `8,500`, `15,500` and 40 other texts in 43 rows among 257 numbers",
    ] {
        assert!(output.contains(said), "{output}");
    }
    let output = test.run("fit typed.csv --label label --group sex --notion demographic-parity --max-fits 3 --quiet");
    for advice in ["spell them alike if they mean the same", "write numbers without separators, units and other signs"]
    {
        assert!(output.contains(advice), "{output}");
    }
}

#[test]
fn too_many_features_for_standard_errors_name_the_column() {
    let test = CliTest::new();
    let row = |row: usize| format!("name {row},{},{}\n", ["f", "m"][row % 2], ["no", "yes"][row * 7 % 5 % 2]);
    test.write("wide.csv", &("name,sex,label\n".to_owned() + &(0..1_600).map(row).collect::<String>()));
    let output = test.run("identify wide.csv --label label --group sex");
    assert!(output.contains("at most 1499; column `name` alone makes 1600 of them"), "{output}");
    assert!(output.contains("hint: give --ignore 'name'"), "{output}");
}

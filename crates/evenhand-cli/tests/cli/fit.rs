//! `evenhand fit` and `evenhand predict`, from a file to a scored file.

use evenhand::{Column, ReadOptions, Table};

use crate::support::{CliTest, each_line, loans, snapshot};

const FIT: &str = "fit loans.csv --label approved --ignore id --group sex --notion demographic-parity";

#[test]
fn before_and_after_are_shown() {
    snapshot!(CliTest::new(), &format!("{FIT} --group 'age<=30' --holdout 0.3 --seed 7"));
}

#[test]
fn without_test_rows_there_are_two_columns() {
    snapshot!(CliTest::new(), &format!("{FIT} --max-violation 0.02"));
}

#[test]
fn a_search_that_stops_for_the_cost_says_what_going_on_costs() {
    let test = CliTest::new();
    let costly = FIT.replace("demographic-parity", "equalized-odds --group history");
    // No failure: the exit code is 0.
    snapshot!(test, &format!("{costly} --report report.txt"));
    let report = test.read("report.txt");
    assert!(report.contains("The search stopped for the cost: going on to a violation of "), "{report}");
    let json = test.json(&format!("{costly} --model model.json --json"));
    assert_eq!(json["stop"], "too-costly");
    let (cost, violation) = (json["trade_off"]["cost"].as_f64(), json["trade_off"]["violation"].as_f64());
    assert!(cost > Some(0.0) && violation < json["train"]["violation"].as_f64(), "{json}");
    let model: serde_json::Value = serde_json::from_str(&test.read("model.json")).unwrap();
    assert_eq!(model["model"]["trade_off"], json["trade_off"]);
    assert!(test.json(&format!("{FIT} --json"))["trade_off"].is_null());
}

#[test]
fn groups_of_a_few_rows_are_tested_but_not_searched_for() {
    let test = CliTest::new();
    let rare = format!("{FIT} --group 'age>58' --max-violation 0.05");
    // 73 rows.
    snapshot!(test, &format!("{rare} --min-group 90"));
    let codes = |options: &str| -> Vec<String> {
        let json = test.json(&format!("{rare} {options} --json"));
        json["warnings"].as_array().unwrap().iter().map(|one| one["code"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(codes(""), [""; 0]);
    assert_eq!(codes("--min-group 90"), ["notable-change", "not-searched"]);
}

#[test]
fn json_has_the_promised_keys() {
    snapshot!(CliTest::new(), &format!("{FIT} --holdout 0.3 --seed 7 --json"));
}

#[test]
fn text_and_json_have_the_same_numbers() {
    let test = CliTest::new();
    let json = test.json(&format!("{FIT} --json"));
    let text = test.run(FIT);
    for part in [&json["uncorrected"]["train"], &json["train"]] {
        assert!(text.contains(&format!("{:.4}", part["violation"].as_f64().unwrap())), "{text}");
        assert!(text.contains(&format!("{:.1} %", part["error"].as_f64().unwrap() * 100.0)), "{text}");
    }
}

#[test]
fn a_correction_lowers_the_violation() {
    let json = CliTest::new().json(&format!("{FIT} --json"));
    let violation = |part: &serde_json::Value| part["violation"].as_f64().unwrap();
    assert!(violation(&json["train"]) < 0.02 && violation(&json["uncorrected"]["train"]) > 0.1, "{json}");
}

#[test]
fn a_bound_that_is_not_met_on_test_rows_exits_with_1() {
    let test = CliTest::new();
    let command = format!("{FIT} --preset paper --loops 1 --holdout 0.3 --max-violation 0.001");
    let output = test.expect(1, &command);
    let output = String::from_utf8(output.stderr).unwrap();
    assert!(output.contains("bound not met: max-violation 0.001 on test rows: measured 0."), "{output}");
    let json: serde_json::Value = serde_json::from_slice(&test.expect(1, &format!("{command} --json")).stdout).unwrap();
    let tested = &json["bounds"][0];
    assert_eq!((&tested["rows"], &tested["bound"]["max-violation"]), (&"test".into(), &0.001.into()));
    assert_eq!((&tested["value"], &tested["row_count"]), (&json["test"]["violation"], &120.into()));
    test.expect(0, &format!("{FIT} --max-violation 0.5"));
}

#[test]
fn every_bound_gets_a_verdict() {
    let bounds = "--max-violation 0.001 --max-difference 0.4 --min-ratio 0.2";
    snapshot!(CliTest::new(), &format!("{FIT} --preset paper --loops 1 --holdout 0.5 {bounds}"));
}

#[test]
fn too_few_rows_to_tell_is_a_note_and_more_confidence_needs_more_rows() {
    let test = CliTest::new();
    let command = format!("{FIT} --max-difference 0.1");
    let output = test.expect(0, &command);
    let (text, output) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert!(text.contains("max-difference 0.1 on training rows: too few rows to tell (0."), "{text}");
    assert!(text.contains("at 95 % confidence); new rows may differ"), "{text}");
    assert!(output.contains("note: max-difference 0.1 on training rows: too few rows to tell"), "{output}");
    let width = |confidence: &str| {
        let json = test.json(&format!("{command} --confidence {confidence} --json"));
        json["bounds"][0]["high"].as_f64().unwrap() - json["bounds"][0]["low"].as_f64().unwrap()
    };
    assert!(width("0.6") < width("0.999"));
}

#[test]
fn a_bound_between_groups_needs_two_of_them() {
    let test = CliTest::new();
    let alone = FIT.replace("--group sex", "--group sex=female");
    let output = String::from_utf8(test.expect(2, &format!("{alone} --min-ratio 0.8")).stderr).unwrap();
    assert!(output.contains("min-ratio compares groups, and no notion has two that can be compared"), "{output}");
}

#[test]
fn a_model_keeps_its_verdicts() {
    let test = CliTest::new();
    test.expect(0, &format!("{FIT} --max-violation 0.5 --model model.json"));
    let model: serde_json::Value = serde_json::from_str(&test.read("model.json")).unwrap();
    assert_eq!(model["model"]["bound_tests"][0]["verdict"], "met");
}

#[test]
fn a_bound_is_not_met_where_test_rows_cannot_tell() {
    let test = CliTest::new();
    let loans = test.read("loans.csv");
    let men = loans.lines().filter(|line| !line.contains(",female,")).map(|line| line.to_owned() + "\n");
    test.write("men.csv", &men.collect::<String>());
    let command = format!("{FIT} --test men.csv --max-violation 1");
    let output = String::from_utf8(test.expect(1, &command).stderr).unwrap();
    let warning = "warning (test rows): could not be measured, for lack of rows: `demographic-parity sex=female`";
    assert!(output.contains(warning), "{output}");
    assert!(
        output.contains("cannot tell whether it is met: max-violation 1 on test rows: no rows to measure `demographic-parity sex=female`"),
        "{output}"
    );
    let json: serde_json::Value = serde_json::from_slice(&test.expect(1, &format!("{command} --json")).stdout).unwrap();
    assert_eq!(json["bounds"][0]["verdict"], "cannot-tell");
    assert_eq!(json["bounds"][0]["unmeasured"], serde_json::json!(["demographic-parity sex=female"]));
    test.expect(0, &format!("{FIT} --test men.csv"));
}

#[test]
fn a_violation_that_nothing_tells_is_a_dash() {
    let test = CliTest::new();
    let loans = test.read("loans.csv");
    let nobody = each_line(&loans, |_, line| line.replace(",female,", ",,").replace(",male,", ",,"));
    test.write("nobody.csv", &nobody);
    let command = format!("{FIT} --test nobody.csv --max-violation 1");
    let text = String::from_utf8(test.expect(1, &command).stdout).unwrap();
    let line = text.lines().find(|line| line.starts_with("violation ")).unwrap();
    assert!(line.trim_end().ends_with('-'), "{text}");
    let json: serde_json::Value = serde_json::from_slice(&test.expect(1, &format!("{command} --json")).stdout).unwrap();
    assert_eq!((&json["test"]["violation"], &json["bounds"][0]["value"]), (&().into(), &().into()));
}

#[test]
fn a_seed_of_sampling_goes_with_sampling() {
    let test = CliTest::new();
    let output = test.expect(2, &format!("{FIT} --sampling-seed 3 --json"));
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["error"]["code"], "usage");
    let output = String::from_utf8(output.stderr).unwrap();
    assert!(output.contains("--sampling-seed goes with --technique sampling"), "{output}");
    test.expect(2, &format!("{FIT} --sampling-seed 0 --technique weighting"));
    test.expect(0, &format!("{FIT} --sampling-seed 3 --technique sampling --max-fits 2"));
}

#[test]
fn a_model_predicts_and_verifies_in_every_format() {
    let test = CliTest::new();
    for extension in ["parquet", "arrow", "tsv"] {
        test.convert("loans.csv", &format!("loans.{extension}"));
    }
    test.expect(0, &format!("{FIT} --holdout 0.3 --model model.json"));
    let mut scored = Vec::new();
    for extension in ["csv", "parquet", "arrow", "tsv"] {
        test.expect(0, &format!("predict model.json loans.{extension} --out scored.{extension}"));
        test.expect(0, &format!("verify model.json loans.{extension}"));
        let (table, _) = Table::read(&test.path(&format!("scored.{extension}")), &ReadOptions::default()).unwrap();
        let Some(Column::Numeric(probabilities)) = table.get("probability") else { panic!("{extension}") };
        scored.push(probabilities.clone());
    }
    assert!(scored.iter().all(|one| *one == scored[0]));
}

#[test]
fn parquet_is_fitted_like_csv() {
    let test = CliTest::new();
    test.convert("loans.csv", "loans.parquet");
    let csv = test.json(&format!("{FIT} --json"));
    let parquet = test.json(&format!("{} --json", FIT.replace(".csv", ".parquet")));
    assert_eq!((&csv["train"], &csv["multipliers"]), (&parquet["train"], &parquet["multipliers"]));
}

#[test]
fn predictions_are_added_to_all_columns_as_they_were() {
    let test = CliTest::new();
    test.expect(0, &format!("{FIT} --model model.json"));
    snapshot!(test, "predict model.json loans.csv --out scored.csv");
    let (before, after) = (test.read("loans.csv"), test.read("scored.csv"));
    for (before, after) in before.lines().zip(after.lines()) {
        assert!(after.starts_with(&format!("{before},")), "{before}\n{after}");
    }
    assert!(after.lines().next().unwrap().ends_with(",approved,probability,decision"));
}

#[test]
fn columns_of_a_typed_file_keep_their_types() {
    let test = CliTest::new();
    test.convert("loans.csv", "loans.parquet");
    test.expect(0, &format!("{FIT} --model model.json"));
    test.expect(0, "predict model.json loans.parquet --out scored.parquet");
    let (scored, _) = Table::read(&test.path("scored.parquet"), &ReadOptions::default()).unwrap();
    let kinds: Vec<&str> = ["id", "income", "history"].iter().map(|name| scored.column(name).unwrap().kind()).collect();
    assert_eq!(kinds, ["categorical", "numeric", "categorical"]);
}

#[test]
fn predictions_are_reported_as_json() {
    let test = CliTest::new();
    test.expect(0, &format!("{FIT} --model model.json"));
    snapshot!(test, "predict model.json loans.csv --out scored.csv --json");
}

#[test]
fn labels_and_ignored_columns_are_not_needed_and_new_things_are_told() {
    let test = CliTest::new();
    test.expect(0, &format!("{FIT} --model model.json"));
    let new = "age,region,sex,history,income,extra\n30,r9,female,good,55,x\n41,r1,male,,,y\n";
    test.write("new.csv", new);
    snapshot!(test, "predict model.json new.csv --out scored.csv");
}

#[test]
fn columns_keep_the_kind_they_had_in_training() {
    let test = CliTest::new();
    let numbered = test.read("loans.csv").replace(",r", ",").replace("egion", "region");
    test.write("loans.csv", &numbered);
    test.expect(0, &format!("{FIT} --categorical region --model model.json"));
    test.expect(0, "verify model.json loans.csv");
    test.write("new.csv", "age,region,sex,history,income\n30,1,female,good,55\n");
    let json = test.json("predict model.json new.csv --out scored.csv --json");
    assert_eq!(json["warnings"], serde_json::json!([]));
}

#[test]
fn a_lost_column_is_told() {
    let test = CliTest::new();
    test.expect(0, &format!("{FIT} --model model.json"));
    test.write("new.csv", "age,sex\n30,female\n");
    snapshot!(test, "predict model.json new.csv --out scored.csv");
}

#[test]
fn a_column_of_that_name_is_not_replaced() {
    let test = CliTest::new();
    test.expect(0, &format!("{FIT} --model model.json"));
    test.expect(0, "predict model.json loans.csv --out scored.csv");
    snapshot!(test, "predict model.json scored.csv --out again.csv");
    test.expect(0, "predict model.json scored.csv --out again.csv --ignore probability --ignore decision");
}

#[test]
fn three_classes_are_fitted_and_predicted() {
    let test = CliTest::new();
    let graded = each_line(&test.read("loans.csv"), |at, line| {
        let income: u32 = line.split(',').nth(1).and_then(|income| income.parse().ok()).unwrap_or(0);
        let grade = ["low", "middle", "top"][(income as usize + at % 17).saturating_sub(20).min(80) / 27];
        format!("{},{}", line.rsplit_once(',').unwrap().0, if at == 0 { "grade" } else { grade })
    });
    test.write("graded.csv", &graded);
    let fit = "fit graded.csv --label grade --ignore id --group sex --notion demographic-parity";
    snapshot!(test, &format!("{fit} --model model.json"));
    test.expect(0, "predict model.json graded.csv --out scored.csv");
    let header = test.read("scored.csv").lines().next().unwrap().to_owned();
    assert!(header.ends_with("grade,probability_low,probability_middle,probability_top,decision"), "{header}");
    test.expect(0, "verify model.json graded.csv");
}

#[test]
fn a_weight_of_two_is_a_repeated_row() {
    let test = CliTest::new();
    let loans = test.read("loans.csv");
    let weighted = each_line(&loans, |at, line| match at {
        0 => format!("{line},times"),
        _ => format!("{line},{}", if at % 3 == 0 { 2 } else { 1 }),
    });
    let repeated: String = loans
        .lines()
        .enumerate()
        .flat_map(|(at, line)| vec![format!("{line}\n"); if at > 0 && at % 3 == 0 { 2 } else { 1 }])
        .collect();
    test.write("weighted.csv", &weighted);
    test.write("repeated.csv", &repeated);
    // Weights are relative: the penalty is that of 400 rows, and of 533 where 133 are repeated.
    let fit = FIT.replace("loans", "weighted");
    let weighted = test.json(&format!("{fit} --weight times --l2 {} --preset paper --loops 3 --json", 400.0 / 533.0));
    let repeated = test.json(&format!("{} --preset paper --loops 3 --json", FIT.replace("loans", "repeated")));
    let error = |json: &serde_json::Value| json["train"]["error"].as_f64().unwrap();
    assert!((error(&weighted) - error(&repeated)).abs() < 1e-12);
    assert_eq!(weighted["train"]["rows"], 400);
}

#[test]
fn weights_in_any_unit_give_the_same_model() {
    let test = CliTest::new();
    let loans = test.read("loans.csv");
    // Weights that add up to 1, weights whose sum overflows, and none: all of them equal.
    for (name, weight) in [("one.csv", "0.0025"), ("huge.csv", "1e308"), ("plain.csv", "1")] {
        test.write(name, &each_line(&loans, |at, line| format!("{line},{}", if at == 0 { "w" } else { weight })));
    }
    let fit = |name: &str| {
        let fit = FIT.replace("loans.csv", name);
        let mut json = test.json(&format!("{fit} --weight w --max-violation 0.05 --json"));
        json.as_object_mut().unwrap().retain(|key, _| ["multipliers", "train", "bounds"].contains(&key.as_str()));
        json
    };
    assert_eq!(fit("one.csv"), fit("plain.csv"));
    assert_eq!(fit("huge.csv"), fit("plain.csv"));
    let audit = |name: &str| test.json(&format!("audit {name} --label approved --group sex --weight w --json"));
    assert_eq!(audit("huge.csv"), audit("plain.csv"));
}

#[test]
fn weights_and_loops_are_written() {
    let test = CliTest::new();
    test.expect(
        0,
        &format!("{FIT} --holdout 0.25 --preset paper --loops 3 --weights weights.parquet --trace trace.csv"),
    );
    let (weights, _) = Table::read(&test.path("weights.parquet"), &ReadOptions::default()).unwrap();
    assert_eq!((weights.names(), weights.rows()), (&["row".to_owned(), "weight".to_owned()][..], 300));
    let Some(Column::Numeric(values)) = weights.get("weight") else { panic!() };
    assert!(values.iter().all(|&weight| weight > 0.0 && weight < 1.0));
    let trace = test.read("trace.csv");
    let header = "iteration,violation,error,loss,seconds,\
        multiplier: demographic-parity sex=female,multiplier: demographic-parity sex=male,\
        violation: demographic-parity sex=female,violation: demographic-parity sex=male";
    assert_eq!((trace.lines().next(), trace.lines().count()), (Some(header), 5));
    for line in trace.lines().skip(1) {
        let numbers: Vec<f64> = line.split(',').map(|number| number.parse().unwrap()).collect();
        let largest = numbers[7].abs().max(numbers[8].abs());
        assert!((numbers[1] - largest).abs() < 1e-12, "{line}");
    }
}

#[test]
fn presets_and_switches_reach_the_model() {
    let test = CliTest::new();
    let model = |options: &str| -> serde_json::Value {
        test.expect(0, &format!("{FIT} --model model.json {options}"));
        serde_json::from_str::<serde_json::Value>(&test.read("model.json")).unwrap()["model"].take()
    };
    let notebook = model("--preset notebook --loops 2");
    assert_eq!(notebook["settings"]["standardise"], false);
    assert_eq!(notebook["learner"]["settings"]["penalise_intercept"], true);
    assert_eq!(notebook["settings"]["solver"]["loop"]["rule"]["factor"], 2.0);
    let mixed = model(
        "--preset notebook --loops 2 --standardise --no-penalise-intercept --tilt centred --keep best --step 0.5",
    );
    assert_eq!(mixed["settings"]["standardise"], true);
    assert_eq!(mixed["learner"]["settings"]["penalise_intercept"], false);
    assert_eq!(mixed["settings"]["solver"]["loop"]["rule"]["tilt"], "centred");
    assert_eq!(mixed["settings"]["solver"]["loop"]["keep"], "best");
    assert_eq!(mixed["settings"]["solver"]["loop"]["step"], 0.5);
    let sqp = model("--range bounded --max-fits 5");
    assert_eq!(sqp["settings"]["solver"]["sqp"]["max_fits"], 5);
    assert_eq!(sqp["settings"]["solver"]["sqp"]["range"], "bounded");
    let sampled = model("--technique sampling --sampling-seed 3 --measure scores --withhold region --l2 0.5");
    assert_eq!(sampled["settings"]["technique"]["sampling"]["seed"], 3);
    assert_eq!(sampled["settings"]["measure"], "scores");
    assert_eq!(sampled["binding"]["withheld"][0], "region");
}

#[test]
fn what_belongs_to_another_way_of_finding_weights_is_refused() {
    let test = CliTest::new();
    for (options, message) in [
        ("--step 2", "`step` is given with the preset `default`"),
        ("--preset paper --max-fits 5", "`max_fits` is given with the loop of the paper"),
        ("--preset paper --min-group 5", "`min_group` is given with the loop of the paper"),
        ("--method reweighing --min-group 5", "`min_group` is given with the method reweighing"),
    ] {
        let output = String::from_utf8(test.expect(2, &format!("{FIT} {options}")).stderr).unwrap();
        assert!(output.contains(message) && output.contains("hint: "), "{output}");
    }
}

#[test]
fn a_model_does_not_depend_on_the_number_of_threads() {
    let test = CliTest::new();
    test.expect(0, &format!("{FIT} --threads 1 --model one.json"));
    test.expect(0, &format!("{FIT} --threads 2 --model two.json"));
    assert_eq!(test.read("one.json"), test.read("two.json"));
}

#[test]
fn a_test_file_is_read_like_the_training_file() {
    let test = CliTest::new();
    let loans = test.read("loans.csv");
    let lines: Vec<&str> = loans.lines().collect();
    test.write("train.csv", &(lines[..300].join("\n") + "\n"));
    // Another order of columns, no identifier, and few enough rows that a category is lost.
    let later: Vec<String> = std::iter::once(&lines[0])
        .chain(&lines[300..340])
        .map(|line| line.split(',').skip(1).collect::<Vec<_>>().into_iter().rev().collect::<Vec<_>>().join(","))
        .collect();
    test.write("later.csv", &(later.join("\n") + "\n"));
    let fit = FIT.replace("loans", "train");
    let json = test.json(&format!("{fit} --test later.csv --model model.json --json"));
    assert_eq!((&json["train"]["rows"], &json["test"]["rows"]), (&299.into(), &40.into()));
    snapshot!(test, "verify model.json train.csv");
}

#[test]
fn files_without_a_header_have_numbered_columns() {
    let test = CliTest::new();
    let bare: String = test.read("loans.csv").lines().skip(1).map(|line| line.replace(',', ";") + "\n").collect();
    test.write("bare.txt", &bare);
    let fit = "fit bare.txt --no-header --delimiter ; --label column_7 --group column_4 --ignore column_1";
    test.expect(0, &format!("{fit} --notion demographic-parity --model model.json"));
    test.expect(0, "verify model.json bare.txt");
    test.expect(0, "predict model.json bare.txt --out scored.csv");
}

#[test]
fn a_stray_text_among_numbers_is_told_with_its_row_and_what_to_do() {
    let test = CliTest::new();
    let stray = each_line(&loans(400), |at, line| {
        let mut fields: Vec<&str> = line.split(',').collect();
        if at == 7 {
            fields[1] = "?";
        }
        fields.join(",")
    });
    test.write("stray.csv", &stray);
    let command = "fit stray.csv --label approved --ignore id --group sex --notion demographic-parity";
    let output = test.run(command);
    assert!(
        output.contains("column `income`, row 8: `?` in 1 row among 399 numbers: taken as a column of categories"),
        "{output}"
    );
    assert!(
        output.contains("--missing '?' if it means a missing value, --categorical 'income' if categories are meant"),
        "{output}"
    );
    for silent in ["--missing ?", "--categorical income"] {
        let output = test.run(&format!("{command} {silent}"));
        assert!(!output.contains("taken as a column of categories"), "{output}");
    }
}

//! Rows that are not all in memory, by `--sample-rows`: the same commands, the same answers, and errors that say what, where and what to do.

use std::fs;

use serde_json::Value;

use crate::support::{CliTest, loans};

const ASKED: &str = "--label approved --ignore id --group sex --notion demographic-parity";
const MANY: &str = "--sample-rows 2000";

/// A folder `people` with loans in three files.
fn people() -> CliTest {
    let test = CliTest::new();
    let all = loans(9_000);
    let (header, rows) = all.split_once('\n').unwrap();
    let rows: Vec<&str> = rows.lines().collect();
    fs::create_dir(test.path("people")).unwrap();
    for (at, part) in rows.chunks(3_000).enumerate() {
        test.write(&format!("people/{at}.csv"), &format!("{header}\n{}\n", part.join("\n")));
    }
    test.write("all.csv", &all);
    test
}

fn is_in_chunks(json: &Value) -> bool {
    let sample = json["sample_rows"].as_u64();
    json["passes"].as_u64().is_some_and(|passes| passes > 2) && sample.is_some_and(|rows| rows > 1_000 && rows < 3_000)
}

#[test]
fn a_model_of_many_rows_is_verified_without_holding_them() {
    let test = people();
    let json = test.json(&format!("fit people {ASKED} {MANY} --max-violation 0.02 --model model.json --json"));
    assert!(is_in_chunks(&json), "{json}");
    let one = test.expect(0, "verify model.json people --memory 10kB --json");
    // All rows in one file, and in memory: the same words.
    let other = test.expect(0, "verify model.json all.csv --json");
    assert_eq!(one.stdout, other.stdout);
    let said = test.run("verify model.json people/*.csv");
    assert!(said.starts_with("exit code 0") && said.contains("matches      classifier"), "{said}");
    // A row that is another, and a file that is gone.
    let first = test.read("people/0.csv");
    test.write("people/0.csv", &first.replacen(",good,", ",bad,", 1));
    let json: Value = serde_json::from_slice(&test.expect(1, "verify model.json people --json").stdout).unwrap();
    assert_eq!((&json["matches"], &json["checks"][0]["matches"]), (&false.into(), &false.into()));
    fs::remove_file(test.path("people/0.csv")).unwrap();
    let said = test.run("verify model.json people");
    assert!(said.starts_with("exit code 1") && said.contains("6000 rows, the model came from 9000"), "{said}");
    let said = test.run("verify model.json nowhere/*.csv");
    assert!(said.starts_with("exit code 2") && said.contains("nowhere"), "{said}");
}

#[test]
fn a_frontier_of_many_rows_has_its_points_and_says_how_it_was_made() {
    let test = people();
    let json = test.json(&format!("frontier people {ASKED} {MANY} --points 4 --out points.csv --json"));
    assert!(is_in_chunks(&json), "{json}");
    let points = json["points"].as_array().unwrap();
    let violation = |point: &Value| point["train"]["violation"].as_f64().unwrap();
    assert!(points.len() >= 3 && violation(&points[0]) > 0.1 && violation(points.last().unwrap()) < 0.01, "{json}");
    assert_eq!(test.read("points.csv").lines().count(), points.len() + 1);
    let said = test.run(&format!("frontier people {ASKED} {MANY} --points 2"));
    assert!(said.contains(" passes over all rows after a search on "), "{said}");
    // What needs all rows in memory has them there.
    let json = test.json(&format!("frontier people {ASKED} {MANY} --points 2 --holdout 0.3 --json"));
    assert!(json.get("passes").is_none() && json["points"][1]["test"]["rows"] == 2_700, "{json}");
}

#[test]
fn a_bias_in_many_rows_is_identified_from_all_of_them() {
    let test = people();
    let asked = "--label approved --ignore id --group sex";
    let json = test.json(&format!("identify people {asked} {MANY} --json"));
    assert!(is_in_chunks(&json) && json["rows"] == 9_000, "{json}");
    let in_memory = test.json(&format!("identify all.csv {asked} --resamples 0 --json"));
    assert!(in_memory.get("passes").is_none());
    for key in ["odds_ratio", "low", "high"] {
        let [one, other] = [&json, &in_memory].map(|found| found["effects"][0][key].as_f64().unwrap());
        assert!((one - other).abs() < 1e-5, "{key}: {one} {other}");
    }
    let said = test.run(&format!("identify people {asked} {MANY}"));
    assert!(said.contains("9,000 rows") && said.contains(" passes over all rows after a search on "), "{said}");
    let drawn = test.json(&format!("identify people {asked} {MANY} --resamples 20 --json"));
    assert!(drawn.get("passes").is_none() && drawn["effects"][0]["resampled"].is_object(), "{drawn}");
}

#[test]
fn rows_that_repeat_are_told() {
    let test = people();
    let asked = format!("--ignore income --ignore age {ASKED} {MANY}");
    let json = test.json(&format!("fit people {asked} --json"));
    // Three histories, two sexes, four regions and two labels.
    assert!(is_in_chunks(&json) && json["distinct_rows"] == 48, "{json}");
    for command in [
        format!("frontier people {asked} --points 2"),
        format!("identify people {}", asked.replace("--notion demographic-parity", "")),
    ] {
        // Whether there is an estimate of the bias does not matter here.
        let json: serde_json::Value =
            serde_json::from_slice(&test.output(&format!("{command} --json")).stdout).unwrap();
        assert_eq!(json["distinct_rows"], 48, "{json}");
    }
    let said = test.run(&format!("frontier people {asked} --points 2"));
    assert!(said.contains(" passes over all rows (48 different ones) after a search on "), "{said}");
}

#[test]
fn what_is_ignored_of_many_rows_is_never_decoded() {
    let test = people();
    test.convert("all.csv", "people.parquet");
    // What the first column holds can no longer be read; the headers of its pages can.
    let mut bytes = fs::read(test.path("people.parquet")).unwrap();
    bytes[400..440].fill(0xff);
    fs::write(test.path("people.parquet"), bytes).unwrap();
    let json = test.json(&format!("fit people.parquet {ASKED} {MANY} --model model.json --json"));
    assert!(is_in_chunks(&json), "{json}");
    for command in ["verify model.json people.parquet", &format!("frontier people.parquet {ASKED} {MANY} --points 2")] {
        test.expect(0, command);
    }
    let identify = format!("identify people.parquet {} {MANY}", ASKED.replace("--notion demographic-parity", ""));
    test.expect(0, &identify);
    let said = test.run(&format!("fit people.parquet {} {MANY}", ASKED.replace("--ignore id", "--ignore region")));
    assert!(said.starts_with("exit code 2") && said.contains("people.parquet"), "{said}");
}

#[test]
fn what_is_wrong_with_one_file_of_many_is_told_with_its_name() {
    let test = people();
    let fit = format!("fit people {ASKED} {MANY} --model model.json");
    let said = |content: &str| {
        test.write("people/3.csv", content);
        let said = test.run(&fit);
        assert!(said.starts_with("exit code 2") && !test.path("model.json").exists(), "{said}");
        assert!(said.contains("3.csv"), "{said}");
        said
    };
    let header = "id,income,history,sex,age,region,approved\n";
    let other = said("id,income,history,sex,age,approved\n1,20,good,male,30,yes\n");
    assert!(other.contains("it has no column `region`"), "{other}");
    let more = said("id,income,history,sex,age,region,approved,colour\n1,20,good,male,30,r1,yes,red\n");
    assert!(more.contains("it has a column `colour` more"), "{more}");
    let unlabelled = said(&format!("{header}1,20,good,male,30,r1,yes\n2,20,good,male,30,r1,\n"));
    assert!(unlabelled.contains("row 3"), "{unlabelled}");
    said("");
    // Rows are not asked for.
    test.write("people/3.csv", header);
    test.expect(0, &fit);
}

#[test]
#[cfg(target_os = "linux")]
fn no_room_for_the_scratch_file_is_told_and_nothing_is_left() {
    use std::process::Command;
    let test = people();
    fs::create_dir(test.path("tmp")).unwrap();
    // Files may not grow beyond 4 kB here: to write more fails, as it does on a full disk.
    let limited = "trap '' XFSZ; ulimit -f 8; exec \"$@\"";
    let fit = test.command(&format!("fit people {ASKED} {MANY} --memory 1kB --model model.json"));
    let output = Command::new("sh")
        .args(["-c", limited, "sh"])
        .arg(fit.get_program())
        .args(fit.get_args())
        .current_dir(test.path("."))
        .env("TMPDIR", test.path("tmp"))
        .output()
        .unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.code() == Some(2) && said.contains("no room for temporary files in"), "{said}");
    assert!(said.contains("name another folder in TMPDIR"), "{said}");
    assert!(fs::read_dir(test.path("tmp")).unwrap().next().is_none() && !test.path("model.json").exists());
}

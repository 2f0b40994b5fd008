//! `--learner network`, the recipe `mnist` and `paper --table 2`, on made-up digits.

use std::fs;

use crate::support::{CliTest, RandomNumbers, flip, snapshot_of};

const FIT: &str = "fit loans.csv --label approved --ignore id --group sex --notion demographic-parity --max-fits 3 \
    --learner network";

/// Small enough for a test.
const SMALL: &str = "--layers 12,8 --network-steps 150";

#[test]
fn a_network_is_fitted_saved_verified_and_predicts() {
    let test = CliTest::new();
    let json = test.json(&format!("{FIT} {SMALL} --network-seed 3 --model model.json --json"));
    let violation = |part: &serde_json::Value| part["violation"].as_f64().unwrap();
    assert!(violation(&json["train"]) < violation(&json["uncorrected"]["train"]), "{json}");
    test.expect(0, "predict model.json loans.csv --out scored.csv");
    assert_eq!(test.read("scored.csv").lines().count(), 401);
    let verdict = test.json("verify model.json loans.csv --json");
    let checks = verdict["checks"].as_array().unwrap();
    let unchecked: Vec<_> = checks.iter().filter(|one| one["matches"] != true).map(|one| &one["name"]).collect();
    assert_eq!(unchecked, ["software"], "{verdict}");
    // The same on one thread: the same file, byte for byte.
    test.expect(0, &format!("{FIT} {SMALL} --network-seed 3 --model again.json --threads 1"));
    assert_eq!(test.read("again.json"), test.read("model.json"));
    test.expect(0, &format!("{FIT} {SMALL} --network-seed 4 --batches weighted --model other.json"));
    assert_ne!(test.read("other.json"), test.read("model.json"));
}

#[test]
fn a_model_of_a_network_with_a_byte_changed_is_refused() {
    let test = CliTest::new();
    test.expect(0, &format!("{FIT} {SMALL} --model model.json"));
    let length = test.read("model.json").len();
    let codes = ["model-format", "model-version", "model-integrity"];
    for at in (0..length).step_by(length / 20) {
        flip(&test.path("model.json"), &test.path("changed.json"), at);
        let output = test.expect(2, "predict changed.json loans.csv --out scored.csv --json");
        let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert!(codes.contains(&json["error"]["code"].as_str().unwrap()), "byte {at}: {json}");
    }
}

#[test]
fn what_makes_no_network_is_refused() {
    let test = CliTest::new();
    test.write("one.csv", "x,sex,approved\n1,m,yes\n2,f,yes\n3,f,yes\n");
    let wrong = [
        format!("{FIT} --layers 8,0"),
        format!("{FIT} --layers 8,x"),
        format!("{FIT} --layers 300000,300000"),
        format!("{FIT} --learning-rate NaN"),
        format!("{FIT} --learning-rate 0"),
        format!("{FIT} --learning-rate -1"),
        format!("{FIT} --network-steps 0"),
        format!("{FIT} --batch 0"),
        format!("{FIT} --batch 10000000000"),
        format!("{FIT} --l2 1"),
        "fit loans.csv --label approved --group sex --notion demographic-parity --layers 8".to_owned(),
        format!("{FIT} --method lagrangian"),
        "fit one.csv --label approved --group sex --notion demographic-parity --learner network".to_owned(),
    ];
    let all: Vec<String> = wrong.iter().map(|command| test.run(command)).collect();
    assert!(all.iter().all(|said| said.starts_with("exit code 2")), "{}", all.join("\n"));
    snapshot_of!(all.join("\n"));
}

/// An IDX file.
fn idx(numbers: &[u32], bytes: &[u8]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_be_bytes()).chain(bytes.iter().copied()).collect()
}

/// Images of `side` by `side` pixels: a bright bar at the height of their digit, and noise.
fn write_digits(test: &CliTest, folder: &str, side: usize) {
    fs::create_dir(test.path(folder)).unwrap();
    let mut random = RandomNumbers::new(5);
    for (name, images) in [("train", 500), ("t10k", 200)] {
        let digits: Vec<u8> = (0..images).map(|at| (at % 10) as u8).collect();
        let mut pixels = Vec::with_capacity(images * side * side);
        for digit in &digits {
            for at in 0..side * side {
                let lit = at / side == 2 * usize::from(*digit) + 1;
                let noise = u8::try_from(random.below(120)).unwrap();
                pixels.push(if lit { 255 - noise } else { noise });
            }
        }
        let size = [2051, images as u32, side as u32, side as u32];
        fs::write(test.path(folder).join(format!("{name}-images-idx3-ubyte")), idx(&size, &pixels)).unwrap();
        fs::write(test.path(folder).join(format!("{name}-labels-idx1-ubyte")), idx(&[2049, images as u32], &digits))
            .unwrap();
    }
}

#[test]
fn table_2_is_measured_and_what_was_measured_is_kept() {
    let test = CliTest::new();
    write_digits(&test, "mnist", 28);
    let run = "paper --table 2 --data mnist --steps 25 --out out --json";
    let table = test.json(run);
    let names: Vec<&str> =
        table["rows"].as_array().unwrap().iter().map(|row| row["method"].as_str().unwrap()).collect();
    let expected = ["true-labels", "unconstrained", "calibration", "lagrangian", "label-bias", "default", "tilt"];
    assert_eq!(names, expected);
    let row = |name: &str| &table["rows"][expected.iter().position(|one| *one == name).unwrap()];
    let mean = |name: &str, of: &str| row(name)[of]["mean"].as_f64().unwrap();
    // A fifth of 500 labels was set to 2, of which a tenth were so before: q = .2 + .8 · .1, as a share of what was drawn.
    let put_in = table["put_in"]["mean"].as_f64().unwrap();
    assert!((put_in + 1.25).abs() < 0.1, "{put_in}");
    assert!(mean("true-labels", "accuracy") > 0.9, "{table}");
    assert!(mean("default", "accuracy") > mean("unconstrained", "accuracy"), "{table}");
    let off = |name: &str| (mean(name, "rate") - 0.1).abs();
    assert!(off("default") < off("unconstrained") && off("calibration") < 1e-9, "{table}");
    assert!(row("default")["trainings"].as_f64().unwrap() <= 3.0 && row("tilt")["trainings"] == 0.0, "{table}");
    assert_eq!((&row("label-bias")["published"], &row("label-bias")["later"]), (&0.9616.into(), &0.9732.into()));
    assert_eq!((&row("unconstrained")["published"], &row("unconstrained")["later"]), (&0.8818.into(), &0.9423.into()));
    // Once more on one thread: nothing is trained again, and without what was kept the same comes of it.
    assert_eq!(test.json(&format!("{run} --threads 1")), table);
    let some =
        test.json("paper --table 2 --data mnist --steps 25 --method default --method true-labels --threads 1 --json");
    assert_eq!(some["rows"][1]["accuracy"], row("default")["accuracy"]);
    assert!(test.path("out/digits.md").is_file() && test.path("out/digits.csv").is_file());
    // Networks of another width are others, and are not taken for what was kept.
    let wide = test.json(&format!("{run} --width 64 --method true-labels"));
    assert_eq!((&wide["width"], &table["width"]), (&64.into(), &512.into()));
    assert_ne!(wide["rows"][0]["accuracy"], row("true-labels")["accuracy"]);
}

#[test]
fn labels_of_digits_are_audited_and_their_bias_identified_by_the_recipe_alone() {
    let test = CliTest::new();
    write_digits(&test, "mnist", 28);
    // Test labels are as they were: only training rows are looked at, a tenth of which shows a 2.
    let audit = test.json("audit --recipe mnist --data mnist --json");
    let rate = &audit["rates"][0];
    assert_eq!((&audit["rows"], &rate["reference"]), (&500.into(), &0.1.into()));
    assert!((rate["rate"].as_f64().unwrap() - 0.28).abs() < 0.03, "{rate}");
    let text = test.run("audit --recipe mnist --data mnist");
    assert!(text.contains("target-rate class=2") && !text.contains("LABELS: `0`"), "{text}");
    let found = test.json("identify --recipe mnist --data mnist --l2 10 --resamples 0 --json");
    assert_eq!((&found["rows"], &found["effects"][0]["class"]), (&500.into(), &"2".into()));
    assert!(found["effects"][0]["low"].as_f64().unwrap() > 2.0, "{found}");
    assert_eq!(found["warnings"], serde_json::json!([]), "{found}");
}

#[test]
fn digits_are_audited_fitted_and_predicted_by_their_recipe() {
    let test = CliTest::new();
    write_digits(&test, "mnist", 28);
    let audit = test.json("audit --recipe mnist --data mnist --group digit --json");
    assert!(audit.to_string().contains("digit=7"), "{audit}");
    let fit = "fit --recipe mnist --data mnist --notion target-rate=2:0.1 --learner network --layers 32 --network-steps 200 --max-fits 3";
    let json = test.json(&format!("{fit} --model model.json --json"));
    assert_eq!((&json["train"]["rows"], &json["test"]["rows"]), (&500.into(), &200.into()));
    assert!(json["test"]["error"].as_f64().unwrap() < json["uncorrected"]["test"]["error"].as_f64().unwrap() + 0.05);
    test.expect(0, "predict model.json mnist/t10k-images-idx3-ubyte --published --out scored.csv");
    assert_eq!(test.read("scored.csv").lines().count(), 201);
    test.expect(0, "verify model.json mnist");
}

#[test]
fn images_of_another_size_and_cut_files_are_refused() {
    let test = CliTest::new();
    write_digits(&test, "small", 20);
    write_digits(&test, "cut", 28);
    let images = test.path("cut/t10k-images-idx3-ubyte");
    let whole = fs::read(&images).unwrap();
    fs::write(&images, &whole[..whole.len() - 7]).unwrap();
    let fit = "--notion target-rate=2:0.1 --learner network --layers 4 --network-steps 5";
    let said = [
        test.run(&format!("fit --recipe mnist --data small {fit}")),
        test.run(&format!("fit --recipe mnist --data cut {fit}")),
        test.run("paper --table 2 --data small"),
        test.run("paper --table 2 --data cut --dataset german"),
        test.run("paper --data cut --seeds 3"),
        test.run("paper --data cut --width 64"),
        test.run("paper --table 2 --data cut --width 0"),
        test.run("paper --data cut --dataset mnist"),
        test.run("paper --table 2 --data cut --method magic"),
        test.run("paper --table 3 --data cut"),
    ];
    assert!(said.iter().all(|said| said.starts_with("exit code 2")), "{}", said.join("\n"));
    snapshot_of!(said.join("\n"));
}

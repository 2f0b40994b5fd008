//! `evenhand verify`.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ring::signature::KeyPair;

use crate::support::{CliTest, snapshot};

const FIT: &str =
    "fit loans.csv --label approved --ignore id --group sex --notion equalized-odds --holdout 0.3 --model model.json";

fn fitted() -> CliTest {
    let test = CliTest::new();
    test.expect(0, FIT);
    test
}

#[test]
fn what_matches_is_told() {
    snapshot!(fitted(), "verify model.json loans.csv");
}

#[test]
fn checks_are_told_as_json() {
    snapshot!(fitted(), "verify model.json loans.csv --json");
}

#[test]
fn changed_labels_exit_with_1_and_say_what_differs() {
    let test = fitted();
    let loans = test.read("loans.csv");
    test.write("loans.csv", &loans.replacen(",yes\n", ",no\n", 30));
    snapshot!(test, "verify model.json loans.csv");
}

#[test]
fn a_changed_feature_is_found() {
    let test = fitted();
    test.write("loans.csv", &test.read("loans.csv").replacen(",good,", ",bad,", 1));
    let output = test.expect(1, "verify model.json loans.csv --json");
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&json["matches"], &json["checks"][0]["matches"]), (&false.into(), &false.into()));
}

#[test]
fn an_ignored_column_may_be_gone() {
    let test = fitted();
    let without: String =
        test.read("loans.csv").lines().map(|line| line.split_once(',').unwrap().1.to_owned() + "\n").collect();
    test.write("without.csv", &without);
    test.expect(0, "verify model.json without.csv");
}

#[test]
fn classes_that_training_never_saw_are_bad_input() {
    let test = fitted();
    test.write("loans.csv", &test.read("loans.csv").replacen(",yes\n", ",perhaps\n", 1));
    snapshot!(test, "verify model.json loans.csv");
}

/// A key as OpenSSL writes it, and its public half; made from a seed.
fn keys(test: &CliTest, name: &str, seed: u8) {
    let pair = ring::signature::Ed25519KeyPair::from_seed_unchecked(&[seed; 32]).unwrap();
    let write = |file: String, kind: &str, head: &[u8], key: &[u8]| {
        let body = STANDARD.encode([head, key].concat());
        test.write(&file, &format!("-----BEGIN {kind} KEY-----\n{body}\n-----END {kind} KEY-----\n"));
    };
    let private = [0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 0x22, 4, 0x20];
    let public = [0x30, 0x2a, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 3, 0x21, 0];
    write(format!("{name}.pem"), "PRIVATE", &private, &[seed; 32]);
    write(format!("{name}.pub"), "PUBLIC", &public, pair.public_key().as_ref());
}

fn signature(test: &CliTest, arguments: &str) -> serde_json::Value {
    let output = test.output(arguments);
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let checks = json["checks"].as_array().unwrap().clone();
    checks.into_iter().find(|check| check["name"] == "signature").unwrap_or_default()
}

#[test]
fn a_signature_tells_who_wrote_a_model() {
    let test = CliTest::new();
    keys(&test, "ours", 1);
    keys(&test, "theirs", 2);
    test.expect(0, &format!("{FIT} --sign ours.pem"));
    let of = |arguments: &str| signature(&test, arguments)["matches"].clone();
    assert_eq!(of("verify model.json loans.csv --json --key ours.pub"), true);
    assert_eq!(of("verify model.json loans.csv --json --key theirs.pub"), false);
    assert_eq!(of("verify model.json loans.csv --json"), serde_json::Value::Null);
    test.expect(1, "verify model.json loans.csv --key theirs.pub");
    test.expect(0, "predict model.json loans.csv --out predicted.csv");
}

#[test]
fn a_signature_is_of_one_model() {
    let test = CliTest::new();
    keys(&test, "ours", 1);
    test.expect(0, &format!("{FIT} --sign ours.pem"));
    let signed = test.read("model.json");
    let line = signed.lines().find(|line| line.starts_with("\"signature\"")).unwrap();
    test.expect(0, &format!("{FIT} --seed 8"));
    assert_eq!(signature(&test, "verify model.json loans.csv --json --key ours.pub")["detail"], "the file has none");
    let other = test.read("model.json").replacen("\"model\"", &format!("{line}\n\"model\""), 1);
    test.write("model.json", &other);
    let check = signature(&test, "verify model.json loans.csv --json --key ours.pub");
    assert_eq!(check["matches"], false, "{check}");
}

#[test]
fn keys_of_other_kinds_are_refused_before_the_fit() {
    let test = CliTest::new();
    keys(&test, "ours", 1);
    snapshot!(test, &format!("{FIT} --sign ours.pub"));
    test.expect(0, FIT);
    snapshot!(test, "verify model.json loans.csv --key ours.pem");
    test.expect(2, &format!("{FIT} --sign nowhere.pem"));
}

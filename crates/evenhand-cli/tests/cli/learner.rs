//! A learner that is another program.

use crate::support::{CliTest, snapshot};

/// Predicts the weighted share of class 1 among training rows of the same features.
pub(crate) const SHARES: &str = r#"
case $1 in
fit) paste -d' ' "$2.weight" "$2" | awk '
    { w = $1; y = $2; $1 = ""; $2 = ""; sub(/^ +/, ""); all[$0] += w; ones[$0] += w * y }
    END { for (row in all) printf "%s|%.17g\n", row, ones[row] / all[row] }' > "$3" ;;
predict) awk -F'|' '
    NR == FNR { share[$1] = $2; next }
    { sub(/^[^ ]* */, ""); print ($0 in share) ? share[$0] : 0.5 }' "$2" "$3" > "$4" ;;
*) echo "what is $1?" >&2; exit 3 ;;
esac
"#;

const FIT: &str = "fit loans.csv --label approved --ignore id --ignore income --ignore age --ignore region \
    --group sex --notion demographic-parity --max-fits 20 --model model.json --learner";

fn test() -> CliTest {
    let test = CliTest::new();
    test.write("shares.sh", SHARES);
    test
}

#[test]
fn a_command_is_fitted_and_its_model_predicts_and_verifies() {
    let test = test();
    let json = test.json(&format!("{FIT} 'sh shares.sh' --json"));
    let violation = |part: &serde_json::Value| part["violation"].as_f64().unwrap();
    assert!(violation(&json["train"]) < violation(&json["uncorrected"]["train"]), "{json}");
    test.expect(0, "predict model.json loans.csv --out scored.csv --learner 'sh shares.sh'");
    snapshot!(test, "verify model.json loans.csv --learner 'sh shares.sh'");
}

#[test]
fn a_model_from_a_file_runs_no_command_that_was_not_agreed_to() {
    let test = test();
    test.expect(0, &format!("{FIT} 'sh shares.sh'"));
    snapshot!(test, "predict model.json loans.csv --out scored.csv");
    test.expect(2, "predict model.json loans.csv --out scored.csv --learner 'sh other.sh'");
    test.expect(2, "verify model.json loans.csv");
}

#[test]
fn what_a_command_says_when_it_fails_is_passed_on() {
    let test = test();
    test.write("broken.sh", "echo no memory left >&2; exit 9\n");
    snapshot!(test, &format!("{FIT} 'sh broken.sh'"));
    snapshot!(test, &format!("{FIT} true"));
    let output = String::from_utf8(test.expect(2, &format!("{FIT} ./not-there")).stderr).unwrap();
    assert!(output.contains("`./not-there fit` ended with exit status: 127"), "{output}");
}

#[test]
fn scores_that_are_no_probabilities_are_refused() {
    let test = test();
    for (name, score) in [("margins.sh", "1.7"), ("nothing.sh", "nan")] {
        test.write(
            name,
            &SHARES.replace("print ($0 in share) ? share[$0] : 0.5", &format!("print (FNR == 3) ? \"{score}\" : 0.5")),
        );
        let output = String::from_utf8(test.expect(2, &format!("{FIT} 'sh {name}'")).stderr).unwrap();
        assert!(output.contains(&format!("`sh {name} predict`, row 3: the score")), "{output}");
        assert!(output.contains("is no probability; scores lie between 0 and 1"), "{output}");
    }
}

#[test]
fn options_of_the_built_in_learner_do_not_go_with_a_command() {
    let test = test();
    test.expect(2, &format!("{FIT} 'sh shares.sh' --penalise-intercept"));
    test.expect(0, "fit loans.csv --label approved --group sex --notion demographic-parity --model model.json");
    snapshot!(test, "predict model.json loans.csv --out scored.csv --learner 'sh shares.sh'");
}

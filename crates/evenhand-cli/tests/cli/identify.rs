//! `evenhand identify`.

use crate::support::{CliTest, snapshot, snapshot_of};

const IDENTIFY: &str = "identify loans.csv --label approved --ignore id --group sex";

#[test]
fn the_bias_is_said_in_words_and_numbers() {
    snapshot!(CliTest::new(), &format!("{IDENTIFY} --group 'age<=30' --resamples 20"));
}

#[test]
fn json_has_the_same_numbers() {
    snapshot!(CliTest::new(), &format!("{IDENTIFY} --resamples 0 --json"));
}

#[test]
fn what_cannot_be_asked_is_refused() {
    let test = CliTest::new();
    let wrong = [
        "identify loans.csv --label approved --ignore id",
        "identify loans.csv --label approved --ignore id --group sx",
        "identify loans.csv --label approved --ignore id --group sex --confidence 2",
        "identify loans.csv --label approved --ignore id --group sex --resamples 3",
        "identify nowhere.csv --label approved --group sex",
    ];
    let all: Vec<String> = wrong.iter().map(|arguments| test.run(arguments)).collect();
    snapshot_of!(all.join("\n"));
}

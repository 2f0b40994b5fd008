//! `evenhand data`: the list, and files from a folder. Downloads are tested beside their code.

use std::fs;

use crate::support::{CliTest, data_folder, snapshot, snapshot_of};

#[test]
fn datasets_are_listed_with_what_is_here() {
    snapshot!(CliTest::new(), "data list");
}

#[test]
fn the_list_is_there_as_json() {
    let test = CliTest::new();
    let list = test.json("data list --json");
    let datasets = list["datasets"].as_array().unwrap();
    let names: Vec<&str> = datasets.iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["adult", "bank", "communities", "compas", "german", "mnist"]);
    assert_eq!(datasets[0]["files"][0]["sha256"][0].as_str().unwrap().len(), 64);
    assert_eq!((&datasets[0]["recipe"], &datasets[5]["recipe"]), (&true.into(), &true.into()));
}

#[test]
fn what_cannot_be_got_is_refused() {
    let test = CliTest::new();
    let wrong = [
        "data get",
        "data get iris",
        "data get german --from nowhere",
        "data get german --from .",
        "data get german --mirror mirror.example",
        "data get german --from . --mirror https://mirror.example",
        "data get german --from . --json",
    ];
    let all: Vec<String> = wrong.iter().map(|command| test.run(command)).collect();
    snapshot_of!(all.join("\n"));
    // Nothing that looks like a dataset is left behind.
    assert!(!fs::read_dir(test.path("cache/german")).unwrap().any(|entry| entry.is_ok()));
}

#[test]
fn a_file_that_is_not_the_published_one_is_refused() {
    let test = CliTest::new();
    test.write("german.data-numeric", "1 2 3\n");
    snapshot!(test, "data get german --from .");
    assert!(fs::read_dir(test.path("cache/german")).unwrap().next().is_none());
}

#[test]
fn without_a_server_the_other_ways_are_named() {
    let test = CliTest::new();
    // Nobody can listen on port 0.
    let output = test.run("data get german --mirror http://127.0.0.1:0 --json");
    for word in ["exit code 2", "german.data-numeric could not be fetched", "--from DIR", "\"code\": \"network\""] {
        assert!(output.contains(word), "{word}: {output}");
    }
}

#[test]
fn files_from_a_folder_are_verified_and_used_by_a_recipe() {
    let Some(folder) = data_folder() else { return };
    let test = CliTest::new();
    let fit = "fit --recipe german --notion demographic-parity --quiet";
    snapshot!(test, fit);
    let got = test.json(&format!("data get german --from {folder} --json"));
    assert_eq!(got["datasets"][0]["files"][0]["came"], "copied");
    let again = test.json(&format!("data get german --from {folder} --json"));
    assert_eq!(again["datasets"][0]["files"][0]["came"], "was-here");
    let listed = test.json("data list --json");
    assert_eq!(listed["datasets"][4]["cached"], true);
    test.expect(0, fit);
}

//! What must not stay behind, must not be followed and must not be blamed on others: temporary folders, links, full disks.

use std::fs;

use crate::support::{CliTest, data_folder};

const FIT: &str = "fit loans.csv --label approved --ignore id --group sex --notion demographic-parity --max-fits 3";

/// A learner that tells who may look into the folder it is given.
const TELLS: &str = r#"
case $1 in
fit) ls -ld "$(dirname "$2")" | cut -c1-10 >> modes; touch "$3" ;;
predict) sed 's/.*/0.5/' "$3" > "$4" ;;
esac
"#;

#[test]
#[cfg(unix)]
fn the_folder_of_a_learner_is_private_and_gone_afterwards() {
    let test = CliTest::new();
    test.write("tells.sh", TELLS);
    fs::create_dir(test.path("tmp")).unwrap();
    // Left behind by a process that is gone, and a folder of somebody else.
    fs::create_dir(test.path("tmp/evenhand-abcdef012345")).unwrap();
    test.write("tmp/evenhand-abcdef012345/train.svm", "1 1:2\n");
    fs::create_dir(test.path("tmp/evenhand-notes")).unwrap();
    test.expect_with(0, &format!("{FIT} --learner 'sh tells.sh'"), &[("TMPDIR", "tmp")]);
    let modes = test.read("modes");
    assert!(modes.lines().count() > 0 && modes.lines().all(|mode| mode == "drwx------"), "{modes}");
    let names: Vec<_> = fs::read_dir(test.path("tmp")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["evenhand-notes"]);
}

#[test]
#[cfg(target_os = "linux")]
fn a_folder_that_takes_no_file_is_noticed_before_any_work() {
    let test = CliTest::new();
    // Not even root can make a file there. The data are not there either, and would be missed next.
    let all = [
        "fit --model /proc/model.json",
        "fit --weights /proc/w.csv",
        "fit --trace /proc/t.csv",
        "fit --report /proc/r.html",
        "frontier --out /proc/f.csv",
        "sweep --figure /proc/f.svg",
    ];
    for (command, option) in all.map(|one| one.split_once(' ').unwrap()) {
        let asked = FIT.replacen("fit loans.csv", &format!("{command} nowhere.csv"), 1).replace(" --max-fits 3", "");
        let said = test.run(&format!("{asked} {option}"));
        assert!(said.contains("no file can be written in /proc"), "{command} {option}: {said}");
    }
    let said = test.run("predict loans.csv nowhere.csv --out /proc/p.csv");
    assert!(said.contains("hint: choose another folder, or make this one writable"), "{said}");
    for command in ["demo --rows 9999999 --write /proc/d.csv", "audit nowhere.csv --label y --report /proc/a.md"] {
        assert!(test.run(command).contains("no file can be written in /proc"), "{command}");
    }
}

#[test]
#[cfg(unix)]
fn a_folder_for_temporary_files_that_is_not_there_is_not_blamed_on_the_data() {
    let test = CliTest::new();
    test.write("tells.sh", TELLS);
    let nowhere = [("TMPDIR", "/nowhere/to/be/found")];
    for command in [format!("{FIT} --learner 'sh tells.sh'"), FIT.replace("loans.csv", "/dev/stdin")] {
        let output = test.expect_with(2, &command, &nowhere);
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains("no room for temporary files in /nowhere/to/be/found"), "{said}");
        assert!(said.contains("TMPDIR") && !said.contains("stdin:"), "{said}");
    }
    // Nothing temporary is needed for a file.
    test.expect_with(0, FIT, &nowhere);
}

#[test]
#[cfg(unix)]
fn copies_follow_no_link() {
    let Some(data) = data_folder() else { return };
    let test = CliTest::new();
    test.write("precious", "precious");
    fs::create_dir_all(test.path("into/german")).unwrap();
    std::os::unix::fs::symlink(test.path("precious"), test.path("into/german/german.data-numeric.part")).unwrap();
    test.expect(0, &format!("data get german --from {data} --into into"));
    assert_eq!(test.read("precious"), "precious");
}

/// A name that clears the screen, and one that turns the direction of writing around.
const HOSTILE: &str = "x\u{1b}[2J\u{202e}y\u{9b}31m";

#[test]
fn names_from_data_do_nothing_to_a_terminal() {
    let test = CliTest::new();
    let loans = test.read("loans.csv").replacen("history", &format!("his{HOSTILE}tory"), 1);
    let loans = loans.replace("female", &format!("fe{HOSTILE}male")).replace(",yes", &format!(",y{HOSTILE}es"));
    test.write("hostile.csv", &loans);
    let fit = FIT.replace("loans.csv", "hostile.csv") + &format!(" --positive 'y{HOSTILE}es'");
    let all = [
        format!("{fit} --holdout 0.3 --model model.json --report fit.txt"),
        format!("{fit} --json"),
        fit.replace("--group sex", "--group nowhere"),
        fit.replace("--label approved", &format!("--label 'no{HOSTILE}'")),
        format!("fit hostile.csv --no{HOSTILE}"),
        format!("audit hostile.csv --label approved --positive 'y{HOSTILE}es' --group sex --report audit.md"),
        "predict model.json hostile.csv --out scored.csv".to_owned(),
        "verify model.json hostile.csv".to_owned(),
    ];
    for command in all {
        let said = test.run(&command);
        assert_harmless(&said, &command);
    }
    assert_harmless(&test.read("fit.txt"), "fit.txt");
    assert_harmless(&test.read("audit.md"), "audit.md");
    // Data are data.
    assert!(test.read("scored.csv").contains(HOSTILE));
    let json = test.json(&format!("{fit} --json"));
    assert_eq!(json["classes"][1], format!("y{HOSTILE}es"));
}

#[track_caller]
fn assert_harmless(text: &str, what: &str) {
    let active =
        |character: char| character != '\n' && (character.is_control() || matches!(character, '\u{202a}'..='\u{202e}'));
    assert!(!text.contains(active), "{what}: {text:?}");
    assert!(text.contains("\\u{1b}") || text.contains("\\u001b") || !text.contains("[2J"), "{what}: {text}");
}

#[test]
fn spreadsheets_compute_nothing_where_that_is_asked() {
    let test = CliTest::new();
    let loans = test.read("loans.csv").replace(",r0,", ",=1+1,").replace(",r1,", ",-3,");
    test.write("formula.csv", &loans);
    test.expect(0, &format!("{} --model model.json", FIT.replace("loans.csv", "formula.csv")));
    test.expect(0, "predict model.json formula.csv --out as-is.csv");
    test.expect(0, "predict model.json formula.csv --out safe.csv --safe-csv");
    let (as_is, safe) = (test.read("as-is.csv"), test.read("safe.csv"));
    assert!(as_is.contains(",=1+1,") && !as_is.contains("'="));
    assert_eq!(safe, as_is.replace(",=1+1,", ",'=1+1,"));
    assert!(safe.contains(",-3,"), "a number is none");
}

#[test]
fn one_text_in_two_spellings_is_told() {
    let test = CliTest::new();
    let loans = test.read("loans.csv").replace(",r0,", ",Jos\u{e9},").replace(",r1,", ",Jose\u{301},");
    test.write("names.csv", &loans);
    let said = test.run("audit names.csv --label approved --group region");
    assert!(said.contains(r"`Jose\u{301}` and `Jos\u{e9}`"), "{said}");
}

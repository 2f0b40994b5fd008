//! Completions of shells, manual pages, and the reference of the site: made of the arguments.

use crate::support::CliTest;

#[test]
fn completions_name_the_commands_and_their_options() {
    let test = CliTest::new();
    for shell in ["bash", "zsh", "fish"] {
        let script = test.run(&format!("completions {shell}"));
        for word in ["identify", "max-violation", "threshold-postprocessing", "help-all"] {
            assert!(script.contains(word), "{word} for {shell}");
        }
    }
}

#[test]
fn a_manual_page_has_the_options_that_help_leaves_out() {
    let test = CliTest::new();
    let page = test.run("man fit");
    assert!(page.contains(".TH evenhand-fit 1") && page.contains("validation\\-seed"), "{page}");
    assert!(test.run("man").contains("evenhand\\-inject"));
    assert!(test.run("man fut").contains("exit code 2"));
}

#[test]
fn all_pages_are_written_in_either_format() {
    let test = CliTest::new();
    std::fs::create_dir(test.path("pages")).unwrap();
    test.expect(0, "man --into pages");
    test.expect(0, "man --into pages --format markdown");
    assert!(test.read("pages/evenhand-data-get.1").contains(".SH"));
    let page = test.read("pages/evenhand-fit.md");
    assert!(page.starts_with("# evenhand fit\n") && page.contains("\n### `--max-fits <NUMBER>`\n"), "{page}");
    assert!(test.read("pages/evenhand.md").contains("(evenhand-fit.md)"));
}

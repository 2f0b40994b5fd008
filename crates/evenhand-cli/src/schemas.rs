//! The JSON Schemas of what commands write, from the types themselves: a key that is new, renamed or gone is found here.
//!
//! They are kept in `schemas/`, where the documentation and other programs find them. `ci/schemas` writes them anew. That every output
//! of the tests keeps to them is checked in `tests/cli/schemas.rs`.

use std::path::Path;
use std::{env, fs};

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde_json::Value;

use crate::{audit, data, demo, evaluate, failure, fit, frontier, identify, inject, paper, predict, sweep, verify};

/// The schema of what is written of a type.
pub(crate) fn of<T: JsonSchema>() -> Schema {
    SchemaSettings::draft2020_12().for_serialize().into_generator().into_root_schema_for::<T>()
}

/// Every command that writes JSON, as its file is called.
fn all() -> Vec<(&'static str, Schema)> {
    let mut all = vec![
        ("audit", audit::schema()),
        ("correct", fit::schema()),
        ("data-get", data::get_schema()),
        ("data-list", data::list_schema()),
        ("demo", demo::schema()),
        ("error", failure::schema()),
        ("evaluate", evaluate::schema()),
        ("fit", fit::schema()),
        ("frontier", frontier::schema()),
        ("identify", identify::schema()),
        ("inject", inject::schema()),
        ("predict", predict::schema()),
        ("sweep", sweep::schema()),
        ("verify", verify::schema()),
    ];
    all.extend(paper::schemas());
    all
}

/// The schema as its file has it: with the title of its command, and text as Markdown has it.
fn written(name: &str, schema: Schema) -> String {
    let mut value = schema.to_value();
    let title = match name {
        "error" => "an error (exit code 2)".to_owned(),
        _ => format!("evenhand {} --json", name.replacen('-', " ", 1)),
    };
    plain(&mut value);
    value["title"] = Value::String(title);
    serde_json::to_string_pretty(&value).expect("a schema is JSON") + "\n"
}

/// Descriptions of one paragraph in one line, in JSON's words; links to Rust's names, and how many bits a number has, mean nothing here.
fn plain(value: &mut Value) {
    match value {
        Value::Object(entries) => {
            if !entries.get("format").is_some_and(Value::is_object) {
                entries.remove("format");
            }
            if let Some(Value::String(text)) = entries.get_mut("description") {
                let first =
                    text.split("\n\n").next().unwrap_or_default().replace("`None`", "`null`").replace(['[', ']'], "");
                *text = first.split_whitespace().collect::<Vec<_>>().join(" ");
            }
            entries.values_mut().for_each(plain);
        }
        Value::Array(items) => items.iter_mut().for_each(plain),
        _ => {}
    }
}

#[test]
fn schemas_are_those_of_the_types() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas");
    for (name, schema) in all() {
        let (path, text) = (folder.join(format!("{name}.json")), written(name, schema));
        if env::var_os("EVENHAND_WRITE_SCHEMAS").is_some() {
            fs::write(&path, text).unwrap();
            continue;
        }
        let kept = fs::read_to_string(&path).unwrap_or_default();
        assert!(kept == text, "{}: the keys have changed; if that is meant, ci/schemas writes it anew", path.display());
    }
}

#[test]
fn every_schema_is_of_a_command() {
    let mut kept: Vec<String> = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas"))
        .unwrap()
        .map(|entry| entry.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned())
        .collect();
    kept.sort_unstable();
    let mut known: Vec<String> = all().into_iter().map(|(name, _)| name.to_owned()).collect();
    known.sort_unstable();
    assert_eq!(kept, known);
}

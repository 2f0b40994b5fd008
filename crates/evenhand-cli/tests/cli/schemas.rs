//! Every JSON output of these tests is held to the schema of its command: a key that is new, renamed or gone is found here.
//!
//! Schemas are in `schemas/`, in the part of JSON Schema that [`Schema`] knows; a word that it does not know is a failure, so that nothing is passed
//! over. With `EVENHAND_JSON_SAMPLES` outputs are kept in that folder, from which `ci/schemas` writes schemas anew.

use std::path::{Path, PathBuf};
use std::process::Output;
use std::{env, fs, process};

use serde_json::{Map, Value, json};

/// Holds what a command wrote to its schema, where it was asked for JSON and wrote it to stdout.
#[track_caller]
pub(crate) fn check(words: &[String], output: &Output) {
    if !words.iter().any(|word| word == "--json") {
        return;
    }
    let value: Value = match serde_json::from_slice(&output.stdout) {
        Ok(value) => value,
        // A table on stdout leaves stderr for what is said of it.
        Err(_) if words.iter().any(|word| word == "-") => return,
        Err(error) => panic!("{}: stdout is no JSON: {error}", words.join(" ")),
    };
    let name = name_of(words, output.status.code());
    if let Ok(folder) = env::var("EVENHAND_JSON_SAMPLES") {
        keep(Path::new(&folder), &name, &value);
        return;
    }
    let path = folder().join(format!("{name}.json"));
    let text = fs::read_to_string(&path).unwrap_or_else(|_| panic!("{}: no schema; run ci/schemas", path.display()));
    let root: Value = serde_json::from_str(&text).unwrap();
    if let Err(wrong) = (Schema { root: &root }).check(&root, &value, "$") {
        panic!("{}: {wrong}\nIf that is meant, ci/schemas writes the schema anew.", words.join(" "));
    }
}

/// The name of the schema: that of the command, or `error`.
fn name_of(words: &[String], code: Option<i32>) -> String {
    match words {
        _ if code == Some(2) => "error".to_owned(),
        [first, second, ..] if first == "data" => format!("data-{second}"),
        [first, ..] if first == "paper" => {
            let kinds = ["--injected", "--rates", "--table"];
            let kind = kinds.iter().find(|kind| words.iter().any(|word| word == *kind));
            kind.map_or("paper".to_owned(), |kind| format!("paper-{}", kind.trim_start_matches('-')))
        }
        [first, ..] => first.clone(),
        [] => String::new(),
    }
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas")
}

fn keep(folder: &Path, name: &str, value: &Value) {
    use std::sync::atomic::{AtomicUsize, Ordering};
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    fs::create_dir_all(folder).unwrap();
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    fs::write(folder.join(format!("{name}.{}.{number}.json", process::id())), value.to_string()).unwrap();
}

/// A schema, with the root that its references start from.
struct Schema<'a> {
    root: &'a Value,
}

impl Schema<'_> {
    /// Whether a value is as one of its parts says; if not, where and why.
    fn check(&self, schema: &Value, value: &Value, place: &str) -> Result<(), String> {
        let Some(words) = schema.as_object() else { return Err(format!("{place}: the schema is no object")) };
        for (word, says) in words {
            match word.as_str() {
                "$schema" | "$id" | "$defs" | "title" | "description" => {}
                "$ref" => self.check(self.reference(says)?, value, place)?,
                "type" => of_type(says, value, place)?,
                "enum" => one_of(says, value, place)?,
                "required" => required(says, value, place)?,
                "items" => self.items(says, value, place)?,
                "properties" | "additionalProperties" => self.properties(words, value, place)?,
                other => return Err(format!("{place}: the schema has `{other}`, which is not known here")),
            }
        }
        Ok(())
    }

    fn reference(&self, says: &Value) -> Result<&Value, String> {
        let path = says.as_str().and_then(|text| text.strip_prefix('#')).unwrap_or_default();
        self.root.pointer(path).ok_or_else(|| format!("{says}: the schema has no such part"))
    }

    fn items(&self, says: &Value, value: &Value, place: &str) -> Result<(), String> {
        let mut all = value.as_array().into_iter().flatten().enumerate();
        all.try_for_each(|(at, item)| self.check(says, item, &format!("{place}[{at}]")))
    }

    fn properties(&self, words: &Map<String, Value>, value: &Value, place: &str) -> Result<(), String> {
        let Some(object) = value.as_object() else { return Ok(()) };
        let (known, others) = (words.get("properties").and_then(Value::as_object), words.get("additionalProperties"));
        for (key, value) in object {
            let place = format!("{place}.{key}");
            match known.and_then(|known| known.get(key)).or(others.filter(|others| others.is_object())) {
                Some(schema) => self.check(schema, value, &place)?,
                None if others == Some(&Value::Bool(false)) => {
                    return Err(format!("{place}: the schema has no such key"));
                }
                None => {}
            }
        }
        Ok(())
    }
}

fn of_type(says: &Value, value: &Value, place: &str) -> Result<(), String> {
    let single = std::slice::from_ref(says);
    let fits = says.as_array().map_or(single, Vec::as_slice).iter().any(|name| match name.as_str() {
        Some("null") => value.is_null(),
        Some("boolean") => value.is_boolean(),
        Some("string") => value.is_string(),
        Some("integer") => value.is_i64() || value.is_u64(),
        Some("number") => value.is_number(),
        Some("array") => value.is_array(),
        Some("object") => value.is_object(),
        _ => false,
    });
    if fits { Ok(()) } else { Err(format!("{place}: {value} is not of type {says}")) }
}

fn one_of(says: &Value, value: &Value, place: &str) -> Result<(), String> {
    let known = says.as_array().is_some_and(|all| all.contains(value));
    if known { Ok(()) } else { Err(format!("{place}: {value} is none of {says}")) }
}

fn required(says: &Value, value: &Value, place: &str) -> Result<(), String> {
    let Some(object) = value.as_object() else { return Ok(()) };
    let lost =
        says.as_array().into_iter().flatten().find(|key| key.as_str().is_none_or(|key| !object.contains_key(key)));
    lost.map_or(Ok(()), |key| Err(format!("{place}: the key {key} is missing")))
}

#[test]
fn a_renamed_key_a_lost_key_and_another_type_are_found() {
    let schema = json!({
        "type": "object",
        "properties": { "rows": { "type": "integer" }, "groups": { "type": "array", "items": { "$ref": "#/$defs/group" } } },
        "required": ["rows"],
        "additionalProperties": false,
        "$defs": { "group": { "type": ["string", "null"] } },
    });
    let check = |value| (Schema { root: &schema }).check(&schema, &value, "$");
    assert_eq!(check(json!({ "rows": 3, "groups": ["a", null] })), Ok(()));
    assert_eq!(check(json!({ "rows": 3, "group": [] })).unwrap_err(), "$.group: the schema has no such key");
    assert_eq!(check(json!({ "groups": [] })).unwrap_err(), "$: the key \"rows\" is missing");
    assert!(check(json!({ "rows": 3.5 })).unwrap_err().contains("is not of type"));
    assert!(check(json!({ "rows": 3, "groups": [1] })).unwrap_err().starts_with("$.groups[0]: 1"));
}

#[test]
fn every_command_with_json_has_a_schema() {
    let known = ["audit", "correct", "data-get", "data-list", "demo", "error", "fit", "frontier", "identify", "inject"];
    for name in known.iter().chain(&[
        "evaluate",
        "paper",
        "paper-injected",
        "paper-rates",
        "paper-table",
        "predict",
        "sweep",
        "verify",
    ]) {
        assert!(folder().join(format!("{name}.json")).is_file(), "{name}");
    }
}

//! Every JSON output of these tests is held to the schema of its command, and may have no key that the schema does not name.
//!
//! Schemas are in `schemas/`, made of the types by `ci/schemas`. [`Schema`] knows the words of JSON Schema that they use; one that it does not know is a
//! failure, so that nothing is passed over.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use serde_json::{Value, json};

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
    let path = folder().join(format!("{name}.json"));
    let text = fs::read_to_string(&path).unwrap_or_else(|_| panic!("{}: no schema; run ci/schemas", path.display()));
    let root: Value = serde_json::from_str(&text).unwrap();
    if let Err(wrong) = (Schema { root: &root }).check(&root, &value, "$") {
        panic!("{}: {wrong}\nThe schema is made of the types; what else can be written?", words.join(" "));
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

/// A schema, with the root that its references start from.
struct Schema<'a> {
    root: &'a Value,
}

/// What an object may have.
#[derive(Default)]
struct Keys {
    named: BTreeSet<String>,
    /// Whether any others may be there.
    open: bool,
}

impl Schema<'_> {
    /// Whether a value is as one of its parts says, and has no other key; if not, where and why.
    fn check(&self, schema: &Value, value: &Value, place: &str) -> Result<(), String> {
        self.keeps(schema, value, place)?;
        let Some(object) = value.as_object() else { return Ok(()) };
        let mut keys = Keys::default();
        self.gather(schema, value, &mut keys)?;
        match object.keys().find(|key| !keys.open && !keys.named.contains(*key)) {
            Some(key) => Err(format!("{place}.{key}: the schema has no such key")),
            None => Ok(()),
        }
    }

    fn keeps(&self, schema: &Value, value: &Value, place: &str) -> Result<(), String> {
        let Some(words) = schema.as_object() else {
            return if schema == &Value::Bool(true) { Ok(()) } else { Err(format!("{place}: nothing may be there")) };
        };
        for (word, says) in words {
            match word.as_str() {
                "$schema"
                | "$id"
                | "$defs"
                | "title"
                | "description"
                | "default"
                | "additionalProperties"
                | "unevaluatedProperties" => {}
                "$ref" => self.keeps(self.reference(says)?, value, place)?,
                "type" => of_type(says, value, place)?,
                "enum" => one_of(says, value, place)?,
                "const" if says == value => {}
                "const" => return Err(format!("{place}: {value} is not {says}")),
                "minimum" => at_least(says, value.as_f64(), place)?,
                "minItems" => at_least(says, value.as_array().map(|all| all.len() as f64), place)?,
                "maximum" => at_most(says, value.as_f64(), place)?,
                "maxItems" => at_most(says, value.as_array().map(|all| all.len() as f64), place)?,
                "required" => required(says, value, place)?,
                "items" => self.items(says, value, place)?,
                "properties" => self.properties(says, value, place)?,
                "allOf" => {
                    says.as_array().into_iter().flatten().try_for_each(|one| self.keeps(one, value, place))?;
                }
                "anyOf" | "oneOf" => self.any(says, value, place)?,
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

    fn properties(&self, says: &Value, value: &Value, place: &str) -> Result<(), String> {
        let (Some(known), Some(object)) = (says.as_object(), value.as_object()) else { return Ok(()) };
        let mut there = known.iter().filter_map(|(key, schema)| Some((key, schema, object.get(key)?)));
        there.try_for_each(|(key, schema, value)| self.check(schema, value, &format!("{place}.{key}")))
    }

    /// Why the last of several was not kept, where none was.
    fn any(&self, says: &Value, value: &Value, place: &str) -> Result<(), String> {
        let mut wrong = format!("{place}: there is nothing to choose from");
        for one in says.as_array().into_iter().flatten() {
            match self.keeps(one, value, place) {
                Ok(()) => return Ok(()),
                Err(why) => wrong = why,
            }
        }
        Err(wrong)
    }

    /// The keys of everything that speaks about this object; of several to choose from, of those that it keeps.
    fn gather(&self, schema: &Value, value: &Value, keys: &mut Keys) -> Result<(), String> {
        let Some(words) = schema.as_object() else {
            keys.open = true;
            return Ok(());
        };
        keys.named
            .extend(words.get("properties").and_then(Value::as_object).into_iter().flat_map(|all| all.keys().cloned()));
        keys.open |= words.get("additionalProperties").is_some_and(|others| others != &Value::Bool(false));
        if let Some(says) = words.get("$ref") {
            self.gather(self.reference(says)?, value, keys)?;
        }
        for word in ["allOf", "anyOf", "oneOf"] {
            for one in words.get(word).and_then(Value::as_array).into_iter().flatten() {
                if self.keeps(one, value, "").is_ok() {
                    self.gather(one, value, keys)?;
                }
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

fn at_least(says: &Value, number: Option<f64>, place: &str) -> Result<(), String> {
    let below = number.zip(says.as_f64()).is_some_and(|(number, least)| number < least);
    if below { Err(format!("{place}: less than {says}")) } else { Ok(()) }
}

fn at_most(says: &Value, number: Option<f64>, place: &str) -> Result<(), String> {
    let above = number.zip(says.as_f64()).is_some_and(|(number, most)| number > most);
    if above { Err(format!("{place}: more than {says}")) } else { Ok(()) }
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
        "properties": {
            "rows": { "type": "integer", "minimum": 1 },
            "groups": { "type": "array", "items": { "$ref": "#/$defs/group" } },
        },
        "oneOf": [
            { "properties": { "of": { "const": "labels" } }, "required": ["of"] },
            { "properties": { "on": { "enum": ["test", "training"] } }, "required": ["on"] },
        ],
        "required": ["rows"],
        "$defs": { "group": { "type": ["string", "null"] } },
    });
    let check = |value| (Schema { root: &schema }).check(&schema, &value, "$");
    assert_eq!(check(json!({ "rows": 3, "groups": ["a", null], "of": "labels" })), Ok(()));
    assert_eq!(check(json!({ "rows": 3, "on": "test" })), Ok(()));
    assert_eq!(
        check(json!({ "rows": 3, "on": "test", "group": [] })).unwrap_err(),
        "$.group: the schema has no such key"
    );
    assert_eq!(check(json!({ "groups": [], "on": "test" })).unwrap_err(), "$: the key \"rows\" is missing");
    assert_eq!(check(json!({ "rows": 0, "on": "test" })).unwrap_err(), "$.rows: less than 1");
    assert!(check(json!({ "rows": 3.5, "on": "test" })).unwrap_err().contains("is not of type"));
    assert!(check(json!({ "rows": 3, "on": "other" })).unwrap_err().contains("is none of"));
    assert!(check(json!({ "rows": 3, "on": "test", "groups": [1] })).unwrap_err().starts_with("$.groups[0]: 1"));
}

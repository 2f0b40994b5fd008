//! Model files: changed and sealed again, so that only their content can betray them.

use arbitrary::{Result, Unstructured};
use evenhand::Model;
use evenhand::correction::Solver;
use serde_json::{Value, json};

use super::{Checked, choice, holds, must};
use crate::ground::Ground;
use crate::mutate::mutate;

/// A model whose JSON was changed in a few places.
pub(super) fn make(ground: &Ground, from: &mut Unstructured<'_>) -> Result<Vec<u8>> {
    if let Some(mut kept) = ground.kept("model", from)? {
        mutate(&mut kept, from)?;
        return Ok(kept);
    }
    let mut json = from.choose(&ground.models)?.clone();
    for _ in 0..from.int_in_range(1..=3)? {
        change(&mut json, from)?;
    }
    Ok(json.to_string().into_bytes())
}

/// Goes down to some part and changes it.
fn change(json: &mut Value, from: &mut Unstructured<'_>) -> Result<()> {
    let mut at = json;
    loop {
        let children = match &*at {
            Value::Object(map) => map.len(),
            Value::Array(all) => all.len(),
            _ => 0,
        };
        if children == 0 || from.ratio(1, 9)? {
            break;
        }
        let child = from.choose_index(children)?;
        at = match at {
            Value::Object(map) => match map.values_mut().nth(child) {
                Some(value) => value,
                None => return Ok(()),
            },
            Value::Array(all) => &mut all[child],
            _ => return Ok(()),
        };
    }
    replace(at, from)
}

fn replace(at: &mut Value, from: &mut Unstructured<'_>) -> Result<()> {
    match at {
        Value::Array(all) if !all.is_empty() => {
            let place = from.choose_index(all.len())?;
            match from.int_in_range(0..=3)? {
                0 => drop(all.remove(place)),
                1 => all.push(all[place].clone()),
                2 => all.clear(),
                _ => all.reverse(),
            }
        }
        Value::Object(map) if !map.is_empty() && from.arbitrary()? => {
            let key = from.choose_index(map.len())?;
            if let Some(key) = map.keys().nth(key).cloned() {
                map.remove(&key);
            }
        }
        other => *other = value(other, from)?,
    }
    Ok(())
}

fn value(old: &Value, from: &mut Unstructured<'_>) -> Result<Value> {
    let numbers =
        [json!(0), json!(1), json!(2), json!(-1), json!(3), json!(1e308), json!(-1e308), json!(5e-324), json!(0.5)];
    let large = [json!(u64::MAX), json!(1_000_000), json!(4_294_967_296_u64), json!(i64::MIN)];
    Ok(match (old, from.int_in_range(0..=7)?) {
        (Value::Number(_), 0..=4) => from.choose(&numbers)?.clone(),
        (Value::Number(_), 5) => from.choose(&large)?.clone(),
        (Value::Number(number), _) => json!(number.as_f64().unwrap_or(0.0) * 2.0),
        (Value::String(_), 0..=5) => {
            json!(*from.choose(&["", "yes", "no", "sex", "age", "x", "any", "overall", "demographic-parity"])?)
        }
        (_, 0) => Value::Null,
        (_, 1) => json!([]),
        (_, 2) => json!({}),
        (_, 3) => json!(""),
        (_, 4) => json!([old, old]),
        (_, 5) => json!(from.arbitrary::<bool>()?),
        _ => json!({ "as": 7 }),
    })
}

pub(super) fn check(ground: &Ground, input: &[u8]) -> Checked {
    let text = String::from_utf8_lossy(input);
    let Ok(model) = Model::from_json(&text) else { return Ok(false) };
    let again = model.to_json().map_err(|error| format!("a model that was read cannot be written: {error}"))?;
    let again =
        Model::from_json(&again).map_err(|error| format!("a model that was written cannot be read: {error}"))?;
    must(again == model, || "a model is another after it was written and read".into())?;
    if let Ok(predictions) = model.predict(&ground.applicants) {
        must(predictions.classes == model.binding.classes().len(), || "it predicts other classes".into())?;
        holds::are_probabilities(&predictions)?;
    }
    // Verifying does the run again: only where that is short.
    let short = match model.settings.solver {
        Solver::Sqp(settings) => settings.max_fits <= 100 && settings.refinement_evaluations <= 10_000,
        // As many loops as the file says it took.
        Solver::Loop(_) => model.trace.len() <= 10,
    };
    if short && choice(input, 32) == 0 {
        let _ = model.verify(ground.applicants.clone());
    }
    Ok(true)
}

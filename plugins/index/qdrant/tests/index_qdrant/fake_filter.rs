//! Filters of payloads as Qdrant reads them. What it does not know is an error.

use serde_json::{Map, Value};

/// Whether a point passes a filter.
pub fn passes(filter: &Value, payload: &Map<String, Value>) -> Result<bool, String> {
    let Some(filter) = filter.as_object() else {
        return Err("a filter is an object".to_owned());
    };
    let mut passes = true;
    for (clause, conditions) in filter {
        let conditions = conditions.as_array().ok_or("conditions are a list")?;
        let held = conditions.iter().map(|one| condition(one, payload));
        let held = held.collect::<Result<Vec<bool>, String>>()?;
        passes &= match clause.as_str() {
            "must" => held.iter().all(|held| *held),
            "must_not" => !held.iter().any(|held| *held),
            "should" => held.is_empty() || held.iter().any(|held| *held),
            other => return Err(format!("unknown clause `{other}`")),
        };
    }
    Ok(passes)
}

fn condition(condition: &Value, payload: &Map<String, Value>) -> Result<bool, String> {
    let Some(key) = condition.get("key") else {
        return passes(condition, payload);
    };
    let value = payload.get(key.as_str().ok_or("a key is a string")?);
    let members = condition.as_object().ok_or("a condition is an object")?;
    if members.len() != 2 {
        return Err(format!("a condition has a key and one test: {condition}"));
    }
    match (condition.get("match"), condition.get("range")) {
        (Some(wanted), None) => matches(wanted, value),
        (None, Some(range)) => within(range, value),
        _ => Err(format!("unknown condition {condition}")),
    }
}

fn matches(wanted: &Value, value: Option<&Value>) -> Result<bool, String> {
    if let Some(any) = wanted.get("any") {
        let any = any.as_array().ok_or("`any` is a list")?;
        return Ok(value.is_some_and(|value| any.contains(value)));
    }
    let wanted = wanted.get("value").ok_or("`match` has `value` or `any`")?;
    Ok(value == Some(wanted))
}

fn within(range: &Value, value: Option<&Value>) -> Result<bool, String> {
    let Some(value) = value.and_then(Value::as_f64) else {
        return Ok(false);
    };
    let bounds = range.as_object().ok_or("a range is an object")?;
    let mut is_within = true;
    for (name, bound) in bounds {
        let bound = bound.as_f64().ok_or("a bound is a number")?;
        is_within &= match name.as_str() {
            "gte" => value >= bound,
            "lte" => value <= bound,
            other => return Err(format!("unknown bound `{other}`")),
        };
    }
    Ok(is_within)
}

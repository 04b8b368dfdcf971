//! Filters as filters of payloads.
//!
//! | condition | filter |
//! |---|---|
//! | equals | `match.value`: the text to the letter, or the number or boolean that it is |
//! | any of | `should` of these |
//! | contains | `match.text` |
//! | a number within bounds | `range` |
//! | a time within bounds | `range` of times |
//!
//! Qdrant compares texts to the letter, so that `author: lee` finds no `Lee`.
//! Of `contains` it compares words where the payload has a full-text index, and
//! parts of the text otherwise. What a filter means is decided by the host: of
//! what Qdrant finds, it drops what does not pass.

use gannet_federation::{Documents, range_of_numbers, range_of_times};
use gannet_plugin::filter::{Condition, Filter, FilterClause};
use serde_json::{Value, json};

/// A filter for the server: null where it need not filter, `None` where no
/// point of the collection can pass.
pub fn of(filter: &Filter, documents: &Documents) -> Option<Value> {
    let mut must = Vec::new();
    for clause in &filter.clauses {
        match documents.decides(clause) {
            Some(true) => {}
            Some(false) => return None,
            None => must.extend(condition(clause, documents)?),
        }
    }
    Some(match must.is_empty() {
        true => Value::Null,
        false => json!({ "must": must }),
    })
}

/// A clause as conditions that must all hold; `None` where no point can pass.
fn condition(clause: &FilterClause, documents: &Documents) -> Option<Vec<Value>> {
    let keys = documents.keys(&clause.field);
    if keys.is_empty() {
        return of_ids(clause, documents);
    }
    let fields = keys
        .into_iter()
        .flat_map(|key| of_key(key, clause, documents));
    any_of(fields.collect()).map(|one| vec![one])
}

fn of_key(key: &str, clause: &FilterClause, documents: &Documents) -> Vec<Value> {
    let is_id = documents.fields().id.as_deref() == Some(key);
    let own = |text: &str| match is_id {
        true => documents.own_id(text).map(str::to_owned),
        false => Some(text.to_owned()),
    };
    match &clause.condition {
        Condition::Equals(text) => equals(key, own(text)),
        Condition::AnyOf(texts) => {
            let texts = texts.iter();
            texts.flat_map(|text| equals(key, own(text))).collect()
        }
        Condition::Contains(text) => vec![json!({ "key": key, "match": { "text": text } })],
        Condition::Number(range) => vec![json!({ "key": key, "range": range_of_numbers(range) })],
        Condition::Time(range) => vec![json!({ "key": key, "range": range_of_times(range) })],
    }
}

/// A payload says `3` or `"3"`.
fn equals(key: &str, text: Option<String>) -> Vec<Value> {
    let Some(text) = text else {
        return Vec::new();
    };
    let number = text.parse::<i64>().ok().map(Value::from);
    let flag = text.parse::<bool>().ok().map(Value::from);
    let values = [Some(Value::from(text)), number, flag];
    let values = values.into_iter().flatten();
    let matching = values.map(|value| json!({ "key": key, "match": { "value": value } }));
    matching.collect()
}

/// Points by the ids that the server gave: numbers and UUIDs.
fn of_ids(clause: &FilterClause, documents: &Documents) -> Option<Vec<Value>> {
    let ids: Vec<&str> = match &clause.condition {
        Condition::Equals(id) => vec![id],
        Condition::AnyOf(ids) => ids.iter().map(String::as_str).collect(),
        // Only the host can tell.
        _ => return Some(Vec::new()),
    };
    let own = ids.into_iter().filter_map(|id| documents.own_id(id));
    let own: Vec<Value> = own.filter_map(point_id).collect();
    (!own.is_empty()).then(|| vec![json!({ "has_id": own })])
}

fn point_id(id: &str) -> Option<Value> {
    let is_hexadecimal = |part: &str| part.chars().all(|c| c.is_ascii_hexdigit());
    let lengths: Vec<usize> = id.split('-').map(str::len).collect();
    let is_uuid = lengths == [8, 4, 4, 4, 12] && id.split('-').all(is_hexadecimal);
    match id.parse::<u64>() {
        Ok(number) => Some(number.into()),
        Err(_) => is_uuid.then(|| id.into()),
    }
}

fn any_of(mut conditions: Vec<Value>) -> Option<Value> {
    match conditions.len() {
        0 => None,
        1 => Some(conditions.swap_remove(0)),
        _ => Some(json!({ "should": conditions })),
    }
}

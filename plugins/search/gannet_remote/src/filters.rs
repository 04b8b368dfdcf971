//! Filters as `POST /api/search` takes them: names with values as text.
//!
//! What cannot be said there is left out, and the module drops what does not
//! pass: two clauses of one field, a metadata value that contains a text, texts
//! with signs that mean something in a value.

use gannet_plugin::filter::{Condition, Filter, FilterClause, FilterField, NumberRange, TimeRange};
use serde_json::{Map, Value};

/// The filters for the other Gannet; `None` where no entry of it can pass.
pub fn of(filter: &Filter, prefix: &str) -> Option<Map<String, Value>> {
    let mut filters = Map::new();
    for clause in &filter.clauses {
        let pairs = match &clause.field {
            FilterField::EntryId => ids(clause, prefix)?,
            FilterField::Timestamp => times(clause),
            field => value(clause)
                .map(|value| (field.query_name(), value))
                .into_iter()
                .collect(),
        };
        for (name, value) in pairs {
            filters.entry(name).or_insert(value.into());
        }
    }
    Some(filters)
}

fn value(clause: &FilterClause) -> Option<String> {
    match &clause.condition {
        Condition::Equals(text) => Some(text).filter(|text| is_plain(text)).cloned(),
        Condition::AnyOf(texts) => {
            let is_sayable = !texts.is_empty() && texts.iter().all(|text| is_plain(text));
            is_sayable.then(|| texts.join("|"))
        }
        // A value of `author` is a part of the name there.
        Condition::Contains(text) if clause.field == FilterField::Author => {
            Some(text).filter(|text| is_plain(text)).cloned()
        }
        Condition::Contains(_) | Condition::Time(_) => None,
        Condition::Number(range) => number(range),
    }
}

/// Whether a value means its text.
fn is_plain(text: &str) -> bool {
    let text = text.trim();
    let is_range = text.contains("..") || text.starts_with(['<', '>']);
    !text.is_empty() && !is_range && !text.contains(['|', '*', '?', '"', '\\', '/'])
}

/// One bound; of several the first.
fn number(range: &NumberRange) -> Option<String> {
    let signs = [
        (">=", range.at_least),
        (">", range.above),
        ("<=", range.at_most),
        ("<", range.below),
    ];
    let mut set = signs.into_iter();
    set.find_map(|(sign, bound)| Some(format!("{sign}{}", bound?)))
}

fn times(clause: &FilterClause) -> Vec<(String, String)> {
    let Condition::Time(TimeRange { from, until }) = &clause.condition else {
        return Vec::new();
    };
    let bounds = [("start_date", from), ("end_date", until)];
    let set = bounds.into_iter();
    set.filter_map(|(name, bound)| Some((name.to_owned(), bound.as_ref()?.to_string())))
        .collect()
}

/// Ids without the prefix; `None` where none of them has it.
fn ids(clause: &FilterClause, prefix: &str) -> Option<Vec<(String, String)>> {
    let ids: Vec<&str> = match &clause.condition {
        Condition::Equals(id) => vec![id],
        Condition::AnyOf(ids) => ids.iter().map(String::as_str).collect(),
        _ => return Some(Vec::new()),
    };
    let own: Vec<&str> = ids
        .iter()
        .filter_map(|id| id.strip_prefix(prefix))
        .collect();
    if own.is_empty() {
        return None;
    }
    let is_sayable = own.iter().all(|id| is_plain(id));
    Some(match is_sayable {
        true => vec![("id".to_owned(), own.join("|"))],
        false => Vec::new(),
    })
}

//! What filters look at, worked out when an entry is written.
//!
//! A filter compares texts in Rust's lower case, reads numbers and instants
//! out of texts as Rust does, and takes the first of several metadata keys.
//! PostgreSQL's own case folding depends on the database's locale and
//! version. So all of it is worked out here and kept beside the entry.

use gannet_api::{Entry, FilterField, fold};
use jiff::Timestamp;
use serde_json::{Map, Value};

use crate::stored::scalars;

/// The values of an entry by the name of the filter field.
#[derive(Debug, PartialEq)]
pub(super) struct Facets {
    /// The id in lower case, where that differs from the id.
    pub(super) id_folded: Option<String>,
    /// `{field: [text in lower case, …]}`.
    pub(super) texts: Value,
    /// `{field: ["1.5e0", …]}`; texts, since JSON has no infinity.
    pub(super) numbers: Option<Value>,
    /// `{field: ["nanoseconds since 1970", …]}`.
    pub(super) instants: Option<Value>,
}

#[derive(Default)]
struct Collected {
    texts: Map<String, Value>,
    numbers: Map<String, Value>,
    instants: Map<String, Value>,
}

impl Facets {
    /// Of an entry whose metadata holds what enhancers added.
    pub(super) fn of(entry: &Entry) -> Self {
        let mut collected = Collected::default();
        for (field, text) in [
            (FilterField::Author, &entry.author),
            (FilterField::SourceSystem, &entry.source_system),
            (FilterField::Kind, &entry.kind),
        ] {
            collected.add(&field, vec![text.clone()]);
        }
        // Fields that read several keys may lack the one they are named for.
        let keys = entry.metadata.keys().map(String::as_str);
        for key in keys.chain(["logbook", "tags"]) {
            let field = FilterField::Metadata(key.to_owned());
            let mut read = field.metadata_keys().into_iter();
            if let Some(value) = read.find_map(|key| entry.metadata.get(key)) {
                let mut texts = Vec::new();
                scalars(value, &mut texts);
                collected.add(&field, texts);
            }
        }
        let folded = fold(&entry.entry_id);
        let filled = |map: Map<String, Value>| (!map.is_empty()).then_some(Value::Object(map));
        Self {
            id_folded: (folded != entry.entry_id).then_some(folded),
            texts: Value::Object(collected.texts),
            numbers: filled(collected.numbers),
            instants: filled(collected.instants),
        }
    }
}

impl Collected {
    fn add(&mut self, field: &FilterField, texts: Vec<String>) {
        let Some(name) = name(field) else { return };
        let put = |map: &mut Map<String, Value>, values: Vec<String>| {
            if !values.is_empty() {
                map.insert(name.clone(), Value::from(values));
            }
        };
        put(
            &mut self.numbers,
            texts.iter().filter_map(|text| number(text)).collect(),
        );
        put(
            &mut self.instants,
            texts.iter().filter_map(|text| instant(text)).collect(),
        );
        put(
            &mut self.texts,
            texts.iter().map(|text| fold(text)).collect(),
        );
    }
}

/// The name of a field in the facets; `None` for the id and the timestamp,
/// which have columns of their own.
pub(super) fn name(field: &FilterField) -> Option<String> {
    match field {
        FilterField::Author => Some("author".to_owned()),
        FilterField::SourceSystem => Some("source_system".to_owned()),
        FilterField::Kind => Some("kind".to_owned()),
        FilterField::Metadata(key) => Some(format!("metadata.{key}")),
        FilterField::EntryId | FilterField::Timestamp => None,
    }
}

/// A number as `float8` reads it back bit for bit.
fn number(text: &str) -> Option<String> {
    let number: f64 = text.trim().parse().ok()?;
    Some(format!("{number:e}"))
}

fn instant(text: &str) -> Option<String> {
    let instant: Timestamp = text.trim().parse().ok()?;
    Some(instant.as_nanosecond().to_string())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use super::*;
    use serde_json::json;

    #[test]
    fn values_are_kept_in_the_form_that_filters_compare() {
        let mut entry = Entry::new("Run-1", "ALS", Timestamp::UNIX_EPOCH, "text");
        entry.author = "ÖLAF".to_owned();
        entry.metadata = json!({
            "tag": ["RF", ["inf"], null],
            "energy": "1.50",
            "day": "1970-01-01T00:00:01Z",
            "tags": {"not": "a value"},
        })
        .as_object()
        .unwrap()
        .clone();
        let facets = Facets::of(&entry);
        assert_eq!(facets.id_folded.as_deref(), Some("run-1"));
        assert_eq!(
            facets.texts,
            json!({
                "author": ["ölaf"], "kind": ["logbook"], "source_system": ["als"],
                "metadata.tag": ["rf", "inf"], "metadata.energy": ["1.50"],
                "metadata.day": ["1970-01-01t00:00:01z"],
            })
        );
        assert_eq!(
            facets.numbers,
            Some(json!({"metadata.tag": ["inf"], "metadata.energy": ["1.5e0"]}))
        );
        assert_eq!(
            facets.instants,
            Some(json!({"metadata.day": ["1000000000"]}))
        );
    }
}

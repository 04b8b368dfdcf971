//! Records of another shape, brought into the shape that the adapter reads.

use gannet_plugin::ingest::{Read, join_title};
use gannet_plugin::prelude::settings;
use serde_json::{Map, Value};

/// Where the parts of an entry stand in a record of another shape. A path of
/// several parts, `meta.created`, leads through objects; a number is the place
/// in a list, and any other part behind a list is taken of every member:
/// `logbooks.name` gives the names of all logbooks.
#[settings]
#[derive(PartialEq, Eq)]
pub struct FieldMap {
    /// The entry's id.
    pub id: Option<String>,
    /// When it was logged.
    pub timestamp: Option<String>,
    /// Whether a number there counts milliseconds since 1970, not seconds.
    pub milliseconds: bool,
    /// Who wrote it.
    pub author: Option<String>,
    /// Its title.
    pub title: Option<String>,
    /// Its text: one path, or several whose texts are joined as paragraphs.
    #[setting(default = Vec::new())]
    pub text: Vec<String>,
    /// Its attachments: objects with a `url`.
    pub attachments: Option<String>,
    /// What becomes metadata, under the path with `_` for each dot; all keys
    /// that nothing else is read from when not set.
    pub metadata: Option<Vec<String>>,
}

impl FieldMap {
    /// Whether it names anything.
    pub(crate) fn is_set(&self) -> bool {
        *self != Self::default()
    }

    /// What a part of an entry is called in the source.
    pub(crate) fn name<'a>(&'a self, key: &'a str) -> &'a str {
        let named = match key {
            "id" => &self.id,
            "timestamp" => &self.timestamp,
            "author" => &self.author,
            "title" => &self.title,
            "attachments" => &self.attachments,
            _ => &None,
        };
        named.as_deref().unwrap_or(key)
    }

    /// A record in the shape that the adapter reads.
    pub(crate) fn apply(&self, record: &Value) -> Read<Map<String, Value>> {
        let mut fields = Map::new();
        for key in ["id", "timestamp", "author", "title", "attachments"] {
            if let Some(value) = at(record, self.name(key)) {
                fields.insert(key.to_owned(), value);
            }
        }
        if let (true, Some(Value::Number(number))) = (self.milliseconds, fields.get("timestamp")) {
            let seconds = number.as_f64().map(|milliseconds| milliseconds / 1e3);
            fields.insert("timestamp".to_owned(), seconds.into());
        }
        let mut text = String::new();
        for path in self.text_paths() {
            match at(record, path) {
                None | Some(Value::Null) => {}
                Some(Value::String(part)) => text = join_title(&text, &part),
                Some(other) => return Err(format!("`{path}` {other} is not a string")),
            }
        }
        fields.insert("text".to_owned(), text.into());
        fields.insert("metadata".to_owned(), self.read_metadata(record).into());
        Ok(fields)
    }

    fn text_paths(&self) -> Vec<&str> {
        match self.text.is_empty() {
            true => vec!["text"],
            false => self.text.iter().map(String::as_str).collect(),
        }
    }

    fn read_metadata(&self, record: &Value) -> Map<String, Value> {
        let metadata: Map<String, Value> = match &self.metadata {
            Some(paths) => {
                let values = paths
                    .iter()
                    .filter_map(|path| Some((path, at(record, path)?)));
                values
                    .map(|(path, value)| (path.replace('.', "_"), value))
                    .collect()
            }
            None => {
                let used: Vec<&str> = ["id", "timestamp", "author", "title", "attachments"]
                    .into_iter()
                    .map(|key| self.name(key))
                    .chain(self.text_paths())
                    .map(|path| path.split('.').next().unwrap_or(path))
                    .collect();
                let keys = record.as_object().into_iter().flatten();
                let left = keys.filter(|(key, _)| !used.contains(&key.as_str()));
                left.map(|(key, value)| (key.clone(), value.clone()))
                    .collect()
            }
        };
        metadata
            .into_iter()
            .filter(|(_, value)| !value.is_null())
            .collect()
    }
}

/// The value at a path.
fn at(value: &Value, path: &str) -> Option<Value> {
    // A key may contain a dot.
    if let Some(member) = value.get(path) {
        return Some(member.clone());
    }
    let (first, rest) = path.split_once('.').unwrap_or((path, ""));
    let member = match (value, first.parse::<usize>()) {
        (Value::Array(members), Ok(place)) => members.get(place)?,
        (Value::Array(members), Err(_)) => {
            let values: Vec<Value> = members.iter().filter_map(|one| at(one, path)).collect();
            return (!values.is_empty()).then_some(Value::Array(values));
        }
        _ => value.get(first)?,
    };
    match rest.is_empty() {
        true => Some(member.clone()),
        false => at(member, rest),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use serde_json::json;

    use super::*;

    fn map(settings: Value) -> FieldMap {
        gannet_plugin::testing::settings(settings).unwrap()
    }

    #[test]
    fn paths_lead_through_objects_and_lists() {
        let record = json!({"a": {"b": [1, {"c": 2}]}, "books": [{"name": "x"}, {"name": "y"}, 5], "d.e": 3});
        for (path, value) in [
            ("a.b.1.c", Some(json!(2))),
            ("a.b.0", Some(json!(1))),
            ("a.b.7", None),
            ("a.x", None),
            ("books.name", Some(json!(["x", "y"]))),
            ("books.size", None),
            ("d.e", Some(json!(3))),
            ("", None),
        ] {
            assert_eq!(at(&record, path), value, "{path}");
        }
    }

    #[test]
    fn a_record_of_another_shape_is_brought_into_ours() {
        let map = map(json!({
            "id": "uid", "timestamp": "meta.at", "milliseconds": true, "author": "by.name",
            "text": ["what", "then"],
        }));
        let record = json!({
            "uid": 7, "meta": {"at": 1500}, "by": {"name": "Lee"}, "what": "A", "then": "B",
            "shift": "Day", "nothing": null, "text": "kept",
        });
        let expected = json!({
            "id": 7, "timestamp": 1.5, "author": "Lee", "text": "A\n\nB",
            "metadata": {"shift": "Day", "text": "kept"},
        });
        assert_eq!(Value::from(map.apply(&record).unwrap()), expected);
        assert!(
            map.apply(&json!({"what": 5}))
                .unwrap_err()
                .starts_with("`what` 5")
        );
    }

    #[test]
    fn metadata_that_is_named_is_all_there_is() {
        let map = map(json!({"metadata": ["books.name", "shift", "none"]}));
        let record = json!({"books": [{"name": "RF"}], "shift": "Day", "other": 1});
        let fields = map.apply(&record).unwrap();
        assert_eq!(
            fields["metadata"],
            json!({"books_name": ["RF"], "shift": "Day"})
        );
    }
}

//! Fields of records that are JSON objects, and what becomes of them.

use gannet_plugin::entry::Attachment;
use gannet_plugin::ingest::{Read, read_timestamp};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::{Map, Value};

/// A key's value, where it is there and not null.
pub fn present<'a>(fields: &'a Map<String, Value>, key: &str) -> Option<&'a Value> {
    fields.get(key).filter(|value| !value.is_null())
}

/// A key's text; empty where it is missing or null.
///
/// # Errors
/// A reason, where it is another kind of value.
pub fn read_string<'a>(fields: &'a Map<String, Value>, key: &str) -> Read<&'a str> {
    match present(fields, key) {
        None => Ok(""),
        Some(Value::String(text)) => Ok(text),
        Some(other) => Err(format!("`{key}` {other} is not a string")),
    }
}

/// A key's time, as by [`read_timestamp`].
///
/// # Errors
/// A reason, where it is missing or not a time.
pub fn read_time(fields: &Map<String, Value>, key: &str, zone: &TimeZone) -> Read<Timestamp> {
    let time = present(fields, key).ok_or_else(|| format!("no `{key}`"))?;
    read_timestamp(key, time, zone)
}

/// The members of a key's list; none where it is not a list.
///
/// ```
/// use serde_json::{Map, json};
///
/// let record = json!({"books": ["RF", "Operations"], "tags": "trip"});
/// let fields = record.as_object().unwrap();
/// let books: Vec<_> = gannet_sources::members(fields, "books").collect();
/// assert_eq!(books, ["RF", "Operations"]);
/// assert_eq!(gannet_sources::members(fields, "tags").count(), 0);
/// ```
pub fn members<'a>(
    fields: &'a Map<String, Value>,
    key: &str,
) -> impl Iterator<Item = &'a Value> + use<'a> {
    let members = fields.get(key).and_then(Value::as_array);
    members.into_iter().flatten()
}

/// The members of a record's `attachments` that have a `url`; of others there
/// is nothing to open. Their `type`, `filename`, `thumbnail_url` (or
/// `thumbnail`) and `caption` are read where they are texts.
pub fn read_attachments(fields: &Map<String, Value>) -> Vec<Attachment> {
    let attachments = members(fields, "attachments").filter_map(|member| {
        let text = |key: &str| member.get(key).and_then(Value::as_str).map(str::to_owned);
        let url = text("url").filter(|url| !url.is_empty())?;
        Some(
            Attachment::default()
                .with_url(url)
                .with_mime_type(text("type"))
                .with_filename(text("filename"))
                .with_thumbnail_url(text("thumbnail_url").or_else(|| text("thumbnail")))
                .with_caption(text("caption")),
        )
    });
    attachments.collect()
}

/// Adds a field to metadata, unless it is null or an empty text, list or
/// object.
pub fn add_filled(metadata: &mut Map<String, Value>, key: &str, value: impl Into<Value>) {
    let value = value.into();
    let is_empty = match &value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(members) => members.is_empty(),
        Value::Object(members) => members.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    };
    if !is_empty {
        metadata.insert(key.to_owned(), value);
    }
}

/// Adds the fields of a record's own `metadata` to those that were read from
/// other keys, in the place of those of the same name.
///
/// # Errors
/// A reason, where `metadata` is there and not an object.
pub fn add_own_metadata(
    metadata: &mut Map<String, Value>,
    fields: &Map<String, Value>,
) -> Read<()> {
    match present(fields, "metadata") {
        None => {}
        Some(Value::Object(own)) => metadata.extend(own.clone()),
        Some(other) => return Err(format!("`metadata` {other} is not a JSON object")),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use serde_json::json;

    use super::*;

    #[test]
    fn a_time_is_required_and_named_by_its_key() {
        let record = json!({"at": "1970-01-01T01:00:00Z", "soon": "soon", "none": null});
        let read = |key| read_time(record.as_object().unwrap(), key, &TimeZone::UTC);
        assert_eq!(read("at").unwrap().as_second(), 3_600);
        assert_eq!(read("none").unwrap_err(), "no `none`");
        assert_eq!(read("missing").unwrap_err(), "no `missing`");
        assert!(read("soon").unwrap_err().starts_with("`soon` \"soon\" is"));
    }

    #[test]
    fn attachments_have_an_address_and_the_texts_that_are_there() {
        let record = json!({"attachments": [
            "a.png", {"caption": "no url"}, {"url": ""}, {"url": 5},
            {"url": "https://log.lab.example/a.png", "type": "image/png", "filename": 7},
            {"url": "b.txt", "thumbnail": "b.png", "caption": "Orbit"},
            {"url": "c.txt", "thumbnail_url": "c.png", "thumbnail": "b.png"},
        ]});
        let picture = Attachment::default()
            .with_url("https://log.lab.example/a.png".to_owned())
            .with_mime_type("image/png".to_owned());
        let text = Attachment::default()
            .with_url("b.txt".to_owned())
            .with_thumbnail_url("b.png".to_owned())
            .with_caption("Orbit".to_owned());
        let other = Attachment::default()
            .with_url("c.txt".to_owned())
            .with_thumbnail_url("c.png".to_owned());
        assert_eq!(
            read_attachments(record.as_object().unwrap()),
            [picture, text, other]
        );
        assert!(read_attachments(&Map::new()).is_empty());
    }

    #[test]
    fn metadata_has_what_is_filled_and_a_records_own_wins() {
        let mut metadata = Map::new();
        for (key, value) in [
            ("null", json!(null)),
            ("text", json!("")),
            ("list", json!([])),
            ("object", json!({})),
            ("zero", json!(0)),
            ("no", json!(false)),
            ("level", json!("Info")),
        ] {
            add_filled(&mut metadata, key, value);
        }
        assert_eq!(
            json!(metadata),
            json!({"zero": 0, "no": false, "level": "Info"})
        );

        let record = json!({"metadata": {"level": "Problem", "shift": "Day"}, "zero": 1});
        add_own_metadata(&mut metadata, record.as_object().unwrap()).unwrap();
        assert_eq!(
            json!(metadata),
            json!({"zero": 0, "no": false, "level": "Problem", "shift": "Day"})
        );

        let wrong = json!({"metadata": ["x"]});
        let refused = add_own_metadata(&mut metadata, wrong.as_object().unwrap());
        assert_eq!(
            refused.unwrap_err(),
            "`metadata` [\"x\"] is not a JSON object"
        );
        assert!(add_own_metadata(&mut metadata, &Map::new()).is_ok());
    }
}

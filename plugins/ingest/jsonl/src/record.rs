//! One line, as an entry.
//!
//! A record with `entry_id` is a whole entry, and its fields are those of
//! [`Entry`]. Any other is a document:
//!
//! | in the line | in the entry |
//! |---|---|
//! | `id` (text or whole number) | `entry_id` |
//! | `title`, `text` | `raw_text`: both, with a blank line between |
//! | `title` | `metadata.title` |
//! | `author`, `timestamp`, `source_system`, `kind`, `attachments`, `summary`, `keywords` | the field of that name |
//! | every other key | `metadata`, under the same name |
//! | `metadata` | `metadata`, over what is there already |
//!
//! Of both: null is the same as nothing; a time without an offset is one of
//! the facility's zone; the tenant is that of the call, whatever the line
//! says; and no enhancement counts as done, because what it made does not come
//! with the line.

use gannet_plugin::ingest::{RejectedRecord, join_title, read_id, read_timestamp};
use gannet_plugin::prelude::{Entry, Record};
use gannet_sources::Line;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::{Map, Value};

/// What every line is converted with.
#[derive(Debug, Clone)]
pub struct Conversion {
    /// Where entries say they came from, when the record does not.
    pub source_system: String,
    /// What sort of text it is, when the record does not say.
    pub kind: String,
    /// Whose entries they are.
    pub tenant: String,
    /// The zone of times without an offset.
    pub zone: TimeZone,
    /// The time of records that have none.
    pub default_timestamp: Option<Timestamp>,
}

type Fields = Map<String, Value>;
type Read<T> = std::result::Result<T, String>;

/// The fields of an entry that a document may have too.
const SHARED_FIELDS: [&str; 7] = [
    "author",
    "timestamp",
    "source_system",
    "kind",
    "attachments",
    "summary",
    "keywords",
];

/// The fields of an entry that only a store can say.
const OF_THE_STORE: [&str; 3] = ["enhancement_status", "created_at", "updated_at"];

impl Conversion {
    /// Converts one line; a blank one is nothing.
    pub(crate) fn record(&self, line: &Line) -> Option<Record> {
        let bytes = match line.number {
            1 => line
                .bytes
                .strip_prefix(b"\xef\xbb\xbf")
                .unwrap_or(&line.bytes),
            _ => &line.bytes,
        };
        if bytes.trim_ascii().is_empty() && !line.is_cut() {
            return None;
        }
        let mut entry_id = None;
        let record = read_fields(line, bytes).and_then(|mut fields| {
            entry_id = id(&fields).ok();
            if !fields.contains_key("entry_id") {
                fields = document_as_entry(fields)?;
            }
            self.entry(fields)
        });
        Some(match record {
            Ok(entry) => Record::Entry(Box::new(entry)),
            Err(reason) => Record::Rejected(
                RejectedRecord::new(
                    format!("line {}", line.number),
                    reason,
                    String::from_utf8_lossy(bytes.trim_ascii()).into_owned(),
                )
                .with_entry_id(entry_id),
            ),
        })
    }

    fn entry(&self, mut fields: Fields) -> Read<Entry> {
        let entry_id = id(&fields)?;
        let timestamp = self.timestamp(&fields)?;
        fields.insert("entry_id".to_owned(), entry_id.into());
        fields.insert("timestamp".to_owned(), timestamp.to_string().into());
        set_default(&mut fields, "source_system", &self.source_system);
        set_default(&mut fields, "kind", &self.kind);
        for name in OF_THE_STORE {
            fields.remove(name);
        }

        let mut entry: Entry =
            serde_json::from_value(Value::Object(fields)).map_err(|error| error.to_string())?;
        entry.tenant.clone_from(&self.tenant);
        if entry.raw_text.is_empty() && entry.attachments.is_empty() {
            return Err("no text and no attachment".to_owned());
        }
        Ok(entry)
    }

    fn timestamp(&self, fields: &Fields) -> Read<Timestamp> {
        match fields.get("timestamp") {
            Some(value) => read_timestamp("timestamp", value, &self.zone),
            None => self.default_timestamp.ok_or_else(|| {
                "no `timestamp`; set `default_timestamp` to accept records without one".to_owned()
            }),
        }
    }
}

fn read_fields(line: &Line, bytes: &[u8]) -> Read<Fields> {
    if line.is_cut() {
        return Err(format!(
            "{} bytes, more than `max_line_bytes`; only the beginning is shown",
            line.length
        ));
    }
    let text = std::str::from_utf8(bytes)
        .map_err(|error| format!("not UTF-8 after byte {}", error.valid_up_to()))?;
    match serde_json::from_str(text) {
        Ok(Value::Object(mut fields)) => {
            fields.retain(|_, value| !value.is_null());
            Ok(fields)
        }
        Ok(_) => Err("not a JSON object".to_owned()),
        Err(error) => Err(format!("not valid JSON: {error}")),
    }
}

/// A document's fields, under the names that an entry has for them.
fn document_as_entry(mut document: Fields) -> Read<Fields> {
    let title = take_text(&mut document, "title")?;
    let text = take_text(&mut document, "text")?;
    let own_metadata = match document.remove("metadata") {
        None => Fields::new(),
        Some(Value::Object(metadata)) => metadata,
        Some(other) => return Err(format!("`metadata` {other} is not a JSON object")),
    };

    let mut entry = Fields::new();
    entry.insert("entry_id".to_owned(), id(&document)?.into());
    document.remove("id");
    for name in SHARED_FIELDS {
        if let Some(value) = document.remove(name) {
            entry.insert(name.to_owned(), value);
        }
    }
    let mut metadata = Fields::new();
    if !title.is_empty() {
        metadata.insert("title".to_owned(), title.clone().into());
    }
    metadata.extend(document);
    metadata.extend(own_metadata);
    entry.insert("metadata".to_owned(), metadata.into());
    entry.insert("raw_text".to_owned(), join_title(&title, &text).into());
    Ok(entry)
}

fn id(fields: &Fields) -> Read<String> {
    read_id("id", fields.get("entry_id").or_else(|| fields.get("id")))
}

fn take_text(fields: &mut Fields, key: &str) -> Read<String> {
    match fields.remove(key) {
        None => Ok(String::new()),
        Some(Value::String(text)) => Ok(text),
        Some(other) => Err(format!("`{key}` {other} is not a string")),
    }
}

fn set_default(fields: &mut Fields, key: &str, value: &str) {
    if !fields.contains_key(key) {
        fields.insert(key.to_owned(), value.into());
    }
}

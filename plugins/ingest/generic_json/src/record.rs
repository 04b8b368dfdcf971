//! One member of the file's list, as an entry.
//!
//! | in the file | in the entry |
//! |---|---|
//! | `id` (text or whole number) | `entry_id` |
//! | `timestamp`, or `when: {days_ago, time}` | `timestamp` |
//! | `author` | `author` |
//! | `title`, `text` | `raw_text`: both, with a blank line between |
//! | `title` and the keys of [`METADATA_KEYS`] | `metadata`, under the same name |
//! | `metadata` | `metadata`, over what is there already |
//! | `attachments` that have a `url` | `attachments` |
//!
//! Null is the same as nothing. Other keys are not taken over: what a
//! facility knows beside these belongs under `metadata`.

use gannet_plugin::ingest::{Read, join_title, present, read_id, read_string, read_timestamp};
use gannet_plugin::{Attachment, Entry, Record, RejectedRecord};
use jiff::{Timestamp, Zoned};
use serde_json::{Map, Value};

use crate::when::read_when;

/// Bytes of an entry that is too large that are shown.
const SHOWN: usize = 1_000;

/// The keys that are taken into the metadata as they are.
pub const METADATA_KEYS: [&str; 12] = [
    "books",
    "tags",
    "linked_to",
    "level",
    "categories",
    "loto_tag",
    "event_time",
    "segment_area",
    "body_format",
    "entrymakers",
    "num_comments",
    "needs_attention",
];

/// What every record is converted with.
#[derive(Debug, Clone)]
pub struct Conversion {
    /// What the entries say where they came from.
    pub source_system: String,
    /// Whose entries they are.
    pub tenant: String,
    /// What `days_ago` counts from; its zone is that of local times.
    pub now: Zoned,
    /// Bytes of an entry's JSON at most.
    pub max_bytes: usize,
}

impl Conversion {
    /// Converts one member; `number` counts from 1 and names it.
    pub fn record(&self, number: usize, raw: &str) -> Record {
        if raw.len() > self.max_bytes {
            let reason = format!(
                "{} bytes, more than `max_entry_bytes`; only the beginning is shown",
                raw.len()
            );
            return rejected(number, beginning(raw), None, reason);
        }
        let fields = match serde_json::from_str(raw) {
            Ok(Value::Object(fields)) => fields,
            Ok(_) => return rejected(number, raw, None, "not a JSON object".to_owned()),
            Err(error) => return rejected(number, raw, None, error.to_string()),
        };
        match self.entry(&fields) {
            Ok(entry) => Record::Entry(Box::new(entry)),
            Err(reason) => rejected(number, raw, id(&fields).ok(), reason),
        }
    }

    fn entry(&self, fields: &Map<String, Value>) -> Read<Entry> {
        let title = read_string(fields, "title")?;
        let text = read_string(fields, "text")?;
        let mut entry = Entry::new(
            id(fields)?,
            &self.source_system,
            self.timestamp(fields)?,
            join_title(title, text),
        );
        entry.tenant.clone_from(&self.tenant);
        entry.author = read_string(fields, "author")?.to_owned();
        entry.attachments = read_attachments(fields);
        entry.metadata = read_metadata(fields)?;
        if entry.raw_text.is_empty() && entry.attachments.is_empty() {
            return Err("neither `title` nor `text` nor an attachment".to_owned());
        }
        Ok(entry)
    }

    fn timestamp(&self, fields: &Map<String, Value>) -> Read<Timestamp> {
        if let Some(timestamp) = present(fields, "timestamp") {
            return read_timestamp("timestamp", timestamp, self.now.time_zone());
        }
        match present(fields, "when") {
            Some(when) => read_when(when, &self.now),
            None => Err("no `timestamp`".to_owned()),
        }
    }
}

/// Of a text that is too long to be repeated.
fn beginning(raw: &str) -> &str {
    &raw[..raw.floor_char_boundary(SHOWN)]
}

fn rejected(number: usize, raw: &str, entry_id: Option<String>, reason: String) -> Record {
    Record::Rejected(RejectedRecord {
        position: format!("entry {number}"),
        entry_id,
        reason,
        raw: raw.to_owned(),
    })
}

fn id(fields: &Map<String, Value>) -> Read<String> {
    read_id("id", fields.get("id"))
}

fn read_metadata(fields: &Map<String, Value>) -> Read<Map<String, Value>> {
    let mut metadata = Map::new();
    let title = read_string(fields, "title")?;
    if !title.is_empty() {
        metadata.insert("title".to_owned(), title.into());
    }
    for key in METADATA_KEYS {
        if let Some(value) = present(fields, key) {
            metadata.insert(key.to_owned(), value.clone());
        }
    }
    match present(fields, "metadata") {
        None => {}
        Some(Value::Object(own)) => metadata.extend(own.clone()),
        Some(other) => return Err(format!("`metadata` {other} is not a JSON object")),
    }
    Ok(metadata)
}

/// Members without a `url` are left out: there is nothing to open.
fn read_attachments(fields: &Map<String, Value>) -> Vec<Attachment> {
    let members = fields.get("attachments").and_then(Value::as_array);
    members
        .into_iter()
        .flatten()
        .filter_map(|member| serde_json::from_value::<Attachment>(member.clone()).ok())
        .filter(|attachment| attachment.url.as_deref().is_some_and(|url| !url.is_empty()))
        .collect()
}

//! One member of the file's list, as an entry.
//!
//! | in the file | in the entry |
//! |---|---|
//! | `id` (text or whole number) | `entry_id` |
//! | `timestamp`, or `when: {days_ago, time}` | `timestamp` |
//! | a key that says a time, such as `date` or `logged_at`, where these are missing | `timestamp` |
//! | `author` | `author` |
//! | `title`, `text` | `raw_text`: both, with a blank line between |
//! | `title` and the keys of [`METADATA_KEYS`] | `metadata`, under the same name |
//! | `metadata` | `metadata`, over what is there already |
//! | `attachments` that have a `url` | `attachments` |
//!
//! Null is the same as nothing. Other keys are not taken over: what a
//! facility knows beside these belongs under `metadata`.

use gannet_plugin::ingest::{Read, join_title, known_time, read_id, read_timestamp};
use gannet_plugin::prelude::{Entry, Record};
use gannet_sources::{
    EntrySource, add_filled, add_own_metadata, entry_or_rejected, json_object, present,
    read_attachments, read_string,
};
use jiff::{Timestamp, Zoned};
use serde_json::{Map, Value};

use crate::field_map::FieldMap;
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
    /// Where the entries come from, and whose they are.
    pub source: EntrySource,
    /// What `days_ago` counts from.
    pub now: Zoned,
    /// Bytes of an entry's JSON at most.
    pub max_bytes: usize,
    /// Where the parts of an entry stand, if it is not as in the table.
    pub fields: FieldMap,
    /// The time of records that have none; they are rejected without it.
    pub default_timestamp: Option<Timestamp>,
    /// What sort of text a record without a time is.
    pub undated_kind: Option<String>,
}

impl Conversion {
    /// Converts one member; `number` counts from 1 and names it.
    pub fn record(&self, number: usize, raw: &str) -> Record {
        let position = format!("entry {number}");
        if raw.len() > self.max_bytes {
            let reason = format!(
                "{} bytes, more than `max_entry_bytes`; only the beginning is shown",
                raw.len()
            );
            return entry_or_rejected(position, beginning(raw), None, Err(reason));
        }
        let mut entry_id = None;
        let entry = self.read(raw).and_then(|fields| {
            entry_id = self.id(&fields).ok();
            self.entry(&fields)
        });
        entry_or_rejected(position, raw, entry_id, entry)
    }

    fn read(&self, raw: &str) -> Read<Map<String, Value>> {
        let record = json_object(raw)?;
        match self.fields.is_set() {
            true => self.fields.apply(&record.into()),
            false => Ok(record),
        }
    }

    fn id(&self, fields: &Map<String, Value>) -> Read<String> {
        read_id(self.fields.name("id"), fields.get("id"))
    }

    fn entry(&self, fields: &Map<String, Value>) -> Read<Entry> {
        let title = read_string(fields, "title")?;
        let text = read_string(fields, "text")?;
        let (id, time) = (self.id(fields)?, self.timestamp(fields)?);
        let mut entry = self.source.entry(id, time, join_title(title, text));
        if let (Some(kind), false) = (&self.undated_kind, self.has_time(fields)) {
            entry.kind.clone_from(kind);
        }
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
            let name = self.fields.name("timestamp");
            return read_timestamp(name, timestamp, &self.source.zone);
        }
        let known = known_time(fields, &self.source.zone);
        match (present(fields, "when"), known) {
            (Some(when), _) if when.is_object() => read_when(when, &self.now),
            (_, Some((key, time))) => read_timestamp(key, time, &self.source.zone),
            (Some(when), None) => read_when(when, &self.now),
            (None, None) => self.default_timestamp.ok_or_else(|| {
                format!(
                    "no `{}`; `gannet ingest FILE --default-timestamp TIME` accepts records \
                     without one",
                    self.fields.name("timestamp")
                )
            }),
        }
    }

    fn has_time(&self, fields: &Map<String, Value>) -> bool {
        let is_there = |key: &&str| present(fields, key).is_some();
        ["timestamp", "when"].iter().any(is_there)
            || known_time(fields, &self.source.zone).is_some()
    }
}

/// Of a text that is too long to be repeated.
fn beginning(raw: &str) -> &str {
    &raw[..raw.floor_char_boundary(SHOWN)]
}

fn read_metadata(fields: &Map<String, Value>) -> Read<Map<String, Value>> {
    let mut metadata = Map::new();
    add_filled(&mut metadata, "title", read_string(fields, "title")?);
    for key in METADATA_KEYS {
        if let Some(value) = present(fields, key) {
            metadata.insert(key.to_owned(), value.clone());
        }
    }
    add_own_metadata(&mut metadata, fields)?;
    Ok(metadata)
}

//! One record of the logbook, as an entry.
//!
//! | in the logbook | in the entry |
//! |---|---|
//! | `ID`, or else `id` | `entry_id` |
//! | `entry_time` | `timestamp` |
//! | `author` | `author` |
//! | `title`, `content` | `raw_text`: both, with a blank line between |
//! | `title` | `metadata.title` |
//! | `logbook`, one or several | `metadata.books` |
//! | `segment/area` | `metadata.segment_area` |
//! | `event_time` | `metadata.event_time`, in UTC |
//! | `reference` | `metadata.linked_to` |
//! | `attachment_header`, one or several | `metadata.attachment_headers`, and where `attachment` is `Y` `attachments` without an address |
//! | `attachments` with a `url` | `attachments` |
//! | `metadata` | `metadata`, over what is there already |

use gannet_plugin::entry::Attachment;
use gannet_plugin::ingest::{Read, join_title, read_timestamp};
use gannet_plugin::prelude::{Entry, Record};
use gannet_sources::{
    EntrySource, add_filled, add_own_metadata, json_record, members, present, read_attachments,
    read_string, read_time,
};
use serde_json::{Map, Value};

/// What every record is converted with.
#[derive(Debug, Clone)]
pub(crate) struct Conversion {
    pub(crate) source: EntrySource,
}

impl Conversion {
    /// Converts one member of the list.
    pub(crate) fn record(&self, number: usize, raw: &str) -> Record {
        let position = format!("entry {number}");
        json_record(position, raw, &["ID", "id"], |id, fields| {
            self.entry(id, fields)
        })
    }

    fn entry(&self, id: String, fields: &Map<String, Value>) -> Read<Entry> {
        let time = read_time(fields, "entry_time", &self.source.zone)?;
        let title = read_string(fields, "title")?;
        let text = join_title(title, read_string(fields, "content")?);
        let mut entry = self.source.entry(id, time, text);
        entry.author = read_string(fields, "author")?.to_owned();
        entry.attachments = attachments(fields);
        entry.metadata = self.metadata(fields)?;
        Ok(entry)
    }

    fn metadata(&self, fields: &Map<String, Value>) -> Read<Map<String, Value>> {
        let mut metadata = Map::new();
        for (key, name) in [
            ("title", "title"),
            ("segment/area", "segment_area"),
            ("reference", "linked_to"),
        ] {
            add_filled(&mut metadata, name, fields.get(key).cloned());
        }
        add_filled(&mut metadata, "books", texts(fields, &["logbook"]));
        add_filled(&mut metadata, "attachment_headers", headers(fields));
        if let Some(time) = present(fields, "event_time") {
            let time = read_timestamp("event_time", time, &self.source.zone)?;
            add_filled(&mut metadata, "event_time", time.to_string());
        }
        add_own_metadata(&mut metadata, fields)?;
        Ok(metadata)
    }
}

/// The texts of the first key that is there: one text or a list of them.
fn texts<'a>(fields: &'a Map<String, Value>, keys: &[&str]) -> Vec<&'a str> {
    let value = keys.iter().find_map(|key| present(fields, key));
    let texts = match value {
        Some(Value::Array(members)) => members.iter().filter_map(Value::as_str).collect(),
        Some(Value::String(text)) => vec![text.as_str()],
        _ => Vec::new(),
    };
    texts.into_iter().filter(|text| !text.is_empty()).collect()
}

fn headers(fields: &Map<String, Value>) -> Vec<&str> {
    texts(fields, &["attachment_header", "attachment_headers"])
}

/// Those with an address, or those that are only named.
fn attachments(fields: &Map<String, Value>) -> Vec<Attachment> {
    if members(fields, "attachments").next().is_some() {
        return read_attachments(fields);
    }
    if fields.get("attachment").and_then(Value::as_str) != Some("Y") {
        return Vec::new();
    }
    let named = headers(fields)
        .into_iter()
        .map(|header| Attachment::default().with_filename(header.to_owned()));
    named.collect()
}

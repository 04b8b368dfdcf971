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
use gannet_sources::{json_record, present, read_string};
use jiff::tz::TimeZone;
use serde_json::{Map, Value, json};

/// What every record is converted with.
#[derive(Debug, Clone)]
pub(crate) struct Conversion {
    pub(crate) source_system: String,
    pub(crate) tenant: String,
    pub(crate) zone: TimeZone,
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
        let time = present(fields, "entry_time").ok_or("no `entry_time`")?;
        let time = read_timestamp("entry_time", time, &self.zone)?;
        let title = read_string(fields, "title")?;
        let text = join_title(title, read_string(fields, "content")?);
        let mut entry = Entry::new(id, &self.source_system, time, text);
        entry.tenant.clone_from(&self.tenant);
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
            if let Some(value) = present(fields, key).filter(|value| *value != "") {
                metadata.insert(name.to_owned(), value.clone());
            }
        }
        for (names, name) in [
            (texts(fields, &["logbook"]), "books"),
            (headers(fields), "attachment_headers"),
        ] {
            if !names.is_empty() {
                metadata.insert(name.to_owned(), json!(names));
            }
        }
        if let Some(time) = present(fields, "event_time") {
            let time = read_timestamp("event_time", time, &self.zone)?;
            metadata.insert("event_time".to_owned(), time.to_string().into());
        }
        match present(fields, "metadata") {
            None => {}
            Some(Value::Object(own)) => metadata.extend(own.clone()),
            Some(other) => return Err(format!("`metadata` {other} is not a JSON object")),
        }
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
    if let Some(Value::Array(members)) = fields.get("attachments")
        && !members.is_empty()
    {
        let with_url = members.iter().filter_map(|member| {
            let text = |key: &str| member.get(key).and_then(Value::as_str).map(str::to_owned);
            Some(
                Attachment::default()
                    .with_url(text("url").filter(|url| !url.is_empty())?)
                    .with_mime_type(text("type"))
                    .with_filename(text("filename")),
            )
        });
        return with_url.collect();
    }
    if fields.get("attachment").and_then(Value::as_str) != Some("Y") {
        return Vec::new();
    }
    let named = headers(fields)
        .into_iter()
        .map(|header| Attachment::default().with_filename(header.to_owned()));
    named.collect()
}

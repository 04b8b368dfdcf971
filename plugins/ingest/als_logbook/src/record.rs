//! One record of the logbook, as an entry.
//!
//! | in the logbook | in the entry |
//! |---|---|
//! | `id` | `entry_id` |
//! | `timestamp`, seconds since 1970 | `timestamp` |
//! | `author` | `author` |
//! | `subject`, `details` | `raw_text`: both, with a blank line between |
//! | `subject` | `metadata.title`, `metadata.subject` |
//! | `level` | `metadata.level` |
//! | `category`, with commas between | `metadata.categories` |
//! | `tag`, `linkedto`, where they are not `0` | `metadata.loto_tag`, `metadata.linked_to` |
//! | `metadata` | `metadata`, over what is there already |
//! | `attachments` with a `url` | `attachments` |

use gannet_plugin::entry::Attachment;
use gannet_plugin::ingest::{Read, join_title};
use gannet_plugin::prelude::{Entry, Record};
use gannet_sources::{
    EntrySource, add_filled, add_own_metadata, json_record, members, read_string, read_time,
};
use serde_json::{Map, Value};

/// Types of attachments by the ends of their names.
const TYPES: [(&str, &str); 13] = [
    ("bmp", "image/bmp"),
    ("csv", "text/csv"),
    ("gif", "image/gif"),
    ("htm", "text/html"),
    ("html", "text/html"),
    ("jpeg", "image/jpeg"),
    ("jpg", "image/jpeg"),
    ("json", "application/json"),
    ("pdf", "application/pdf"),
    ("png", "image/png"),
    ("tif", "image/tiff"),
    ("tiff", "image/tiff"),
    ("txt", "text/plain"),
];

/// What every record is converted with.
#[derive(Debug, Clone)]
pub(crate) struct Conversion {
    pub(crate) source: EntrySource,
    pub(crate) attachment_url: String,
}

impl Conversion {
    /// Converts a line of a file.
    pub(crate) fn line(&self, position: String, line: &[u8]) -> Record {
        let raw = String::from_utf8_lossy(line);
        // Exports that were joined have the mark in other lines too.
        self.record(position, raw.trim_start_matches('\u{feff}'))
    }

    /// Converts one JSON object.
    pub(crate) fn record(&self, position: String, raw: &str) -> Record {
        json_record(position, raw, &["id"], |id, fields| self.entry(id, fields))
    }

    fn entry(&self, id: String, fields: &Map<String, Value>) -> Read<Entry> {
        let time = read_time(fields, "timestamp", &self.source.zone)?;
        let subject = read_string(fields, "subject")?;
        let text = join_title(subject, read_string(fields, "details")?);
        let mut entry = self.source.entry(id, time, text);
        entry.author = read_string(fields, "author")?.to_owned();
        entry.attachments = self.attachments(fields);

        let categories: Vec<&str> = read_string(fields, "category")?
            .split(',')
            .map(str::trim)
            .filter(|category| !category.is_empty())
            .collect();
        let metadata = &mut entry.metadata;
        add_filled(metadata, "categories", categories);
        add_filled(metadata, "title", subject);
        add_filled(metadata, "subject", subject);
        add_filled(metadata, "level", read_string(fields, "level")?);
        add_filled(metadata, "loto_tag", reference(fields, "tag"));
        add_filled(metadata, "linked_to", reference(fields, "linkedto"));
        add_own_metadata(metadata, fields)?;
        Ok(entry)
    }

    /// Those that have an address; a relative one is under `attachment_url`.
    fn attachments(&self, fields: &Map<String, Value>) -> Vec<Attachment> {
        let urls = members(fields, "attachments").filter_map(|member| member["url"].as_str());
        let attachments = urls.filter(|url| !url.is_empty()).map(|url| {
            let filename = url.rsplit('/').next().unwrap_or(url);
            Attachment::default()
                .with_url(self.absolute(url))
                .with_mime_type(mime_type(filename))
                .with_filename(filename.to_owned())
        });
        attachments.collect()
    }

    fn absolute(&self, url: &str) -> String {
        let base = self.attachment_url.trim_end_matches('/');
        match url.contains("://") {
            true => url.to_owned(),
            false => format!("{base}/{}", url.trim_start_matches('/')),
        }
    }
}

/// A tag or an id; the logbook writes `0` where there is none.
fn reference(fields: &Map<String, Value>, key: &str) -> String {
    let text = match fields.get(key) {
        Some(Value::String(text)) => text.trim().to_owned(),
        Some(Value::Number(number)) => number.to_string(),
        _ => String::new(),
    };
    match text == "0" {
        true => String::new(),
        false => text,
    }
}

fn mime_type(filename: &str) -> Option<String> {
    let (_, extension) = filename.rsplit_once('.')?;
    let extension = extension.to_ascii_lowercase();
    let found = TYPES.iter().find(|(own, _)| *own == extension);
    found.map(|(_, mime_type)| (*mime_type).to_owned())
}

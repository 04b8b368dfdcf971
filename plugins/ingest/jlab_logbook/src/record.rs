//! One record of the logbook, as an entry.
//!
//! | in the logbook | in the entry |
//! |---|---|
//! | `lognumber`, or else `id` | `entry_id` |
//! | `created.timestamp`, seconds since 1970 | `timestamp` |
//! | `author` | `author` |
//! | `title`, `body.content` | `raw_text`: both, with a blank line between |
//! | `title`, `books`, `tags`, `entrymakers` | `metadata`, under the same name |
//! | `body.format`, `numComments`, `needsAttention` | `metadata.body_format`, `num_comments`, `needs_attention` |
//! | `metadata` | `metadata`, over what is there already |
//! | `attachments` with a `url` | `attachments` |

use gannet_plugin::entry::Attachment;
use gannet_plugin::ingest::{Read, join_title, read_timestamp};
use gannet_plugin::prelude::{Entry, Record};
use gannet_sources::{json_record, present, read_string};
use jiff::tz::TimeZone;
use serde_json::{Map, Value};

/// The keys that become metadata, and what they are called there.
const METADATA_KEYS: [(&str, &str); 6] = [
    ("title", "title"),
    ("books", "books"),
    ("tags", "tags"),
    ("entrymakers", "entrymakers"),
    ("numComments", "num_comments"),
    ("needsAttention", "needs_attention"),
];

/// What every record is converted with.
#[derive(Debug, Clone)]
pub(crate) struct Conversion {
    pub(crate) source_system: String,
    /// The books that are read; all when empty.
    pub(crate) books: Vec<String>,
    pub(crate) tenant: String,
    pub(crate) zone: TimeZone,
}

impl Conversion {
    /// Converts one member of the list; nothing where its books are not wanted.
    pub(crate) fn record(&self, number: usize, raw: &str) -> Option<Record> {
        let position = format!("entry {number}");
        let mut is_wanted = true;
        let record = json_record(position, raw, &["lognumber", "id"], |id, fields| {
            is_wanted = self.is_wanted(fields);
            self.entry(id, fields)
        });
        is_wanted.then_some(record)
    }

    fn is_wanted(&self, fields: &Map<String, Value>) -> bool {
        let books = fields.get("books").and_then(Value::as_array);
        let mut books = books.into_iter().flatten().filter_map(Value::as_str);
        self.books.is_empty() || books.any(|book| self.books.iter().any(|own| own == book))
    }

    fn entry(&self, id: String, fields: &Map<String, Value>) -> Read<Entry> {
        let created = present(fields, "created").ok_or("no `created.timestamp`")?;
        let time = created.get("timestamp").unwrap_or(created);
        let time = read_timestamp("created.timestamp", time, &self.zone)?;
        let body = match present(fields, "body") {
            None => Map::new(),
            Some(Value::Object(body)) => body.clone(),
            Some(other) => return Err(format!("`body` {other} is not a JSON object")),
        };
        let text = join_title(
            read_string(fields, "title")?,
            read_string(&body, "content")?,
        );
        let mut entry = Entry::new(id, &self.source_system, time, text);
        entry.tenant.clone_from(&self.tenant);
        entry.author = read_string(fields, "author")?.to_owned();
        entry.attachments = attachments(fields);

        let known = METADATA_KEYS
            .iter()
            .map(|(key, name)| (*name, present(fields, key)));
        let format = [("body_format", present(&body, "format"))];
        for (name, value) in known.chain(format) {
            if let Some(value) = value.filter(|value| !is_empty(value)) {
                entry.metadata.insert(name.to_owned(), value.clone());
            }
        }
        match present(fields, "metadata") {
            None => {}
            Some(Value::Object(own)) => entry.metadata.extend(own.clone()),
            Some(other) => return Err(format!("`metadata` {other} is not a JSON object")),
        }
        Ok(entry)
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::String(text) => text.is_empty(),
        Value::Array(members) => members.is_empty(),
        _ => false,
    }
}

/// Members without a `url` are left out: there is nothing to open.
fn attachments(fields: &Map<String, Value>) -> Vec<Attachment> {
    let members = fields.get("attachments").and_then(Value::as_array);
    let attachments = members.into_iter().flatten().filter_map(|member| {
        let text = |key: &str| member.get(key).and_then(Value::as_str).map(str::to_owned);
        let url = text("url").filter(|url| !url.is_empty())?;
        Some(
            Attachment::default()
                .with_filename(url.rsplit('/').next().map(str::to_owned))
                .with_mime_type(text("type"))
                .with_thumbnail_url(text("thumbnail"))
                .with_caption(text("caption"))
                .with_url(url),
        )
    });
    attachments.collect()
}

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
use gannet_sources::{
    EntrySource, add_filled, add_own_metadata, json_record, members, present, read_attachments,
    read_string,
};
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
    pub(crate) source: EntrySource,
    /// The books that are read; all when empty.
    pub(crate) books: Vec<String>,
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
        let mut books = members(fields, "books").filter_map(Value::as_str);
        self.books.is_empty() || books.any(|book| self.books.iter().any(|own| own == book))
    }

    fn entry(&self, id: String, fields: &Map<String, Value>) -> Read<Entry> {
        let created = present(fields, "created").ok_or("no `created.timestamp`")?;
        let time = created.get("timestamp").unwrap_or(created);
        let time = read_timestamp("created.timestamp", time, &self.source.zone)?;
        let body = match present(fields, "body") {
            None => Map::new(),
            Some(Value::Object(body)) => body.clone(),
            Some(other) => return Err(format!("`body` {other} is not a JSON object")),
        };
        let text = join_title(
            read_string(fields, "title")?,
            read_string(&body, "content")?,
        );
        let mut entry = self.source.entry(id, time, text);
        entry.author = read_string(fields, "author")?.to_owned();
        entry.attachments = attachments(fields);

        for (key, name) in METADATA_KEYS {
            add_filled(&mut entry.metadata, name, fields.get(key).cloned());
        }
        let format = body.get("format").cloned();
        add_filled(&mut entry.metadata, "body_format", format);
        add_own_metadata(&mut entry.metadata, fields)?;
        Ok(entry)
    }
}

/// They have the names that their addresses end with.
fn attachments(fields: &Map<String, Value>) -> Vec<Attachment> {
    let mut attachments = read_attachments(fields);
    for attachment in &mut attachments {
        let url = attachment.url.as_deref().unwrap_or_default();
        attachment.filename = url.rsplit('/').next().map(str::to_owned);
    }
    attachments
}

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
//! | a key that says a time, such as `date` or `logged_at`, where `timestamp` is missing | `timestamp` too |
//! | every other key | `metadata`, under the same name |
//! | `metadata` | `metadata`, over what is there already |
//!
//! Of both: null is the same as nothing; a time without an offset is one of
//! the facility's zone; the tenant is that of the call, whatever the line
//! says; and no enhancement counts as done, because what it made does not come
//! with the line.

use gannet_plugin::ingest::{Read, join_title, known_time, read_id, read_timestamp};
use gannet_plugin::prelude::{Entry, FetchRequest, Record};
use gannet_sources::{EntrySource, entry_or_rejected, json_object};
use jiff::Timestamp;
use serde_json::{Map, Value};

/// What every line is converted with.
#[derive(Debug, Clone)]
pub struct Conversion {
    /// Where entries come from, when the record does not say, and whose they
    /// are.
    pub source: EntrySource,
    /// What sort of text it is, when the record does not say.
    pub kind: String,
    /// The time of records that have none.
    pub default_timestamp: Option<Timestamp>,
    /// What sort of text a record without a time is, when it does not say.
    pub undated_kind: Option<String>,
}

type Fields = Map<String, Value>;

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
    /// With the defaults that a call names.
    pub(crate) fn of(mut self, request: &FetchRequest) -> Self {
        self.default_timestamp = request.default_timestamp.or(self.default_timestamp);
        self.undated_kind.clone_from(&request.default_kind);
        self
    }

    /// Converts one line.
    pub(crate) fn record(&self, position: String, line: &[u8]) -> Record {
        let mut entry_id = None;
        let read = read_fields(line).and_then(|mut fields| {
            entry_id = id(&fields).ok();
            if !fields.contains_key("entry_id") {
                self.name_time(&mut fields);
                fields = document_as_entry(fields)?;
            }
            self.entry(fields)
        });
        entry_or_rejected(position, &String::from_utf8_lossy(line), entry_id, read)
    }

    /// Calls the time of a document `timestamp` that has it under another name.
    fn name_time(&self, document: &mut Fields) {
        if document.contains_key("timestamp") {
            return;
        }
        let known = known_time(document, &self.source.zone).map(|(_, time)| time.clone());
        let named = known.map(|time| ("timestamp".to_owned(), time));
        document.extend(named);
    }

    fn entry(&self, mut fields: Fields) -> Read<Entry> {
        let entry_id = id(&fields)?;
        let timestamp = self.timestamp(&fields)?;
        let has_time = fields.contains_key("timestamp");
        fields.insert("entry_id".to_owned(), entry_id.into());
        fields.insert("timestamp".to_owned(), timestamp.to_string().into());
        set_default(&mut fields, "source_system", &self.source.source_system);
        let undated_kind = self.undated_kind.as_ref().filter(|_| !has_time);
        set_default(&mut fields, "kind", undated_kind.unwrap_or(&self.kind));
        for name in OF_THE_STORE {
            fields.remove(name);
        }

        let mut entry: Entry =
            serde_json::from_value(Value::Object(fields)).map_err(|error| error.to_string())?;
        entry.tenant.clone_from(&self.source.tenant);
        if entry.raw_text.is_empty() && entry.attachments.is_empty() {
            return Err("no text and no attachment".to_owned());
        }
        Ok(entry)
    }

    fn timestamp(&self, fields: &Fields) -> Read<Timestamp> {
        match fields.get("timestamp") {
            Some(value) => read_timestamp("timestamp", value, &self.source.zone),
            None => self.default_timestamp.ok_or_else(|| {
                "no `timestamp`; `gannet ingest FILE --default-timestamp TIME`, or the setting \
                 `default_timestamp`, accepts records without one"
                    .to_owned()
            }),
        }
    }
}

fn read_fields(line: &[u8]) -> Read<Fields> {
    let text = std::str::from_utf8(line)
        .map_err(|error| format!("not UTF-8 after byte {}", error.valid_up_to()))?;
    let mut fields = json_object(text)?;
    fields.retain(|_, value| !value.is_null());
    Ok(fields)
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

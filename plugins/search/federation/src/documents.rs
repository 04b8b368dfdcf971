//! Documents of another server as entries.

use gannet_plugin::filter::{FilterClause, FilterField};
use gannet_plugin::ingest::{join_title, read_timestamp};
use gannet_plugin::prelude::Result;
use gannet_plugin::prelude::{Entry, Setup, settings};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::{Map, Value};

/// The fields of a document that an entry is made of; all others become
/// metadata.
#[settings]
#[derive(PartialEq, Eq)]
pub struct Fields {
    /// The field with the text.
    #[setting(default = "content".to_owned())]
    pub text: String,
    /// The field with the title.
    #[setting(default = "title".to_owned())]
    pub title: String,
    /// The field with the author.
    #[setting(default = "author".to_owned())]
    pub author: String,
    /// The field with the time: RFC 3339, or seconds since 1970. A document
    /// without it has the first second of 1970.
    #[setting(default = "timestamp".to_owned())]
    pub time: String,
    /// The field with the id; empty for the id that the server gives.
    pub id: Option<String>,
}

/// Makes entries of documents.
///
/// ```
/// use gannet_federation::{Documents, Fields};
/// use gannet_plugin::prelude::Setup;
/// use gannet_plugin::testing;
/// use serde_json::json;
///
/// let fields: Fields = testing::settings(json!({ "text": "body" }))?;
/// let setup = Setup::default().with_instance("archive");
/// let documents = Documents::new(&setup, None, "document", fields)?;
///
/// let document = json!({ "body": "Exchange the filter.", "title": "Pump", "volume": 3 });
/// let entry = documents.entry("17", document.as_object().cloned().unwrap_or_default());
/// let entry = entry.expect("it has a text");
/// assert_eq!(entry.entry_id, "archive:17");
/// assert_eq!(entry.raw_text, "Pump\n\nExchange the filter.");
/// assert_eq!(entry.metadata["volume"], 3);
/// assert_eq!(documents.own_id("archive:17"), Some("17"));
/// # Ok::<(), gannet_plugin::prelude::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Documents {
    instance: String,
    prefix: String,
    kind: String,
    fields: Fields,
    zone: TimeZone,
}

impl Documents {
    /// For an instance. Ids get the prefix, or else the name of the instance
    /// and a colon: an id of another server may be that of another entry here.
    ///
    /// # Errors
    /// [`Error::Configuration`](gannet_plugin::prelude::Error::Configuration)
    /// for an unknown time zone.
    pub fn new(setup: &Setup, prefix: Option<String>, kind: &str, fields: Fields) -> Result<Self> {
        let prefix = prefix.unwrap_or_else(|| format!("{}:", setup.instance));
        Ok(Self {
            instance: setup.instance.clone(),
            prefix,
            kind: kind.to_owned(),
            fields,
            zone: setup.zone()?,
        })
    }

    /// The fields that are read.
    pub fn fields(&self) -> &Fields {
        &self.fields
    }

    /// The time zone of times without one.
    pub fn zone(&self) -> &TimeZone {
        &self.zone
    }

    /// A document as an entry, by the id that the server gives it; `None` for
    /// one without a text.
    pub fn entry(&self, id: &str, mut document: Map<String, Value>) -> Option<Entry> {
        let fields = &self.fields;
        let mut take = |name: &str| document.shift_remove(name);
        let text = text_of(take(&fields.text)?);
        let author = take(&fields.author).map(text_of);
        let time = take(&fields.time);
        let own_id = fields.id.as_deref().and_then(&mut take).map(text_of);
        let title = take(&fields.title).map(text_of).unwrap_or_default();
        let own_id = own_id.filter(|own| !own.is_empty());
        let id = own_id.unwrap_or_else(|| id.to_owned());
        let time = time.and_then(|time| read_timestamp(&fields.time, &time, &self.zone).ok());
        let text = join_title(&title, text.trim());
        if id.is_empty() || text.is_empty() {
            return None;
        }
        let id = format!("{}{id}", self.prefix);
        let time = time.unwrap_or(Timestamp::UNIX_EPOCH);
        let entry = Entry::new(id, &self.instance, time, text)
            .with_kind(&self.kind)
            .with_author(author.unwrap_or_default());
        Some(entry.with_metadata(metadata(title, document)))
    }

    /// The id that the server has for an entry; `None` for one of elsewhere.
    pub fn own_id<'i>(&self, entry_id: &'i str) -> Option<&'i str> {
        entry_id.strip_prefix(&self.prefix)
    }

    /// Whether every document passes a clause, or none; `None` where that
    /// depends on the document.
    pub fn decides(&self, clause: &FilterClause) -> Option<bool> {
        let is_the_same = matches!(clause.field, FilterField::Kind | FilterField::SourceSystem);
        is_the_same.then(|| {
            let any = Entry::new("", &self.instance, Timestamp::UNIX_EPOCH, "");
            clause.matches(&any.with_kind(&self.kind))
        })
    }

    /// The fields of a document that a filter looks at, of which the first that
    /// is there counts. Empty for what is the same for every document, and for
    /// ids that the server gives.
    pub fn keys<'f>(&'f self, field: &'f FilterField) -> Vec<&'f str> {
        match field {
            FilterField::Author => vec![self.fields.author.as_str()],
            FilterField::Timestamp => vec![self.fields.time.as_str()],
            FilterField::EntryId => self.fields.id.iter().map(String::as_str).collect(),
            FilterField::Kind | FilterField::SourceSystem => Vec::new(),
            FilterField::Metadata(key) if key == "title" => vec![self.fields.title.as_str()],
            FilterField::Metadata(_) => field.metadata_keys(),
        }
    }
}

/// The other fields, and those of an object `metadata` among them, which many
/// indexes nest there.
fn metadata(title: String, document: Map<String, Value>) -> Map<String, Value> {
    let mut metadata = Map::new();
    if !title.is_empty() {
        metadata.insert("title".to_owned(), title.into());
    }
    for (key, value) in document {
        match value {
            Value::Object(nested) if key == "metadata" => {
                for (key, value) in nested {
                    metadata.entry(key).or_insert(value);
                }
            }
            value => drop(metadata.insert(key, value)),
        }
    }
    metadata
}

/// A scalar as text; of several texts one a line.
fn text_of(value: Value) -> String {
    match value {
        Value::String(text) => text,
        Value::Array(members) => {
            let members: Vec<String> = members.into_iter().map(text_of).collect();
            members.join("\n")
        }
        Value::Null | Value::Object(_) => String::new(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use gannet_plugin::filter::Condition;
    use gannet_plugin::testing;
    use serde_json::json;

    use super::*;

    fn documents() -> Documents {
        let setup = Setup::default().with_instance("archive");
        let fields = testing::settings(json!({"id": "number"})).unwrap();
        Documents::new(&setup, None, "document", fields).unwrap()
    }

    fn entry(document: Value) -> Option<Entry> {
        documents().entry("given", document.as_object().unwrap().clone())
    }

    #[test]
    fn fields_become_parts_of_an_entry_and_the_rest_metadata() {
        let entry = entry(json!({
            "number": 7, "content": "Exchange the filter.", "title": "Pump",
            "author": ["Lee", "Ito"], "timestamp": "2024-01-05T08:30:00Z",
            "metadata": {"volume": 3, "rack": "B"}, "rack": "A",
        }));
        let entry = entry.unwrap();
        assert_eq!(entry.entry_id, "archive:7");
        assert_eq!(entry.author, "Lee\nIto");
        assert_eq!(entry.timestamp.to_string(), "2024-01-05T08:30:00Z");
        assert_eq!(
            (entry.kind.as_str(), entry.source_system.as_str()),
            ("document", "archive")
        );
        let expected = json!({"title": "Pump", "volume": 3, "rack": "A"});
        assert_eq!(Value::from(entry.metadata), expected);
    }

    #[test]
    fn a_document_without_a_text_is_none() {
        assert_eq!(entry(json!({"title": "Pump"})), None);
        assert_eq!(entry(json!({"content": {"a": 1}})), None);
        let bare = entry(json!({"content": "Pump", "timestamp": "soon"})).unwrap();
        assert_eq!(bare.entry_id, "archive:given");
        assert_eq!(bare.timestamp, Timestamp::UNIX_EPOCH);
    }

    #[test]
    fn kind_and_source_are_decided_without_asking() {
        let clause = |field, value: &str| FilterClause {
            field,
            condition: Condition::Equals(value.to_owned()),
        };
        let documents = documents();
        let decides = |field, value| documents.decides(&clause(field, value));
        assert_eq!(decides(FilterField::Kind, "Document"), Some(true));
        assert_eq!(decides(FilterField::Kind, "logbook"), Some(false));
        assert_eq!(decides(FilterField::SourceSystem, "archive"), Some(true));
        assert_eq!(decides(FilterField::Author, "lee"), None);
    }
}

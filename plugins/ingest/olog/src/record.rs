//! One entry of the service, as an entry of Gannet.
//!
//! | in Olog | in the entry |
//! |---|---|
//! | `id` | `entry_id` |
//! | `createdDate`, milliseconds since 1970 | `timestamp` |
//! | `owner` | `author` |
//! | `title`, `description` | `raw_text`: both, with a blank line between; `source` where there is no description |
//! | `title`, `level` | `metadata`, under the same name |
//! | names of `logbooks` and `tags` | `metadata.logbooks`, `metadata.tags` |
//! | `state` other than `Active` | `metadata.state` |
//! | `modifyDate` | `metadata.modified` |
//! | `properties` | `metadata.properties`: attributes by the name of the property |
//! | `attachments` | `attachments` |

use std::collections::BTreeMap;

use gannet_plugin::entry::Attachment;
use gannet_plugin::ingest::{Read, join_title, read_timestamp};
use gannet_plugin::prelude::{Entry, Record};
use gannet_sources::{
    EntrySource, add_filled, json_record, members, path_segment, present, read_string,
};
use jiff::Timestamp;
use serde_json::{Map, Value, json};

/// What every entry is converted with.
#[derive(Debug, Clone)]
pub(crate) struct Conversion {
    pub(crate) source: EntrySource,
    /// The address of the service, which attachments are under.
    pub(crate) service: Option<String>,
}

impl Conversion {
    /// Converts one entry.
    pub(crate) fn record(&self, position: String, raw: &str) -> Record {
        json_record(position, raw, &["id"], |id, fields| self.entry(id, fields))
    }

    fn entry(&self, id: String, fields: &Map<String, Value>) -> Read<Entry> {
        let created = self
            .time(fields, "createdDate")?
            .ok_or("no `createdDate`")?;
        let title = read_string(fields, "title")?;
        let text = match read_string(fields, "description")? {
            "" => read_string(fields, "source")?,
            text => text,
        };
        let text = join_title(title, text);
        let mut entry = self.source.entry(id, created, text);
        entry.author = read_string(fields, "owner")?.to_owned();
        entry.attachments = self.attachments(&entry.entry_id, fields);

        let metadata = &mut entry.metadata;
        add_filled(metadata, "title", title);
        add_filled(metadata, "level", read_string(fields, "level")?);
        add_filled(metadata, "logbooks", names(fields, "logbooks"));
        add_filled(metadata, "tags", names(fields, "tags"));
        let state = read_string(fields, "state")?;
        if state != "Active" {
            add_filled(metadata, "state", state);
        }
        if let Some(modified) = self.time(fields, "modifyDate")? {
            add_filled(metadata, "modified", modified.to_string());
        }
        add_filled(metadata, "properties", properties(fields));
        Ok(entry)
    }

    /// Milliseconds as a number; a text is read like any time.
    fn time(&self, fields: &Map<String, Value>, key: &str) -> Read<Option<Timestamp>> {
        let Some(value) = present(fields, key) else {
            return Ok(None);
        };
        match value.as_i64().map(Timestamp::from_millisecond) {
            Some(time) => time.map_err(|error| format!("`{key}` {value}: {error}")),
            None => read_timestamp(key, value, &self.source.zone),
        }
        .map(Some)
    }

    fn attachments(&self, id: &str, fields: &Map<String, Value>) -> Vec<Attachment> {
        let named = members(fields, "attachments").filter_map(|member| {
            let name = member["filename"]
                .as_str()
                .filter(|name| !name.is_empty())?;
            let url = self
                .service
                .as_ref()
                .map(|service| format!("{service}/logs/attachments/{id}/{}", path_segment(name)));
            let kind = member["fileMetadataDescription"].as_str();
            Some(
                // `image/png`; other words are no type.
                Attachment::default()
                    .with_url(url)
                    .with_mime_type(kind.filter(|kind| kind.contains('/')).map(str::to_owned))
                    .with_filename(name.to_owned()),
            )
        });
        named.collect()
    }
}

/// The names of a list, in their order; the service gives sets in any order.
fn names(fields: &Map<String, Value>, key: &str) -> Vec<String> {
    let names = members(fields, key).filter_map(|member| member["name"].as_str());
    let mut names: Vec<String> = names.map(str::to_owned).collect();
    names.sort();
    names
}

/// The attributes of each property by their names, in the order of these.
fn properties(fields: &Map<String, Value>) -> Map<String, Value> {
    let named = members(fields, "properties").filter_map(|property| {
        let attributes = property["attributes"].as_array().into_iter().flatten();
        let attributes: BTreeMap<&str, &Value> = attributes
            .filter_map(|one| Some((one["name"].as_str()?, &one["value"])))
            .filter(|(_, value)| !value.is_null())
            .collect();
        Some((property["name"].as_str()?.to_owned(), json!(attributes)))
    });
    let named: BTreeMap<String, Value> = named.collect();
    named.into_iter().collect()
}

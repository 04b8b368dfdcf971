//! The columns of the file: what each is for, and one record as an entry.

use csv::ByteRecord;
use gannet_plugin::entry::Attachment;
use gannet_plugin::ingest::{join_title, read_id, read_timestamp};
use gannet_plugin::prelude::{Entry, Error, Result};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::Settings;
use crate::time_format::read_local;

/// A value, or why the record cannot be used.
type Read<T> = std::result::Result<T, String>;

/// The header of a file, and what its records are converted with.
pub(crate) struct Columns {
    pub(crate) names: Vec<String>,
    pub(crate) settings: Settings,
    pub(crate) tenant: String,
    pub(crate) zone: TimeZone,
    /// The time of records that have none; they are rejected without it.
    pub(crate) default_timestamp: Option<Timestamp>,
    /// What sort of text a record without a time is; `kind` when not set.
    pub(crate) undated_kind: Option<String>,
}

impl Columns {
    /// Whether the file has what an entry cannot lack, by the names of the map.
    pub(crate) fn has_entries(&self) -> bool {
        let map = &self.settings.columns;
        let has_id = self.settings.id_from_content || self.has(map.id());
        let has_text = self.has(map.title()) || map.text().iter().all(|name| self.has(name));
        has_id && has_text && (self.has_times() || self.default_timestamp.is_some())
    }

    /// Checks that names are unique, and that each that the settings name is
    /// there.
    ///
    /// # Errors
    /// [`Error::InvalidInput`].
    pub(crate) fn check(&self) -> Result<()> {
        for (at, name) in self.names.iter().enumerate() {
            if self.names[..at].contains(name) {
                let message = format!("the header has two columns `{name}`: rename one");
                return Err(Error::invalid_input(message));
            }
        }
        let map = &self.settings.columns;
        // An empty name stands for no column.
        let id = map.id.clone().filter(|id| !id.is_empty());
        let single = [&id, &map.author, &map.title, &map.attachments];
        let several = [&map.timestamp, &map.text];
        let named = single.into_iter().flatten();
        let named = named.chain(several.into_iter().flatten());
        for name in named.chain(map.metadata.iter().flatten()) {
            if !self.has(name) {
                return Err(Error::invalid_input(format!(
                    "the header has no column `{name}`; it has {}: correct `columns`, or \
                     `delimiter` where the columns are not separated",
                    self.names.join(", ")
                )));
            }
        }
        Ok(())
    }

    fn has_times(&self) -> bool {
        let map = &self.settings.columns;
        map.timestamp().iter().all(|name| self.has(name))
    }

    fn has(&self, name: &str) -> bool {
        self.names.iter().any(|own| own == name)
    }

    /// The id of a record, also of one that is rejected.
    pub(crate) fn id(&self, record: &ByteRecord) -> Option<String> {
        self.read_id(&self.fields(record).ok()?).ok()
    }

    /// One record as an entry.
    ///
    /// # Errors
    /// Why it cannot become one.
    pub(crate) fn entry(&self, record: &ByteRecord) -> Read<Entry> {
        let fields = self.fields(record)?;
        let map = &self.settings.columns;
        let title = fields.get(map.title());
        let text = fields.joined(&map.text(), "\n\n");
        let mut entry = Entry::new(
            self.read_id(&fields)?,
            &self.settings.source_system,
            self.read_time(&fields)?,
            join_title(title, &text),
        );
        entry.attachments = read_attachments(fields.get(map.attachments()));
        if entry.raw_text.is_empty() && entry.attachments.is_empty() {
            return Err("no text, no title and no attachment".to_owned());
        }
        let is_undated = self.written_time(&fields).is_empty();
        let undated_kind = self.undated_kind.as_ref().filter(|_| is_undated);
        let kind = undated_kind.unwrap_or(&self.settings.kind);
        entry.kind.clone_from(kind);
        entry.tenant.clone_from(&self.tenant);
        entry.author = fields.get(map.author()).to_owned();
        let metadata = fields
            .0
            .iter()
            .filter(|(name, value)| !value.is_empty() && self.is_metadata(name));
        let metadata = metadata.map(|(name, value)| ((*name).to_owned(), Value::from(*value)));
        entry.metadata.extend(metadata);
        if !title.is_empty() {
            entry.metadata.insert("title".to_owned(), title.into());
        }
        Ok(entry)
    }

    fn is_metadata(&self, name: &str) -> bool {
        let map = &self.settings.columns;
        if let Some(metadata) = &map.metadata {
            return metadata.iter().any(|own| own == name);
        }
        let single = [map.id(), map.author(), map.title(), map.attachments()];
        !single.contains(&name) && !map.timestamp().contains(&name) && !map.text().contains(&name)
    }

    fn fields<'r>(&'r self, record: &'r ByteRecord) -> Read<Fields<'r>> {
        if record.len() != self.names.len() {
            return Err(format!(
                "{} fields where the header has {}: is there a delimiter in a text without \
                 quotation marks, or a quotation mark without a partner?",
                record.len(),
                self.names.len()
            ));
        }
        let mut fields = Vec::with_capacity(record.len());
        for (name, value) in self.names.iter().zip(record) {
            let value = std::str::from_utf8(value).ok();
            // In other encodings than UTF-8 this stands for what is not valid.
            let value = value
                .filter(|value| !value.contains('\u{fffd}'))
                .ok_or_else(|| {
                    format!(
                        "`{name}` has bytes that are not of the file's encoding; set `encoding`"
                    )
                })?;
            fields.push((name.as_str(), value.trim()));
        }
        Ok(Fields(fields))
    }

    fn read_id(&self, fields: &Fields<'_>) -> Read<String> {
        let name = self.settings.columns.id();
        let id = fields.get(name);
        match id.is_empty() && self.settings.id_from_content {
            true => Ok(fields.hash()),
            false => read_id(name, Some(&id.into())),
        }
    }

    fn written_time(&self, fields: &Fields<'_>) -> String {
        fields.joined(&self.settings.columns.timestamp(), " ")
    }

    fn read_time(&self, fields: &Fields<'_>) -> Read<Timestamp> {
        let text = self.written_time(fields);
        if let (true, Some(default)) = (text.is_empty(), self.default_timestamp) {
            return Ok(default);
        }
        let name = self.settings.columns.timestamp().join("` and `");
        let Some(format) = &self.settings.time_format else {
            return read_timestamp(&name, &text.into(), &self.zone);
        };
        let local = read_local(format, &text);
        let time = local.and_then(|local| self.zone.to_timestamp(local).ok());
        time.ok_or_else(|| {
            format!("`{name}` \"{text}\" is not a valid time of the format `{format}`")
        })
    }
}

/// Addresses and names of files. A file without an address is only named.
fn read_attachments(cell: &str) -> Vec<Attachment> {
    let parts = cell
        .split([';', ',', '\n'])
        .map(str::trim)
        .filter(|part| !part.is_empty());
    let attachments = parts.map(|part| {
        Attachment::default()
            .with_url(part.contains("://").then(|| part.to_owned()))
            .with_filename(part.rsplit(['/', '\\']).next().map(str::to_owned))
    });
    attachments.collect()
}

/// The fields of one record by the names of their columns, without the blanks
/// around them.
struct Fields<'r>(Vec<(&'r str, &'r str)>);

impl Fields<'_> {
    /// The value; empty where the file has no such column.
    fn get(&self, column: &str) -> &str {
        let field = self.0.iter().find(|(name, _)| *name == column);
        field.map_or("", |(_, value)| value)
    }

    fn joined(&self, columns: &[&str], separator: &str) -> String {
        let values = columns.iter().map(|column| self.get(column));
        let values: Vec<&str> = values.filter(|value| !value.is_empty()).collect();
        values.join(separator)
    }

    /// An id for the content: a column that is added and empty changes nothing.
    fn hash(&self) -> String {
        let mut hash = Sha256::new();
        for (name, value) in self.0.iter().filter(|(_, value)| !value.is_empty()) {
            for part in [name, value] {
                hash.update((part.len() as u64).to_le_bytes());
                hash.update(part);
            }
        }
        let hash = hash.finalize();
        let hex: String = hash
            .iter()
            .take(16)
            .map(|byte| format!("{byte:02x}"))
            .collect();
        format!("sha256-{hex}")
    }
}

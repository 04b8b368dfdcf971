//! The columns of the file: what each is for, and one record as an entry.

use csv::ByteRecord;
use gannet_plugin::ingest::{join_title, read_id, read_timestamp};
use gannet_plugin::prelude::{Entry, Error, Result};
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use serde_json::Value;

use crate::Settings;

/// A value, or why the record cannot be used.
type Read<T> = std::result::Result<T, String>;

/// The header of a file, and what its records are converted with.
pub(crate) struct Columns {
    names: Vec<String>,
    settings: Settings,
    tenant: String,
    zone: TimeZone,
}

impl Columns {
    /// # Errors
    /// [`Error::InvalidInput`] when a column is missing that no entry can
    /// lack, or when two have one name.
    pub(crate) fn new(
        header: &ByteRecord,
        settings: Settings,
        tenant: &str,
        zone: TimeZone,
    ) -> Result<Self> {
        let names: Vec<String> = (1..)
            .zip(header)
            .map(
                |(number, name)| match String::from_utf8_lossy(name).trim() {
                    "" => format!("column_{number}"),
                    name => name.to_owned(),
                },
            )
            .collect();
        for (at, name) in names.iter().enumerate() {
            if names[..at].contains(name) {
                return Err(Error::invalid_input(format!(
                    "the header has two columns `{name}`: rename one"
                )));
            }
        }
        let columns = Self {
            names,
            settings,
            tenant: tenant.to_owned(),
            zone,
        };
        columns.check()?;
        Ok(columns)
    }

    fn check(&self) -> Result<()> {
        let wanted = &self.settings.columns;
        for (key, name) in [
            ("id", &wanted.id),
            ("time", &wanted.time),
            ("text", &wanted.text),
        ] {
            if !self.names.contains(name) {
                return Err(Error::invalid_input(format!(
                    "the header has no column `{name}`; it has {}: name the right one in \
                     `columns.{key}`, and check `delimiter`",
                    self.names.join(", ")
                )));
            }
        }
        Ok(())
    }

    /// The optional columns that the file does not have.
    pub(crate) fn missing(&self) -> Vec<&str> {
        let optional = [&self.settings.columns.author, &self.settings.columns.title];
        let missing = optional
            .into_iter()
            .filter(|name| !self.names.contains(name));
        missing.map(String::as_str).collect()
    }

    /// The id of a record, also of one that is rejected.
    pub(crate) fn id(&self, record: &ByteRecord) -> Option<String> {
        let fields = self.fields(record).ok()?;
        self.read_id(&fields).ok()
    }

    /// One record as an entry.
    ///
    /// # Errors
    /// Why it cannot become one.
    pub(crate) fn entry(&self, record: &ByteRecord) -> Read<Entry> {
        let fields = self.fields(record)?;
        let columns = &self.settings.columns;
        let (title, text) = (fields.get(&columns.title), fields.get(&columns.text));
        if title.is_empty() && text.is_empty() {
            return Err("no text and no title".to_owned());
        }
        let mut entry = Entry::new(
            self.read_id(&fields)?,
            &self.settings.source_system,
            self.read_time(&fields)?,
            join_title(title, text),
        );
        entry.tenant.clone_from(&self.tenant);
        entry.author = fields.get(&columns.author).to_owned();
        if !title.is_empty() {
            entry.metadata.insert("title".to_owned(), title.into());
        }
        for (name, value) in &fields.0 {
            if !columns.holds(name) && !value.is_empty() {
                entry.metadata.insert((*name).to_owned(), (*value).into());
            }
        }
        Ok(entry)
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
            let value = std::str::from_utf8(value)
                .map_err(|_| format!("`{name}` is not UTF-8; save the file as UTF-8"))?;
            fields.push((name.as_str(), value.trim()));
        }
        Ok(Fields(fields))
    }

    fn read_id(&self, fields: &Fields<'_>) -> Read<String> {
        let name = &self.settings.columns.id;
        read_id(name, Some(&Value::from(fields.get(name))))
    }

    fn read_time(&self, fields: &Fields<'_>) -> Read<Timestamp> {
        let name = &self.settings.columns.time;
        let text = fields.get(name);
        let Some(format) = &self.settings.time_format else {
            return read_timestamp(name, &text.into(), &self.zone);
        };
        DateTime::strptime(format, text)
            .and_then(|local| self.zone.to_timestamp(local))
            .map_err(|error| {
                format!("`{name}` \"{text}\" is not a valid time of the format `{format}`: {error}")
            })
    }
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
}

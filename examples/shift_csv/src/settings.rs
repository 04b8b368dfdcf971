//! What the configuration can set.

use gannet_plugin::{Error, Result};
use schemars::JsonSchema;
use serde::Deserialize;

/// What the configuration can set.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// The file that is read when the call names none.
    pub source_url: Option<String>,
    /// Where entries say they came from.
    pub source_system: String,
    /// The character between two fields, such as `;` or a tab.
    pub delimiter: char,
    /// How local times are written, in the signs of `strftime`:
    /// `%d.%m.%Y %H:%M`. When empty, RFC 3339, `2024-01-05 08:30`, or seconds
    /// since 1970.
    pub time_format: Option<String>,
    /// What the columns are called that make an entry.
    pub columns: ColumnNames,
    /// How long a record may be, in bytes. A quotation mark without a partner
    /// makes one of all that follows.
    #[schemars(range(min = 1))]
    pub max_record_bytes: usize,
}

/// What the columns are called that make an entry. `author` and `title` may be
/// missing in the file.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ColumnNames {
    /// The entry's id.
    pub id: String,
    /// When it was logged.
    pub time: String,
    /// Who wrote it.
    pub author: String,
    /// Its title.
    pub title: String,
    /// Its text.
    pub text: String,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            source_url: None,
            source_system: "shift_csv".to_owned(),
            delimiter: ',',
            time_format: None,
            columns: ColumnNames::default(),
            max_record_bytes: 1 << 20,
        }
    }
}

impl Default for ColumnNames {
    fn default() -> Self {
        Self {
            id: "id".to_owned(),
            time: "time".to_owned(),
            author: "author".to_owned(),
            title: "title".to_owned(),
            text: "text".to_owned(),
        }
    }
}

impl ColumnNames {
    /// Whether a column is one of these five.
    pub(crate) fn holds(&self, name: &str) -> bool {
        [&self.id, &self.time, &self.author, &self.title, &self.text]
            .into_iter()
            .any(|column| column == name)
    }
}

impl Settings {
    /// The delimiter as the byte that it is in a file.
    ///
    /// # Errors
    /// [`Error::Configuration`] for a setting that cannot be used.
    pub(crate) fn check(&self, instance: &str) -> Result<u8> {
        let refuse = |key: &str, message: &str| {
            Err(Error::configuration(format!("{instance}.{key}"), message))
        };
        if self.max_record_bytes == 0 {
            return refuse("max_record_bytes", "must be at least 1");
        }
        match u8::try_from(self.delimiter) {
            Ok(byte) if byte.is_ascii() && !matches!(byte, b'"' | b'\r' | b'\n') => Ok(byte),
            _ => refuse(
                "delimiter",
                "must be one ASCII character, no quotation mark or line end",
            ),
        }
    }
}

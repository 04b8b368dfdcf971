//! What the configuration can set.

use gannet_plugin::prelude::{Error, Result, settings};

/// What the configuration can set.
#[settings]
#[derive(PartialEq, Eq)]
pub struct Settings {
    /// The file that is read when the call names none.
    pub source_url: Option<String>,
    /// Where entries say they came from.
    #[setting(default = "shift_csv")]
    pub source_system: String,
    /// The character between two fields, such as `;` or a tab.
    #[setting(default = ',')]
    pub delimiter: char,
    /// How local times are written, in the signs of `strftime`:
    /// `%d.%m.%Y %H:%M`. When empty, RFC 3339, `2024-01-05 08:30`, or seconds
    /// since 1970.
    pub time_format: Option<String>,
    /// What the columns are called that make an entry.
    pub columns: ColumnNames,
    /// How long a record may be, in bytes. A quotation mark without a partner
    /// makes one of all that follows.
    #[setting(default = 1 << 20, min = 1)]
    pub max_record_bytes: usize,
}

/// What the columns are called that make an entry. `author` and `title` may be
/// missing in the file.
#[settings]
#[derive(PartialEq, Eq)]
pub struct ColumnNames {
    /// The entry's id.
    #[setting(default = "id")]
    pub id: String,
    /// When it was logged.
    #[setting(default = "time")]
    pub time: String,
    /// Who wrote it.
    #[setting(default = "author")]
    pub author: String,
    /// Its title.
    #[setting(default = "title")]
    pub title: String,
    /// Its text.
    #[setting(default = "text")]
    pub text: String,
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
    /// [`Error::Setting`] for any other character.
    pub(crate) fn delimiter_byte(&self) -> Result<u8> {
        match u8::try_from(self.delimiter) {
            Ok(byte) if byte.is_ascii() && !matches!(byte, b'"' | b'\r' | b'\n') => Ok(byte),
            _ => Err(Error::setting(
                "delimiter",
                "must be one ASCII character, no quotation mark or line end",
            )),
        }
    }
}

//! What the configuration can set.

use gannet_plugin::entry::DEFAULT_KIND;
use gannet_plugin::prelude::{Error, Result, settings};
use gannet_sources::{TextEncoding, instant_setting};
use jiff::Timestamp;

/// The column of ids where none is named.
pub(crate) const USUAL_ID: &str = "id";

/// What the configuration can set.
#[settings]
#[derive(PartialEq, Eq)]
pub struct Settings {
    /// The file or folder, when a call names none.
    pub source_url: Option<String>,
    /// Where entries say they came from.
    #[setting(default = "csv")]
    pub source_system: String,
    /// What sort of text it is.
    #[setting(default = DEFAULT_KIND.to_owned())]
    pub kind: String,
    /// Which column is what.
    pub columns: ColumnMap,
    /// The character between two fields; found in the file when not set.
    pub delimiter: Option<char>,
    /// The encoding: `utf-8`, `utf-16le`, `utf-16be` or `windows-1252`; found in
    /// the file when not set.
    pub encoding: Option<String>,
    /// How times are written, in the directives of `strftime`:
    /// `%d.%m.%Y %H:%M`. When not set, RFC 3339, `2024-01-05 08:30`, or seconds
    /// since 1970.
    pub time_format: Option<String>,
    /// The time of records that have none, RFC 3339; they are rejected when
    /// this is not set. A bad time is rejected in any case.
    pub default_timestamp: Option<String>,
    /// Whether a record without an id gets one that is made from its content,
    /// and not rejected. If the record is edited later, it becomes another
    /// entry.
    pub id_from_content: bool,
    /// How long a record may be, in bytes. A quotation mark without a partner
    /// makes one of all that follows.
    #[setting(default = 1 << 20, min = 1)]
    pub max_record_bytes: usize,
}

/// Which column is what. A name that is not set is that of the `jsonl` format:
/// `id`, `timestamp`, `author`, `title`, `text`, `attachments`.
#[settings]
#[derive(PartialEq, Eq)]
pub struct ColumnMap {
    /// The entry's id.
    pub id: Option<String>,
    /// When it was logged: one column, or two with a date and a time of day.
    #[setting(default = Vec::new())]
    pub timestamp: Vec<String>,
    /// Who wrote it.
    pub author: Option<String>,
    /// Its title.
    pub title: Option<String>,
    /// Its text: one column, or several whose texts are joined as paragraphs.
    #[setting(default = Vec::new())]
    pub text: Vec<String>,
    /// Addresses or names of files, with `;` or `,` between two.
    pub attachments: Option<String>,
    /// The columns that become metadata, under their own names; all others
    /// when not set.
    pub metadata: Option<Vec<String>>,
}

impl Settings {
    /// The delimiter as the byte that it is in a file.
    ///
    /// # Errors
    /// [`Error::Setting`] for what cannot be one.
    pub(crate) fn delimiter_byte(&self) -> Result<Option<u8>> {
        let Some(delimiter) = self.delimiter else {
            return Ok(None);
        };
        match u8::try_from(delimiter) {
            Ok(byte) if byte.is_ascii() && !matches!(byte, b'"' | b'\r' | b'\n') => Ok(Some(byte)),
            _ => Err(Error::setting(
                "delimiter",
                "must be one ASCII character other than a quotation mark or a line end",
            )),
        }
    }

    /// The time of records that have none.
    ///
    /// # Errors
    /// [`Error::Setting`] for what cannot be read as a time.
    pub(crate) fn default_time(&self) -> Result<Option<Timestamp>> {
        let text = self.default_timestamp.as_deref();
        text.map(|text| instant_setting("default_timestamp", text))
            .transpose()
    }

    /// The encoding by its name.
    ///
    /// # Errors
    /// [`Error::Setting`] for an unknown name.
    pub(crate) fn known_encoding(&self) -> Result<Option<TextEncoding>> {
        let Some(name) = &self.encoding else {
            return Ok(None);
        };
        let encoding = TextEncoding::named(name);
        encoding.map(Some).ok_or_else(|| {
            let message =
                format!("`{name}` is unknown; write utf-8, utf-16le, utf-16be or windows-1252");
            Error::setting("encoding", message)
        })
    }
}

impl ColumnMap {
    /// This map, where it names anything.
    pub(crate) fn is_set(&self) -> bool {
        *self != Self::default()
    }

    /// The columns of an entry, by what they are. Where none is named it is
    /// the name of the `jsonl` format.
    pub(crate) fn id(&self) -> &str {
        self.id.as_deref().unwrap_or(USUAL_ID)
    }

    pub(crate) fn timestamp(&self) -> Vec<&str> {
        names_or(&self.timestamp, "timestamp")
    }

    pub(crate) fn author(&self) -> &str {
        self.author.as_deref().unwrap_or("author")
    }

    pub(crate) fn title(&self) -> &str {
        self.title.as_deref().unwrap_or("title")
    }

    pub(crate) fn text(&self) -> Vec<&str> {
        names_or(&self.text, "text")
    }

    pub(crate) fn attachments(&self) -> &str {
        self.attachments.as_deref().unwrap_or("attachments")
    }
}

fn names_or<'a>(names: &'a [String], default: &'a str) -> Vec<&'a str> {
    match names.is_empty() {
        true => vec![default],
        false => names.iter().map(String::as_str).collect(),
    }
}

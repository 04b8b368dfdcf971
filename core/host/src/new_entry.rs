//! An entry that somebody writes here, from its subject and details.

use std::hash::{BuildHasher, RandomState};

use gannet_api::{Attachment, Entry, OWN_SOURCE};
use jiff::Timestamp;
use serde_json::{Map, Value};

/// The source systems of entries that are written here: that of ARIEL's own
/// entries, for its interface, and that of the other surfaces.
pub const SOURCES: [&str; 2] = ["ARIEL Web", OWN_SOURCE];
/// The source system of entries that ARIEL's agent tools wrote, which come with
/// a migrated store.
const ARIEL_AGENT_SOURCE: &str = "ARIEL MCP";

/// The fields of a form, whichever surface has it.
#[derive(Debug, Clone)]
pub struct NewEntry {
    /// The title.
    pub subject: String,
    /// The text.
    pub details: String,
    /// Who wrote it.
    pub author: Option<String>,
    /// The logbook that it belongs to.
    pub logbook: Option<String>,
    /// The shift.
    pub shift: Option<String>,
    /// Its tags.
    pub tags: Vec<String>,
    /// Its files.
    pub attachments: Vec<Attachment>,
    /// More fields.
    pub metadata: Map<String, Value>,
    /// When it happened.
    pub timestamp: Timestamp,
}

/// What a surface adds.
#[derive(Debug, Clone)]
pub struct Provenance<'a> {
    /// The id of the entry.
    pub entry_id: String,
    /// One of [`SOURCES`].
    pub source_system: &'a str,
    /// Whose entry it is.
    pub tenant: &'a str,
    /// Who wrote an entry that names nobody.
    pub anonymous: &'a str,
}

impl NewEntry {
    /// An entry of this moment with the fields that are required. Its other
    /// fields are empty: a surface sets those that it has.
    pub fn now(subject: String, details: String) -> Self {
        Self {
            subject,
            details,
            author: None,
            logbook: None,
            shift: None,
            tags: Vec::new(),
            attachments: Vec::new(),
            metadata: Map::new(),
            timestamp: Timestamp::now(),
        }
    }

    /// The name of the first required field that is blank.
    pub fn blank_field(&self) -> Option<&'static str> {
        let required = [("subject", &self.subject), ("details", &self.details)];
        let blank = required.iter().find(|(_, text)| text.trim().is_empty());
        blank.map(|(name, _)| *name)
    }

    /// The entry: its text is the subject, a blank line and the details.
    pub fn into_entry(self, of: Provenance<'_>) -> Entry {
        let text = format!("{}\n\n{}", self.subject, self.details);
        let mut entry = Entry::new(of.entry_id, of.source_system, self.timestamp, text);
        of.tenant.clone_into(&mut entry.tenant);
        let author = self.author.filter(|author| !author.trim().is_empty());
        entry.author = author.unwrap_or_else(|| of.anonymous.to_owned());
        entry.attachments = self.attachments;
        let fields = [
            ("title", Value::from(self.subject)),
            ("logbook", self.logbook.into()),
            ("shift", self.shift.into()),
            ("tags", self.tags.into()),
        ];
        for (name, value) in fields {
            if is_given(&value) {
                entry.metadata.insert(name.to_owned(), value);
            }
        }
        entry.metadata.extend(self.metadata);
        entry
    }
}

/// An id for an entry that is written here, which no other entry has: 12
/// hexadecimal digits of a hash whose key the operating system draws.
pub fn local_id() -> String {
    let number = RandomState::new().hash_one(()) & 0xffff_ffff_ffff;
    format!("gannet-{number:012x}")
}

/// Whether an entry was written here and in no other logbook.
pub(crate) fn is_written_here(entry: &Entry) -> bool {
    let source = entry.source_system.as_str();
    SOURCES.contains(&source) || source == ARIEL_AGENT_SOURCE
}

fn is_given(value: &Value) -> bool {
    !value.is_null() && value.as_array().is_none_or(|all| !all.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_of_two_fields_has_them_and_nothing_else() {
        let before = Timestamp::now();
        let new = NewEntry::now("Pump".to_owned(), "TP-3 was exchanged.".to_owned());
        assert_eq!(new.blank_field(), None);
        let entry = new.into_entry(Provenance {
            entry_id: "gannet-1".to_owned(),
            source_system: SOURCES[1],
            tenant: "default",
            anonymous: "nobody",
        });
        assert_eq!(entry.raw_text, "Pump\n\nTP-3 was exchanged.");
        assert_eq!(entry.author, "nobody");
        assert!((before..=Timestamp::now()).contains(&entry.timestamp));
        assert!(entry.attachments.is_empty());
        let fields: Vec<&String> = entry.metadata.keys().collect();
        assert_eq!(fields, ["title"]);
        let blank = NewEntry::now("Pump".to_owned(), " ".to_owned());
        assert_eq!(blank.blank_field(), Some("details"));
    }
}

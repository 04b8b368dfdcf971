//! An entry that somebody writes here, from its subject and details.

use gannet_core::api::{Attachment, Entry};
use jiff::Timestamp;
use serde_json::{Map, Value};

/// The fields of a form, whichever surface has it.
pub(crate) struct NewEntry {
    pub subject: String,
    pub details: String,
    pub author: Option<String>,
    pub logbook: Option<String>,
    pub shift: Option<String>,
    pub tags: Vec<String>,
    pub attachments: Vec<Attachment>,
    pub metadata: Map<String, Value>,
    pub timestamp: Timestamp,
}

/// What a surface adds.
pub(crate) struct Provenance<'a> {
    pub entry_id: String,
    pub source_system: &'a str,
    pub tenant: &'a str,
    /// Who wrote an entry that names nobody.
    pub anonymous: &'a str,
}

impl NewEntry {
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

fn is_given(value: &Value) -> bool {
    !value.is_null() && value.as_array().is_none_or(|all| !all.is_empty())
}

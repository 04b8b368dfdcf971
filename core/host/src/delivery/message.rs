//! What is delivered.

use gannet_api::Entry;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The form of a time for people: `2025-03-14 09:30 UTC`.
pub const TO_THE_MINUTE: &str = "%Y-%m-%d %H:%M %Z";

/// A message. Its id says what it is about, so that the same message made again
/// has the same id and a receiver can tell a repetition.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Message {
    /// Unique among all messages of a store: letters, digits, `.`, `-` and `_`.
    pub id: String,
    /// What it is.
    pub kind: MessageKind,
    /// The digest or the saved search by its name.
    pub name: String,
    /// Whose entries it is about.
    pub tenant: String,
    /// One line.
    pub title: String,
    /// The whole of it as plain text.
    pub text: String,
    /// The entries that it names.
    pub entries: Vec<MessageEntry>,
    /// When it was made.
    pub created_at: Timestamp,
    /// What programs read of it.
    pub details: Value,
}

/// What a message is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MessageKind {
    /// The digest of a time.
    Digest,
    /// An entry that a saved search found.
    Match,
}

/// An entry that a message names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessageEntry {
    /// Its id.
    pub entry_id: String,
    /// Its title, where it has one.
    pub title: Option<String>,
    /// Where the facility's logbook shows it, where that is configured.
    pub url: Option<String>,
}

impl MessageEntry {
    /// An entry with the address that people read it at.
    pub(crate) fn new(entry: &Entry, url: Option<String>) -> Self {
        Self {
            entry_id: entry.entry_id.clone(),
            title: entry.title().map(str::to_owned),
            url,
        }
    }
}

/// A part of the id of a message: other letters than those that a file and a
/// header may have become their number.
pub(crate) fn id_part(text: &str) -> String {
    let mut part = String::new();
    for letter in text.chars() {
        match letter.is_ascii_alphanumeric() || letter == '-' || letter == '_' {
            true => part.push(letter),
            false => part.push_str(&format!("~{:x}~", u32::from(letter))),
        }
    }
    part
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn different_texts_are_different_parts_without_separators() {
        assert_eq!(id_part("SKY-0168"), "SKY-0168");
        assert_eq!(id_part("a/b"), "a~2f~b");
        assert_ne!(id_part("a.b"), id_part("a/b"));
        assert!(!id_part("../../etc").contains(['/', '.']));
    }
}

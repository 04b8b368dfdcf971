//! What a block of another system sets here.

use serde_json::{Map, Value};

use super::key_path::KeyPath;

/// What a block sets here, and what is to be said about it.
#[derive(Debug, Default)]
pub(crate) struct Translation {
    pub(crate) value: Map<String, Value>,
    /// Its database, as the store, with the key that names it.
    pub(crate) store: Option<(KeyPath, Value)>,
    /// Keys within the block, and what becomes of each.
    pub(crate) notes: Vec<(KeyPath, Note)>,
    /// What each result of a search with a module is to say.
    pub(crate) module_notes: Vec<(String, String)>,
}

/// What becomes of a key that has another meaning here, or none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Note {
    /// It is left out, for this reason.
    NoMeaning(String),
    /// It is read, and this is to be known about it.
    Read(String),
}

impl Note {
    /// The line of the notice, with the key as it is called in its file.
    pub(crate) fn line(&self, key: &KeyPath) -> String {
        match self {
            Self::NoMeaning(reason) => format!("`{key}` has no meaning here: {reason}"),
            Self::Read(text) => format!("`{key}`: {text}"),
        }
    }
}

/// Notes about the keys of one block, while it is translated.
#[derive(Debug, Default)]
pub(crate) struct Notes(pub(crate) Vec<(KeyPath, Note)>);

impl Notes {
    /// Leaves a key out, for a reason.
    pub(crate) fn leave(&mut self, path: &KeyPath, reason: impl Into<String>) -> Option<Value> {
        self.0.push((path.clone(), Note::NoMeaning(reason.into())));
        None
    }

    /// Says something about a key that is read.
    pub(crate) fn say(&mut self, path: &KeyPath, text: impl Into<String>) {
        self.0.push((path.clone(), Note::Read(text.into())));
    }

    /// Whether a key was left out.
    pub(crate) fn has_left_out(&self, section: &str, name: &str) -> bool {
        let mut notes = self.0.iter();
        notes.any(|(path, note)| path.0 == [section, name] && matches!(note, Note::NoMeaning(_)))
    }
}

//! Entries on the way to a result: what is compared of their texts.

use std::collections::HashMap;

use gannet_plugin::filter::{fold, scalar_text};
use gannet_plugin::prelude::Entry;
use serde_json::Value;

/// Characters of a heading.
const HEADING_CHARS: usize = 120;
/// Characters of a snippet.
const SNIPPET_CHARS: usize = 240;
/// Bytes of a text that are compared: names of what an entry is about stand
/// near its beginning, and a document may have megabytes.
const COMPARED_BYTES: usize = 16 * 1024;

/// The texts of an entry in the form in which they are compared.
#[derive(Debug, Clone, Default)]
pub(crate) struct EntryText {
    /// Text, title and values of the metadata, in lower case.
    pub(crate) lower: String,
    /// The title, or else the first line, as it is written.
    pub(crate) heading: String,
}

impl EntryText {
    /// The texts of an entry.
    pub(crate) fn of(entry: &Entry) -> Self {
        let text = &entry.raw_text;
        let mut lower = fold(&text[..text.floor_char_boundary(COMPARED_BYTES)]);
        for value in entry.metadata.values() {
            add_value(&mut lower, value);
        }
        Self {
            lower,
            heading: heading_of(entry),
        }
    }
}

/// Values of the metadata on lines of their own, so that no phrase goes over
/// from one to the next.
fn add_value(text: &mut String, value: &Value) {
    match value {
        Value::Array(members) => members.iter().for_each(|member| add_value(text, member)),
        Value::String(_) => {
            text.push('\n');
            text.push_str(&fold(&scalar_text(value)));
        }
        _ => {}
    }
}

/// The entries of the hits that are ranked, with their texts.
#[derive(Debug, Default)]
pub(crate) struct Entries(HashMap<String, (Entry, EntryText)>);

impl Entries {
    /// Of entries that were read.
    pub(crate) fn of(read: Vec<Entry>) -> Self {
        let texts = read.into_iter().map(|entry| {
            let text = EntryText::of(&entry);
            (entry.entry_id.clone(), (entry, text))
        });
        Self(texts.collect())
    }

    /// The entry of an id and its texts.
    pub(crate) fn get(&self, id: &str) -> Option<(&Entry, &EntryText)> {
        self.0.get(id).map(|(entry, text)| (entry, text))
    }
}

/// The title of an entry, or else its first line, cut to a heading.
pub(crate) fn heading_of(entry: &Entry) -> String {
    let line = entry.raw_text.lines().find(|line| !line.trim().is_empty());
    let heading = entry.title().or(line).unwrap_or(&entry.entry_id);
    shortened(heading, HEADING_CHARS)
}

/// The beginning of an entry's text after its title.
pub(crate) fn snippet_of(entry: &Entry) -> String {
    let text = entry.raw_text.trim_start();
    let title = entry.title().unwrap_or_default();
    let body = text.strip_prefix(title).map_or(text, str::trim_start);
    let body = if body.is_empty() { text } else { body };
    let start = &body[..body.floor_char_boundary(8 * SNIPPET_CHARS)];
    shortened(start, SNIPPET_CHARS)
}

/// A text on one line, cut to so many characters.
pub(crate) fn shortened(text: &str, chars: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(chars) {
        Some((end, _)) => format!("{}…", line[..end].trim_end()),
        None => line,
    }
}

/// Whether a text holds a phrase, and no letter or digit goes on with it.
/// Both are in lower case.
pub(crate) fn holds_phrase(text: &str, phrase: &str) -> bool {
    !phrase.is_empty()
        && text.match_indices(phrase).any(|(at, _)| {
            let before = text[..at].chars().next_back();
            let after = text[at + phrase.len()..].chars().next();
            let goes_on = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
            !goes_on(before) && !goes_on(after)
        })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use serde_json::json;

    use super::*;

    #[test]
    fn a_phrase_is_held_whole() {
        assert!(holds_phrase("trip of cav1, again", "cav1"));
        assert!(!holds_phrase("trip of cav12", "cav1"));
        assert!(!holds_phrase("cav12 and xcav1", "cav1"));
        assert!(!holds_phrase("any", ""));
    }

    #[test]
    fn values_of_the_metadata_are_compared_too() {
        let time = "2024-03-15T10:30:00Z".parse().unwrap();
        let mut entry = Entry::new("1", "log", time, "Trip\nIt tripped.");
        entry
            .metadata
            .insert("sector".to_owned(), json!(["SR07", "SR08"]));
        let text = EntryText::of(&entry);
        assert!(holds_phrase(&text.lower, "sr08"));
        assert_eq!(text.heading, "Trip");
        assert_eq!(snippet_of(&entry), "Trip It tripped.");
        entry.metadata.insert("title".to_owned(), json!("Trip"));
        assert_eq!(snippet_of(&entry), "It tripped.");
    }
}

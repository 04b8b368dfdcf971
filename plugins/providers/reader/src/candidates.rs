//! The sentences of the best entries, with what the features need of them.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

use gannet_plugin::prelude::Entry;
use gannet_plugin::provider::ReadPassage;
use gannet_plugin::search::EntrySpans;
use gannet_stages::{ENTRIES_READ, content_stem, quoted, split_sentences, stems, words};

/// Bytes of an entry that are read.
const BYTES_READ: usize = 20_000;

/// The text of an entry as far as it is read.
pub(crate) struct Text {
    /// The stems of its title.
    pub(crate) title: HashSet<String>,
    /// The stems of all of it: title, text, author and fields.
    pub(crate) all: HashSet<String>,
    pub(crate) sentences: Vec<Sentence>,
}

/// A candidate.
pub(crate) struct Sentence {
    /// Its bytes in the `raw_text` of the entry.
    pub(crate) range: Range<usize>,
    chars_in_entry: usize,
    /// As it is quoted.
    pub(crate) text: String,
    pub(crate) words: Vec<String>,
    /// The stems of the words that say something, in order.
    pub(crate) stems_in_order: Vec<String>,
    pub(crate) stems: HashSet<String>,
}

/// The texts of the first entries.
pub(crate) fn read(passages: &[ReadPassage]) -> Vec<Text> {
    let passages = passages.iter().take(ENTRIES_READ);
    passages.map(|passage| Text::of(&passage.entry)).collect()
}

impl Sentence {
    /// Its characters, in the entry or as it is quoted, whichever are more.
    pub(crate) fn chars(&self) -> usize {
        self.text.chars().count().max(self.chars_in_entry)
    }
}

impl Text {
    fn of(entry: &Entry) -> Self {
        let text = head(&entry.raw_text);
        let title = entry.title().unwrap_or_default();
        let below = below_title(text, title);
        let sentences = split_sentences(text).into_iter();
        let sentences: Vec<Sentence> = sentences
            .filter(|sentence| sentence.range.start >= below && says_something(&sentence.text))
            .map(|sentence| {
                let chars_in_entry = text[sentence.range.clone()].chars().count();
                let text = quoted(text, &sentence.range);
                let words = words(&text);
                let stems: Vec<String> = words.iter().filter_map(|w| content_stem(w)).collect();
                Sentence {
                    range: sentence.range,
                    chars_in_entry,
                    words,
                    stems: stems.iter().cloned().collect(),
                    stems_in_order: stems,
                    text,
                }
            })
            .collect();
        let title: HashSet<String> = stems(title).collect();
        let mut all = title.clone();
        all.extend(
            sentences
                .iter()
                .flat_map(|sentence| sentence.stems.iter().cloned()),
        );
        all.extend(stems(&entry.author));
        for value in entry.metadata.values() {
            all.extend(stems(&field_text(value)));
        }
        Self {
            title,
            all,
            sentences,
        }
    }

    /// The spans of its sentences, and of all of it at the end.
    pub(crate) fn spans(&self, entry: &Entry) -> EntrySpans {
        let ranges = self.sentences.iter().map(|sentence| sentence.range.clone());
        EntrySpans {
            entry_id: entry.entry_id.clone(),
            spans: ranges
                .chain(std::iter::once(0..entry.raw_text.len()))
                .collect(),
        }
    }
}

/// In how many of the sentences each stem is.
pub(crate) fn sentence_frequencies(texts: &[Text]) -> HashMap<String, usize> {
    let mut frequencies = HashMap::new();
    let sentences = texts.iter().flat_map(|text| &text.sentences);
    for stem in sentences.flat_map(|sentence| &sentence.stems) {
        *frequencies.entry(stem.clone()).or_default() += 1;
    }
    frequencies
}

/// The value of a field as text.
pub(crate) fn field_text(value: &serde_json::Value) -> Cow<'_, str> {
    match value {
        serde_json::Value::String(text) => text.into(),
        other => other.to_string().into(),
    }
}

fn head(text: &str) -> &str {
    &text[..text.floor_char_boundary(BYTES_READ)]
}

/// Where the text begins below the title in its first line; at 0 when the
/// title is all there is.
fn below_title(text: &str, title: &str) -> usize {
    let below = text.strip_prefix(title).map(str::trim_start);
    let below = below.filter(|below| !below.is_empty());
    below.map_or(0, |below| text.len() - below.len())
}

/// Whether a sentence has a word: the number of an item has none. In scripts
/// without spaces one character may be a word.
fn says_something(sentence: &str) -> bool {
    let mut words = sentence.split(|c: char| !c.is_alphabetic());
    words.any(|word| word.chars().nth(1).is_some())
}

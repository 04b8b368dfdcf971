//! What searches for words look at, worked out when an entry is written.
//!
//! The analysis is the one of the embedded store, so that both find the same;
//! PostgreSQL's own dictionaries are not asked. Positions carry the field
//! that they are in: A the title, B keywords, C the author, D the rest.

use std::collections::{BTreeSet, HashSet};
use std::fmt::Write;

use gannet_analysis::{TextAnalyzer, text_analyser, word_analyser};
use gannet_api::Entry;

/// The last position that a `tsvector` tells from those after it.
const LAST_POSITION: u32 = 16_383;
/// A `tsvector` has room for 1 MiB; of a text with more words than that, the
/// first ones can be searched for.
const MOST_BYTES: usize = 900_000;
/// Left between two fields, so that no phrase reaches from one to the next.
const GAP: u32 = 1;

/// The columns of one entry for searches of its words.
#[derive(Debug, PartialEq)]
pub(in crate::postgres) struct TextColumns {
    /// The entry's terms with their places, as a `tsvector` in text form.
    pub(in crate::postgres) terms: String,
    /// How many words: in all, in the title, the keywords and the author.
    pub(in crate::postgres) lengths: [i32; 4],
}

/// Makes the columns, and gathers the words and names as they are written,
/// for the vocabulary.
pub(in crate::postgres) struct Analyst {
    text: TextAnalyzer,
    names: TextAnalyzer,
    /// Tenant and word.
    pub(in crate::postgres) vocabulary: BTreeSet<(String, String)>,
}

impl Default for Analyst {
    fn default() -> Self {
        Self {
            text: text_analyser(),
            names: word_analyser(),
            vocabulary: BTreeSet::new(),
        }
    }
}

impl Analyst {
    /// Of an entry with what enhancers added to it.
    pub(in crate::postgres) fn columns(&mut self, entry: &Entry) -> TextColumns {
        let keywords = entry.keywords.join("\n");
        let title = entry.title().unwrap_or_default();
        let begins_with_title = !title.is_empty() && entry.raw_text.starts_with(title);
        let mut terms = Terms::default();
        // The small fields first: they keep their places however long the
        // text is.
        let author = terms.add(&mut self.text, &entry.author, |_| 'C');
        let keyword = terms.add(&mut self.text, &keywords, |_| 'B');
        let mut titled = 0;
        if !begins_with_title {
            titled = terms.add(&mut self.text, title, |_| 'A');
        }
        terms.add(&mut self.text, &entry.raw_text, |end| {
            if begins_with_title && end <= title.len() {
                titled += 1;
                return 'A';
            }
            'D'
        });
        let summary = entry.summary.as_deref().unwrap_or_default();
        terms.add(&mut self.text, summary, |_| 'D');
        for text in [&entry.author, &keywords, title, &entry.raw_text, summary] {
            self.gather(&entry.tenant, text);
        }
        for attachment in entry.attachment_texts() {
            terms.add(&mut self.text, attachment.text, |_| 'D');
            self.gather(&entry.tenant, attachment.text);
        }
        TextColumns {
            terms: terms.written,
            lengths: [terms.words, titled, keyword, author],
        }
    }

    fn gather(&mut self, tenant: &str, text: &str) {
        let Self {
            names, vocabulary, ..
        } = self;
        names.token_stream(text).process(&mut |token| {
            vocabulary.insert((tenant.to_owned(), token.text.clone()));
        });
    }
}

/// A `tsvector` on its way.
#[derive(Default)]
struct Terms {
    written: String,
    bytes: usize,
    words: i32,
    position: u32,
    /// Terms at the last position, which need to be named once only.
    at_the_end: HashSet<String>,
}

impl Terms {
    /// Adds a field; returns its number of words. The field's letter may
    /// depend on where in the text a word ends. Two terms may share a
    /// position, see [`text_analyser`].
    fn add(
        &mut self,
        analyser: &mut TextAnalyzer,
        text: &str,
        mut letter: impl FnMut(usize) -> char,
    ) -> i32 {
        if text.is_empty() {
            return 0;
        }
        let words = self.words;
        let before = self.position;
        analyser.token_stream(text).process(&mut |token| {
            self.words = self.words.saturating_add(1);
            let place = u32::try_from(token.position).unwrap_or(LAST_POSITION);
            self.position = before.saturating_add(place).saturating_add(1);
            self.push(&token.text, letter(token.offset_to));
        });
        self.position = self.position.saturating_add(GAP);
        self.words - words
    }

    fn push(&mut self, term: &str, letter: char) {
        self.bytes += term.len() + 2;
        if self.bytes > MOST_BYTES {
            return;
        }
        if self.position >= LAST_POSITION && !self.at_the_end.insert(term.to_owned()) {
            self.bytes -= term.len() + 2;
            return;
        }
        push_quoted(&mut self.written, term);
        let position = self.position.min(LAST_POSITION);
        // Writing to a text does not fail.
        let _ = write!(self.written, ":{position}{letter} ");
    }
}

/// A term as it stands in a `tsvector` or `tsquery`.
pub(super) fn push_quoted(written: &mut String, term: &str) {
    written.push('\'');
    for character in term.chars() {
        if matches!(character, '\'' | '\\') {
            written.push(character);
        }
        written.push(character);
    }
    written.push('\'');
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use super::*;

    fn entry(text: &str) -> Entry {
        let at = "2024-06-12T08:00:00Z".parse().unwrap();
        let mut entry = Entry::new("1", "test", at, text);
        entry.author = "O'Hara".to_owned();
        entry
    }

    #[test]
    fn fields_stand_apart_and_keep_their_letters() {
        let mut entry = entry("RF trips\nThe pump tripped");
        entry.metadata.insert("title".to_owned(), "RF trips".into());
        entry.keywords = vec!["pumps".to_owned()];
        let columns = Analyst::default().columns(&entry);
        assert_eq!(
            columns.terms.trim(),
            "'o''hara':1C 'pump':3B 'rf':5A 'trip':6A 'the':7D 'pump':8D 'trip':9D"
        );
        assert_eq!(columns.lengths, [7, 2, 1, 1]);
    }

    #[test]
    fn the_vocabulary_has_words_as_written_but_for_the_case() {
        let mut analyst = Analyst::default();
        analyst.columns(&entry("Tripped: SR01C:BPM1"));
        let words: Vec<&str> = analyst
            .vocabulary
            .iter()
            .map(|(_, word)| word.as_str())
            .collect();
        assert_eq!(words, ["bpm1", "o'hara", "sr01c", "sr01c:bpm1", "tripped"]);
    }

    #[test]
    fn a_long_text_fits_and_its_late_words_are_there() {
        let text = format!("{} late", "again ".repeat(400_000));
        let columns = Analyst::default().columns(&entry(&text));
        assert!(columns.terms.contains("'late':16383D"));
        assert!(columns.terms.len() < 1_000_000, "{}", columns.terms.len());
        assert_eq!(columns.lengths[0], 400_002);
        let words: String = (0..400_000).map(|number| format!("w{number} ")).collect();
        let columns = Analyst::default().columns(&entry(&words));
        assert!(columns.terms.contains("'w100':"));
    }
}

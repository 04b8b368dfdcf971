//! Entries that a question for the last (or first) time must not miss.

use std::collections::BTreeSet;

use gannet_plugin::Entry;

use super::held::stands_for;
use super::kinds::QuestionKind;
use super::question::Question;
use super::terms::{stem, words};
use crate::assemble::Unit;

/// Characters of an entry that are looked at.
const CHARS_READ: usize = 2_000;

/// The ids of the newest entries that tell of what a question for the last
/// time asks about (of the oldest for the first time), `count` at most; none
/// for any other question.
///
/// A ranking by words and meaning does not know what `last` means, so the
/// last one of many alike may stand anywhere in it. An entry tells of it when
/// it holds as many of the question's words as the best does, one of them in
/// its title.
///
/// ```
/// use gannet_plugin::Entry;
/// use gannet_stages::newest_that_tell;
///
/// let entry = |id: &str, time: &str, text: &str| {
///     Ok::<_, Box<dyn std::error::Error>>(Entry::new(id, "log", time.parse()?, text))
/// };
/// let entries = [
///     entry("1", "2024-03-01T00:00:00Z", "Pump 2 tripped")?,
///     entry("2", "2024-05-01T00:00:00Z", "Pump 2 tripped again")?,
///     entry("3", "2024-06-01T00:00:00Z", "Quiet night")?,
/// ];
/// assert_eq!(newest_that_tell("when did pump 2 last trip?", &entries, 1), ["2"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn newest_that_tell(question: &str, entries: &[Entry], count: usize) -> Vec<String> {
    let question = Question::read(question);
    if !question.kind.is_by_time() || question.terms.is_empty() {
        return Vec::new();
    }
    let held: Vec<usize> = entries
        .iter()
        .map(|entry| terms_in(Unit::Chars.prefix(&entry.raw_text, CHARS_READ), &question))
        .collect();
    let most = held.iter().copied().max().unwrap_or(0).max(1);
    let mut telling: Vec<&Entry> = entries
        .iter()
        .zip(&held)
        .filter(|(entry, held)| **held == most && terms_in(heading(entry), &question) > 0)
        .map(|(entry, _)| entry)
        .collect();
    telling.sort_by(|a, b| (a.timestamp, &a.entry_id).cmp(&(b.timestamp, &b.entry_id)));
    if question.kind == QuestionKind::Latest {
        telling.reverse();
    }
    let ids = telling.iter().take(count);
    ids.map(|entry| entry.entry_id.clone()).collect()
}

/// The title, or the first line where there is none.
fn heading(entry: &Entry) -> &str {
    let first_line = || entry.raw_text.lines().next().unwrap_or_default();
    entry.title().unwrap_or_else(first_line)
}

/// How many of the question's words a text holds.
fn terms_in(text: &str, question: &Question) -> usize {
    let stems: BTreeSet<String> = words(text).iter().map(|word| stem(word)).collect();
    let terms = question.terms.iter();
    terms
        .filter(|term| stems.iter().any(|stem| stands_for(stem, term)))
        .count()
}

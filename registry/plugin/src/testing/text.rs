//! The text search of the fake host.

use std::ops::Range;

use crate::{Entry, Highlight, Hit, Matched, QuerySyntax, ScoreKind, TextSearch, fold, sort_hits};

/// A run of letters and digits.
pub(super) struct Word {
    pub(super) place: Range<usize>,
    pub(super) folded: String,
}

/// The words of a text in order.
pub(super) fn words(text: &str) -> Vec<Word> {
    let is_separator = |c: char| !c.is_alphanumeric();
    let mut start = 0;
    let mut words = Vec::new();
    for piece in text.split_inclusive(is_separator) {
        let word = piece.trim_end_matches(is_separator);
        if !word.is_empty() {
            words.push(Word {
                place: start..start + word.len(),
                folded: fold(word),
            });
        }
        start += piece.len();
    }
    words
}

/// Searches entries that pass the filter already. Without words they are
/// listed, newest first; without a filter too, nothing is found.
pub(super) fn search<'a>(
    entries: impl Iterator<Item = &'a Entry>,
    request: &TextSearch,
) -> Vec<Hit> {
    let query: Vec<String> = words(&request.query)
        .into_iter()
        .map(|word| word.folded)
        .collect();
    let mut hits: Vec<Hit> = match (query.is_empty(), request.filter.is_empty()) {
        (true, true) => Vec::new(),
        (true, false) => entries.map(listed).collect(),
        (false, _) => entries
            .filter_map(|entry| hit(entry, &query, request))
            .collect(),
    };
    sort_hits(&mut hits);
    hits.truncate(request.limit);
    hits
}

fn listed(entry: &Entry) -> Hit {
    let seconds = entry.timestamp.as_second() as f64;
    Hit::new(&entry.entry_id, &entry.kind, seconds, ScoreKind::None)
}

/// The hit of an entry that has the words that the syntax asks for; its score
/// is how often they occur.
fn hit(entry: &Entry, query: &[String], request: &TextSearch) -> Option<Hit> {
    let places: Vec<Word> = words(&entry.raw_text)
        .into_iter()
        .filter(|word| query.contains(&word.folded))
        .collect();
    let has = |wanted: &String| places.iter().any(|word| word.folded == *wanted);
    let has_all = query.iter().all(has);
    let has_enough = has_all || (request.syntax == QuerySyntax::Plain && !places.is_empty());
    if !has_enough {
        return None;
    }

    let score = places.len() as f64;
    let mut hit = Hit::new(&entry.entry_id, &entry.kind, score, ScoreKind::Bm25);
    if !has_all {
        hit.matched = Matched::Some;
    }
    if request.highlights {
        hit.highlights.push(Highlight {
            text: entry.raw_text.clone(),
            ranges: places
                .iter()
                .map(|word| (word.place.start, word.place.end))
                .collect(),
        });
    }
    Some(hit)
}

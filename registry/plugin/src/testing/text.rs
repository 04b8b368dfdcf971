//! The text search of the fake host: ranking and highlights.

use std::ops::Range;

use super::query::places;
use gannet_api::query::{Node, QueryOptions, parse};
use gannet_api::{Entry, Found, Highlight, Hit, Matched, ScoreKind, TextSearch, sort_hits};

/// Searches entries that pass the request's filter already. Without words they
/// are listed, newest first; without a filter too, nothing is found.
pub(super) fn search<'a>(entries: impl Iterator<Item = &'a Entry>, request: &TextSearch) -> Found {
    let query = parse(&request.query, request.syntax, &QueryOptions::default());
    let has_filter = !(request.filter.is_empty() && query.filter.is_empty());
    let entries = entries.filter(|entry| query.filter.matches(entry));
    let mut hits: Vec<Hit> = match &query.root {
        None if has_filter => entries.map(listed).collect(),
        None => Vec::new(),
        Some(root) => entries
            .filter_map(|entry| hit(entry, root, query.plain, request.highlights))
            .collect(),
    };
    sort_hits(&mut hits);
    hits.truncate(request.limit);
    Found::new(hits).with_diagnostics(query.diagnostics)
}

fn listed(entry: &Entry) -> Hit {
    let seconds = entry.timestamp.as_second() as f64;
    Hit::new(&entry.entry_id, &entry.kind, seconds, ScoreKind::None)
}

/// The hit of an entry that has what the query asks for; its score is how
/// often it has it.
fn hit(entry: &Entry, root: &Node, is_plain: bool, highlights: bool) -> Option<Hit> {
    let ranges = merged(places(root, entry)?);
    let score = ranges.len() as f64;
    let mut hit = Hit::new(&entry.entry_id, &entry.kind, score, ScoreKind::Bm25);
    if is_plain && !has_every_word(root, entry) {
        hit.matched = Matched::Some;
    }
    if highlights {
        hit.highlights.push(Highlight::new(
            entry.raw_text.clone(),
            ranges
                .iter()
                .map(|place| (place.start, place.end))
                .collect(),
        ));
    }
    Some(hit)
}

fn has_every_word(root: &Node, entry: &Entry) -> bool {
    match root {
        Node::Or(words) => words.iter().all(|word| places(word, entry).is_some()),
        _ => true,
    }
}

/// The places in order, those that overlap as one.
fn merged(mut places: Vec<Range<usize>>) -> Vec<Range<usize>> {
    places.sort_by_key(|place| place.start);
    let mut merged: Vec<Range<usize>> = Vec::with_capacity(places.len());
    for place in places {
        match merged.last_mut() {
            Some(last) if place.start < last.end => last.end = last.end.max(place.end),
            _ => merged.push(place),
        }
    }
    merged
}

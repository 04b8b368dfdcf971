//! Links between hits: one names the id of the other.

use std::collections::{BTreeSet, HashMap};

use gannet_plugin::prelude::{Entry, Hit};
use serde_json::Value;

use crate::entries::Entries;

/// Characters of an id that is looked for: shorter ones are words or numbers
/// of the text.
const ID_AT_LEAST: usize = 4;
/// Hits with which a link counts: the best ones. Logbooks refer to their own
/// entries all the time, and documents do not.
const BEST: usize = 10;
/// Bytes of a text in which ids are looked for.
const TEXT_BYTES: usize = 16 * 1024;

/// How many of the best other hits each hit is linked with, in either
/// direction.
pub(crate) fn links_of(hits: &[Hit], entries: &Entries) -> HashMap<String, usize> {
    let ids: BTreeSet<&str> = hits
        .iter()
        .map(|hit| hit.entry_id.as_str())
        .filter(|id| id.chars().count() >= ID_AT_LEAST && id.bytes().any(|b| b.is_ascii_digit()))
        .collect();
    let mut pairs: BTreeSet<(&str, &str)> = BTreeSet::new();
    for hit in hits {
        let Some((entry, _)) = entries.get(&hit.entry_id) else {
            continue;
        };
        for named in named_by(entry) {
            if let Some(other) = ids.get(named)
                && *other != hit.entry_id
            {
                let (a, b) = (hit.entry_id.as_str(), *other);
                pairs.insert((a.min(b), a.max(b)));
            }
        }
    }
    let best: BTreeSet<&str> = hits.iter().take(BEST).map(|hit| &*hit.entry_id).collect();
    let mut counts: HashMap<String, usize> = HashMap::new();
    for (a, b) in pairs {
        for (id, other) in [(a, b), (b, a)] {
            if best.contains(other) {
                *counts.entry(id.to_owned()).or_default() += 1;
            }
        }
    }
    counts
}

/// The words of an entry that may be ids: those of its text, and the texts of
/// its metadata.
fn named_by(entry: &Entry) -> impl Iterator<Item = &str> {
    let text = &entry.raw_text;
    let words = text[..text.floor_char_boundary(TEXT_BYTES)].split_whitespace();
    let values = entry.metadata.values().flat_map(texts_of);
    words
        .map(without_brackets)
        .chain(values.map(without_brackets))
}

fn texts_of(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => vec![text],
        Value::Array(members) => members.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

fn without_brackets(word: &str) -> &str {
    let is_around = |c: char| !c.is_alphanumeric();
    word.trim_matches(is_around)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use gannet_plugin::search::ScoreKind;

    use super::*;

    #[test]
    fn a_link_counts_at_both_ends_and_once() {
        let time = "2024-03-15T10:30:00Z".parse().unwrap();
        let texts = [
            ("SKY-1", "Trip, see [#SKY-2] and SKY-2."),
            ("SKY-2", "Reset after SKY-1."),
            ("SKY-3", "SKY-10 is another entry."),
        ];
        let read = texts.map(|(id, text)| Entry::new(id, "log", time, text));
        let hits = texts.map(|(id, _)| Hit::new(id, "logbook", 1.0, ScoreKind::Rrf));
        let links = links_of(&hits, &Entries::of(read.to_vec()));
        assert_eq!(links.get("SKY-1"), Some(&1));
        assert_eq!(links.get("SKY-2"), Some(&1));
        assert_eq!(links.get("SKY-3"), None);
    }
}

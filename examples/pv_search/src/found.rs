//! The names of one entry that match, as a hit.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use gannet_plugin::filter::fold;
use gannet_plugin::prelude::{Entry, Hit};
use gannet_plugin::search::{Highlight, ScoreKind};
use serde_json::json;

use crate::names::NameCharacters;
use crate::pattern::NamePattern;

/// Pieces of text that a hit shows at most.
const MOST_HIGHLIGHTS: usize = 5;
/// Bytes of a line that are shown before and after a name.
const SHOWN_BEFORE: usize = 80;
const SHOWN_AFTER: usize = 160;

/// An entry with the names in it that match.
pub(crate) struct Found<'e> {
    entry: &'e Entry,
    places: Vec<Range<usize>>,
    /// How often each name stands there, by the spelling that came first.
    counts: BTreeMap<&'e str, usize>,
}

impl<'e> Found<'e> {
    /// Looks at every name of an entry; `None` when none matches.
    pub(crate) fn in_entry(
        entry: &'e Entry,
        patterns: &[NamePattern],
        characters: &NameCharacters,
        case_sensitive: bool,
    ) -> Option<Self> {
        let mut places = Vec::new();
        let mut counts = BTreeMap::new();
        let mut spellings: HashMap<String, &str> = HashMap::new();
        for (start, name) in characters.names(&entry.raw_text) {
            if !patterns.iter().any(|pattern| pattern.regex.is_match(name)) {
                continue;
            }
            places.push(start..start + name.len());
            let key = match case_sensitive {
                true => name.to_owned(),
                false => fold(name),
            };
            *counts
                .entry(*spellings.entry(key).or_insert(name))
                .or_insert(0) += 1;
        }
        (!places.is_empty()).then_some(Self {
            entry,
            places,
            counts,
        })
    }

    /// Sorts the entries: more different names first, then more places, then
    /// the newest; the id decides the rest.
    pub(crate) fn rank(found: &mut [Self]) {
        found.sort_by_key(|one| {
            let names = (Reverse(one.counts.len()), Reverse(one.places.len()));
            (names, Reverse(one.entry.timestamp), &one.entry.entry_id)
        });
    }

    /// The hit. Its score is the number of different names, and a fraction
    /// below 1 that grows with the number of places.
    pub(crate) fn into_hit(self) -> Hit {
        let places = self.places.len() as f64;
        let score = self.counts.len() as f64 + places / (places + 1.0);
        let mut hit = Hit::new(
            &self.entry.entry_id,
            &self.entry.kind,
            score,
            ScoreKind::None,
        );
        hit.highlights = highlights(&self.entry.raw_text, &self.places);
        hit.explain = Some(json!({ "names": self.counts }));
        hit
    }
}

/// The lines around the places, long ones cut.
fn highlights(text: &str, places: &[Range<usize>]) -> Vec<Highlight> {
    let mut shown: Vec<(Range<usize>, Highlight)> = Vec::new();
    for place in places {
        let is_shown = shown
            .last()
            .is_some_and(|(window, _)| place.end <= window.end);
        if !is_shown {
            if shown.len() == MOST_HIGHLIGHTS {
                break;
            }
            let window = window_around(place, text);
            let highlight = Highlight::new(&text[window.clone()], Vec::new());
            shown.push((window, highlight));
        }
        if let Some((window, highlight)) = shown.last_mut() {
            let range = (place.start - window.start, place.end - window.start);
            highlight.ranges.push(range);
        }
    }
    shown.into_iter().map(|(_, highlight)| highlight).collect()
}

fn window_around(place: &Range<usize>, text: &str) -> Range<usize> {
    let line_start = text[..place.start].rfind('\n').map_or(0, |at| at + 1);
    let line_end = text[place.end..]
        .find('\n')
        .map_or(text.len(), |at| place.end + at);
    let start = text.floor_char_boundary(place.start.saturating_sub(SHOWN_BEFORE));
    let end = text.ceil_char_boundary(place.end + SHOWN_AFTER);
    line_start.max(start)..line_end.min(end)
}

//! An entry with names that match, as a hit.

use std::collections::BTreeMap;
use std::ops::Range;

use gannet_plugin::prelude::{Entry, Hit};
use gannet_plugin::search::{Highlight, ScoreKind};
use serde_json::json;

/// Lines that a hit shows at most, and bytes before and after a name in them.
const MOST_LINES: usize = 5;
const SHOWN: usize = 120;

/// The hit of an entry with names at these places. Its score is the number of
/// different names, and a fraction below 1 that grows with the number of places.
pub(crate) fn hit(entry: &Entry, places: &[Range<usize>]) -> Hit {
    let mut names: BTreeMap<&str, usize> = BTreeMap::new();
    for place in places {
        *names.entry(&entry.raw_text[place.clone()]).or_default() += 1;
    }
    let count = places.len() as f64;
    let score = names.len() as f64 + count / (count + 1.0);
    let mut hit = Hit::new(&entry.entry_id, &entry.kind, score, ScoreKind::None);
    hit.highlights = highlights(&entry.raw_text, places);
    hit.explain = Some(json!({ "names": names }));
    hit
}

/// The lines around the places, long ones cut.
fn highlights(text: &str, places: &[Range<usize>]) -> Vec<Highlight> {
    let mut shown: Vec<(Range<usize>, Highlight)> = Vec::new();
    for place in places {
        let is_shown = shown
            .last()
            .is_some_and(|(window, _)| place.end <= window.end);
        if !is_shown && shown.len() < MOST_LINES {
            let before = text[..place.start].rfind('\n').map_or(0, |at| at + 1);
            let after = text[place.end..]
                .find('\n')
                .map_or(text.len(), |at| place.end + at);
            let start = before.max(text.floor_char_boundary(place.start.saturating_sub(SHOWN)));
            let end = after.min(text.ceil_char_boundary(place.end + SHOWN));
            shown.push((start..end, Highlight::new(&text[start..end], Vec::new())));
        }
        if let Some((window, line)) = shown
            .last_mut()
            .filter(|(window, _)| place.end <= window.end)
        {
            line.ranges
                .push((place.start - window.start, place.end - window.start));
        }
    }
    shown.into_iter().map(|(_, highlight)| highlight).collect()
}

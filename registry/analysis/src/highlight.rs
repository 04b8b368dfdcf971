//! Pieces of a text with the places that matched.

use std::collections::BTreeSet;

use gannet_api::query::is_unspaced;
use gannet_api::{Highlight, fold};
use regex::Regex;
use tantivy::tokenizer::TextAnalyzer;

use super::{name_tokens, trim_sentence};

/// Bytes of a piece, about.
const PIECE: usize = 240;
const MOST_PIECES: usize = 3;
/// Looking for the best piece takes the square of this at worst.
const MOST_PLACES: usize = 1_000;

/// What is marked in a text.
#[derive(Debug, Clone, Default)]
pub struct Marks {
    /// Terms of texts.
    pub stems: BTreeSet<String>,
    /// Beginnings of words.
    pub prefixes: Vec<String>,
    /// Patterns that a whole name is matched with.
    pub patterns: Vec<Regex>,
}

/// A place that matched: bytes, and what matched there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    start: usize,
    end: usize,
    what: usize,
}

/// The best pieces of a text, in the order of the text; none when nothing in
/// it matches.
pub fn highlights(text: &str, marks: &Marks, analyser: &mut TextAnalyzer) -> Vec<Highlight> {
    let mut places = stem_places(text, marks, analyser);
    places.extend(name_places(text, marks));
    places.sort_unstable();
    places.truncate(MOST_PLACES);
    let mut windows = Vec::new();
    while windows.len() < MOST_PIECES {
        let Some((first, last)) = best_window(&places) else {
            break;
        };
        let window = widen(text, places[first].start, places[last].end);
        let inside = |place: &Place| place.start < window.1 && place.end > window.0;
        let ranges = places.iter().copied().filter(inside).collect::<Vec<_>>();
        places.retain(|place| !inside(place));
        windows.push((window, ranges));
    }
    windows.sort_unstable_by_key(|(window, _)| *window);
    windows
        .into_iter()
        .map(|((start, end), places)| {
            Highlight::new(text[start..end].to_owned(), merged(&places, start, end))
        })
        .collect()
}

fn stem_places(text: &str, marks: &Marks, analyser: &mut TextAnalyzer) -> Vec<Place> {
    let mut places = Vec::new();
    analyser.token_stream(text).process(&mut |token| {
        if marks.stems.contains(&token.text) {
            places.push(Place {
                start: token.offset_from,
                end: token.offset_to,
                what: marks.stems.range(..token.text.clone()).count(),
            });
        }
    });
    places
}

fn name_places(text: &str, marks: &Marks) -> Vec<Place> {
    if marks.prefixes.is_empty() && marks.patterns.is_empty() {
        return Vec::new();
    }
    let mut places = Vec::new();
    for token in name_tokens(text) {
        let whole = trim_sentence(token);
        let offset = whole.as_ptr() as usize - text.as_ptr() as usize;
        let parts = whole
            .split(|c: char| !c.is_alphanumeric())
            .filter(|part| !part.is_empty() && part.len() < whole.len());
        let matched = std::iter::once(whole)
            .chain(parts)
            .find_map(|name| Some((name, what_matches(name, marks)?)));
        if let Some((name, what)) = matched {
            let start = offset + (name.as_ptr() as usize - whole.as_ptr() as usize);
            places.push(Place {
                start,
                end: start + name.len(),
                what: marks.stems.len() + what,
            });
        }
    }
    places
}

fn what_matches(name: &str, marks: &Marks) -> Option<usize> {
    let folded = fold(name);
    if folded.is_empty() {
        return None;
    }
    let prefix = marks
        .prefixes
        .iter()
        .position(|prefix| folded.starts_with(prefix));
    prefix.or_else(|| {
        let pattern = marks
            .patterns
            .iter()
            .position(|pattern| pattern.is_match(&folded))?;
        Some(marks.prefixes.len() + pattern)
    })
}

/// The run of places that fits into a piece and holds most different matches,
/// then most matches, then comes first.
fn best_window(places: &[Place]) -> Option<(usize, usize)> {
    let mut best: Option<((usize, usize), (usize, usize))> = None;
    for first in 0..places.len() {
        let mut seen: Vec<usize> = Vec::new();
        let mut last = first;
        for (index, place) in places.iter().enumerate().skip(first) {
            if index > first && place.end > places[first].start + PIECE {
                break;
            }
            if !seen.contains(&place.what) {
                seen.push(place.what);
            }
            last = index;
        }
        let worth = (seen.len(), last - first + 1);
        if best.is_none_or(|(most, _)| worth > most) {
            best = Some((worth, (first, last)));
        }
    }
    best.map(|(_, window)| window)
}

/// A piece around matching places, cut between words. Text without spaces can
/// be cut anywhere.
fn widen(text: &str, start: usize, end: usize) -> (usize, usize) {
    let room = PIECE.saturating_sub(end - start) / 2;
    let left = text.floor_char_boundary(start.saturating_sub(room));
    let right = text.ceil_char_boundary((end + room).min(text.len()));
    let left = match text[left..start].find(can_be_cut) {
        Some(cut) if left > 0 => left + cut,
        _ if left > 0 => start,
        _ => left,
    };
    let right = match text[end..right]
        .char_indices()
        .rfind(|(_, c)| can_be_cut(*c))
    {
        Some((cut, last)) if right < text.len() => end + cut + last.len_utf8(),
        _ if right < text.len() => end,
        _ => right,
    };
    let piece = &text[left..right];
    let left = left + (piece.len() - piece.trim_start().len());
    (left, left + piece.trim().len())
}

fn can_be_cut(character: char) -> bool {
    character.is_whitespace() || is_unspaced(character)
}

/// Ranges within the piece, joined where they overlap.
fn merged(places: &[Place], start: usize, end: usize) -> Vec<(usize, usize)> {
    let mut ranges: Vec<(usize, usize)> = Vec::with_capacity(places.len());
    for place in places {
        let range = (place.start.max(start) - start, place.end.min(end) - start);
        match ranges.last_mut() {
            Some(last) if range.0 < last.1 => last.1 = last.1.max(range.1),
            _ => ranges.push(range),
        }
    }
    ranges
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use proptest::prelude::*;

    use super::*;
    use crate::text_analyser;

    fn marked(text: &str, stems: &[&str]) -> Vec<Highlight> {
        let marks = Marks {
            stems: stems.iter().map(|&stem| stem.to_owned()).collect(),
            ..Marks::default()
        };
        highlights(text, &marks, &mut text_analyser())
    }

    #[test]
    fn every_form_of_a_word_is_marked() {
        let found = marked(
            "The pump tripped. Two trips later it was <b>replaced</b>.",
            &["trip"],
        );
        assert_eq!(found.len(), 1);
        let words: Vec<&str> = found[0]
            .ranges
            .iter()
            .map(|&(start, end)| &found[0].text[start..end])
            .collect();
        assert_eq!(words, ["tripped", "trips"]);
        assert!(found[0].text.contains("<b>"));
    }

    #[test]
    fn the_piece_with_most_different_words_is_taken_of_a_long_text() {
        let filler = "nothing to see here ".repeat(40);
        let text = format!("beam {filler} beam loss and pump {filler} loss");
        let found = marked(&text, &["beam", "loss", "pump"]);
        assert_eq!(found.len(), 3);
        assert!(found[1].text.contains("beam loss and pump"));
        assert!(found.iter().all(|piece| piece.text.len() <= PIECE));
    }

    #[test]
    fn a_text_without_a_match_has_no_pieces() {
        assert!(marked("all quiet", &["pump"]).is_empty());
    }

    #[test]
    fn names_are_marked_by_beginning_and_pattern() {
        let marks = Marks {
            prefixes: vec!["sr01".to_owned()],
            patterns: vec![crate::glob_pattern("rf-*").unwrap()],
            ..Marks::default()
        };
        let found = highlights("Lost SR01C:BPM1, then RF-2.", &marks, &mut text_analyser());
        let words: Vec<&str> = found[0]
            .ranges
            .iter()
            .map(|&(start, end)| &found[0].text[start..end])
            .collect();
        assert_eq!(words, ["SR01C:BPM1", "RF-2"]);
    }

    #[test]
    fn text_without_spaces_is_cut_around_what_matches() {
        let filler = "今天没有什么事情发生".repeat(40);
        let text = format!("{filler}真空泵{filler}");
        let found = marked(&text, &["真空", "空泵"]);
        assert_eq!(found.len(), 1);
        let [(start, end)] = found[0].ranges[..] else {
            panic!("{:?}", found[0].ranges);
        };
        assert_eq!(&found[0].text[start..end], "真空泵");
        let length = found[0].text.len();
        assert!((PIECE / 2..=PIECE + 6).contains(&length), "{length}");
        assert_eq!(marked("真空泵坏了", &["泵"])[0].ranges, [(6, 9)]);
    }

    proptest! {
        #[test]
        fn ranges_are_in_order_and_inside_the_piece(text in "([a-zäß ]{0,9}(pump|beam)[ .,é]){0,60}") {
            for piece in marked(&text, &["pump", "beam"]) {
                let mut before = 0;
                for (start, end) in piece.ranges {
                    prop_assert!(before <= start && start < end);
                    prop_assert!(piece.text.get(start..end).is_some());
                    before = end;
                }
            }
        }
    }
}

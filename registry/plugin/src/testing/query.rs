//! What a query finds in one entry, by looking at its whole text.

use std::ops::Range;

use regex::RegexBuilder;

use gannet_api::query::Node;
use gannet_api::{Entry, fold};

/// Where the text of an entry has what a part of a query asks for; `None` when
/// the entry does not meet it. A filter and a NOT are met without a place.
pub(super) fn places(node: &Node, entry: &Entry) -> Option<Vec<Range<usize>>> {
    let text = &entry.raw_text;
    match node {
        Node::Word(wanted) | Node::Phrase(wanted) => sequences(wanted, text),
        Node::Prefix(stem) => names_like(&format!("{}.*", regex::escape(stem)), text),
        Node::Glob(glob) => names_like(&glob_as_regex(glob), text),
        Node::Regex(body) => names_like(body, text),
        Node::Field(clause) => clause.matches(entry).then(Vec::new),
        Node::All(parts) | Node::And(parts) => {
            let all: Option<Vec<_>> = parts.iter().map(|part| places(part, entry)).collect();
            all.map(|places| places.concat())
        }
        Node::Or(parts) => {
            let met: Vec<_> = parts
                .iter()
                .filter_map(|part| places(part, entry))
                .collect();
            (!met.is_empty()).then(|| met.concat())
        }
        Node::Not(part) => places(part, entry).is_none().then(Vec::new),
    }
}

/// A run of letters and digits.
pub(super) struct Word {
    place: Range<usize>,
    pub(super) folded: String,
}

/// The words of a text in order.
pub(super) fn words(text: &str) -> Vec<Word> {
    let places = pieces(text, |c| !c.is_alphanumeric());
    places
        .map(|place| Word {
            folded: fold(&text[place.clone()]),
            place,
        })
        .collect()
}

/// The words of `wanted` side by side, each with its place.
fn sequences(wanted: &str, text: &str) -> Option<Vec<Range<usize>>> {
    let wanted: Vec<String> = words(wanted).into_iter().map(|word| word.folded).collect();
    if wanted.is_empty() {
        return None;
    }
    let words = words(text);
    let found: Vec<Range<usize>> = words
        .windows(wanted.len())
        .filter(|row| {
            row.iter()
                .zip(&wanted)
                .all(|(word, wanted)| word.folded == *wanted)
        })
        .flatten()
        .map(|word| word.place.clone())
        .collect();
    (!found.is_empty()).then_some(found)
}

/// The names that a pattern matches from end to end, in any case: what stands
/// between white space, without punctuation around it, and each word in it.
fn names_like(pattern: &str, text: &str) -> Option<Vec<Range<usize>>> {
    let pattern = RegexBuilder::new(&format!("^(?:{pattern})$"))
        .case_insensitive(true)
        .build()
        .ok()?;
    let whole = pieces(text, char::is_whitespace).filter_map(|place| without_marks(text, place));
    let parts = pieces(text, |c| !c.is_alphanumeric());
    let found: Vec<Range<usize>> = whole
        .chain(parts)
        .filter(|place| pattern.is_match(&text[place.clone()]))
        .collect();
    (!found.is_empty()).then_some(found)
}

fn glob_as_regex(glob: &str) -> String {
    regex::escape(glob).replace(r"\*", ".*").replace(r"\?", ".")
}

fn without_marks(text: &str, place: Range<usize>) -> Option<Range<usize>> {
    let is_mark = |c: char| !c.is_alphanumeric();
    let piece = &text[place.clone()];
    let start = place.start + (piece.len() - piece.trim_start_matches(is_mark).len());
    let end = start + piece.trim_matches(is_mark).len();
    (start < end).then_some(start..end)
}

/// The places of what stands between separators, none of them empty.
fn pieces(text: &str, is_separator: impl Fn(char) -> bool) -> impl Iterator<Item = Range<usize>> {
    let mut start = 0;
    text.split(is_separator).filter_map(move |piece| {
        let at = start;
        let separator = text[at + piece.len()..].chars().next();
        start = at + piece.len() + separator.map_or(0, char::len_utf8);
        (!piece.is_empty()).then(|| at..at + piece.len())
    })
}

//! The terms of an entry, as the text index has them.

use std::cell::OnceCell;
use std::collections::{BTreeSet, HashMap};

use gannet_api::Entry;

use crate::{readable, text_analyser, word_analyser};

/// Positions between two texts of an entry, so that no phrase reaches from one
/// into the next.
const GAP: usize = 2;

/// The terms of an entry with their positions.
pub(super) struct EntryTerms {
    positions: HashMap<String, Vec<usize>>,
    texts: Vec<String>,
    names: OnceCell<BTreeSet<String>>,
}

impl EntryTerms {
    pub(super) fn of(entry: &Entry) -> Self {
        let keywords = entry.keywords.join("\n");
        let mut analyser = text_analyser();
        let mut positions: HashMap<String, Vec<usize>> = HashMap::new();
        let (mut start, mut texts) = (0, Vec::new());
        for text in readable(entry, &keywords) {
            let mut last = start;
            analyser.token_stream(text).process(&mut |token| {
                last = start + token.position;
                match positions.get_mut(&token.text) {
                    Some(places) => places.push(last),
                    None => {
                        positions.insert(token.text.clone(), vec![last]);
                    }
                }
            });
            start = last + GAP;
            texts.push(text.to_owned());
        }
        Self {
            positions,
            texts,
            names: OnceCell::new(),
        }
    }

    pub(super) fn distinct(&self) -> impl Iterator<Item = &str> {
        self.positions.keys().map(String::as_str)
    }

    pub(super) fn has(&self, term: &str) -> bool {
        self.positions.contains_key(term)
    }

    /// Whether these terms stand one after the other.
    pub(super) fn has_sequence(&self, terms: &[String]) -> bool {
        let places: Option<Vec<&Vec<usize>>> =
            terms.iter().map(|term| self.positions.get(term)).collect();
        let Some([first, rest @ ..]) = places.as_deref() else {
            return false;
        };
        let follows = |start: &usize| {
            let mut rest = rest.iter().enumerate();
            rest.all(|(at, places)| places.contains(&(start + at + 1)))
        };
        first.iter().any(follows)
    }

    /// Whether any name in the texts is like this. Names are read when the first
    /// query asks for one.
    pub(super) fn has_name(&self, is_like: impl Fn(&str) -> bool) -> bool {
        let names = self.names.get_or_init(|| names_of(&self.texts));
        names.iter().any(|name| is_like(name))
    }
}

fn names_of(texts: &[String]) -> BTreeSet<String> {
    let mut analyser = word_analyser();
    let mut names = BTreeSet::new();
    for text in texts {
        analyser.token_stream(text).process(&mut |token| {
            names.insert(token.text.clone());
        });
    }
    names
}

//! Plain mode: the words of a text that a program builds.

use std::collections::HashSet;

use super::Node;
use super::stop_words::is_stop_word;
use super::trimming::plain_words;
use crate::fold;

/// The words that count, joined by OR: each once, without stop words unless
/// there is nothing else.
pub(super) fn read_plain(text: &str) -> Option<Node> {
    let words = distinct(plain_words(text));
    let telling: Vec<&str> = words
        .iter()
        .copied()
        .filter(|word| !is_stop_word(word))
        .collect();
    let kept = if telling.is_empty() { words } else { telling };
    let nodes: Vec<Node> = kept
        .into_iter()
        .map(|word| Node::Word(word.to_owned()))
        .collect();
    (!nodes.is_empty()).then_some(Node::Or(nodes))
}

fn distinct<'t>(words: impl Iterator<Item = &'t str>) -> Vec<&'t str> {
    let mut seen = HashSet::new();
    words.filter(|word| seen.insert(fold(word))).collect()
}

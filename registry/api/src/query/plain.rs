//! Plain mode: the words of a text that a program builds.

use super::Node;
use super::stop_words::is_stop_word;
use super::trimming::plain_words;

/// The words that count, joined by OR, as often as they stand in the text;
/// without stop words unless there is nothing else.
pub(super) fn read_plain(text: &str) -> Option<Node> {
    let words: Vec<&str> = plain_words(text).collect();
    let telling = words.iter().filter(|word| !is_stop_word(word)).count();
    let nodes: Vec<Node> = words
        .into_iter()
        .filter(|word| telling == 0 || !is_stop_word(word))
        .map(|word| Node::Word(word.to_owned()))
        .collect();
    (!nodes.is_empty()).then_some(Node::Or(nodes))
}

//! Words that are in no entry, and what stands for them.

use std::collections::HashMap;

use gannet_api::query::{Node, is_stop_word};
use gannet_api::{Diagnostic, fold};
use tantivy::tokenizer::TextAnalyzer;

use super::{pieces_of, terms_of, trim_sentence};

/// A misspelt word is taken for so many words at most.
const MOST_CORRECTIONS: usize = 3;
/// Words of a sentence that are no stop words and name nothing: `how many` is
/// not misspelt where no entry says it.
const FUNCTION_WORDS: &[&str] = &[
    "after",
    "again",
    "also",
    "another",
    "anything",
    "because",
    "before",
    "between",
    "both",
    "during",
    "each",
    "else",
    "ever",
    "every",
    "few",
    "just",
    "least",
    "less",
    "many",
    "more",
    "most",
    "much",
    "never",
    "none",
    "nothing",
    "often",
    "once",
    "only",
    "other",
    "over",
    "same",
    "since",
    "some",
    "something",
    "still",
    "than",
    "those",
    "through",
    "under",
    "until",
    "very",
    "while",
    "whom",
    "whose",
    "within",
    "without",
];

/// A word of a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct QueryWord {
    /// As it stands in the query.
    pub(crate) written: String,
    /// As a term of the running text.
    pub(crate) term: String,
}

impl QueryWord {
    /// The forms whose neighbours are looked for, one after the other.
    pub(crate) fn spellings(&self) -> Vec<String> {
        let folded = fold(trim_sentence(&self.written));
        if folded == self.term {
            return vec![folded];
        }
        vec![folded, self.term.clone()]
    }
}

/// What is searched for in the place of words that are in no entry.
#[derive(Debug, Default)]
pub(crate) struct Spelling {
    corrected: HashMap<String, Vec<String>>,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

impl Spelling {
    /// The terms to search for in the place of a term.
    pub(crate) fn forms(&self, term: &str) -> Vec<String> {
        match self.corrected.get(term) {
            Some(forms) => forms.clone(),
            None => vec![term.to_owned()],
        }
    }

    /// Notes the words that are near one that is in no entry.
    pub(crate) fn correct(
        &mut self,
        word: &QueryWord,
        near: &[String],
        analyser: &mut TextAnalyzer,
    ) {
        let forms = forms_of(near, analyser);
        if forms.is_empty() {
            return;
        }
        self.diagnostics.push(corrected(&word.written, near));
        self.corrected.insert(word.term.clone(), forms);
    }

    /// Notes the words that are near one of a query that finds nothing. The
    /// word itself stays wanted: others may be what is wrong.
    pub(crate) fn widen(&mut self, word: &QueryWord, near: &[String], analyser: &mut TextAnalyzer) {
        // Another form of the word was searched for already.
        let is_other = |near: &&String| terms_of(analyser, near) != [word.term.as_str()];
        let near: Vec<String> = near.iter().filter(is_other).cloned().collect();
        let mut forms = forms_of(&near, analyser);
        if forms.is_empty() {
            return;
        }
        self.diagnostics.push(widened(&word.written, &near));
        forms.push(word.term.clone());
        self.corrected.insert(word.term.clone(), forms);
    }

    /// Whether a search for these words can differ from one without them.
    pub(crate) fn is_empty(&self) -> bool {
        self.corrected.is_empty()
    }
}

/// The terms of some words, each once.
fn forms_of(words: &[String], analyser: &mut TextAnalyzer) -> Vec<String> {
    let words = words.iter();
    let mut forms: Vec<String> = words.flat_map(|word| terms_of(analyser, word)).collect();
    forms.sort_unstable();
    forms.dedup();
    forms
}

fn corrected(word: &str, near: &[String]) -> Diagnostic {
    let near = quoted(near);
    let message = format!("`{word}` is in no entry; searched for {near} instead");
    Diagnostic::info("store.text", message).category("spelling")
}

fn widened(word: &str, near: &[String]) -> Diagnostic {
    let near = quoted(near);
    let message = format!("nothing was found; searched for {near} in place of `{word}`");
    Diagnostic::info("store.text", message).category("spelling")
}

fn quoted(words: &[String]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    quoted.join(", ")
}

fn is_function_word(word: &str) -> bool {
    is_stop_word(word) || FUNCTION_WORDS.contains(&word.to_lowercase().as_str())
}

/// The words of a query that may be misspelt: not names with digits, not
/// function words, nothing that is excluded.
pub(crate) fn words_of(node: &Node, analyser: &mut TextAnalyzer) -> Vec<QueryWord> {
    let mut words = Vec::new();
    gather(node, analyser, &mut words);
    words
}

fn gather(node: &Node, analyser: &mut TextAnalyzer, words: &mut Vec<QueryWord>) {
    match node {
        Node::All(parts) | Node::And(parts) | Node::Or(parts) => {
            for part in parts {
                gather(part, analyser, words);
            }
        }
        Node::Word(word) if !is_function_word(word) => {
            let terms = terms_of(analyser, word);
            let pieces = if terms.len() == 1 {
                Some(vec![word.as_str()])
            } else {
                pieces_of(word)
            };
            for (piece, term) in pieces.into_iter().flatten().zip(terms) {
                let word = QueryWord {
                    written: piece.to_owned(),
                    term,
                };
                if words.iter().all(|known| known.term != word.term) {
                    words.push(word);
                }
            }
        }
        _ => {}
    }
}

/// How many edits a word may be away: 1, or 2 for words of 8 letters and
/// more; short words are not corrected.
pub(crate) fn farthest(word: &str) -> u8 {
    match word.chars().count() {
        0..4 => 0,
        4..8 => 1,
        _ => 2,
    }
}

/// Digits are never corrected: SR02 is no misspelling of SR01.
pub(crate) fn may_stand_for(near: &str, word: &str) -> bool {
    let digits = |text: &str| -> Vec<char> { text.chars().filter(char::is_ascii_digit).collect() };
    near.chars().all(char::is_alphanumeric) && digits(near) == digits(word)
}

/// Of words that are equally near, those that are in most entries.
pub(crate) fn most_frequent(mut near: Vec<(String, u64)>) -> Vec<String> {
    near.sort_unstable_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    near.truncate(MOST_CORRECTIONS);
    near.into_iter().map(|(word, _)| word).collect()
}

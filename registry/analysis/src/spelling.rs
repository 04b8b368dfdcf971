//! Words that are in no entry, and what stands for them.

use std::collections::HashMap;

use gannet_api::query::{Node, is_unspaced};
use gannet_api::{Diagnostic, fold};
use tantivy::tokenizer::TextAnalyzer;

use super::function_words::is_function_word;
use super::near_word::{NearWord, Trust, favourite};
use super::writings::is_measure;
use super::{pieces_of, query_analyser, terms_of, trim_sentence};

/// How much another writing of a word counts at most beside the word itself. It
/// is found, and hardly changes the order of the others: `sea-monkey` in one
/// entry says no more than the name `SeaMonkey`, which all of them have.
pub const BESIDE_THE_WORD: f32 = 0.05;
/// Codes that are named of those that begin with a word.
const CODES_SHOWN: usize = 3;

/// A word of a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueryWord {
    /// As it stands in the query.
    pub written: String,
    /// As a term of the running text.
    pub term: String,
}

impl QueryWord {
    /// The forms whose neighbours are looked for, one after the other.
    pub fn spellings(&self) -> Vec<String> {
        let folded = fold(trim_sentence(&self.written));
        if folded == self.term {
            return vec![folded];
        }
        vec![folded, self.term.clone()]
    }
}

/// Terms side by side that mean the same as a word.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    pub terms: Vec<String>,
    /// How much of their own score they count.
    pub weight: f32,
}

/// What is searched for in the place of words that are in no entry.
#[derive(Debug, Default)]
pub struct Spelling {
    corrected: HashMap<String, Vec<String>>,
    /// Rows of terms that mean the same as a term.
    rows: HashMap<String, Vec<Row>>,
    /// What was read otherwise than it is written.
    pub diagnostics: Vec<Diagnostic>,
}

impl Spelling {
    /// The terms to search for in the place of a term.
    pub fn forms(&self, term: &str) -> Vec<String> {
        match self.corrected.get(term) {
            Some(forms) => forms.clone(),
            None => vec![term.to_owned()],
        }
    }

    /// The rows of terms to search for beside a term.
    pub fn rows(&self, term: &str) -> &[Row] {
        self.rows.get(term).map_or(&[], Vec::as_slice)
    }

    /// Notes the rows of terms that entries have for a word, by how rare terms
    /// are where the word is in entries itself.
    pub fn add_rows(
        &mut self,
        word: &QueryWord,
        rows: Vec<Vec<String>>,
        rarity: Option<impl Fn(&str) -> f64>,
    ) {
        let weight = |terms: &[String]| match &rarity {
            Some(rarity) => {
                let own: f64 = terms.iter().map(|term| rarity(term)).sum();
                BESIDE_THE_WORD * (rarity(&word.term) / own).min(1.0) as f32
            }
            None => 1.0,
        };
        let others = rows
            .into_iter()
            .filter(|terms| *terms != [word.term.as_str()]);
        let rows = others.map(|terms| Row {
            weight: weight(&terms),
            terms,
        });
        self.rows.insert(word.term.clone(), rows.collect());
    }

    /// Notes the term of the other writing of a German word, which entries have.
    /// Where they do not have the word itself, that is said.
    pub fn add_german(&mut self, word: &QueryWord, other: NearWord, is_known: bool) {
        let mut forms = vec![other.term.clone()];
        match is_known {
            true => forms.push(word.term.clone()),
            false => self.diagnostics.push(replaced(&word.written, &[&other])),
        }
        self.corrected.insert(word.term.clone(), forms);
    }

    /// Notes the codes that begin with a word that is in no entry; there may be
    /// more than these.
    pub fn add_codes(&mut self, word: &QueryWord, codes: &[String]) {
        let mut analyser = query_analyser();
        let shown = codes.iter().take(CODES_SHOWN);
        let shown: Vec<String> = shown.map(|code| format!("`{code}`")).collect();
        let more = match codes.len() > shown.len() {
            true => " and others",
            false => "",
        };
        let message = format!(
            "`{}` is in no entry as a whole word; searched for what begins with it: {}{more}",
            word.written,
            shown.join(", "),
        );
        let note = Diagnostic::info("store.text", message).category("spelling");
        self.diagnostics.push(note);
        let terms = codes
            .iter()
            .map(|code| terms_of(&mut analyser, code).join(" "));
        self.corrected.insert(word.term.clone(), terms.collect());
    }

    /// Notes the words that are near one that is in no entry: its other forms or
    /// one of the words replace it, or one is offered.
    pub fn correct(&mut self, word: &QueryWord, near: &[NearWord]) {
        let forms: Vec<&NearWord> = near
            .iter()
            .filter(|near| near.is_form_of(&word.written))
            .collect();
        if !forms.is_empty() {
            self.diagnostics.push(replaced(&word.written, &forms));
            let forms = forms.iter().map(|near| near.term.clone()).collect();
            self.corrected.insert(word.term.clone(), forms);
            return;
        }
        let trusted = favourite(near).filter(|near| near.trust(&word.written) == Trust::Replacing);
        if let Some(near) = trusted {
            self.diagnostics.push(replaced(&word.written, &[near]));
            let forms = vec![near.term.clone()];
            self.corrected.insert(word.term.clone(), forms);
        } else if let Some(near) = near.first() {
            self.diagnostics.push(offered(&word.written, &near.word));
        }
    }

    /// Notes the words that are near one of a query that finds nothing. The
    /// word itself stays wanted: others may be what is wrong.
    pub fn widen(&mut self, word: &QueryWord, near: &[NearWord]) {
        // Another form of the word was searched for already.
        let near: Vec<&NearWord> = near
            .iter()
            .filter(|near| near.term != word.term && near.trust(&word.written) >= Trust::Tried)
            .collect();
        if near.is_empty() {
            return;
        }
        self.diagnostics.push(widened(&word.written, &near));
        let mut forms: Vec<String> = near.iter().map(|near| near.term.clone()).collect();
        forms.push(word.term.clone());
        self.corrected.insert(word.term.clone(), forms);
    }

    /// Whether a search for these words can differ from one without them.
    pub fn is_empty(&self) -> bool {
        self.corrected.is_empty()
    }
}

/// The terms of names, each row once.
pub fn rows_of(names: &[String]) -> Vec<Vec<String>> {
    let mut analyser = query_analyser();
    let rows = names.iter().map(|name| terms_of(&mut analyser, name));
    let mut rows: Vec<Vec<String>> = rows.collect();
    rows.sort_unstable();
    rows.dedup();
    rows
}

fn replaced(word: &str, near: &[&NearWord]) -> Diagnostic {
    let near = listed(near);
    let message = format!("`{word}` is in no entry; searched for {near} instead");
    Diagnostic::info("store.text", message).category("spelling")
}

fn offered(word: &str, near: &str) -> Diagnostic {
    let message = format!("`{word}` is in no entry; did you mean `{near}`?");
    Diagnostic::info("store.text", message).category("spelling")
}

fn widened(word: &str, near: &[&NearWord]) -> Diagnostic {
    let near = listed(near);
    let message = format!("nothing was found; searched for {near} in place of `{word}`");
    Diagnostic::info("store.text", message).category("spelling")
}

fn listed(near: &[&NearWord]) -> String {
    let near: Vec<String> = near.iter().map(|near| format!("`{}`", near.word)).collect();
    near.join(", ")
}

/// The words of a query that may be misspelt: not names with digits, not
/// measures, not function words, no text without spaces, nothing that is excluded.
pub fn words_of(node: &Node, analyser: &mut TextAnalyzer) -> Vec<QueryWord> {
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
        Node::Word(word)
            if !is_function_word(word) && !word.contains(is_unspaced) && !is_measure(word) =>
        {
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

//! Words of a query that no visible document has.

use std::collections::HashMap;
use std::sync::Arc;

use tantivy::Searcher;

use gannet_api::query::Node;

use super::docs::Docs;
use super::expand::{document_count, is_indexed, words_beginning, words_that, words_within};
use super::schema::{Fields, term};
use gannet_analysis::{
    NearWord, QueryWord, Spelling, code_beginning, compound_heads, compounds_of, farthest,
    german_terms, hyphenated, idf, is_compound, is_german, most_frequent, other_german,
    query_analyser, rows_of, terms_of, words_of,
};

/// Codes that stand for their beginning at most.
const MOST_CODES: usize = 20;

/// Looks the words of a query up, and the nearest ones of those that are in
/// no document that may be seen.
pub(super) fn check_spelling(
    searcher: &Searcher,
    visible: &[Option<Arc<Docs>>],
    fields: &Fields,
    root: &Node,
    is_plain: bool,
) -> tantivy::Result<Spelling> {
    let mut spelling = Spelling::default();
    let words = words_of(root, &mut query_analyser());
    let known: Result<Vec<bool>, _> = words
        .iter()
        .map(|word| is_indexed(searcher, visible, fields.text, &word.term))
        .collect();
    let words: Vec<(QueryWord, bool)> = words.into_iter().zip(known?).collect();
    let is_german = has_german(searcher, fields)?;
    let heads = match is_german {
        true => compound_heads(&words, is_plain),
        false => Vec::new(),
    };
    let compounds = match heads.is_empty() {
        true => Vec::new(),
        false => words_that(searcher, visible, fields.words, |word| {
            heads.iter().any(|head| is_compound(word, head))
        })?,
    };
    for (word, is_known) in words {
        let mut names = compounds_of(&word, &heads, &compounds);
        for name in hyphenated(&word.written) {
            if is_indexed(searcher, visible, fields.words, &name)? {
                names.push(name);
            }
        }
        let has_names = !names.is_empty();
        if has_names {
            let rows = rows_of(&names);
            let terms = rows.iter().flatten().chain([&word.term]);
            let rarities = rarities(searcher, fields, terms)?;
            let rarity = |term: &str| rarities.get(term).copied().unwrap_or_default();
            spelling.add_rows(&word, rows, is_known.then_some(rarity));
        }
        let other = other_german(&word.written, is_known, is_german);
        if let Some(other) = in_entries(searcher, visible, fields, &word, other)? {
            spelling.add_german(&word, other, is_known);
        } else if !is_known && !has_names {
            let codes = match code_beginning(&word.written) {
                Some(code) => words_beginning(searcher, visible, fields.words, &code, MOST_CODES)?,
                None => Vec::new(),
            };
            if !codes.is_empty() {
                spelling.add_codes(&word, &codes);
                continue;
            }
            let near = nearest_words(searcher, visible, fields, &word)?;
            spelling.correct(&word, &near);
        }
    }
    Ok(spelling)
}

/// How rare terms of the text are.
fn rarities<'t>(
    searcher: &Searcher,
    fields: &Fields,
    terms: impl Iterator<Item = &'t String>,
) -> tantivy::Result<HashMap<String, f64>> {
    let rarity = |text: &String| {
        let found = searcher.doc_freq(&term(fields.text, text))?;
        Ok((text.clone(), idf(searcher.num_docs(), found)))
    };
    terms.map(rarity).collect()
}

/// Whether the documents are German, at least many of them.
fn has_german(searcher: &Searcher, fields: &Fields) -> tantivy::Result<bool> {
    let mut found = 0;
    for text in german_terms() {
        found += searcher.doc_freq(&term(fields.text, &text))?;
    }
    Ok(is_german(found, searcher.num_docs()))
}

/// A word in its other writing, where documents have that.
fn in_entries(
    searcher: &Searcher,
    visible: &[Option<Arc<Docs>>],
    fields: &Fields,
    word: &QueryWord,
    other: Option<String>,
) -> tantivy::Result<Option<NearWord>> {
    let Some(other) = other else {
        return Ok(None);
    };
    let found = counted(searcher, visible, fields, vec![other])?;
    let differs = |found: &NearWord| found.entries > 0 && found.term != word.term;
    Ok(found.into_iter().find(differs))
}

/// The nearest words of every word of a query that finds nothing, among those
/// of documents that pass its filters.
pub(super) fn near_words(
    searcher: &Searcher,
    allowed: &[Option<Arc<Docs>>],
    fields: &Fields,
    root: &Node,
) -> tantivy::Result<Spelling> {
    let mut spelling = Spelling::default();
    let mut analyser = query_analyser();
    for word in words_of(root, &mut analyser) {
        let near = nearest_words(searcher, allowed, fields, &word)?;
        spelling.widen(&word, &near);
    }
    Ok(spelling)
}

/// The indexed words nearest to one.
fn nearest_words(
    searcher: &Searcher,
    visible: &[Option<Arc<Docs>>],
    fields: &Fields,
    word: &QueryWord,
) -> tantivy::Result<Vec<NearWord>> {
    for written in word.spellings() {
        for distance in 1..=farthest(&written) {
            let mut near = words_within(searcher, visible, fields.words, &written, distance)?;
            near.retain(|near| *near != written);
            if !near.is_empty() {
                return Ok(most_frequent(counted(searcher, visible, fields, near)?));
            }
        }
    }
    Ok(Vec::new())
}

/// The words with the number of documents that have their term, in any form.
fn counted(
    searcher: &Searcher,
    visible: &[Option<Arc<Docs>>],
    fields: &Fields,
    words: Vec<String>,
) -> tantivy::Result<Vec<NearWord>> {
    let mut analyser = query_analyser();
    words
        .into_iter()
        .map(|word| {
            let term = terms_of(&mut analyser, &word).join(" ");
            let entries = document_count(searcher, visible, fields.text, &term)?;
            Ok(NearWord {
                word,
                term,
                entries,
            })
        })
        .collect()
}

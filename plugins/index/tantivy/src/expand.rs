//! Words that stand for several: beginnings, patterns, and misspellings.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::time::{Duration, Instant};

use regex::Regex;
use tantivy::index::SegmentId;
use tantivy::query::FuzzyTermQuery;
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocSet, Searcher, SegmentReader, TERMINATED};

use super::docs::{Docs, DocsQuery};
use super::filter::add_terms;
use super::schema::term;
use gannet_analysis::may_stand_for;
use gannet_index::Bitmap;

/// A pattern ends at so many names, or after so long.
const MOST_TERMS: usize = 20_000;
const LONGEST_SEARCH: Duration = Duration::from_millis(100);

/// Documents with any word of a family.
pub(super) struct Expansion {
    pub(super) query: DocsQuery,
    /// Whether a bound ended the search for words.
    pub(super) is_cut: bool,
}

/// Documents with a word or name that begins with `prefix` and whose rest
/// matches `pattern`. Both are folded.
pub(super) fn expand(
    searcher: &Searcher,
    words: Field,
    prefix: &str,
    pattern: Option<&Regex>,
) -> tantivy::Result<Expansion> {
    let begun = Instant::now();
    let mut seen = 0_usize;
    let mut matched = 0_usize;
    let mut is_cut = false;
    let mut by_segment = HashMap::new();
    let mut whole = String::new();
    let mut found = 0_usize;
    for segment in searcher.segment_readers() {
        let mut bits = Bitmap::new(segment.max_doc() as usize);
        add_terms(&mut bits, segment, words, prefix, |rest| {
            seen += 1;
            is_cut = is_cut
                || matched >= MOST_TERMS
                || (seen.is_multiple_of(1024) && begun.elapsed() > LONGEST_SEARCH);
            let matches = !is_cut
                && pattern.is_none_or(|pattern| {
                    whole.clear();
                    whole.push_str(prefix);
                    whole.push_str(rest);
                    pattern.is_match(&whole)
                });
            matched += usize::from(matches);
            matches
        })?;
        let docs = Docs::new(bits);
        found += docs.count();
        by_segment.insert(segment.segment_id(), Arc::new(docs));
    }
    let query = DocsQuery {
        by_segment: Arc::new(by_segment),
        score: rarity(searcher.num_docs(), found),
    };
    Ok(Expansion { query, is_cut })
}

/// BM25's inverse document frequency: a family of words scores like one word
/// that is in as many documents.
fn rarity(total: u64, found: usize) -> f32 {
    let total = total as f32;
    let found = (found as f32).min(total);
    (1.0 + (total - found + 0.5) / (found + 0.5)).ln()
}

/// Whether a term is in any document that may be seen.
pub(super) fn is_indexed(
    searcher: &Searcher,
    visible: &[Option<Arc<Docs>>],
    field: Field,
    text: &str,
) -> tantivy::Result<bool> {
    Ok(count_up_to(searcher, visible, field, text, 1)? > 0)
}

/// The number of documents with a term, of those that may be seen.
pub(super) fn document_count(
    searcher: &Searcher,
    visible: &[Option<Arc<Docs>>],
    field: Field,
    text: &str,
) -> tantivy::Result<u64> {
    count_up_to(searcher, visible, field, text, u32::MAX)
}

fn count_up_to(
    searcher: &Searcher,
    visible: &[Option<Arc<Docs>>],
    field: Field,
    text: &str,
    enough: u32,
) -> tantivy::Result<u64> {
    let wanted = term(field, text);
    let mut count = 0;
    for (segment, docs) in searcher.segment_readers().iter().zip(visible) {
        let index = segment.inverted_index(field)?;
        if let Some(mut postings) = index.read_postings(&wanted, IndexRecordOption::Basic)? {
            count += u64::from(count_visible(
                &mut postings,
                segment,
                docs.as_deref(),
                enough,
            ));
        }
        if count >= u64::from(enough) {
            break;
        }
    }
    Ok(count)
}

/// Words within an edit distance that are in a document that may be seen.
pub(super) fn words_within(
    searcher: &Searcher,
    visible: &[Option<Arc<Docs>>],
    words: Field,
    word: &str,
    distance: u8,
) -> tantivy::Result<Vec<String>> {
    let mut found = BTreeSet::new();
    for (segment, docs) in searcher.segment_readers().iter().zip(visible) {
        let index = segment.inverted_index(words)?;
        let automaton = FuzzyTermQuery::new(term(words, word), distance, true).automaton()?;
        let mut terms = index.terms().search(automaton).into_stream()?;
        while terms.advance() {
            let Ok(near) = std::str::from_utf8(terms.key()) else {
                continue;
            };
            if found.contains(near) || !may_stand_for(near, word) {
                continue;
            }
            let mut postings =
                index.read_postings_from_terminfo(terms.value(), IndexRecordOption::Basic)?;
            if count_visible(&mut postings, segment, docs.as_deref(), 1) > 0 {
                found.insert(near.to_owned());
            }
        }
    }
    Ok(found.into_iter().collect())
}

/// The words that are wanted, and are in a document that may be seen. All words
/// are looked through, up to a bound in time.
pub(super) fn words_that(
    searcher: &Searcher,
    visible: &[Option<Arc<Docs>>],
    words: Field,
    is_wanted: impl Fn(&str) -> bool,
) -> tantivy::Result<Vec<String>> {
    let begun = Instant::now();
    let mut seen = 0_usize;
    let mut found = BTreeSet::new();
    for (segment, docs) in searcher.segment_readers().iter().zip(visible) {
        let index = segment.inverted_index(words)?;
        let mut terms = index.terms().stream()?;
        while terms.advance() {
            seen += 1;
            if seen.is_multiple_of(1024) && begun.elapsed() > LONGEST_SEARCH {
                return Ok(found.into_iter().collect());
            }
            let Ok(word) = std::str::from_utf8(terms.key()) else {
                continue;
            };
            if !is_wanted(word) || found.contains(word) {
                continue;
            }
            let mut postings =
                index.read_postings_from_terminfo(terms.value(), IndexRecordOption::Basic)?;
            if count_visible(&mut postings, segment, docs.as_deref(), 1) > 0 {
                found.insert(word.to_owned());
            }
        }
    }
    Ok(found.into_iter().collect())
}

/// The first words of letters and digits that begin so, and are in a document
/// that may be seen.
pub(super) fn words_beginning(
    searcher: &Searcher,
    visible: &[Option<Arc<Docs>>],
    words: Field,
    prefix: &str,
    most: usize,
) -> tantivy::Result<Vec<String>> {
    let mut found = BTreeSet::new();
    for (segment, docs) in searcher.segment_readers().iter().zip(visible) {
        let index = segment.inverted_index(words)?;
        let mut terms = index.terms().range().ge(prefix.as_bytes()).into_stream()?;
        let mut of_segment = 0;
        while of_segment < most && terms.advance() {
            let Some(rest) = terms.key().strip_prefix(prefix.as_bytes()) else {
                break;
            };
            let (Ok(word), true) = (
                std::str::from_utf8(terms.key()),
                rest.iter().all(u8::is_ascii_alphanumeric),
            ) else {
                continue;
            };
            let mut postings =
                index.read_postings_from_terminfo(terms.value(), IndexRecordOption::Basic)?;
            if count_visible(&mut postings, segment, docs.as_deref(), 1) > 0 {
                found.insert(word.to_owned());
                of_segment += 1;
            }
        }
    }
    Ok(found.into_iter().take(most).collect())
}

fn count_visible(
    postings: &mut impl DocSet,
    segment: &SegmentReader,
    docs: Option<&Docs>,
    enough: u32,
) -> u32 {
    let mut count = 0;
    let mut doc = postings.doc();
    while doc != TERMINATED && count < enough {
        let is_alive = segment
            .alive_bitset()
            .is_none_or(|alive| alive.is_alive(doc));
        count += u32::from(is_alive && docs.is_none_or(|docs| docs.contains(doc)));
        doc = postings.advance();
    }
    count
}

/// The sets of a clause, by segment, as a query without a score.
pub(super) fn as_query(by_segment: HashMap<SegmentId, Arc<Docs>>) -> DocsQuery {
    DocsQuery {
        by_segment: Arc::new(by_segment),
        score: 0.0,
    }
}

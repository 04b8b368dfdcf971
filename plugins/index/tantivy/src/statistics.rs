//! In how many documents terms are, looked up once a search.

use std::cell::RefCell;
use std::collections::HashMap;

use tantivy::query::{Bm25StatisticsProvider, EnableScoring};
use tantivy::schema::Field;
use tantivy::{Searcher, Term};

/// What BM25 needs to know. A search asks for a term when it chooses how to
/// walk over the documents, in its strict pass and in its relaxed one.
pub(super) struct TermStatistics<'a> {
    searcher: &'a Searcher,
    documents: RefCell<HashMap<Term, u64>>,
    tokens: RefCell<HashMap<Field, u64>>,
}

impl<'a> TermStatistics<'a> {
    pub(super) fn new(searcher: &'a Searcher) -> Self {
        Self {
            searcher,
            documents: RefCell::default(),
            tokens: RefCell::default(),
        }
    }

    /// Scoring by these statistics.
    pub(super) fn scoring(&self) -> EnableScoring<'_> {
        EnableScoring::enabled_from_statistics_provider(self, self.searcher)
    }

    /// Whether any document has a term. One that was deleted counts.
    pub(super) fn has(&self, term: &Term) -> tantivy::Result<bool> {
        Ok(self.doc_freq(term)? > 0)
    }
}

impl Bm25StatisticsProvider for TermStatistics<'_> {
    fn total_num_tokens(&self, field: Field) -> tantivy::Result<u64> {
        if let Some(known) = self.tokens.borrow().get(&field) {
            return Ok(*known);
        }
        let found = self.searcher.total_num_tokens(field)?;
        self.tokens.borrow_mut().insert(field, found);
        Ok(found)
    }

    fn total_num_docs(&self) -> tantivy::Result<u64> {
        self.searcher.total_num_docs()
    }

    fn doc_freq(&self, term: &Term) -> tantivy::Result<u64> {
        if let Some(known) = self.documents.borrow().get(term) {
            return Ok(*known);
        }
        let found = self.searcher.doc_freq(term)?;
        self.documents.borrow_mut().insert(term.clone(), found);
        Ok(found)
    }
}

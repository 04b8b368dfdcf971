//! In how many entries terms are, and how long entries are on average.

use std::collections::HashMap;

use sqlx::PgConnection;

use crate::error::{DatabaseContext, StoreError};

/// The fields that have a weight, in the order of their columns.
pub(super) const FIELDS: usize = 4;

/// The counts that BM25 needs, of one tenant's entries.
#[derive(Debug, Clone, Default)]
pub(super) struct Statistics {
    /// Entries counted.
    pub(super) documents: f64,
    /// Whether the counts that belong to no term were read.
    was_read: bool,
    /// Words of an entry on average, by field.
    pub(super) average: [f64; FIELDS],
    /// Entries with a term, by field; `None` for one that was looked up and
    /// is not counted.
    terms: HashMap<String, Option<[f64; FIELDS]>>,
}

struct StatisticsRow {
    entries: i64,
    words: i64,
    title_words: i64,
    keyword_words: i64,
    author_words: i64,
    term: Option<String>,
    documents: Option<i64>,
    in_title: Option<i64>,
    in_keywords: Option<i64>,
    in_author: Option<i64>,
}

from_row!(Postgres => StatisticsRow { entries, words, title_words, keyword_words, author_words, term, documents, in_title, in_keywords, in_author });

impl Statistics {
    /// Looks up the terms that were not looked up yet.
    pub(super) async fn look_up(
        &mut self,
        connection: &mut PgConnection,
        tenant: &str,
        terms: &[String],
    ) -> Result<(), StoreError> {
        let new: Vec<&String> = terms
            .iter()
            .filter(|term| !self.terms.contains_key(*term))
            .collect();
        if new.is_empty() && self.was_read {
            return Ok(());
        }
        let rows: Vec<StatisticsRow> = sqlx::query_as(
            "SELECT o.documents AS entries, o.words, o.title_words, o.keyword_words, \
             o.author_words, t.term, t.documents, t.in_title, t.in_keywords, t.in_author \
             FROM gannet_text_totals o \
             LEFT JOIN gannet_terms t ON t.tenant = o.tenant AND t.term = ANY ($2) \
             WHERE o.tenant = $1",
        )
        .bind(tenant)
        .bind(&new)
        .fetch_all(connection)
        .await
        .doing("look words up")?;
        self.was_read = true;
        for term in new {
            self.terms.insert(term.clone(), None);
        }
        self.take(rows);
        Ok(())
    }

    fn take(&mut self, rows: Vec<StatisticsRow>) {
        for row in rows {
            let entries = row.entries as f64;
            let words = [
                row.words,
                row.title_words,
                row.keyword_words,
                row.author_words,
            ];
            self.documents = entries;
            self.average = words.map(|words| words as f64 / entries.max(1.0));
            let Some(term) = row.term else { continue };
            let counts = [row.documents, row.in_title, row.in_keywords, row.in_author];
            let counts = counts.map(|count| count.unwrap_or(0) as f64);
            self.terms.insert(term, Some(counts));
        }
    }

    fn counts(&self, term: &str) -> Option<&[f64; FIELDS]> {
        self.terms.get(term)?.as_ref()
    }

    /// Whether any counted entry has the term. One that is not counted yet
    /// may have it all the same.
    pub(super) fn knows(&self, term: &str) -> bool {
        self.counts(term).is_some()
    }

    /// How many entries were counted that have the term.
    pub(super) fn documents_with(&self, term: &str) -> u64 {
        self.counts(term).map_or(0, |counts| counts[0] as u64)
    }

    /// How rare a term is in a field: BM25's inverse document frequency. A
    /// term that is not counted yet is as rare as can be.
    pub(super) fn rarity(&self, term: &str, field: usize) -> f64 {
        let found = self.counts(term).map_or(1.0, |counts| counts[field]);
        self.rarity_of(found)
    }

    /// How rare something is that so many entries have.
    pub(super) fn rarity_of(&self, found: f64) -> f64 {
        // Counts follow the entries: for a moment there can be fewer.
        let documents = self.documents.max(found);
        (1.0 + (documents - found + 0.5) / (found + 0.5)).ln()
    }
}

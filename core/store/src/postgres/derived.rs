//! What is worked out of an entry whenever it is written: what filters and
//! searches for words look at. One array for each column.

use std::collections::{BTreeSet, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use gannet_api::Entry;
use sqlx::postgres::PgArguments;
use sqlx::query::Query;
use sqlx::{PgConnection, Postgres};

use super::facets::Facets;
use super::text::Analyst;
use crate::error::{DatabaseContext, StoreError};

/// The derived columns of some entries.
#[derive(Default)]
pub(super) struct Derived {
    id_folded: Vec<Option<String>>,
    facet_texts: Vec<String>,
    facet_numbers: Vec<Option<String>>,
    facet_instants: Vec<Option<String>>,
    terms: Vec<String>,
    lengths: Vec<String>,
    analyst: Analyst,
}

impl Derived {
    /// Adds a row, of an entry with what enhancers added to it.
    pub(super) fn push(&mut self, entry: &Entry) {
        let facets = Facets::of(entry);
        self.id_folded.push(facets.id_folded);
        self.facet_texts.push(facets.texts.to_string());
        self.facet_numbers
            .push(facets.numbers.map(|numbers| numbers.to_string()));
        self.facet_instants
            .push(facets.instants.map(|instants| instants.to_string()));
        let text = self.analyst.columns(entry);
        self.terms.push(text.terms);
        let [all, title, keywords, author] = text.lengths;
        self.lengths
            .push(format!("{{{all},{title},{keywords},{author}}}"));
    }

    /// The words of the rows, for [`write_words`].
    pub(super) fn into_words(self) -> Words {
        self.analyst.vocabulary
    }

    /// Binds the arrays in their order, and hands out the words of the
    /// entries, for [`write_words`].
    pub(super) fn bind<'q>(
        self,
        query: Query<'q, Postgres, PgArguments>,
    ) -> (Query<'q, Postgres, PgArguments>, Words) {
        let query = query
            .bind(self.id_folded)
            .bind(self.facet_texts)
            .bind(self.facet_numbers)
            .bind(self.facet_instants)
            .bind(self.terms)
            .bind(self.lengths);
        (query, self.analyst.vocabulary)
    }
}

/// Words of entries, each with its tenant.
pub(super) type Words = BTreeSet<(String, String)>;

/// Words of which this process knows that they are in the vocabulary, from
/// which only [`PostgresStore::erase`](super::PostgresStore::erase) takes some.
#[derive(Debug, Clone, Default)]
pub(super) struct KnownWords(Arc<Mutex<HashSet<(String, String)>>>);

/// So many words are remembered; some ten megabytes.
const MOST_KNOWN: usize = 200_000;

impl KnownWords {
    /// Takes out what need not be written.
    pub(super) fn forget_known(&self, words: &mut Words) {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        words.retain(|word| !known.contains(word));
    }

    /// Forgets all of them: some were taken from the vocabulary.
    pub(super) fn clear(&self) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.clear();
    }

    /// Remembers words that were committed.
    pub(super) fn learn(&self, words: Words) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() + words.len() > MOST_KNOWN {
            known.clear();
        }
        known.extend(words.into_iter().take(MOST_KNOWN));
    }
}

/// Adds words to the vocabulary. They are in order, so that two transactions
/// that add the same ones do not wait for each other in a circle.
pub(super) async fn write_words(
    connection: &mut PgConnection,
    words: &Words,
) -> Result<(), StoreError> {
    if words.is_empty() {
        return Ok(());
    }
    let (tenants, words): (Vec<&str>, Vec<&str>) = words
        .iter()
        .map(|(tenant, word)| (tenant.as_str(), word.as_str()))
        .unzip();
    sqlx::query(
        "INSERT INTO gannet_words (tenant, word) \
         SELECT * FROM unnest($1::text[], $2::text[]) ON CONFLICT DO NOTHING",
    )
    .bind(tenants)
    .bind(words)
    .execute(connection)
    .await
    .doing("write the vocabulary")?;
    Ok(())
}

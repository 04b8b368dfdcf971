//! What is worked out of an entry whenever it is written: what filters and
//! searches for words look at. One array for each column.

use std::collections::BTreeSet;

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

/// Adds words to the vocabulary. They are in order, so that two transactions
/// that add the same ones do not wait for each other in a circle.
pub(super) async fn write_words(
    connection: &mut PgConnection,
    words: Words,
) -> Result<(), StoreError> {
    let (tenants, words): (Vec<String>, Vec<String>) = words.into_iter().unzip();
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

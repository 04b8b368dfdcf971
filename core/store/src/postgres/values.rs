//! The values of every field of the newest entries.

use gannet_api::FilterField;

use super::PostgresStore;
use super::clean::holds_nul;
use super::replica::reading;
use crate::error::{DatabaseContext, StoreError};
use gannet_analysis::{terms_of, text_analyser};
use gannet_index::{Collected, FieldValues, is_listed};

/// The last entries that were written, whose values are read. Reading all of a
/// million would take seconds.
const NEWEST: i64 = 20_000;

impl PostgresStore {
    /// The values of every field that has at most `most` of them among the
    /// 20,000 entries that were written last; counts are of these entries.
    ///
    /// Costs one statement over the newest 20,000 entries.
    pub async fn field_values(
        &self,
        tenant: &str,
        most: usize,
    ) -> Result<Vec<FieldValues>, StoreError> {
        if holds_nul(tenant) {
            return Ok(Vec::new());
        }
        let rows: Vec<(String, String, i64)> = reading!(self, pool, {
            sqlx::query_as(
                "SELECT f.key, v.value, count(*) FROM ( \
                     SELECT facet_texts FROM enhanced_entries \
                     WHERE tenant = $1 AND seq IS NOT NULL ORDER BY seq DESC LIMIT $2) e \
                 CROSS JOIN LATERAL jsonb_each(e.facet_texts) f \
                 CROSS JOIN LATERAL ( \
                     SELECT DISTINCT value FROM jsonb_array_elements_text(f.value)) v \
                 GROUP BY f.key, v.value",
            )
            .bind(tenant)
            .bind(NEWEST)
            .fetch_all(pool)
            .await
            .doing("list the values of fields")
        })?;
        let mut collected = Collected::new(most);
        for (name, value, entries) in rows {
            if let Some(field) = field_named(&name) {
                collected.add(&field, &value, entries.unsigned_abs());
            }
        }
        Ok(collected.into_fields())
    }

    /// In how many of the tenant's entries each word is, as far as entries were
    /// counted. Words are stemmed as those of texts.
    pub async fn document_counts(
        &self,
        tenant: &str,
        words: &[String],
    ) -> Result<Vec<u64>, StoreError> {
        if holds_nul(tenant) {
            return Ok(vec![0; words.len()]);
        }
        let mut analyser = text_analyser();
        let stems = words.iter().map(|word| {
            let terms = terms_of(&mut analyser, word);
            terms.into_iter().next().unwrap_or_default()
        });
        let stems: Vec<String> = stems.collect();
        let rows: Vec<(String, i64)> = reading!(self, pool, {
            sqlx::query_as(
                "SELECT term, documents FROM gannet_terms WHERE tenant = $1 AND term = ANY ($2)",
            )
            .bind(tenant)
            .bind(&stems)
            .fetch_all(pool)
            .await
            .doing("count words")
        })?;
        let counts: std::collections::HashMap<String, i64> = rows.into_iter().collect();
        let count = |stem: &String| counts.get(stem).map_or(0, |count| count.unsigned_abs());
        Ok(stems.iter().map(count).collect())
    }

    /// Another number after every change of the entries.
    pub async fn values_version(&self) -> Result<u64, StoreError> {
        let last: i64 = reading!(self, pool, {
            sqlx::query_scalar("SELECT last FROM gannet_sequence")
                .fetch_one(pool)
                .await
                .doing("read the change number")
        })?;
        Ok(last.unsigned_abs())
    }
}

/// The field of a facet, see [`super::facets::name`].
fn field_named(name: &str) -> Option<FilterField> {
    match name.split_once('.') {
        Some(("metadata", key)) if is_listed(key) => Some(FilterField::Metadata(key.to_owned())),
        Some(_) => None,
        None => Some(FilterField::from_name(name)),
    }
}

//! Counts of the entries that a text query matches, and of their values.

use gannet_api::query::Node;
use gannet_api::{FilterField, Matched};
use serde_json::Value;
use sqlx::{PgConnection, Postgres, QueryBuilder};

use super::candidates::{Scope, push_scope};
use super::condition::push_condition;
use super::families::Names;
use super::search::look_up_all;
use super::spelling::{check_spelling, near_words};
use super::statistics::Statistics;
use crate::error::{DatabaseContext, StoreError};
use crate::postgres::PostgresStore;
use crate::postgres::clean::holds_nul;
use crate::postgres::replica::reading;
use crate::request::check_facets;
use crate::stored::most_frequent_folded;
use gannet_analysis::{Reader, Reading, Spelling, Wanted, has_words, with_all_words};
use gannet_index::{MatchCounts, MatchRequest};

impl PostgresStore {
    /// Counts the entries that a text query matches, see
    /// [`Store::text_matches`](crate::Store::text_matches).
    pub async fn text_matches(
        &self,
        tenant: &str,
        request: MatchRequest,
    ) -> Result<MatchCounts, StoreError> {
        check_facets(&request)?;
        if holds_nul(tenant) {
            return Ok(request.nothing());
        }
        reading!(self, pool, {
            let mut connection = pool.acquire().await.doing("count matches")?;
            matches(&mut connection, tenant, &request).await
        })
    }
}

async fn matches(
    connection: &mut PgConnection,
    tenant: &str,
    request: &MatchRequest,
) -> Result<MatchCounts, StoreError> {
    let filter = request.whole_filter();
    let scope = Scope {
        tenant,
        filter: &filter,
    };
    let Some(root) = &request.query.root else {
        if filter.is_empty() {
            return Ok(request.nothing());
        }
        let all = Condition {
            scope: &scope,
            wanted: None,
        };
        return all.counts(connection, Matched::All, request).await;
    };
    let root = match request.query.plain {
        true => with_all_words(root),
        false => root.clone(),
    };
    let is_corrected = request.fuzzy && has_words(&root);
    let mut statistics = Statistics::default();
    let spelling = if is_corrected {
        check_spelling(
            connection,
            tenant,
            &root,
            request.query.plain,
            &mut statistics,
        )
        .await?
    } else {
        Spelling::default()
    };
    let found = of_words(connection, &scope, &root, &spelling, request).await?;
    if !is_corrected || found.count > 0 {
        return Ok(found);
    }
    let near = near_words(connection, &scope, &root, &mut Statistics::default()).await?;
    match near.is_empty() {
        true => Ok(found),
        false => of_words(connection, &scope, &root, &near, request).await,
    }
}

/// What the words of a query match, spelt so: the whole query or, when there
/// is no such entry, some of its words.
async fn of_words(
    connection: &mut PgConnection,
    scope: &Scope<'_>,
    root: &Node,
    spelling: &Spelling,
    request: &MatchRequest,
) -> Result<MatchCounts, StoreError> {
    let mut reader = Reader::new(spelling);
    let readings = [
        (Reading::Strict, Matched::All),
        (Reading::Relaxed, Matched::Some),
    ];
    for (reading, matched) in readings {
        let Some(wanted) = reader.read(root, reading) else {
            break;
        };
        // The search itself tells which patterns were cut.
        let mut notes = Vec::new();
        let names = look_up_all(connection, scope.tenant, &reader.families, &mut notes).await?;
        let condition = Condition {
            scope,
            wanted: Some((&wanted, &names)),
        };
        let found = condition.counts(connection, matched, request).await?;
        if found.count > 0 {
            return Ok(found);
        }
        if !reader.can_relax {
            break;
        }
    }
    Ok(request.nothing())
}

/// What an entry must be to be counted.
struct Condition<'a> {
    scope: &'a Scope<'a>,
    wanted: Option<(&'a Wanted, &'a [Names])>,
}

impl Condition<'_> {
    async fn counts(
        &self,
        connection: &mut PgConnection,
        matched: Matched,
        request: &MatchRequest,
    ) -> Result<MatchCounts, StoreError> {
        let mut query = QueryBuilder::new("SELECT count(*) FROM enhanced_entries e WHERE ");
        self.push(&mut query);
        let count: i64 = query
            .build_query_scalar()
            .fetch_one(&mut *connection)
            .await
            .doing("count matches")?;
        if count == 0 {
            return Ok(request.nothing());
        }
        let mut facets = Vec::with_capacity(request.facets.len());
        for field in &request.facets {
            let values = self.values(connection, field, request.values);
            facets.push(values.await?);
        }
        Ok(MatchCounts {
            count: count.unsigned_abs(),
            matched,
            facets,
        })
    }

    async fn values(
        &self,
        connection: &mut PgConnection,
        field: &FilterField,
        limit: usize,
    ) -> Result<Vec<(String, u64)>, StoreError> {
        let keys = field.metadata_keys();
        if keys.iter().any(|key| holds_nul(key)) {
            return Ok(Vec::new());
        }
        let mut query = match column(field) {
            Some(column) => QueryBuilder::new(format!(
                "SELECT to_json({column})::text, count(*) FROM enhanced_entries e \
                 WHERE {column} <> '' AND "
            )),
            None => metadata_values(keys),
        };
        self.push(&mut query);
        query.push(" GROUP BY 1");
        let rows: Vec<(String, i64)> = query
            .build_query_as()
            .fetch_all(connection)
            .await
            .doing("count the values of a field")?;
        let values = rows.into_iter().filter_map(|(json, count)| {
            let value: Value = serde_json::from_str(&json).ok()?;
            Some((value, count.unsigned_abs()))
        });
        Ok(most_frequent_folded(values, limit))
    }

    fn push(&self, query: &mut QueryBuilder<Postgres>) {
        push_scope(query, self.scope);
        if let Some((wanted, names)) = self.wanted {
            query.push(" AND ");
            push_condition(query, wanted, names);
        }
    }
}

/// `None` for metadata. Timestamps were refused before.
fn column(field: &FilterField) -> Option<&'static str> {
    match field {
        FilterField::Author => Some("e.author"),
        FilterField::SourceSystem => Some("e.source_system"),
        FilterField::Kind => Some("e.kind"),
        FilterField::EntryId | FilterField::Timestamp => Some("e.entry_id"),
        FilterField::Metadata(_) => None,
    }
}

/// The first of the keys that an entry has counts.
fn metadata_values(keys: Vec<&str>) -> QueryBuilder<Postgres> {
    let keys: Vec<String> = keys.into_iter().map(str::to_owned).collect();
    let mut query = QueryBuilder::new(
        "SELECT v.value::text, count(*) FROM enhanced_entries e CROSS JOIN LATERAL ( \
             SELECT coalesce(e.added -> k.key, e.metadata -> k.key) AS value FROM unnest(",
    );
    query.push_bind(keys).push(
        "::text[]) WITH ORDINALITY AS k (key, place) \
         WHERE e.added ? k.key OR e.metadata ? k.key ORDER BY k.place LIMIT 1) v WHERE ",
    );
    query
}

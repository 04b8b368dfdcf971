//! Reading entries, lists, counts and distinct values.

use gannet_api::{Entry, FilterField};
use sqlx::{Postgres, QueryBuilder};

use super::clean::holds_nul;
use super::filter::push_filter;
use super::instant::Instant;
use super::replica::reading;
use super::row::{entry_columns, read_entry};
use super::{PostgresStore, as_i64};
use crate::cursor::Position;
use crate::error::{DatabaseContext, StoreError};
use crate::request::{ListRequest, Page};
use crate::stored::most_frequent_scalars;

macro_rules! column_values {
    ($column:literal) => {
        concat!(
            "SELECT ",
            $column,
            ", count(*) FROM enhanced_entries WHERE tenant = $1 AND seq IS NOT NULL AND ",
            $column,
            " <> '' GROUP BY 1 ORDER BY 2 DESC, ",
            $column,
            " COLLATE \"C\" LIMIT $2"
        )
    };
}

impl PostgresStore {
    /// Entries by id, in the order asked; unknown ones are left out.
    pub async fn entries(&self, tenant: &str, ids: &[String]) -> Result<Vec<Entry>, StoreError> {
        // No id in the database holds U+0000, and none can be asked for.
        let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
        let ids: Vec<&str> = ids.into_iter().filter(|id| !holds_nul(id)).collect();
        if holds_nul(tenant) {
            return Ok(Vec::new());
        }
        let rows = reading!(self, pool, {
            sqlx::query(concat!(
                "SELECT ",
                entry_columns!(),
                " FROM unnest($2::text[]) WITH ORDINALITY AS j (id, place) \
                 JOIN enhanced_entries e ON e.tenant = $1 AND e.entry_id = j.id \
                 WHERE e.seq IS NOT NULL ORDER BY j.place"
            ))
            .bind(tenant)
            .bind(&ids)
            .fetch_all(pool)
            .await
            .doing("read entries")
        })?;
        rows.iter().map(read_entry).collect()
    }

    /// A page of entries in the order of time, then id.
    pub async fn list(&self, tenant: &str, request: ListRequest) -> Result<Page, StoreError> {
        let after = request.after.as_ref().map(Position::read).transpose()?;
        if holds_nul(tenant) {
            return Ok(Page {
                entries: Vec::new(),
                next: None,
            });
        }
        let rows = reading!(self, pool, {
            list_query(tenant, &request, after.as_ref())
                .build()
                .fetch_all(pool)
                .await
                .doing("list entries")
        })?;
        let more = rows.len() > request.limit;
        let entries: Vec<Entry> = rows
            .iter()
            .take(request.limit)
            .map(read_entry)
            .collect::<Result<_, _>>()?;
        let last = entries.last().filter(|_| more);
        let next = last.map(|entry| Position::of(entry).write());
        Ok(Page { entries, next })
    }

    /// The tenants that have entries, in alphabetical order.
    pub async fn tenants(&self) -> Result<Vec<String>, StoreError> {
        reading!(self, pool, {
            sqlx::query_scalar(
                "SELECT DISTINCT tenant FROM enhanced_entries WHERE seq IS NOT NULL \
                 ORDER BY tenant",
            )
            .fetch_all(pool)
            .await
            .doing("list the tenants")
        })
    }

    /// How many entries a tenant has.
    pub async fn count(&self, tenant: &str) -> Result<u64, StoreError> {
        if holds_nul(tenant) {
            return Ok(0);
        }
        let count: i64 = reading!(self, pool, {
            sqlx::query_scalar(
                "SELECT count(*) FROM enhanced_entries WHERE tenant = $1 AND seq IS NOT NULL",
            )
            .bind(tenant)
            .fetch_one(pool)
            .await
            .doing("count entries")
        })?;
        Ok(count.unsigned_abs())
    }

    /// The values of a field with the number of entries that have them, most
    /// frequent first, then by value. Members of lists count one by one.
    pub async fn distinct(
        &self,
        tenant: &str,
        field: &FilterField,
        limit: usize,
    ) -> Result<Vec<(String, u64)>, StoreError> {
        let statement = match field {
            FilterField::Author => column_values!("author"),
            FilterField::SourceSystem => column_values!("source_system"),
            FilterField::Kind => column_values!("kind"),
            FilterField::EntryId => column_values!("entry_id"),
            FilterField::Timestamp => {
                return Err(StoreError::InvalidRequest {
                    message: "timestamps have no list of values; ask with a time range".to_owned(),
                });
            }
            FilterField::Metadata(_) => return self.distinct_metadata(tenant, field, limit).await,
        };
        if holds_nul(tenant) {
            return Ok(Vec::new());
        }
        let rows: Vec<(String, i64)> = reading!(self, pool, {
            sqlx::query_as(statement)
                .bind(tenant)
                .bind(as_i64(limit))
                .fetch_all(pool)
                .await
                .doing("list the values of a field")
        })?;
        Ok(rows
            .into_iter()
            .map(|(value, count)| (value, count.unsigned_abs()))
            .collect())
    }

    async fn distinct_metadata(
        &self,
        tenant: &str,
        field: &FilterField,
        limit: usize,
    ) -> Result<Vec<(String, u64)>, StoreError> {
        let keys = field.metadata_keys();
        if holds_nul(tenant) || keys.iter().any(|key| holds_nul(key)) {
            return Ok(Vec::new());
        }
        let rows: Vec<(String, i64)> = reading!(self, pool, {
            sqlx::query_as(
                "SELECT v.value::text, count(*) FROM enhanced_entries e CROSS JOIN LATERAL ( \
                     SELECT coalesce(e.added -> k.key, e.metadata -> k.key) AS value \
                     FROM unnest($2::text[]) WITH ORDINALITY AS k (key, place) \
                     WHERE e.added ? k.key OR e.metadata ? k.key ORDER BY k.place LIMIT 1) v \
                 WHERE e.tenant = $1 AND e.seq IS NOT NULL GROUP BY v.value",
            )
            .bind(tenant)
            .bind(&keys)
            .fetch_all(pool)
            .await
            .doing("list the values of a field")
        })?;
        let values = rows.into_iter().filter_map(|(json, count)| {
            let value = serde_json::from_str(&json).ok()?;
            Some((value, count.unsigned_abs()))
        });
        Ok(most_frequent_scalars(values, limit))
    }
}

/// One row more than wanted tells whether there is a next page.
fn list_query(
    tenant: &str,
    request: &ListRequest,
    after: Option<&Position>,
) -> QueryBuilder<Postgres> {
    let mut query = QueryBuilder::new(concat!(
        "SELECT ",
        entry_columns!(),
        " FROM enhanced_entries e WHERE e.seq IS NOT NULL AND e.tenant = "
    ));
    query.push_bind(tenant.to_owned());
    push_filter(&mut query, &request.filter);
    let (beyond, direction) = if request.newest_first {
        (" < ", " DESC")
    } else {
        (" > ", " ASC")
    };
    if let Some(position) = after {
        query
            .push(" AND (e.timestamp, e.entry_id COLLATE \"C\")")
            .push(beyond)
            .push("(")
            .push_bind(Instant(position.micros))
            .push(", ")
            .push_bind(position.entry_id.replace('\0', ""))
            .push(")");
    }
    query
        .push(" ORDER BY e.timestamp")
        .push(direction)
        .push(", e.entry_id COLLATE \"C\"")
        .push(direction)
        .push(" LIMIT ")
        .push_bind(as_i64(request.limit).saturating_add(1));
    query
}

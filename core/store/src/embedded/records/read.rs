//! Reading entries, counts and distinct values.

use std::collections::HashMap;

use gannet_api::{Entry, FilterField};

use super::row::{entry_columns, read_row};
use super::{Records, as_i64, json_list, json_numbers};
use crate::error::{SqliteContext, StoreError};
use crate::stored::most_frequent_scalars;

macro_rules! column_values {
    ($column:literal) => {
        concat!(
            "SELECT ",
            $column,
            ", count(*) AS n FROM entries WHERE tenant = ?1 AND ",
            $column,
            " <> '' GROUP BY 1 ORDER BY n DESC, 1 LIMIT ?2"
        )
    };
}

impl Records {
    /// Entries by id, in the order asked; unknown ids are left out.
    pub(crate) async fn entries(
        &self,
        tenant: &str,
        ids: &[String],
    ) -> Result<Vec<Entry>, StoreError> {
        let rows = sqlx::query(concat!(
            "SELECT ",
            entry_columns!(),
            " FROM json_each(?2) j \
             CROSS JOIN entries e ON e.tenant = ?1 AND e.entry_id = j.value ORDER BY j.key"
        ))
        .bind(tenant)
        .bind(json_list(ids))
        .fetch_all(&self.readers)
        .await
        .doing("read entries")?;
        rows.iter()
            .map(|row| read_row(row).map(|row| row.entry))
            .collect()
    }

    /// Entries by the number that projections know them by.
    pub(crate) async fn by_doc(&self, docs: &[i64]) -> Result<HashMap<i64, Entry>, StoreError> {
        let rows = sqlx::query(concat!(
            "SELECT ",
            entry_columns!(),
            " FROM json_each(?1) j CROSS JOIN entries e ON e.doc = j.value"
        ))
        .bind(json_numbers(docs))
        .fetch_all(&self.readers)
        .await
        .doing("read entries")?;
        rows.iter()
            .map(|row| read_row(row).map(|row| (row.doc, row.entry)))
            .collect()
    }

    /// How many entries a tenant has.
    pub(crate) async fn count(&self, tenant: &str) -> Result<u64, StoreError> {
        let count: i64 = sqlx::query_scalar("SELECT count(*) FROM entries WHERE tenant = ?")
            .bind(tenant)
            .fetch_one(&self.readers)
            .await
            .doing("count entries")?;
        Ok(count.unsigned_abs())
    }

    /// The tenants that have entries, in alphabetical order.
    pub(crate) async fn tenants(&self) -> Result<Vec<String>, StoreError> {
        sqlx::query_scalar("SELECT DISTINCT tenant FROM entries ORDER BY tenant")
            .fetch_all(&self.readers)
            .await
            .doing("list the tenants")
    }

    /// How many entries there are.
    pub(crate) async fn count_all(&self) -> Result<u64, StoreError> {
        let count: i64 = sqlx::query_scalar("SELECT count(*) FROM entries")
            .fetch_one(&self.readers)
            .await
            .doing("count entries")?;
        Ok(count.unsigned_abs())
    }

    /// The values of a field with the number of entries that have them, most
    /// frequent first, then by value. Members of lists count one by one.
    pub(crate) async fn distinct(
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
        let rows: Vec<(String, i64)> = sqlx::query_as(statement)
            .bind(tenant)
            .bind(as_i64(limit))
            .fetch_all(&self.readers)
            .await
            .doing("list the values of a field")?;
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
        let Some(paths) = metadata_paths(field) else {
            return Ok(Vec::new());
        };
        let rows: Vec<(Option<String>, i64)> = sqlx::query_as(
            "SELECT coalesce(added -> ?2, metadata -> ?2, added -> ?3, metadata -> ?3, \
             added -> ?4, metadata -> ?4) AS value, count(*) \
             FROM entries WHERE tenant = ?1 GROUP BY value",
        )
        .bind(tenant)
        .bind(&paths[0])
        .bind(&paths[1])
        .bind(&paths[2])
        .fetch_all(&self.readers)
        .await
        .doing("list the values of a field")?;
        let values = rows.into_iter().filter_map(|(json, count)| {
            let value = serde_json::from_str(&json?).ok()?;
            Some((value, count.unsigned_abs()))
        });
        Ok(most_frequent_scalars(values, limit))
    }
}

/// The three JSON paths that a field of metadata may be under, the last ones
/// repeated. `None` for a name that no path can have: SQLite has no escape for
/// quotation marks.
pub(super) fn metadata_paths(field: &FilterField) -> Option<[String; 3]> {
    let keys = field.metadata_keys();
    let path = |index: usize| {
        let key = keys.get(index).or(keys.last())?;
        // Without quotation marks, `$`, `[` and others would be syntax.
        (!key.contains(['"', '\0'])).then(|| format!("$.\"{key}\""))
    };
    Some([path(0)?, path(1)?, path(2)?])
}

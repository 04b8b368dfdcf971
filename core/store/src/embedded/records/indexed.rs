//! What the text index is compared with.

use gannet_api::Filter;

use super::changes::{entry_bytes, within_bytes};
use super::row::{bare_entry_columns, read_unchecked_row};
use super::{Records, json_numbers};
use crate::error::{SqliteContext, StoreError};
use gannet_index::{Bitmap, EntryRow, RowBatch};

/// The rows of entries, as a text index that applied a change should know
/// them.
#[derive(Debug, Default)]
pub(crate) struct IndexedRows {
    /// The number of the last change of all.
    pub(crate) sequence: i64,
    /// Rows of entries that did not change since: each is in the index.
    pub(crate) settled: Vec<i64>,
    /// Rows that changed or were deleted since: each may be in the index, as
    /// it was.
    pub(crate) changed_later: Vec<i64>,
}

/// Entries that a filter is applied to at a time.
const FILTERED: usize = 1_000;

impl IndexedRows {
    /// Rows that should be in an index and are not.
    pub(crate) fn missing_from(&self, indexed: &Bitmap) -> Vec<i64> {
        let is_missing = |doc: &&i64| usize::try_from(**doc).is_ok_and(|row| !indexed.get(row));
        self.settled.iter().filter(is_missing).copied().collect()
    }
}

impl Records {
    /// The rows that an index that applied change `applied` should have.
    pub(crate) async fn indexed_rows(&self, applied: i64) -> Result<IndexedRows, StoreError> {
        let action = "read the rows of entries";
        // One snapshot: another process may be writing.
        let mut snapshot = self.sequential.begin().await.doing(action)?;
        let sequence = sqlx::query_scalar("SELECT last FROM sequence")
            .fetch_one(&mut *snapshot)
            .await
            .doing(action)?;
        let settled = sqlx::query_scalar("SELECT doc FROM entries WHERE seq <= ?")
            .bind(applied)
            .fetch_all(&mut *snapshot)
            .await
            .doing(action)?;
        let changed_later = sqlx::query_scalar(
            "SELECT doc FROM entries WHERE seq > ?1 \
             UNION ALL SELECT doc FROM tombstones WHERE seq > ?1",
        )
        .bind(applied)
        .fetch_all(&mut *snapshot)
        .await
        .doing(action)?;
        Ok(IndexedRows {
            sequence,
            settled,
            changed_later,
        })
    }

    /// The greatest row that an entry ever had.
    pub(crate) async fn highest_row(&self) -> Result<i64, StoreError> {
        let highest: Option<i64> =
            sqlx::query_scalar("SELECT seq FROM sqlite_sequence WHERE name = 'entries'")
                .fetch_optional(&self.readers)
                .await
                .doing("read the rows of entries")?;
        Ok(highest.unwrap_or(0))
    }

    /// The first of these entries, as the text index takes them over: at most
    /// `limit`, and so many that memory stays bounded.
    pub(crate) async fn rows_within(
        &self,
        docs: &[i64],
        limit: usize,
    ) -> Result<RowBatch, StoreError> {
        let docs = docs.get(..limit).unwrap_or(docs);
        let sizes: Vec<(i64, i64)> = sqlx::query_as(concat!(
            "SELECT j.key, coalesce(",
            entry_bytes!(),
            ", 0) FROM json_each(?1) j LEFT JOIN entries e ON e.doc = j.value ORDER BY j.key"
        ))
        .bind(json_numbers(docs))
        .fetch_all(&self.sequential)
        .await
        .doing("read entries")?;
        let (asked, bytes) = within_bytes(&sizes);
        let docs = docs.get(..asked).unwrap_or(docs);
        Ok(RowBatch {
            rows: self.rows(docs).await?,
            asked,
            bytes,
        })
    }

    /// Entries by row; those that are gone are left out.
    pub(crate) async fn rows(&self, docs: &[i64]) -> Result<Vec<EntryRow>, StoreError> {
        let rows = sqlx::query(concat!(
            "SELECT ",
            bare_entry_columns!(),
            " FROM json_each(?1) j CROSS JOIN entries e ON e.doc = j.value"
        ))
        .bind(json_numbers(docs))
        .fetch_all(&self.sequential)
        .await
        .doing("read entries")?;
        rows.iter().map(read_unchecked_row).collect()
    }

    /// The rows of a tenant's entries that pass a filter. Without the text
    /// index they are all read.
    pub(crate) async fn matching_rows(
        &self,
        tenant: &str,
        filter: &Filter,
    ) -> Result<Bitmap, StoreError> {
        let docs: Vec<i64> = sqlx::query_scalar("SELECT doc FROM entries WHERE tenant = ?")
            .bind(tenant)
            .fetch_all(&self.readers)
            .await
            .doing("apply a filter")?;
        let mut rows = Bitmap::default();
        if filter.is_empty() {
            docs.into_iter().for_each(|doc| set(&mut rows, doc));
            return Ok(rows);
        }
        let mut rest = docs.as_slice();
        while !rest.is_empty() {
            let batch = self.rows_within(rest, FILTERED).await?;
            rest = rest.get(batch.asked..).unwrap_or_default();
            let matching = batch.rows.iter().filter(|row| filter.matches(&row.entry));
            matching.for_each(|row| set(&mut rows, row.doc));
        }
        Ok(rows)
    }

    /// Looks for damage in every page and index of the database; returns what
    /// SQLite says of it, at most `limit` lines.
    pub(crate) async fn damage(&self, limit: usize) -> Result<Vec<String>, StoreError> {
        let lines: Vec<String> = sqlx::query_scalar(sqlx::AssertSqlSafe(format!(
            "PRAGMA integrity_check({limit})"
        )))
        .fetch_all(&self.sequential)
        .await
        .doing("check the database")?;
        Ok(lines.into_iter().filter(|line| line != "ok").collect())
    }
}

fn set(rows: &mut Bitmap, doc: i64) {
    let row = usize::try_from(doc).unwrap_or(0);
    if row >= rows.len() {
        rows.resize((row + 1).next_power_of_two());
    }
    rows.set(row);
}

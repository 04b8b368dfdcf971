//! What the indexes of vectors are compared with.

use std::collections::HashSet;

use futures::TryStreamExt;
use sqlx::Row;

use super::embeddings::{ModelRow, floats};
use super::row_checksum::{EntryColumns, checked_columns};
use super::{Records, as_i64};
use crate::content::text_hash;
use crate::error::{SqliteContext, StoreError};
use gannet_index::MAX_PASSAGES;

/// What an index that applied a change should hold of a model.
#[derive(Debug)]
pub(crate) struct StoredVectors {
    /// Vectors of entries that did not change since.
    pub(crate) vectors: u64,
    /// Entries whose vectors changed since.
    pub(crate) changed_later: HashSet<i64>,
}

impl Records {
    /// What an index that applied change `applied` should hold.
    pub(crate) async fn stored_vectors(
        &self,
        model: &ModelRow,
        applied: i64,
    ) -> Result<StoredVectors, StoreError> {
        // One snapshot: another process may be writing.
        let mut snapshot = self.sequential.begin().await.doing("begin to read")?;
        let vectors: i64 = sqlx::query_scalar(
            "SELECT coalesce(sum(min(passages, ?3)), 0) FROM entry_vectors \
             WHERE model = ?1 AND seq <= ?2",
        )
        .bind(model.model)
        .bind(applied)
        .bind(MAX_PASSAGES.cast_signed())
        .fetch_one(&mut *snapshot)
        .await
        .doing("count vectors")?;
        let changed: Vec<i64> =
            sqlx::query_scalar("SELECT doc FROM entry_vectors WHERE model = ?1 AND seq > ?2")
                .bind(model.model)
                .bind(applied)
                .fetch_all(&mut *snapshot)
                .await
                .doing("read changed vectors")?;
        Ok(StoredVectors {
            vectors: vectors.unsigned_abs(),
            changed_later: changed.into_iter().collect(),
        })
    }

    /// The ids of entries that are not as they were stored. Reads them all.
    pub(crate) async fn damaged_entries(&self) -> Result<Vec<String>, StoreError> {
        let mut rows = sqlx::query(concat!(
            "SELECT ",
            checked_columns!(),
            ", e.checksum, e.text_hash FROM entries e ORDER BY e.doc"
        ))
        .fetch(&self.sequential);
        let mut damaged = Vec::new();
        while let Some(row) = rows.try_next().await.doing("read entries")? {
            let columns = EntryColumns::read(&row, 0)?;
            let text: i64 = row.try_get(13).doing("read entries")?;
            let is_whole = columns
                .check(row.try_get(12).doing("read entries")?)
                .is_ok();
            if !is_whole || text_hash(columns.raw_text) != text {
                damaged.push(columns.entry_id.to_owned());
            }
        }
        Ok(damaged)
    }

    /// The entry of every stored vector that no index takes: one with numbers
    /// that are not finite, or of another dimension. Reads all vectors.
    pub(crate) async fn unusable_vectors(
        &self,
        model: &ModelRow,
    ) -> Result<Vec<String>, StoreError> {
        let mut rows = sqlx::query_as::<_, (i64, Vec<u8>)>(
            "SELECT doc, vector FROM embeddings WHERE model = ? AND ordinal < ?",
        )
        .bind(model.model)
        .bind(MAX_PASSAGES.cast_signed())
        .fetch(&self.sequential);
        let mut docs = Vec::new();
        while let Some((doc, blob)) = rows.try_next().await.doing("read vectors")? {
            let vector = floats(&blob);
            let is_usable = as_i64(vector.len()) == model.dimension
                && vector.iter().all(|number| number.is_finite());
            if !is_usable {
                docs.push(doc);
            }
        }
        let entries = self.by_doc(&docs).await?;
        let name = |doc: &i64| match entries.get(doc) {
            Some(entry) => entry.entry_id.clone(),
            None => format!("number {doc}"),
        };
        Ok(docs.iter().map(name).collect())
    }

    /// The vectors of at most `limit` entries that have not changed after
    /// `applied` and are numbered above `after`, in that order: entry, passage,
    /// vector.
    pub(crate) async fn vectors_after(
        &self,
        model: &ModelRow,
        applied: i64,
        after: i64,
        limit: usize,
    ) -> Result<Vec<(i64, i64, Vec<f32>)>, StoreError> {
        let rows: Vec<(i64, i64, Vec<u8>)> = sqlx::query_as(
            "WITH unchanged AS (SELECT doc FROM entry_vectors \
                 WHERE model = ?1 AND doc > ?2 AND seq <= ?3 AND passages > 0 \
                 ORDER BY doc LIMIT ?4) \
             SELECT b.doc, b.ordinal, b.vector FROM unchanged u CROSS JOIN embeddings b \
             ON b.model = ?1 AND b.doc = u.doc AND b.ordinal < ?5 ORDER BY b.doc, b.ordinal",
        )
        .bind(model.model)
        .bind(after)
        .bind(applied)
        .bind(as_i64(limit))
        .bind(MAX_PASSAGES.cast_signed())
        .fetch_all(&self.sequential)
        .await
        .doing("read vectors")?;
        Ok(rows.into_iter().map(with_floats).collect())
    }

    /// Vectors of about `wanted` entries, spread evenly over those that have
    /// not changed after `applied`: entry, passage, vector.
    pub(crate) async fn sample_vectors(
        &self,
        model: &ModelRow,
        applied: i64,
        wanted: usize,
    ) -> Result<Vec<(i64, i64, Vec<f32>)>, StoreError> {
        let rows: Vec<(i64, i64, Vec<u8>)> = sqlx::query_as(
            "WITH unchanged AS (SELECT doc, passages, row_number() OVER (ORDER BY doc) - 1 AS place, \
                 count(*) OVER () AS total FROM entry_vectors \
                 WHERE model = ?1 AND seq <= ?2 AND passages > 0) \
             SELECT b.doc, b.ordinal, b.vector FROM unchanged u CROSS JOIN embeddings b \
             ON b.model = ?1 AND b.doc = u.doc AND b.ordinal = u.place % min(u.passages, ?4) \
             WHERE u.place % max(u.total / ?3, 1) = 0",
        )
        .bind(model.model)
        .bind(applied)
        .bind(as_i64(wanted))
        .bind(MAX_PASSAGES.cast_signed())
        .fetch_all(&self.sequential)
        .await
        .doing("read vectors")?;
        Ok(rows.into_iter().map(with_floats).collect())
    }
}

fn with_floats((doc, ordinal, blob): (i64, i64, Vec<u8>)) -> (i64, i64, Vec<f32>) {
    (doc, ordinal, floats(&blob))
}

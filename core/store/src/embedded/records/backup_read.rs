//! Rows of a backup, read.

use std::collections::HashMap;

use gannet_api::{EmbeddingModel, PassageEmbedding};
use sqlx::{Row, Sqlite, Transaction};

use super::embeddings::{ModelRow, floats};
use super::row_checksum::{EntryColumns, checked_columns};
use super::{Records, as_i64};
use crate::backup::{BackupEntry, BackupRow, BackupStatus, Counts, Source, counts_of, model_of};
use crate::error::{SqliteContext, StoreError};

/// Entry, start, end, vector, signs of token vectors.
type StoredPassage = (i64, i64, i64, Vec<u8>, Option<Vec<u8>>);

/// The database as it was at one moment.
pub(crate) struct Snapshot {
    transaction: Transaction<'static, Sqlite>,
    models: Vec<ModelRow>,
}

impl Records {
    /// What is committed by now, whatever is written later.
    pub(crate) async fn snapshot(&self) -> Result<Snapshot, StoreError> {
        let mut transaction = self.sequential.begin().await.doing("begin to read")?;
        let models =
            sqlx::query_as("SELECT model, name, variant, dimension FROM models ORDER BY name")
                .fetch_all(&mut *transaction)
                .await
                .doing("read the models")?;
        Ok(Snapshot {
            transaction,
            models,
        })
    }
}

impl Source for Snapshot {
    async fn sequence(&mut self) -> Result<i64, StoreError> {
        sqlx::query_scalar("SELECT last FROM sequence")
            .fetch_one(&mut *self.transaction)
            .await
            .doing("read the change number")
    }

    fn models(&self) -> Vec<EmbeddingModel> {
        let models = self.models.iter();
        models
            .map(|model| model_of(&model.name, &model.variant, model.dimension))
            .collect()
    }

    async fn rows(&mut self, after: i64, limit: usize) -> Result<Vec<BackupRow>, StoreError> {
        let entries = self.entries(after, limit).await?;
        let Some(last) = entries.last().map(|entry| entry.doc) else {
            return Ok(Vec::new());
        };
        let mut statuses = self.statuses(after, last).await?;
        let mut by_model = Vec::with_capacity(self.models.len());
        for index in 0..self.models.len() {
            let model = self.models[index].model;
            by_model.push(self.passages(model, (after, last)).await?);
        }
        let whole = |entry: BackupEntry| BackupRow {
            statuses: statuses.remove(&entry.doc).unwrap_or_default(),
            passages: by_model
                .iter_mut()
                .map(|passages| passages.remove(&entry.doc).unwrap_or_default())
                .collect(),
            entry,
        };
        Ok(entries.into_iter().map(whole).collect())
    }

    async fn counts(&mut self, last: i64, sequence: i64) -> Result<Counts, StoreError> {
        let entries: i64 =
            sqlx::query_scalar("SELECT count(*) FROM entries WHERE doc <= ? AND seq <= ?")
                .bind(last)
                .bind(sequence)
                .fetch_one(&mut *self.transaction)
                .await
                .doing("count entries")?;
        let vectors: Vec<(String, i64)> = sqlx::query_as(
            "SELECT m.name, sum(v.passages) FROM models m JOIN entry_vectors v \
             ON v.model = m.model AND v.doc <= ? AND v.seq <= ? GROUP BY m.name",
        )
        .bind(last)
        .bind(sequence)
        .fetch_all(&mut *self.transaction)
        .await
        .doing("count vectors")?;
        Ok(counts_of(entries, vectors))
    }
}

impl Snapshot {
    async fn entries(&mut self, after: i64, limit: usize) -> Result<Vec<BackupEntry>, StoreError> {
        let rows = sqlx::query(concat!(
            "SELECT ",
            checked_columns!(),
            ", e.checksum, e.doc, e.content_hash, e.text_hash, e.created_at, e.updated_at \
             FROM entries e WHERE e.doc > ? ORDER BY e.doc LIMIT ?"
        ))
        .bind(after)
        .bind(as_i64(limit))
        .fetch_all(&mut *self.transaction)
        .await
        .doing("read entries")?;
        let mut entries = Vec::with_capacity(rows.len());
        for row in &rows {
            let columns = EntryColumns::read(row, 0)?;
            columns.check(row.try_get(12).doing("read entries")?)?;
            entries.push(BackupEntry {
                doc: row.try_get(13).doing("read entries")?,
                tenant: columns.tenant.to_owned(),
                entry_id: columns.entry_id.to_owned(),
                kind: columns.kind.to_owned(),
                source_system: columns.source_system.to_owned(),
                timestamp: columns.timestamp,
                author: columns.author.to_owned(),
                raw_text: columns.raw_text.to_owned(),
                metadata: columns.metadata.to_owned(),
                added: columns.added.to_owned(),
                attachments: columns.attachments.to_owned(),
                summary: columns.summary.map(str::to_owned),
                keywords: columns.keywords.to_owned(),
                content_hash: row.try_get(14).doing("read entries")?,
                text_hash: row.try_get(15).doing("read entries")?,
                created_at: row.try_get(16).doing("read entries")?,
                updated_at: row.try_get(17).doing("read entries")?,
            });
        }
        Ok(entries)
    }

    async fn statuses(
        &mut self,
        after: i64,
        last: i64,
    ) -> Result<HashMap<i64, Vec<BackupStatus>>, StoreError> {
        let rows = sqlx::query(
            "SELECT doc, module, status, at, attempts, error, retry_at FROM enhancement_status \
             WHERE doc > ? AND doc <= ?",
        )
        .bind(after)
        .bind(last)
        .fetch_all(&mut *self.transaction)
        .await
        .doing("read enhancement states")?;
        let mut statuses: HashMap<i64, Vec<BackupStatus>> = HashMap::new();
        for row in rows {
            let doc = row.try_get(0).doing("read enhancement states")?;
            statuses.entry(doc).or_default().push(BackupStatus {
                module: row.try_get(1).doing("read enhancement states")?,
                status: row.try_get(2).doing("read enhancement states")?,
                at: row.try_get(3).doing("read enhancement states")?,
                attempts: row.try_get(4).doing("read enhancement states")?,
                error: row.try_get(5).doing("read enhancement states")?,
                retry_at: row.try_get(6).doing("read enhancement states")?,
            });
        }
        Ok(statuses)
    }

    async fn passages(
        &mut self,
        model: i64,
        (after, last): (i64, i64),
    ) -> Result<HashMap<i64, Vec<PassageEmbedding>>, StoreError> {
        let rows: Vec<StoredPassage> = sqlx::query_as(
            "SELECT doc, start, \"end\", vector, token_signs FROM embeddings \
             WHERE model = ? AND doc > ? AND doc <= ? ORDER BY doc, ordinal",
        )
        .bind(model)
        .bind(after)
        .bind(last)
        .fetch_all(&mut *self.transaction)
        .await
        .doing("read vectors")?;
        let mut passages: HashMap<i64, Vec<PassageEmbedding>> = HashMap::new();
        for (doc, start, end, vector, token_signs) in rows {
            passages.entry(doc).or_default().push(
                PassageEmbedding::new(
                    usize::try_from(start).unwrap_or_default()
                        ..usize::try_from(end).unwrap_or_default(),
                    floats(&vector),
                )
                .with_token_signs(token_signs),
            );
        }
        Ok(passages)
    }
}

//! Reading everything that a database holds.

use std::collections::HashMap;

use gannet_api::{EmbeddingModel, PassageEmbedding};
use pgvector::Vector;
use sqlx::{Postgres, Row, Transaction};

use super::instant::Instant;
use super::models::ModelRow;
use super::{PostgresStore, as_i64};
use crate::backup::{BackupEntry, BackupRow, BackupStatus, Counts, Source, counts_of, model_of};
use crate::content::text_hash;
use crate::error::{DatabaseContext, StoreError};

/// The database as it was at one moment.
pub(crate) struct Snapshot {
    transaction: Transaction<'static, Postgres>,
    models: Vec<ModelRow>,
}

impl PostgresStore {
    /// What is committed by now, whatever is written later.
    pub(crate) async fn snapshot(&self) -> Result<Snapshot, StoreError> {
        let mut transaction = self
            .pool
            .begin_with("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
            .await
            .doing("begin to read")?;
        let models = sqlx::query_as(
            "SELECT model, name, variant, dimension FROM gannet_models ORDER BY model",
        )
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
        sqlx::query_scalar("SELECT last FROM gannet_sequence")
            .fetch_one(&mut *self.transaction)
            .await
            .doing("read the change number")
    }

    fn models(&self) -> Vec<EmbeddingModel> {
        let models = self.models.iter();
        models
            .map(|model| model_of(&model.name, &model.variant, model.dimension.into()))
            .collect()
    }

    async fn rows(&mut self, after: i64, limit: usize) -> Result<Vec<BackupRow>, StoreError> {
        let entries = self.entries(after, limit).await?;
        let docs: Vec<i64> = entries.iter().map(|entry| entry.doc).collect();
        let mut statuses = self.statuses(&docs).await?;
        let mut passages = self.passages(&docs).await?;
        let models = self.models.len();
        let whole = |entry: BackupEntry| BackupRow {
            statuses: statuses.remove(&entry.doc).unwrap_or_default(),
            passages: passages
                .remove(&entry.doc)
                .unwrap_or_else(|| vec![Vec::new(); models]),
            entry,
        };
        Ok(entries.into_iter().map(whole).collect())
    }

    async fn counts(&mut self, last: i64, sequence: i64) -> Result<Counts, StoreError> {
        let entries: i64 = sqlx::query_scalar(
            "SELECT count(*) FROM enhanced_entries \
             WHERE created_seq IS NOT NULL AND doc <= $1 AND seq <= $2",
        )
        .bind(last)
        .bind(sequence)
        .fetch_one(&mut *self.transaction)
        .await
        .doing("count entries")?;
        let vectors: Vec<(String, i64)> = sqlx::query_as(
            "SELECT m.name, sum(v.passages)::bigint FROM gannet_models m \
             JOIN gannet_entry_vectors v ON v.model = m.model AND v.doc <= $1 AND v.seq <= $2 \
             GROUP BY m.name",
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
    /// Entries that ARIEL wrote and that were never adopted are left out:
    /// nobody sees them yet.
    async fn entries(&mut self, after: i64, limit: usize) -> Result<Vec<BackupEntry>, StoreError> {
        let rows = sqlx::query(
            "SELECT doc, tenant, entry_id, kind, source_system, \"timestamp\", author, raw_text, \
             coalesce(metadata, '{}')::text, added::text, coalesce(attachments, '[]')::text, \
             summary, array_to_json(array_remove(coalesce(keywords, '{}'), NULL))::text, \
             coalesce(content_hash, ''), coalesce(created_at, \"timestamp\"), \
             coalesce(updated_at, created_at, \"timestamp\") FROM enhanced_entries \
             WHERE doc > $1 AND created_seq IS NOT NULL ORDER BY doc LIMIT $2",
        )
        .bind(after)
        .bind(as_i64(limit))
        .fetch_all(&mut *self.transaction)
        .await
        .doing("read entries")?;
        rows.iter()
            .map(|row| read_entry(row).doing("read entries"))
            .collect()
    }

    async fn statuses(
        &mut self,
        docs: &[i64],
    ) -> Result<HashMap<i64, Vec<BackupStatus>>, StoreError> {
        let rows = sqlx::query(
            "SELECT doc, module, status, at, attempts::bigint, error, retry_at \
             FROM gannet_enhancement WHERE doc = ANY($1)",
        )
        .bind(docs)
        .fetch_all(&mut *self.transaction)
        .await
        .doing("read enhancement states")?;
        let mut statuses: HashMap<i64, Vec<BackupStatus>> = HashMap::new();
        for row in rows {
            let (doc, status) = read_status(&row).doing("read enhancement states")?;
            statuses.entry(doc).or_default().push(status);
        }
        Ok(statuses)
    }

    /// The passages of each entry by model.
    async fn passages(
        &mut self,
        docs: &[i64],
    ) -> Result<HashMap<i64, Vec<Vec<PassageEmbedding>>>, StoreError> {
        let rows = sqlx::query(
            "SELECT doc, model, \"start\"::bigint, \"end\"::bigint, embedding, token_signs \
             FROM gannet_passages WHERE doc = ANY($1) ORDER BY doc, model, ordinal",
        )
        .bind(docs)
        .fetch_all(&mut *self.transaction)
        .await
        .doing("read vectors")?;
        let mut passages: HashMap<i64, Vec<Vec<PassageEmbedding>>> = HashMap::new();
        for row in rows {
            let (doc, model, passage) = read_passage(&row).doing("read vectors")?;
            let Some(place) = self.models.iter().position(|known| known.model == model) else {
                continue;
            };
            let by_model = passages.entry(doc);
            by_model.or_insert_with(|| vec![Vec::new(); self.models.len()])[place].push(passage);
        }
        Ok(passages)
    }
}

fn read_entry(row: &sqlx::postgres::PgRow) -> Result<BackupEntry, sqlx::Error> {
    let micros = |index: usize| row.try_get(index).map(|Instant(micros)| micros);
    let raw_text: String = row.try_get(7)?;
    Ok(BackupEntry {
        doc: row.try_get(0)?,
        tenant: row.try_get(1)?,
        entry_id: row.try_get(2)?,
        kind: row.try_get(3)?,
        source_system: row.try_get(4)?,
        timestamp: micros(5)?,
        author: row.try_get(6)?,
        text_hash: text_hash(&raw_text),
        raw_text,
        metadata: row.try_get(8)?,
        added: row.try_get(9)?,
        attachments: row.try_get(10)?,
        summary: row.try_get(11)?,
        keywords: row.try_get(12)?,
        content_hash: row.try_get(13)?,
        created_at: micros(14)?,
        updated_at: micros(15)?,
    })
}

fn read_status(row: &sqlx::postgres::PgRow) -> Result<(i64, BackupStatus), sqlx::Error> {
    let micros = |index: usize| row.try_get(index).map(|Instant(micros)| micros);
    let status = BackupStatus {
        module: row.try_get(1)?,
        status: row.try_get(2)?,
        at: micros(3)?,
        attempts: row.try_get(4)?,
        error: row.try_get(5)?,
        retry_at: micros(6)?,
    };
    Ok((row.try_get(0)?, status))
}

/// The entry, the model, and the passage.
fn read_passage(row: &sqlx::postgres::PgRow) -> Result<(i64, i32, PassageEmbedding), sqlx::Error> {
    let place = |index: usize| -> Result<usize, sqlx::Error> {
        let place: i64 = row.try_get(index)?;
        Ok(usize::try_from(place).unwrap_or_default())
    };
    let vector: Vector = row.try_get(4)?;
    let token_signs: Option<Vec<u8>> = row.try_get(5)?;
    let passage =
        PassageEmbedding::new(place(2)?..place(3)?, vector.to_vec()).with_token_signs(token_signs);
    Ok((row.try_get(0)?, row.try_get(1)?, passage))
}

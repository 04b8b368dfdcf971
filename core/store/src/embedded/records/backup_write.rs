//! Rows of a backup, written to a new database.

use gannet_api::EmbeddingModel;
use sqlx::sqlite::SqliteConnection;

use super::copy::CopyWrite;
use super::copy_vectors::CopiedVectors;
use super::embeddings::ModelRow;
use super::plugin_state::write_state;
use super::row_checksum::EntryColumns;
use super::{Records, as_i64, reserve};
use crate::backup::{BackupEntry, BackupRow, BackupStatus, Origin, Target};
use crate::error::{SqliteContext, StoreError};
use crate::request::{IngestionRun, StateKey};

impl Target for Records {
    fn name(&self) -> String {
        let folder = self.path.parent().unwrap_or(&self.path);
        folder.display().to_string()
    }

    async fn is_used(&self) -> Result<bool, StoreError> {
        Records::is_used(self).await
    }

    async fn state(&self, key: &StateKey) -> Result<Option<String>, StoreError> {
        self.plugin_state(key).await
    }

    async fn set_state(&self, key: &StateKey, value: &str) -> Result<(), StoreError> {
        self.set_plugin_state(key, Some(value)).await
    }

    async fn put_model(&self, model: &EmbeddingModel) -> Result<(), StoreError> {
        let mut write = self.begin_copy().await?;
        let stored = model_row(&mut write, model).await?;
        stored.check(model)?;
        write.commit().await
    }

    async fn put_rows(
        &self,
        models: &[EmbeddingModel],
        rows: Vec<BackupRow>,
        (key, value): (&StateKey, &str),
    ) -> Result<(), StoreError> {
        let mut write = self.begin_copy().await?;
        let first = reserve(write.connection(), rows.len()).await?;
        let mut by_model: Vec<Vec<CopiedVectors>> = vec![Vec::new(); models.len()];
        for (place, row) in rows.into_iter().enumerate() {
            let doc = row.entry.doc;
            put_entry(write.connection(), &row.entry, first + as_i64(place)).await?;
            for status in &row.statuses {
                put_status(write.connection(), doc, status).await?;
            }
            for (vectors, passages) in by_model.iter_mut().zip(row.passages) {
                if !passages.is_empty() {
                    vectors.push(CopiedVectors {
                        doc,
                        passages,
                        is_whole_text: false,
                    });
                }
            }
        }
        for (model, vectors) in models.iter().zip(&by_model) {
            if !vectors.is_empty() {
                let stored = model_row(&mut write, model).await?;
                write.put_vectors(&stored, vectors).await?;
            }
        }
        write_state(write.connection(), key, Some(value)).await?;
        write.commit().await
    }

    async fn put_rest(&self, origin: &Origin, forgotten: &StateKey) -> Result<(), StoreError> {
        let mut write = self.begin_copy().await?;
        for run in origin.runs.iter().rev() {
            put_run(write.connection(), run).await?;
        }
        for (key, value) in &origin.states {
            write_state(write.connection(), key, Some(value)).await?;
        }
        write_state(write.connection(), forgotten, None).await?;
        write.commit().await
    }
}

/// The model of this name, made when it is missing.
async fn model_row(write: &mut CopyWrite, model: &EmbeddingModel) -> Result<ModelRow, StoreError> {
    let dimension = as_i64(model.dimension);
    write
        .model_named(&model.name, &model.variant, dimension)
        .await
}

async fn put_run(connection: &mut SqliteConnection, run: &IngestionRun) -> Result<(), StoreError> {
    let count = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    let outcome = &run.outcome;
    sqlx::query(
        "INSERT INTO ingestion_runs (source_system, started_at, finished_at, status, \
         added, updated, unchanged, rejected, deleted, error, latest_timestamp) \
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    )
    .bind(&run.source_system)
    .bind(run.started_at.as_microsecond())
    .bind(run.finished_at.map(|at| at.as_microsecond()))
    .bind(outcome.status.name())
    .bind(count(outcome.added))
    .bind(count(outcome.updated))
    .bind(count(outcome.unchanged))
    .bind(count(outcome.rejected))
    .bind(count(outcome.deleted))
    .bind(&outcome.error)
    .bind(outcome.latest_timestamp.map(|at| at.as_microsecond()))
    .execute(connection)
    .await
    .doing("write ingestion runs")?;
    Ok(())
}

async fn put_entry(
    connection: &mut SqliteConnection,
    entry: &BackupEntry,
    seq: i64,
) -> Result<(), StoreError> {
    let checksum = EntryColumns {
        tenant: &entry.tenant,
        entry_id: &entry.entry_id,
        kind: &entry.kind,
        source_system: &entry.source_system,
        timestamp: entry.timestamp,
        author: &entry.author,
        raw_text: &entry.raw_text,
        metadata: &entry.metadata,
        added: &entry.added,
        attachments: &entry.attachments,
        summary: entry.summary.as_deref(),
        keywords: &entry.keywords,
    }
    .checksum();
    sqlx::query(
        "INSERT INTO entries (doc, tenant, entry_id, kind, source_system, timestamp, author, \
         raw_text, metadata, added, attachments, summary, keywords, checksum, content_hash, \
         text_hash, seq, created_seq, created_at, updated_at) \
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    )
    .bind(entry.doc)
    .bind(&entry.tenant)
    .bind(&entry.entry_id)
    .bind(&entry.kind)
    .bind(&entry.source_system)
    .bind(entry.timestamp)
    .bind(&entry.author)
    .bind(&entry.raw_text)
    .bind(&entry.metadata)
    .bind(&entry.added)
    .bind(&entry.attachments)
    .bind(&entry.summary)
    .bind(&entry.keywords)
    .bind(checksum)
    .bind(&entry.content_hash)
    .bind(entry.text_hash)
    .bind(seq)
    .bind(seq)
    .bind(entry.created_at)
    .bind(entry.updated_at)
    .execute(connection)
    .await
    .doing("write entries")?;
    Ok(())
}

async fn put_status(
    connection: &mut SqliteConnection,
    doc: i64,
    status: &BackupStatus,
) -> Result<(), StoreError> {
    sqlx::query(
        "INSERT INTO enhancement_status (doc, module, status, at, attempts, error, retry_at) \
         VALUES (?, ?, ?, ?, ?, ?, ?)",
    )
    .bind(doc)
    .bind(&status.module)
    .bind(&status.status)
    .bind(status.at)
    .bind(status.attempts)
    .bind(&status.error)
    .bind(status.retry_at.max(0))
    .execute(connection)
    .await
    .doing("write enhancement states")?;
    Ok(())
}

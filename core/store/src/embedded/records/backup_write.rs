//! Rows of a backup, written to a new database.

use sqlx::sqlite::SqliteConnection;

use super::copy_vectors::CopiedVectors;
use super::embeddings::ModelRow;
use super::row_checksum::EntryColumns;
use super::{Records, as_i64, reserve};
use crate::backup::{BackupEntry, BackupRow, BackupStatus};
use crate::error::{SqliteContext, StoreError};
use crate::request::IngestionRun;

impl Records {
    /// Writes a model, unless there is one of its name.
    pub(crate) async fn put_backup_model(
        &self,
        name: &str,
        variant: &str,
        dimension: i64,
    ) -> Result<ModelRow, StoreError> {
        let mut write = self.begin_copy().await?;
        let model = write.model_named(name, variant, dimension).await?;
        write.commit().await?;
        Ok(model)
    }

    /// Writes entries that are not there yet, in one transaction.
    pub(crate) async fn put_backup_rows(
        &self,
        models: &[ModelRow],
        rows: Vec<BackupRow>,
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
                write.put_vectors(model, vectors).await?;
            }
        }
        write.commit().await
    }

    /// Writes ingestion runs, the oldest first.
    pub(crate) async fn put_backup_runs(&self, runs: &[IngestionRun]) -> Result<(), StoreError> {
        let mut transaction = self.begin().await?;
        let count = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
        for run in runs {
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
            .execute(&mut *transaction)
            .await
            .doing("write ingestion runs")?;
        }
        transaction.commit().await.doing("write ingestion runs")
    }
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

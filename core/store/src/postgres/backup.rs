//! Copying the records of a database to a file.

use std::collections::HashMap;
use std::path::Path;

use gannet_api::PassageEmbedding;
use pgvector::Vector;
use sqlx::{Postgres, Row, Transaction};

use super::instant::Instant;
use super::models::ModelRow;
use super::{PostgresOptions, PostgresStore, as_i64};
use crate::backup::{BackupEntry, BackupRow, BackupStatus};
use crate::content::text_hash;
use crate::embedded::Records;
use crate::error::{DatabaseContext, StoreError};

/// Entries that are copied at a time.
const ENTRIES: usize = 500;

/// Copies everything that is committed to a new database file. What ARIEL
/// wrote a moment ago is adopted first.
pub(crate) async fn copy_records(options: PostgresOptions, file: &Path) -> Result<(), StoreError> {
    let store = PostgresStore::open(options).await?;
    let copied = copy(&store, file).await;
    store.close().await?;
    copied
}

async fn copy(store: &PostgresStore, file: &Path) -> Result<(), StoreError> {
    store.flush_here().await?;
    let records = Records::open(file, false).await?;
    let copied = copy_to(store, &records).await;
    records.close().await;
    copied
}

async fn copy_to(store: &PostgresStore, records: &Records) -> Result<(), StoreError> {
    let mut runs = store.runs(usize::MAX).await?;
    runs.reverse();
    records.put_backup_runs(&runs).await?;
    for (key, value) in store.all_plugin_state().await? {
        records.set_plugin_state(&key, Some(&value)).await?;
    }
    // One snapshot: entries, vectors and states belong together.
    let mut snapshot = Snapshot(
        store
            .pool
            .begin_with("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
            .await
            .doing("begin to read")?,
    );
    let models = snapshot.models().await?;
    let mut copied = Vec::with_capacity(models.len());
    for model in &models {
        let dimension = i64::from(model.dimension);
        let copy = records.put_backup_model(&model.name, &model.variant, dimension);
        copied.push(copy.await?);
    }
    let mut after = 0;
    loop {
        let rows = snapshot.rows(&models, after).await?;
        let Some(last) = rows.last() else {
            return Ok(());
        };
        after = last.entry.doc;
        records.put_backup_rows(&copied, rows).await?;
    }
}

/// The database as it was at one moment.
struct Snapshot(Transaction<'static, Postgres>);

impl Snapshot {
    async fn models(&mut self) -> Result<Vec<ModelRow>, StoreError> {
        sqlx::query_as("SELECT model, name, variant, dimension FROM gannet_models ORDER BY model")
            .fetch_all(&mut *self.0)
            .await
            .doing("read the models")
    }

    async fn rows(
        &mut self,
        models: &[ModelRow],
        after: i64,
    ) -> Result<Vec<BackupRow>, StoreError> {
        let entries = self.entries(after).await?;
        let docs: Vec<i64> = entries.iter().map(|entry| entry.doc).collect();
        let mut statuses = self.statuses(&docs).await?;
        let mut passages = self.passages(models, &docs).await?;
        let whole = |entry: BackupEntry| BackupRow {
            statuses: statuses.remove(&entry.doc).unwrap_or_default(),
            passages: passages
                .remove(&entry.doc)
                .unwrap_or_else(|| vec![Vec::new(); models.len()]),
            entry,
        };
        Ok(entries.into_iter().map(whole).collect())
    }

    /// Entries that ARIEL wrote and that were never adopted are left out:
    /// nobody sees them yet.
    async fn entries(&mut self, after: i64) -> Result<Vec<BackupEntry>, StoreError> {
        let rows = sqlx::query(
            "SELECT doc, tenant, entry_id, kind, source_system, \"timestamp\", author, raw_text, \
             coalesce(metadata, '{}')::text, added::text, coalesce(attachments, '[]')::text, \
             summary, array_to_json(array_remove(coalesce(keywords, '{}'), NULL))::text, \
             coalesce(content_hash, ''), coalesce(created_at, \"timestamp\"), \
             coalesce(updated_at, created_at, \"timestamp\") FROM enhanced_entries \
             WHERE doc > $1 AND created_seq IS NOT NULL ORDER BY doc LIMIT $2",
        )
        .bind(after)
        .bind(as_i64(ENTRIES))
        .fetch_all(&mut *self.0)
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
        .fetch_all(&mut *self.0)
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
        models: &[ModelRow],
        docs: &[i64],
    ) -> Result<HashMap<i64, Vec<Vec<PassageEmbedding>>>, StoreError> {
        let rows = sqlx::query(
            "SELECT doc, model, \"start\"::bigint, \"end\"::bigint, embedding, token_signs \
             FROM gannet_passages WHERE doc = ANY($1) ORDER BY doc, model, ordinal",
        )
        .bind(docs)
        .fetch_all(&mut *self.0)
        .await
        .doing("read vectors")?;
        let mut passages: HashMap<i64, Vec<Vec<PassageEmbedding>>> = HashMap::new();
        for row in rows {
            let (doc, model, passage) = read_passage(&row).doing("read vectors")?;
            let Some(place) = models.iter().position(|known| known.model == model) else {
                continue;
            };
            let by_model = passages.entry(doc);
            by_model.or_insert_with(|| vec![Vec::new(); models.len()])[place].push(passage);
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

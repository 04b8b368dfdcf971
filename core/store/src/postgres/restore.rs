//! Writing everything that another store holds into an empty database.

use std::collections::HashMap;

use gannet_api::{EmbeddingModel, Entry, PassageEmbeddings};
use sqlx::{PgConnection, Row};

use super::connect::{begin_bulk, begin_write, end_bulk, label};
use super::derived::write_words;
use super::instant::Instant;
use super::plugin_state::write_state;
use super::vectors::{NewVectors, replace_vectors};
use super::write::Columns;
use super::{PostgresStore, as_i32, reserve};
use crate::backup::{BackupEntry, BackupRow, Origin, Target};
use crate::error::{DatabaseContext, StoreError};
use crate::request::{IngestionRun, RunStatus, StateKey};
use crate::stored::{instant, parse};

impl Target for PostgresStore {
    fn name(&self) -> String {
        label(&self.pool.connect_options())
    }

    async fn is_used(&self) -> Result<bool, StoreError> {
        sqlx::query_scalar(
            "SELECT EXISTS (SELECT 1 FROM enhanced_entries) \
             OR EXISTS (SELECT 1 FROM gannet_models) OR EXISTS (SELECT 1 FROM ingestion_runs)",
        )
        .fetch_one(&self.pool)
        .await
        .doing("look whether the database is empty")
    }

    async fn state(&self, key: &StateKey) -> Result<Option<String>, StoreError> {
        self.plugin_state(key).await
    }

    async fn set_state(&self, key: &StateKey, value: &str) -> Result<(), StoreError> {
        self.set_plugin_state(key, Some(value)).await
    }

    async fn put_model(&self, model: &EmbeddingModel) -> Result<(), StoreError> {
        self.register_model(model).await
    }

    async fn put_rows(
        &self,
        models: &[EmbeddingModel],
        rows: Vec<BackupRow>,
        (key, value): (&StateKey, &str),
    ) -> Result<(), StoreError> {
        let mut transaction = begin_write(&self.pool).await?;
        begin_bulk(&mut transaction).await?;
        let mut columns = Columns::default();
        for BackupRow { entry, .. } in &rows {
            let given = given(entry)?;
            let mut whole = given.clone();
            let added: serde_json::Map<String, serde_json::Value> =
                parse("metadata", &entry.entry_id, &entry.added)?;
            whole.metadata.extend(added);
            columns.push(&given, &whole, &entry.content_hash, entry.text_hash);
        }
        let first = reserve(&mut transaction, rows.len()).await?;
        let words = columns.write(&mut transaction, first).await?;
        write_words(&mut transaction, &words).await?;
        let docs = put_what_columns_lack(&mut transaction, &rows).await?;
        put_vectors(&mut transaction, models, &rows, &docs).await?;
        put_statuses(&mut transaction, &rows, &docs).await?;
        write_state(&mut *transaction, key, Some(value)).await?;
        end_bulk(&mut transaction).await?;
        transaction.commit().await.doing("commit entries")?;
        self.known_words.learn(words);
        Ok(())
    }

    async fn put_rest(&self, origin: &Origin, forgotten: &StateKey) -> Result<(), StoreError> {
        let mut transaction = begin_write(&self.pool).await?;
        for run in origin.runs.iter().rev() {
            put_run(&mut transaction, run).await?;
        }
        for (key, value) in &origin.states {
            write_state(&mut *transaction, key, Some(value)).await?;
        }
        write_state(&mut *transaction, forgotten, None).await?;
        transaction.commit().await.doing("commit the copy")
    }
}

/// The entry as its source gives it.
fn given(entry: &BackupEntry) -> Result<Entry, StoreError> {
    let id = &entry.entry_id;
    let mut given = Entry::new(
        id,
        &entry.source_system,
        instant("timestamp", id, entry.timestamp)?,
        &entry.raw_text,
    );
    given.tenant.clone_from(&entry.tenant);
    given.kind.clone_from(&entry.kind);
    given.author.clone_from(&entry.author);
    given.metadata = parse("metadata", id, &entry.metadata)?;
    given.attachments = parse("attachments", id, &entry.attachments)?;
    given.summary.clone_from(&entry.summary);
    given.keywords = parse("keywords", id, &entry.keywords)?;
    Ok(given)
}

/// The numbers that entries have here, by the numbers that they have in the
/// backup.
type Docs = HashMap<i64, i64>;

async fn put_what_columns_lack(
    connection: &mut PgConnection,
    rows: &[BackupRow],
) -> Result<Docs, StoreError> {
    let entries = || rows.iter().map(|row| &row.entry);
    let written = sqlx::query(
        "UPDATE enhanced_entries e SET added = n.added::jsonb, created_at = n.created_at, \
         updated_at = n.updated_at \
         FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::timestamptz[], \
             $6::timestamptz[]) AS n (doc, tenant, id, added, created_at, updated_at) \
         WHERE e.tenant = n.tenant AND e.entry_id = n.id RETURNING n.doc, e.doc",
    )
    .bind(entries().map(|entry| entry.doc).collect::<Vec<_>>())
    .bind(
        entries()
            .map(|entry| entry.tenant.as_str())
            .collect::<Vec<_>>(),
    )
    .bind(
        entries()
            .map(|entry| entry.entry_id.as_str())
            .collect::<Vec<_>>(),
    )
    .bind(
        entries()
            .map(|entry| entry.added.as_str())
            .collect::<Vec<_>>(),
    )
    .bind(
        entries()
            .map(|entry| Instant(entry.created_at))
            .collect::<Vec<_>>(),
    )
    .bind(
        entries()
            .map(|entry| Instant(entry.updated_at))
            .collect::<Vec<_>>(),
    )
    .fetch_all(connection)
    .await
    .doing("write entries")?;
    let mut docs = Docs::with_capacity(written.len());
    for row in written {
        docs.insert(
            row.try_get(0).doing("write entries")?,
            row.try_get(1).doing("write entries")?,
        );
    }
    Ok(docs)
}

async fn put_vectors(
    connection: &mut PgConnection,
    models: &[EmbeddingModel],
    rows: &[BackupRow],
    docs: &Docs,
) -> Result<(), StoreError> {
    for (place, model) in models.iter().enumerate() {
        let mut of_model: Vec<(i64, i64, PassageEmbeddings)> = Vec::new();
        for row in rows {
            let passages = &row.passages[place];
            if let Some(&doc) = docs.get(&row.entry.doc)
                && !passages.is_empty()
            {
                let embeddings = PassageEmbeddings::new(model.name.clone(), passages.clone());
                of_model.push((doc, row.entry.text_hash, embeddings));
            }
        }
        let new: Vec<NewVectors<'_>> = of_model
            .iter()
            .map(|(doc, text_hash, embeddings)| NewVectors {
                doc: *doc,
                text_hash: *text_hash,
                embeddings,
            })
            .collect();
        if !new.is_empty() {
            replace_vectors(connection, &new).await?;
        }
    }
    Ok(())
}

async fn put_statuses(
    connection: &mut PgConnection,
    rows: &[BackupRow],
    docs: &Docs,
) -> Result<(), StoreError> {
    let states: Vec<_> = rows
        .iter()
        .filter_map(|row| Some((*docs.get(&row.entry.doc)?, &row.statuses)))
        .flat_map(|(doc, statuses)| statuses.iter().map(move |status| (doc, status)))
        .collect();
    let count = |attempts: i64| i32::try_from(attempts).unwrap_or(i32::MAX);
    sqlx::query(
        "INSERT INTO gannet_enhancement (doc, module, status, at, attempts, error, retry_at) \
         SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[], $4::timestamptz[], \
             $5::integer[], $6::text[], $7::timestamptz[])",
    )
    .bind(states.iter().map(|(doc, _)| *doc).collect::<Vec<_>>())
    .bind(
        states
            .iter()
            .map(|(_, one)| one.module.as_str())
            .collect::<Vec<_>>(),
    )
    .bind(
        states
            .iter()
            .map(|(_, one)| one.status.as_str())
            .collect::<Vec<_>>(),
    )
    .bind(
        states
            .iter()
            .map(|(_, one)| Instant(one.at))
            .collect::<Vec<_>>(),
    )
    .bind(
        states
            .iter()
            .map(|(_, one)| count(one.attempts))
            .collect::<Vec<_>>(),
    )
    .bind(
        states
            .iter()
            .map(|(_, one)| one.error.as_deref())
            .collect::<Vec<_>>(),
    )
    .bind(
        states
            .iter()
            .map(|(_, one)| Instant(one.retry_at))
            .collect::<Vec<_>>(),
    )
    .execute(connection)
    .await
    .doing("write enhancement states")?;
    Ok(())
}

async fn put_run(connection: &mut PgConnection, run: &IngestionRun) -> Result<(), StoreError> {
    let outcome = &run.outcome;
    let is_stopped = outcome.status == RunStatus::Stopped;
    let status = match is_stopped {
        true => RunStatus::Failed,
        false => outcome.status,
    };
    let micros = |at: jiff::Timestamp| Instant(at.as_microsecond());
    sqlx::query(
        "INSERT INTO ingestion_runs (source_system, started_at, completed_at, status, stopped, \
         entries_added, entries_updated, entries_unchanged, entries_failed, error_message, \
         latest_timestamp, entries_deleted) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)",
    )
    .bind(&run.source_system)
    .bind(micros(run.started_at))
    .bind(run.finished_at.map(micros))
    .bind(status.name())
    .bind(is_stopped)
    .bind(as_i32(outcome.added))
    .bind(as_i32(outcome.updated))
    .bind(i64::try_from(outcome.unchanged).unwrap_or(i64::MAX))
    .bind(as_i32(outcome.rejected))
    .bind(&outcome.error)
    .bind(outcome.latest_timestamp.map(micros))
    .bind(i64::try_from(outcome.deleted).unwrap_or(i64::MAX))
    .execute(connection)
    .await
    .doing("write ingestion runs")?;
    Ok(())
}

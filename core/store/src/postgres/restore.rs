//! Putting the records of a backup into an empty database.

use std::collections::HashMap;

use gannet_api::{EmbeddingModel, Entry, PassageEmbeddings};
use sqlx::{PgConnection, Row};

use super::connect::{begin_bulk, begin_write, end_bulk};
use super::derived::write_words;
use super::instant::Instant;
use super::vectors::{NewVectors, replace_vectors};
use super::write::Columns;
use super::{PostgresOptions, PostgresStore, as_i32, reserve};
use crate::backup::{BackupEntry, BackupRow, RecordCounts, not_empty};
use crate::embedded::{ModelRow, Records};
use crate::error::{DatabaseContext, StoreError};
use crate::request::{IngestionRun, RunStatus};
use crate::stored::{instant, parse};

/// Entries that are written in a transaction.
const ENTRIES: usize = 500;

/// Writes everything that the records hold; returns what was written.
pub(crate) async fn restore_records(
    options: PostgresOptions,
    records: &Records,
) -> Result<RecordCounts, StoreError> {
    let database = options.database();
    let store = PostgresStore::open(options).await?;
    let restored = restore(&store, records, &database).await;
    store.close().await?;
    restored
}

async fn restore(
    store: &PostgresStore,
    records: &Records,
    database: &str,
) -> Result<RecordCounts, StoreError> {
    if is_used(store).await? {
        return Err(not_empty(database));
    }
    let models = records.models().await?;
    for model in &models {
        store.register_model(&offered(model)).await?;
    }
    let mut runs = records.runs(usize::MAX).await?;
    runs.reverse();
    put_runs(store, &runs).await?;
    for (key, value) in records.all_plugin_state().await? {
        store.set_plugin_state(&key, Some(&value)).await?;
    }
    let mut fingerprint = 0_u64;
    let mut after = 0;
    loop {
        let rows = records.backup_rows(&models, after, ENTRIES).await?;
        let Some(last) = rows.last() else {
            break;
        };
        after = last.entry.doc;
        for row in &rows {
            fingerprint = fingerprint.wrapping_add(row.entry.fingerprint());
        }
        put_rows(store, &models, &rows).await?;
    }
    store.flush_here().await?;
    let stats = store.stats().await?;
    Ok(RecordCounts {
        entries: stats.entries,
        vectors: stats.vectors,
        fingerprint,
    })
}

async fn is_used(store: &PostgresStore) -> Result<bool, StoreError> {
    sqlx::query_scalar(
        "SELECT EXISTS (SELECT 1 FROM enhanced_entries) OR EXISTS (SELECT 1 FROM gannet_models) \
         OR EXISTS (SELECT 1 FROM ingestion_runs)",
    )
    .fetch_one(&store.pool)
    .await
    .doing("look whether the database is empty")
}

fn offered(model: &ModelRow) -> EmbeddingModel {
    // The store does not keep it.
    EmbeddingModel::new(
        model.name.clone(),
        usize::try_from(model.dimension).unwrap_or_default(),
        0,
    )
    .with_variant(model.variant.clone())
}

async fn put_rows(
    store: &PostgresStore,
    models: &[ModelRow],
    rows: &[BackupRow],
) -> Result<(), StoreError> {
    let mut transaction = begin_write(&store.pool).await?;
    begin_bulk(&mut transaction).await?;
    let mut columns = Columns::default();
    for BackupRow { entry, .. } in rows {
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
    let docs = put_what_columns_lack(&mut transaction, rows).await?;
    put_vectors(&mut transaction, models, rows, &docs).await?;
    put_statuses(&mut transaction, rows, &docs).await?;
    end_bulk(&mut transaction).await?;
    transaction.commit().await.doing("commit entries")?;
    store.known_words.learn(words);
    Ok(())
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
    models: &[ModelRow],
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

async fn put_runs(store: &PostgresStore, runs: &[IngestionRun]) -> Result<(), StoreError> {
    for run in runs {
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
        .execute(&store.pool)
        .await
        .doing("write ingestion runs")?;
    }
    Ok(())
}

//! A database file as a backup: copied, checked and counted.

use std::path::Path;

use futures::TryStreamExt;
use sqlx::Connection;

use super::{Records, access, connect_options, is_current};
use crate::backup::{RecordCounts, fingerprint, sync};
use crate::error::{SqliteContext, StoreError};

/// What SQLite says at most of damage.
const DAMAGE_LINES: usize = 10;

/// Copies a database to a new file, as it is at one moment, without free
/// pages. Others may write meanwhile. The schema stays as it is.
pub(crate) async fn copy_file(database: &Path, file: &Path) -> Result<(), StoreError> {
    let target = file.to_str().ok_or_else(|| StoreError::InvalidRequest {
        message: format!("the path {} is not valid UTF-8", file.display()),
    })?;
    let options = connect_options(database, false).create_if_missing(false);
    let mut opened = access::open(database, options).await?;
    is_current(&mut opened.connection, database).await?;
    sqlx::query("VACUUM INTO ?")
        .bind(target)
        .execute(&mut opened.connection)
        .await
        .doing("copy the database")?;
    opened
        .connection
        .close()
        .await
        .doing("close the database")?;
    sync(file).await
}

/// What a database file holds, after a look at every page and entry.
pub(crate) async fn check_file(file: &Path) -> Result<RecordCounts, StoreError> {
    let records = Records::open_to_read(file).await?;
    let checked = check(&records).await;
    records.close().await;
    checked
}

async fn check(records: &Records) -> Result<RecordCounts, StoreError> {
    let damage = records.damage(DAMAGE_LINES).await?;
    if !damage.is_empty() {
        return Err(damaged(damage.join("; ")));
    }
    if let Some(entry) = records.damaged_entries().await?.first() {
        return Err(damaged(format!("entry `{entry}` is damaged")));
    }
    records.record_counts().await
}

fn damaged(message: String) -> StoreError {
    StoreError::InvalidRequest {
        message: format!("the backup is damaged: {message}; use another one"),
    }
}

/// What a database file holds.
pub(crate) async fn count_records(file: &Path) -> Result<RecordCounts, StoreError> {
    let records = Records::open_to_read(file).await?;
    let counts = records.record_counts().await;
    records.close().await;
    counts
}

impl Records {
    pub(crate) async fn record_counts(&self) -> Result<RecordCounts, StoreError> {
        let mut counts = RecordCounts::default();
        let mut rows = sqlx::query_as::<_, (String, String, Vec<u8>, i64)>(
            "SELECT tenant, entry_id, content_hash, text_hash FROM entries",
        )
        .fetch(&self.sequential);
        while let Some((tenant, id, content, text)) =
            rows.try_next().await.doing("count entries")?
        {
            counts.entries += 1;
            let hash = fingerprint(&tenant, &id, &content, text);
            counts.fingerprint = counts.fingerprint.wrapping_add(hash);
        }
        drop(rows);
        let vectors = self.vector_counts().await?.into_iter();
        counts.vectors = vectors
            .map(|(model, passages, _)| (model, passages.unsigned_abs()))
            .collect();
        Ok(counts)
    }
}

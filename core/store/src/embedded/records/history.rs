//! The history of changes: whether an index belongs to these records, and
//! never runs ahead of them.

use std::fs::OpenOptions;
use std::io::ErrorKind;

use super::Records;
use crate::error::{SqliteContext, StoreError};

impl Records {
    /// The random mark of a change that was committed.
    pub(crate) async fn mark_at(&self, change: i64) -> Result<Option<i64>, StoreError> {
        sqlx::query_scalar("SELECT mark FROM history WHERE seq >= ? ORDER BY seq LIMIT 1")
            .bind(change)
            .fetch_optional(&self.readers)
            .await
            .doing("read the history of changes")
    }

    /// Whether an index that applied `change`, and found this mark there,
    /// followed these records. Not so when the records were put back to an
    /// earlier state since, by a restored file or a power cut, even when other
    /// changes have taken the same numbers.
    pub(crate) async fn has_history(
        &self,
        change: i64,
        mark: Option<i64>,
    ) -> Result<bool, StoreError> {
        if change == 0 {
            return Ok(true);
        }
        Ok(mark.is_some() && self.mark_at(change).await? == mark)
    }

    /// Drops what only indexes needed to know that have not applied change
    /// `applied`: deletions, and the marks before it. An older index that
    /// is restored does not find its mark and is rebuilt.
    pub(crate) async fn forget_changes_before(&self, applied: i64) -> Result<(), StoreError> {
        let has_any: bool = sqlx::query_scalar(
            "SELECT EXISTS (SELECT 1 FROM history WHERE seq < ?1) \
             OR EXISTS (SELECT 1 FROM tombstones WHERE seq <= ?1) \
             OR EXISTS (SELECT 1 FROM entry_vectors WHERE passages = 0 AND seq <= ?1)",
        )
        .bind(applied)
        .fetch_one(&self.readers)
        .await
        .doing("look for old changes")?;
        if !has_any {
            return Ok(());
        }
        let mut transaction = self.begin().await?;
        for statement in [
            "DELETE FROM tombstones WHERE seq <= ?",
            "DELETE FROM entry_vectors WHERE passages = 0 AND seq <= ?",
            "DELETE FROM history WHERE seq < ?",
        ] {
            sqlx::query(statement)
                .bind(applied)
                .execute(&mut *transaction)
                .await
                .doing("drop old changes")?;
        }
        transaction.commit().await.doing("drop old changes")
    }

    /// Waits until everything that is committed is on the disk. An index that
    /// commits after it is never ahead of the records, not even after a power
    /// cut: with `synchronous: normal` SQLite leaves the last commits to the
    /// operating system.
    pub(crate) fn make_durable(&self) -> Result<(), StoreError> {
        if self.synchronous_full {
            return Ok(());
        }
        // SQLite locks the database and its index, never this file, so that
        // closing it here takes no lock away.
        let file = OpenOptions::new().write(true).open(&self.wal);
        match file.and_then(|file| file.sync_data()) {
            // All of it is in the database file, which SQLite synced.
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            synced => synced.map_err(|error| StoreError::io("sync", &self.wal, error)),
        }
    }
}

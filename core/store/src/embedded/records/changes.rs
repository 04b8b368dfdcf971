//! The feed of changes that the text index follows.

use super::row::{EntryRow, bare_entry_columns};
use super::{Records, as_i64};
use crate::error::{DatabaseContext, StoreError};

/// Changes since a number, in order.
#[derive(Debug)]
pub(crate) struct TextChanges {
    /// Entries as they are now.
    pub(crate) changed: Vec<EntryRow>,
    /// Entries that are gone.
    pub(crate) deleted: Vec<i64>,
    /// The number that is reached when these are applied.
    pub(crate) reached: i64,
    /// The mark of that change, see [`Records::mark_at`].
    pub(crate) mark: Option<i64>,
    /// Whether more is waiting.
    pub(crate) more: bool,
}

impl Records {
    /// Whether an entry was written or deleted after change `since`, up to
    /// change `until`.
    pub(crate) async fn waiting_for_text(
        &self,
        since: i64,
        until: i64,
    ) -> Result<bool, StoreError> {
        sqlx::query_scalar(
            "SELECT EXISTS (SELECT 1 FROM entries WHERE seq > ?1 AND seq <= ?2)
                OR EXISTS (SELECT 1 FROM tombstones WHERE seq > ?1 AND seq <= ?2)",
        )
        .bind(since)
        .bind(until)
        .fetch_one(&self.readers)
        .await
        .doing("look for changes")
    }

    /// At most `limit` changed entries after change `since`, and the
    /// deletions up to the same number.
    pub(crate) async fn text_changes(
        &self,
        since: i64,
        limit: usize,
    ) -> Result<TextChanges, StoreError> {
        // What changes while this runs has a number above `last` and comes
        // with the next call.
        let last = self.sequence().await?;
        let rows = sqlx::query(concat!(
            "SELECT ",
            bare_entry_columns!(),
            " FROM entries e WHERE e.seq > ?1 AND e.seq <= ?2 ORDER BY e.seq LIMIT ?3"
        ))
        .bind(since)
        .bind(last)
        .bind(as_i64(limit))
        .fetch_all(&self.readers)
        .await
        .doing("read changes")?;
        let changed: Vec<EntryRow> = rows.iter().map(EntryRow::read).collect::<Result<_, _>>()?;
        let more = changed.len() == limit;
        let reached = match changed.last() {
            Some(row) if more => row.seq,
            _ => last,
        };
        let deleted = sqlx::query_scalar("SELECT doc FROM tombstones WHERE seq > ?1 AND seq <= ?2")
            .bind(since)
            .bind(reached)
            .fetch_all(&self.readers)
            .await
            .doing("read deletions")?;
        Ok(TextChanges {
            changed,
            deleted,
            mark: self.mark_at(reached).await?,
            reached,
            more,
        })
    }
}

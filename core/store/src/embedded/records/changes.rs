//! The feed of changes that the text index follows.

use super::row::{bare_entry_columns, read_unchecked_row};
use super::{Records, as_i64};
use crate::error::{SqliteContext, StoreError};
use gannet_index::{EntryRow, TextChanges};

/// Bytes of entries that are read at a time, but for one that is longer.
const BATCH_BYTES: i64 = 32 << 20;

/// The size of an entry of a table `e`. SQLite knows it without reading the
/// texts.
macro_rules! entry_bytes {
    () => {
        "octet_length(e.raw_text) + octet_length(e.metadata) + octet_length(e.added) \
         + octet_length(e.keywords) + coalesce(octet_length(e.summary), 0)"
    };
}
pub(super) use entry_bytes;

/// How many of the rows, each with its size, are read at a time, and their
/// size.
pub(super) fn within_bytes(sizes: &[(i64, i64)]) -> (usize, usize) {
    let mut total = 0;
    let mut count = 0;
    for (_, size) in sizes {
        if count > 0 && total + size > BATCH_BYTES {
            break;
        }
        total += size;
        count += 1;
    }
    (count, usize::try_from(total).unwrap_or(0))
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

    /// At most `limit` changed entries after change `since`, and no more than
    /// fit in memory; and the deletions up to the same number.
    pub(crate) async fn text_changes(
        &self,
        since: i64,
        limit: usize,
    ) -> Result<TextChanges, StoreError> {
        // What changes while this runs has a number above `last` and comes
        // with the next call.
        let last = self.sequence().await?;
        let sizes: Vec<(i64, i64)> = sqlx::query_as(concat!(
            "SELECT e.seq, ",
            entry_bytes!(),
            " FROM entries e WHERE e.seq > ?1 AND e.seq <= ?2 ORDER BY e.seq LIMIT ?3"
        ))
        .bind(since)
        .bind(last)
        .bind(as_i64(limit))
        .fetch_all(&self.sequential)
        .await
        .doing("read changes")?;
        let (count, bytes) = within_bytes(&sizes);
        let more = count < sizes.len() || sizes.len() == limit;
        let reached = match count.checked_sub(1).and_then(|index| sizes.get(index)) {
            Some((seq, _)) if more => *seq,
            _ => last,
        };
        let rows = sqlx::query(concat!(
            "SELECT ",
            bare_entry_columns!(),
            " FROM entries e WHERE e.seq > ?1 AND e.seq <= ?2 ORDER BY e.seq"
        ))
        .bind(since)
        .bind(reached)
        .fetch_all(&self.sequential)
        .await
        .doing("read changes")?;
        let changed: Vec<EntryRow> = rows
            .iter()
            .map(read_unchecked_row)
            .collect::<Result<_, _>>()?;
        let deleted = sqlx::query_scalar("SELECT doc FROM tombstones WHERE seq > ?1 AND seq <= ?2")
            .bind(since)
            .bind(reached)
            .fetch_all(&self.sequential)
            .await
            .doing("read deletions")?;
        Ok(TextChanges {
            changed,
            deleted,
            mark: self.mark_at(reached).await?,
            reached,
            more,
            bytes,
        })
    }
}

//! The checksum of a row of `entries`.

use sqlx::sqlite::{SqliteConnection, SqliteRow};
use sqlx::{AssertSqlSafe, Row};

use crate::error::{SqliteContext, StoreError};

/// Rows that are read and filled in at once.
const BATCH: i64 = 1_000;

/// The columns that [`EntryColumns::read`] wants, of a table `e`, from the
/// first one on.
macro_rules! checked_columns {
    () => {
        "e.tenant, e.entry_id, e.kind, e.source_system, e.timestamp, e.author, e.raw_text, \
         e.metadata, e.added, e.attachments, e.summary, e.keywords"
    };
}
pub(super) use checked_columns;

/// What a row says of its entry, as it is stored: all but its numbers and the
/// times at which it was written.
pub(super) struct EntryColumns<'a> {
    pub(super) tenant: &'a str,
    pub(super) entry_id: &'a str,
    pub(super) kind: &'a str,
    pub(super) source_system: &'a str,
    pub(super) timestamp: i64,
    pub(super) author: &'a str,
    pub(super) raw_text: &'a str,
    pub(super) metadata: &'a str,
    pub(super) added: &'a str,
    pub(super) attachments: &'a str,
    pub(super) summary: Option<&'a str>,
    pub(super) keywords: &'a str,
}

impl<'a> EntryColumns<'a> {
    /// Reads `checked_columns!()`, which begin with this column.
    pub(super) fn read(row: &'a SqliteRow, first: usize) -> Result<Self, StoreError> {
        let text = |index: usize| -> Result<&'a str, StoreError> {
            row.try_get(first + index).doing("read an entry")
        };
        Ok(Self {
            tenant: text(0)?,
            entry_id: text(1)?,
            kind: text(2)?,
            source_system: text(3)?,
            timestamp: row.try_get(first + 4).doing("read an entry")?,
            author: text(5)?,
            raw_text: text(6)?,
            metadata: text(7)?,
            added: text(8)?,
            attachments: text(9)?,
            summary: row.try_get(first + 10).doing("read an entry")?,
            keywords: text(11)?,
        })
    }

    /// CRC-32 of the columns. Lengths go in too, so that no two rows feed the
    /// same bytes.
    pub(super) fn checksum(&self) -> i64 {
        let mut hasher = crc32fast::Hasher::new();
        let mut feed = |text: &str| {
            hasher.update(&(text.len() as u64).to_le_bytes());
            hasher.update(text.as_bytes());
        };
        for text in [
            self.tenant,
            self.entry_id,
            self.kind,
            self.source_system,
            self.author,
            self.raw_text,
            self.metadata,
            self.added,
            self.attachments,
            self.keywords,
        ] {
            feed(text);
        }
        if let Some(summary) = self.summary {
            feed(summary);
        }
        hasher.update(&self.timestamp.to_le_bytes());
        i64::from(hasher.finalize())
    }

    /// # Errors
    /// [`StoreError::Damaged`] when the row has another checksum, or none.
    pub(super) fn check(&self, stored: Option<i64>) -> Result<(), StoreError> {
        if stored == Some(self.checksum()) {
            return Ok(());
        }
        Err(StoreError::Damaged {
            what: "row",
            entry_id: self.entry_id.to_owned(),
            reason: "its checksum does not match".to_owned(),
        })
    }
}

/// Fills in the checksums of rows that were written before there were any.
pub(super) async fn fill_in(connection: &mut SqliteConnection) -> Result<(), StoreError> {
    let select = concat!(
        "SELECT ",
        checked_columns!(),
        ", e.doc FROM entries e WHERE e.doc > ? AND e.checksum IS NULL ORDER BY e.doc LIMIT ?"
    );
    let mut after = 0_i64;
    loop {
        let rows = sqlx::query(AssertSqlSafe(select))
            .bind(after)
            .bind(BATCH)
            .fetch_all(&mut *connection)
            .await
            .doing("read entries")?;
        let mut checksums = Vec::with_capacity(rows.len());
        for row in &rows {
            after = row.try_get(12).doing("read entries")?;
            checksums.push([after, EntryColumns::read(row, 0)?.checksum()]);
        }
        if checksums.is_empty() {
            return Ok(());
        }
        sqlx::query(
            "UPDATE entries SET checksum = j.value ->> 1 FROM json_each(?) j \
             WHERE entries.doc = j.value ->> 0",
        )
        .bind(serde_json::json!(checksums).to_string())
        .execute(&mut *connection)
        .await
        .doing("write checksums")?;
    }
}

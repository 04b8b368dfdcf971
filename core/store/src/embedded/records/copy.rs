//! A store that is the copy of another: which one it follows, and how far it
//! got.

use sqlx::{Sqlite, SqliteConnection, Transaction};

use super::Records;
use crate::error::{SqliteContext, StoreError};

/// Only a copy has these tables.
///
/// - `copy` has one row: what is copied, the last change of it that is here,
///   and the state of the database at the last complete look.
/// - `copied_entries`: the number that the original has for an entry, or for
///   this version of it.
/// - `copied_models`: the original's name for a model, the model here (none
///   when it was forgotten here), and the last change of its vectors.
/// - `copied_vectors`: the version of an entry's vectors at the original.
const TABLES: &str = "
    CREATE TABLE IF NOT EXISTS copy (
        origin  TEXT    NOT NULL,
        reached INTEGER NOT NULL,
        token   TEXT
    );
    CREATE TABLE IF NOT EXISTS copied_entries (
        doc    INTEGER PRIMARY KEY,
        source INTEGER NOT NULL
    );
    CREATE INDEX IF NOT EXISTS copied_entries_by_source ON copied_entries (source);
    CREATE TABLE IF NOT EXISTS copied_models (
        source  TEXT    PRIMARY KEY,
        model   INTEGER,
        reached INTEGER NOT NULL DEFAULT 0
    ) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS copied_vectors (
        source TEXT    NOT NULL,
        doc    INTEGER NOT NULL,
        stamp  INTEGER NOT NULL,
        PRIMARY KEY (source, doc)
    ) WITHOUT ROWID;
";

/// What a copy follows, and how far it got.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CopyPosition {
    /// The name of what is copied.
    pub(crate) origin: String,
    /// The last change of its entries that is here.
    pub(crate) reached: i64,
    /// Its state at the last look that ended; `None` before the first one.
    pub(crate) token: Option<String>,
}

from_row!(Sqlite => CopyPosition { origin, reached, token });

/// Changes to a copy that are committed together.
pub(crate) struct CopyWrite {
    pub(super) transaction: Transaction<'static, Sqlite>,
}

impl Records {
    /// Whether this database is the copy of another.
    pub(crate) async fn is_copy(&self) -> Result<bool, StoreError> {
        sqlx::query_scalar("SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'copy')")
            .fetch_one(&self.sequential)
            .await
            .doing("read the database's header")
    }

    /// Whether anything was ever written here.
    pub(crate) async fn is_used(&self) -> Result<bool, StoreError> {
        sqlx::query_scalar("SELECT last > 0 OR EXISTS (SELECT 1 FROM ingestion_runs) FROM sequence")
            .fetch_one(&self.sequential)
            .await
            .doing("read the change number")
    }

    /// Makes the tables of a copy when they are missing.
    pub(crate) async fn become_copy(&self) -> Result<(), StoreError> {
        let mut transaction = self.begin().await?;
        sqlx::raw_sql(TABLES)
            .execute(&mut *transaction)
            .await
            .doing("make the tables of the copy")?;
        transaction
            .commit()
            .await
            .doing("make the tables of the copy")
    }

    /// What this copy follows; `None` before anything was copied.
    pub(crate) async fn copy_position(&self) -> Result<Option<CopyPosition>, StoreError> {
        sqlx::query_as("SELECT origin, reached, token FROM copy")
            .fetch_optional(&self.sequential)
            .await
            .doing("read how far the copy is")
    }

    /// Begins to change the copy.
    pub(crate) async fn begin_copy(&self) -> Result<CopyWrite, StoreError> {
        Ok(CopyWrite {
            transaction: self.begin().await?,
        })
    }
}

impl CopyWrite {
    /// Notes what is copied and how far.
    pub(crate) async fn set_position(&mut self, position: &CopyPosition) -> Result<(), StoreError> {
        self.execute("DELETE FROM copy", "note how far the copy is")
            .await?;
        sqlx::query("INSERT INTO copy (origin, reached, token) VALUES (?, ?, ?)")
            .bind(&position.origin)
            .bind(position.reached)
            .bind(&position.token)
            .execute(&mut *self.transaction)
            .await
            .doing("note how far the copy is")?;
        Ok(())
    }

    /// Deletes everything. The indexes hear of it as of any deletion.
    pub(crate) async fn clear(&mut self) -> Result<(), StoreError> {
        for statement in [
            "INSERT INTO tombstones (doc, seq) SELECT e.doc, s.last + \
             row_number() OVER (ORDER BY e.doc) FROM entries e, sequence s",
            "UPDATE sequence SET last = last + (SELECT count(*) FROM entries)",
            "DELETE FROM entries",
            "DELETE FROM enhancement_status",
            "DELETE FROM enhancement_progress",
            "DELETE FROM embeddings",
            "DELETE FROM entry_vectors",
            "DELETE FROM models",
            "DELETE FROM copied_entries",
            "DELETE FROM copied_models",
            "DELETE FROM copied_vectors",
            "DELETE FROM copy",
        ] {
            self.execute(statement, "clear the copy").await?;
        }
        Ok(())
    }

    /// Forgets which versions are here, so that everything is compared anew.
    pub(crate) async fn forget_versions(&mut self) -> Result<(), StoreError> {
        for statement in [
            "DELETE FROM copied_entries",
            "DELETE FROM copied_vectors",
            "DELETE FROM copy",
        ] {
            self.execute(statement, "clear the copy").await?;
        }
        Ok(())
    }

    pub(crate) async fn commit(self) -> Result<(), StoreError> {
        self.transaction.commit().await.doing("commit the copy")
    }

    pub(super) fn connection(&mut self) -> &mut SqliteConnection {
        &mut self.transaction
    }

    async fn execute(
        &mut self,
        statement: &'static str,
        action: &'static str,
    ) -> Result<(), StoreError> {
        sqlx::query(statement)
            .execute(&mut *self.transaction)
            .await
            .doing(action)?;
        Ok(())
    }
}

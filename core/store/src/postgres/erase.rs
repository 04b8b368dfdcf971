//! Taking out of the database what deleted entries left there: words of the
//! vocabulary, counts of terms, and rows that are no longer seen.

use sqlx::{AssertSqlSafe, Connection, PgConnection, Row};

use super::connect::begin_write;
use super::derived::{Derived, write_words};
use super::models::unlimit;
use super::row::{entry_columns, read_entry};
use super::{PostgresStore, as_i64};
use crate::error::{DatabaseContext, StoreError};

/// Entries that are read at once.
const ROWS: usize = 1_000;

/// The tables that hold something of entries.
const TABLES: &str = "SELECT c.oid::regclass::text FROM pg_class c \
    WHERE c.relkind = 'r' AND c.relnamespace = to_regnamespace(current_schema()) \
    AND (c.relname = 'enhanced_entries' OR c.relname LIKE 'gannet\\_%' \
        OR c.relname LIKE 'text\\_embeddings\\_%') ORDER BY 1";

impl PostgresStore {
    /// Takes what deleted entries left out of the tables, see
    /// [`Store::erase`](crate::Store::erase).
    pub async fn erase(&self) -> Result<(), StoreError> {
        self.flush().await?;
        self.forget_words().await?;
        sqlx::query("UPDATE gannet_text_counted SET anew = -1")
            .execute(&self.pool)
            .await
            .doing("erase what was deleted")?;
        self.count_terms().await?;
        self.rewrite_tables().await
    }

    /// Keeps the words that an entry has. Writing waits meanwhile.
    async fn forget_words(&self) -> Result<(), StoreError> {
        let mut transaction = begin_write(&self.pool).await?;
        unlimit(&mut transaction).await?;
        sqlx::query("DELETE FROM gannet_words")
            .execute(&mut *transaction)
            .await
            .doing("erase words")?;
        write_all_words(&mut transaction).await?;
        transaction.commit().await.doing("erase words")?;
        self.known_words.clear();
        Ok(())
    }

    /// `VACUUM` alone leaves the bytes of a row until its page is filled again.
    async fn rewrite_tables(&self) -> Result<(), StoreError> {
        let acquired = self.pool.acquire().await.doing("erase rows")?;
        // Its time limit is changed, so it does not go back to the others.
        let mut connection = acquired.detach();
        let rewritten = rewrite(&mut connection).await;
        connection.close().await.doing("erase rows")?;
        rewritten
    }
}

async fn write_all_words(connection: &mut PgConnection) -> Result<(), StoreError> {
    let mut after = i64::MIN;
    loop {
        let rows = sqlx::query(concat!(
            "SELECT ",
            entry_columns!(),
            ", e.doc FROM enhanced_entries e WHERE e.doc > $1 ORDER BY e.doc LIMIT $2"
        ))
        .bind(after)
        .bind(as_i64(ROWS))
        .fetch_all(&mut *connection)
        .await
        .doing("read entries")?;
        let Some(last) = rows.last() else {
            return Ok(());
        };
        after = last.try_get("doc").doing("read entries")?;
        let mut derived = Derived::default();
        for row in &rows {
            derived.push(&read_entry(row)?);
        }
        write_words(connection, &derived.into_words()).await?;
    }
}

async fn rewrite(connection: &mut PgConnection) -> Result<(), StoreError> {
    sqlx::raw_sql("SET statement_timeout = 0")
        .execute(&mut *connection)
        .await
        .doing("lift the time limit")?;
    let tables: Vec<String> = sqlx::query_scalar(TABLES)
        .fetch_all(&mut *connection)
        .await
        .doing("list the tables")?;
    for table in tables {
        // A name that the server quoted.
        sqlx::query(AssertSqlSafe(format!("VACUUM (FULL, ANALYZE) {table}")))
            .execute(&mut *connection)
            .await
            .doing("erase rows")?;
    }
    Ok(())
}

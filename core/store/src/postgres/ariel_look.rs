//! One look at ARIEL's own tables, which have no columns of this program's.
//!
//! What changed is told by the number of the transaction that wrote a row
//! (`xmin`): it is exact, also where `updated_at` was left alone or its
//! transaction was committed late. Deletions leave no trace, so all ids are
//! compared now and then.

use std::time::Duration;

use gannet_api::{Attachment, DEFAULT_KIND, DEFAULT_TENANT, Entry};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use sqlx::postgres::{PgPool, PgRow};
use sqlx::{AssertSqlSafe, Row};

use super::changes::{Look, short_xid};
use super::instant::Instant;
use super::row::known_instant;
use crate::error::{DatabaseContext, StoreError};
use crate::stored::instant;

/// A row's id, and a number that tells its versions apart.
pub(crate) type Version = (String, i64);

/// A table of vectors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ArielModel {
    /// `text_embeddings_…`
    pub(crate) table: String,
    pub(crate) dimension: i64,
}

impl ArielModel {
    /// The model's name, as far as the table's name has kept it.
    pub(crate) fn name(&self) -> &str {
        self.table
            .strip_prefix(TABLES_BEGIN_WITH)
            .unwrap_or(&self.table)
    }
}

const TABLES_BEGIN_WITH: &str = "text_embeddings_";

/// One look at ARIEL's database.
pub(crate) struct ArielLook {
    look: Look,
    /// Which of the columns that some versions of ARIEL lack are there.
    columns: Vec<String>,
}

impl ArielLook {
    pub(super) async fn begin(
        pool: &PgPool,
        patience: Duration,
        database: &str,
    ) -> Result<Self, StoreError> {
        let mut look = Look::begin(pool, patience).await?;
        let columns = look
            .rows(sqlx::query(
                "SELECT attname::text FROM pg_attribute \
                 WHERE attrelid = to_regclass('enhanced_entries') AND attnum > 0 \
                 AND NOT attisdropped",
            ))
            .await?;
        let columns: Vec<String> = columns
            .iter()
            .map(|row| row.try_get(0).doing("read the columns of ARIEL's"))
            .collect::<Result<_, _>>()?;
        if columns.is_empty() {
            return Err(StoreError::UnfitDatabase {
                database: database.to_owned(),
                reason: "it has no table `enhanced_entries` of ARIEL's that this role can see"
                    .to_owned(),
            });
        }
        Ok(Self { look, columns })
    }

    /// The state that this look sees.
    pub(crate) async fn token(&mut self) -> Result<String, StoreError> {
        self.look.token().await
    }

    /// The versions of all entries, or of those that were written by a
    /// transaction from `since` on.
    pub(crate) async fn versions(
        &mut self,
        since: Option<u64>,
    ) -> Result<Vec<Version>, StoreError> {
        let version = self.version();
        self.versions_of("enhanced_entries", &version, since).await
    }

    /// Entries by id, each with its version. One that cannot be read is left
    /// out, with a warning.
    pub(crate) async fn entries(
        &mut self,
        ids: &[String],
    ) -> Result<Vec<(i64, Entry)>, StoreError> {
        let or = |column: &str, default: &str| match self.has(column) {
            true => format!("e.{column}"),
            false => default.to_owned(),
        };
        let statement = format!(
            "SELECT {version}, e.entry_id, e.source_system, e.timestamp, coalesce({author}, ''), \
             e.raw_text, coalesce({metadata}, '{{}}')::text, coalesce({attachments}, '[]')::text, \
             {summary}, array_remove(coalesce({keywords}, '{{}}'), NULL), \
             {created_at}, {updated_at} \
             FROM enhanced_entries e WHERE e.entry_id = ANY($1)",
            version = self.version(),
            author = or("author", "NULL::text"),
            metadata = or("metadata", "NULL::jsonb"),
            attachments = or("attachments", "NULL::jsonb"),
            summary = or("summary", "NULL::text"),
            keywords = or("keywords", "NULL::text[]"),
            created_at = or("created_at", "NULL::timestamptz"),
            updated_at = or("updated_at", "NULL::timestamptz"),
        );
        let query = sqlx::query(AssertSqlSafe(statement)).bind(ids);
        let rows = self.look.rows(query).await?;
        let mut entries = Vec::with_capacity(rows.len());
        for row in &rows {
            match read_entry(row)? {
                Ok(read) => entries.push(read),
                Err(error) => tracing::warn!(%error, "an entry of ARIEL's is left out"),
            }
        }
        Ok(entries)
    }

    /// The tables of vectors that this role can read.
    pub(crate) async fn models(&mut self) -> Result<Vec<ArielModel>, StoreError> {
        // The modifier of the type `vector` is its dimension.
        let query = sqlx::query(
            "SELECT c.relname::text, a.atttypmod::bigint FROM pg_class c \
             JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'embedding' \
             JOIN pg_type t ON t.oid = a.atttypid AND t.typname IN ('vector', 'halfvec') \
             WHERE c.relkind = 'r' AND starts_with(c.relname, $1) AND pg_table_is_visible(c.oid) \
             AND a.atttypmod > 0 AND has_table_privilege(c.oid, 'SELECT') ORDER BY c.relname",
        );
        let rows = self.look.rows(query.bind(TABLES_BEGIN_WITH)).await?;
        let models = rows.iter().map(|row| {
            Ok(ArielModel {
                table: row.try_get(0).doing("look for vectors of ARIEL's")?,
                dimension: row.try_get(1).doing("look for vectors of ARIEL's")?,
            })
        });
        let models: Vec<ArielModel> = models.collect::<Result<_, StoreError>>()?;
        // Other names are not ARIEL's, and would have to be quoted.
        let is_plain = |model: &ArielModel| {
            let mut bytes = model.table.bytes();
            bytes.all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
        };
        Ok(models.into_iter().filter(is_plain).collect())
    }

    /// The versions of a model's vectors, as [`versions`](Self::versions).
    pub(crate) async fn vector_versions(
        &mut self,
        model: &ArielModel,
        since: Option<u64>,
    ) -> Result<Vec<Version>, StoreError> {
        let version = version(&["e.xmin::text"]);
        self.versions_of(&model.table, &version, since).await
    }

    /// The vectors of entries.
    pub(crate) async fn vectors(
        &mut self,
        model: &ArielModel,
        ids: &[String],
    ) -> Result<Vec<(String, Vec<f32>)>, StoreError> {
        let statement = format!(
            "SELECT entry_id, embedding::real[] FROM {} \
             WHERE entry_id = ANY($1) AND embedding IS NOT NULL",
            model.table
        );
        let query = sqlx::query(AssertSqlSafe(statement)).bind(ids);
        let rows = self.look.rows(query).await?;
        rows.iter()
            .map(|row| {
                let id = row.try_get(0).doing("read vectors of ARIEL's")?;
                Ok((id, row.try_get(1).doing("read vectors of ARIEL's")?))
            })
            .collect()
    }

    async fn versions_of(
        &mut self,
        table: &str,
        version: &str,
        since: Option<u64>,
    ) -> Result<Vec<Version>, StoreError> {
        let condition = match since {
            Some(_) => " AND age(e.xmin) <= age($1::text::xid)",
            None => " AND $1::text IS NULL",
        };
        let statement = format!(
            "SELECT e.entry_id, {version} FROM {table} e WHERE e.entry_id <> ''{condition}"
        );
        let query = sqlx::query(AssertSqlSafe(statement)).bind(since.map(short_xid));
        let rows = self.look.rows(query).await?;
        rows.iter()
            .map(|row| {
                let id = row.try_get(0).doing("read the ids of ARIEL's entries")?;
                Ok((id, row.try_get(1).doing("read the ids of ARIEL's entries")?))
            })
            .collect()
    }

    /// A database that was restored has new transaction numbers.
    fn version(&self) -> String {
        match self.has("updated_at") {
            true => version(&["e.xmin::text", "extract(epoch FROM e.updated_at)"]),
            false => version(&["e.xmin::text"]),
        }
    }

    fn has(&self, column: &str) -> bool {
        self.columns.iter().any(|known| known == column)
    }
}

fn version(parts: &[&str]) -> String {
    format!("hashtextextended(concat_ws(' ', {}), 0)", parts.join(", "))
}

/// The outer error is the database's, the inner one the entry's.
type ReadEntry = Result<Result<(i64, Entry), StoreError>, StoreError>;

fn read_entry(row: &PgRow) -> ReadEntry {
    let text = |index: usize| -> Result<String, StoreError> {
        row.try_get(index).doing("read an entry of ARIEL's")
    };
    let version = row.try_get(0).doing("read an entry of ARIEL's")?;
    let entry_id = text(1)?;
    let Instant(micros) = row.try_get(3).doing("read an entry of ARIEL's")?;
    let timestamp = match instant("timestamp", &entry_id, micros) {
        Ok(timestamp) => timestamp,
        Err(error) => return Ok(Err(error)),
    };
    let metadata: Option<Map<String, Value>> = part(&entry_id, "metadata", &text(6)?);
    let attachments: Option<Vec<Attachment>> = part(&entry_id, "attachments", &text(7)?);
    let summary: Option<String> = row.try_get(8).doing("read an entry of ARIEL's")?;
    Ok(Ok((
        version,
        Entry::new(entry_id, text(2)?, timestamp, text(5)?)
            .with_tenant(DEFAULT_TENANT.to_owned())
            .with_kind(DEFAULT_KIND.to_owned())
            .with_author(text(4)?)
            .with_metadata(metadata.unwrap_or_default())
            .with_attachments(attachments.unwrap_or_default())
            .with_summary(summary)
            .with_keywords(row.try_get(9).doing("read an entry of ARIEL's")?)
            .with_created_at(known_instant(row, 10)?)
            .with_updated_at(known_instant(row, 11)?),
    )))
}

/// A part that has another shape than ARIEL writes does not cost the entry.
fn part<T: DeserializeOwned>(entry_id: &str, what: &str, json: &str) -> Option<T> {
    serde_json::from_str(json)
        .inspect_err(|error| tracing::warn!(entry_id, %error, "{what} of an entry cannot be read"))
        .ok()
}

//! What changed in the database, for a copy that follows it.
//!
//! A copy looks at the database in one transaction, so that entries, vectors
//! and states belong together.

use std::collections::{BTreeMap, HashMap};
use std::future::Future;
use std::time::Duration;

use gannet_api::{EnhancementStatus, Entry, PassageEmbedding};
use pgvector::Vector;
use sqlx::postgres::{PgPool, PgRow};
use sqlx::{Postgres, Row, Transaction};

use super::models::ModelRow;
use super::row::{entry_columns, read_entry};
use super::{PostgresStore, as_i64};
use crate::error::{DatabaseContext, StoreError};
use crate::stored::statuses;

/// The state of a database: equal texts mean that nothing was committed in
/// between. A standby has a place in the log beside the snapshot.
pub(crate) const TOKEN: &str = "SELECT pg_current_snapshot()::text || CASE WHEN pg_is_in_recovery() \
     THEN '@' || pg_last_wal_replay_lsn()::text ELSE '' END";

/// One look at a database.
pub(crate) struct Look {
    pub(super) transaction: Transaction<'static, Postgres>,
    patience: Duration,
}

/// What a look finds at its beginning.
#[derive(Debug)]
pub(crate) struct Head {
    /// The random name of the database.
    pub(crate) origin: String,
    /// The number of the last change.
    pub(crate) last: i64,
}

/// An entry that changed.
#[derive(Debug)]
pub(crate) struct ChangedEntry {
    pub(crate) doc: i64,
    pub(crate) seq: i64,
    pub(crate) entry: Entry,
}

/// Entries whose vectors changed: number, change, vectors.
pub(crate) type ChangedVectors = Vec<(i64, i64, Vec<PassageEmbedding>)>;

/// How far each module got with an entry.
pub(crate) type Statuses = BTreeMap<String, EnhancementStatus>;

impl PostgresStore {
    /// Begins a look.
    pub(crate) async fn look(&self, patience: Duration) -> Result<Look, StoreError> {
        Look::begin(&self.pool, patience).await
    }

    /// The state of the database.
    pub(crate) async fn token(&self, patience: Duration) -> Result<String, StoreError> {
        token(&self.pool, patience).await
    }
}

/// The state of a database.
pub(super) async fn token(pool: &PgPool, patience: Duration) -> Result<String, StoreError> {
    within(patience, sqlx::query_scalar(TOKEN).fetch_one(pool))
        .await
        .doing("look for changes")
}

/// A server that went away without a word is not waited for.
pub(super) async fn within<T>(
    patience: Duration,
    work: impl Future<Output = Result<T, sqlx::Error>>,
) -> Result<T, sqlx::Error> {
    let done = tokio::time::timeout(patience, work).await;
    done.unwrap_or(Err(sqlx::Error::PoolTimedOut))
}

impl Look {
    pub(super) async fn begin(pool: &PgPool, patience: Duration) -> Result<Self, StoreError> {
        let begin = pool.begin_with("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
        Ok(Self {
            transaction: within(patience, begin).await.doing("look for changes")?,
            patience,
        })
    }

    /// The state that this look sees.
    pub(crate) async fn token(&mut self) -> Result<String, StoreError> {
        let query = sqlx::query_scalar(TOKEN).fetch_one(&mut *self.transaction);
        within(self.patience, query).await.doing("look for changes")
    }

    pub(crate) async fn head(&mut self) -> Result<Head, StoreError> {
        let query = sqlx::query_as("SELECT origin, last FROM gannet_sequence");
        let query = query.fetch_one(&mut *self.transaction);
        let (origin, last) = within(self.patience, query)
            .await
            .doing("look for changes")?;
        Ok(Head { origin, last })
    }

    /// The entries that changed after `since`, in order.
    pub(crate) async fn entries(
        &mut self,
        since: i64,
        limit: usize,
    ) -> Result<Vec<ChangedEntry>, StoreError> {
        let rows = self
            .rows(
                sqlx::query(concat!(
                    "SELECT ",
                    entry_columns!(),
                    ", e.doc AS copied_doc, e.seq AS copied_seq FROM enhanced_entries e \
                     WHERE e.seq > $1 ORDER BY e.seq LIMIT $2"
                ))
                .bind(since)
                .bind(as_i64(limit)),
            )
            .await?;
        rows.iter()
            .map(|row| {
                Ok(ChangedEntry {
                    doc: row.try_get("copied_doc").doing("read changes")?,
                    seq: row.try_get("copied_seq").doing("read changes")?,
                    entry: read_entry(row)?,
                })
            })
            .collect()
    }

    /// The entries that were deleted after `since`.
    pub(crate) async fn deletions(
        &mut self,
        since: i64,
        until: i64,
    ) -> Result<Vec<i64>, StoreError> {
        let query = sqlx::query("SELECT doc FROM gannet_tombstones WHERE seq > $1 AND seq <= $2");
        let rows = self.rows(query.bind(since).bind(until)).await?;
        numbers(&rows)
    }

    /// How many entries there are.
    pub(crate) async fn count(&mut self) -> Result<i64, StoreError> {
        let query = sqlx::query("SELECT count(*) FROM enhanced_entries WHERE seq IS NOT NULL");
        let counted = numbers(&self.rows(query).await?)?;
        Ok(counted.first().copied().unwrap_or(0))
    }

    /// The numbers of all entries.
    pub(crate) async fn docs(&mut self) -> Result<Vec<i64>, StoreError> {
        let query = sqlx::query("SELECT doc FROM enhanced_entries WHERE seq IS NOT NULL");
        numbers(&self.rows(query).await?)
    }

    pub(crate) async fn models(&mut self) -> Result<Vec<ModelRow>, StoreError> {
        let query = sqlx::query_as("SELECT model, name, variant, dimension FROM gannet_models");
        let query = query.fetch_all(&mut *self.transaction);
        within(self.patience, query).await.doing("read the models")
    }

    /// The vectors of at most `limit` entries that changed after `since`.
    pub(crate) async fn vectors(
        &mut self,
        model: &ModelRow,
        since: i64,
        limit: usize,
    ) -> Result<ChangedVectors, StoreError> {
        let query = sqlx::query(
            "SELECT doc, seq FROM gannet_entry_vectors WHERE model = $1 AND seq > $2 \
             ORDER BY seq LIMIT $3",
        );
        let query = query.bind(model.model).bind(since).bind(as_i64(limit));
        let changed = self.rows(query).await?;
        let docs = numbers(&changed)?;
        let query = sqlx::query(
            "SELECT doc, \"start\", \"end\", embedding, token_signs FROM gannet_passages \
             WHERE model = $1 AND doc = ANY($2) ORDER BY doc, ordinal",
        );
        let rows = self.rows(query.bind(model.model).bind(&docs)).await?;
        let mut passages: HashMap<i64, Vec<PassageEmbedding>> = HashMap::new();
        for row in &rows {
            let doc: i64 = row.try_get(0).doing("read vectors")?;
            passages.entry(doc).or_default().push(passage(row)?);
        }
        changed
            .iter()
            .zip(docs)
            .map(|(row, doc)| {
                let seq: i64 = row.try_get(1).doing("read vectors")?;
                Ok((doc, seq, passages.remove(&doc).unwrap_or_default()))
            })
            .collect()
    }

    /// The entries whose enhancement state was written by a transaction that
    /// this one did not see then; all, when that is unknown.
    pub(crate) async fn changed_statuses(
        &mut self,
        since: Option<u64>,
    ) -> Result<Vec<i64>, StoreError> {
        let query = match since {
            None => sqlx::query("SELECT DISTINCT doc FROM gannet_enhancement"),
            Some(since) => sqlx::query(
                "SELECT DISTINCT doc FROM gannet_enhancement \
                 WHERE age(xmin) <= age($1::text::xid)",
            )
            .bind(short_xid(since)),
        };
        numbers(&self.rows(query).await?)
    }

    /// How far each module got with these entries.
    pub(crate) async fn statuses(
        &mut self,
        docs: &[i64],
    ) -> Result<Vec<(i64, Statuses)>, StoreError> {
        let query = sqlx::query(
            "SELECT s.doc, json_agg(json_build_array(s.module, s.status, \
             (extract(epoch FROM s.at) * 1000000)::bigint, s.attempts, s.error))::text \
             FROM gannet_enhancement s WHERE s.doc = ANY($1) GROUP BY s.doc",
        );
        let rows = self.rows(query.bind(docs)).await?;
        rows.iter()
            .map(|row| {
                let doc: i64 = row.try_get(0).doing("read enhancement states")?;
                let json: String = row.try_get(1).doing("read enhancement states")?;
                Ok((doc, statuses(&doc.to_string(), &json)?))
            })
            .collect()
    }

    pub(super) async fn rows(
        &mut self,
        query: sqlx::query::Query<'_, Postgres, sqlx::postgres::PgArguments>,
    ) -> Result<Vec<PgRow>, StoreError> {
        let rows = query.fetch_all(&mut *self.transaction);
        within(self.patience, rows).await.doing("read changes")
    }
}

/// A row has the lower half of its transaction's number.
pub(super) fn short_xid(xid: u64) -> String {
    (xid & u64::from(u32::MAX)).to_string()
}

fn numbers(rows: &[PgRow]) -> Result<Vec<i64>, StoreError> {
    rows.iter()
        .map(|row| row.try_get(0).doing("read changes"))
        .collect()
}

fn passage(row: &PgRow) -> Result<PassageEmbedding, StoreError> {
    let place = |index: usize| -> Result<usize, StoreError> {
        let place: i32 = row.try_get(index).doing("read vectors")?;
        Ok(usize::try_from(place).unwrap_or(0))
    };
    let vector: Vector = row.try_get(3).doing("read vectors")?;
    let token_signs: Option<Vec<u8>> = row.try_get(4).doing("read token vectors")?;
    let passage = PassageEmbedding::new(place(1)?..place(2)?, vector.into());
    Ok(passage.with_token_signs(token_signs))
}

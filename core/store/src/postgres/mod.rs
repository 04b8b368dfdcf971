//! The records in PostgreSQL, in ARIEL's tables where ARIEL has one.

mod adopt;
mod ariel_look;
mod ariel_source;
mod ariel_vectors;
mod arrivals;
mod backup;
mod changes;
mod claim;
mod clean;
mod connect;
mod coverage;
mod derived;
mod enhancement;
mod erase;
mod examine;
mod facets;
mod filter;
mod follow;
mod instant;
mod migrate;
mod migrated;
mod models;
mod nearest;
mod options;
mod outcomes;
mod plugin_state;
mod read;
mod replica;
mod restore;
mod retry;
mod row;
mod runs;
mod text;
mod token_vectors;
mod upsert;
mod values;
mod vectors;
mod write;

use std::collections::BTreeMap;
use std::sync::Arc;

use sqlx::postgres::PgPool;
use sqlx::{PgConnection, Row};

use crate::error::{DatabaseContext, StoreError};
use crate::request::{RebuildScope, StoreStats};
use derived::KnownWords;
use follow::Follower;
use gannet_index::FieldWeights;
use replica::Replica;
use retry::again;
use text::Counting;

pub(crate) use ariel_look::{ArielLook, ArielModel, Version};
pub(crate) use ariel_source::ArielSource;
pub(crate) use ariel_vectors::{MODULE as EMBEDDING_MODULE, table_name as ariel_table};
pub(crate) use changes::{ChangedVectors, Look};
pub(crate) use claim::DatabaseClaim;
pub(crate) use examine::{Owner, examine};
pub(crate) use migrated::migrate;
pub use options::{Migrate, PostgresOptions};

/// A store in a PostgreSQL database, for many hosts.
///
/// It works on ARIEL's database as it is: entries are in `enhanced_entries`,
/// runs in `ingestion_runs`, and what ARIEL has no place for is in further
/// columns and in tables whose names begin with `gannet_`. What ARIEL writes,
/// changes or deletes there is adopted in the background, within a moment, and
/// at [`flush`](Self::flush). ARIEL keeps one entry under each id, so in its
/// database no two tenants can have the same id.
///
/// Clones share one pool of connections. Calls that meet a broken connection
/// or another transaction are repeated; those that fail all the same say
/// whether a later call may succeed ([`StoreError::is_retryable`]).
///
/// Timestamps are kept in whole microseconds; what is finer is cut.
/// PostgreSQL cannot keep the character U+0000: in texts it is replaced by
/// U+FFFD, in an id it is refused.
#[derive(Debug, Clone)]
pub struct PostgresStore {
    pool: PgPool,
    /// Whether the index over vectors goes on until enough passes a filter.
    walks_on: bool,
    replica: Option<Replica>,
    /// Adopts what ARIEL writes, until the last clone is dropped.
    follower: Option<Arc<Follower>>,
    /// What a match in a field is worth.
    field_weights: FieldWeights,
    counting: Counting,
    known_words: KnownWords,
}

impl PostgresStore {
    /// Connects, brings the database to this program's schema where that is
    /// allowed, and adopts what ARIEL wrote: here when that takes less than a
    /// second, otherwise in the background.
    pub async fn open(options: PostgresOptions) -> Result<Self, StoreError> {
        let (pool, pgvector) = connect::open(&options).await?;
        let replica = Replica::open(&options, &pool).await?;
        let store = Self {
            pool,
            replica,
            walks_on: pgvector >= (0, 8),
            follower: None,
            field_weights: options.field_weights,
            counting: Counting::default(),
            known_words: KnownWords::default(),
        };
        let follower = Follower::start(store.clone(), options.adopt_every).await?;
        Ok(Self {
            follower: Some(Arc::new(follower)),
            ..store
        })
    }

    /// Adopts what ARIEL wrote, and waits until a replica that is read from
    /// has all that is committed. Without one, what was written by this
    /// program can be found as soon as it is acknowledged.
    pub async fn flush(&self) -> Result<(), StoreError> {
        self.flush_here().await?;
        self.wait_for_replica().await
    }

    /// In the database itself.
    pub(crate) async fn flush_here(&self) -> Result<(), StoreError> {
        self.adopt().await?;
        self.adopt_vectors().await?;
        match self.count_terms().await {
            Err(StoreError::Closed) => Err(StoreError::Closed),
            Err(error) => {
                // Ranking is the worse for it, and nothing else.
                tracing::warn!(%error, "word frequencies are not counted; the next flush retries");
                Ok(())
            }
            Ok(()) => Ok(()),
        }
    }

    /// Makes what is derived from the entries anew: what filters and searches
    /// for words look at. Whatever the scope: the server keeps its indexes up.
    pub async fn rebuild(&self, _: RebuildScope) -> Result<(), StoreError> {
        again!({
            sqlx::query("UPDATE enhanced_entries SET waits = true")
                .execute(&self.pool)
                .await
                .doing("rebuild the indexes")
        })?;
        self.flush().await
    }

    /// The state of the store. Every process writes, and nothing lags behind.
    pub async fn stats(&self) -> Result<StoreStats, StoreError> {
        let row = again!({
            sqlx::query(
                "SELECT (SELECT count(*) FROM enhanced_entries WHERE seq IS NOT NULL), \
                 (SELECT last FROM gannet_sequence), \
                 pg_total_relation_size('enhanced_entries'), \
                 pg_total_relation_size('gannet_passages')",
            )
            .fetch_one(&self.pool)
            .await
            .doing("read the state of the store")
        })?;
        let number = |index: usize| -> Result<i64, StoreError> {
            row.try_get(index).doing("read the state of the store")
        };
        let counts = self.vector_counts().await?;
        let counted = |which: usize| -> BTreeMap<String, u64> {
            let counts = counts.iter();
            counts
                .map(|(name, count)| (name.clone(), count[which]))
                .collect()
        };
        let sequence = number(1)?;
        Ok(StoreStats {
            entries: number(0)?.unsigned_abs(),
            vector_sequences: counts.keys().map(|name| (name.clone(), sequence)).collect(),
            vectors: counted(0),
            token_vectors: counted(1),
            vector_failures: BTreeMap::new(),
            sequence,
            text_sequence: sequence,
            record_bytes: number(2)?.unsigned_abs(),
            text_bytes: 0,
            vector_bytes: number(3)?.unsigned_abs(),
            writer: true,
            ..StoreStats::default()
        })
    }

    /// Lets go of all connections.
    pub async fn close(self) -> Result<(), StoreError> {
        drop(self.follower);
        if let Some(replica) = &self.replica {
            replica.pool().close().await;
        }
        self.pool.close().await;
        Ok(())
    }
}

/// Takes the next `count` change numbers; the first of them is returned. The
/// transaction was begun with `begin_write`.
async fn reserve(connection: &mut PgConnection, count: usize) -> Result<i64, StoreError> {
    let count = as_i64(count);
    let last: i64 =
        sqlx::query_scalar("UPDATE gannet_sequence SET last = last + $1 RETURNING last")
            .bind(count)
            .fetch_one(connection)
            .await
            .doing("take a change number")?;
    Ok(last - count + 1)
}

/// Counts and ordinals are far below 2⁶³.
fn as_i64(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// Counts, offsets and dimensions are below 2³¹.
fn as_i32(number: impl TryInto<i32>) -> i32 {
    number.try_into().unwrap_or(i32::MAX)
}

//! Reading from a replica of the database, and from the database itself
//! while the replica is away or too far behind.

use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use sqlx::postgres::PgPool;

use super::PostgresStore;
use super::connect::{label, pool, server_of};
use super::options::PostgresOptions;
use crate::error::{DatabaseContext, StoreError, is_away};

/// A replica must answer faster than the database itself: it can be done
/// without.
const PATIENCE: Duration = Duration::from_secs(2);
/// How often a replica that is waited for is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// A second way to the data, for reading alone.
#[derive(Debug, Clone)]
pub(super) struct Replica(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    pool: PgPool,
    /// Host, port and name, for people.
    name: String,
    /// The random name of the database that it must be a replica of.
    origin: String,
    /// How long a look at it, and the time between two looks, are.
    patience: Duration,
    /// How long it may be waited for.
    lag_limit: Duration,
    away: AtomicBool,
    looked_at: Mutex<Instant>,
    /// What must have arrived there, as a position in the write-ahead log.
    needed: AtomicI64,
}

/// How far a server is.
enum Reached {
    /// It is no replica, but the database itself, or one that takes writes.
    Itself,
    /// A position in the write-ahead log.
    Position(i64),
}

impl Replica {
    /// Connects to the replica, if the options name one. One that is away is
    /// used when it is back.
    pub(super) async fn open(
        options: &PostgresOptions,
        database: &PgPool,
    ) -> Result<Option<Self>, StoreError> {
        let Some(url) = &options.read_url else {
            return Ok(None);
        };
        let server = server_of("store.read_uri", url)?;
        let server = server.application_name("gannet-reads");
        let patience = options.connect_timeout.min(PATIENCE);
        let for_reading = PostgresOptions {
            connect_timeout: patience,
            ..options.clone()
        };
        let name = label(&server);
        let origin: String = sqlx::query_scalar("SELECT origin FROM gannet_sequence")
            .fetch_one(database)
            .await
            .doing("read the name of the database")?;
        let replica = Self(Arc::new(Inner {
            pool: pool(&for_reading, server),
            name,
            origin,
            patience,
            lag_limit: options.connect_timeout,
            away: AtomicBool::new(false),
            looked_at: Mutex::new(Instant::now()),
            needed: AtomicI64::new(position(database).await?),
        }));
        match replica.is_fit().await {
            Ok(true) => {}
            Ok(false) => replica.leave("it is behind"),
            Err(error @ StoreError::InvalidRequest { .. }) => return Err(error),
            Err(error) => replica.leave(&error),
        }
        Ok(Some(replica))
    }

    pub(super) fn pool(&self) -> &PgPool {
        &self.0.pool
    }

    /// What to do about a call that failed there: whether it is repeated in
    /// the database itself. When all connections to the replica are busy, it
    /// is not away.
    pub(super) fn gives_up(&self, error: &StoreError) -> bool {
        if !is_away(error) {
            return false;
        }
        let is_busy = self.0.pool.size() >= self.0.pool.options().get_max_connections();
        if !is_busy {
            self.leave(error);
        }
        true
    }

    fn leave(&self, reason: impl std::fmt::Display) {
        *self.looked_at() = Instant::now();
        if !self.0.away.swap(true, Ordering::Relaxed) {
            tracing::warn!(
                replica = self.0.name,
                "reading from the primary, because the replica is not available: {reason}"
            );
        }
    }

    fn looked_at(&self) -> std::sync::MutexGuard<'_, Instant> {
        self.0
            .looked_at
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether to read there. Looks after one that was away, now and then and
    /// aside, so that no caller waits for it.
    fn is_in_use(&self) -> bool {
        if !self.0.away.load(Ordering::Relaxed) {
            return true;
        }
        let mut looked_at = self.looked_at();
        if looked_at.elapsed() >= self.0.patience {
            *looked_at = Instant::now();
            let replica = self.clone();
            tokio::spawn(async move {
                if matches!(replica.is_fit().await, Ok(true))
                    && replica.0.away.swap(false, Ordering::Relaxed)
                {
                    tracing::info!(replica = replica.0.name, "reading from the replica again");
                }
            });
        }
        false
    }

    /// Whether it is a replica of the database that has all that was waited
    /// for, now or in a moment.
    async fn is_fit(&self) -> Result<bool, StoreError> {
        let origin: String = sqlx::query_scalar("SELECT origin FROM gannet_sequence")
            .fetch_one(self.pool())
            .await
            .doing("read the name of the replica")?;
        if origin != self.0.origin {
            return Err(StoreError::InvalidRequest {
                message: format!(
                    "`store.read_uri` names another database ({}), not a replica of the one in \
                     `store.uri`",
                    self.0.name
                ),
            });
        }
        let last = Instant::now() + self.0.patience;
        while let Reached::Position(reached) = self.reached().await? {
            if reached >= self.0.needed.load(Ordering::Relaxed) {
                break;
            }
            if Instant::now() > last {
                return Ok(false);
            }
            tokio::time::sleep(LOOK_EVERY).await;
        }
        Ok(true)
    }

    async fn reached(&self) -> Result<Reached, StoreError> {
        let reached: Option<i64> = sqlx::query_scalar(
            "SELECT CASE WHEN pg_is_in_recovery() THEN \
             pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')::bigint END",
        )
        .fetch_one(self.pool())
        .await
        .doing("ask how far the replica is")?;
        Ok(reached.map_or(Reached::Itself, Reached::Position))
    }

    /// Waits until all that is committed has arrived there. One that takes
    /// too long is not read from until it has.
    async fn follow(&self, database: &PgPool) -> Result<(), StoreError> {
        let wanted = position(database).await?;
        self.0.needed.fetch_max(wanted, Ordering::Relaxed);
        let last = Instant::now() + self.0.lag_limit;
        while self.is_in_use() {
            match self.reached().await {
                Ok(Reached::Itself) => return Ok(()),
                Ok(Reached::Position(reached)) if reached >= wanted => return Ok(()),
                Ok(Reached::Position(_)) if Instant::now() > last => self.leave("it is behind"),
                Ok(Reached::Position(_)) => tokio::time::sleep(LOOK_EVERY).await,
                Err(error) => self.leave(error),
            }
        }
        Ok(())
    }
}

/// Where the database's write-ahead log ends.
async fn position(database: &PgPool) -> Result<i64, StoreError> {
    sqlx::query_scalar("SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint")
        .fetch_one(database)
        .await
        .doing("ask how far the database is")
}

impl PostgresStore {
    /// The replica, when it is to be read from.
    pub(super) fn replica_in_use(&self) -> Option<&Replica> {
        self.replica.as_ref().filter(|replica| replica.is_in_use())
    }

    /// Waits until a reader finds all that is committed.
    pub(super) async fn wait_for_replica(&self) -> Result<(), StoreError> {
        match &self.replica {
            Some(replica) => super::retry::again!({ replica.follow(&self.pool).await }),
            None => Ok(()),
        }
    }
}

/// Does a piece of work that only reads, in the replica where there is one,
/// else in the database; `$pool` is the connections to use. Repeated like
/// [`again!`](super::retry::again).
macro_rules! reading {
    ($store:expr, $pool:ident, $work:block) => {{
        let store: &$crate::postgres::PostgresStore = $store;
        let mut replica = store.replica_in_use();
        loop {
            let $pool = replica.map_or(&store.pool, |replica| replica.pool());
            let done: Result<_, $crate::StoreError> = $crate::postgres::retry::again!($work);
            match (done, replica) {
                (Err(error), Some(left)) if left.gives_up(&error) => replica = None,
                (done, _) => break done,
            }
        }
    }};
}
pub(in crate::postgres) use reading;

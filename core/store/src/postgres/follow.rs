//! Following ARIEL: what it writes is adopted while we run.

use std::time::Duration;

use sqlx::postgres::{PgListener, PgPoolOptions};
use tokio::sync::oneshot;
use tokio::task::AbortHandle;

use super::PostgresStore;
use crate::error::StoreError;

/// The channel that the triggers notify.
const CHANNEL: &str = "gannet";
/// How long opening waits, so that a program that opens, searches and ends
/// sees everything that is there.
const CATCH_UP: Duration = Duration::from_secs(1);

/// A task that adopts what waits, whenever it is told to and every few
/// seconds; it ends when this is dropped.
#[derive(Debug)]
pub(super) struct Follower {
    task: AbortHandle,
}

impl Follower {
    /// Starts it, and waits for a moment until nothing waits any more.
    pub(super) async fn start(store: PostgresStore, every: Duration) -> Result<Self, StoreError> {
        let (caught_up, first) = oneshot::channel();
        let following = Following {
            store,
            every,
            listener: None,
            fails: false,
        };
        let task = tokio::spawn(following.run(caught_up)).abort_handle();
        let follower = Self { task };
        match tokio::time::timeout(CATCH_UP, first).await {
            Ok(Ok(adopted)) => adopted.map(|()| follower),
            _ => Ok(follower),
        }
    }
}

impl Drop for Follower {
    fn drop(&mut self) {
        self.task.abort();
    }
}

struct Following {
    store: PostgresStore,
    every: Duration,
    /// Missing until there is a connection; some poolers let nobody listen.
    listener: Option<PgListener>,
    /// Whether the last round failed, which is said once.
    fails: bool,
}

impl Following {
    async fn run(mut self, caught_up: oneshot::Sender<Result<(), StoreError>>) {
        // Opening may have gone on without waiting for the first round.
        match caught_up.send(self.store.flush_here().await) {
            Err(Err(StoreError::Closed)) => return,
            Err(Err(error)) => self.note(Err(error)),
            _ => {}
        }
        loop {
            self.wait().await;
            match self.adopt().await {
                Err(StoreError::Closed) => return,
                adopted => self.note(adopted),
            }
        }
    }

    /// Counting words is left out when nothing came: it is not for nothing.
    async fn adopt(&self) -> Result<(), StoreError> {
        let came = self.store.adopt().await?;
        self.store.adopt_vectors().await?;
        if came {
            self.store.count_terms().await?;
        }
        Ok(())
    }

    fn note(&mut self, adopted: Result<(), StoreError>) {
        match adopted {
            Ok(()) => self.fails = false,
            Err(error) if !self.fails => {
                tracing::warn!(%error, "changes by other programs are not adopted at the moment");
                self.fails = true;
            }
            Err(_) => {}
        }
    }

    /// Until something was written, or may have been.
    async fn wait(&mut self) {
        let Some(listener) = &mut self.listener else {
            let listening = tokio::time::timeout(self.every, self.listen()).await;
            match listening {
                Ok(Ok(listener)) => self.listener = Some(listener),
                Ok(Err(error)) => {
                    tracing::debug!(%error, "notifications of the database are not available");
                    tokio::time::sleep(self.every).await;
                }
                Err(_) => {}
            }
            return;
        };
        match tokio::time::timeout(self.every, listener.try_recv()).await {
            // Many changes are one reason to look.
            Ok(Ok(_)) => while listener.next_buffered().is_some() {},
            Ok(Err(_)) => self.listener = None,
            Err(_) => {}
        }
    }

    /// On a connection of its own: the pool's are for the callers.
    async fn listen(&self) -> Result<PgListener, sqlx::Error> {
        let server = self.store.pool.connect_options();
        let pool = PgPoolOptions::new()
            .max_connections(1)
            .idle_timeout(None)
            .max_lifetime(None)
            .acquire_timeout(self.every)
            .connect_lazy_with((*server).clone());
        let mut listener = PgListener::connect_with(&pool).await?;
        listener.listen(CHANNEL).await?;
        Ok(listener)
    }
}

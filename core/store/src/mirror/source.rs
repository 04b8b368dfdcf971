//! What is copied.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::OnceCell;

use super::{follow_ariel, follow_postgres};
use crate::embedded::EmbeddedStore;
use crate::error::StoreError;
use crate::postgres::{ArielSource, PostgresOptions, PostgresStore};

/// The database that a copy follows.
pub(super) enum Source {
    Postgres(LazyPostgres),
    Ariel(ArielSource),
}

impl Source {
    /// The state of the database.
    pub(super) async fn token(&self) -> Result<String, StoreError> {
        match self {
            Self::Postgres(postgres) => postgres.get().await?.token(postgres.patience()).await,
            Self::Ariel(ariel) => ariel.token().await,
        }
    }

    /// Copies what changed. A whole look also finds what left no trace.
    pub(super) async fn copy_to(
        &self,
        copy: &EmbeddedStore,
        is_whole: bool,
    ) -> Result<(), StoreError> {
        match self {
            Self::Postgres(postgres) => {
                let look = postgres.get().await?.look(postgres.patience()).await?;
                follow_postgres::copy(look, copy, is_whole).await
            }
            Self::Ariel(ariel) => follow_ariel::copy(ariel, copy, is_whole).await,
        }
    }

    /// Whether a look has to be whole now and then.
    pub(super) fn has_silent_changes(&self) -> bool {
        matches!(self, Self::Ariel(_))
    }
}

/// A database that may not be there yet.
#[derive(Clone)]
pub(super) struct LazyPostgres {
    options: PostgresOptions,
    opened: Arc<OnceCell<PostgresStore>>,
}

impl LazyPostgres {
    pub(super) fn new(options: PostgresOptions) -> Self {
        Self {
            options,
            opened: Arc::default(),
        }
    }

    /// The database, opened when it was not yet.
    pub(super) async fn get(&self) -> Result<&PostgresStore, StoreError> {
        self.opened
            .get_or_try_init(|| PostgresStore::open(self.options.clone()))
            .await
    }

    /// How long one step of a look may take: a connection and a statement.
    pub(super) fn patience(&self) -> Duration {
        self.options.connect_timeout + self.options.statement_timeout
    }

    pub(super) async fn close(&self) -> Result<(), StoreError> {
        match self.opened.get() {
            Some(postgres) => postgres.clone().close().await,
            None => Ok(()),
        }
    }
}

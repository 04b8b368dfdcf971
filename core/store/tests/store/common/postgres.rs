//! A database for one test, and stores in it.

use std::ops::Deref;
use std::path::Path;

use gannet_store::{EmbeddedOptions, Migrate, PostgresOptions, Store, StoreOptions};

/// A database of its own for one test.
pub struct Database(gannet_test_databases::Database);

impl Deref for Database {
    type Target = gannet_test_databases::Database;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl Database {
    /// `None` when there is no server.
    pub async fn create() -> Option<Self> {
        Some(Self(gannet_test_databases::Database::create().await?))
    }

    pub async fn create_as(options: &str) -> Option<Self> {
        let created = gannet_test_databases::Database::create_as(options).await?;
        Some(Self(created))
    }

    pub async fn store(&self) -> Store {
        let options = StoreOptions::Postgres(self.options());
        Store::open(options).await.unwrap()
    }

    /// The store with a replica in a folder.
    pub async fn mirrored(&self, folder: &Path) -> Store {
        let options = StoreOptions::Mirrored {
            postgres: self.options(),
            folder: EmbeddedOptions::at(folder),
        };
        Store::open(options).await.unwrap()
    }

    /// Whatever is in the database is migrated.
    pub fn options(&self) -> PostgresOptions {
        PostgresOptions {
            max_connections: 4,
            migrate: Migrate::Always,
            ..PostgresOptions::at(self.url())
        }
    }
}

//! A PostgreSQL server for the tests, and a database for each.
//!
//! ```no_run
//! # async fn a_test() {
//! use gannet_test_databases::Database;
//!
//! let Some(database) = Database::create().await else {
//!     return; // There is no server here; a line says so.
//! };
//! database.run("CREATE TABLE sheep (name TEXT)").await;
//! // It is dropped with the value, in a test that fails too.
//! # }
//! ```

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test that cannot go on should stop where it stands"
)]

mod ariel;
mod server;

use std::sync::atomic::{AtomicU32, Ordering};

use sqlx::{AssertSqlSafe, Connection, PgConnection};

pub use ariel::ARIEL;
pub use server::server;

/// A database of its own for one test. It is dropped with the value.
#[derive(Debug)]
pub struct Database {
    server: &'static str,
    name: String,
}

impl Database {
    /// A new one; `None` when there is no server.
    pub async fn create() -> Option<Self> {
        Self::create_as("ENCODING 'UTF8'").await
    }

    /// A new one with these options of `CREATE DATABASE`.
    pub async fn create_as(options: &str) -> Option<Self> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let database = Self {
            server: server()?,
            name: format!("gannet_test_{}_{number}", std::process::id()),
        };
        database.drop_if_there().await;
        let create = format!(
            "CREATE DATABASE {} TEMPLATE template0 {options}",
            database.name
        );
        database.administer(create).await;
        Some(database)
    }

    /// `postgres://…/name`.
    pub fn url(&self) -> String {
        format!("{}/{}", self.server, self.name)
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The URL for another user.
    pub fn url_as(&self, user: &str, password: &str) -> String {
        let (scheme, rest) = self.server.split_once("://").unwrap();
        let host = rest.rsplit_once('@').map_or(rest, |(_, host)| host);
        format!("{scheme}://{user}:{password}@{host}/{}", self.name)
    }

    /// A connection that is nobody else's.
    pub async fn connect(&self) -> PgConnection {
        PgConnection::connect(&self.url()).await.unwrap()
    }

    /// Runs statements as somebody else than the store.
    pub async fn run(&self, statements: impl Into<String>) {
        let mut connection = self.connect().await;
        sqlx::raw_sql(AssertSqlSafe(statements.into()))
            .execute(&mut connection)
            .await
            .unwrap();
        connection.close().await.unwrap();
    }

    /// The number that a query gives.
    pub async fn count(&self, query: &'static str) -> i64 {
        let mut connection = self.connect().await;
        sqlx::query_scalar(query)
            .fetch_one(&mut connection)
            .await
            .unwrap()
    }

    /// Ends all connections and lets nobody in.
    pub async fn block(&self) {
        self.administer(format!(
            "ALTER DATABASE {} ALLOW_CONNECTIONS false",
            self.name
        ))
        .await;
        self.administer(format!(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{}'",
            self.name
        ))
        .await;
    }

    /// Lets clients in again.
    pub async fn unblock(&self) {
        self.administer(format!(
            "ALTER DATABASE {} ALLOW_CONNECTIONS true",
            self.name
        ))
        .await;
    }

    async fn administer(&self, statement: String) {
        administer(self.server, statement).await.unwrap();
    }

    /// Drops it before its time, whoever is connected.
    pub async fn drop_if_there(&self) {
        self.administer(drop_statement(&self.name)).await;
    }
}

fn drop_statement(name: &str) -> String {
    format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)")
}

async fn administer(server: &str, statement: String) -> Result<(), sqlx::Error> {
    let mut connection = PgConnection::connect(&format!("{server}/postgres")).await?;
    sqlx::raw_sql(AssertSqlSafe(statement))
        .execute(&mut connection)
        .await?;
    connection.close().await
}

impl Drop for Database {
    /// In a runtime of its own, since the test's may be gone or panicking.
    fn drop(&mut self) {
        let (server, statement) = (self.server, drop_statement(&self.name));
        let dropping = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build();
            runtime
                .map_err(|error| error.to_string())?
                .block_on(administer(server, statement))
                .map_err(|error| error.to_string())
        });
        if let Ok(Err(error)) = dropping.join() {
            eprintln!("a database of a test is left: {error}");
        }
    }
}

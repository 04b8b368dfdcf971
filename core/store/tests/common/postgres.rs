//! A PostgreSQL server for the tests: the one in `GANNET_TEST_POSTGRES`, or
//! one that `tests/postgres` brings up and that stops when it is idle.

use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use gannet_store::{Migrate, PostgresOptions, Store, StoreOptions};
use sqlx::{AssertSqlSafe, Connection, PgConnection};

/// Seconds without a client after which the server stops.
const IDLE: &str = "60";

/// The server's URL without a database; `None`, and a printed line, when
/// there is no server.
pub fn server() -> Option<&'static str> {
    static SERVER: OnceLock<Option<String>> = OnceLock::new();
    SERVER.get_or_init(find_server).as_deref()
}

fn find_server() -> Option<String> {
    let url = match std::env::var("GANNET_TEST_POSTGRES") {
        Ok(url) => url,
        Err(_) => match bring_up() {
            Ok(url) => url,
            Err(reason) if std::env::var_os("GANNET_REQUIRE_POSTGRES").is_some() => {
                panic!("PostgreSQL cannot be had: {reason}")
            }
            Err(reason) => {
                println!("skipped: PostgreSQL cannot be had: {reason}");
                return None;
            }
        },
    };
    let (server, _database) = url.rsplit_once('/').unwrap();
    Some(server.to_owned())
}

fn bring_up() -> Result<String, String> {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/postgres");
    let folder = concat!(env!("CARGO_TARGET_TMPDIR"), "/postgres");
    let output = Command::new(script)
        .args(["up", folder, IDLE])
        .stdin(Stdio::null())
        .output()
        .map_err(|error| error.to_string())?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    if output.status.success() {
        return Ok(text(&output.stdout));
    }
    Err(text(&output.stderr))
}

/// A database of its own for one test.
pub struct Database {
    server: &'static str,
    name: String,
}

impl Database {
    /// `None` when there is no server.
    pub async fn create() -> Option<Self> {
        Self::create_as("ENCODING 'UTF8'").await
    }

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

    pub fn url(&self) -> String {
        format!("{}/{}", self.server, self.name)
    }

    pub async fn store(&self) -> Store {
        let options = StoreOptions::Postgres(self.options());
        Store::open(options).await.unwrap()
    }

    pub fn options(&self) -> PostgresOptions {
        PostgresOptions {
            max_connections: 4,
            migrate: Migrate::Always,
            ..PostgresOptions::at(self.url())
        }
    }

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

    pub async fn drop_if_there(&self) {
        let statement = format!("DROP DATABASE IF EXISTS {} WITH (FORCE)", self.name);
        self.administer(statement).await;
    }

    async fn administer(&self, statement: String) {
        let url = format!("{}/postgres", self.server);
        let mut connection = PgConnection::connect(&url).await.unwrap();
        sqlx::raw_sql(AssertSqlSafe(statement))
            .execute(&mut connection)
            .await
            .unwrap();
        connection.close().await.unwrap();
    }
}

//! How a store in PostgreSQL is opened.

use std::fmt;
use std::time::Duration;

use super::connect::label;
use gannet_index::FieldWeights;

/// How a store in PostgreSQL is opened.
#[derive(Clone, PartialEq)]
pub struct PostgresOptions {
    /// `postgres://user:password@host:port/database?sslmode=…`.
    pub url: String,
    /// A replica of it, to read from: searches, entries, lists, counts. It
    /// may be some time behind; [`flush`](crate::PostgresStore::flush) waits
    /// for it. While it is away, the database itself is read.
    pub read_url: Option<String>,
    /// Connections that this process opens at most, to each of the two.
    pub max_connections: u32,
    /// How long a call waits for a connection, a new one included.
    pub connect_timeout: Duration,
    /// How long a statement may take; the server ends it then.
    pub statement_timeout: Duration,
    /// How often the store looks for what ARIEL wrote when nothing tells it.
    pub adopt_every: Duration,
    /// When the tables are made or changed. Otherwise a database that needs
    /// it is refused.
    pub migrate: Migrate,
    /// What a match in a field is worth.
    pub field_weights: FieldWeights,
}

/// When the tables of a database are made or changed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Migrate {
    /// Never.
    Never,
    /// When there are neither entries nor tables of this program.
    #[default]
    WhenEmpty,
    /// Whenever it is needed, in ARIEL's database too.
    Always,
}

impl PostgresOptions {
    /// The defaults, for this database.
    pub fn at(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            read_url: None,
            max_connections: 10,
            connect_timeout: Duration::from_secs(10),
            statement_timeout: Duration::from_secs(60),
            adopt_every: Duration::from_secs(5),
            migrate: Migrate::WhenEmpty,
            field_weights: FieldWeights::default(),
        }
    }

    /// Host, port and name of the database, for people: without user and
    /// password. What is no URL is told as such.
    pub fn database(&self) -> String {
        match self.url.parse() {
            Ok(server) => label(&server),
            Err(_) => "a database without a valid URL".to_owned(),
        }
    }
}

/// Without the URLs, which may hold a password.
impl fmt::Debug for PostgresOptions {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("PostgresOptions")
            .field("max_connections", &self.max_connections)
            .field("connect_timeout", &self.connect_timeout)
            .field("statement_timeout", &self.statement_timeout)
            .field("adopt_every", &self.adopt_every)
            .field("migrate", &self.migrate)
            .finish_non_exhaustive()
    }
}

//! How a store in PostgreSQL is opened.

use std::fmt;
use std::time::Duration;

use crate::options::FieldWeights;

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
    /// Make and migrate the tables. Otherwise a database that needs it is
    /// refused.
    pub migrate: bool,
    /// What a match in a field is worth.
    pub field_weights: FieldWeights,
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
            migrate: true,
            field_weights: FieldWeights::default(),
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

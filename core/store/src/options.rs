//! How a store is opened.

use std::path::PathBuf;
use std::time::Duration;

use gannet_index::FieldWeights;
use serde_json::{Map, Value};

use crate::postgres::PostgresOptions;

/// Which store is opened, and how.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum StoreOptions {
    /// One folder, no server.
    Embedded(EmbeddedOptions),
    /// A PostgreSQL database, for many hosts.
    Postgres(PostgresOptions),
    /// PostgreSQL, with a copy of it in a folder that answers searches.
    Mirrored {
        /// The database, which is the truth.
        postgres: PostgresOptions,
        /// The copy.
        folder: EmbeddedOptions,
    },
    /// ARIEL's database as it is, only read, with a replica in a folder that
    /// answers everything.
    Ariel {
        /// ARIEL's database.
        postgres: PostgresOptions,
        /// The copy.
        folder: EmbeddedOptions,
    },
}

impl StoreOptions {
    /// The embedded store with its defaults, in this folder.
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self::Embedded(EmbeddedOptions::at(path))
    }
}

/// How an embedded store is opened.
#[derive(Debug, Clone, PartialEq)]
pub struct EmbeddedOptions {
    /// The folder that holds everything; made when it is missing.
    pub path: PathBuf,
    /// Wait for the disk at every commit (SQLite `synchronous=FULL`), so that
    /// an acknowledged entry survives a power cut, not only a crash.
    pub synchronous_full: bool,
    /// What a match in a field is worth.
    pub field_weights: FieldWeights,
    /// Time after which changes can be searched, unless many come at once.
    pub commit_every: Duration,
    /// A commit with so many changes is one of a load. Each costs a part of
    /// the index that is merged later, so the time until the next one doubles,
    /// up to ten times `commit_every`.
    pub load_entries: usize,
    /// Never write the indexes, even when no other process does.
    pub read_only_projections: bool,
    /// The text index by its name, of those that are linked into the program.
    pub text_engine: String,
    /// The vector index by its name, as above.
    pub vector_engine: String,
    /// The settings of that engine, where it has any.
    pub vector_settings: Map<String, Value>,
}

impl EmbeddedOptions {
    /// The defaults, for this folder.
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            synchronous_full: false,
            field_weights: FieldWeights::default(),
            commit_every: Duration::from_millis(500),
            load_entries: 5_000,
            read_only_projections: false,
            text_engine: "tantivy".to_owned(),
            vector_engine: "flat".to_owned(),
            vector_settings: Map::new(),
        }
    }
}

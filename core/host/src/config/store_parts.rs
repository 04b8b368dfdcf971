//! The three parts of a store: where the records are, and which indexes follow
//! them.

use std::fmt;
use std::path::PathBuf;

use gannet_store::IndexError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::error::{ConfigError, ConfigErrorKind};
use super::layer::Origins;
use super::model::{Adopt, StoreConfig, StoreKind};

/// The name of the indexes that are in the database of the records.
const IN_DATABASE: &str = "postgres";
/// The engines where none is named.
const TEXT_ENGINE: &str = "tantivy";
const VECTOR_ENGINE: &str = "flat";

/// What the vector index is told.
const SETTINGS: &str = "store.vector_settings";

const TWO_WAYS: &str = "write `store.records`, `store.text` and `store.vectors`, or `store.kind`, \
    `store.adopt` and `store.cache`, not both";
const COMBINATIONS: &str = "combine `records: sqlite` or `records: ariel` with a text and a vector \
    engine such as `text: tantivy` and `vectors: flat`; or `records: postgres` with `text: \
    postgres` and `vectors: postgres`, or with two engines, which follow the database in a folder";

/// Where the records of a store are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RecordsKind {
    /// In a folder.
    Sqlite,
    /// In a PostgreSQL database, for many hosts.
    Postgres,
    /// In the database of ARIEL, which is only read.
    Ariel,
}

/// The parts of a store by their names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StoreParts {
    /// Where the records are.
    pub records: RecordsKind,
    /// `postgres`, or the engine of the text index.
    pub text: String,
    /// `postgres`, or the engine of the vector index.
    pub vectors: String,
}

impl fmt::Display for RecordsKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Sqlite => "sqlite",
            Self::Postgres => "postgres",
            Self::Ariel => "ariel",
        })
    }
}

impl StoreConfig {
    /// The parts of this store, in whichever way they are written.
    pub fn parts(&self) -> StoreParts {
        let records = match (self.kind, self.adopt) {
            _ if self.names_parts() => self.records.unwrap_or(RecordsKind::Sqlite),
            (StoreKind::Embedded, _) => RecordsKind::Sqlite,
            (StoreKind::Postgres, Adopt::None) => RecordsKind::Postgres,
            (StoreKind::Postgres, Adopt::Ariel) => RecordsKind::Ariel,
        };
        let named = [&self.text, &self.vectors];
        let names_engine = named.into_iter().flatten().any(|name| name != IN_DATABASE);
        let has_engines = match self.names_parts() {
            true => names_engine,
            false => self.cache,
        };
        let (text, vectors) = match records == RecordsKind::Postgres && !has_engines {
            true => (IN_DATABASE, IN_DATABASE),
            false => (TEXT_ENGINE, VECTOR_ENGINE),
        };
        let or = |named: &Option<String>, default: &str| {
            named.clone().unwrap_or_else(|| default.to_owned())
        };
        StoreParts {
            records,
            text: or(&self.text, text),
            vectors: or(&self.vectors, vectors),
        }
    }

    /// The folder of files that were uploaded.
    pub fn attachments(&self) -> PathBuf {
        self.path.join("attachments")
    }

    /// Whether a replica of a database in the folder answers searches.
    pub fn has_copy(&self) -> bool {
        self.kind == StoreKind::Postgres && (self.cache || self.adopt == Adopt::Ariel)
    }

    fn names_parts(&self) -> bool {
        self.records.is_some() || self.text.is_some() || self.vectors.is_some()
    }
}

/// Where the parts are named, puts the short form of them in the place of what
/// is built in.
///
/// # Errors
/// Parts that cannot be combined, an engine that is not linked, and a short
/// form that says something else.
pub(super) fn settle_parts(
    store: &mut StoreConfig,
    origins: &Origins,
) -> Result<(), Box<ConfigError>> {
    let parts = store.parts();
    let refuse = |key: &str, message: String, help: &str| {
        let kind = ConfigErrorKind::InvalidValue;
        let help = (!help.is_empty()).then(|| help.to_owned());
        Box::new(origins.error(kind, key, message, help))
    };
    let in_database = [&parts.text, &parts.vectors].map(|name| name == IN_DATABASE);
    if in_database[1] && !store.vector_settings.is_empty() {
        let message = "`vector_settings` are those of an engine, and the vectors are in the \
                       database"
            .to_owned();
        return Err(refuse(
            SETTINGS,
            message,
            "name the engine in `store.vectors`",
        ));
    }
    if !store.names_parts() && store.vector_settings.is_empty() {
        return Ok(());
    }
    let fits = match parts.records {
        RecordsKind::Postgres => in_database[0] == in_database[1],
        RecordsKind::Sqlite | RecordsKind::Ariel => in_database == [false, false],
    };
    if !fits {
        let StoreParts {
            records,
            text,
            vectors,
        } = parts;
        let message = format!(
            "`records: {records}`, `text: {text}` and `vectors: {vectors}` cannot be combined"
        );
        let key = match store.text {
            Some(_) => "store.text",
            None => "store.vectors",
        };
        return Err(refuse(key, message, COMBINATIONS));
    }
    if !in_database[0] {
        if let Err(missing) = gannet_store::text_engine(&parts.text) {
            return Err(refuse("store.text", missing.to_string(), ""));
        }
        let settings = &store.vector_settings;
        match gannet_store::configured_vector_engine(&parts.vectors, settings) {
            Err(fault @ IndexError::InvalidSettings { .. }) => {
                return Err(refuse(SETTINGS, fault.to_string(), ""));
            }
            Err(missing) => return Err(refuse("store.vectors", missing.to_string(), "")),
            Ok(_) => {}
        }
    }
    if !store.names_parts() {
        return Ok(());
    }
    let kind = match parts.records {
        RecordsKind::Sqlite => StoreKind::Embedded,
        RecordsKind::Postgres | RecordsKind::Ariel => StoreKind::Postgres,
    };
    let adopt = match parts.records {
        RecordsKind::Ariel => Adopt::Ariel,
        _ => Adopt::None,
    };
    let cache = parts.records == RecordsKind::Postgres && !in_database[0];
    let short_form = [
        ("store.kind", store.kind == kind),
        ("store.adopt", store.adopt == adopt),
        ("store.cache", store.cache == cache),
    ];
    for (key, is_same) in short_form {
        if !is_same && origins.is_written(key) {
            let message = format!("`{key}` says something else than the parts of the store");
            return Err(refuse(key, message, TWO_WAYS));
        }
    }
    (store.kind, store.adopt, store.cache) = (kind, adopt, cache);
    Ok(())
}

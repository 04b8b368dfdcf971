//! What the host can fail with.

use std::path::PathBuf;

use gannet_registry::CatalogError;
use gannet_store::StoreError;

use crate::PublishError;
use crate::config::ConfigErrors;

/// What the host can fail with.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HostError {
    /// The configuration cannot be used.
    #[error("the configuration is not valid")]
    Configuration(#[from] ConfigErrors),
    /// The configuration and the plugins do not fit together.
    #[error("the configuration does not match the plugins: {}", list(.0))]
    Catalog(Vec<CatalogError>),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// No search module or pipeline of this name is on.
    #[error("no mode named `{mode}`{hint} Available: {available}")]
    UnknownMode {
        /// What was asked for.
        mode: String,
        /// The nearest mode as a question, or a full stop.
        hint: String,
        /// All modes.
        available: String,
    },
    /// A plugin or a host service failed, or was asked for what it cannot do.
    #[error(transparent)]
    Plugin(#[from] gannet_api::Error),
    /// An entry was not published.
    #[error(transparent)]
    Publish(PublishError),
    /// A new configuration changes what only a restart can change.
    #[error("cannot be changed without a restart: {keys}")]
    NeedsRestart {
        /// The keys, with commas between them.
        keys: String,
    },
    /// What is exported could not be written.
    #[error("the output cannot be written: {0}")]
    Output(std::io::Error),
    /// A file could not be read or written.
    #[error("{}: {source}", path.display())]
    File {
        /// Which file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}

fn list(errors: &[CatalogError]) -> String {
    let lines: Vec<String> = errors.iter().map(ToString::to_string).collect();
    lines.join("; ")
}

//! What the configuration says about dylibs.

use std::path::PathBuf;

use serde_json::{Map, Value};

/// A dylib that the configuration wants loaded.
#[derive(Debug, Clone, PartialEq)]
pub struct DylibWish {
    /// The file: absolute, or relative to one of the allowed folders.
    pub file: String,
    /// The SHA-256 that it must have, as 64 hex digits.
    pub sha256: Option<String>,
    /// Whether the host does not start without it.
    pub required: bool,
    /// Whether its plugins stand in the place of others of their kind and
    /// name.
    pub replace: bool,
    /// Threads of the runtime of its plugins, where they want one.
    pub runtime_threads: usize,
    /// Settings that every plugin of the file starts from.
    pub config: Map<String, Value>,
}

/// What holds for all dylibs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LoadingRules {
    /// The folders that dylibs may lie in, or in a folder within them.
    pub dirs: Vec<PathBuf>,
    /// Whether a dylib without a `sha256` is refused.
    pub require_pin: bool,
}

impl DylibWish {
    /// A file, with nothing said about it.
    pub fn of(file: impl Into<String>) -> Self {
        Self {
            file: file.into(),
            sha256: None,
            required: false,
            replace: false,
            runtime_threads: 1,
            config: Map::new(),
        }
    }
}

//! Section `plugins`: dylibs, and what may be loaded.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Plugins from dylibs.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PluginsConfig {
    /// What holds for all dylibs.
    pub dynamic: DynamicConfig,
    /// The dylibs to load, in this order.
    pub load: Vec<DylibConfig>,
}

/// What holds for all dylibs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct DynamicConfig {
    /// Whether dylibs are loaded at all. Their code runs with all rights of
    /// this program.
    pub enabled: bool,
    /// The folders that dylibs may lie in, or in folders within them. Only
    /// root and the user that runs this may be able to write there.
    pub dirs: Vec<PathBuf>,
    /// Whether a dylib without `sha256` is refused.
    pub require_pin: bool,
}

/// One dylib.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DylibConfig {
    /// The file: a name that is looked for in `plugins.dynamic.dirs`, or a
    /// path that lies in one of them.
    #[schemars(length(min = 1))]
    pub file: String,
    /// The SHA-256 that the file must have, as 64 hex digits.
    #[serde(default)]
    pub sha256: Option<String>,
    /// Whether the program does not start without it; otherwise it goes on
    /// and says why the file was refused.
    #[serde(default)]
    pub required: bool,
    /// Whether its plugins stand in the place of others of the same kind and
    /// name; otherwise a name that is taken is refused.
    #[serde(default)]
    pub replace: bool,
    /// Threads that its plugins run on, where they ask for their own.
    #[serde(default = "default_runtime_threads")]
    #[schemars(range(min = 1, max = 64))]
    pub runtime_threads: usize,
    /// Settings that every plugin of the file starts from; an instance's own
    /// settings win key by key.
    #[serde(default)]
    pub config: Map<String, Value>,
}

fn default_runtime_threads() -> usize {
    1
}

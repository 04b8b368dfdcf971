//! What became of each dylib of the configuration.

use std::path::PathBuf;

use gannet_abi::host::FailedExport;
use gannet_abi::manifest::Manifest;
use gannet_api::{PluginKind, limits};
use serde::Serialize;

use super::{DylibWish, LoadError};
use crate::bounded::shorten;

/// How far a dylib came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum PluginState {
    /// It stands in the configuration, and loading is off.
    Declared,
    /// A gate was shut.
    Refused,
    /// Its plugins are there.
    Loaded,
}

/// What became of one dylib.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FileReport {
    /// As configured.
    pub file: String,
    /// Where it lies, without links, once that is known.
    pub path: Option<PathBuf>,
    /// How far it came.
    pub state: PluginState,
    /// Why no further.
    pub reason: Option<String>,
    /// The gate that was shut, see [`LoadError::gate`].
    pub gate: Option<&'static str>,
    /// What it says of itself.
    pub manifest: Option<Manifest>,
    /// Its SHA-256 in lower-case hex digits.
    pub sha256: Option<String>,
    /// Whether the host does not start without it.
    pub required: bool,
    /// The plugins that it brought, sorted by kind and name.
    pub plugins: Vec<(PluginKind, String)>,
    /// Those of its plugins that could not say what they are.
    pub failed: Vec<FailedPlugin>,
    /// How long loading took, in milliseconds.
    pub load_ms: Option<f64>,
}

/// A plugin of a dylib that could not say what it is, while others could.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FailedPlugin {
    /// Of which kind; `None` for one that this host does not know.
    pub kind: Option<PluginKind>,
    /// Its own name.
    pub name: String,
    /// What went wrong.
    pub reason: String,
}

impl From<FailedExport> for FailedPlugin {
    fn from(failed: FailedExport) -> Self {
        let (mut name, mut reason) = (failed.name, failed.error.to_string());
        shorten(&mut name, limits::NAME_BYTES);
        shorten(&mut reason, limits::MESSAGE_BYTES);
        Self {
            kind: failed.kind,
            name,
            reason,
        }
    }
}

impl FileReport {
    /// A dylib that nothing was done with yet.
    pub fn declared(wish: &DylibWish) -> Self {
        Self {
            file: wish.file.clone(),
            path: None,
            state: PluginState::Declared,
            reason: None,
            gate: None,
            manifest: None,
            sha256: None,
            required: wish.required,
            plugins: Vec::new(),
            failed: Vec::new(),
            load_ms: None,
        }
    }

    /// Whether it would have a plugin that is not there; `None` where that is
    /// not known.
    pub(crate) fn lacks(&self, kind: PluginKind, name: &str) -> Option<bool> {
        if self.state == PluginState::Loaded {
            let mut failed = self.failed.iter();
            return Some(failed.any(|one| one.kind == Some(kind) && one.name == name));
        }
        let exports = &self.manifest.as_ref()?.exports;
        let mut named = exports.iter();
        (!exports.is_empty()).then(|| named.any(|(of, is)| *of == kind && is == name))
    }

    /// The same dylib, refused.
    #[must_use]
    pub fn refused(self, error: &LoadError) -> Self {
        Self {
            state: PluginState::Refused,
            reason: Some(error.to_string()),
            gate: Some(error.gate()),
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_names_the_gate_and_the_reason() {
        let wish = DylibWish::of("libx.so");
        let report = FileReport::declared(&wish).refused(&LoadError::PanicAbort);
        let json = serde_json::json!(report);
        assert_eq!(json["state"], "refused");
        assert_eq!(json["gate"], "panic");
        assert_eq!(json["reason"], LoadError::PanicAbort.to_string());
        assert_eq!(json["plugins"], serde_json::json!([]));
    }
}

//! What the configuration can set.

use std::time::Duration;

use gannet_api::Secret;
use serde::Deserialize;
use serde_json::{Value, json};

/// Characters of the beginning of collections' names at most.
const LONGEST_NAME: usize = 100;
/// Longest times, in seconds.
const LONGEST_TIME: f64 = 600.0;

/// What the configuration can set.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// The address of the server.
    pub url: String,
    /// What the names of the collections begin with.
    #[serde(default = "collection")]
    pub collection: String,
    /// The key of the server, as `{ env: NAME }` or `{ file: PATH }`.
    pub api_key: Option<Secret>,
    /// How collections that are made keep vectors for a search.
    #[serde(default)]
    pub quantization: Quantization,
    /// Whether collections that are made keep vectors on disk only.
    #[serde(default)]
    pub on_disk: bool,
    /// Whether every vector is compared, without the server's graph.
    #[serde(default)]
    pub exact: bool,
    /// Whether the host name may stand for an address of a private network.
    #[serde(default)]
    pub allow_private_addresses: bool,
    /// Seconds for a response.
    #[serde(default = "timeout")]
    pub timeout_seconds: f64,
    /// Seconds for which a server that gave no response is left alone.
    #[serde(default = "pause")]
    pub pause_seconds: f64,
}

/// How vectors are kept for a search. The whole ones rescore what is found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Quantization {
    /// Four bytes a dimension.
    #[default]
    None,
    /// One byte a dimension.
    Scalar,
    /// One bit a dimension.
    Binary,
}

fn collection() -> String {
    "gannet".to_owned()
}

fn timeout() -> f64 {
    10.0
}

fn pause() -> f64 {
    5.0
}

impl Settings {
    /// What is wrong with them; `None` when nothing is.
    pub(crate) fn fault(&self) -> Option<String> {
        let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
        if !(1..=LONGEST_NAME).contains(&self.collection.len())
            || !self.collection.chars().all(is_plain)
        {
            return Some(format!(
                "`collection` has 1 to {LONGEST_NAME} letters, digits, `-`, `_` and `.`"
            ));
        }
        if !(0.001..=LONGEST_TIME).contains(&self.timeout_seconds) {
            return Some(format!("`timeout_seconds` is from 0.001 to {LONGEST_TIME}"));
        }
        let is_pause = (0.0..=LONGEST_TIME).contains(&self.pause_seconds);
        (!is_pause).then(|| format!("`pause_seconds` is from 0 to {LONGEST_TIME}"))
    }

    pub(crate) fn timeout(&self) -> Duration {
        Duration::from_secs_f64(self.timeout_seconds)
    }

    pub(crate) fn pause(&self) -> Duration {
        Duration::from_secs_f64(self.pause_seconds)
    }
}

impl Quantization {
    /// The configuration of a collection; null without one.
    pub(crate) fn config(self) -> Value {
        match self {
            Self::None => Value::Null,
            Self::Scalar => json!({ "scalar": { "type": "int8", "always_ram": true } }),
            Self::Binary => json!({ "binary": { "always_ram": true } }),
        }
    }
}

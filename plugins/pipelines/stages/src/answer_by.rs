//! Who words an answer.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Who words the answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum AnswerBy {
    /// A chat model, where one is configured; the entries' own sentences are
    /// sent first and stand where it fails.
    #[default]
    Model,
    /// The entries' own sentences. No chat model is asked.
    Entries,
    /// Nobody: entries are found, and nothing is said of them.
    None,
}

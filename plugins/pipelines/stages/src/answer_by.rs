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
    #[schemars(title = "Chat model")]
    Model,
    /// The entries' own sentences. No chat model is asked.
    #[schemars(title = "Entries alone")]
    Entries,
    /// Nobody: entries are found, and nothing is said of them.
    #[schemars(title = "No answer")]
    None,
}

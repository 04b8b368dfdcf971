//! What chat models see of the configuration, and what is kept of their
//! answers.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The chat model of every pipeline that needs one, and its limits. A pipeline
/// that says something else itself has its own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ReasoningConfig {
    /// The provider: one of `providers`. Not set: none is asked.
    pub provider: Option<String>,
    /// The model that the provider is asked for; the provider's own when not
    /// set.
    pub model_id: Option<String>,
    /// How freely it words: 0 is the least, 2 the most.
    #[schemars(range(min = 0.0, max = 2.0))]
    pub temperature: f64,
    /// Tokens of one answer at most, so that a model that repeats itself ends.
    #[schemars(range(min = 1))]
    pub max_tokens: u32,
    /// Rounds of tools that an agent may go through.
    #[schemars(range(min = 1))]
    pub max_iterations: u32,
    /// Seconds that one call of a tool may take.
    #[schemars(range(min = 1))]
    pub tool_timeout_seconds: u64,
    /// Seconds that an agent may take in all.
    #[schemars(range(min = 1))]
    pub total_timeout_seconds: u64,
}

/// What the facility says to chat models.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PromptsConfig {
    /// A folder with prompts that stand in the place of built-in ones, each a
    /// file such as `rag.system.md`.
    pub dir: Option<PathBuf>,
    /// What the facility is and how it speaks: its machines, its shifts, its
    /// abbreviations.
    pub facility: String,
    /// How answers are to be written there.
    pub guidelines: String,
}

/// Whether questions and answers are kept.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct QuestionLogConfig {
    /// The file to which each answer is added as a line of JSON. Not set: none
    /// is kept.
    pub path: Option<PathBuf>,
}

/// Whether it is kept what users say of answers and entries.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct FeedbackConfig {
    /// Whether the store keeps which answers and entries users find helpful or
    /// not, and which entries they open after a search.
    pub enabled: bool,
    /// Rows of a tenant at most: one for each caller, question and entry or
    /// answer. More are refused.
    pub max_rows: usize,
}

impl Default for FeedbackConfig {
    fn default() -> Self {
        Self {
            enabled: false,
            max_rows: 50_000,
        }
    }
}

impl Default for ReasoningConfig {
    /// ARIEL's.
    fn default() -> Self {
        Self {
            provider: None,
            model_id: None,
            temperature: 0.1,
            max_tokens: 1_024,
            max_iterations: 5,
            tool_timeout_seconds: 30,
            total_timeout_seconds: 120,
        }
    }
}

impl ReasoningConfig {
    /// The limits by the names that settings of pipelines have for them.
    pub(crate) fn limits(&self) -> [(&'static str, serde_json::Value); 5] {
        [
            ("temperature", self.temperature.into()),
            ("max_tokens", self.max_tokens.into()),
            ("max_iterations", self.max_iterations.into()),
            ("tool_timeout_seconds", self.tool_timeout_seconds.into()),
            ("total_timeout_seconds", self.total_timeout_seconds.into()),
        ]
    }
}

//! What the configuration and a call can set.

use std::time::Duration;

use gannet_plugin::descriptor::{ParameterDescriptor, ParameterOption, ParameterType};
use gannet_plugin::prelude::{Error, PipelineRequest, Result, settings};
use gannet_stages::AnswerBy;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

const NO_ANSWER: &str = "an agent always answers; to list entries only, use another mode";

/// The settings of `agent`.
#[settings]
#[derive(PartialEq, Serialize)]
pub struct AgentSettings {
    /// How often the model may call tools, several at once counting once; one
    /// turn for the answer follows.
    #[setting(default = 5, min = 1)]
    pub max_iterations: usize,
    /// Sampling temperature of the chat model.
    #[setting(default = 0.1, min = 0.0, max = 2.0)]
    #[setting(parameter, section = "LLM Processing", step = 0.05)]
    pub temperature: f64,
    /// Who writes the answer: a chat model, or quoted sentences, for which each
    /// tool is asked once.
    #[setting(default = AnswerBy::Model)]
    pub answer: AnswerBy,
    /// Tokens of one turn of the chat model at most.
    #[setting(default = 1_024, min = 1)]
    pub max_tokens: u32,
    /// Seconds that one call of a tool may take.
    #[setting(default = 30, min = 1)]
    pub tool_timeout_seconds: u64,
    /// Seconds that all turns and calls may take together.
    #[setting(default = 120, min = 1)]
    pub total_timeout_seconds: u64,
    /// How the model calls tools.
    pub tool_mode: ToolMode,
    /// Characters of an entry that `read_entry` shows.
    #[setting(default = 8_000, min = 1)]
    pub max_entry_chars: usize,
}

/// How a model calls tools.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ToolMode {
    /// `native` first, and `text` when the provider refuses tools or the
    /// model does not call one.
    #[default]
    Auto,
    /// By the provider's own calls of tools.
    Native,
    /// By JSON in the text of its replies, for models without calls of tools.
    Text,
}

impl AgentSettings {
    /// Whether the settings can be used, beyond what their schema says.
    pub(crate) fn check(&self) -> Result<()> {
        match self.answer {
            AnswerBy::None => Err(Error::setting("answer", NO_ANSWER)),
            AnswerBy::Model | AnswerBy::Entries => Ok(()),
        }
    }

    /// These settings with what a call sets.
    pub(crate) fn for_request(&self, request: &PipelineRequest) -> Result<Self> {
        let mut settings = request.settings(self)?;
        match request.param("answer")? {
            Some(AnswerBy::None) => {
                return Err(Error::invalid_input(format!(
                    "parameter `answer`: {NO_ANSWER}"
                )));
            }
            Some(answer) => settings.answer = answer,
            None => {}
        }
        Ok(settings)
    }

    pub(crate) fn tool_timeout(&self) -> Duration {
        Duration::from_secs(self.tool_timeout_seconds)
    }

    pub(crate) fn total_timeout(&self) -> Duration {
        Duration::from_secs(self.total_timeout_seconds)
    }
}

/// What a caller can set beside the settings that are parameters: of the values
/// of `answer`, those with an answer.
pub(crate) fn parameters() -> Vec<ParameterDescriptor> {
    let mut answer = ParameterDescriptor::new(
        "answer",
        "Answer",
        "Who writes the answer: a chat model, or quoted sentences.",
        ParameterType::Select,
        "model",
    )
    .section("LLM Processing");
    let option = |(value, label): (&str, &str)| ParameterOption::new(value, label);
    answer.options = [("model", "Chat model"), ("entries", "Entries alone")]
        .map(option)
        .to_vec();
    vec![answer]
}

//! What the configuration and a call can set.

use std::time::Duration;

use gannet_plugin::{
    Error, ParameterDescriptor, ParameterOption, ParameterType, PipelineRequest, Result, Setup,
};
use gannet_stages::AnswerBy;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The highest temperature.
const HOTTEST: f64 = 2.0;
const NO_ANSWER: &str = "an agent always answers; to list entries only, use another mode";

/// The settings of `agent`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AgentSettings {
    /// How often the model may call tools, several at once counting once; one
    /// turn for the answer follows.
    #[schemars(range(min = 1))]
    pub max_iterations: usize,
    /// Who words the answer: `model` (a chat model, where one is configured)
    /// or `entries` (their own sentences; each tool is asked once).
    pub answer: AnswerBy,
    /// The temperature of the chat model.
    #[schemars(range(min = 0.0, max = 2.0))]
    pub temperature: f64,
    /// Tokens of one turn of the chat model at most.
    #[schemars(range(min = 1))]
    pub max_tokens: u32,
    /// Seconds that one call of a tool may take.
    #[schemars(range(min = 1))]
    pub tool_timeout_seconds: u64,
    /// Seconds that all turns and calls may take together.
    #[schemars(range(min = 1))]
    pub total_timeout_seconds: u64,
    /// How the model calls tools.
    pub tool_mode: ToolMode,
    /// Characters of an entry that `read_entry` shows.
    #[schemars(range(min = 1))]
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

impl Default for AgentSettings {
    fn default() -> Self {
        Self {
            max_iterations: 5,
            answer: AnswerBy::Model,
            temperature: 0.1,
            max_tokens: 1_024,
            tool_timeout_seconds: 30,
            total_timeout_seconds: 120,
            tool_mode: ToolMode::Auto,
            max_entry_chars: 8_000,
        }
    }
}

impl AgentSettings {
    /// Whether the settings can be used.
    pub(crate) fn check(&self, setup: &Setup) -> Result<()> {
        let at_least_one = [
            ("max_iterations", self.max_iterations == 0),
            ("tool_timeout_seconds", self.tool_timeout_seconds == 0),
            ("total_timeout_seconds", self.total_timeout_seconds == 0),
            ("max_entry_chars", self.max_entry_chars == 0),
        ];
        let refuse = |name: &str, message: &str| {
            let key = format!("pipelines.{}.settings.{name}", setup.instance);
            Err(Error::configuration(key, message))
        };
        if let Some((name, _)) = at_least_one.into_iter().find(|(_, is_zero)| *is_zero) {
            return refuse(name, "must be at least 1");
        }
        if self.answer == AnswerBy::None {
            return refuse("answer", NO_ANSWER);
        }
        if !is_temperature(self.temperature) {
            return refuse("temperature", "must be between 0 and 2");
        }
        Ok(())
    }

    /// These settings with what a call sets.
    pub(crate) fn for_call(&self, request: &PipelineRequest) -> Result<Self> {
        let mut settings = self.clone();
        if let Some(temperature) = request.param("temperature")? {
            if !is_temperature(temperature) {
                let message = "parameter `temperature` must be between 0 and 2";
                return Err(Error::invalid_input(message));
            }
            settings.temperature = temperature;
        }
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

/// What a caller can set per call.
pub(crate) fn parameters() -> Vec<ParameterDescriptor> {
    let mut answer = ParameterDescriptor::new(
        "answer",
        "Answer",
        "Who writes the answer: a chat model, or quoted sentences.",
        ParameterType::Select,
        "model",
    )
    .section("LLM Processing");
    let option = |(value, label): (&str, &str)| ParameterOption {
        value: value.to_owned(),
        label: label.to_owned(),
    };
    answer.options = [("model", "Chat model"), ("entries", "Entries alone")]
        .map(option)
        .to_vec();
    vec![
        ParameterDescriptor::new(
            "temperature",
            "Temperature",
            "Sampling temperature of the chat model.",
            ParameterType::Float,
            AgentSettings::default().temperature,
        )
        .range(0.0, HOTTEST, 0.05)
        .section("LLM Processing"),
        answer,
    ]
}

fn is_temperature(number: f64) -> bool {
    (0.0..=HOTTEST).contains(&number)
}

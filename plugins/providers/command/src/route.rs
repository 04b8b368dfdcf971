//! Selection of the command.

use schemars::JsonSchema;
use serde::Deserialize;

/// The task of a model. Each task has its own environment variables.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Task {
    /// Answering a question: ERDOS_LLM_COMMAND_MATH, ERDOS_LLM_COMMAND.
    #[default]
    AskQuestion,
    /// Working in a loop: ERDOS_LLM_COMMAND_CODE, ERDOS_LLM_COMMAND.
    Loop,
    /// Proposing a step: ERDOS_LLM_COMMAND_COPILOT, ERDOS_LLM_COMMAND_MATH,
    /// ERDOS_LLM_COMMAND.
    TacticGeneration,
}

/// No command is set for a task.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("No LLM command configured for task '{}'. Set one of: {}", .0.name(), .0.variables().join(", "))]
pub struct NoCommand(pub Task);

impl Task {
    /// The name in the configuration.
    pub fn name(self) -> &'static str {
        match self {
            Self::AskQuestion => "ask_question",
            Self::Loop => "loop",
            Self::TacticGeneration => "tactic_generation",
        }
    }

    /// The environment variables, in order; the first one that is set is used.
    pub fn variables(self) -> &'static [&'static str] {
        match self {
            Self::AskQuestion => &["ERDOS_LLM_COMMAND_MATH", "ERDOS_LLM_COMMAND"],
            Self::Loop => &["ERDOS_LLM_COMMAND_CODE", "ERDOS_LLM_COMMAND"],
            Self::TacticGeneration => &[
                "ERDOS_LLM_COMMAND_COPILOT",
                "ERDOS_LLM_COMMAND_MATH",
                "ERDOS_LLM_COMMAND",
            ],
        }
    }
}

/// The command for a task: the configured one, otherwise the first environment
/// variable of the task that is set. Blank values count as not set. The rule is
/// that of erdos.
///
/// ```
/// use gannet_command::{Task, route};
///
/// let lookup = |name: &str| (name == "ERDOS_LLM_COMMAND").then(|| "llm".to_owned());
/// assert_eq!(route(Task::Loop, None, lookup), Ok("llm".to_owned()));
/// assert_eq!(route(Task::Loop, Some(" mine "), lookup), Ok("mine".to_owned()));
/// ```
///
/// # Errors
/// [`NoCommand`] names the variables.
pub fn route(
    task: Task,
    set_command: Option<&str>,
    lookup: impl Fn(&str) -> Option<String>,
) -> Result<String, NoCommand> {
    let of_environment = task.variables().iter().filter_map(|name| lookup(name));
    set_command
        .map(str::to_owned)
        .into_iter()
        .chain(of_environment)
        .map(|command| command.trim().to_owned())
        .find(|command| !command.is_empty())
        .ok_or(NoCommand(task))
}

//! The conversation with the model, in the two ways in which it can call
//! tools.

use gannet_plugin::prelude::{Error, PipelineRequest, Result, Setup};
use gannet_plugin::provider::{ChatMessage, ChatRequest, ChatRole, ChatTool, ToolCall};
use gannet_stages::{CitationStyle, Cited, check_citations, without_thoughts};
use serde_json::{Value, json};

use crate::prompts;
use crate::reply::{self, Reply};
use crate::settings::AgentSettings;
use crate::toolbox::Toolbox;
use crate::turn::{Turn, bounded};

/// How tools are called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Manner {
    /// By the provider's own calls.
    Native,
    /// By JSON in the text of a reply.
    Text,
}

/// The conversation so far, and the tools that it is about.
pub(crate) struct Dialogue<'a> {
    pub(crate) manner: Manner,
    setup: &'a Setup,
    settings: &'a AgentSettings,
    messages: Vec<ChatMessage>,
    tools: Vec<ChatTool>,
    schema: Value,
}

/// What a turn of the model means.
pub(crate) enum Step {
    /// It calls tools.
    Calls {
        thought: String,
        calls: Vec<ToolCall>,
    },
    /// It answers.
    Answer(Cited),
    /// It meant to write JSON, and did not.
    Unreadable,
}

impl<'a> Dialogue<'a> {
    /// The conversation up to the question.
    pub(crate) fn open(
        manner: Manner,
        request: &PipelineRequest,
        setup: &'a Setup,
        settings: &'a AgentSettings,
        toolbox: &Toolbox,
        system: String,
    ) -> Self {
        let system = match manner {
            Manner::Native => system,
            Manner::Text => {
                let example = toolbox.example(&request.query);
                let tools = prompts::text_tools(setup, &toolbox.described(), &example);
                format!("{system}\n\n{tools}")
            }
        };
        let mut messages = vec![ChatMessage::new(ChatRole::System, system)];
        let is_said = |turn: &&ChatMessage| {
            matches!(turn.role, ChatRole::User | ChatRole::Assistant) && turn.tool_calls.is_empty()
        };
        messages.extend(request.history.iter().filter(is_said).cloned());
        messages.push(ChatMessage::new(ChatRole::User, request.query.clone()));
        Self {
            manner,
            setup,
            settings,
            messages,
            tools: toolbox.chat_tools(),
            schema: reply::schema(&toolbox.names()),
        }
    }

    /// What the model is asked next, with tools or to answer.
    pub(crate) fn request(&self, with_tools: bool) -> ChatRequest {
        let mut request = ChatRequest::new(self.messages.clone())
            .with_provider(self.setup.provider.clone())
            .with_model(self.setup.model.clone())
            .with_temperature(self.settings.temperature)
            .with_max_tokens(self.settings.max_tokens);
        match self.manner {
            _ if !with_tools => {}
            Manner::Native => request.tools.clone_from(&self.tools),
            Manner::Text => request.response_schema = Some(self.schema.clone()),
        }
        request
    }

    /// Reads a turn of the model.
    ///
    /// # Errors
    /// [`Error::Provider`] when it says nothing.
    pub(crate) fn read(&self, turn: &mut Turn, given: &[String]) -> Result<Step> {
        if self.manner == Manner::Native && !turn.calls.is_empty() {
            return Ok(Step::Calls {
                thought: without_thoughts(&turn.text).trim().to_owned(),
                calls: self.named(std::mem::take(&mut turn.calls)),
            });
        }
        let step = match self.manner {
            Manner::Native => Step::Answer(std::mem::take(&mut turn.cited)),
            Manner::Text => read_text(&turn.text, given),
        };
        match step {
            Step::Answer(cited) if cited.text.trim().is_empty() => {
                Err(self.provider_failed("the model returned an empty answer"))
            }
            step => Ok(step),
        }
    }

    /// Adds calls of tools and what the model gets for them, call by call.
    pub(crate) fn add_results(
        &mut self,
        thought: &str,
        calls: Vec<ToolCall>,
        results: Vec<String>,
    ) {
        match self.manner {
            Manner::Native => {
                let answered: Vec<ChatMessage> = calls
                    .iter()
                    .zip(results)
                    .map(|(call, result)| {
                        ChatMessage::new(ChatRole::Tool, result).with_tool_call_id(call.id.clone())
                    })
                    .collect();
                self.messages.push(
                    ChatMessage::new(ChatRole::Assistant, thought.to_owned())
                        .with_tool_calls(calls),
                );
                self.messages.extend(answered);
            }
            Manner::Text => {
                for (call, result) in calls.into_iter().zip(results) {
                    let said = json!({
                        "thought": thought, "tool": call.name, "arguments": call.arguments,
                    });
                    self.add_text(said.to_string(), format!("Observation: {result}"));
                }
            }
        }
    }

    /// Adds a reply that could not be read, and what is said to it.
    pub(crate) fn add_text(&mut self, said: String, answered: String) {
        self.messages
            .push(ChatMessage::new(ChatRole::Assistant, said));
        self.messages
            .push(ChatMessage::new(ChatRole::User, answered));
    }

    /// Asks for the answer. Some models take no two turns of a user in a row.
    pub(crate) fn ask_for_the_answer(&mut self) {
        let wish = prompts::last_turn(self.setup);
        match self.messages.last_mut() {
            Some(last) if last.role == ChatRole::User => {
                last.content.push_str("\n\n");
                last.content.push_str(&wish);
            }
            _ => self.messages.push(ChatMessage::new(ChatRole::User, wish)),
        }
    }

    /// The error of a model that does not do what it was asked.
    pub(crate) fn provider_failed(&self, what: &str) -> Error {
        Error::Provider {
            provider: self.setup.provider.clone().unwrap_or_default(),
            message: what.to_owned(),
            retryable: true,
        }
    }

    /// Calls with an id each; some servers give none.
    fn named(&self, mut calls: Vec<ToolCall>) -> Vec<ToolCall> {
        let before = self.messages.len();
        for (place, call) in calls.iter_mut().enumerate() {
            if call.id.is_empty() {
                call.id = format!("call_{before}_{place}");
            }
        }
        calls
    }
}

fn read_text(text: &str, given: &[String]) -> Step {
    match reply::read(text) {
        Reply::Call {
            thought,
            tool,
            arguments,
        } => Step::Calls {
            thought,
            calls: vec![bounded(ToolCall::new(String::new(), tool, arguments))],
        },
        Reply::Final(text) => Step::Answer(check_citations(&text, given, CitationStyle::EntryId)),
        Reply::Unreadable => Step::Unreadable,
    }
}

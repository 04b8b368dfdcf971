//! Chat models: a conversation in, a completion out.

use std::future::Future;

use futures::stream::BoxStream;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::lifecycle::{behind_pointer, dyn_lifecycle, of_every_kind};
use crate::setters::setters;
use crate::{Context, Result, ResultFuture};

/// A provider of chat, as its author writes it.
pub trait ChatModel: Send + Sync + Sized + 'static {
    of_every_kind!();

    /// Starts a completion. Dropping the stream ends it.
    fn chat(
        &self,
        request: ChatRequest,
        context: &Context,
    ) -> impl Future<Output = Result<ChatStream>> + Send;
}

/// [`ChatModel`] behind a pointer; implemented for every chat model.
pub trait DynChatModel: Send + Sync {
    dyn_lifecycle!();

    /// See [`ChatModel::chat`].
    fn chat<'a>(
        &'a self,
        request: ChatRequest,
        context: &'a Context,
    ) -> ResultFuture<'a, ChatStream>;
}

behind_pointer!(ChatModel as DynChatModel {
    chat(request: ChatRequest) -> ChatStream;
});

/// The pieces of a completion as they come.
pub type ChatStream = BoxStream<'static, Result<ChatChunk>>;

/// What a chat model is asked.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ChatRequest {
    /// Which provider; the configured default when missing.
    pub provider: Option<String>,
    /// Which model; the provider's default when missing.
    pub model: Option<String>,
    /// The conversation, oldest first.
    pub messages: Vec<ChatMessage>,
    /// 0 for the most likely words, up to 2.
    pub temperature: Option<f64>,
    /// Tokens at most.
    pub max_tokens: Option<u32>,
    /// Tools that the model may call.
    pub tools: Vec<ChatTool>,
    /// A JSON Schema that the completion must meet.
    pub response_schema: Option<Value>,
}

impl ChatRequest {
    /// A conversation with the default model, oldest turn first.
    pub fn new(messages: Vec<ChatMessage>) -> Self {
        Self {
            messages,
            ..Self::default()
        }
    }
}

setters!(ChatRequest {
    with_provider(provider: impl Into<Option<String>>),
    with_model(model: impl Into<Option<String>>),
    with_temperature(temperature: impl Into<Option<f64>>),
    with_max_tokens(max_tokens: impl Into<Option<u32>>),
    with_tools(tools: Vec<ChatTool>),
    with_response_schema(response_schema: impl Into<Option<Value>>),
});

/// One turn of a conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ChatMessage {
    /// Who speaks.
    pub role: ChatRole,
    /// What is said.
    pub content: String,
    /// Tools that an assistant's turn calls.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ToolCall>,
    /// Which call a tool's turn answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<String>,
}

impl ChatMessage {
    /// A turn that says something and calls no tool.
    pub fn new(role: ChatRole, content: impl Into<String>) -> Self {
        Self {
            role,
            content: content.into(),
            tool_calls: Vec::new(),
            tool_call_id: None,
        }
    }
}

setters!(ChatMessage {
    with_tool_calls(tool_calls: Vec<ToolCall>),
    with_tool_call_id(tool_call_id: impl Into<Option<String>>),
});

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ChatRole {
    /// Whoever set the task.
    System,
    /// Whoever asks.
    User,
    /// The model.
    Assistant,
    /// A tool, answering a call.
    Tool,
}

/// A tool that a model may call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ChatTool {
    /// Its name.
    pub name: String,
    /// What it does and when to use it.
    pub description: String,
    /// JSON Schema of its arguments.
    pub arguments: Value,
}

impl ChatTool {
    /// A tool with the JSON Schema of its arguments.
    pub fn new(name: impl Into<String>, description: impl Into<String>, arguments: Value) -> Self {
        Self {
            name: name.into(),
            description: description.into(),
            arguments,
        }
    }
}

/// A call of a tool by a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ToolCall {
    /// Names the call.
    pub id: String,
    /// Which tool.
    pub name: String,
    /// The arguments, as the model wrote them.
    pub arguments: Value,
}

impl ToolCall {
    /// A call of the tool of this name.
    pub fn new(id: impl Into<String>, name: impl Into<String>, arguments: Value) -> Self {
        Self {
            id: id.into(),
            name: name.into(),
            arguments,
        }
    }
}

/// A piece of a completion.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ChatChunk {
    /// Some text.
    Token(String),
    /// A whole call of a tool.
    ToolCall(ToolCall),
    /// The end, with the reason that the server gave.
    End(String),
}

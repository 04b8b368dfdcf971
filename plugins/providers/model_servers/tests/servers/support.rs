//! What the tests share.

use futures::TryStreamExt;
use gannet_model_servers::{OpenAi, OpenAiSettings};
use gannet_plugin::prelude::{Error, Setup};
use gannet_plugin::provider::{
    ChatChunk, ChatMessage, ChatModel, ChatRequest, ChatRole, ChatTool, ToolCall,
};
use gannet_plugin::testing::context;
use gannet_test_model_server::ModelServer;
use serde_json::{Value, json};

/// What instances are told; errors name `lab`.
pub fn setup() -> Setup {
    Setup::default().with_instance("lab")
}

/// Settings for the server; a test of time-outs waits a second.
pub fn settings(server: &ModelServer) -> OpenAiSettings {
    OpenAiSettings {
        base_url: Some(format!("{}/v1", server.url())),
        timeout_seconds: 1,
        ..OpenAiSettings::default()
    }
}

pub fn openai(server: &ModelServer) -> OpenAi {
    <OpenAi as ChatModel>::new(settings(server), &setup()).unwrap()
}

pub fn message(role: ChatRole, content: &str) -> ChatMessage {
    ChatMessage::new(role, content)
}

/// A question without anything else.
pub fn question() -> ChatRequest {
    ChatRequest::new(vec![message(ChatRole::User, "Why was the beam lost?")])
}

/// All that a request can hold.
pub fn full_request() -> ChatRequest {
    let called = ToolCall::new("call_9", "keyword_search", json!({"query": "trip"}));
    ChatRequest::new(vec![
        message(ChatRole::System, "Be brief."),
        message(ChatRole::User, "Why was the beam lost?"),
        message(ChatRole::Assistant, "").with_tool_calls(vec![called]),
        (message(ChatRole::Tool, "[#A] A klystron tripped."))
            .with_tool_call_id("call_9".to_owned()),
    ])
    .with_model("m-1".to_owned())
    .with_temperature(0.5)
    .with_max_tokens(200)
    .with_tools(vec![ChatTool::new(
        "keyword_search",
        "Finds entries with the words of a query.",
        json!({"type": "object", "properties": {"query": {"type": "string"}}}),
    )])
    .with_response_schema(json!({"type": "object"}))
}

/// The completion to its end.
pub async fn ask(model: &impl ChatModel, request: ChatRequest) -> Result<Vec<ChatChunk>, Error> {
    model.chat(request, &context()).await?.try_collect().await
}

/// The text of a completion.
pub fn text(chunks: &[ChatChunk]) -> String {
    let token = |chunk: &ChatChunk| match chunk {
        ChatChunk::Token(token) => Some(token.clone()),
        _ => None,
    };
    chunks.iter().filter_map(token).collect()
}

/// The calls of a completion: id, name, arguments.
pub fn calls(chunks: &[ChatChunk]) -> Vec<(String, String, Value)> {
    let call = |chunk: &ChatChunk| match chunk {
        ChatChunk::ToolCall(call) => {
            Some((call.id.clone(), call.name.clone(), call.arguments.clone()))
        }
        _ => None,
    };
    chunks.iter().filter_map(call).collect()
}

/// The reason that ends a completion.
pub fn reason(chunks: &[ChatChunk]) -> &str {
    match chunks.last() {
        Some(ChatChunk::End(reason)) => reason,
        other => panic!("no end: {other:?}"),
    }
}

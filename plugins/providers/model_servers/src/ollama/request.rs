//! Chat requests in the format of Ollama.

use gannet_plugin::provider::{ChatMessage, ChatRequest, ChatRole, ToolCall};
use serde_json::{Map, Value, json};

use crate::openai::tools;

/// The body of a streaming request.
pub(crate) fn body(request: &ChatRequest, model: &str, context_tokens: Option<u32>) -> Value {
    let messages: Vec<Value> = request
        .messages
        .iter()
        .enumerate()
        .map(|(place, turn)| message(turn, &request.messages[..place]))
        .collect();
    let mut body = json!({"model": model, "messages": messages, "stream": true});
    if !request.tools.is_empty() {
        body["tools"] = tools(request);
    }
    if let Some(schema) = &request.response_schema {
        body["format"] = schema.clone();
    }
    let options = [
        ("temperature", request.temperature.map(Value::from)),
        ("num_predict", request.max_tokens.map(Value::from)),
        ("num_ctx", context_tokens.map(Value::from)),
    ];
    let set = options
        .into_iter()
        .filter_map(|(name, value)| Some((name.to_owned(), value?)));
    let options: Map<String, Value> = set.collect();
    if !options.is_empty() {
        body["options"] = Value::Object(options);
    }
    body
}

fn message(message: &ChatMessage, before: &[ChatMessage]) -> Value {
    let mut out = json!({"role": message.role, "content": message.content});
    if !message.tool_calls.is_empty() {
        out["tool_calls"] = message.tool_calls.iter().map(call).collect();
    }
    if let (ChatRole::Tool, Some(id)) = (message.role, &message.tool_call_id) {
        // Ollama identifies the tool of a result by its name.
        let mut calls = before.iter().rev().flat_map(|turn| &turn.tool_calls);
        if let Some(call) = calls.find(|call| call.id == *id) {
            out["tool_name"] = call.name.as_str().into();
        }
    }
    out
}

fn call(call: &ToolCall) -> Value {
    // Ollama refuses anything but an object.
    let arguments = match &call.arguments {
        Value::Object(members) => Value::Object(members.clone()),
        other => json!({"arguments": other}),
    };
    json!({"function": {"name": call.name, "arguments": arguments}})
}

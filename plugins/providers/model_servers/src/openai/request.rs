//! Chat requests in the format of OpenAI.

use gannet_plugin::provider::{ChatMessage, ChatRequest, ChatRole, ToolCall};
use serde_json::{Map, Value, json};

use crate::settings::Preset;

/// The body of a streaming request.
pub(crate) fn body(request: &ChatRequest, model: Option<&str>, preset: Option<Preset>) -> Value {
    let mut body = Map::new();
    if let Some(model) = model {
        body.insert("model".to_owned(), model.into());
    }
    let messages = request.messages.iter().map(message).collect();
    body.insert("messages".to_owned(), messages);
    body.insert("stream".to_owned(), true.into());
    if let Some(temperature) = request.temperature {
        body.insert("temperature".to_owned(), temperature.into());
    }
    if let Some(max_tokens) = request.max_tokens {
        body.insert(max_tokens_key(preset).to_owned(), max_tokens.into());
    }
    if !request.tools.is_empty() {
        body.insert("tools".to_owned(), tools(request));
    }
    if let Some(schema) = &request.response_schema {
        let format = json!({
            "type": "json_schema",
            "json_schema": {"name": "answer", "schema": schema, "strict": is_closed(schema)},
        });
        body.insert("response_format".to_owned(), format);
    }
    Value::Object(body)
}

/// Whether every object of a schema lists all of its properties. OpenAI requires
/// this for `strict`.
fn is_closed(schema: &Value) -> bool {
    match schema {
        Value::Object(members) => {
            let is_object = members.get("type").is_some_and(|kind| kind == "object");
            let is_shut = members.get("additionalProperties") == Some(&Value::Bool(false));
            (!is_object || is_shut) && members.values().all(is_closed)
        }
        Value::Array(members) => members.iter().all(is_closed),
        _ => true,
    }
}

/// Newer models of OpenAI refuse the old name; other servers may not support the
/// new one.
fn max_tokens_key(preset: Option<Preset>) -> &'static str {
    match preset {
        Some(Preset::Openai) => "max_completion_tokens",
        _ => "max_tokens",
    }
}

/// The tools of a request; Ollama uses the same format.
pub(crate) fn tools(request: &ChatRequest) -> Value {
    let tools = request.tools.iter().map(|tool| {
        json!({
            "type": "function",
            "function": {
                "name": tool.name,
                "description": tool.description,
                "parameters": tool.arguments,
            },
        })
    });
    tools.collect()
}

fn message(message: &ChatMessage) -> Value {
    let mut out = json!({"role": message.role, "content": message.content});
    if !message.tool_calls.is_empty() {
        if message.content.is_empty() {
            out["content"] = Value::Null;
        }
        out["tool_calls"] = message.tool_calls.iter().map(call).collect();
    }
    if let (ChatRole::Tool, Some(id)) = (message.role, &message.tool_call_id) {
        out["tool_call_id"] = id.as_str().into();
    }
    out
}

fn call(call: &ToolCall) -> Value {
    json!({
        "id": call.id,
        "type": "function",
        // Always JSON in a string: servers accept it, and some fail on anything
        // else.
        "function": {"name": call.name, "arguments": call.arguments.to_string()},
    })
}

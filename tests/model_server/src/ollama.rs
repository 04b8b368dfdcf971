//! A model's turn as Ollama writes it.

use serde_json::{Value, json};

use crate::pieces::words;
use crate::reply::{Called, Ending};

/// One JSON body.
pub(crate) fn whole(text: &str, calls: &[Called], finish: &str) -> Value {
    let mut body = message(text, calls);
    body["done"] = Value::from(true);
    body["done_reason"] = Value::from(finish);
    body
}

/// One JSON a line: the words one by one, then the calls.
pub(crate) fn lines(text: &str, calls: &[Called], finish: &str, ending: Ending) -> Vec<String> {
    let mut lines: Vec<String> = words(text)
        .iter()
        .map(|w| one_line(message(w, &[])))
        .collect();
    if !calls.is_empty() {
        lines.push(one_line(message("", calls)));
    }
    match ending {
        Ending::Whole => lines.push(one_line(whole("", &[], finish))),
        Ending::Malformed => lines.push("{\"message\": {\"con\n".to_owned()),
        Ending::Cut | Ending::Hang => {}
    }
    lines
}

fn message(text: &str, calls: &[Called]) -> Value {
    let mut message = json!({"role": "assistant", "content": text});
    if !calls.is_empty() {
        let call =
            |call: &Called| json!({"function": {"name": call.name, "arguments": arguments(call)}});
        message["tool_calls"] = calls.iter().map(call).collect();
    }
    json!({"model": "scripted", "created_at": "2024-01-01T00:00:00Z", "message": message, "done": false})
}

/// An object, as Ollama writes it; a text where the script has no JSON.
fn arguments(call: &Called) -> Value {
    serde_json::from_str(&call.arguments).unwrap_or_else(|_| Value::from(call.arguments.as_str()))
}

fn one_line(body: Value) -> String {
    format!("{body}\n")
}

//! A model's turn as OpenAI writes it.

use serde_json::{Value, json};

use crate::pieces::{halves, words};
use crate::reply::{Called, Ending};

/// One JSON body.
pub(crate) fn whole(text: &str, calls: &[Called], finish: &str, first_id: usize) -> Value {
    let calls: Vec<Value> = calls
        .iter()
        .enumerate()
        .map(|(at, call)| {
            json!({
                "id": format!("call_{}", first_id + at),
                "type": "function",
                "function": {"name": call.name, "arguments": call.arguments},
            })
        })
        .collect();
    let mut message = json!({"role": "assistant", "content": content(text, &calls)});
    if !calls.is_empty() {
        message["tool_calls"] = Value::from(calls);
    }
    json!({
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 0,
        "model": "scripted",
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
    })
}

fn content(text: &str, calls: &[Value]) -> Value {
    match text.is_empty() && !calls.is_empty() {
        true => Value::Null,
        false => Value::from(text),
    }
}

/// Server-sent events: the words one by one, arguments in two pieces.
pub(crate) fn events(
    text: &str,
    calls: &[Called],
    finish: &str,
    first_id: usize,
    ending: Ending,
) -> Vec<String> {
    let mut events = vec![delta(json!({"role": "assistant", "content": ""}))];
    events.extend(
        words(text)
            .into_iter()
            .map(|w| delta(json!({"content": w}))),
    );
    for (index, call) in calls.iter().enumerate() {
        let [first, second] = halves(&call.arguments);
        events.push(delta(json!({"tool_calls": [{
            "index": index,
            "id": format!("call_{}", first_id + index),
            "type": "function",
            "function": {"name": call.name, "arguments": first},
        }]})));
        events.push(delta(json!({"tool_calls": [{
            "index": index,
            "function": {"arguments": second},
        }]})));
    }
    match ending {
        Ending::Whole => {
            events.push(chunk(json!({}), Value::from(finish)));
            events.push("data: [DONE]\n\n".to_owned());
        }
        Ending::Malformed => events.push("data: {\"choices\": [{\"del\n\n".to_owned()),
        Ending::Cut | Ending::Hang => {}
    }
    events
}

fn delta(delta: Value) -> String {
    chunk(delta, Value::Null)
}

fn chunk(delta: Value, finish: Value) -> String {
    let chunk = json!({
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 0,
        "model": "scripted",
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
    });
    format!("data: {chunk}\n\n")
}

//! Accumulates tool calls from the chunks of a stream.

use gannet_plugin::provider::ToolCall;
use serde_json::{Map, Value};

/// The tool calls of one turn.
#[derive(Default)]
pub(crate) struct ToolCallAccumulator(Vec<Part>);

/// Bytes that a call counts in addition to its texts, so that the number of empty
/// calls is limited too.
const CALL: usize = 1024;

#[derive(Default)]
struct Part {
    index: Option<u64>,
    id: String,
    name: String,
    text: String,
    /// Arguments sent as JSON instead of a string.
    whole: Option<Value>,
    /// Size of their text in bytes.
    whole_bytes: usize,
}

impl Part {
    fn bytes(&self) -> usize {
        CALL + self.id.len() + self.name.len() + self.text.len() + self.whole_bytes
    }
}

impl ToolCallAccumulator {
    /// Adds a chunk of a call, or a complete one.
    pub(crate) fn add(&mut self, piece: &Value) {
        let index = piece["index"].as_u64();
        let id = piece["id"].as_str().unwrap_or_default();
        let function = &piece["function"];
        let name = function["name"].as_str().unwrap_or_default();
        let place = self.place_of(index, id, name);
        let part = match place.and_then(|place| self.0.get_mut(place)) {
            Some(part) => part,
            None => self.0.push_mut(Part {
                index,
                ..Part::default()
            }),
        };
        if part.id.is_empty() {
            part.id = id.to_owned();
        }
        if part.name.is_empty() {
            part.name = name.to_owned();
        }
        match &function["arguments"] {
            Value::Null => {}
            Value::String(text) => part.text.push_str(text),
            whole => {
                part.whole_bytes = whole.to_string().len();
                part.whole = Some(whole.clone());
            }
        }
    }

    /// Size of all calls in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.0.iter().map(Part::bytes).sum()
    }

    /// Adds a complete call.
    pub(crate) fn add_whole(&mut self, call: &Value) {
        let mut one = Self::default();
        one.add(call);
        self.0.append(&mut one.0);
    }

    /// The call that a chunk belongs to; `None` for a new one. Servers send an index,
    /// an id, or neither; some send index 0 for all calls.
    fn place_of(&self, index: Option<u64>, id: &str, name: &str) -> Option<usize> {
        let other_call = |part: &Part| {
            !name.is_empty() && !id.is_empty() && !part.id.is_empty() && part.id != id
        };
        if let Some(index) = index {
            let place = self.0.iter().rposition(|part| part.index == Some(index))?;
            return (!other_call(&self.0[place])).then_some(place);
        }
        let same_id = |part: &Part| !id.is_empty() && part.id == id;
        if let Some(place) = self.0.iter().position(same_id) {
            return Some(place);
        }
        match name.is_empty() {
            true => self.0.len().checked_sub(1),
            false => None,
        }
    }

    /// The calls in order. A missing id is generated from the number of earlier calls
    /// of the conversation, so that it is unique.
    pub(crate) fn finish(self, calls_before: usize) -> Vec<ToolCall> {
        let mut calls: Vec<ToolCall> = Vec::new();
        for part in self.0 {
            let taken = calls.iter().any(|call| call.id == part.id);
            let id = match part.id.is_empty() || taken {
                true => format!("call_{}", calls_before + calls.len() + 1),
                false => part.id,
            };
            let arguments = part.whole.unwrap_or_else(|| read(part.text));
            calls.push(ToolCall::new(id, part.name, arguments));
        }
        calls
    }
}

/// The parsed arguments; the raw text if they are not JSON.
fn read(text: String) -> Value {
    if text.trim().is_empty() {
        return Value::Object(Map::new());
    }
    match serde_json::from_str(&text) {
        // Some servers encode the JSON twice.
        Ok(Value::String(inner)) => match serde_json::from_str(&inner) {
            Ok(Value::Object(members)) => Value::Object(members),
            _ => Value::String(inner),
        },
        Ok(value) => value,
        Err(_) => Value::String(text),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use serde_json::json;

    use super::*;

    fn put_together(pieces: Value) -> Vec<(String, String, Value)> {
        let mut calls = ToolCallAccumulator::default();
        for piece in pieces.as_array().unwrap() {
            calls.add(piece);
        }
        let calls = calls.finish(2);
        let parts = |call: ToolCall| (call.id, call.name, call.arguments);
        calls.into_iter().map(parts).collect()
    }

    fn call(id: &str, name: &str, arguments: Value) -> (String, String, Value) {
        (id.to_owned(), name.to_owned(), arguments)
    }

    #[test]
    fn pieces_are_put_together_by_index() {
        let calls = put_together(json!([
            {"index": 0, "id": "a", "function": {"name": "f", "arguments": "{\"q\""}},
            {"index": 1, "id": "b", "function": {"name": "g", "arguments": ""}},
            {"index": 0, "function": {"arguments": ": 1}"}},
            {"index": 1, "function": {"arguments": "{}"}},
        ]));
        assert_eq!(
            calls,
            [call("a", "f", json!({"q": 1})), call("b", "g", json!({}))]
        );
    }

    #[test]
    fn calls_without_index_are_told_apart() {
        let calls = put_together(json!([
            {"id": "a", "function": {"name": "f", "arguments": {"q": 1}}},
            {"function": {"name": "f", "arguments": "{\"q\":"}},
            {"function": {"arguments": " 2}"}},
        ]));
        let expected = [
            call("a", "f", json!({"q": 1})),
            call("call_4", "f", json!({"q": 2})),
        ];
        assert_eq!(calls, expected);
    }

    #[test]
    fn calls_that_share_an_index_are_told_apart_by_id() {
        let calls = put_together(json!([
            {"index": 0, "id": "a", "function": {"name": "f", "arguments": "{}"}},
            {"index": 0, "id": "b", "function": {"name": "f", "arguments": "{}"}},
        ]));
        assert_eq!(calls.len(), 2);
        // A new id in every chunk does not make a new call.
        let calls = put_together(json!([
            {"index": 0, "id": "a", "function": {"name": "f", "arguments": "{"}},
            {"index": 0, "id": "b", "function": {"arguments": "}"}},
        ]));
        assert_eq!(calls, [call("a", "f", json!({}))]);
    }

    #[test]
    fn an_id_that_is_there_twice_is_made_anew() {
        let calls = put_together(json!([
            {"index": 0, "id": "0", "function": {"name": "f"}},
            {"index": 1, "id": "0", "function": {"name": "g"}},
        ]));
        assert_eq!(
            calls,
            [call("0", "f", json!({})), call("call_4", "g", json!({}))]
        );
    }

    #[test]
    fn arguments_that_are_no_json_are_given_as_they_stand() {
        for (written, read) in [
            ("{\"q\": ", json!("{\"q\": ")),
            ("beam loss", json!("beam loss")),
            ("\"{\\\"q\\\": 1}\"", json!({"q": 1})),
            ("\"beam\"", json!("beam")),
            ("  ", json!({})),
            ("[1]", json!([1])),
        ] {
            let calls = put_together(json!([{"function": {"name": "f", "arguments": written}}]));
            assert_eq!(calls, [call("call_3", "f", read)]);
        }
    }
}

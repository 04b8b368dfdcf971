//! A turn of a model in the format of OpenAI: server-sent events or a JSON body.

use std::collections::VecDeque;

use gannet_plugin::provider::ChatChunk;
use serde_json::Value;

use crate::tool_calls::ToolCallAccumulator;
use crate::turn::{Turn, Unusable};

/// Maximum characters outside of events that are kept for an error.
const STRAY: usize = 2000;

/// A turn that is being received.
#[derive(Default)]
pub(crate) struct OpenAiTurn {
    calls_before: usize,
    calls: ToolCallAccumulator,
    reason: Option<String>,
    /// Data of an incomplete event.
    data: String,
    /// The name of that event.
    event: String,
    /// A body that is a single JSON value.
    whole: Option<String>,
    /// Lines outside of events.
    stray: String,
    has_begun: bool,
    is_over: bool,
}

impl OpenAiTurn {
    /// A turn of a conversation with this many earlier tool calls.
    pub(crate) fn new(calls_before: usize) -> Self {
        Self {
            calls_before,
            ..Self::default()
        }
    }

    /// The data of an event is complete.
    fn dispatch(&mut self, ready: &mut VecDeque<ChatChunk>) -> Result<(), Unusable> {
        let data = std::mem::take(&mut self.data);
        let event = std::mem::take(&mut self.event);
        let data = data.trim();
        if data.is_empty() || self.is_over {
            return Ok(());
        }
        if data == "[DONE]" {
            self.is_over = true;
            return Ok(());
        }
        if event == "error" {
            return Err(Unusable::Reported(data.to_owned()));
        }
        let value = serde_json::from_str(data).map_err(|error| unreadable(&error, data))?;
        self.take(&value, ready)
    }

    /// Parses a chunk of the turn, or the whole turn.
    fn take(&mut self, value: &Value, ready: &mut VecDeque<ChatChunk>) -> Result<(), Unusable> {
        if let Some(error) = value.get("error").filter(|error| !error.is_null()) {
            return Err(Unusable::Reported(reported(error)));
        }
        let Some(choice) = value["choices"].get(0) else {
            return Ok(());
        };
        if choice["index"].as_u64().unwrap_or(0) != 0 {
            return Ok(());
        }
        self.has_begun = true;
        let said = match &choice["delta"] {
            Value::Null => &choice["message"],
            delta => delta,
        };
        let words = [&said["content"], &said["refusal"], &choice["text"]]
            .into_iter()
            .map(text)
            .find(|text| !text.is_empty());
        ready.extend(words.map(ChatChunk::Token));
        for call in said["tool_calls"].as_array().into_iter().flatten() {
            self.calls.add(call);
        }
        let reason = text(&choice["finish_reason"]);
        if !reason.is_empty() {
            self.reason = Some(reason);
        }
        Ok(())
    }

    fn keep_stray(&mut self, line: &str) {
        if self.stray.len() < STRAY {
            self.stray.push_str(line);
            self.stray.push('\n');
        }
    }
}

impl Turn for OpenAiTurn {
    fn line(&mut self, line: &str, ready: &mut VecDeque<ChatChunk>) -> Result<(), Unusable> {
        if let Some(whole) = &mut self.whole {
            whole.push_str(line);
            whole.push('\n');
            return Ok(());
        }
        if line.trim().is_empty() {
            return self.dispatch(ready);
        }
        if let Some(data) = line.strip_prefix("data:") {
            // Some servers omit the empty line between events.
            if is_complete(&self.data) {
                self.dispatch(ready)?;
            }
            if !self.data.is_empty() {
                self.data.push('\n');
            }
            self.data.push_str(data.strip_prefix(' ').unwrap_or(data));
            return Ok(());
        }
        if let Some(name) = line.strip_prefix("event:") {
            self.event = name.trim().to_owned();
            return Ok(());
        }
        if line.trim_start().starts_with('{') {
            if !self.has_begun {
                self.whole = Some(format!("{line}\n"));
                return Ok(());
            }
            // An error that is not wrapped in an event.
            self.data = line.to_owned();
            return self.dispatch(ready);
        }
        let is_field = [":", "id:", "retry:"].iter().any(|f| line.starts_with(f));
        if !is_field {
            self.keep_stray(line);
        }
        Ok(())
    }

    fn kept_bytes(&self) -> usize {
        let whole = self.whole.as_ref().map_or(0, String::len);
        self.calls.bytes() + self.data.len() + whole
    }

    fn has_reason(&self) -> bool {
        self.reason.is_some()
    }

    fn is_over(&self) -> bool {
        self.is_over
    }

    fn end(&mut self, complete: bool, ready: &mut VecDeque<ChatChunk>) -> Result<(), Unusable> {
        let last = self.dispatch(ready);
        // Data after the finish reason is not needed.
        if self.reason.is_none() {
            last?;
        }
        if let Some(whole) = self.whole.take() {
            let value = serde_json::from_str(&whole).map_err(|error| unreadable(&error, &whole))?;
            self.take(&value, ready)?;
            if !self.has_begun {
                let why = "has no `choices`".to_owned();
                return Err(Unusable::Unreadable { why, raw: whole });
            }
            self.is_over = true;
        }
        if !self.has_begun && !self.is_over {
            return Err(Unusable::Unreadable {
                why: "contains no message of a model".to_owned(),
                raw: std::mem::take(&mut self.stray),
            });
        }
        if !self.is_over && self.reason.is_none() && !complete {
            return Err(Unusable::Reported("its response is incomplete".to_owned()));
        }
        let calls = std::mem::take(&mut self.calls).finish(self.calls_before);
        ready.extend(calls.into_iter().map(ChatChunk::ToolCall));
        let reason = self.reason.take().unwrap_or_else(|| "stop".to_owned());
        ready.push_back(ChatChunk::End(reason));
        Ok(())
    }
}

/// A string, or the texts of an array of parts; `None` for anything else.
fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts
            .iter()
            .filter_map(|part| part["text"].as_str())
            .collect(),
        _ => String::new(),
    }
}

fn reported(error: &Value) -> String {
    match (error, &error["message"]) {
        (Value::String(text), _) | (_, Value::String(text)) => text.clone(),
        _ => error.to_string(),
    }
}

fn is_complete(data: &str) -> bool {
    let data = data.trim();
    data == "[DONE]"
        || (!data.is_empty() && serde_json::from_str::<serde::de::IgnoredAny>(data).is_ok())
}

fn unreadable(error: &serde_json::Error, raw: &str) -> Unusable {
    Unusable::Unreadable {
        why: format!("is not JSON ({error})"),
        raw: raw.to_owned(),
    }
}

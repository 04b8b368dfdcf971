//! A turn of a model in the format of Ollama: one JSON value per line.

use std::collections::VecDeque;

use gannet_plugin::provider::ChatChunk;
use serde_json::Value;

use crate::tool_calls::ToolCallAccumulator;
use crate::turn::{Turn, Unusable};

/// A turn that is being received.
pub(crate) struct OllamaTurn {
    calls_before: usize,
    calls: ToolCallAccumulator,
    reason: Option<String>,
    is_over: bool,
}

impl OllamaTurn {
    /// A turn of a conversation with this many earlier tool calls.
    pub(crate) fn new(calls_before: usize) -> Self {
        Self {
            calls_before,
            calls: ToolCallAccumulator::default(),
            reason: None,
            is_over: false,
        }
    }
}

impl Turn for OllamaTurn {
    fn line(&mut self, line: &str, ready: &mut VecDeque<ChatChunk>) -> Result<(), Unusable> {
        if line.trim().is_empty() || self.is_over {
            return Ok(());
        }
        let unreadable = |why| Unusable::Unreadable {
            why,
            raw: line.to_owned(),
        };
        let value: Value = serde_json::from_str(line)
            .map_err(|error| unreadable(format!("is not JSON ({error})")))?;
        match &value["error"] {
            Value::Null => {}
            Value::String(text) => return Err(Unusable::Reported(text.clone())),
            other => return Err(Unusable::Reported(other.to_string())),
        }
        let message = &value["message"];
        if !message.is_object() && value["done"] != true {
            return Err(unreadable("has no `message`".to_owned()));
        }
        let text = message["content"].as_str().unwrap_or_default();
        if !text.is_empty() {
            ready.push_back(ChatChunk::Token(text.to_owned()));
        }
        for call in message["tool_calls"].as_array().into_iter().flatten() {
            self.calls.add_whole(call);
        }
        if value["done"] == true {
            self.is_over = true;
            self.reason = value["done_reason"].as_str().map(str::to_owned);
        }
        Ok(())
    }

    fn kept_bytes(&self) -> usize {
        self.calls.bytes()
    }

    fn has_reason(&self) -> bool {
        self.is_over
    }

    fn is_over(&self) -> bool {
        self.is_over
    }

    fn end(&mut self, _complete: bool, ready: &mut VecDeque<ChatChunk>) -> Result<(), Unusable> {
        if !self.is_over {
            return Err(Unusable::Reported("its response is incomplete".to_owned()));
        }
        let calls = std::mem::take(&mut self.calls).finish(self.calls_before);
        ready.extend(calls.into_iter().map(ChatChunk::ToolCall));
        let reason = self.reason.take().filter(|reason| !reason.is_empty());
        ready.push_back(ChatChunk::End(reason.unwrap_or_else(|| "stop".to_owned())));
        Ok(())
    }
}

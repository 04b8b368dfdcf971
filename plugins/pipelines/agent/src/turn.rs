//! One turn of the model, collected to its end or to its limits.

use std::time::Duration;

use futures::StreamExt;
use gannet_plugin::pipeline::Event;
use gannet_plugin::prelude::{Context, Error, Result};
use gannet_plugin::provider::{ChatChunk, ChatRequest, ToolCall};
use gannet_stages::{CUT_AT_ITS_LIMIT, CitationCheck, CitationStyle, Cited, TurnRoom};
use serde_json::{Value, json};

/// Calls of one turn that are carried out; the others are counted.
pub(crate) const CALLS_AT_ONCE: usize = 8;
/// Characters of a tool's name, and of the id of a call.
const NAME_CHARS: usize = 64;
/// Characters of a call's arguments, as they are written.
const ARGUMENT_CHARS: usize = 4_000;
/// Characters that are kept of longer ones.
const CUT_TO: usize = 200;

/// What the model said and called.
pub(crate) struct Turn {
    /// What it said, as it said it.
    pub(crate) text: String,
    /// The same with its citations checked.
    pub(crate) cited: Cited,
    /// The tools that it called.
    pub(crate) calls: Vec<ToolCall>,
    /// How many more it called than are carried out.
    pub(crate) calls_left_out: usize,
    /// Whether it had more to say than it may.
    pub(crate) is_cut: bool,
    /// Whether its words were shown.
    pub(crate) was_shown: bool,
}

/// Asks the model and collects its turn, within 80 % of the time that is left.
/// Its words are shown as they come where they may be an answer; marks
/// of entries that no tool returned are left out.
///
/// # Errors
/// What the provider fails with; [`Error::Timeout`].
pub(crate) async fn collect_turn(
    request: ChatRequest,
    given: Vec<String>,
    is_shown: bool,
    context: &Context,
) -> Result<Turn> {
    let context = context.with_deadline(context.call.deadline.for_part());
    let deadline = context.call.deadline;
    let time_is_up = too_long("the chat model", deadline.remaining().unwrap_or_default());
    let mut stream = context.chat(request).await?;
    let mut check = CitationCheck::new(given, CitationStyle::EntryId);
    let mut room = TurnRoom::default();
    let mut turn = Turn {
        text: String::new(),
        cited: Cited::default(),
        calls: Vec::new(),
        calls_left_out: 0,
        is_cut: false,
        was_shown: false,
    };
    while let Some(chunk) = stream.next().await {
        if deadline.has_passed() {
            turn.take_back(&context);
            return Err(time_is_up);
        }
        match chunk {
            Ok(ChatChunk::Token(text)) => {
                let text = room.take(&text);
                turn.text.push_str(text);
                let words = check.push(text);
                if check.takes_back() {
                    turn.take_back(&context);
                }
                turn.show(words, is_shown, &context);
                if room.is_used_up() {
                    turn.is_cut = true;
                    break;
                }
            }
            Ok(ChatChunk::ToolCall(call)) if turn.calls.len() < CALLS_AT_ONCE => {
                turn.calls.push(bounded(call));
            }
            Ok(ChatChunk::ToolCall(_)) => turn.calls_left_out += 1,
            Ok(ChatChunk::End(reason)) => {
                turn.is_cut = reason == CUT_AT_ITS_LIMIT;
                break;
            }
            Ok(_) => break,
            Err(error) => {
                turn.take_back(&context);
                return Err(error);
            }
        }
    }
    let (rest, cited) = check.finish();
    turn.show(rest, is_shown, &context);
    turn.cited = cited;
    Ok(turn)
}

impl Turn {
    /// Says that what was shown is no answer.
    pub(crate) fn take_back(&mut self, context: &Context) {
        if self.was_shown {
            self.was_shown = false;
            context.emit(Event::Answer {
                text: String::new(),
            });
        }
    }

    fn show(&mut self, text: String, is_shown: bool, context: &Context) {
        if is_shown && !text.is_empty() {
            self.was_shown = true;
            context.emit(Event::Token { text });
        }
    }
}

/// A call as it is kept and sent back to the model: what is too long is cut.
pub(crate) fn bounded(mut call: ToolCall) -> ToolCall {
    if call.id.chars().nth(NAME_CHARS).is_some() {
        // It gets one of our own.
        call.id.clear();
    }
    if let Some((end, _)) = call.name.char_indices().nth(NAME_CHARS) {
        call.name.truncate(end);
    }
    let written = call.arguments.to_string();
    if written.chars().nth(ARGUMENT_CHARS).is_some() {
        call.arguments = too_much(&written);
    }
    call
}

/// Replaces arguments that are too long, which no tool accepts.
fn too_much(written: &str) -> Value {
    let beginning: String = written.chars().take(CUT_TO).collect();
    json!({ "too_long": beginning })
}

/// The error of work that did not end within this time.
pub(crate) fn too_long(operation: &str, limit: Duration) -> Error {
    Error::Timeout {
        operation: operation.to_owned(),
        limit,
    }
}

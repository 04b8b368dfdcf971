//! One turn of the model, heard to its end.

use futures::StreamExt;
use gannet_plugin::{ChatChunk, ChatRequest, Context, Deadline, Error, Event, Result, ToolCall};
use gannet_stages::{CitationCheck, CitationStyle, Cited};

/// What the model said and called.
pub(crate) struct Turn {
    /// What it said, as it said it.
    pub(crate) text: String,
    /// The same with its citations checked.
    pub(crate) cited: Cited,
    /// The tools that it called.
    pub(crate) calls: Vec<ToolCall>,
    /// Whether its words were shown.
    pub(crate) was_shown: bool,
}

/// Asks the model and hears it to its end, within 80 % of the time that is
/// left. Its words are shown as they come where they may be an answer; marks
/// of entries that no tool gave are left out.
///
/// # Errors
/// What the provider fails with; [`Error::Timeout`].
pub(crate) async fn hear(
    request: ChatRequest,
    given: Vec<String>,
    is_shown: bool,
    context: &Context,
) -> Result<Turn> {
    let context = context.with_deadline(context.call.deadline.for_part());
    let deadline = context.call.deadline;
    let time_is_up = too_long("the chat model", deadline);
    let mut stream = context.chat(request).await?;
    let mut check = CitationCheck::new(given, CitationStyle::EntryId);
    let mut turn = Turn {
        text: String::new(),
        cited: Cited::default(),
        calls: Vec::new(),
        was_shown: false,
    };
    while let Some(chunk) = stream.next().await {
        if deadline.has_passed() {
            turn.take_back(&context);
            return Err(time_is_up);
        }
        match chunk {
            Ok(ChatChunk::Token(text)) => {
                turn.text.push_str(&text);
                turn.show(check.push(&text), is_shown, &context);
            }
            Ok(ChatChunk::ToolCall(call)) => turn.calls.push(call),
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

/// The error of work that did not end in time.
pub(crate) fn too_long(operation: &str, deadline: Deadline) -> Error {
    Error::Timeout {
        operation: operation.to_owned(),
        limit: deadline.remaining().unwrap_or_default(),
    }
}

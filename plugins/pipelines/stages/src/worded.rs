//! A chat model's answer from the entries that it was given.

use futures::StreamExt;
use gannet_plugin::pipeline::Event;
use gannet_plugin::prelude::{Context, Error, Result};
use gannet_plugin::provider::{ChatChunk, ChatRequest};

use crate::{CUT_AT_ITS_LIMIT, CitationCheck, Cited, TurnRoom};

/// A model's answer, its marks checked.
#[derive(Debug)]
pub struct Worded {
    /// Its words and what they cite.
    pub cited: Cited,
    /// Whether the model stopped because it had said as much as it may.
    pub is_cut: bool,
}

/// Asks a chat model and streams its words. Marks are checked as they come:
/// what is shown holds no citation of an entry that was not given, and no
/// thought. What is longer than any answer is cut.
///
/// # Errors
/// What the model's provider fails with; [`Error::Timeout`] when the part of
/// the time that a stage has is up; [`Error::Provider`] when the answer is
/// empty.
pub async fn word_with_model(
    chat: ChatRequest,
    mut check: CitationCheck,
    context: &Context,
) -> Result<Worded> {
    let deadline = context.call.deadline.for_part();
    let context = context.with_deadline(deadline);
    let provider = chat.provider.clone().unwrap_or_default();
    let limit = deadline.remaining().unwrap_or_default();
    let mut stream = context.chat(chat).await?;
    let mut room = TurnRoom::default();
    let mut is_cut = false;
    while let Some(chunk) = stream.next().await {
        if deadline.has_passed() {
            return Err(Error::Timeout {
                operation: "the chat model".to_owned(),
                limit,
            });
        }
        match chunk? {
            ChatChunk::Token(text) => {
                let shown = check.push(room.take(&text));
                if check.takes_back() {
                    // What was shown is no answer.
                    context.emit(Event::Answer {
                        text: String::new(),
                    });
                }
                show(shown, &context);
                if room.is_used_up() {
                    is_cut = true;
                    break;
                }
            }
            // No tool was offered; a call of one is not carried out.
            ChatChunk::ToolCall(_) => {}
            ChatChunk::End(reason) => {
                is_cut = reason == CUT_AT_ITS_LIMIT;
                break;
            }
            _ => break,
        }
    }
    let (rest, cited) = check.finish();
    show(rest, &context);
    if cited.text.trim().is_empty() {
        return Err(Error::Provider {
            provider,
            message: "the model returned an empty answer".to_owned(),
            retryable: true,
        });
    }
    Ok(Worded { cited, is_cut })
}

fn show(text: String, context: &Context) {
    if !text.is_empty() {
        context.emit(Event::Token { text });
    }
}

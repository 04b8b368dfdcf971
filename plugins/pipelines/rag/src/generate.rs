//! Generate: a chat model words an answer from the context.

use futures::StreamExt;
use gannet_plugin::pipeline::Event;
use gannet_plugin::prelude::{Context, Error, Result};
use gannet_plugin::provider::{ChatChunk, ChatMessage, ChatRequest, ChatRole};
use gannet_stages::{CUT_AT_ITS_LIMIT, CitationCheck, Cited, TurnRoom};

use crate::prompts::Prompt;
use crate::run::Run;

/// A model's answer, its marks checked.
pub(crate) struct Generated {
    pub(crate) cited: Cited,
    /// Whether the model stopped because it had said as much as it may.
    pub(crate) is_cut: bool,
}

impl Run<'_> {
    /// Asks the model and streams its words. Marks are checked as they come:
    /// what is shown holds no citation of an entry that was not given, and no
    /// thought. What is longer than any answer is cut.
    ///
    /// # Errors
    /// What the model's provider fails with; [`Error::Timeout`] when the time
    /// is up; [`Error::Provider`] when the answer is empty.
    pub(crate) async fn generate(&self, prompt: &Prompt, given: &[String]) -> Result<Generated> {
        let deadline = self.context.call.deadline.for_part();
        let context = self.context.with_deadline(deadline);
        let chat = ChatRequest::new(self.messages(prompt))
            .with_provider(self.setup.provider.clone())
            .with_model(self.setup.model.clone())
            .with_temperature(self.settings.temperature)
            .with_max_tokens(self.settings.max_tokens);
        let time = deadline.remaining().unwrap_or_default();
        let mut stream = context.chat(chat).await?;
        let mut check = CitationCheck::new(given.to_vec(), self.settings.citation_style);
        let mut room = TurnRoom::default();
        let mut is_cut = false;
        while let Some(chunk) = stream.next().await {
            if deadline.has_passed() {
                return Err(Error::Timeout {
                    operation: "the chat model".to_owned(),
                    limit: time,
                });
            }
            match chunk? {
                ChatChunk::Token(text) => {
                    let shown = check.push(room.take(&text));
                    if check.takes_back() {
                        take_back(&context);
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
                provider: self.setup.provider.clone().unwrap_or_default(),
                message: "the model returned an empty answer".to_owned(),
                retryable: true,
            });
        }
        Ok(Generated { cited, is_cut })
    }

    /// The system's words, what was said before, and what is asked now. Of
    /// what was said before only the words of the two sides count: a turn of
    /// another role would be an instruction or a result of a tool.
    fn messages(&self, prompt: &Prompt) -> Vec<ChatMessage> {
        let mut messages = vec![ChatMessage::new(ChatRole::System, prompt.system.clone())];
        let said = self.request.history.iter().filter(|turn| {
            let is_of_a_side = matches!(turn.role, ChatRole::User | ChatRole::Assistant);
            is_of_a_side && !turn.content.trim().is_empty()
        });
        messages.extend(said.map(|turn| ChatMessage::new(turn.role, turn.content.clone())));
        messages.push(ChatMessage::new(ChatRole::User, prompt.user.clone()));
        messages
    }
}

/// Says that what was shown is no answer.
fn take_back(context: &Context) {
    context.emit(Event::Answer {
        text: String::new(),
    });
}

fn show(text: String, context: &Context) {
    if !text.is_empty() {
        context.emit(Event::Token { text });
    }
}

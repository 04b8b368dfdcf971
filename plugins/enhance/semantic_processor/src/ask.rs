//! What the model is asked, and what it says.

use std::time::Duration;

use futures::StreamExt;
use gannet_plugin::prelude::{Context, Error, Result};
use gannet_plugin::provider::{ChatChunk, ChatMessage, ChatRequest, ChatRole};
use gannet_stages::{BuiltInPrompt, fence, fence_mark, neutral, without_thoughts};

use crate::SemanticProcessor;

/// Bytes of a reply at most; what is longer is no reply.
const LONGEST_REPLY: usize = 64 << 10;

/// What the model is told.
const SYSTEM: BuiltInPrompt = BuiltInPrompt {
    plugin: "semantic_processor",
    part: "system",
    text: include_str!("../prompts/semantic_processor.system.md"),
    required: &["nonce"],
};
/// The entry.
const USER: BuiltInPrompt = BuiltInPrompt {
    plugin: "semantic_processor",
    part: "user",
    text: include_str!("../prompts/semantic_processor.user.md"),
    required: &["entry"],
};
pub(crate) const PROMPTS: [BuiltInPrompt; 2] = [SYSTEM, USER];

impl SemanticProcessor {
    /// What the model says of a text, without its thoughts.
    ///
    /// # Errors
    /// Those of the provider; [`Error::Timeout`].
    pub(crate) async fn ask(&self, text: &str, context: &Context) -> Result<String> {
        let limit = Duration::from_secs(self.settings.timeout_seconds);
        let deadline = context.call.deadline.at_most(limit);
        let context = context.with_deadline(deadline);
        let mut stream = context.chat(self.request(text)).await?;
        let mut reply = String::new();
        while let Some(chunk) = stream.next().await {
            if deadline.has_passed() {
                return Err(Error::Timeout {
                    operation: "the chat model".to_owned(),
                    limit,
                });
            }
            match chunk? {
                ChatChunk::Token(piece) => reply.push_str(&piece),
                // No tool was offered.
                ChatChunk::ToolCall(_) => {}
                _ => break,
            }
            if reply.len() > LONGEST_REPLY {
                return Err(self.malformed("it is longer than 64 KiB"));
            }
        }
        Ok(without_thoughts(&reply))
    }

    fn request(&self, text: &str) -> ChatRequest {
        let read = neutral(beginning(text, self.settings.max_text_chars));
        let mark = fence_mark(&[&read]);
        let entry = fence(&read, &mark);
        let values = [("nonce", mark.as_str()), ("entry", entry.as_str())];
        let system = SYSTEM.render(&self.setup, &values);
        let user = USER.render(&self.setup, &values);
        let messages = vec![
            ChatMessage::new(ChatRole::System, system),
            ChatMessage::new(ChatRole::User, user),
        ];
        ChatRequest::new(messages)
            .with_provider(self.setup.provider.clone())
            .with_model(self.setup.model.clone())
            .with_temperature(self.settings.temperature)
            .with_max_tokens(self.settings.max_tokens)
    }
}

fn beginning(text: &str, chars: usize) -> &str {
    match text.char_indices().nth(chars) {
        Some((end, _)) => &text[..end],
        None => text,
    }
}

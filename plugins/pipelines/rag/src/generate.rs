//! Generate: a chat model words an answer from the context.

use gannet_plugin::prelude::Result;
use gannet_plugin::provider::{ChatMessage, ChatRequest, ChatRole};
use gannet_stages::{CitationCheck, Worded, word_with_model};

use crate::prompts::Prompt;
use crate::run::Run;

impl Run<'_> {
    /// Asks the model and streams its words.
    ///
    /// # Errors
    /// Those of [`word_with_model`].
    pub(crate) async fn generate(&self, prompt: &Prompt, given: &[String]) -> Result<Worded> {
        let chat = ChatRequest::new(self.messages(prompt))
            .with_provider(self.setup.provider.clone())
            .with_model(self.setup.model.clone())
            .with_temperature(self.settings.temperature)
            .with_max_tokens(self.settings.max_tokens);
        let check = CitationCheck::new(given.to_vec(), self.settings.citation_style);
        word_with_model(chat, check, self.context).await
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

//! A conversation on the terminal.

mod flow;
mod lines;
mod order;
mod screen;

pub use lines::{Lines, Typed};
pub use order::{ORDERS, Order};
pub use screen::{Screen, print_sources};

use gannet_core::SearchResult;
use gannet_core::api::{ChatMessage, ChatRole};

/// Turns of the conversation that a model is reminded of: six questions and
/// their answers.
const TURNS_AT_MOST: usize = 12;

/// What was said so far.
#[derive(Default)]
pub struct Conversation {
    turns: Vec<ChatMessage>,
    /// The last answer with its sources.
    pub last: Option<SearchResult>,
}

impl Conversation {
    /// What was said before, oldest first.
    pub fn history(&self) -> Vec<ChatMessage> {
        let start = self.turns.len().saturating_sub(TURNS_AT_MOST);
        self.turns[start..].to_vec()
    }

    /// Keeps a question. One whose answer was broken off is one to come back
    /// to.
    pub fn asked(&mut self, question: &str) {
        self.turns.push(ChatMessage::new(ChatRole::User, question));
    }

    /// Keeps the answer to the last question.
    pub fn answered(&mut self, result: SearchResult) {
        if let Some(answer) = &result.answer {
            let turn = ChatMessage::new(ChatRole::Assistant, answer.as_str());
            self.turns.push(turn);
        }
        self.last = Some(result);
    }
}

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

/// Turns of the conversation that a model is reminded of, questions and
/// answers together.
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

    /// Keeps a question and its answer.
    pub fn add(&mut self, result: SearchResult) {
        let answer = result.answer.clone().unwrap_or_default();
        self.turns.push(turn(ChatRole::User, result.query.clone()));
        self.turns.push(turn(ChatRole::Assistant, answer));
        self.last = Some(result);
    }
}

fn turn(role: ChatRole, content: String) -> ChatMessage {
    ChatMessage {
        role,
        content,
        tool_calls: Vec::new(),
        tool_call_id: None,
    }
}

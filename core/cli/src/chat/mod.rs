//! A conversation on the terminal.

mod command;
mod flow;
mod lines;
mod screen;

pub use command::{COMMANDS, Command};
pub use lines::{Lines, Typed};
pub use screen::{Screen, print_sources};

use gannet_core::SearchResult;
use gannet_core::api::{ChatMessage, ChatRole};

/// Maximum number of turns sent to a model: six questions with their answers.
const TURNS_AT_MOST: usize = 12;

/// The conversation so far.
#[derive(Default)]
pub struct Conversation {
    turns: Vec<ChatMessage>,
    /// The last answer with its sources.
    pub last: Option<SearchResult>,
}

impl Conversation {
    /// The previous turns, oldest first.
    pub fn history(&self) -> Vec<ChatMessage> {
        let start = self.turns.len().saturating_sub(TURNS_AT_MOST);
        self.turns[start..].to_vec()
    }

    /// Adds a question, also one whose answer was canceled.
    pub fn add_question(&mut self, question: &str) {
        self.turns.push(ChatMessage::new(ChatRole::User, question));
    }

    /// Adds the answer to the last question.
    pub fn add_answer(&mut self, result: SearchResult) {
        if let Some(answer) = &result.answer {
            let turn = ChatMessage::new(ChatRole::Assistant, answer.as_str());
            self.turns.push(turn);
        }
        self.last = Some(result);
    }
}

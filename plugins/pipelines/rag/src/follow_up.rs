//! Follow-ups: a question that leans on the one before it.

use gannet_plugin::query::is_stop_word;
use gannet_plugin::{ChatMessage, ChatRole};
use gannet_stages::words;

/// Words that stand for something that was named before.
const POINTING_WORDS: [&str; 17] = [
    "it", "its", "that", "this", "those", "these", "they", "them", "their", "theirs", "there",
    "he", "him", "his", "she", "her", "same",
];
/// Beside these, `there` names no place: `were there leaks?`
const BESIDE_EXISTENTIAL_THERE: [&str; 7] = ["is", "are", "was", "were", "been", "be", "any"];
/// A question with fewer words that say something leans on the one before.
const CONTENT_WORDS_TO_STAND_ALONE: usize = 3;

/// The earlier question that this one leans on: the last of the user's that
/// stands alone, or the user's first where none does. Nothing when this one
/// stands alone or is the first.
///
/// A rule, not an understanding: a question leans when it points (`it`,
/// `that`, `there`) or has fewer than three words that say something.
pub(crate) fn leaned_on<'a>(question: &str, history: &'a [ChatMessage]) -> Option<&'a str> {
    if stands_alone(question) {
        return None;
    }
    let asked_before = history
        .iter()
        .filter(|turn| turn.role == ChatRole::User)
        .map(|turn| turn.content.trim())
        .filter(|content| !content.is_empty());
    let alone = asked_before.clone().rfind(|asked| stands_alone(asked));
    alone.or_else(|| asked_before.clone().next())
}

fn stands_alone(question: &str) -> bool {
    let words = words(question);
    let content_words = words.iter().filter(|word| !is_stop_word(word));
    content_words.count() >= CONTENT_WORDS_TO_STAND_ALONE && !points(&words)
}

fn points(words: &[String]) -> bool {
    words.iter().enumerate().any(|(at, word)| {
        if word == "there" {
            let before = at.checked_sub(1).and_then(|at| words.get(at));
            let mut beside = before.into_iter().chain(words.get(at + 1));
            return !beside.any(|word| BESIDE_EXISTENTIAL_THERE.contains(&word.as_str()));
        }
        POINTING_WORDS.contains(&word.as_str())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turn(role: ChatRole, content: &str) -> ChatMessage {
        ChatMessage::new(role, content)
    }

    fn history() -> Vec<ChatMessage> {
        vec![
            turn(ChatRole::User, "What caused the RF cavity trip in March?"),
            turn(ChatRole::Assistant, "A reflected power interlock."),
            turn(ChatRole::User, "And what fixed it?"),
            turn(ChatRole::Assistant, "The coupler was retuned."),
        ]
    }

    #[test]
    fn a_question_that_points_leans_on_the_last_that_stands_alone() {
        for question in [
            "How long did it take?",
            "Who noticed that?",
            "Were they replaced by the vacuum group afterwards?",
            "Who worked there on the pump controller?",
            "who?",
            "vacuum leaks",
        ] {
            let earlier = Some("What caused the RF cavity trip in March?");
            assert_eq!(leaned_on(question, &history()), earlier, "{question}");
        }
    }

    #[test]
    fn a_question_that_stands_alone_leans_on_nothing() {
        for question in [
            "Which vacuum pumps were replaced in April?",
            "Were there vacuum leaks in sector 4?",
            "What caused beam dumps?",
        ] {
            assert_eq!(leaned_on(question, &history()), None, "{question}");
        }
        assert_eq!(leaned_on("what fixed it?", &[]), None);
    }

    #[test]
    fn where_none_stands_alone_the_first_is_leaned_on() {
        let history = [
            turn(ChatRole::User, "RF trips"),
            turn(ChatRole::User, "and then?"),
        ];
        assert_eq!(leaned_on("who fixed it?", &history), Some("RF trips"));
    }
}

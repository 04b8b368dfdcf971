//! Follow-ups: a question that leans on the one before it.

use gannet_plugin::host::Diagnostics;
use gannet_plugin::prelude::{Context, Diagnostic, PipelineRequest};
use gannet_plugin::provider::{ChatMessage, ChatRole};
use gannet_plugin::query::{is_stop_word, named_entry};
use gannet_plugin::search::{QuerySyntax, TextSearch};

use crate::{Unit, is_asking_word, subject_of, syntax_of, words};

/// Characters of an earlier question that are searched: what is asked now must
/// not fall behind the end of a query.
pub const CHARS_BEFORE_THE_QUESTION: usize = 300;

/// Words that stand for something that was named before.
const POINTING_WORDS: [&str; 17] = [
    "it", "its", "that", "this", "those", "these", "they", "them", "their", "theirs", "there",
    "he", "him", "his", "she", "her", "same",
];
/// Beside these, `there` names no place: `were there leaks?`
const BESIDE_EXISTENTIAL_THERE: [&str; 7] = ["is", "are", "was", "were", "been", "be", "any"];
/// A question with fewer words that say something leans on the one before.
const CONTENT_WORDS_TO_STAND_ALONE: usize = 3;

/// Words of a greeting and of thanks, which ask nothing. Whether a logbook
/// holds a word does not tell: its shifts begin with a good morning.
const WORDS_OF_A_GREETING: [&str; 21] = [
    "hello",
    "hi",
    "hey",
    "hiya",
    "greetings",
    "welcome",
    "good",
    "morning",
    "afternoon",
    "evening",
    "day",
    "night",
    "thanks",
    "thank",
    "thx",
    "cheers",
    "please",
    "ok",
    "okay",
    "bye",
    "goodbye",
];

/// A question in plain words with the earlier one that it leans on.
#[derive(Debug, Clone, PartialEq)]
pub struct FollowUp {
    /// The earlier question in words, at most
    /// [`CHARS_BEFORE_THE_QUESTION`] of its characters.
    pub earlier: String,
    /// The question with the words that say what the earlier one is about,
    /// without those that say what that one asks for: `what fixed it?` after
    /// `what caused the RF trip?` asks for a repair, not for a cause.
    pub subject: String,
}

impl FollowUp {
    /// A question after the one that it leans on.
    pub fn new(question: &str, earlier: &str) -> Self {
        let earlier = subject_of(earlier, syntax_of(earlier));
        let earlier = Unit::Chars.prefix(&earlier, CHARS_BEFORE_THE_QUESTION);
        Self {
            subject: format!("{question} {}", topic_of(earlier)),
            earlier: earlier.to_owned(),
        }
    }

    /// Reads a request with its history. `None` for a question that stands
    /// alone, or that says by operators what it wants.
    pub async fn of(request: &PipelineRequest, context: &Context) -> Option<Self> {
        let question = request.query.as_str();
        if syntax_of(question) == QuerySyntax::Operators {
            return None;
        }
        let earlier = earlier_question(request, context).await?;
        Some(Self::new(question, earlier))
    }

    /// What is searched for.
    pub fn text(&self, question: &str) -> String {
        format!("{} {question}", self.earlier)
    }

    /// What a result says of it.
    pub fn note(source: impl Into<String>, text: &str) -> Diagnostic {
        let message = format!("treated as a follow-up; searched for `{text}`");
        Diagnostic::info(source, message).category("follow_up")
    }
}

/// The earlier question that this one leans on: the first that it may follow and
/// of which the logbook holds a word. Words that stand in no entry, such as a
/// greeting in any language, narrow nothing down.
pub async fn earlier_question<'a>(
    request: &'a PipelineRequest,
    context: &Context,
) -> Option<&'a str> {
    for earlier in may_lean_on(&request.query, &request.history) {
        if is_known(earlier, context).await {
            return Some(earlier);
        }
    }
    None
}

async fn is_known(text: &str, context: &Context) -> bool {
    let mut probe = TextSearch::new(text, 1);
    probe.syntax = QuerySyntax::Plain;
    probe.highlights = false;
    probe.fuzzy = false;
    let mut own = context.clone();
    own.diagnostics = Diagnostics::default();
    // What cannot be looked up is taken for a question; the search that
    // follows tells what is wrong.
    own.text_search(probe)
        .await
        .map_or(true, |hits| !hits.is_empty())
}

/// The words of a question that say what it is about.
fn topic_of(question: &str) -> String {
    let words = words(question).into_iter();
    let about: Vec<String> = words
        .filter(|word| !is_stop_word(word) && !is_asking_word(word))
        .collect();
    about.join(" ")
}

/// The earlier questions that this one may lean on, the likeliest first:
/// those of the user's that stand alone, from the last to the first, then the
/// others, from the first to the last. None when this one stands alone.
///
/// A rule, not an understanding: a question leans when it points (`it`,
/// `that`, `there`) or has fewer than three words that say something. A turn
/// in which no word does, such as a greeting, is no question.
fn may_lean_on<'a>(question: &str, history: &'a [ChatMessage]) -> Vec<&'a str> {
    if stands_alone(question) {
        return Vec::new();
    }
    let asked_before = history
        .iter()
        .filter(|turn| turn.role == ChatRole::User)
        .map(|turn| turn.content.trim())
        .filter(|content| !is_greeting(content));
    let (mut likeliest, others): (Vec<&str>, Vec<&str>) =
        asked_before.partition(|asked| stands_alone(asked));
    likeliest.reverse();
    likeliest.extend(others);
    likeliest
}

/// Whether no word says what is asked for.
fn is_greeting(text: &str) -> bool {
    let says_nothing =
        |word: &String| is_stop_word(word) || WORDS_OF_A_GREETING.contains(&word.as_str());
    words(text).iter().all(says_nothing)
}

fn stands_alone(question: &str) -> bool {
    if named_entry(question).is_some_and(|id| id.contains(|c: char| c.is_ascii_digit())) {
        return true;
    }
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
            let history = history();
            let first = may_lean_on(question, &history).first().copied();
            let earlier = Some("What caused the RF cavity trip in March?");
            assert_eq!(first, earlier, "{question}");
        }
    }

    #[test]
    fn a_question_that_stands_alone_leans_on_nothing() {
        for question in [
            "Which vacuum pumps were replaced in April?",
            "Were there vacuum leaks in sector 4?",
            "What caused beam dumps?",
        ] {
            assert!(may_lean_on(question, &history()).is_empty(), "{question}");
        }
        assert!(may_lean_on("what fixed it?", &[]).is_empty());
        assert!(may_lean_on("SKY-0169", &history()).is_empty());
    }

    #[test]
    fn a_greeting_is_no_earlier_question() {
        for greeting in [
            "hello",
            "Good morning!",
            "Hi there, how are you?",
            "thanks",
            "  ",
        ] {
            let history = [turn(ChatRole::User, greeting)];
            let question = "why did the circulator fail?";
            assert!(may_lean_on(question, &history).is_empty(), "{greeting}");
        }
        let history = [
            turn(ChatRole::User, "hello"),
            turn(ChatRole::User, "circulator failures"),
            turn(ChatRole::User, "ok, thanks"),
        ];
        assert_eq!(
            may_lean_on("who fixed it?", &history),
            ["circulator failures"]
        );
    }

    #[test]
    fn a_follow_up_asks_what_it_asks_of_what_the_earlier_question_is_about() {
        let follow_up = FollowUp::new("What fixed it?", "what caused the RF cavity trip?");
        assert_eq!(follow_up.subject, "What fixed it? rf cavity trip");
        let searched = follow_up.text("What fixed it?");
        assert_eq!(searched, "what caused the RF cavity trip? What fixed it?");
    }

    #[test]
    fn where_none_stands_alone_the_first_is_leaned_on() {
        let history = [
            turn(ChatRole::User, "RF trips"),
            turn(ChatRole::User, "and then?"),
        ];
        assert_eq!(
            may_lean_on("who fixed it?", &history).first(),
            Some(&"RF trips")
        );
    }
}

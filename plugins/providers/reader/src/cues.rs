//! Words by which kinds of questions and of statements are known, as data for
//! each language.

use std::collections::HashSet;
use std::sync::LazyLock;

use gannet_stages::{holds_any, spaced};
use serde::Deserialize;

/// What a question asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Ask {
    /// Why something happened.
    Cause,
    /// What was done about it, or how it ended.
    Fix,
    /// An amount or a number of things.
    Number,
    /// A length of time.
    Duration,
    /// A day or a time of day.
    Date,
    /// A person or an organisation.
    Name,
    /// Where something is or happened.
    Place,
    /// Whether something is so.
    Outcome,
    /// In which way something happened.
    Manner,
}

/// The words of one language. Phrases are as [`holds_any`] takes them.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cues {
    /// Words that open a question.
    question_words: HashSet<String>,
    /// Phrases of questions for each kind.
    asks: Vec<(Ask, Vec<String>)>,
    /// Phrases of a sentence that states a cause.
    states_cause: Vec<String>,
    /// Phrases that often stand beside a cause.
    may_state_cause: Vec<String>,
    /// Phrases of a sentence that states a repair or an outcome.
    states_fix: Vec<String>,
    /// Phrases of a sentence that denies or settles something.
    states_outcome: Vec<String>,
    /// Words with which a sentence refers to the one before it.
    refers_back: HashSet<String>,
    /// Numbers as words.
    number_words: HashSet<String>,
    /// Units of durations, as words begin.
    units_of_time: Vec<String>,
    /// Words of a date.
    date_words: HashSet<String>,
}

/// What a sentence states, by its words: 1 or 0.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Stated {
    pub(crate) cause: bool,
    pub(crate) perhaps_cause: bool,
    pub(crate) fix: bool,
    pub(crate) outcome: bool,
    pub(crate) number_word: bool,
    pub(crate) unit_of_time: bool,
    pub(crate) date_word: bool,
    pub(crate) refers_back: bool,
}

impl Cues {
    /// The words of a language by its ISO 639-1 code; those of English where
    /// the language is not known, none where it has no data.
    pub(crate) fn of(language: Option<&str>) -> &'static Self {
        static ENGLISH: LazyLock<Cues> = LazyLock::new(read_english);
        static NONE: LazyLock<Cues> = LazyLock::new(Cues::default);
        match language {
            None | Some("en") => &ENGLISH,
            Some(_) => &NONE,
        }
    }

    /// Whether there are any.
    pub(crate) fn has_data(&self) -> bool {
        !self.question_words.is_empty()
    }

    /// The kinds of statement that a question asks for.
    pub(crate) fn asks(&self, question: &str) -> Vec<Ask> {
        let text = spaced(question);
        let kinds = self.asks.iter();
        let asked = kinds.filter(|(_, phrases)| holds_any(&text, phrases));
        asked.map(|(kind, _)| *kind).collect()
    }

    pub(crate) fn is_question_word(&self, word: &str) -> bool {
        self.question_words.contains(word)
    }

    /// What a sentence states.
    pub(crate) fn stated(&self, sentence: &str) -> Stated {
        let text = spaced(sentence);
        let mut words = text.split_whitespace();
        let opening = words.clone().next().unwrap_or_default();
        Stated {
            cause: holds_any(&text, &self.states_cause),
            perhaps_cause: holds_any(&text, &self.may_state_cause),
            fix: holds_any(&text, &self.states_fix),
            outcome: holds_any(&text, &self.states_outcome),
            number_word: words.clone().any(|word| self.number_words.contains(word)),
            unit_of_time: words.clone().any(|word| {
                let mut units = self.units_of_time.iter();
                units.any(|unit| word.starts_with(unit.as_str()))
            }),
            date_word: words.any(|word| self.date_words.contains(word)),
            refers_back: self.refers_back.contains(opening),
        }
    }
}

#[allow(clippy::expect_used, reason = "compiled in, and read by every test")]
fn read_english() -> Cues {
    serde_json::from_str(include_str!("cues/en.json")).expect("it has the keys of `Cues`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_may_ask_for_several_things() {
        let asks = |question| Cues::of(None).asks(question);
        assert_eq!(
            asks("how long was the beam off?"),
            [Ask::Number, Ask::Duration]
        );
        assert_eq!(asks("who replaced the valve?"), [Ask::Name]);
        assert_eq!(asks("vacuum leak"), []);
    }

    #[test]
    fn a_language_without_data_states_nothing() {
        let german = Cues::of(Some("de"));
        assert_eq!(german.stated("The pump failed."), Stated::default());
        assert!(!german.has_data() && Cues::of(Some("en")).has_data());
    }
}

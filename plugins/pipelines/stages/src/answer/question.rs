//! A question: what it asks for, of what, and of which time.

use std::collections::BTreeSet;

use gannet_plugin::query::is_stop_word;

use super::kinds::{QuestionKind, kinds_asked_by};
use super::period::Period;
use super::terms::{stem, words};

/// Words that say what is asked, not what it is about, and words of grammar
/// that a search need not leave out but an answer does.
const ASKING_WORDS: [&str; 129] = [
    "what",
    "why",
    "when",
    "who",
    "whom",
    "whose",
    "where",
    "which",
    "how",
    "many",
    "much",
    "long",
    "often",
    "last",
    "latest",
    "recent",
    "recently",
    "first",
    "earliest",
    "time",
    "times",
    "date",
    "day",
    "tell",
    "show",
    "give",
    "find",
    "list",
    "explain",
    "describe",
    "summarize",
    "summarise",
    "summary",
    "happen",
    "happened",
    "happens",
    "cause",
    "caused",
    "causes",
    "causing",
    "reason",
    "reasons",
    "root",
    "fix",
    "fixed",
    "resolve",
    "resolved",
    "solve",
    "solved",
    "please",
    "entries",
    "entry",
    "know",
    "ever",
    "any",
    "there",
    "done",
    "problem",
    "problems",
    "issue",
    "issues",
    "trouble",
    "troubles",
    "event",
    "events",
    "occur",
    "compare",
    "get",
    "gets",
    "got",
    "getting",
    "keep",
    "keeps",
    "going",
    "behind",
    "repair",
    "repaired",
    "remedy",
    "someone",
    "come",
    "came",
    "helped",
    "lately",
    "explanation",
    "them",
    "its",
    "our",
    "we",
    "us",
    "you",
    "he",
    "she",
    "his",
    "her",
    "him",
    "i",
    "my",
    "me",
    "do",
    "does",
    "did",
    "has",
    "have",
    "had",
    "were",
    "been",
    "being",
    "can",
    "could",
    "should",
    "would",
    "must",
    "from",
    "than",
    "so",
    "also",
    "just",
    "only",
    "some",
    "those",
    "every",
    "each",
    "both",
    "while",
    "because",
    "before",
    "after",
    "during",
    "about",
];

/// Words that ask for several entries.
const SEVERAL: [&str; 5] = ["list", "compare", "each", "all", "which"];

/// A question as it is used for choosing sentences.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// What it asks for in the first place.
    pub kind: QuestionKind,
    /// All that it asks for: `what caused it, and what fixed it?` asks for two.
    pub kinds: Vec<QuestionKind>,
    /// Stems of what it is about, sorted.
    pub terms: BTreeSet<String>,
    /// Stems of what it is about that stand side by side.
    pub pairs: Vec<(String, String)>,
    /// Whether it is put as a question, not as a few search words.
    pub is_asked: bool,
    /// Whether it asks for several entries: `list the`, `compare the`.
    pub(super) is_for_several: bool,
    /// The months that it names. Entries are of a time whether they say so or
    /// not, so these words are not among the terms.
    pub(super) period: Period,
}

impl Question {
    /// Reads a question.
    ///
    /// ```
    /// use gannet_stages::{Question, QuestionKind};
    ///
    /// let question = Question::read("What caused the RF cavity trips, and what fixed them?");
    /// assert_eq!(question.kinds, [QuestionKind::Cause, QuestionKind::Repair]);
    /// assert!(question.terms.iter().eq(["cavity", "rf", "trip"]));
    /// ```
    pub fn read(text: &str) -> Self {
        let words = words(text);
        let kinds = kinds_asked_by(&format!(" {} ", words.join(" ")));
        let opens_as_question = words
            .first()
            .is_some_and(|word| ASKING_WORDS.contains(&word.as_str()) || is_stop_word(word));
        let mut period = Period::read(&words);
        let mut stems = about(&words, &period.words);
        if stems.is_empty() {
            // The time alone is asked about: then its words are looked for.
            stems = about(&words, &[]);
            period = Period::default();
        }
        Self {
            kind: kinds.first().copied().unwrap_or(QuestionKind::General),
            is_asked: text.contains('?') || (!kinds.is_empty() && opens_as_question),
            kinds,
            is_for_several: words.iter().any(|word| SEVERAL.contains(&word.as_str())),
            pairs: stems
                .iter()
                .zip(stems.iter().skip(1))
                .map(|(first, second)| (first.clone(), second.clone()))
                .collect(),
            terms: stems.into_iter().collect(),
            period,
        }
    }

    /// How plainly a sentence in lower case says what is asked, of each kind
    /// in `kinds`: from 0 to 1.
    pub fn answered_by(&self, lower_case_sentence: &str) -> Vec<f64> {
        let kinds = self.kinds.iter();
        kinds
            .map(|kind| kind.answered_by(lower_case_sentence))
            .collect()
    }

    /// The same of an entry's title.
    pub(super) fn answered_by_title(&self, lower_case_title: &str) -> Vec<f64> {
        let kinds = self.kinds.iter();
        kinds
            .map(|kind| kind.answered_by_title(lower_case_title))
            .collect()
    }
}

/// Stems of what the question is about, in its order. Single letters count: `B` names a
/// train of equipment.
fn about(words: &[String], of_time: &[String]) -> Vec<String> {
    words
        .iter()
        .filter(|word| !is_stop_word(word) && !ASKING_WORDS.contains(&word.as_str()))
        .filter(|word| !of_time.contains(word))
        .map(|word| stem(word))
        .collect()
}

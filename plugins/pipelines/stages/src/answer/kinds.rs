//! What a question can ask for, how that is asked, and which words answer it.

use super::stated::{Stated, contains_phrase, is_told, stated};

/// What a question asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuestionKind {
    /// Why something happened.
    Cause,
    /// What was done about it.
    Repair,
    /// When it happened last.
    Latest,
    /// When it happened first.
    Earliest,
    /// When it happened.
    Time,
    /// Who did or wrote it.
    Person,
    /// How long it took.
    Duration,
    /// How many or how much.
    Number,
    /// Anything else.
    General,
}

impl QuestionKind {
    /// Whether time tells which entry is meant.
    pub(super) fn is_by_time(self) -> bool {
        matches!(self, Self::Latest | Self::Earliest)
    }

    /// Whether there are words by which a sentence that answers it is known.
    pub(super) fn has_words(self) -> bool {
        matches!(self, Self::Cause | Self::Repair | Self::Duration)
    }

    /// How plainly a sentence in lower case says what such a question asks
    /// for: 1.5 when it is labelled so (`Cause: a worn switch`), 1.25 when it
    /// tells of a repair and its result, 1 with the words for it (`caused by a
    /// worn switch`), 0.5 with words that often go with it (`the switch was
    /// found broken`) and where a cause is supposed, else 0. What is denied,
    /// or is yet to be repaired, does not count.
    pub(super) fn answered_by(self, sentence: &str) -> f64 {
        if matches!(self, Self::Duration) {
            return f64::from(u8::from(holds_duration(sentence)));
        }
        if matches!(self, Self::Number) {
            let has_digit = sentence.contains(|c: char| c.is_ascii_digit());
            return if has_digit { 0.5 } else { 0.0 };
        }
        let Some(pattern) = PATTERNS.iter().find(|pattern| pattern.kind == self) else {
            return 0.0;
        };
        if is_labelled(sentence, pattern.named_by) || is_labelled(sentence, pattern.says_it) {
            return 1.5;
        }
        let said = stated(sentence, pattern.says_it);
        if said == Stated::Plainly || is_told(sentence, pattern.named_by) {
            return match contains_phrase(sentence, pattern.with_result) {
                true => 1.25,
                false => 1.0,
            };
        }
        let supposed = self == Self::Cause && said == Stated::Intended;
        let goes_with_it = stated(sentence, pattern.goes_with_it) == Stated::Plainly;
        if supposed || goes_with_it || contains_phrase(sentence, pattern.named_by) {
            0.5
        } else {
            0.0
        }
    }

    /// The same of a title. One that names a thing (`root cause of the trips`)
    /// says what its entry is about, not what that thing is.
    pub(super) fn answered_by_title(self, title: &str) -> f64 {
        match self.answered_by(title) {
            answered if answered > 0.5 => answered,
            answered => {
                let pattern = PATTERNS.iter().find(|pattern| pattern.kind == self);
                let is_named = |p: &Pattern| contains_phrase(title, p.named_by);
                if pattern.is_some_and(is_named) {
                    0.0
                } else {
                    answered
                }
            }
        }
    }
}

/// The kinds that a question asks for, in the order of the table. `words` are
/// its words in lower case, with a blank before, between and after.
pub(super) fn kinds_asked_by(words: &str) -> Vec<QuestionKind> {
    PATTERNS
        .iter()
        .filter(|pattern| {
            contains_phrase(words, pattern.asked_by)
                && !contains_phrase(words, pattern.not_asked_by)
        })
        .map(|pattern| pattern.kind)
        .collect()
}

/// One row of the table of questions.
struct Pattern {
    kind: QuestionKind,
    /// Phrases of the question any of which tells the kind.
    asked_by: &'static [&'static str],
    /// Phrases that look like those and are not.
    not_asked_by: &'static [&'static str],
    /// Phrases with which a sentence says what was asked.
    says_it: &'static [&'static str],
    /// Nouns for what was asked: they say it as a label and before a verb.
    named_by: &'static [&'static str],
    /// Phrases that tell what came of it.
    with_result: &'static [&'static str],
    /// Phrases that such a sentence often has, and others have too.
    goes_with_it: &'static [&'static str],
}

/// The kinds of questions; the first row that fits is the main one.
const PATTERNS: [Pattern; 8] = [
    Pattern {
        kind: QuestionKind::Latest,
        asked_by: &["last", "most recent", "most recently", "latest", "lately"],
        not_asked_by: &[
            "last week",
            "last weeks",
            "last month",
            "last months",
            "last year",
            "last years",
            "last night",
            "last shift",
            "last day",
            "last days",
            "last hour",
            "last hours",
            "last run",
            "last few",
            "last spring",
            "last summer",
            "last autumn",
            "last winter",
        ],
        says_it: &[],
        named_by: &[],
        with_result: &[],
        goes_with_it: &[],
    },
    Pattern {
        kind: QuestionKind::Earliest,
        asked_by: &["first time", "earliest", "when first", "first seen"],
        not_asked_by: &[],
        says_it: &[],
        named_by: &[],
        with_result: &[],
        goes_with_it: &[],
    },
    Pattern {
        kind: QuestionKind::Cause,
        asked_by: &[
            "why",
            "caused",
            "cause",
            "causes",
            "causing",
            "reason",
            "reasons",
            "root cause",
            "due to what",
            "led to",
            "what made",
            "what triggered",
            "what tripped",
            "explain",
            "what was behind",
            "culprit",
        ],
        not_asked_by: &[],
        says_it: &[
            "caused by",
            "due to",
            "because",
            "traced to",
            "result of",
            "resulted from",
            "resulting from",
            "attributed to",
            "led to",
            "triggered by",
            "owing to",
            "causing",
            "caused",
            "determined to be",
            "source of",
            "as a result",
            "explains",
            "explained by",
            "turned out",
            "to blame",
        ],
        named_by: &["cause", "causes", "reason", "reasons", "culprit"],
        with_result: &[],
        goes_with_it: &[
            "failure of",
            "faulty",
            "resulted in",
            "found",
            "broken",
            "worn",
            "failed",
            "defective",
            "confirmed",
            "the source",
            "fault was",
            "leaking",
            "blocked",
        ],
    },
    Pattern {
        kind: QuestionKind::Repair,
        asked_by: &[
            "fixed",
            "fix",
            "repair",
            "repaired",
            "resolved",
            "resolve",
            "restored",
            "restore",
            "recovered",
            "recover",
            "corrected",
            "solved",
            "solve",
            "cured",
            "cure",
            "remedy",
            "what was done",
            "corrective action",
            "corrective actions",
            "what helped",
            "get it going",
            "get it back",
        ],
        not_asked_by: &["how long"],
        says_it: &[
            "replaced",
            "fixed",
            "repaired",
            "resolved",
            "remedied",
            "cured",
            "solved",
            "corrected",
            "exchanged",
            "swapped",
            "reseated",
            "realigned",
            "recalibrated",
            "retuned",
            "tightened",
            "cleaned",
            "rerouted",
        ],
        named_by: &[
            "fix",
            "cure",
            "remedy",
            "solution",
            "workaround",
            "corrective action",
            "corrective actions",
        ],
        with_result: &[
            "again",
            "since then",
            "no more",
            "gone",
            "cleared",
            "restored",
            "recovered",
            "returned to",
            "back to",
            "back at",
            "back in",
            "back up",
            "stable",
            "normal",
            "without a fault",
            "works",
            "helped",
        ],
        goes_with_it: &[
            "restored",
            "reset",
            "recovered",
            "adjusted",
            "restarted",
            "rebooted",
            "cleared",
            "power cycled",
            "returned to service",
            "returned to normal",
            "removed",
            "installed",
            "fitted",
            "changed",
            "helped",
            "back to normal",
            "disconnected",
            "bypassed",
        ],
    },
    Pattern {
        kind: QuestionKind::Person,
        asked_by: &["who", "whom", "whose", "by whom", "which operator"],
        not_asked_by: &[],
        says_it: &[],
        named_by: &[],
        with_result: &[],
        goes_with_it: &[],
    },
    Pattern {
        kind: QuestionKind::Duration,
        asked_by: &[
            "how long",
            "how many hours",
            "how many minutes",
            "how many days",
        ],
        not_asked_by: &[],
        says_it: &[],
        named_by: &[],
        with_result: &[],
        goes_with_it: &[],
    },
    Pattern {
        kind: QuestionKind::Number,
        asked_by: &[
            "how many",
            "how much",
            "how high",
            "how low",
            "how often",
            "what value",
        ],
        not_asked_by: &[],
        says_it: &[],
        named_by: &[],
        with_result: &[],
        goes_with_it: &[],
    },
    Pattern {
        kind: QuestionKind::Time,
        asked_by: &["when", "what time", "what date", "which day"],
        not_asked_by: &[],
        says_it: &[],
        named_by: &[],
        with_result: &[],
        goes_with_it: &[],
    },
];

/// Whether a sentence opens with one of the phrases and a colon, or with two
/// words and a colon of which the first or the last is the phrase: `root
/// cause:`, `cause found:`. A `root-cause report:` is no cause.
fn is_labelled(sentence: &str, phrases: &[&str]) -> bool {
    let Some((label, said)) = sentence.split_once(':') else {
        return false;
    };
    if !said.starts_with(' ') || label.split_whitespace().count() > 2 {
        return false;
    }
    phrases.iter().any(|phrase| {
        let is_end = |rest: &str| rest.is_empty() || rest.starts_with(' ');
        let opens = label.strip_prefix(phrase).is_some_and(is_end);
        let ends = label.strip_suffix(phrase);
        opens || ends.is_some_and(|before| before.ends_with([' ', '-']))
    })
}

/// Whether a text tells a length of time: a number and a unit.
fn holds_duration(text: &str) -> bool {
    const UNITS: [&str; 17] = [
        "s", "sec", "seconds", "min", "mins", "minute", "minutes", "h", "hr", "hrs", "hour",
        "hours", "day", "days", "week", "weeks", "months",
    ];
    let words: Vec<&str> = text.split_whitespace().collect();
    words.windows(2).any(|pair| {
        let unit = pair[1].trim_end_matches(|c: char| !c.is_alphanumeric());
        pair[0].ends_with(|c: char| c.is_ascii_digit()) && UNITS.contains(&unit)
    })
}

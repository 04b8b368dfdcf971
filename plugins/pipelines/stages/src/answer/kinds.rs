//! What a question can ask for, how that is asked, and which words answer it.

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
    /// for: 1.5 when it is labelled so (`Cause: a worn switch`), 1 with the
    /// words for it (`caused by a worn switch`), 0.5 with words that often go
    /// with it (`the switch was found broken`), else 0.
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
        if is_labelled(sentence, pattern.says_it) {
            1.5
        } else if contains_phrase(sentence, pattern.says_it) {
            1.0
        } else if contains_phrase(sentence, pattern.goes_with_it) {
            0.5
        } else {
            0.0
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
        goes_with_it: &[],
    },
    Pattern {
        kind: QuestionKind::Earliest,
        asked_by: &["first time", "earliest", "when first", "first seen"],
        not_asked_by: &[],
        says_it: &[],
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
            "cause",
            "caused by",
            "due to",
            "because",
            "traced to",
            "reason",
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
            "culprit",
            "as a result",
            "explains",
            "explained by",
            "turned out",
            "to blame",
        ],
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
            "remedy",
            "remedied",
            "cured",
            "cure",
            "solved",
            "solution",
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
            "fix",
            "workaround",
            "corrective action",
            "corrective actions",
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
        goes_with_it: &[],
    },
    Pattern {
        kind: QuestionKind::Time,
        asked_by: &["when", "what time", "what date", "which day"],
        not_asked_by: &[],
        says_it: &[],
        goes_with_it: &[],
    },
];

/// Whether a sentence opens with one of the phrases and a colon, or with two
/// words and a colon of which one is the phrase: `root cause:`.
fn is_labelled(sentence: &str, phrases: &[&str]) -> bool {
    let Some((label, said)) = sentence.split_once(':') else {
        return false;
    };
    said.starts_with(' ')
        && label.split_whitespace().count() <= 2
        && contains_phrase(label, phrases)
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

/// Whether a text holds one of the phrases as whole words.
fn contains_phrase(text: &str, phrases: &[&str]) -> bool {
    phrases.iter().any(|phrase| {
        text.match_indices(phrase).any(|(at, _)| {
            let before = text.get(..at).and_then(|t| t.chars().next_back());
            let after = text.get(at + phrase.len()..).and_then(|t| t.chars().next());
            let is_edge = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
            is_edge(before) && is_edge(after)
        })
    })
}

//! Which queries are met best by their words: headlines and names.

/// Words at least for a text to be a headline.
const HEADLINE_WORDS: usize = 4;
/// Share of capital letters from which a text is set in capitals.
const MOSTLY_CAPITALS: f64 = 0.7;
/// The share of dense modules for a query in capitals and for one of device
/// names, at most: such queries are met best by their words.
const DENSE_SHARE_IN_CAPITALS: f64 = 0.2;
const DENSE_SHARE_OF_NAMES: f64 = 0.3;

/// What a query is, for weighing lexical against dense modules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum QueryForm {
    /// It asks nothing, is set in capitals and has at least four words.
    Headline,
    /// Every third word is a name with a digit, `:` or `_` in it.
    Names,
    /// Anything else.
    Prose,
}

/// The share of dense modules for a query, when it is `alpha` for prose.
pub(super) fn dense_share(query: &str, alpha: f64) -> f64 {
    match form_of(query) {
        QueryForm::Headline => alpha.min(DENSE_SHARE_IN_CAPITALS),
        QueryForm::Names => alpha.min(DENSE_SHARE_OF_NAMES),
        QueryForm::Prose => alpha,
    }
}

/// Whether the query reads like a title or names devices, rather than asking
/// in words of its own: it asks nothing, and is set in capitals and has at
/// least four words, or every third word is a name with a digit, `:` or `_`.
///
/// ```
/// use gannet_stages::reads_like_a_headline;
///
/// assert!(reads_like_a_headline("LOSS OF OFFSITE POWER DURING STARTUP"));
/// assert!(reads_like_a_headline("SR03C:RF:CAV1 trip"));
/// assert!(!reads_like_a_headline("why did the RF cavity trip?"));
/// assert!(!reads_like_a_headline("tritium groundwater leak"));
/// ```
pub fn reads_like_a_headline(query: &str) -> bool {
    form_of(query) != QueryForm::Prose
}

fn form_of(query: &str) -> QueryForm {
    let words: Vec<&str> = query.split_whitespace().collect();
    if words.is_empty() || query.contains('?') || asks(&words) {
        return QueryForm::Prose;
    }
    let names = words.iter().filter(|word| is_name(word)).count();
    if words.len() >= HEADLINE_WORDS && share_of_capitals(query) >= MOSTLY_CAPITALS {
        QueryForm::Headline
    } else if names * 3 >= words.len() {
        QueryForm::Names
    } else {
        QueryForm::Prose
    }
}

/// Whether the text opens as a question does.
fn asks(words: &[&str]) -> bool {
    const OPENINGS: [&str; 16] = [
        "what", "why", "when", "who", "whose", "where", "which", "how", "is", "are", "was", "were",
        "did", "does", "do", "can",
    ];
    words
        .first()
        .is_some_and(|word| OPENINGS.contains(&word.to_lowercase().as_str()))
}

/// Whether a word is the name of a device or a signal.
fn is_name(word: &str) -> bool {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric());
    let has_letter = word.chars().any(char::is_alphabetic);
    let has_mark = word
        .chars()
        .any(|c| c.is_ascii_digit() || c == ':' || c == '_');
    has_letter && has_mark
}

fn share_of_capitals(text: &str) -> f64 {
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    let capitals = text.chars().filter(|c| c.is_uppercase()).count();
    if letters == 0 {
        return 0.0;
    }
    capitals as f64 / letters as f64
}

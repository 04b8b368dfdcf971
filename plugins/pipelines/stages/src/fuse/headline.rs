//! Which queries are met best by their words: headlines and names.

use gannet_plugin::query::is_stop_word;

/// Words at least for a text to be a headline.
const HEADLINE_WORDS: usize = 4;
/// Share of capital letters from which a text is set in capitals.
const MOSTLY_CAPITALS: f64 = 0.7;
/// Share of words such as `the` and `is` from which a text is running prose.
const PROSE_STOP_WORDS: f64 = 0.15;
/// Words at least for a text without capitals to be a headline: shorter ones
/// are search words.
const PLAIN_HEADLINE_WORDS: usize = 7;

/// Whether the query reads like a title or names devices, rather than asking
/// in words of its own. Equal-weight fusion loses to BM25 on such queries.
///
/// It does when it asks nothing and
/// - is set in capitals and has at least four words, or
/// - has at least seven words with hardly a function word among them, or
/// - every third word is a name with a digit, `:` or `_` in it.
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
    let words: Vec<&str> = query.split_whitespace().collect();
    if words.is_empty() || query.contains('?') || asks(&words) {
        return false;
    }
    let names = words.iter().filter(|word| is_name(word)).count();
    if names * 3 >= words.len() {
        return true;
    }
    if words.len() >= HEADLINE_WORDS && share_of_capitals(query) >= MOSTLY_CAPITALS {
        return true;
    }
    let stop_words = words
        .iter()
        .filter(|word| is_stop_word(&word.to_lowercase()))
        .count();
    words.len() >= PLAIN_HEADLINE_WORDS
        && stop_words as f64 <= PROSE_STOP_WORDS * words.len() as f64
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

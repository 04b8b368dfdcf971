//! Words and their stems, for comparing a question with a sentence.

use std::collections::HashSet;

use gannet_plugin::plan::QueryPlan;
use gannet_plugin::query::is_stop_word;

use super::english::is_empty_word;

/// Digits that a bare number has at least to be looked for: "unit 2" is in
/// every report.
const DIGITS_OF_A_TERM: usize = 3;

/// The words that a question is about, in lower case: of the plan's content
/// those that name something.
pub fn content_words(plan: &QueryPlan) -> Vec<String> {
    let terms = plan.content_terms();
    let words = terms.iter().flat_map(|term| words(term));
    words
        .filter(|word| {
            let is_number = word.chars().all(|c| c.is_ascii_digit());
            let is_short_number = is_number && word.len() < DIGITS_OF_A_TERM;
            !is_stop_word(word) && !is_empty_word(word) && !is_short_number
        })
        .collect()
}

/// The distinct stems of the words that a question is about, in order.
pub(crate) fn content_stems(plan: &QueryPlan) -> Vec<String> {
    let mut seen = HashSet::new();
    let stems = content_words(plan).into_iter().map(|word| stem(&word));
    stems.filter(|stem| seen.insert(stem.clone())).collect()
}

/// The stems of a text's words that say something.
pub fn stems(text: &str) -> impl Iterator<Item = String> {
    let words = words(text).into_iter();
    words.filter_map(|word| content_stem(&word))
}

/// The stem of a lower-case word that says something.
pub fn content_stem(word: &str) -> Option<String> {
    (!is_stop_word(word)).then(|| stem(word))
}

/// BM25's inverse document frequency of a term that `holding` of `entries` have.
pub fn idf(entries: usize, holding: usize) -> f64 {
    let (entries, holding) = (entries as f64, holding as f64);
    ((entries - holding + 0.5) / (holding + 0.5)).ln_1p()
}

/// The words of a text, lower case. A name such as `SR03C:RF:CAV1` counts as
/// itself and as its parts.
pub fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    for token in text.split(|c: char| !is_word_character(c)) {
        let token = token.trim_matches(|c: char| !c.is_alphanumeric());
        if token.is_empty() {
            continue;
        }
        let whole = token.to_lowercase();
        let is_compound = whole.contains(|c: char| !c.is_alphanumeric());
        if is_compound {
            let parts = whole.split(|c: char| !c.is_alphanumeric());
            words.extend(parts.filter(|part| !part.is_empty()).map(str::to_owned));
        }
        words.push(whole);
    }
    words
}

fn is_word_character(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, ':' | '_' | '-' | '.' | '\'' | '/')
}

/// The stem of a lower-case English word: endings of number, tense and of
/// nouns made from verbs are taken off, so that `tripped`, `trips` and `trip`,
/// or `calibration` and `calibrated`, are one. Words with anything but letters
/// a to z are names or numbers and stay as they are.
///
/// ```
/// use gannet_stages::stem;
///
/// assert_eq!(stem("tripped"), stem("trips"));
/// assert_eq!(stem("calibration"), stem("calibrated"));
/// assert_eq!(stem("cavities"), stem("cavity"));
/// assert_eq!(stem("failure"), stem("failed"));
/// assert_eq!(stem("bpm02"), "bpm02");
/// ```
pub fn stem(word: &str) -> String {
    let word = word.strip_suffix("'s").unwrap_or(word);
    if word.len() < 4 || !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return word.to_owned();
    }
    let singular = without_plural(word);
    let base = without_tense(&singular);
    let noun = without_noun_ending(&base);
    let root = noun.strip_suffix('e').filter(|root| root.len() >= 3);
    root.map_or_else(|| noun.clone(), str::to_owned)
}

fn without_plural(word: &str) -> String {
    if let Some(root) = word.strip_suffix("ies").filter(|root| root.len() >= 2) {
        return format!("{root}y");
    }
    let ends_with = |endings: &[&str]| endings.iter().any(|ending| word.ends_with(ending));
    let plural = match ends_with(&["sses", "ches", "shes", "xes", "zes"]) {
        true => "es",
        false if ends_with(&["ss", "us", "is"]) => "",
        false => "s",
    };
    word.strip_suffix(plural).unwrap_or(word).to_owned()
}

fn without_tense(word: &str) -> String {
    let root = word
        .strip_suffix("ing")
        .or_else(|| word.strip_suffix("ed"))
        .filter(|root| root.len() >= 3 && root.contains(['a', 'e', 'i', 'o', 'u', 'y']));
    root.map_or_else(|| word.to_owned(), without_doubled_end)
}

/// `tripp` is `trip`; `fill` and `press` stay.
fn without_doubled_end(root: &str) -> String {
    let mut ends = root.chars().rev();
    match (ends.next(), ends.next()) {
        (Some(last), Some(before)) if last == before && !"lsz".contains(last) => {
            root.get(..root.len() - 1).unwrap_or(root).to_owned()
        }
        _ => root.to_owned(),
    }
}

fn without_noun_ending(word: &str) -> String {
    let is_root = |root: &&str| root.len() >= 4;
    let without_ion = word.strip_suffix("ion").filter(is_root);
    let without_ion = without_ion.filter(|root| root.ends_with(['t', 's']));
    let noun = without_ion.unwrap_or(word);
    let without_e = noun.strip_suffix('e').unwrap_or(noun);
    let endings = ["at", "ment", "ur", "ance"].iter();
    let mut roots = endings.filter_map(|ending| without_e.strip_suffix(ending));
    roots.find(is_root).unwrap_or(noun).to_owned()
}

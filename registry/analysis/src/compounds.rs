//! Longer German words that end with a word of a query: `Kühlwasserpumpe` for
//! `Pumpe`.

use gannet_api::fold;

use super::{QueryWord, query_analyser, terms_of, trim_sentence};

/// Words that German sentences have, and those of other languages do not.
const GERMAN: [&str; 8] = ["und", "der", "nicht", "ist", "wurde", "auf", "nach", "eine"];
/// Letters of a word at least that is looked for in longer ones.
const LEAST_HEAD: usize = 4;
/// Letters before it at least: `ver-` and `ab-` make no compounds.
const LEAST_BEFORE: usize = 4;
/// Longer words that are looked for in the place of one.
const MOST_COMPOUNDS: usize = 50;
/// Endings that a word of a query loses.
const ENDINGS: [&str; 5] = ["en", "es", "n", "e", "s"];
/// Endings that it has in a longer word.
const ENDINGS_FOUND: [&str; 8] = ["", "e", "n", "s", "en", "es", "er", "ern"];

/// The terms by whose entries the language of a collection is told.
pub fn german_terms() -> Vec<String> {
    let mut analyser = query_analyser();
    let terms = GERMAN.iter().flat_map(|word| terms_of(&mut analyser, word));
    terms.collect()
}

/// Whether entries are German, at least many of them, by the sum of those that
/// have each of the [`german_terms`].
pub fn is_german(with_terms: u64, entries: u64) -> bool {
    with_terms > 0 && with_terms.saturating_mul(4) >= entries
}

/// The heads of words that are looked for in longer ones; with each word,
/// whether entries have it. In plain text there are none where entries have a
/// word of it: there, compounds made rankings slightly worse.
pub fn compound_heads(words: &[(QueryWord, bool)], is_plain: bool) -> Vec<String> {
    if is_plain && words.iter().any(|(_, is_known)| *is_known) {
        return Vec::new();
    }
    let heads = words.iter();
    let heads = heads.filter_map(|(word, _)| compound_head(&word.written));
    heads.collect()
}

/// The compounds that end with a word, of some that end with one of the heads.
pub fn compounds_of(word: &QueryWord, heads: &[String], compounds: &[String]) -> Vec<String> {
    let head = compound_head(&word.written).filter(|head| heads.contains(head));
    let Some(head) = head else {
        return Vec::new();
    };
    let own = compounds.iter().filter(|word| is_compound(word, &head));
    own.take(MOST_COMPOUNDS).cloned().collect()
}

/// The part of a word that longer ones have, folded; `None` of a word that is
/// too short.
fn compound_head(word: &str) -> Option<String> {
    let word = fold(trim_sentence(word));
    if word.chars().count() < LEAST_HEAD || !word.chars().all(char::is_alphabetic) {
        return None;
    }
    let shorter = ENDINGS
        .iter()
        .filter_map(|ending| word.strip_suffix(ending));
    let head = shorter
        .filter(|head| head.chars().count() >= LEAST_HEAD)
        .min_by_key(|head| head.len());
    Some(head.unwrap_or(&word).to_owned())
}

/// Whether a folded word is a longer one that ends with a head, or another form
/// of it.
pub fn is_compound(word: &str, head: &str) -> bool {
    let before = ENDINGS_FOUND.iter().find_map(|ending| {
        let word = word.strip_suffix(ending)?;
        word.strip_suffix(head)
    });
    before.is_some_and(|before| {
        let is_word = before.chars().all(char::is_alphabetic);
        before.is_empty() || (is_word && before.chars().count() >= LEAST_BEFORE)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_compound_ends_with_the_word_in_any_of_its_forms() {
        for (word, compound) in [
            ("Pumpe", "kühlwasserpumpe"),
            ("Pumpen", "kühlwasserpumpe"),
            ("pumpe", "vakuumpumpen"),
            ("Ventile", "sicherheitsventil"),
            ("Magnet", "quadrupolmagnetes"),
            ("Wasser", "kühlwasser"),
            ("Pumpen", "pumpe"),
        ] {
            let is_found = compound_head(word).map(|head| is_compound(compound, &head));
            assert_eq!(is_found, Some(true), "{word}, {compound}");
        }
        for (word, other) in [
            ("Pumpe", "pumpenraum"),
            ("stehen", "verstehen"),
            ("Strom", "rf-2-strom"),
        ] {
            let is_found = compound_head(word).map(|head| is_compound(other, &head));
            assert_eq!(is_found, Some(false), "{word}, {other}");
        }
        assert_eq!(compound_head("Öl"), None);
        assert_eq!(compound_head("RF2000"), None);
    }

    #[test]
    fn entries_are_german_where_every_fourth_has_a_word_of_it() {
        assert!(is_german(25, 100));
        assert!(!is_german(24, 100));
        assert!(!is_german(0, 0));
    }
}

//! The known name that somebody probably meant.

/// The candidate that is most like `name`, when one is like it at all. Of
/// equals the first in alphabetical order.
///
/// ```
/// use gannet_registry::nearest;
///
/// assert_eq!(nearest("keywrd", ["keyword", "semantic"]), Some("keyword"));
/// assert_eq!(nearest("telemetry", ["keyword", "semantic"]), None);
/// ```
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let mut best: Option<(f64, &str)> = None;
    for candidate in candidates {
        let likeness = likeness(name, candidate);
        let is_better = best.is_none_or(|(best_likeness, best_name)| {
            likeness > best_likeness || (likeness == best_likeness && candidate < best_name)
        });
        if likeness >= LEAST_LIKENESS && is_better {
            best = Some((likeness, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// The end of a message about a name that is not among the candidates: the one
/// that was probably meant, or nothing.
pub fn did_you_mean<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    let near = nearest(name, candidates);
    near.map(|near| format!("; did you mean `{near}`?"))
        .unwrap_or_default()
}

/// Whether a name is a known one with a slip of the keyboard in it: one letter
/// of four that is missing, wrong, twice or swapped with its neighbour. A name
/// that goes on where the known one ends is one of its own (`keyword_pv`).
pub(crate) fn is_misspelling(name: &str, known: &str) -> bool {
    let name = name.to_lowercase().replace('-', "_");
    let slips = strsim::damerau_levenshtein(&name, known);
    let goes_on = name
        .strip_prefix(known)
        .is_some_and(|rest| rest.len() > 1 && rest.starts_with('_'));
    slips <= known.chars().count() / 4 && !goes_on
}

/// Two letters of five may differ; below that, suggestions mislead.
const LEAST_LIKENESS: f64 = 0.6;

/// A name that lacks a word of the right one (`max_results`).
const PART_LIKENESS: f64 = 0.7;

fn likeness(name: &str, candidate: &str) -> f64 {
    let name = name.to_lowercase().replace('-', "_");
    let by_letters = strsim::normalized_damerau_levenshtein(&name, &candidate.to_lowercase());
    let is_part = name.len() >= 4 && (candidate.contains(&name) || name.contains(candidate));
    if is_part {
        by_letters.max(PART_LIKENESS)
    } else {
        by_letters
    }
}

#[cfg(test)]
mod tests {
    use super::{is_misspelling, nearest};

    const KEYS: [&str; 3] = ["default_max_results", "store", "search_modules"];

    #[test]
    fn swapped_and_missing_letters_are_forgiven() {
        assert_eq!(nearest("serach_modules", KEYS), Some("search_modules"));
        assert_eq!(nearest("Stor", KEYS), Some("store"));
        assert_eq!(nearest("search-module", KEYS), Some("search_modules"));
    }

    #[test]
    fn a_missing_word_is_forgiven() {
        assert_eq!(nearest("max_results", KEYS), Some("default_max_results"));
    }

    #[test]
    fn a_slip_of_the_keyboard_is_told_from_another_name() {
        for slip in ["keywrd", "keyowrd", "Keyword", "keyword-", "keywords"] {
            assert!(is_misspelling(slip, "keyword"), "{slip}");
        }
        for other in ["keyword_pv", "pv_keyword", "lexical", "key", "rag2"] {
            assert!(!is_misspelling(other, "keyword"), "{other}");
            assert!(!is_misspelling(other, "rag"), "{other}");
        }
    }

    #[test]
    fn nothing_is_suggested_for_something_else() {
        assert_eq!(nearest("telemetry", KEYS), None);
        assert_eq!(nearest("", KEYS), None);
    }
}

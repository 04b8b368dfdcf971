//! Which of the question's words a text holds: as they are, as part of a
//! device's name, or misspelt.

use std::collections::BTreeSet;

/// Letters from which a short form in a device's name stands for a word.
const SHORT_FORM: usize = 3;
/// Letters from which a word may be misspelt by one letter, and by two.
const ONE_SLIP: usize = 5;
const TWO_SLIPS: usize = 9;

/// Whether a stem is the term, or a device's name that begins like it: `cav1`
/// is a `cavity`, `kly2` a `klystron`.
pub(super) fn stands_for(stem: &str, term: &str) -> bool {
    if stem == term {
        return true;
    }
    let letters = stem.trim_end_matches(|c: char| c.is_ascii_digit());
    let is_name = letters.len() < stem.len() && letters.len() >= SHORT_FORM;
    is_name && letters.bytes().all(|b| b.is_ascii_lowercase()) && term.starts_with(letters)
}

/// The word among those found that a misspelt term means: the one with the
/// fewest slips, then the first by alphabet. Names and numbers are not
/// guessed at.
pub(super) fn meant_by<'a>(term: &str, known: &'a BTreeSet<&str>) -> Option<&'a str> {
    let slips_allowed = match term.len() {
        TWO_SLIPS.. => 2,
        ONE_SLIP.. => 1,
        _ => return None,
    };
    if !term.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return None;
    }
    known
        .iter()
        .filter(|word| word.len().abs_diff(term.len()) <= slips_allowed)
        .filter(|word| word.as_bytes().first() == term.as_bytes().first())
        .filter(|word| word.bytes().all(|byte| byte.is_ascii_lowercase()))
        .map(|word| (slips_between(term, word), *word))
        .filter(|(slips, _)| *slips <= slips_allowed)
        .min()
        .map(|(_, word)| word)
}

/// Letters to be added, dropped or changed (Levenshtein's distance).
fn slips_between(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.bytes().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, to) in b.bytes().enumerate() {
            let changed = diagonal + usize::from(from != to);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_name_stands_for_its_kind() {
        assert!(stands_for("cav1", "cavity"));
        assert!(stands_for("kly2", "klystron"));
        assert!(!stands_for("k3", "kicker"));
        assert!(!stands_for("cavern", "cavity"));
    }

    #[test]
    fn a_misspelt_word_is_the_nearest_known_one() {
        let known = BTreeSet::from(["vacuum", "encoder", "valve", "recorder"]);
        assert_eq!(meant_by("vacum", &known), Some("vacuum"));
        assert_eq!(meant_by("encorder", &known), Some("encoder"));
        assert_eq!(meant_by("vane", &known), None);
        assert_eq!(meant_by("bpm02", &known), None);
    }
}

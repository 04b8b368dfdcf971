//! Words that are near to one that is in no entry, and how far they are
//! trusted to be what was meant.
//!
//! A word that is in no entry may be misspelt, or name something that nobody
//! wrote about. A short word has many neighbours: `drone` is one letter away
//! from `done` and `drove`, and neither is meant.

use std::cmp::Ordering;
use std::collections::HashSet;

use gannet_api::fold;

use super::function_words::{is_english_function_word, is_function_word};

/// So many near words are kept of one.
const MOST_NEAR: usize = 3;
/// From so many letters on, a word that is near is hardly another word.
const LONG: usize = 6;
/// From so many letters on, one that was left out is missed.
const MOST_OF_A_WORD: usize = 5;
/// Letters that another ending of a word may have instead of its own.
const ENDING: usize = 3;
/// Letters that words with other endings have in common at least.
const STEM: usize = 5;
/// How many times more entries than the next one a word must be in to replace
/// another without being asked.
const FAVOURITE: u64 = 4;

/// A word near to one of a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NearWord {
    /// As it is indexed.
    pub word: String,
    /// As a term of the running text.
    pub term: String,
    /// In how many entries the term is.
    pub entries: u64,
}

/// How far a near word is trusted to be what was meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Trust {
    /// It is named to the user.
    Offered,
    /// It is searched for where nothing is found otherwise.
    Tried,
    /// It is searched for in place of the word.
    Replacing,
}

impl NearWord {
    /// By the kind of slip. The first letter is seldom wrong, a word in capitals
    /// may be an acronym, and two edits may lead to another word (`subspaces`,
    /// `substates`). In short words two letters that changed places are a slip
    /// for certain, a letter left out is one in words of five letters and
    /// likely one in shorter ones, and any other difference may be another
    /// word.
    pub(super) fn trust(&self, written: &str) -> Trust {
        let word: Vec<char> = written.to_lowercase().chars().collect();
        let near: Vec<char> = self.word.chars().collect();
        let is_acronym = word.len() < LONG && !written.contains(char::is_lowercase);
        if is_acronym || word.first() != near.first() {
            return Trust::Tried;
        }
        if is_swapped(&word, &near) {
            return Trust::Replacing;
        }
        if word.len() >= LONG {
            return match is_one_edit(&word, &near) {
                true => Trust::Replacing,
                false => Trust::Tried,
            };
        }
        match near.len() > word.len() {
            true if word.len() >= MOST_OF_A_WORD => Trust::Replacing,
            true => Trust::Tried,
            false => Trust::Offered,
        }
    }
}

impl NearWord {
    /// Whether it is the word with another ending: a form of it, in a language
    /// whose words are not reduced to stems.
    pub(super) fn is_form_of(&self, word: &str) -> bool {
        let word: Vec<char> = word.to_lowercase().chars().collect();
        let near: Vec<char> = self.word.chars().collect();
        let same = word.iter().zip(&near).take_while(|(a, b)| a == b).count();
        same >= STEM && word.len().max(near.len()) <= same + ENDING
    }
}

/// The word that may replace another without being asked: the only near one,
/// or one in far more entries than the next. The words are sorted by entries.
pub(super) fn favourite(near: &[NearWord]) -> Option<&NearWord> {
    let first = near.first()?;
    let next = near.get(1).map_or(0, |next| next.entries.max(1));
    (first.entries >= FAVOURITE * next).then_some(first)
}

/// Whether a word that is in no entry is a slip for another one, by the rule by
/// which a search replaces it without being asked: one letter or two that
/// changed places, and none of those that may make another word. The word
/// stands as typed, the other one folded.
pub fn is_misspelling(written: &str, meant: &str) -> bool {
    let folded = fold(written);
    let is_corrected = farthest(&folded) > 0 && !is_function_word(written);
    if !is_corrected || !may_stand_for(meant, &folded) {
        return false;
    }
    let word: Vec<char> = folded.chars().collect();
    let near: Vec<char> = meant.chars().collect();
    let is_near = is_one_edit(&word, &near) || has_two_swapped(&word, &near);
    let as_near_word = NearWord {
        word: meant.to_owned(),
        term: meant.to_owned(),
        entries: 0,
    };
    word != near && is_near && as_near_word.trust(written) == Trust::Replacing
}

/// Whether two letters that stand side by side changed places.
fn has_two_swapped(word: &[char], near: &[char]) -> bool {
    let same = word.iter().zip(near).take_while(|(a, b)| a == b).count();
    match (&word[same..], &near[same..]) {
        ([a, b, rest @ ..], [c, d, others @ ..]) => a == d && b == c && rest == others,
        _ => false,
    }
}

/// Whether one letter was left out, added or replaced.
fn is_one_edit(word: &[char], near: &[char]) -> bool {
    let same = word.iter().zip(near).take_while(|(a, b)| a == b).count();
    let (word, near) = (&word[same..], &near[same..]);
    match word.len().cmp(&near.len()) {
        Ordering::Less => near.get(1..) == Some(word),
        Ordering::Greater => word.get(1..) == Some(near),
        Ordering::Equal => word.get(1..) == near.get(1..),
    }
}

fn is_swapped(word: &[char], near: &[char]) -> bool {
    let mut sorted = [word.to_vec(), near.to_vec()];
    sorted
        .iter_mut()
        .for_each(|letters| letters.sort_unstable());
    sorted[0] == sorted[1]
}

/// How many edits a word may be away: 1, or 2 for words of 8 letters and
/// more; short words are not corrected.
pub fn farthest(word: &str) -> u8 {
    match word.chars().count() {
        0..4 => 0,
        4..8 => 1,
        _ => 2,
    }
}

/// Digits are never corrected: SR02 is no misspelling of SR01. A function word
/// says nothing in another's place.
pub fn may_stand_for(near: &str, word: &str) -> bool {
    let digits = |text: &str| -> Vec<char> { text.chars().filter(char::is_ascii_digit).collect() };
    near.chars().all(char::is_alphanumeric)
        && digits(near) == digits(word)
        && !is_english_function_word(near)
}

/// Of words that are equally near, those that are in most entries; of several
/// forms of one term the first in the alphabet.
pub fn most_frequent(mut near: Vec<NearWord>) -> Vec<NearWord> {
    near.sort_unstable_by(|a, b| (b.entries.cmp(&a.entries)).then_with(|| a.word.cmp(&b.word)));
    let mut terms = HashSet::new();
    near.retain(|near| terms.insert(near.term.clone()));
    near.truncate(MOST_NEAR);
    near
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(word: &str, entries: u64) -> NearWord {
        NearWord {
            word: word.to_owned(),
            term: word.trim_end_matches('s').to_owned(),
            entries,
        }
    }

    #[test]
    fn a_near_word_is_trusted_by_the_kind_of_slip() {
        for (word, other, trust) in [
            ("klystorn", "klystron", Trust::Replacing),
            ("magnte", "magnet", Trust::Replacing),
            ("Pmup", "pump", Trust::Replacing),
            ("qunch", "quench", Trust::Replacing),
            ("circulater", "circulator", Trust::Replacing),
            ("circullator", "circulator", Trust::Replacing),
            ("subspaces", "substates", Trust::Tried),
            ("SIAM", "isam", Trust::Tried),
            ("SIMA", "siam", Trust::Tried),
            ("magnet", "dagnet", Trust::Tried),
            ("pmps", "pumps", Trust::Tried),
            ("drone", "done", Trust::Offered),
            ("drone", "drove", Trust::Offered),
        ] {
            assert_eq!(near(other, 1).trust(word), trust, "{word}");
        }
    }

    #[test]
    fn a_misspelling_is_one_slip_away() {
        for (written, meant, is_slip) in [
            ("Brwns", "browns", true),
            ("Lindqivst", "lindqvist", true),
            ("circulater", "circulator", true),
            ("browns", "browns", false),
            ("Brownsky", "browns", false),
            ("subspaces", "substates", false),
            ("drone", "drove", false),
            ("SR02", "sr01", false),
            ("owk", "owl", false),
            ("silent", "listen", false),
        ] {
            assert_eq!(is_misspelling(written, meant), is_slip, "{written}");
        }
    }

    #[test]
    fn a_form_of_a_word_has_another_ending() {
        for (word, other, is_form) in [
            ("городского", "городской", true),
            ("Leitungen", "leitung", true),
            ("subspaces", "substates", false),
            ("value", "valve", false),
        ] {
            assert_eq!(near(other, 1).is_form_of(word), is_form, "{word}");
        }
    }

    #[test]
    fn a_favourite_is_in_far_more_entries_than_the_next() {
        assert_eq!(favourite(&[near("value", 1)]), Some(&near("value", 1)));
        assert_eq!(favourite(&[near("value", 9), near("valve", 3)]), None);
        let clear = [near("value", 12), near("valve", 3)];
        assert_eq!(favourite(&clear), Some(&clear[0]));
        assert_eq!(favourite(&[near("value", 0), near("valve", 0)]), None);
        assert_eq!(favourite(&[]), None);
    }

    #[test]
    fn forms_of_one_term_are_one_near_word() {
        let found = most_frequent(vec![near("valves", 4), near("value", 9), near("valve", 4)]);
        assert_eq!(found, [near("value", 9), near("valve", 4)]);
    }
}

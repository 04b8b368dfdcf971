//! Values that a question names in the other number: `alerts` for `alert`.

use gannet_api::{EntityKind, FilterField};

use super::lexicon::{KnownValue, Lexicon, NamedValues, Naming};

/// Letters of a word in the singular at least: `gas` is no plural of `GA`.
const SHORTEST: usize = 3;

/// The endings by which words of a language change their number.
#[derive(Debug)]
pub(super) struct Plurals {
    /// Endings of the plural, each with that of the singular.
    endings: Vec<(String, String)>,
    /// Endings of words in the singular that look like a plural.
    none: Vec<String>,
}

impl Plurals {
    /// Rules from the endings that a data file lists.
    pub(super) fn of(endings: Vec<(String, String)>, none: Vec<String>) -> Self {
        Self { endings, none }
    }

    /// The forms that a word may have in the other number. Not all of them are
    /// words: they are compared with those that are known.
    pub(super) fn other_forms(&self, word: &str) -> Vec<String> {
        let is_letter = |letter: char| letter.is_alphabetic() || letter == '-';
        if !word.chars().all(is_letter) {
            return Vec::new();
        }
        let mut forms = Vec::new();
        for (plural, singular) in &self.endings {
            let of_plural = word.strip_suffix(plural.as_str());
            let of_plural = of_plural.filter(|_| self.may_be_plural(word));
            forms.extend(of_plural.map(|stem| format!("{stem}{singular}")));
            let of_singular = word.strip_suffix(singular.as_str());
            let of_singular = of_singular.map(|stem| format!("{stem}{plural}"));
            forms.extend(of_singular.filter(|form| self.may_be_plural(form)));
        }
        let letters = word.chars().count();
        forms.retain(|form| form.chars().count().min(letters) >= SHORTEST);
        forms
    }

    fn may_be_plural(&self, word: &str) -> bool {
        let mut endings = self.none.iter();
        !endings.any(|ending| word.ends_with(ending.as_str()))
    }
}

impl Lexicon {
    /// The longest words at a place that name values in the other number, of
    /// more words than `least`. The last word of a value changes its number.
    pub(super) fn in_other_number(
        &self,
        words: &[&str],
        place: usize,
        plurals: &Plurals,
        least: usize,
    ) -> Option<NamedValues<'_>> {
        let first = *words.get(place)?;
        let of_several = self.of_several_words(first, &words[place + 1..], plurals);
        let named = of_several.and_then(|naming| self.with_a_number(naming, place, None));
        let named = named.or_else(|| self.of_one_word(first, place, plurals));
        named.filter(|named| named.end - place > least)
    }

    /// The longest naming of several words of which the last stands here in the
    /// other number.
    fn of_several_words(
        &self,
        first: &str,
        following: &[&str],
        plurals: &Plurals,
    ) -> Option<&Naming> {
        let is_here = |naming: &&Naming| {
            let Some((last, between)) = naming.rest.split_last() else {
                return false;
            };
            let Some(written) = following.get(between.len()) else {
                return false;
            };
            between.iter().zip(following).all(|(one, word)| one == word)
                && plurals.other_forms(written).contains(last)
        };
        let namings = self.by_first_word.get(first)?;
        let here = namings.iter().filter(is_here);
        here.max_by_key(|naming| naming.rest.len())
    }

    fn of_one_word(&self, word: &str, place: usize, plurals: &Plurals) -> Option<NamedValues<'_>> {
        let forms = plurals.other_forms(word);
        forms.iter().find_map(|form| {
            let (form, namings) = self.by_first_word.get_key_value(form)?;
            let naming = namings.iter().find(|naming| naming.rest.is_empty())?;
            self.with_a_number(naming, place, Some(form.as_str()))
        })
    }

    /// The values of a naming that have a plural.
    fn with_a_number<'l>(
        &'l self,
        naming: &Naming,
        place: usize,
        form: Option<&'l str>,
    ) -> Option<NamedValues<'l>> {
        let values = naming.values.iter().filter_map(|at| self.values.get(*at));
        let values: Vec<&KnownValue> = values.filter(|value| has_a_plural(value)).collect();
        (naming.is_whole && !values.is_empty()).then(|| NamedValues {
            values,
            end: place + 1 + naming.rest.len(),
            is_whole: true,
            form,
        })
    }
}

/// Whether there can be several of a value: of what an entry is, as of an alert.
/// Persons and places have names: `hatches` are not the plant of the name
/// Hatch. Tags and systems are things that entries name: who asks for trips
/// looks for the word too. Of a field of any other kind a value of several words
/// is no ordinary word, and an author may be a role: `engine captains`.
fn has_a_plural(value: &KnownValue) -> bool {
    let has_several_words = value.value.split_whitespace().nth(1).is_some();
    let is_what_it_is = match value.kind {
        EntityKind::Category => true,
        EntityKind::Other | EntityKind::Author => has_several_words,
        _ => false,
    };
    is_what_it_is && value.field != FilterField::Kind
}

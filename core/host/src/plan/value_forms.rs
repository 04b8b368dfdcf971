//! Other forms of values that a question may name: the names of the
//! configuration, the names of regions, and values that are parts or beginnings
//! of others.

use std::collections::BTreeMap;

use gannet_api::{EntityKind, FilterField, fold};

use super::lexicon::{KnownField, KnownValue, Lexicon, parts_of};
use super::regions::region_names;
use super::set_conditions::is_short_for;
use super::word_counts::WordCounts;
use crate::config::ValueNames;

/// Separators of a value that is a list.
const SEPARATORS: [char; 3] = [';', '|', ','];
/// Words of a part of a list, at most.
const MOST_WORDS_OF_A_PART: usize = 6;
/// Lists of a field that are too long to be named whole, at most.
const MOST_LONG_LISTS: usize = 200;
/// Letters of a value that is cut, at least.
const SHORTEST_CUT: usize = 3;
/// Letters of a word that may be short for another one, at most.
const LONGEST_SHORT: usize = 3;
const VOWELS: [char; 6] = ['a', 'e', 'i', 'o', 'u', 'y'];
/// The value of the configuration that stands for any value of a field.
const ANY: &str = "*";

/// The place of a value and its words.
type WordedValue = (usize, Vec<String>);

/// The parts of values that are lists.
pub(super) fn list_parts(value: &str) -> impl Iterator<Item = Vec<String>> {
    let is_list = value.contains(SEPARATORS);
    let parts = value.split(SEPARATORS).filter(move |_| is_list);
    parts.map(|part| parts_of(part.trim()))
}

impl Lexicon {
    /// With the names of values that the configuration gives, and those of
    /// regions.
    pub(crate) fn with_names(
        mut self,
        fields: &[KnownField],
        counts: &WordCounts,
        names: &ValueNames,
    ) -> Self {
        self.add_regions(fields);
        self.add_long_lists(fields);
        self.add_list_parts(counts);
        self.add_cut();
        self.add_abbreviated();
        self.add_configured(names);
        self
    }

    fn add_regions(&mut self, fields: &[KnownField]) {
        for region in region_names(fields) {
            if let Some(place) = self.place_of(&region.field, &region.value) {
                self.add_name(&parts_of(region.name), &[place]);
            }
        }
    }

    fn add_configured(&mut self, names: &ValueNames) {
        for (field, values) in names {
            let field = FilterField::from_name(field);
            for (value, names) in values {
                let names = names.all().iter().map(|name| parts_of(name));
                match value.as_str() {
                    ANY => self.add_field_names(&field, names.collect()),
                    value => {
                        let place = self.place_of(&field, &fold(value));
                        let places: Vec<usize> = place.into_iter().collect();
                        names.for_each(|name| self.add_name(&name, &places));
                    }
                }
            }
        }
    }

    fn add_field_names(&mut self, field: &FilterField, names: Vec<Vec<String>>) {
        let known = self.fields.iter_mut().find(|known| known.field == *field);
        if let Some(known) = known {
            known.names.extend(names);
        }
    }

    /// Values are named by the words of a name, beside what they name already.
    /// A part of another value that has the same words is no longer meant.
    fn add_name(&mut self, words: &[String], places: &[usize]) {
        let Some((first, rest)) = words.split_first() else {
            return;
        };
        if places.is_empty() {
            return;
        }
        if let Some(namings) = self.by_first_word.get_mut(first) {
            namings.retain(|naming| naming.rest != rest || naming.is_whole);
        }
        for place in places {
            self.add(words, *place, true);
        }
    }

    /// Adds the values that are lists and too long to be named whole.
    fn add_long_lists(&mut self, fields: &[KnownField]) {
        for known in fields {
            let long = known.values.iter().filter(|(value, _)| {
                value.contains(SEPARATORS) && self.place_of(&known.field, value).is_none()
            });
            let long: Vec<KnownValue> = long
                .map(|(value, entries)| KnownValue {
                    field: known.field.clone(),
                    kind: EntityKind::of_field(&known.field),
                    value: value.clone(),
                    entries: *entries,
                })
                .collect();
            // Longer lists of many different values are texts.
            if long.len() <= MOST_LONG_LISTS {
                self.values.extend(long);
            }
        }
    }

    /// A value that is a list (`Wildland;Training`) is named by its parts, where
    /// a part is a value by itself or a part of several.
    fn add_list_parts(&mut self, counts: &WordCounts) {
        let mut parts: BTreeMap<(String, Vec<String>), Vec<usize>> = BTreeMap::new();
        let mut whole: BTreeMap<(String, Vec<String>), usize> = BTreeMap::new();
        for (place, value) in self.values.iter().enumerate() {
            let key = (value.field.query_name(), parts_of(&value.value));
            whole.entry(key).or_insert(place);
            if value.kind == EntityKind::Author || !value.value.contains(SEPARATORS) {
                continue;
            }
            for words in list_parts(&value.value) {
                let key = (value.field.query_name(), words);
                let places = parts.entry(key).or_default();
                places.push(place);
            }
        }
        for (key, mut places) in parts {
            let own = whole.get(&key).copied();
            let (_, words) = key;
            let is_long = words.len() > MOST_WORDS_OF_A_PART;
            if words.is_empty() || is_long || (own.is_none() && places.len() < 2) {
                continue;
            }
            places.extend(own);
            let entries = places.iter().map(|place| self.values[*place].entries).sum();
            if counts.is_ordinary(&words, entries) {
                continue;
            }
            self.add_name(&words, &places);
        }
    }

    /// A value that ends within a word of exactly one other value of its field
    /// is that one, cut: `UNU` of `UNUSUAL EVENT`. So is one with a number before
    /// it.
    fn add_cut(&mut self) {
        let mut fields: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (place, value) in self.values.iter().enumerate() {
            let is_metadata = matches!(value.field, FilterField::Metadata(_));
            if is_metadata && EntityKind::of_field(&value.field) != EntityKind::Tag {
                fields
                    .entry(value.field.query_name())
                    .or_default()
                    .push(place);
            }
        }
        for places in fields.into_values() {
            for cut in &places {
                if let Some(whole) = self.whole_of(*cut, &places) {
                    self.add(&parts_of(&self.values[whole].value.clone()), *cut, true);
                }
            }
        }
    }

    /// A value of several words of which some are short for those of another one
    /// of its field is the same: `FT CALHOUN` and `FORT CALHOUN`.
    fn add_abbreviated(&mut self) {
        // By field, number of words and last letter, so that few are compared.
        let mut alike: BTreeMap<(String, usize, char), Vec<WordedValue>> = BTreeMap::new();
        for (place, value) in self.values.iter().enumerate() {
            let words = parts_of(&value.value);
            let last = words.last().and_then(|word| word.chars().last());
            if let (2.., Some(last)) = (words.len(), last) {
                let key = (value.field.query_name(), words.len(), last);
                alike.entry(key).or_default().push((place, words));
            }
        }
        for values in alike.into_values() {
            for (short, words) in values.iter().filter(|(_, words)| has_short_word(words)) {
                let wholes = values.iter().filter(|(_, whole)| abbreviates(words, whole));
                for (whole, names) in wholes {
                    self.add(names, *short, true);
                    self.add(words, *whole, true);
                }
            }
        }
    }

    /// The value that another one is the beginning or the end of.
    fn whole_of(&self, cut: usize, places: &[usize]) -> Option<usize> {
        let own = &self.values[cut];
        let words = parts_of(&own.value);
        let mut wholes = places.iter().copied().filter(|place| {
            let other = &self.values[*place];
            *place != cut
                && other.entries > own.entries
                && (is_cut(&own.value, &other.value) || is_numbered(&words, &other.value))
        });
        let whole = wholes.next()?;
        wholes.next().is_none().then_some(whole)
    }

    fn place_of(&self, field: &FilterField, value: &str) -> Option<usize> {
        let mut values = self.values.iter();
        values.position(|known| known.field == *field && known.value == value)
    }
}

fn has_short_word(words: &[String]) -> bool {
    words.iter().any(|word| is_contracted(word))
}

/// Whether a word may be one without its vowels, as `ft` is: one with a vowel is
/// a name of its own, as `Al` and `Jo` are.
fn is_contracted(word: &str) -> bool {
    let length = word.chars().count();
    let is_consonant = |letter: char| letter.is_alphabetic() && !VOWELS.contains(&letter);
    (2..=LONGEST_SHORT).contains(&length) && word.chars().all(is_consonant)
}

/// Whether words are those of a name, but for some that are short for its own.
fn abbreviates(words: &[String], name: &[String]) -> bool {
    let mut pairs = words.iter().zip(name);
    words != name
        && pairs.all(|(word, whole)| {
            let is_word = whole.contains(VOWELS);
            word == whole || (is_word && is_contracted(word) && is_short_for(word, whole))
        })
}

/// Whether a value ends within a word of another one.
fn is_cut(value: &str, whole: &str) -> bool {
    let ends_in_a_word = value.ends_with(char::is_alphabetic);
    let rest = whole.strip_prefix(value);
    let goes_on = rest.is_some_and(|rest| rest.starts_with(char::is_alphabetic));
    value.chars().count() >= SHORTEST_CUT && ends_in_a_word && goes_on
}

/// Whether words are those of a value with numbers before it.
fn is_numbered(words: &[String], value: &str) -> bool {
    let has_letter = |word: &String| word.chars().any(char::is_alphabetic);
    let start = words.iter().position(has_letter).unwrap_or(0);
    start > 0 && words[start..] == parts_of(value)
}

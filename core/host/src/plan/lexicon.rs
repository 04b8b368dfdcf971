//! The values of fields that the store knows, by their words.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ops::Range;
use std::sync::OnceLock;

use gannet_api::query::is_stop_word;
use gannet_api::{EntityKind, FilterField, PlanEntity, PlanSource, fold};
use jiff::Timestamp;

use super::language::Language;
use super::plurals::Plurals;
use super::value_forms::list_parts;
use super::word_counts::WordCounts;
use super::words::words_of;

/// Longest value that can be named in a question; longer ones are texts.
const LONGEST_VALUE: usize = 60;
/// Digits of a value that is a number, at most.
const LONGEST_NUMBER: usize = 4;
/// Most words of such a value.
const MOST_WORDS: usize = 6;
/// What separates the values of a list that is one text.
const SEPARATORS_OF_LISTS: [char; 2] = [';', '|'];
/// A part of an author's name names at most so many authors.
const MOST_NAMED: usize = 3;

/// A field and its values, each with the number of entries that have it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct KnownField {
    /// The field.
    pub(crate) field: FilterField,
    /// Its values, folded, with counts.
    pub(crate) values: Vec<(String, u64)>,
}

/// One value as a question may name it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct KnownValue {
    pub(super) field: FilterField,
    pub(super) kind: EntityKind,
    pub(super) value: String,
    pub(super) entries: u64,
}

impl KnownValue {
    /// The value as the words at a place of the text name it.
    pub(super) fn entity(&self, span: Range<usize>) -> PlanEntity {
        PlanEntity::new(self.kind, self.value.clone(), PlanSource::Words)
            .with_field(self.field.clone())
            .with_span(span)
            .with_entries(self.entries)
    }
}

/// A calendar month in UTC: its year and its number.
pub(crate) type Month = (i16, i8);

/// The values that a question may name, by the first of their words, and the
/// times of which there are entries.
#[derive(Debug, Default)]
pub(crate) struct Lexicon {
    newest: Option<Timestamp>,
    /// The latest months that have entries, once a question needed them.
    months: OnceLock<BTreeSet<Month>>,
    pub(super) values: Vec<KnownValue>,
    pub(super) by_first_word: BTreeMap<String, Vec<Naming>>,
    /// The fields that entries have.
    pub(super) fields: Vec<FieldUse>,
    /// All entries of the tenant.
    pub(super) entries: u64,
    /// Words for what entries are called that a good part of them has.
    common: HashSet<String>,
}

/// How many entries have a field.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct FieldUse {
    pub(super) field: FilterField,
    /// An entry with several values counts for each.
    pub(super) entries: u64,
    /// Its values without a letter, as the numbers of regions.
    pub(super) numbers: HashSet<String>,
    /// Its names in the configuration, as words.
    pub(super) names: Vec<Vec<String>>,
    /// Whether an entry may have several values of it.
    is_list: bool,
}

/// Words that name values.
#[derive(Debug, PartialEq)]
pub(super) struct Naming {
    /// The words after the first.
    pub(super) rest: Vec<String>,
    /// Places in the list of values.
    pub(super) values: Vec<usize>,
    /// Whether these are all words of the value.
    pub(super) is_whole: bool,
}

/// Values that words of a question name.
#[derive(Debug, PartialEq)]
pub(super) struct NamedValues<'l> {
    pub(super) values: Vec<&'l KnownValue>,
    /// The place after the last word.
    pub(super) end: usize,
    /// Whether the words are all of the value.
    pub(super) is_whole: bool,
    /// The word of values of one word that the question has in the other
    /// number.
    pub(super) form: Option<&'l str>,
}

impl Lexicon {
    /// The words whose number of entries decides what names a value.
    pub(crate) fn words_to_count(fields: &[KnownField]) -> Vec<String> {
        let mut words = HashSet::new();
        for (field, value, _) in nameable(fields) {
            let parts = parts_of(value);
            if parts.len() == 1 || *field == FilterField::Author {
                words.extend(parts);
            }
        }
        let values = fields.iter().flat_map(|known| &known.values);
        let parts = values.flat_map(|(value, _)| list_parts(value));
        words.extend(parts.flatten());
        words.extend(Language::possible_records().map(str::to_owned));
        let mut words: Vec<String> = words.into_iter().collect();
        words.sort_unstable();
        words
    }

    /// With the time of the newest entry.
    #[must_use]
    pub(crate) fn with_newest(self, newest: Option<Timestamp>) -> Self {
        Self { newest, ..self }
    }

    /// The latest months that have entries, where they were read.
    pub(crate) fn months(&self) -> Option<&BTreeSet<Month>> {
        self.months.get()
    }

    /// Keeps the latest months that have entries, unless it has them.
    pub(crate) fn keep_months(&self, months: BTreeSet<Month>) {
        self.months.get_or_init(|| months);
    }

    /// The time of the newest entry, when there is one.
    pub(crate) fn newest(&self) -> Option<Timestamp> {
        self.newest
    }

    /// The lexicon of the values of some fields.
    pub(crate) fn of(fields: &[KnownField], counts: &WordCounts) -> Self {
        let all = fields.iter().find(|known| known.field == FilterField::Kind);
        let all = all.map(entries_of);
        let uses = fields.iter().map(|known| FieldUse {
            field: known.field.clone(),
            entries: entries_of(known),
            numbers: numbers_of(known),
            names: Vec::new(),
            is_list: is_list(known, all),
        });
        let mut lexicon = Self {
            fields: uses.collect(),
            entries: counts.entries,
            common: Language::possible_records()
                .filter(|word| counts.is_common(word))
                .map(str::to_owned)
                .collect(),
            ..Self::default()
        };
        let mut names: Vec<(usize, Vec<String>)> = Vec::new();
        for (field, value, entries) in nameable(fields) {
            let words = parts_of(value);
            let place = lexicon.values.len();
            lexicon.values.push(KnownValue {
                field: field.clone(),
                kind: EntityKind::of_field(field),
                value: value.to_owned(),
                entries,
            });
            if words.len() > 1 || words.iter().all(|word| !counts.is_common(word)) {
                for form in forms_of(&words) {
                    lexicon.add(&form, place, true);
                }
            }
            if *field == FilterField::Author {
                names.push((place, words));
            }
        }
        lexicon.add_parts(&names, counts);
        lexicon.add_numbered();
        lexicon
    }

    /// Whether an entry may have several values of a field.
    pub(super) fn is_list(&self, field: &FilterField) -> bool {
        let mut uses = self.fields.iter();
        uses.any(|known| known.field == *field && known.is_list)
    }

    /// Whether a word for what entries are called is in a good part of them, in
    /// either number.
    pub(super) fn is_common(&self, word: &str, plurals: &Plurals) -> bool {
        let forms = plurals.other_forms(word);
        self.common.contains(word) || forms.iter().any(|form| self.common.contains(form))
    }

    /// The longest words at a place that name values, as the values have them
    /// or with the last word in the other number.
    pub(super) fn at(
        &self,
        words: &[&str],
        place: usize,
        plurals: &Plurals,
    ) -> Option<NamedValues<'_>> {
        let exact = self.exactly_at(words, place);
        let least = exact.as_ref().map_or(0, |named| named.end - place);
        let changed = self.in_other_number(words, place, plurals, least);
        changed.or(exact)
    }

    fn exactly_at(&self, words: &[&str], place: usize) -> Option<NamedValues<'_>> {
        let namings = self.by_first_word.get(*words.get(place)?)?;
        let following = &words[place + 1..];
        let is_here = |naming: &&Naming| {
            naming.rest.len() <= following.len()
                && naming
                    .rest
                    .iter()
                    .zip(following)
                    .all(|(one, word)| one == word)
        };
        let naming = namings
            .iter()
            .filter(is_here)
            .max_by_key(|naming| naming.rest.len())?;
        let values = naming
            .values
            .iter()
            .filter_map(|place| self.values.get(*place));
        Some(NamedValues {
            values: values.collect(),
            end: place + 1 + naming.rest.len(),
            is_whole: naming.is_whole,
            form: None,
        })
    }

    pub(super) fn add(&mut self, words: &[String], value: usize, is_whole: bool) {
        let Some((first, rest)) = words.split_first() else {
            return;
        };
        let namings = self.by_first_word.entry(first.clone()).or_default();
        match namings.iter_mut().find(|naming| naming.rest == rest) {
            Some(naming) => {
                if !naming.values.contains(&value) {
                    naming.values.push(value);
                }
                naming.is_whole |= is_whole;
            }
            None => namings.push(Naming {
                rest: rest.to_vec(),
                values: vec![value],
                is_whole,
            }),
        }
    }

    /// Parts of authors' names that no other text has: the surname of a person,
    /// the place in the name of a plant.
    fn add_parts(&mut self, names: &[(usize, Vec<String>)], counts: &WordCounts) {
        let mut by_word: HashMap<&str, Vec<usize>> = HashMap::new();
        for (place, words) in names.iter().filter(|(_, words)| words.len() > 1) {
            for word in words {
                by_word.entry(word).or_default().push(*place);
            }
        }
        let mut distinctive: Vec<(String, Vec<usize>)> = Vec::new();
        for (word, mut places) in by_word {
            places.dedup();
            let entries: u64 = places.iter().map(|place| self.values[*place].entries).sum();
            if places.len() <= MOST_NAMED && counts.is_distinctive(word, entries) {
                distinctive.push((word.to_owned(), places));
            }
        }
        for (word, places) in distinctive {
            for place in places {
                self.add(std::slice::from_ref(&word), place, false);
            }
        }
        self.add_beginnings(names);
    }

    /// The first two words of longer names, where no other name begins so.
    fn add_beginnings(&mut self, names: &[(usize, Vec<String>)]) {
        let mut by_beginning: HashMap<&[String], Vec<usize>> = HashMap::new();
        for (place, words) in names.iter().filter(|(_, words)| words.len() > 2) {
            by_beginning.entry(&words[..2]).or_default().push(*place);
        }
        for (beginning, places) in by_beginning {
            if let [place] = places.as_slice() {
                self.add(beginning, *place, false);
            }
        }
    }
}

/// How many entries have a value of a field; one with several counts for each.
fn entries_of(known: &KnownField) -> u64 {
    known.values.iter().map(|(_, entries)| entries).sum()
}

/// Whether entries have several values of a field: tags, lists in one text, and
/// fields with more values than there are entries. `all` is the number of
/// entries.
fn is_list(known: &KnownField, all: Option<u64>) -> bool {
    let kind = EntityKind::of_field(&known.field);
    let has_list = |(value, _): &(String, u64)| value.contains(SEPARATORS_OF_LISTS);
    match kind {
        EntityKind::Tag => true,
        EntityKind::Author => false,
        _ => known.values.iter().any(has_list) || all.is_some_and(|all| entries_of(known) > all),
    }
}

/// The short values that are digits alone.
fn numbers_of(known: &KnownField) -> HashSet<String> {
    let is_number = |value: &&String| {
        value.len() <= LONGEST_NUMBER && value.bytes().all(|byte| byte.is_ascii_digit())
    };
    let values = known.values.iter().map(|(value, _)| value);
    values.filter(is_number).cloned().collect()
}

/// The values that a question may name: short, with a letter.
fn nameable(fields: &[KnownField]) -> impl Iterator<Item = (&FilterField, &str, u64)> {
    let is_short = |value: &str| {
        value.len() <= LONGEST_VALUE
            && value.split_whitespace().count() <= MOST_WORDS
            && value.chars().any(char::is_alphabetic)
    };
    fields.iter().flat_map(move |known| {
        let values = known.values.iter();
        let short = values.filter(move |(value, _)| is_short(value));
        short.map(|(value, entries)| (&known.field, value.as_str(), *entries))
    })
}

/// The words of a value; initials of persons are left out.
pub(super) fn parts_of(value: &str) -> Vec<String> {
    let words = words_of(value, |_| false);
    let all: Vec<String> = words.into_iter().map(|word| fold(word.text)).collect();
    let is_initial = |word: &&String| word.chars().count() == 1;
    let has_name = all.iter().any(|word| word.chars().count() > 2);
    let has_initial = value.contains('.') && all.iter().any(|word| is_initial(&word));
    match has_name && has_initial {
        true => all.into_iter().filter(|word| !is_initial(&word)).collect(),
        false => all,
    }
}

/// The forms in which a value is written: its words, with a hyphen between two
/// or three of them or with those that have one parted, and the initials of
/// three words or more, as in `TMI`.
fn forms_of(words: &[String]) -> Vec<Vec<String>> {
    let mut forms = vec![words.to_vec()];
    let is_plain = |word: &&String| !word.contains('-');
    if (2..=3).contains(&words.len()) && words.iter().all(|word| is_plain(&word)) {
        forms.push(vec![words.join("-")]);
    }
    if words.iter().any(|word| word.contains('-')) {
        let parted = words.iter().flat_map(|word| word.split('-'));
        forms.push(parted.map(str::to_owned).collect());
    }
    let initials: String = words
        .iter()
        .filter_map(|word| word.chars().next())
        .collect();
    let is_name = words
        .iter()
        .all(|word| word.chars().all(char::is_alphabetic));
    if words.len() >= 3 && is_name && !is_stop_word(&initials) {
        forms.push(vec![initials]);
    }
    forms
}

//! Values that a question names with a word that is misspelt.
//!
//! A plan is made without looking into the store. Whether a word is in no
//! entry is asked only of those that are near to a word of a value, so that
//! most questions cost nothing more.

use std::collections::HashSet;
use std::ops::Range;

use gannet_analysis::is_misspelling;
use gannet_api::query::{is_pasted, is_stop_word};
use gannet_api::{PlanEntity, QueryPlan, fold};

use super::entities::with_distinctive_values;
use super::language::Language;
use super::lexicon::{Lexicon, NamedValues, Naming};
use super::notes::quoted;
use super::words::{Word, words_of};
use super::{overlaps, place_of};

/// Words of a value before the one that is misspelt at most.
const MOST_BEFORE: usize = 5;

/// Words of a question that name a value if one of them is misspelt.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Misspelt {
    /// The word that may be misspelt, as typed: it is if it is in no entry.
    pub(crate) word: String,
    /// Where the words stand in the text.
    span: Range<usize>,
    /// The value as each field has it.
    entities: Vec<PlanEntity>,
}

/// Words of a value, of which one is near to a word of the question.
struct Near<'l> {
    /// The first word.
    start: usize,
    /// The words as the value has them.
    words: Vec<&'l str>,
    naming: &'l Naming,
}

/// What a question names if words of it are misspelt that the plan knows
/// nothing of: of the longest values that are near, those with one value alone.
pub(crate) fn misspelt_in(plan: &QueryPlan, lexicon: &Lexicon) -> Vec<Misspelt> {
    if is_pasted(&plan.text) {
        return Vec::new();
    }
    let words = words_of(&plan.text, Language::splits);
    let (language, _) = Language::of(&words);
    let terms: HashSet<String> = plan.terms.iter().map(|term| fold(term)).collect();
    let is_unread = |word: &Word<'_>| {
        let mut spans = spans_of(plan);
        terms.contains(&fold(word.text))
            && !language.is_structural(&word.folded)
            && !spans.any(|span| overlaps(span, &word.span))
    };
    let unread = (0..words.len()).filter(|place| is_unread(&words[*place]));
    let found = unread.filter_map(|place| {
        let near = lexicon.near(&words, place).into_iter();
        let near = near.filter(|near| match near.words.as_slice() {
            [word] => !is_stop_word(word) && !language.is_structural(word),
            _ => true,
        });
        let near: Vec<Near<'_>> = near.collect();
        lexicon.only_value(&near, &words, place)
    });
    found.filter(|one| fits_beside(plan, &one.span)).collect()
}

/// Adds what a misspelt word names.
pub(crate) fn add_misspelt(plan: &mut QueryPlan, misspelt: Misspelt) {
    let Misspelt {
        word,
        span,
        entities,
    } = misspelt;
    let Some(entity) = entities.first() else {
        return;
    };
    let words = quoted(plan.text.get(span.clone()).unwrap_or_default());
    let (value, word) = (quoted(&entity.value), quoted(&word));
    plan.notes
        .push(format!("{words} is read as {value}: {word} is in no entry"));
    // Another word may name it by itself: `Ferry` in `Brwns Ferry`.
    let is_beside = |own: &Range<usize>| !overlaps(own, &span);
    plan.entities
        .retain(|entity| entity.span.as_ref().is_none_or(is_beside));
    plan.entities.extend(entities);
    plan.entities
        .sort_by_key(|entity| place_of(entity.span.as_ref()));
}

/// Whether words name a value with one of its words misspelt.
pub(super) fn is_misspelt(written: &str, value: &str) -> bool {
    let mut pairs = written.split_whitespace().zip(value.split_whitespace());
    pairs.any(|(one, meant)| is_misspelling(one, meant))
}

/// Where the plan has read something.
fn spans_of(plan: &QueryPlan) -> impl Iterator<Item = &Range<usize>> {
    let times = plan.times.iter().filter_map(|time| time.span.as_ref());
    let entities = plan.entities.iter();
    times.chain(entities.filter_map(|entity| entity.span.as_ref()))
}

/// Whether nothing else was read in the words, but for values that a part of
/// them names.
fn fits_beside(plan: &QueryPlan, span: &Range<usize>) -> bool {
    let mut times = plan.times.iter().filter_map(|time| time.span.as_ref());
    let is_free = !times.any(|time| overlaps(time, span));
    let mut entities = plan.entities.iter();
    is_free
        && entities.all(|entity| {
            entity.span.as_ref().is_none_or(|own| {
                let is_part = span.start <= own.start && own.end <= span.end;
                !overlaps(own, span) || (is_part && !entity.strict)
            })
        })
}

impl Lexicon {
    /// The words of values that stand around a word, which is near to one of
    /// them while the others are the same.
    fn near(&self, words: &[Word<'_>], place: usize) -> Vec<Near<'_>> {
        let word = &words[place];
        let mut found = Vec::new();
        for (first, namings) in self.beginning_like(&word.folded) {
            if is_misspelling(word.text, first) {
                found.extend(near_of(first, namings, place));
            }
        }
        let before = place.saturating_sub(MOST_BEFORE)..place;
        let before = before.filter_map(|start| {
            let first = &words[start].folded;
            Some((start, self.by_first_word.get_key_value(first)?))
        });
        for (start, (first, namings)) in before {
            found.extend(near_of(first, namings, start));
        }
        found.retain(|near| near.is_here(words, place));
        found
    }

    /// The first words of values with the first letter of a word, of about its
    /// length.
    fn beginning_like(&self, word: &str) -> impl Iterator<Item = (&String, &Vec<Naming>)> {
        let letter: String = word.chars().take(1).collect();
        let letters = word.chars().count();
        let from = self.by_first_word.range(letter.clone()..);
        let same_letter = from.take_while(move |(first, _)| first.starts_with(&letter));
        same_letter.filter(move |(first, _)| first.chars().count().abs_diff(letters) <= 1)
    }

    /// The one value of the longest of these words; none where they have
    /// several.
    fn only_value(&self, near: &[Near<'_>], words: &[Word<'_>], place: usize) -> Option<Misspelt> {
        let longest = near.iter().map(|near| near.words.len()).max()?;
        let longest = near.iter().filter(|near| near.words.len() == longest);
        let mut entities: Vec<PlanEntity> = Vec::new();
        for near in longest {
            let end = near.start + near.words.len();
            let span = words[near.start].span.start..words[end - 1].span.end;
            let values = near.naming.values.iter();
            let named = NamedValues {
                values: values.filter_map(|at| self.values.get(*at)).collect(),
                end,
                is_whole: near.naming.is_whole,
                form: None,
            };
            let named = with_distinctive_values(named, &near.words)?;
            let named = named.values.iter().map(|value| value.entity(span.clone()));
            entities.extend(named);
        }
        let first = entities.first()?.clone();
        let is_same = |one: &PlanEntity| (&one.value, &one.span) == (&first.value, &first.span);
        entities.iter().all(is_same).then(|| Misspelt {
            word: words[place].text.to_owned(),
            span: first.span.clone().unwrap_or_default(),
            entities,
        })
    }
}

fn near_of<'l>(
    first: &'l str,
    namings: &'l [Naming],
    start: usize,
) -> impl Iterator<Item = Near<'l>> {
    namings.iter().map(move |naming| {
        let rest = naming.rest.iter().map(String::as_str);
        Near {
            start,
            words: std::iter::once(first).chain(rest).collect(),
            naming,
        }
    })
}

impl Near<'_> {
    /// Whether the words stand in the question, but for the one that may be
    /// misspelt.
    fn is_here(&self, words: &[Word<'_>], misspelt: usize) -> bool {
        let places = self.start..self.start + self.words.len();
        let Some(written) = words.get(places.clone()) else {
            return false;
        };
        let mut pairs = places.clone().zip(written.iter().zip(&self.words));
        places.contains(&misspelt)
            && pairs.all(|(place, (written, meant))| match place == misspelt {
                true => is_misspelling(written.text, meant),
                false => written.folded == *meant,
            })
    }
}

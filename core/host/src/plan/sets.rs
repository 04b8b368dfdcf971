//! What a question asks of a set of entries: how many, which, the last, how
//! often, and by what conditions an entry is a member.

use std::ops::Range;

use gannet_api::query::is_pasted;
use gannet_api::{
    Filter, FilterField, GroupBy, Intent, PlanEntity, QueryPlan, SetMeasure, SetOperation,
    SetQuery, fold,
};

use super::language::{Language, Unit};
use super::lexicon::Lexicon;
use super::misspelt::is_misspelt;
use super::phrases::Phrases;
use super::set_clauses::{ReadClause, field_words, has_field, is_a_thing, note};
use super::set_excluded::{add_unread, take_excluded};
use super::set_scope::{
    exceeds_conditions, excludes, guesses_times, is_of_words, times_of_members, without_ignored,
};
use super::words::{Word, words_of};
use super::{may_assume_a_year, overlaps};
use crate::ignored_words::IgnoredWords;

/// Adds what a question asks of a set of entries. `has_guess` says whether a
/// misspelt word was read as a value. Ignored words are neither a condition nor
/// the topic.
pub(crate) fn add_set(
    plan: &mut QueryPlan,
    lexicon: &Lexicon,
    has_guess: bool,
    ignored: &IgnoredWords,
) {
    if is_pasted(&plan.text) || !is_of_words(plan) {
        return;
    }
    let text = plan.text.clone();
    let words = words_of(&text, Language::splits);
    let (language, _) = Language::of(&words);
    let words = without_ignored(words, ignored, language);
    let question = SetReader {
        plan,
        words: &words,
        language,
        lexicon,
    };
    let excluded = question.excluded();
    take_excluded(plan, &excluded);
    let is_outside = |word: &&Word<'_>| {
        let mut excluded = excluded.iter();
        !excluded.any(|one| overlaps(&one.span, &word.span))
    };
    let words: Vec<Word<'_>> = words.iter().filter(is_outside).cloned().collect();
    let question = SetReader {
        plan,
        words: &words,
        language,
        lexicon,
    };
    if let Some((places, is_of_entries)) = question.part_of_several() {
        let part = question.text_of(places);
        plan.intent = Intent::Count;
        if is_of_entries {
            add_unread(plan, part);
        }
        return;
    }
    let is_read = excluded.iter().all(|one| !one.read.is_empty());
    let is_set = is_read && !excludes(&words, language);
    let set = match is_set && !exceeds_conditions(question.plan, &words, language) {
        true => {
            let read = excluded.iter().flat_map(|one| &one.read);
            question.set(has_guess, &read.cloned().collect::<Vec<_>>())
        }
        false => None,
    };
    let parts = excluded.into_iter().map(|one| text[one.span].to_owned());
    let Some(set) = set else {
        parts.for_each(|part| add_unread(plan, part));
        return;
    };
    plan.notes.push(note(&set));
    plan.set = Some(set.with_excluded_words(parts.collect()));
}

/// A question that is read for a set.
pub(super) struct SetReader<'q> {
    pub(super) plan: &'q QueryPlan,
    pub(super) words: &'q [Word<'q>],
    pub(super) language: &'q Language,
    pub(super) lexicon: &'q Lexicon,
}

/// What the words say beside times and values.
#[derive(Default)]
pub(super) struct Roles {
    /// Places of words that are neither a condition nor ask.
    pub(super) topic: Vec<usize>,
    /// Whether beside the topic words say that something is wrong with it.
    pub(super) has_trouble: bool,
    /// Fields that an entry must have, values that are named with their field
    /// ("region 2"), and authors of whose names a word is a part.
    conditions: Vec<ReadClause>,
    /// Whether a condition is such an author.
    has_part_of_name: bool,
    /// Whether a word names a field that entries have: "scrams".
    pub(super) has_flag: bool,
}

impl SetReader<'_> {
    /// The set of the question, without the entries that meet a condition that is
    /// excluded.
    fn set(&self, has_guess: bool, excluded: &[ReadClause]) -> Option<SetQuery> {
        let is_end = matches!(self.plan.intent, Intent::Latest | Intent::First);
        // One entry is not counted by anything.
        let values = self.values_asked();
        let of_values = values.as_ref().map(|asked| {
            let by = GroupBy::Field(asked.field.clone());
            (by, asked.places.clone())
        });
        let group = of_values.or_else(|| self.group().filter(|_| !is_end));
        let compared = self.compared();
        let is_grouped = group.is_some() || compared.is_some();
        let operation = self.operation(is_grouped)?;
        let grouping = group.as_ref().map(|(_, places)| places.clone());
        let mean = self.mean_asked(group.as_ref().map(|(by, _)| by));
        let mean = mean.filter(|_| values.is_none());
        let mut unread = self.unread(grouping.as_ref());
        unread.retain(|places| mean.is_none_or(|mean| !places.contains(&mean)));
        let is_spoken = matches!(self.plan.intent, Intent::Find | Intent::YesNo);
        let entities: Vec<&PlanEntity> = self
            .conditions(is_spoken && !self.names_entries())
            .collect();
        let mut taken = unread.clone();
        taken.extend(grouping.clone());
        taken.extend(mean.map(|place| place..place + 1));
        taken.extend(self.names_beside_values(&entities));
        let roles = self.roles(&taken);
        let mut topic: Vec<String> = roles
            .topic
            .iter()
            .map(|at| self.words[*at].text.to_owned())
            .collect();
        topic.extend(self.names_beside(&entities));
        let mut read = self.clauses_of(&entities);
        let is_ambiguous = read.iter().chain(excluded).any(|one| one.is_guess);
        let fields_named = field_words(&read).len();
        read.extend(roles.conditions.iter().cloned());
        let field_words = field_words(&read);
        let mut filter = Filter {
            clauses: read.into_iter().map(|one| one.clause).collect(),
        };
        let times = times_of_members(self.plan);
        let conditions =
            fields_named + roles.conditions.len() + usize::from(!times.is_empty()) + excluded.len();
        if is_spoken && !is_grouped && !self.is_list(&roles, conditions) {
            return None;
        }
        let names_nothing = conditions == 0 && topic.is_empty() && group.is_none();
        let asks_for_all = self.names_entry() && operation.is_of_all();
        // "what type of valve is used" asks for what an entry states.
        let asks_for_one = |places: &Range<usize>| !self.is_plural(places.end - 1);
        let is_which = is_spoken && grouping.as_ref().is_some_and(asks_for_one) && !self.asks_per();
        // "which plant had the most reports" is about entries alone.
        let names_entries = conditions > 0 || self.names_entries();
        if (names_nothing && !asks_for_all) || (is_which && !(names_entries && topic.is_empty())) {
            return None;
        }
        if self.asks_for_a_statement(topic.len(), conditions, is_end && !self.names_entry()) {
            return None;
        }
        if operation == SetOperation::Count && !self.counts_entries(&roles, is_grouped) {
            return None;
        }
        filter
            .clauses
            .extend(self.plan.query.filter.clauses.iter().cloned());
        let is_a_thing = |entity: &&PlanEntity| is_a_thing(entity.kind) && !self.names_entry();
        let limit = match operation {
            SetOperation::First | SetOperation::Last => self.plan.entries_wanted.or(Some(1)),
            _ => None,
        };
        // An entry may tell of it without the field that names it.
        let is_assumed = has_guess
            || is_ambiguous
            || !unread.is_empty()
            || values
                .as_ref()
                .is_some_and(|asked| asked.is_guess || !topic.is_empty())
            || roles.has_flag
            || roles.has_part_of_name
            || self.names_what_entries_tell_of()
            || (!self.names_entry() && self.counts_a_condition())
            || may_assume_a_year(self.plan)
            || guesses_times(self.plan, self.words, self.language, &filter, &times)
            || entities.iter().any(is_a_thing);
        let of_values = values.map(|_| SetMeasure::Values);
        Some(
            SetQuery::new(operation)
                .with_limit(limit)
                .with_group_by(group.map(|(group, _)| group).or(compared))
                .with_measure(of_values.or(mean.map(|_| SetMeasure::Mean)))
                .with_group_words(grouping.map(|places| self.text_of(places)))
                .with_field_words(field_words)
                .with_filter(filter)
                .with_excluded(excluded.iter().map(|one| one.clause.clone()).collect())
                .with_times(times)
                .with_topic(topic)
                .with_unread(
                    unread
                        .into_iter()
                        .map(|places| self.text_of(places))
                        .collect(),
                )
                .with_is_assumed(is_assumed),
        )
    }

    fn operation(&self, is_grouped: bool) -> Option<SetOperation> {
        match self.plan.intent {
            Intent::Count if self.asks_for_a_part() => None,
            Intent::Count if self.has(&self.language.sets.rate) => Some(SetOperation::Rate),
            Intent::Count => Some(SetOperation::Count),
            Intent::Latest => Some(SetOperation::Last),
            Intent::First => Some(SetOperation::First),
            Intent::Find if is_grouped => Some(SetOperation::Count),
            Intent::List | Intent::Find | Intent::YesNo => Some(SetOperation::List),
            Intent::Compare if is_grouped && self.names_entries() => Some(SetOperation::Count),
            Intent::Cause | Intent::Fix | Intent::When | Intent::Compare => None,
        }
    }

    /// Whether the number asked for is computed from several: "what percentage of
    /// entries".
    fn asks_for_a_part(&self) -> bool {
        let sets = &self.language.sets;
        let mut words = self.words.iter();
        words.any(|word| sets.derived.contains(&word.folded) && self.asks(word))
    }

    /// Whether one of the phrases stands somewhere in the question.
    pub(super) fn has(&self, phrases: &Phrases<()>) -> bool {
        (0..self.words.len()).any(|place| phrases.at(self.words, place).is_some())
    }

    /// What entries are counted by, and the words that say it.
    fn group(&self) -> Option<(GroupBy, Range<usize>)> {
        (0..self.words.len()).find_map(|place| self.per_at(place).or_else(|| self.which_at(place)))
    }

    /// "per year", "by state".
    pub(super) fn per_at(&self, place: usize) -> Option<(GroupBy, Range<usize>)> {
        let (_, at) = self.language.sets.per.at(self.words, place)?;
        let unit = self.language.units.get(&self.words.get(at)?.folded);
        let group = match unit {
            Some(Unit::Year) => GroupBy::Year,
            Some(Unit::Month) => GroupBy::Month,
            Some(Unit::Day) => GroupBy::Day,
            _ => GroupBy::Field(self.field_named(at)?),
        };
        // "by author Voss" is one author.
        let is_of_value = matches!(&group, GroupBy::Field(field) if self.has_value(at + 1, field));
        (!is_of_value).then(|| (group, place..at + 1))
    }

    /// "which plants".
    fn which_at(&self, place: usize) -> Option<(GroupBy, Range<usize>)> {
        let (_, at) = self.language.sets.which.at(self.words, place)?;
        Some((GroupBy::Field(self.field_named(at)?), place..at + 1))
    }

    /// Whether "per", "by" or "each" stands before what entries are counted by.
    fn asks_per(&self) -> bool {
        (0..self.words.len()).any(|place| self.per_at(place).is_some())
    }

    /// The field that a word names, of several the one that most entries have.
    pub(super) fn field_named(&self, place: usize) -> Option<FilterField> {
        let word = self.words.get(place)?;
        if self.is_read(word) {
            return None;
        }
        let (sets, plurals) = (&self.language.sets, &self.language.plurals);
        let uses = self.lexicon.fields.iter();
        let named = uses.filter(|known| sets.names(&word.folded, &known.field, plurals));
        let best = named.max_by_key(|known| known.entries)?;
        Some(best.field.clone())
    }

    /// What the words say beside those that are taken.
    fn roles(&self, taken: &[Range<usize>]) -> Roles {
        let mut roles = Roles::default();
        let sets = &self.language.sets;
        let terms: Vec<String> = self.plan.terms.iter().map(|term| fold(term)).collect();
        let mut flagged = 0;
        for (place, word) in self.words.iter().enumerate() {
            let is_taken = taken.iter().any(|places| places.contains(&place));
            let (is_record, is_read) = (self.is_record(word), self.is_read(word));
            // The record may be a word of the phrase that asks: "how many reports".
            if place < flagged || is_taken || is_read || self.asks(word) {
                continue;
            }
            if let Some((clause, end)) = self.value_beside_name(place) {
                roles.conditions.push(self.read_in(clause, place..end));
                flagged = end;
                continue;
            }
            let category = self.category_asked(place).filter(|_| !is_record);
            if let Some(clause) = category {
                roles
                    .conditions
                    .push(self.read_in(clause, place..place + 1));
                continue;
            }
            if let Some(clause) = self.author_at(place) {
                roles.has_part_of_name = true;
                roles
                    .conditions
                    .push(self.read_in(clause, place..place + 1));
                continue;
            }
            if let Some((field, end)) = self.flag_at(place) {
                roles
                    .conditions
                    .push(self.read_in(has_field(field), place..end));
                flagged = end;
                roles.has_flag = true;
                continue;
            }
            let is_term = terms.contains(&fold(word.text));
            if is_term && !is_record && !sets.empty.contains(&word.folded) {
                roles.topic.push(place);
            }
        }
        self.take_trouble(&mut roles);
        roles
    }

    /// Whether a word was read as a time or a value.
    pub(super) fn is_read(&self, word: &Word<'_>) -> bool {
        let times = self.plan.times.iter().filter_map(|time| time.span.as_ref());
        let entities = self.plan.entities.iter();
        let values = entities.filter(|entity| entity.field.is_some());
        let mut spans = times.chain(values.filter_map(|value| value.span.as_ref()));
        spans.any(|span| overlaps(span, &word.span)) || self.abbreviates_a_name(word)
    }

    /// Whether a word is one of those that decided the intent or the order.
    pub(super) fn asks(&self, word: &Word<'_>) -> bool {
        let (intent, order) = (&self.plan.intent_words, &self.plan.order_words);
        let mut asking = intent.iter().chain(order);
        asking.any(|phrase| {
            let words = words_of(phrase, Language::splits);
            words.iter().any(|one| one.folded == word.folded)
        })
    }

    /// The values that are conditions. Where nothing asks for entries, a thing
    /// that is named is looked for as a word.
    fn conditions(&self, are_words: bool) -> impl Iterator<Item = &PlanEntity> {
        let entities = self.plan.soft_entities();
        let values = entities.filter(|entity| entity.field.is_some());
        values.filter(move |entity| !are_words || !is_a_thing(entity.kind))
    }

    /// Whether the question has a word for an entry.
    pub(super) fn names_entry(&self) -> bool {
        self.words.iter().any(|word| self.is_record(word))
    }

    /// Whether the question has a word for entries in the plural.
    pub(super) fn names_entries(&self) -> bool {
        let mut words = self.words.iter().enumerate();
        words.any(|(place, word)| self.is_record(word) && self.is_plural(place))
    }

    /// The words of values that are no condition; of those that are misspelt the
    /// value.
    fn names_beside(&self, conditions: &[&PlanEntity]) -> Vec<String> {
        let is_beside = |entity: &&PlanEntity| {
            entity.field.is_some() && !conditions.iter().any(|one| one.span == entity.span)
        };
        let beside = self.plan.soft_entities().filter(is_beside);
        let words = beside.filter_map(|entity| {
            let written = self.plan.text.get(entity.span.clone()?)?;
            Some(match is_misspelt(written, &entity.value) {
                true => entity.value.clone(),
                false => written.to_owned(),
            })
        });
        let mut words: Vec<String> = words.collect();
        words.dedup();
        words
    }
}

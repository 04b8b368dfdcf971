//! What a question asks of the rows of a set: how many values a field has, the
//! mean, and how members of one time or value compare with those of another.

use std::ops::Range;

use gannet_api::{EntityKind, FilterField, GroupBy, Intent, PlanEntity, Precision};

use super::overlaps;
use super::set_clauses::{field_of, is_a_thing};
use super::set_words::field_word;
use super::sets::SetReader;
use super::words::Word;

/// Words between "than" and what is compared, at most: "than in the".
const JOINING_AT_MOST: usize = 2;

/// The field whose values are counted.
pub(super) struct ValuesAsked {
    pub(super) field: FilterField,
    /// The words that name it: "different authors".
    pub(super) places: Range<usize>,
    /// Whether something else may be meant: another name than its own, or things
    /// that entries tell of.
    pub(super) is_guess: bool,
}

impl SetReader<'_> {
    /// What "how many authors" counts.
    pub(super) fn values_asked(&self) -> Option<ValuesAsked> {
        if self.plan.intent != Intent::Count || self.has(&self.language.sets.rate) {
            return None;
        }
        (0..self.words.len()).find_map(|place| self.values_at(place))
    }

    fn values_at(&self, place: usize) -> Option<ValuesAsked> {
        let (sets, plurals) = (&self.language.sets, &self.language.plurals);
        let word = &self.words[place];
        let is_time = self.language.units.get(&word.folded).is_some();
        if !self.is_plural(place) || self.is_read(word) || is_time {
            return None;
        }
        let between = self.words[..place].iter().rev().take_while(|word| {
            let is_article = self.language.articles.contains(&word.folded);
            is_article || sets.different.contains(&word.folded)
        });
        let between: Vec<_> = between.collect();
        let is_marked = between
            .iter()
            .any(|word| sets.different.contains(&word.folded));
        let start = place - between.len();
        if !self.words[..start]
            .last()
            .is_some_and(|word| self.asks(word))
        {
            return None;
        }
        let own = self.field_of_name(place);
        let field = own.clone().or_else(|| self.field_named(place))?;
        let kind = EntityKind::of_field(&field);
        let is_place = kind == EntityKind::Place;
        // "how many scrams" asks for entries with that field.
        let is_flag = kind == EntityKind::Other && self.flag_at(place).is_some();
        let is_record = sets.is_record(&word.folded, plurals) && kind != EntityKind::Logbook;
        if !is_marked && ((own.is_none() && !is_place) || is_flag || is_record) {
            return None;
        }
        // Another field than one of numbers, of which each may be a quantity.
        let mut values = self.lexicon.values.iter();
        if !is_place && !values.any(|known| known.field == field) {
            return None;
        }
        let may_be_text = kind != EntityKind::Tag && self.lexicon.is_list(&field);
        let is_thing = kind != EntityKind::Tag && is_a_thing(kind);
        Some(ValuesAsked {
            is_guess: own.is_none() || may_be_text || is_thing,
            field,
            places: start..place + 1,
        })
    }

    /// The field that is called by a word, of several the one that most entries
    /// have.
    fn field_of_name(&self, place: usize) -> Option<FilterField> {
        let uses = self.lexicon.fields.iter();
        let named = uses.filter(|known| self.has_name(&[field_word(&known.field)], place));
        let best = named.max_by_key(|known| known.entries)?;
        Some(best.field.clone())
    }

    /// The place of "mean" where the mean of the rows is asked for: "mean number of
    /// trips per year" or "trips per year on average", and not "trips per year of
    /// mean severity".
    pub(super) fn mean_asked(&self, group: Option<&GroupBy>) -> Option<usize> {
        if !matches!(group, Some(GroupBy::Day | GroupBy::Month | GroupBy::Year)) {
            return None;
        }
        let sets = &self.language.sets;
        (0..self.words.len()).find(|place| {
            let word = &self.words[*place];
            let is_mean = sets.mean.contains(&word.folded) && !self.is_read(word);
            let next = self.words.get(place + 1);
            let is_of_number = next.is_some_and(|next| self.asks(next));
            let is_opening = self.words[..*place].iter().all(|word| self.opens(word));
            is_mean && (is_of_number || is_opening || self.ends_question(*place))
        })
    }

    /// Whether a word is the last one, after one that joins it: "on average".
    fn ends_question(&self, place: usize) -> bool {
        let before = place.checked_sub(1).and_then(|at| self.words.get(at));
        let is_joined = before.is_some_and(|word| self.language.joins(&word.folded));
        is_joined && place + 1 == self.words.len()
    }

    /// Whether a word may stand before what is asked for.
    fn opens(&self, word: &Word<'_>) -> bool {
        let (sets, plurals) = (&self.language.sets, &self.language.plurals);
        let is_record = sets.is_record(&word.folded, plurals);
        let is_small = self.language.joins(&word.folded) || sets.empty.contains(&word.folded);
        !is_record && (is_small || self.asks(word) || sets.asking.contains(&word.folded))
    }

    /// "than in June" in "more trips in May than in June".
    fn comparison(&self) -> Option<Range<usize>> {
        (0..self.words.len()).find_map(|place| self.compared_at(place))
    }

    pub(super) fn compared_at(&self, place: usize) -> Option<Range<usize>> {
        let sets = &self.language.sets;
        if !sets.than.contains(&self.words[place].folded) {
            return None;
        }
        let is_more = |at: &usize| sets.more.contains(&self.words[*at].folded);
        let more = (0..place).rev().find(is_more)?;
        // "more severe than" compares something else.
        let is_of_several = (more + 1..place).any(|at| self.is_plural(at));
        let end = self.end_of_compared(place + 1)?;
        is_of_several.then_some(place..end)
    }

    /// The place after the times or values that stand behind "than".
    fn end_of_compared(&self, from: usize) -> Option<usize> {
        let is_read = |at: &usize| self.words.get(*at).is_some_and(|word| self.is_read(word));
        let joins = |at: &usize| {
            let word = self.words.get(*at).filter(|word| !self.is_read(word));
            word.is_some_and(|word| self.language.joins(&word.folded))
        };
        let joining = (from..).take(JOINING_AT_MOST).take_while(joins).count();
        let start = from + joining;
        match (start..).take_while(is_read).count() {
            0 => self.flag_at(start).map(|(_, end)| end),
            read => Some(start + read),
        }
    }

    /// What the members that are compared are counted by: "compare reports of 2003
    /// and 2004".
    pub(super) fn compared(&self) -> Option<GroupBy> {
        if let Some(places) = self.comparison() {
            return self.compared_by(&places);
        }
        if self.plan.intent != Intent::Compare {
            return None;
        }
        let precisions = self.plan.soft_times().map(|time| time.precision);
        match precisions.collect::<Vec<_>>().as_slice() {
            [precision, _, ..] => unit_of(*precision),
            _ => {
                let values: Vec<&PlanEntity> = self.plan.soft_entities().collect();
                field_of(&values).cloned().map(GroupBy::Field)
            }
        }
    }

    /// What asks for a comparison, which no count is.
    pub(super) fn compares_at(&self, place: usize) -> Option<Range<usize>> {
        let is_asked = self.plan.intent == Intent::Compare && self.asks(&self.words[place]);
        is_asked.then(|| place..place + 1)
    }

    fn compared_by(&self, places: &Range<usize>) -> Option<GroupBy> {
        let words = self.words.get(places.clone())?;
        let is_here = |span: &Option<Range<usize>>| {
            let span = span.as_ref();
            span.is_some_and(|span| words.iter().any(|word| overlaps(span, &word.span)))
        };
        let mut times = self.plan.times.iter();
        if let Some(time) = times.find(|time| is_here(&time.span)) {
            return unit_of(time.precision);
        }
        let values = self.plan.soft_entities();
        let here: Vec<&PlanEntity> = values.filter(|value| is_here(&value.span)).collect();
        field_of(&here).cloned().map(GroupBy::Field)
    }

    /// "more than 10" in "which authors wrote more than 10 entries": rows with other
    /// counts are not left out.
    pub(super) fn limit_at(&self, place: usize, is_grouped: bool) -> Option<Range<usize>> {
        let language = self.language;
        let (_, at) = language.sets.limits.at(self.words, place)?;
        let digits = self.words.get(at)?.folded.parse::<u64>().ok();
        let in_words = || language.numbers.at(self.words, at).map(|(_, end)| end);
        let end = digits.map(|_| at + 1).or_else(in_words)?;
        let counted = self.words.get(end)?;
        let is_record = language.sets.is_record(&counted.folded, &language.plurals);
        let is_time = language.units.get(&counted.folded).is_some();
        let is_amount = is_time || language.is_unit(&counted.folded);
        let is_counted = is_record || self.is_read(counted) || (self.is_plural(end) && !is_amount);
        (is_grouped && is_counted).then_some(place..end)
    }
}

fn unit_of(precision: Precision) -> Option<GroupBy> {
    match precision {
        Precision::Day => Some(GroupBy::Day),
        Precision::Month => Some(GroupBy::Month),
        Precision::Year => Some(GroupBy::Year),
        _ => None,
    }
}

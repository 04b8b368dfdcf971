//! The query plan: what a question names and asks for, read from its text.
//!
//! [`plan`] is a function of the text, the filter of the request, the present,
//! the time zone, the data of a language (`en.yaml` and its like) and the
//! values that the store knows ([`Lexicon`]). It does no I/O and takes time in
//! proportion to the text, which is cut to `max_query_chars`.

mod entities;
mod excluded;
mod intent;
mod language;
mod lexicon;
mod misspelt;
mod names;
mod notes;
mod numbered;
mod phrases;
mod plurals;
mod regions;
mod set_clauses;
mod set_conditions;
mod set_excluded;
mod set_measures;
mod set_nouns;
mod set_phrases;
mod set_scope;
mod set_unread;
mod set_words;
mod sets;
mod shortened;
mod strict;
#[cfg(test)]
mod tests;
mod times;
mod value_forms;
mod wanted;
mod word_counts;
mod words;

use std::ops::Range;

use gannet_api::query::{ParsedQuery, QueryOptions, is_pasted, parse};
use gannet_api::{Filter, Intent, QueryPlan, QuerySyntax, TimeOrder};
use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::config::DateOrder;
use entities::entities_of;
use intent::{FoundIntent, intent_of, order_beside};
use language::Language;
use notes::quoted;
use strict::StrictParts;
use times::{Kept, LATEST_BEGUN, SWAPPED, times_of};
use wanted::{Wanted, number_beside};
use words::{Word, words_of};

pub(crate) use lexicon::{KnownField, Lexicon, Month};
pub(crate) use misspelt::{add_misspelt, misspelt_in};
pub(crate) use sets::add_set;
pub(crate) use word_counts::WordCounts;

/// The note of a text whose words are not read for a plan.
const PASTED: &str = "a text of more than 30 words or several lines, or in capitals, is read as \
                      pasted: the times and names in it are not taken as what is asked for";

/// What questions are planned with.
#[derive(Debug, Clone)]
pub(crate) struct PlanSettings {
    /// The present.
    pub(crate) now: Timestamp,
    /// The facility's time zone.
    pub(crate) timezone: TimeZone,
    /// How dates such as `11/12/25` are read.
    pub(crate) date_order: DateOrder,
    /// Characters that are read.
    pub(crate) max_chars: usize,
}

/// The plan of a question.
pub(crate) fn plan(
    text: &str,
    syntax: QuerySyntax,
    filter: &Filter,
    settings: &PlanSettings,
    lexicon: &Lexicon,
) -> QueryPlan {
    let text = cut(text, settings.max_chars);
    let options = QueryOptions {
        timezone: settings.timezone.clone(),
        now: settings.now,
        max_chars: settings.max_chars,
    };
    let mut plan = QueryPlan::of_terms(text, parse(text, syntax, &options));
    let mut strict = StrictParts::of_text(text, &plan.query, &options);
    strict.add_filter(filter);
    plan.terms = terms_beside(text, &strict.spans);
    if is_pasted(text) {
        add_strict(&mut plan, strict);
        plan.notes.push(PASTED.to_owned());
        return plan;
    }
    let words = words_of(text, Language::splits);
    let in_field = |place: usize| {
        let word: &Word<'_> = &words[place];
        strict.spans.iter().any(|span| overlaps(span, &word.span))
    };
    let (language, is_known) = Language::of(&words);
    let last = lexicon
        .newest()
        .map_or(settings.now, |at| at.min(settings.now));
    let kept = Kept {
        last,
        months: lexicon.months(),
    };
    let times = times_of(text, &words, language, (settings, kept), in_field);
    let in_time = |place: usize| {
        let mut spans = times.times.iter().filter_map(|time| time.span.as_ref());
        spans.any(|span| overlaps(span, &words[place].span))
    };
    let taken = |place: usize| in_field(place) || in_time(place);
    let entities = entities_of(text, &words, language, lexicon, taken);
    let intent = intent_of(&language.intents, &words, taken);
    let order = order_beside(&language.intents, &words, &intent, taken);
    let order_words = match (&order, intent.intent) {
        (Some((_, spans)), _) => spans.as_slice(),
        (None, Intent::Latest | Intent::First) => intent.spans.as_slice(),
        _ => &[],
    };
    let wanted = number_beside(&words, language, order_words, taken);

    plan.language = is_known.then(|| language.code.clone());
    plan.times = times.times;
    plan.entities = entities.entities;
    add_strict(&mut plan, strict);
    plan.notes.extend(times.notes);
    plan.notes.extend(entities.notes);
    add_intent(&mut plan, intent);
    if let Some((order, spans)) = order {
        add_order(&mut plan, order, spans);
    }
    if let Some(wanted) = wanted {
        add_wanted(&mut plan, wanted);
    }
    plan
}

/// The words of a text without these places: fields and what is excluded are
/// no words of a question.
fn terms_beside(text: &str, spans: &[Range<usize>]) -> Vec<String> {
    let mut spans = spans.to_vec();
    spans.sort_by_key(|span| span.start);
    let (mut kept, mut at) = (String::new(), 0);
    for span in spans {
        kept.extend(text.get(at..span.start));
        kept.push(' ');
        at = at.max(span.end);
    }
    kept.extend(text.get(at..));
    QueryPlan::of_terms(kept, ParsedQuery::default()).terms
}

/// Whether a year may have been taken for a time that was named without one:
/// which one it is depends on the months that have entries.
pub(crate) fn may_assume_a_year(plan: &QueryPlan) -> bool {
    let says_so = |note: &String| note.contains(LATEST_BEGUN) || note.contains(SWAPPED);
    plan.notes.iter().any(says_so)
}

/// Adds what was given as fields and flags to what was read in the words.
fn add_strict(plan: &mut QueryPlan, strict: StrictParts) {
    plan.notes.extend(strict.notes);
    plan.times.extend(strict.times);
    plan.times.sort_by_key(|time| place_of(time.span.as_ref()));
    plan.entities.extend(strict.entities);
    plan.entities
        .sort_by_key(|entity| place_of(entity.span.as_ref()));
}

fn add_intent(plan: &mut QueryPlan, found: FoundIntent) {
    plan.intent = found.intent;
    let words = found
        .spans
        .into_iter()
        .filter_map(|span| plan.text.get(span));
    plan.intent_words = words.map(str::to_owned).collect();
    if found.intent != Intent::Find {
        let words: Vec<String> = plan
            .intent_words
            .iter()
            .map(|words| quoted(words))
            .collect();
        let asked = asked_for(found.intent);
        plan.notes.push(format!("{asked}: {}", words.join(" … ")));
    }
}

fn add_order(plan: &mut QueryPlan, order: TimeOrder, spans: Vec<Range<usize>>) {
    let words = spans.into_iter().filter_map(|span| plan.text.get(span));
    plan.order_words = words.map(str::to_owned).collect();
    plan.order = Some(order);
    let end = order.name();
    let words: Vec<String> = plan.order_words.iter().map(|words| quoted(words)).collect();
    plan.notes
        .push(format!("asks for the {end} of them: {}", words.join(" … ")));
}

/// The number belongs to the words that decided the order.
fn add_wanted(plan: &mut QueryPlan, (number, span): Wanted) {
    let words = plan.text.get(span).unwrap_or_default().to_owned();
    plan.notes
        .push(format!("asks for {number} of them: {}", quoted(&words)));
    plan.entries_wanted = Some(number);
    match plan.order {
        Some(_) => plan.order_words.push(words),
        None => plan.intent_words.push(words),
    }
}

fn asked_for(intent: Intent) -> &'static str {
    match intent {
        Intent::Find => "asks for entries",
        Intent::Cause => "asks for a cause",
        Intent::Fix => "asks how something was repaired",
        Intent::When => "asks for a time",
        Intent::Latest => "asks for the newest",
        Intent::First => "asks for the oldest",
        Intent::Count => "asks for a number",
        Intent::List => "asks for a list",
        Intent::Compare => "asks for a comparison",
        Intent::YesNo => "asks whether something is so",
    }
}

/// Parts of the text stand in its order, those of flags last.
fn place_of(span: Option<&Range<usize>>) -> usize {
    span.map_or(usize::MAX, |span| span.start)
}

fn overlaps(one: &Range<usize>, other: &Range<usize>) -> bool {
    one.start < other.end && other.start < one.end
}

/// The text as far as it is read.
pub(crate) fn cut(text: &str, max_chars: usize) -> &str {
    match text.char_indices().nth(max_chars) {
        Some((end, _)) => &text[..end],
        None => text,
    }
}

//! Things that a question names by a number or by the form of their name, and
//! no field of entries has: `pump 4`, `CAV2`. An entry about another one of them
//! does not answer, however well the rest fits.

use gannet_plugin::filter::FilterField;
use gannet_plugin::plan::{EntityKind, Intent, PlanEntity, QueryPlan};
use gannet_plugin::prelude::Entry;
use gannet_plugin::query::is_stop_word;
use serde_json::Value;

use crate::answer::{is_unit, spaced, stem};
use crate::plan_fit::is_of_entity;

/// Digits of the number of a thing, at most: longer ones are words of the
/// question like others.
const DIGITS: usize = 2;
/// Words that may stand before the number of a thing instead of its name.
const BEFORE_NUMBERS: [&str; 4] = ["unit", "no", "nr", "number"];

/// A thing that the question names and the entry is not of. Where several of
/// one kind are named, the entry is of one, as a word that is a name may be
/// meant as a word; a comparison is about each.
pub fn missing_entity<'p>(entry: &Entry, plan: &'p QueryPlan) -> Option<&'p PlanEntity> {
    let named = |entity: &&PlanEntity| entity.field.is_some();
    let mut entities = plan.soft_entities().filter(named);
    entities.find(|entity| {
        let kind = (plan.intent != Intent::Compare).then_some(entity.kind);
        let is_alike = |other: &&PlanEntity| Some(other.kind) == kind || other.span == entity.span;
        let mut alike = plan.soft_entities().filter(is_alike);
        !alike.any(|other| is_of_entity(entry, other) || says(entry, other))
    })
}

/// Whether an entry without the field of a named thing, such as a document,
/// has the thing in its text.
fn says(entry: &Entry, entity: &PlanEntity) -> bool {
    let has_field = match &entity.field {
        Some(FilterField::Metadata(key)) => entry.metadata.contains_key(key),
        _ => true,
    };
    !has_field && spaced(&entry.raw_text).contains(&spaced(&entity.value))
}

/// The first thing that the question names and the entry does not.
pub fn missing_name(entry: &Entry, plan: &QueryPlan) -> Option<String> {
    let text = text_of(entry);
    let by_form = plan.soft_entities().filter(|entity| {
        let is_by_form = matches!(entity.kind, EntityKind::Device | EntityKind::Pv);
        is_by_form && entity.field.is_none()
    });
    let folded = text.to_lowercase();
    let mut missing = by_form.filter(|entity| !folded.contains(&entity.value.to_lowercase()));
    if let Some(entity) = missing.next() {
        return Some(entity.value.clone());
    }
    let words = words_of(&text);
    let question = words_of(&without_read_numbers(plan));
    let mut places = 1..question.len();
    let missing = places.find(|at| {
        let (word, number) = (&question[at - 1], &question[*at]);
        // What has a unit is an amount.
        let is_amount = question.get(at + 1).is_some_and(|next| is_unit(next));
        // Nor does the number of "the last 3 trips" belong to a name.
        let is_wanted = plan
            .entries_wanted
            .is_some_and(|wanted| number.parse::<usize>() == Ok(wanted));
        is_numbered(word, number) && !is_amount && !is_wanted && !names(&words, word, number)
    })?;
    Some(question[missing - 1..=missing].join(" "))
}

/// The question without the times and the field values that have numbers: those
/// are looked for as what they are.
fn without_read_numbers(plan: &QueryPlan) -> String {
    let times = plan.times.iter().map(|time| &time.span);
    let spans = times.chain(plan.entities.iter().map(|entity| &entity.span));
    let mut text = plan.text.clone();
    for span in spans.flatten() {
        let read = plan.text.get(span.clone()).unwrap_or_default();
        if read.contains(|c: char| c.is_ascii_digit()) {
            text.replace_range(span.clone(), &" ".repeat(span.len()));
        }
    }
    text
}

fn text_of(entry: &Entry) -> String {
    let values = entry.metadata.values().filter_map(Value::as_str);
    let texts: Vec<&str> = std::iter::once(entry.raw_text.as_str())
        .chain(values)
        .collect();
    texts.join("\n")
}

fn words_of(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphanumeric());
    let words = words.filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}

fn is_numbered(word: &str, number: &str) -> bool {
    let is_number = number.bytes().all(|byte| byte.is_ascii_digit());
    is_number
        && number.len() <= DIGITS
        && word.chars().all(char::is_alphabetic)
        && !is_stop_word(word)
}

/// Whether a text has the number after the word, or after one that says that a
/// number follows.
fn names(text: &[String], word: &str, number: &str) -> bool {
    let same = |a: &str| a.trim_start_matches('0') == number.trim_start_matches('0');
    let mut pairs = text.windows(2);
    pairs.any(|pair| {
        let is_named = stem(&pair[0]) == stem(word) || BEFORE_NUMBERS.contains(&pair[0].as_str());
        is_named && same(&pair[1])
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use gannet_plugin::plan::{PlanEntity, PlanSource};
    use gannet_plugin::query::ParsedQuery;

    use super::*;

    fn missing(question: &str, text: &str) -> Option<String> {
        let entry = Entry::new("1", "log", "2024-03-15T10:30:00Z".parse().unwrap(), text);
        missing_name(
            &entry,
            &QueryPlan::of_terms(question, ParsedQuery::default()),
        )
    }

    #[test]
    fn the_number_of_a_thing_must_be_that_of_the_question() {
        let other = missing(
            "was feed pump 4 replaced?",
            "Feed pump 3 replaced, 4 bolts left.",
        );
        assert_eq!(other, Some("pump 4".to_owned()));
        for text in [
            "Pump 04 replaced.",
            "Pump #4 runs",
            "feed pumps: unit 4 replaced",
        ] {
            assert_eq!(missing("was feed pump 4 replaced?", text), None, "{text}");
        }
        assert_eq!(missing("what took 3 hours?", "It took two."), None);
        let mut plan = QueryPlan::of_terms("why did pump 4 trip?", ParsedQuery::default());
        let mut tag = PlanEntity::new(EntityKind::Tag, "pump", PlanSource::Words);
        tag.span = Some(8..12);
        plan.entities.push(tag);
        let time = "2024-03-15T10:30:00Z".parse().unwrap();
        let entry = Entry::new("1", "log", time, "Pump 3 tripped");
        assert_eq!(missing_name(&entry, &plan), Some("pump 4".to_owned()));
    }

    #[test]
    fn a_device_must_be_named() {
        let device = PlanEntity::new(EntityKind::Device, "CAV2", PlanSource::Words);
        let mut plan = QueryPlan::of_terms("how many CAV2 trips?", ParsedQuery::default());
        plan.entities.push(device);
        let entry = |text| Entry::new("1", "log", "2024-03-15T10:30:00Z".parse().unwrap(), text);
        let of_other = missing_name(&entry("Eleven trips of cavity 1"), &plan);
        assert_eq!(of_other, Some("CAV2".to_owned()));
        assert_eq!(missing_name(&entry("Three trips of cav2"), &plan), None);
    }
}

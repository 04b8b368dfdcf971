//! The newer value of what a quote gives an older value of.

use std::collections::HashSet;

use gannet_plugin::plan::QueryPlan;
use gannet_plugin::query::is_stop_word;

use super::chosen::Chosen;
use super::english::english;
use super::retraction::{Addition, add};
use super::sentences::split_sentences;
use super::terms::{content_stems, stems};
use super::{AnswerInput, holds_any, spaced};

/// Share of the words of the question that a sentence with a newer value has, at
/// least: it need not say "set" once more.
const SHARED: f64 = 0.6;
/// Characters of a unit at most.
const LONGEST_UNIT: usize = 6;

/// A number and its unit, as they are written.
type Value<'t> = (&'t str, &'t str);

/// Adds the sentence of a newer entry that was found, where the question asks
/// what is so now ("what is the voltage of bank 3?"), and the sentence has another
/// number with the unit of a quoted one, and the words and numbers of the question.
pub(super) fn add_newer_value(chosen: &mut Vec<Chosen>, input: &AnswerInput<'_>) {
    if !asks_of_the_present(input.plan) {
        return;
    }
    if let Some(found) = newer_value(chosen, input) {
        add(chosen, found);
    }
}

fn asks_of_the_present(plan: &QueryPlan) -> bool {
    plan.times.is_empty() && holds_any(&spaced(&plan.text), &english().of_the_present)
}

fn newer_value(chosen: &[Chosen], input: &AnswerInput<'_>) -> Option<Addition> {
    let best = chosen
        .iter()
        .max_by(|a, b| a.probability.total_cmp(&b.probability))?;
    let old = values(&best.text);
    let written = |entry: usize| input.entries.get(entry).map(|entry| entry.timestamp);
    let quoted: Vec<usize> = chosen.iter().map(|one| one.entry).collect();
    let latest = quoted.iter().filter_map(|entry| written(*entry)).max()?;
    let mut newer: Vec<usize> = (0..input.entries.len()).collect();
    newer.retain(|entry| written(*entry).is_some_and(|time| time > latest));
    newer.sort_by_key(|entry| std::cmp::Reverse(written(*entry)));
    let (asked, numbers) = (content_stems(input.plan), numbers_in(&input.plan.text));
    newer.into_iter().find_map(|entry| {
        let text = &input.entries[entry].raw_text;
        let sentences = split_sentences(text);
        let (index, sentence) = sentences.iter().enumerate().find(|(_, sentence)| {
            let new = values(&sentence.text);
            let is_other = |(number, unit): &Value<'_>| {
                old.iter()
                    .any(|(before, of)| of == unit && before != number)
            };
            let has: HashSet<String> = stems(&sentence.text).collect();
            let shared = asked.iter().filter(|stem| has.contains(*stem)).count();
            new.iter().any(is_other)
                && shared as f64 >= SHARED * asked.len() as f64
                && numbers.is_subset(&numbers_in(&sentence.text))
        })?;
        let sentence = Chosen::new(entry, index, text, sentence);
        Addition::new(best.entry, chosen, sentence)
    })
}

/// The numbers of a text with a unit: "1450 V".
fn values(text: &str) -> Vec<Value<'_>> {
    let words: Vec<&str> = text.split_whitespace().map(trimmed).collect();
    let pairs = words.windows(2).map(|pair| (pair[0], pair[1]));
    let is_unit = |unit: &str| {
        let is_short = (1..=LONGEST_UNIT).contains(&unit.chars().count());
        is_short && !unit.contains(|c: char| c.is_ascii_digit()) && !is_stop_word(unit)
    };
    pairs
        .filter(|(number, unit)| is_number(number) && is_unit(unit))
        .collect()
}

/// The numbers of a text, such as the 3 of "bank 3".
fn numbers_in(text: &str) -> HashSet<&str> {
    let words = text.split_whitespace().map(trimmed);
    words.filter(|word| is_number(word)).collect()
}

fn trimmed(word: &str) -> &str {
    word.trim_matches(|c: char| matches!(c, '.' | ',' | ';' | ':' | '?' | '!' | '(' | ')' | '"'))
}

fn is_number(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit()) && word.parse::<f64>().is_ok()
}

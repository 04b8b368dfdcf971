//! What a later update or entry takes back of one that is quoted.

use std::collections::HashSet;

use gannet_plugin::prelude::Entry;
use gannet_plugin::query::names_id;

use super::QUOTED_CHARS_AT_MOST;
use super::chosen::Chosen;
use super::english::{english, holds_any, spaced};
use super::sentences::{Sentence, split_sentences};

/// Ids that are looked for in a text have at least so many bytes: a shorter one
/// may be any number.
const SHORTEST_ID: usize = 4;

/// Adds the sentence of a quoted entry that retracts it further down, or else
/// that of a later entry which names a quoted one by its id and takes something
/// of it back. The least probable quotes give way where there is no room: who
/// reads a report has to know that it is retracted.
pub(super) fn add_retraction(chosen: &mut Vec<Chosen>, entries: &[Entry]) {
    let found = update_that_retracts(chosen, entries);
    let Some(taken_back) = found.or_else(|| later_entry(chosen, entries)) else {
        return;
    };
    let room = QUOTED_CHARS_AT_MOST.saturating_sub(taken_back.chars());
    while chosen.len() > 1 && chars_of(chosen) > room {
        drop_least_probable(chosen);
    }
    let is_before = |one: &Chosen| one.entry == taken_back.entry && one.index < taken_back.index;
    let last = chosen.iter().rposition(is_before);
    chosen.insert(last.map_or(chosen.len(), |at| at + 1), taken_back);
}

fn drop_least_probable(chosen: &mut Vec<Chosen>) {
    let by_probability = |a: &usize, b: &usize| {
        let (a, b) = (&chosen[*a], &chosen[*b]);
        a.probability.total_cmp(&b.probability)
    };
    if let Some(least) = (0..chosen.len()).min_by(by_probability) {
        chosen.remove(least);
    }
}

fn chars_of(chosen: &[Chosen]) -> usize {
    chosen.iter().map(Chosen::chars).sum()
}

/// Below the first quote of an entry: the sentence that retracts it, or a
/// heading where no sentence does.
fn update_that_retracts(chosen: &[Chosen], entries: &[Entry]) -> Option<Chosen> {
    let first = chosen.first()?;
    let of_entry = || chosen.iter().filter(|one| one.entry == first.entry);
    if of_entry().any(|one| retracts(&one.text)) {
        return None;
    }
    let room = QUOTED_CHARS_AT_MOST.saturating_sub(first.chars());
    let text = &entries.get(first.entry)?.raw_text;
    let sentences = split_sentences(text);
    let below = sentences.iter().enumerate().skip(first.index + 1);
    let fits = |one: &Sentence| retracts(&one.text) && one.text.chars().count() <= room;
    let retracting: Vec<(usize, &Sentence)> = below.filter(|(_, one)| fits(one)).collect();
    let plain = retracting
        .iter()
        .find(|(_, one)| one.text.contains(char::is_lowercase));
    let (index, sentence) = plain.or(retracting.first())?;
    Some(Chosen::new(first.entry, *index, text, sentence))
}

fn retracts(text: &str) -> bool {
    let text = spaced(text);
    holds_any(&text, &english().retracts) && holds_any(&text, &english().retracted_things)
}

fn later_entry(chosen: &[Chosen], entries: &[Entry]) -> Option<Chosen> {
    let quoted: HashSet<usize> = chosen.iter().map(|one| one.entry).collect();
    let quoted: Vec<&Entry> = quoted.iter().filter_map(|at| entries.get(*at)).collect();
    let is_quoted = |id: &str| quoted.iter().any(|one| one.entry_id == id);
    let mut later = entries.iter().enumerate().filter(|(_, entry)| {
        let revises = |one: &&Entry| entry.timestamp > one.timestamp && names(entry, &one.entry_id);
        !is_quoted(&entry.entry_id) && quoted.iter().any(revises)
    });
    later.find_map(|(place, entry)| {
        let mut sentences = split_sentences(&entry.raw_text).into_iter().enumerate();
        let revises = |text: &str| holds_any(&spaced(text), &english().revises);
        let (index, sentence) = sentences.find(|(_, one)| revises(&one.text))?;
        let fits = sentence.text.chars().count() < QUOTED_CHARS_AT_MOST;
        fits.then(|| Chosen::new(place, index, &entry.raw_text, &sentence))
    })
}

/// Whether an entry has an id in its text or metadata, as a whole word.
fn names(entry: &Entry, id: &str) -> bool {
    let values = entry.metadata.values().filter_map(|value| value.as_str());
    let mut texts = std::iter::once(entry.raw_text.as_str()).chain(values);
    id.len() >= SHORTEST_ID && texts.any(|text| names_id(text, id))
}

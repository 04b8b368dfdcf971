//! What a later update or entry takes back of one that is quoted.

use gannet_plugin::prelude::Entry;
use gannet_plugin::query::names_id;

use super::chosen::{Chosen, fit};
use super::correction::has_label;
use super::english::{english, holds_any, spaced};
use super::sentences::{Sentence, split_sentences};
use crate::cues::{begins_with, cues};

/// Ids that are looked for in a text have at least so many bytes: a shorter one
/// may be any number.
const SHORTEST_ID: usize = 4;

/// Adds the sentence of a quoted entry that retracts it further down, or else
/// that of a later entry which names a quoted one by its id and takes something
/// of it back. The least probable quotes give way where there is no room: who
/// reads a report has to know that it is retracted.
pub(super) fn add_retraction(chosen: &mut Vec<Chosen>, entries: &[Entry]) {
    let mut quoted: Vec<usize> = chosen.iter().map(|one| one.entry).collect();
    quoted.dedup();
    let update = |entry: &usize| update_that_retracts(*entry, chosen, entries);
    let found = quoted.iter().find_map(update);
    if let Some(found) = found.or_else(|| later_entry(&quoted, chosen, entries)) {
        add(chosen, found);
    }
}

/// Adds a sentence at its place. The least probable quotes but that of which it
/// takes something back give way where there is no room.
pub(super) fn add(chosen: &mut Vec<Chosen>, addition: Addition) {
    let Addition { of, sentence } = addition;
    let is_before = |one: &Chosen| one.entry == sentence.entry && one.index < sentence.index;
    let last = chosen.iter().rposition(is_before);
    chosen.insert(last.map_or(chosen.len(), |at| at + 1), sentence.clone());
    while !fit(chosen) {
        let others = (0..chosen.len()).rev().filter(|at| {
            let one = &chosen[*at];
            !one.is_same(&of) && !one.is_same(&sentence)
        });
        let by_probability =
            |a: &usize, b: &usize| chosen[*a].probability.total_cmp(&chosen[*b].probability);
        let Some(least) = others.min_by(by_probability) else {
            return;
        };
        chosen.remove(least);
    }
}

/// A sentence that takes something back or corrects it.
pub(super) struct Addition {
    /// Of what is taken back, the quote that stays in any case.
    of: Chosen,
    sentence: Chosen,
}

/// The most probable quote of an entry.
fn best_quote(entry: usize, chosen: &[Chosen]) -> Option<&Chosen> {
    let quotes = chosen.iter().filter(|one| one.entry == entry);
    quotes
        .rev()
        .max_by(|a, b| a.probability.total_cmp(&b.probability))
}

impl Addition {
    /// A sentence that may be quoted beside the most probable quote of an entry,
    /// of which it takes something back.
    pub(super) fn new(quoted: usize, chosen: &[Chosen], sentence: Chosen) -> Option<Self> {
        let of = best_quote(quoted, chosen)?.clone();
        let both = [of.clone(), sentence.clone()];
        fit(&both).then_some(Self { of, sentence })
    }
}

/// Below the first quote of an entry: the sentence that retracts it, or a
/// heading where no sentence does.
fn update_that_retracts(entry: usize, chosen: &[Chosen], entries: &[Entry]) -> Option<Addition> {
    let of_entry = || chosen.iter().filter(|one| one.entry == entry);
    if of_entry().any(|one| retracts(&one.text)) {
        return None;
    }
    let first = of_entry().map(|one| one.index).min()?;
    let text = &entries.get(entry)?.raw_text;
    let sentences = split_sentences(text);
    let below = sentences.iter().enumerate().skip(first + 1);
    let retracting = below.filter(|(_, one)| retracts(&one.text));
    let fitting = retracting.filter_map(|(index, one)| {
        let sentence = Chosen::new(entry, index, text, one);
        Addition::new(entry, chosen, sentence)
    });
    let mut fitting: Vec<Addition> = fitting.collect();
    let is_plain = |one: &Addition| one.sentence.text.contains(char::is_lowercase);
    let plain = fitting.iter().position(is_plain).unwrap_or_default();
    (plain < fitting.len()).then(|| fitting.swap_remove(plain))
}

/// Whether a sentence takes back a report as a whole.
pub fn retracts(text: &str) -> bool {
    let text = spaced(text);
    holds_any(&text, &english().retracts) && holds_any(&text, &english().retracted_things)
}

/// In an entry that is later than a quoted one and names it: the first
/// sentence that takes something back, or that is labelled as a correction.
fn later_entry(quoted: &[usize], chosen: &[Chosen], entries: &[Entry]) -> Option<Addition> {
    let mut later = (0..entries.len()).filter(|place| !quoted.contains(place));
    later.find_map(|place| {
        let entry = &entries[place];
        let is_revised = |quoted: &usize| {
            let of = entries.get(*quoted);
            of.is_some_and(|of| entry.timestamp > of.timestamp && names(entry, &of.entry_id))
        };
        let of = quoted.iter().copied().find(is_revised)?;
        let mut sentences = split_sentences(&entry.raw_text).into_iter().enumerate();
        let revises = |sentence: &Sentence| {
            let words = spaced(&sentence.text);
            let is_labelled = begins_with(&words, &cues().update) && has_label(sentence);
            is_labelled || holds_any(&words, &english().revises)
        };
        let (index, sentence) = sentences.find(|(_, one)| revises(one))?;
        let sentence = Chosen::new(place, index, &entry.raw_text, &sentence);
        Addition::new(of, chosen, sentence)
    })
}

/// Whether an entry has an id in its text or metadata, as a whole word.
fn names(entry: &Entry, id: &str) -> bool {
    let values = entry.metadata.values().filter_map(|value| value.as_str());
    let mut texts = std::iter::once(entry.raw_text.as_str()).chain(values);
    id.len() >= SHORTEST_ID && texts.any(|text| names_id(text, id))
}

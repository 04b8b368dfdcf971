//! What a later entry takes back of one that is quoted.

use std::collections::HashSet;

use gannet_plugin::prelude::Entry;
use gannet_plugin::query::names_id;

use super::asked::stems;
use super::english::{english, holds_any, spaced};
use super::layout::Chosen;
use super::sentences::sentences;
use super::{QUOTED_CHARS_AT_MOST, QUOTES_AT_MOST};

/// Ids that are looked for in a text have at least so many bytes: a shorter one
/// may be any number.
const SHORTEST_ID: usize = 4;

/// Adds the sentence of a later entry that names a quoted one by its id and
/// takes something of it back. The last quotes give way where there is no
/// room: who reads a report has to know that it is retracted.
pub(super) fn add_retraction(chosen: &mut Vec<Chosen>, entries: &[Entry]) {
    let Some(taken_back) = retraction(chosen, entries) else {
        return;
    };
    let room = QUOTED_CHARS_AT_MOST.saturating_sub(taken_back.text.chars().count());
    while chosen.len() > 1 && (chosen.len() >= QUOTES_AT_MOST || chars_of(chosen) > room) {
        chosen.pop();
    }
    chosen.push(taken_back);
}

fn chars_of(chosen: &[Chosen]) -> usize {
    chosen.iter().map(|one| one.text.chars().count()).sum()
}

fn retraction(chosen: &[Chosen], entries: &[Entry]) -> Option<Chosen> {
    let quoted: HashSet<usize> = chosen.iter().map(|one| one.entry).collect();
    let quoted: Vec<&Entry> = quoted.iter().filter_map(|at| entries.get(*at)).collect();
    let is_quoted = |id: &str| quoted.iter().any(|one| one.entry_id == id);
    let mut later = entries.iter().enumerate().filter(|(_, entry)| {
        let revises = |one: &&Entry| entry.timestamp > one.timestamp && names(entry, &one.entry_id);
        !is_quoted(&entry.entry_id) && quoted.iter().any(revises)
    });
    later.find_map(|(place, entry)| {
        let mut sentences = sentences(&entry.raw_text).into_iter().enumerate();
        let (index, text) =
            sentences.find(|(_, text)| holds_any(&spaced(text), &english().revises))?;
        let fits = text.chars().count() < QUOTED_CHARS_AT_MOST;
        fits.then(|| Chosen {
            entry: place,
            index,
            stems: stems(&text).collect(),
            text,
            is_stated: false,
        })
    })
}

/// Whether an entry has an id in its text or metadata, as a whole word.
fn names(entry: &Entry, id: &str) -> bool {
    let values = entry.metadata.values().filter_map(|value| value.as_str());
    let mut texts = std::iter::once(entry.raw_text.as_str()).chain(values);
    id.len() >= SHORTEST_ID && texts.any(|text| names_id(text, id))
}

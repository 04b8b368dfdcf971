//! What an entry itself corrects of the sentences that are quoted.

use std::collections::HashSet;

use gannet_plugin::prelude::Entry;

use super::chosen::Chosen;
use super::retraction::{Addition, add};
use super::sentences::{Sentence, split_sentences};
use super::terms::stems;
use super::{phrases_in, spaced};
use crate::cues::{begins_with, cues};

/// Words after "not the" by which what is denied is known, at most.
const DENIED_WORDS: usize = 2;

/// Adds the sentence of a quoted entry that corrects what is quoted: one right
/// below a quote, or in an update further down, that denies what was said before
/// ("a relay, not the fuel rack"), or that is labelled as an update and about the
/// same.
pub(super) fn add_correction(chosen: &mut Vec<Chosen>, entries: &[Entry]) {
    let mut quoted: Vec<usize> = chosen.iter().map(|one| one.entry).collect();
    quoted.dedup();
    let correction = |entry: &usize| correction_of(*entry, chosen, entries);
    if let Some(found) = quoted.iter().find_map(correction) {
        add(chosen, found);
    }
}

fn correction_of(entry: usize, chosen: &[Chosen], entries: &[Entry]) -> Option<Addition> {
    let own: Vec<&Chosen> = chosen.iter().filter(|one| one.entry == entry).collect();
    let first = own.iter().map(|one| one.index).min()?;
    let text = &entries.get(entry)?.raw_text;
    let sentences = split_sentences(text);
    let quoted: HashSet<String> = own.iter().flat_map(|one| stems(&one.text)).collect();
    let is_quoted = |index: usize| own.iter().any(|one| one.index == index);
    let mut is_update = false;
    for (index, sentence) in sentences.iter().enumerate().skip(first + 1) {
        let words = spaced(&sentence.text);
        let opens_update = begins_with(&words, &cues().update);
        is_update |= opens_update;
        if is_quoted(index) {
            continue;
        }
        let corrects = match is_update {
            true => {
                let is_labelled = opens_update && has_label(sentence);
                let is_of_quote = stems(&sentence.text).any(|stem| quoted.contains(&stem));
                let above = sentences[..index].iter();
                let above = above.flat_map(|one| stems(&one.text)).collect();
                (is_labelled && is_of_quote) || denies(&words, &above)
            }
            false => is_quoted(index - 1) && denies(&words, &quoted),
        };
        if corrects {
            let found = Chosen::new(entry, index, text, sentence);
            return Addition::new(entry, chosen, found);
        }
    }
    None
}

/// Whether something follows the label of an update: "Update at 15:00: reset."
pub(super) fn has_label(sentence: &Sentence) -> bool {
    let parts = sentence.text.split_once(": ");
    parts.is_some_and(|(_, rest)| rest.contains(char::is_alphabetic))
}

/// Whether a [`spaced`] sentence denies one of the words that were said: "not the
/// cleaners".
fn denies(words: &str, said: &HashSet<String>) -> bool {
    phrases_in(words, &cues().corrects).any(|at| {
        let after = words[at.end..].split_whitespace().take(DENIED_WORDS);
        let denied: Vec<&str> = after.collect();
        stems(&denied.join(" ")).any(|stem| said.contains(&stem))
    })
}

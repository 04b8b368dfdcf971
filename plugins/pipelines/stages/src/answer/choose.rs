//! Which sentences answer a question best.

use std::collections::HashSet;

use gannet_plugin::prelude::Entry;

use super::asked::{Asked, Need};
use super::candidates::{Candidate, candidates};
use super::layout::Chosen;
use super::sentences::sentences;
use super::{QUOTED_CHARS_AT_MOST, QUOTES_AT_MOST};

/// Sentences that share this much of the words of the shorter one say the
/// same.
const SAME_WORDS: f64 = 0.6;
/// How much less a sentence is worth for words of the question that the
/// chosen ones have already, as a share of their weight (maximal marginal
/// relevance, Carbonell and Goldstein 1998).
const KNOWN_WORDS: f64 = 0.5;
/// The quotes are enough when they state what is asked for at least so
/// plainly, and
const STATED: f64 = 0.4;
/// hold this share of the question, while the next sentence is worth this
/// much less than the first,
const HELD: f64 = 0.2;
const WORTH_LESS: f64 = 0.17;
/// or have this many characters and this share of the question.
const CHARS_ENOUGH: usize = 260;
const HELD_BY_MANY_CHARS: f64 = 0.4;
/// One that has a name holds this share of a question for a name: most
/// sentences have one.
const HELD_BY_A_NAME: f64 = 0.2;
/// A sentence that settles a question for yes or no holds this share of it.
const HELD_BY_AN_OUTCOME: f64 = 0.5;

/// The sentences that answer, in the order of their entries and places.
pub(super) fn choose(asked: &Asked, entries: &[Entry]) -> Vec<Chosen> {
    let candidates = candidates(asked, entries);
    let mut picked: Vec<&Candidate> = Vec::new();
    while let Some((worth, next)) = best_beside(&picked, &candidates, asked) {
        let first = picked.first().map_or(worth, |first| first.score);
        if !picked.is_empty() && is_enough(&picked, asked, first - worth) {
            break;
        }
        picked.push(next);
    }
    picked.sort_by_key(|candidate| (candidate.entry, candidate.index));
    let chosen = picked.into_iter().map(|candidate| chosen(asked, candidate));
    chosen.collect()
}

/// The sentences with which an entry begins.
pub(super) fn beginning(entry: usize, of: &Entry) -> Vec<Chosen> {
    let mut chars = 0;
    let all = sentences(&of.raw_text).into_iter().enumerate();
    let beginning = all.take_while(|(_, text)| {
        chars += text.chars().count();
        chars <= QUOTED_CHARS_AT_MOST
    });
    let chosen = beginning.map(|(index, text)| Chosen {
        entry,
        index,
        text,
        stems: HashSet::new(),
        is_stated: true,
    });
    chosen.collect()
}

/// Whether a sentence states what is asked for, for the status: the number of
/// another thing than the one that is counted does not, and neither does a
/// denial of something else.
fn is_stated(asked: &Asked, candidate: &Candidate) -> bool {
    match asked.need {
        Need::Number if asked.counts_things => candidate.states_it >= 1.0,
        Need::Name => candidate.states_it >= STATED && candidate.coverage >= HELD_BY_A_NAME,
        Need::Outcome => candidate.states_it >= STATED && candidate.coverage >= HELD_BY_AN_OUTCOME,
        _ => candidate.states_it >= STATED,
    }
}

fn chosen(asked: &Asked, candidate: &Candidate) -> Chosen {
    Chosen {
        entry: candidate.entry,
        index: candidate.index,
        text: candidate.text.clone(),
        stems: candidate.stems.clone(),
        is_stated: is_stated(asked, candidate),
    }
}

/// The best candidate that fits beside the chosen ones, and its worth there.
fn best_beside<'c>(
    picked: &[&'c Candidate],
    candidates: &'c [Candidate],
    asked: &Asked,
) -> Option<(f64, &'c Candidate)> {
    let covered = stems_of(picked);
    let chars: usize = picked.iter().map(|one| one.text.chars().count()).sum();
    let fits = |candidate: &&Candidate| {
        chars + candidate.text.chars().count() <= QUOTED_CHARS_AT_MOST
            && !picked.iter().any(|one| says_the_same(one, candidate))
            && quotes_with(picked, candidate) <= QUOTES_AT_MOST
    };
    let mut best: Option<(f64, &Candidate)> = None;
    for candidate in candidates.iter().filter(fits) {
        let known: HashSet<String> = candidate.stems.intersection(&covered).cloned().collect();
        let worth = candidate.score - KNOWN_WORDS * asked.coverage(&known);
        if best.is_none_or(|(most, _)| worth > most) {
            best = Some((worth, candidate));
        }
    }
    best
}

fn stems_of(picked: &[&Candidate]) -> HashSet<String> {
    let stems = picked.iter().flat_map(|candidate| &candidate.stems);
    stems.cloned().collect()
}

fn says_the_same(one: &Candidate, other: &Candidate) -> bool {
    let is_itself = (one.entry, one.index) == (other.entry, other.index);
    let shorter = one.stems.len().min(other.stems.len()).max(1);
    let shared = one.stems.intersection(&other.stems).count();
    is_itself || shared as f64 > SAME_WORDS * shorter as f64
}

/// How many quotes there are with one more sentence: neighbours are one.
fn quotes_with(picked: &[&Candidate], one_more: &Candidate) -> usize {
    let places = picked.iter().copied().chain([one_more]);
    let places: HashSet<(usize, usize)> = places.map(|c| (c.entry, c.index)).collect();
    let opens =
        |&&(entry, index): &&(usize, usize)| index == 0 || !places.contains(&(entry, index - 1));
    places.iter().filter(opens).count()
}

/// Whether the chosen sentences are enough, when the next is worth `less` than
/// the first.
fn is_enough(picked: &[&Candidate], asked: &Asked, less: f64) -> bool {
    let is_stated = asked.need == Need::Any || picked.iter().any(|one| one.states_it >= STATED);
    let held = asked.coverage(&stems_of(picked));
    let chars: usize = picked.iter().map(|one| one.text.chars().count()).sum();
    let stands_out = held >= HELD && less > WORTH_LESS;
    let is_long = held >= HELD_BY_MANY_CHARS && chars > CHARS_ENOUGH;
    is_stated && !asked.is_open && (stands_out || is_long)
}

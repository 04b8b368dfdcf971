//! Which sentences answer a question best.

use std::collections::BTreeSet;

use super::kinds::QuestionKind;
use super::library::{KnownEntry, KnownSentence, Library, Place};
use super::merit::{answers_open_part, fit, worth};
use super::question::Question;

/// Sentences of an answer at most.
const SENTENCES_AT_MOST: usize = 4;
/// Sentences of one entry at most, where there are several entries, and where
/// one stands out or is alone.
const SENTENCES_PER_ENTRY: usize = 2;
const SENTENCES_OF_ONE: usize = 3;
/// An entry stands out when it fits this many times as well as the next.
const STANDS_OUT: f64 = 1.25;
/// Another sentence is added when its worth is this share of the first's; one
/// that answers a part of the question that is still open needs less.
const SHARE_TO_BE_ADDED: f64 = 0.55;
const SHARE_FOR_OPEN_PART: f64 = 0.3;
/// And so does one where several entries are asked for.
const SHARE_FOR_SEVERAL: f64 = 0.4;
/// Share of the best fit from which an entry is used at all.
const FIT_TO_BE_USED: f64 = 0.7;
/// Share of the best coverage from which an entry is taken for a question of
/// time.
const FIT_BY_TIME: f64 = 0.75;
/// And share of the title that has most of the question's words: a title
/// names the event, where a summary only mentions it.
const SHARE_OF_BEST_TITLE: f64 = 0.6;
/// Entries that a question for the last or first time is answered from.
const ENTRIES_BY_TIME: usize = 2;
/// Sentences that share this much of their words say the same.
const SAME_WORDS: f64 = 0.6;
/// Entries of different events from which a bare question is asked back.
const EVENTS_TO_ASK_BACK: usize = 3;

/// What can be answered.
pub(super) enum Verdict {
    /// These sentences answer.
    Grounded { places: Vec<Place>, reason: String },
    /// Several events could be meant; these are some.
    Clarify { places: Vec<Place>, reason: String },
    /// Nothing answers.
    Insufficient { reason: String },
}

/// Chooses what to answer.
pub(super) fn choose(question: &Question, library: &Library) -> Verdict {
    if library.entries.is_empty() {
        return Verdict::Insufficient {
            reason: "no entry was found".to_owned(),
        };
    }
    if let Some(place) = library.named.or_else(|| only_entry(question, library)) {
        return Verdict::Grounded {
            places: beginning(&library.entries[place]),
            reason: "the beginning of the entry that is meant".to_owned(),
        };
    }
    if question.terms.is_empty() {
        return Verdict::Clarify {
            places: openings(library.entries.iter()),
            reason: "the question names nothing to look for".to_owned(),
        };
    }
    let about: Vec<&KnownEntry> = library.entries.iter().filter(|e| e.is_about).collect();
    if about.is_empty() {
        return Verdict::Insufficient {
            reason: missing_words(library),
        };
    }
    if let Some(places) = several_events(question, library, &about) {
        let reason = format!(
            "{} entries fit, and they tell of different events",
            about.len()
        );
        return Verdict::Clarify { places, reason };
    }
    let places = pick(question, library, &in_asked_order(question, about));
    if places.is_empty() {
        return Verdict::Insufficient {
            reason: "no sentence of the entries fits the question".to_owned(),
        };
    }
    let cited: BTreeSet<usize> = places.iter().map(|place| place.entry).collect();
    let reason = format!(
        "{} of {} cover {:.0} % of the question's words by weight",
        counted(places.len(), "sentence", "sentences"),
        counted(cited.len(), "entry", "entries"),
        100.0 * covered(library, &places, &cited),
    );
    Verdict::Grounded { places, reason }
}

fn counted(count: usize, one: &str, several: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { several })
}

fn covered(library: &Library, places: &[Place], cited: &BTreeSet<usize>) -> f64 {
    let by_sentences = places.iter().map(|place| &library.sentence(*place).held);
    let by_entries = cited.iter().map(|entry| library.held_by(*entry));
    let held = by_sentences.chain(by_entries).flatten().copied().collect();
    library.weight_of(&held)
}

fn missing_words(library: &Library) -> String {
    let nowhere = library.terms.iter().filter(|term| !term.is_known).count();
    let asked = library.terms.len();
    match nowhere {
        0 => "no entry is about the question: none holds enough of its words".to_owned(),
        _ => format!("no entry is about the question: {nowhere} of its {asked} words are in none"),
    }
}

/// The entries from which sentences are picked, those preferred first. A
/// question for the last (or first) time takes the newest (oldest) of the
/// entries that fit about as well as the best and tell of it.
fn in_asked_order<'a>(question: &Question, mut about: Vec<&'a KnownEntry>) -> Vec<&'a KnownEntry> {
    let by_time = question.kind.is_by_time();
    if by_time && about.iter().any(|entry| tells_of_it(entry)) {
        about.retain(|entry| tells_of_it(entry));
    }
    if by_time {
        let titles = about.iter().map(|entry| entry.title_coverage);
        let least = SHARE_OF_BEST_TITLE * titles.fold(0.0, f64::max);
        about.retain(|entry| entry.title_coverage >= least);
    }
    if by_time {
        // What is meant is the newest, not the nearest: words alone count.
        let best = about.iter().map(|e| e.coverage).fold(0.0, f64::max);
        about.retain(|entry| entry.coverage >= FIT_BY_TIME * best);
    } else {
        let best = about.iter().map(|e| fit(e)).fold(0.0, f64::max);
        about.retain(|entry| fit(entry) >= FIT_TO_BE_USED * best);
    }
    match question.kind {
        QuestionKind::Earliest => about.sort_by_key(|e| (e.time, e.index)),
        QuestionKind::Latest => about.sort_by_key(|e| (std::cmp::Reverse(e.time), e.index)),
        _ => {}
    }
    if by_time {
        about.truncate(ENTRIES_BY_TIME);
    }
    about
}

/// Whether an entry says that what is asked about happened: a sentence of its
/// own has much of the question's words and does not say no.
fn tells_of_it(entry: &KnownEntry) -> bool {
    entry.sentences.iter().any(|sentence| {
        sentence.coverage >= 0.6
            && !sentence.held.is_empty()
            && !sentence.is_instruction
            && !sentence.denies
    })
}

/// A question of one word that fits several different events is asked back.
fn several_events(
    question: &Question,
    library: &Library,
    about: &[&KnownEntry],
) -> Option<Vec<Place>> {
    use QuestionKind::{Cause, Number, Person, Repair, Time};
    let needs_one_event = matches!(question.kind, Cause | Repair | Time | Person | Number);
    if !question.is_asked || !needs_one_event || question.terms.len() > 1 {
        return None;
    }
    let places = openings(about.iter().copied());
    let mut different: Vec<Place> = Vec::new();
    for place in places {
        let says_the_same = different
            .iter()
            .any(|other| overlap(library.sentence(place), library.sentence(*other)) > SAME_WORDS);
        if !says_the_same {
            different.push(place);
        }
    }
    (different.len() >= EVENTS_TO_ASK_BACK).then(|| {
        different.truncate(SENTENCES_AT_MOST);
        different
    })
}

/// How each of the first entries opens: its title, or its first sentence.
/// The entry of a question that has no words of its own, such as a filter,
/// where only one was found: there is nothing to ask back.
fn only_entry(question: &Question, library: &Library) -> Option<usize> {
    (question.terms.is_empty() && library.entries.len() == 1).then_some(0)
}

/// The first sentences of an entry.
fn beginning(entry: &KnownEntry) -> Vec<Place> {
    let sentences = 0..entry.sentences.len().min(SENTENCES_OF_ONE);
    let places = sentences.map(|sentence| Place {
        entry: entry.index,
        sentence,
    });
    places.collect()
}

fn openings<'a>(entries: impl Iterator<Item = &'a KnownEntry>) -> Vec<Place> {
    entries
        .filter(|entry| !entry.sentences.is_empty())
        .map(|entry| Place {
            entry: entry.index,
            sentence: 0,
        })
        .take(SENTENCES_AT_MOST)
        .collect()
}

/// Picks sentences one by one: the best first, then what adds most and
/// repeats least (maximal marginal relevance).
fn pick(question: &Question, library: &Library, entries: &[&KnownEntry]) -> Vec<Place> {
    let rooms = rooms(question, entries);
    let mut picked: Vec<Place> = Vec::new();
    let mut first_worth = 0.0;
    while picked.len() < SENTENCES_AT_MOST {
        let said: Vec<&KnownSentence> = picked.iter().map(|p| library.sentence(*p)).collect();
        let mut best: Option<(Place, f64, f64)> = None;
        for (preference, entry) in entries.iter().enumerate() {
            for (index, sentence) in entry.sentences.iter().enumerate() {
                let place = Place {
                    entry: entry.index,
                    sentence: index,
                };
                if !may_be_added(library, &picked, place, rooms[preference]) {
                    continue;
                }
                let worth = worth(question, sentence, index, &said) + news(library, &picked, place);
                let share = if answers_open_part(sentence, &said) {
                    SHARE_FOR_OPEN_PART
                } else if question.is_for_several {
                    SHARE_FOR_SEVERAL
                } else {
                    SHARE_TO_BE_ADDED
                };
                if !picked.is_empty() && worth < share * first_worth {
                    continue;
                }
                let merit = worth + fit(entry) + by_preference(question, preference);
                if best.is_none_or(|(_, _, so_far)| merit > so_far) {
                    best = Some((place, worth, merit));
                }
            }
        }
        let Some((place, worth, _)) = best else { break };
        if picked.is_empty() {
            first_worth = worth.max(0.0);
        }
        picked.push(place);
    }
    let by_time = question.kind.is_by_time();
    let preferred = by_time.then(|| entries.iter().map(|entry| entry.index).collect());
    in_reading_order(picked, preferred)
}

/// The newest (or oldest) is what a question for the last (or first) time
/// means.
fn by_preference(question: &Question, preference: usize) -> f64 {
    match question.kind.is_by_time() {
        true => 0.4 / (1.0 + preference as f64),
        false => 0.0,
    }
}

/// How many sentences each entry may give: one where several entries are
/// asked for, two else; more where one entry stands out, or says plainly all
/// that is asked.
fn rooms(question: &Question, entries: &[&KnownEntry]) -> Vec<usize> {
    let fits: Vec<f64> = entries.iter().map(|entry| fit(entry)).collect();
    let room = |(place, entry): (usize, &&KnownEntry)| {
        let mut others = fits.iter().enumerate().filter(|(other, _)| *other != place);
        let stands_out = others.all(|(_, other)| fits[place] >= STANDS_OUT * other);
        if entry.says_all {
            SENTENCES_AT_MOST
        } else if question.is_for_several {
            1
        } else if stands_out {
            SENTENCES_OF_ONE
        } else {
            SENTENCES_PER_ENTRY
        }
    };
    entries.iter().enumerate().map(room).collect()
}

/// A sentence may join those picked when it is tied to the question, its entry
/// has room, and it says something else.
fn may_be_added(library: &Library, picked: &[Place], place: Place, room: usize) -> bool {
    let sentence = library.sentence(place);
    let from_same_entry = picked.iter().filter(|p| p.entry == place.entry).count();
    let is_tied = !sentence.held.is_empty()
        || (library.holds_nothing && picked.is_empty())
        || sentence.answers.iter().any(|strength| *strength > 0.0)
        || (sentence.in_best_passage && picked.is_empty());
    let repeats = picked
        .iter()
        .any(|other| overlap(sentence, library.sentence(*other)) > SAME_WORDS);
    let repeats_as_title = sentence.is_title && from_same_entry > 0;
    is_tied && from_same_entry < room && !repeats && !repeats_as_title
}

/// What a sentence adds to those picked: words of the question not yet
/// covered, less what it repeats.
fn news(library: &Library, picked: &[Place], place: Place) -> f64 {
    let sentence = library.sentence(place);
    let said: BTreeSet<usize> = picked
        .iter()
        .flat_map(|other| library.sentence(*other).held.iter().copied())
        .collect();
    let new_words = sentence.held.difference(&said).copied().collect();
    let repeated = picked
        .iter()
        .map(|other| overlap(sentence, library.sentence(*other)))
        .fold(0.0, f64::max);
    0.5 * library.weight_of(&new_words) - 0.7 * repeated
}

/// The share of words that two sentences have in common (Jaccard), or of the
/// shorter one's words where it is all but contained in the other.
fn overlap(a: &KnownSentence, b: &KnownSentence) -> f64 {
    let common = a.stems.intersection(&b.stems).count() as f64;
    let union = a.stems.union(&b.stems).count().max(1) as f64;
    let shorter = a.stems.len().min(b.stems.len()).max(1) as f64;
    let contained = common / shorter;
    if contained > 0.85 {
        contained
    } else {
        common / union
    }
}

/// The sentences entry by entry, each entry's in its own order: entries in the
/// preferred order, else in that in which they were picked.
fn in_reading_order(picked: Vec<Place>, preferred: Option<Vec<usize>>) -> Vec<Place> {
    let order = preferred.unwrap_or_else(|| picked.iter().map(|place| place.entry).collect());
    let mut places = picked;
    places.sort_by_key(|place| {
        let entry = order.iter().position(|entry| *entry == place.entry);
        (entry, place.sentence)
    });
    places
}

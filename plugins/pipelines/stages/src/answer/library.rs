//! The entries that were found, read for one question: their sentences, and
//! how much of the question each holds.

use std::collections::{BTreeMap, BTreeSet};

use gannet_plugin::{Entry, Hit, ScoreKind};

use super::held::{meant_by, stands_for};
use super::manner::{is_instruction, is_title_of_instruction, leans_on_others};
use super::question::Question;
use super::sentences::sentences;
use super::terms::{stem, words};
use super::weights::{Term, weighed, weight_of};
use crate::assemble::{Unit, neutral};

/// Entries that are read at most; the time of an answer is bounded by this
/// and by the next.
const ENTRIES_READ: usize = 12;
/// Characters of an entry that are read at most.
const CHARS_READ: usize = 6_000;
/// An entry is about the question when it holds this share of its words by
/// weight.
const COVERAGE_TO_BE_ABOUT: f64 = 0.5;
/// And this share of them by number: of two words both.
const WORDS_TO_BE_ABOUT: f64 = 0.6;
/// An entry is about the question, whatever its words, when its meaning is
/// this near (cosine).
const COSINE_TO_BE_ABOUT: f64 = 0.45;
/// Less of each is enough where words and meaning agree. Of the words, two at
/// least, or one and the time: one alone is shared by chance.
const COVERAGE_WITH_MEANING: f64 = 0.25;
const COSINE_WITH_WORDS: f64 = 0.32;
/// What a sentence has of its entry's title, of its own words' worth.
const SHARE_OF_TITLE: f64 = 0.5;
/// What a sentence that says what was asked has of the words of the two
/// before it, of its title and of its entry: `It was traced to a loose plug`
/// speaks of what they speak of.
const SHARE_OF_CONTEXT: f64 = 0.7;
const SHARE_OF_HEADING: f64 = 0.9;
const SHARE_OF_ENTRY: f64 = 0.7;
/// What an entry has of the words of one that it names by its id: it goes on
/// with that one's story.
const SHARE_OF_NAMED: f64 = 0.6;

/// Words after a `no` or `not` that it denies.
const DENIED_WITHIN: usize = 3;

/// What the entries say, read for one question.
pub(super) struct Library {
    pub(super) entries: Vec<KnownEntry>,
    /// The question's words.
    pub(super) terms: Vec<Term>,
    /// Whether no entry holds a word of the question: they were found by
    /// meaning alone.
    pub(super) holds_nothing: bool,
    /// The entry that the question names by its id.
    pub(super) named: Option<usize>,
}

/// An entry, read for one question.
pub(super) struct KnownEntry {
    /// Its place among those found, from 0.
    pub(super) index: usize,
    /// Seconds since 1970.
    pub(super) time: i64,
    id: String,
    /// Stems of its author's name.
    author: BTreeSet<String>,
    /// Terms that it holds anywhere.
    held: BTreeSet<usize>,
    /// The share of the question's words that it holds, by weight, with what
    /// it has from entries that it names.
    pub(super) coverage: f64,
    /// The same of its title alone.
    pub(super) title_coverage: f64,
    /// How near its meaning is, where a module said so.
    cosine: Option<f64>,
    /// How far it is of the months asked for: 1 when it was written in them,
    /// 0.5 when it names one, else 0.
    pub(super) of_period: f64,
    /// Whether it is about the question.
    pub(super) is_about: bool,
    /// Whether it says plainly each of the several things asked.
    pub(super) says_all: bool,
    pub(super) sentences: Vec<KnownSentence>,
}

/// A sentence, read for one question.
pub(super) struct KnownSentence {
    pub(super) text: String,
    pub(super) stems: BTreeSet<String>,
    in_order: Vec<String>,
    /// Terms that it holds.
    pub(super) held: BTreeSet<usize>,
    /// The share of the question's words that it holds, by weight; words of
    /// the title count in part.
    pub(super) coverage: f64,
    /// How far it speaks of what is asked, counting what stands around it.
    pub(super) topic: f64,
    /// How plainly it says what is asked, of each kind asked for.
    pub(super) answers: Vec<f64>,
    /// The share of the question's neighbouring words that are neighbours.
    pub(super) share_of_pairs: f64,
    pub(super) is_title: bool,
    pub(super) is_instruction: bool,
    pub(super) leans_on_others: bool,
    /// Whether it says that something asked about did not happen.
    pub(super) denies: bool,
    pub(super) is_of_period: bool,
    pub(super) in_best_passage: bool,
}

/// A sentence by its place: entry and sentence, from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub(super) entry: usize,
    pub(super) sentence: usize,
}

impl Library {
    /// Reads the entries for a question.
    pub(super) fn read(
        question: &Question,
        entries: &[Entry],
        hits: &[Hit],
        timezone: &str,
    ) -> Self {
        let entries = entries.get(..ENTRIES_READ).unwrap_or(entries);
        let mut known: Vec<KnownEntry> = entries
            .iter()
            .enumerate()
            .map(|(index, entry)| KnownEntry::read(index, entry, hits, question))
            .collect();
        let spelt = as_spelt_in(&known, question);
        for (known, entry) in known.iter_mut().zip(entries) {
            known.note_held(&spelt);
            if question.period.holds(entry, timezone) {
                known.of_period = 1.0;
            }
        }
        let holders: Vec<usize> = (0..spelt.len())
            .map(|place| known.iter().filter(|e| e.held.contains(&place)).count())
            .collect();
        let terms = weighed(&holders, known.len());
        for entry in &mut known {
            entry.coverage = weight_of(&terms, &entry.held);
        }
        add_what_is_named(&mut known);
        for entry in &mut known {
            entry.is_about = entry.is_about(&terms);
            entry.weigh_sentences(question, &terms, &spelt);
        }
        Self {
            holds_nothing: known.iter().all(|entry| entry.held.is_empty()),
            entries: known,
            terms,
            named: None,
        }
    }

    /// The place of the entry of this id, where it says anything.
    pub(super) fn place_of(&self, id: Option<&str>) -> Option<usize> {
        let mut entries = self.entries.iter();
        entries.position(|entry| Some(entry.id.as_str()) == id && !entry.sentences.is_empty())
    }

    /// A sentence's text.
    pub(super) fn text(&self, place: Place) -> String {
        self.sentence(place).text.clone()
    }

    pub(super) fn sentence(&self, place: Place) -> &KnownSentence {
        &self.entries[place.entry].sentences[place.sentence]
    }

    /// The share of the question's words that a set has, by weight.
    pub(super) fn weight_of(&self, held: &BTreeSet<usize>) -> f64 {
        weight_of(&self.terms, held)
    }

    /// The terms that an entry holds.
    pub(super) fn held_by(&self, entry: usize) -> &BTreeSet<usize> {
        &self.entries[entry].held
    }
}

impl KnownEntry {
    fn read(index: usize, entry: &Entry, hits: &[Hit], question: &Question) -> Self {
        let hit = hits.iter().find(|hit| hit.entry_id == entry.entry_id);
        let passage = hit
            .and_then(|hit| hit.passage.as_ref())
            .map(|passage| one_line(&passage.text))
            .unwrap_or_default();
        let text = neutral(Unit::Chars.prefix(&entry.raw_text, CHARS_READ));
        let title = entry.title().map(one_line).unwrap_or_default();
        let body = text.strip_prefix(&title).filter(|_| !title.is_empty());
        let mut known: Vec<KnownSentence> = Vec::new();
        if !title.is_empty() {
            let mut heading = KnownSentence::read(neutral(&title), &passage, question);
            heading.is_title = true;
            heading.is_instruction |= is_title_of_instruction(&words(&title));
            heading.answers = question.answered_by_title(&heading.text.to_lowercase());
            known.push(heading);
        }
        known.extend(
            sentences(body.unwrap_or(&text))
                .into_iter()
                .map(|sentence| KnownSentence::read(sentence, &passage, question)),
        );
        Self {
            index,
            time: entry.timestamp.as_second(),
            id: entry.entry_id.clone(),
            author: words(&entry.author).iter().map(|word| stem(word)).collect(),
            held: BTreeSet::new(),
            coverage: 0.0,
            title_coverage: 0.0,
            cosine: hit.and_then(cosine_of),
            of_period: match known.iter().any(|sentence| sentence.is_of_period) {
                true => 0.5,
                false => 0.0,
            },
            is_about: false,
            says_all: question.kinds.len() > 1
                && (0..question.kinds.len()).all(|part| {
                    let mut answers = known.iter().filter_map(|s| s.answers.get(part));
                    answers.any(|strength| *strength >= 1.0)
                }),
            sentences: known,
        }
    }

    /// Notes which terms its sentences hold. A term's place is that in the
    /// list; each is given as it is spelt in the entries.
    fn note_held(&mut self, spelt: &[String]) {
        for (place, term) in spelt.iter().enumerate() {
            if self.author.contains(term) {
                self.held.insert(place);
            }
            for sentence in &mut self.sentences {
                if sentence.stems.iter().any(|stem| stands_for(stem, term)) {
                    sentence.held.insert(place);
                    self.held.insert(place);
                }
            }
        }
    }

    fn weigh_sentences(&mut self, question: &Question, terms: &[Term], spelt: &[String]) {
        let title = self.sentences.first().filter(|first| first.is_title);
        let of_title = title.map(|title| title.held.clone()).unwrap_or_default();
        self.title_coverage = weight_of(terms, &of_title);
        let around = (SHARE_OF_HEADING * self.title_coverage).max(SHARE_OF_ENTRY * self.coverage);
        let mut before = [0.0_f64; 2];
        for sentence in &mut self.sentences {
            let own = weight_of(terms, &sentence.held);
            let added: BTreeSet<usize> = of_title.difference(&sentence.held).copied().collect();
            sentence.coverage = own + SHARE_OF_TITLE * weight_of(terms, &added);
            let context = SHARE_OF_CONTEXT * before[0].max(before[1]);
            sentence.topic = sentence.coverage.max(context).max(around);
            sentence.share_of_pairs = sentence.share_of_pairs(question, spelt);
            sentence.denies = sentence.denies_a_term(spelt);
            before = [before[1], own];
        }
    }

    /// Whether the entry is about the question: by its words, by its meaning,
    /// or by some of both.
    fn is_about(&self, terms: &[Term]) -> bool {
        let share_of_words = self.held.len() as f64 / terms.len().max(1) as f64;
        let near = self.cosine.unwrap_or(0.0);
        let by_words = self.coverage >= COVERAGE_TO_BE_ABOUT && share_of_words >= WORDS_TO_BE_ABOUT;
        let by_both = self.coverage >= COVERAGE_WITH_MEANING
            && near >= COSINE_WITH_WORDS
            && self.held.len() + usize::from(self.of_period > 0.0) >= 2;
        by_words || by_both || near >= COSINE_TO_BE_ABOUT
    }

    /// How near its meaning is, from 0 to 1; a middling 0.3 where no module
    /// said so.
    pub(super) fn nearness(&self) -> f64 {
        self.cosine.unwrap_or(0.3).clamp(0.0, 1.0)
    }
}

impl KnownSentence {
    fn read(text: String, best_passage: &str, question: &Question) -> Self {
        let lower_case = text.to_lowercase();
        let plain = words(&text);
        let in_order: Vec<String> = plain.iter().map(|word| stem(word)).collect();
        Self {
            stems: in_order.iter().cloned().collect(),
            in_order,
            held: BTreeSet::new(),
            coverage: 0.0,
            topic: 0.0,
            answers: question.answered_by(&lower_case),
            share_of_pairs: 0.0,
            is_title: false,
            is_instruction: is_instruction(&text, &plain),
            leans_on_others: leans_on_others(&plain),
            denies: false,
            is_of_period: question.period.is_named_in(&text),
            in_best_passage: best_passage.contains(&text),
            text,
        }
    }

    fn share_of_pairs(&self, question: &Question, spelt: &[String]) -> f64 {
        let is_here = |(first, second): &&(String, String)| {
            let first = as_spelt(first, question, spelt);
            let second = as_spelt(second, question, spelt);
            let pairs = self.in_order.iter().zip(self.in_order.iter().skip(1));
            pairs
                .into_iter()
                .any(|(a, b)| stands_for(a, first) && stands_for(b, second))
        };
        let found = question.pairs.iter().filter(is_here).count();
        found as f64 / question.pairs.len().max(1) as f64
    }

    /// Whether it says that something asked about did not happen: `no trip`.
    fn denies_a_term(&self, spelt: &[String]) -> bool {
        const DENIALS: [&str; 6] = ["no", "not", "without", "never", "nor", "neither"];
        let mut words = self.in_order.iter().enumerate();
        words.any(|(at, word)| {
            let after = self.in_order.iter().skip(at + 1).take(DENIED_WITHIN);
            DENIALS.contains(&word.as_str())
                && after
                    .into_iter()
                    .any(|next| spelt.iter().any(|term| stands_for(next, term)))
        })
    }
}

/// A term of the question as the entries spell it.
fn as_spelt<'a>(term: &'a String, question: &Question, spelt: &'a [String]) -> &'a String {
    let place = question.terms.iter().position(|other| other == term);
    place.and_then(|place| spelt.get(place)).unwrap_or(term)
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn cosine_of(hit: &Hit) -> Option<f64> {
    hit.provenance
        .iter()
        .find(|part| part.score_kind == ScoreKind::Cosine)
        .map(|part| part.score)
}

/// The question's words as the entries spell them.
fn as_spelt_in(entries: &[KnownEntry], question: &Question) -> Vec<String> {
    let sentences = entries.iter().flat_map(|entry| &entry.sentences);
    let known: BTreeSet<&str> = sentences
        .flat_map(|sentence| sentence.stems.iter().map(String::as_str))
        .collect();
    let spelt = |term: &String| {
        let is_known = known.iter().any(|stem| stands_for(stem, term));
        let meant = (!is_known).then(|| meant_by(term, &known)).flatten();
        meant.map_or_else(|| term.clone(), str::to_owned)
    };
    question.terms.iter().map(spelt).collect()
}

/// An entry that names another by its id has a part of that one's words.
fn add_what_is_named(entries: &mut [KnownEntry]) {
    let coverage_by_id: BTreeMap<String, f64> = entries
        .iter()
        .map(|entry| (entry.id.to_lowercase(), entry.coverage))
        .collect();
    for entry in entries {
        let own_id = entry.id.to_lowercase();
        let sentences = entry.sentences.iter();
        let named = sentences
            .flat_map(|sentence| &sentence.stems)
            .filter(|stem| **stem != own_id)
            // Bare numbers are quantities more often than ids.
            .filter(|stem| stem.contains(|c: char| !c.is_ascii_digit()))
            .filter_map(|stem| coverage_by_id.get(stem));
        let best = named.fold(0.0_f64, |best, coverage| best.max(*coverage));
        entry.coverage = entry.coverage.max(SHARE_OF_NAMED * best);
    }
}

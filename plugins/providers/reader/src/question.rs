//! What a question is about, and what it asks for.

use std::collections::{BTreeSet, HashMap, HashSet};

use gannet_plugin::plan::{Intent, QueryPlan};
use gannet_plugin::query::is_stop_word;
use gannet_plugin::search::SpanSimilarities;
use gannet_stages::{content_words, stem, words};

use crate::cues::{Ask, Cues};
use crate::numbered_names::{NumberedName, names_asked};

/// Words after the question word that may name what is asked for: "how many
/// fuel pumps", "which valve".
pub(crate) const FOCUS_WORDS: usize = 2;
/// Words that say something and stand together.
const WORDS_TOGETHER: usize = 8;

/// A question, read for choosing sentences.
pub(crate) struct Question<'p> {
    pub(crate) plan: &'p QueryPlan,
    /// What it is about: distinct stems with their weights, in order.
    pub(crate) terms: Vec<Term>,
    /// All of its words in lower case.
    pub(crate) all_words: HashSet<String>,
    /// The stems of the words after its question word.
    pub(crate) focus: HashSet<String>,
    /// What kinds of statement it asks for.
    pub(crate) asks: Vec<Ask>,
    /// The names with a number.
    pub(crate) numbered: Vec<NumberedName>,
}

/// A word that a question is about.
pub(crate) struct Term {
    pub(crate) stem: String,
    /// As it was typed, in lower case.
    pub(crate) typed: String,
    /// Its share of the weight of all terms.
    pub(crate) weight: f64,
}

impl<'p> Question<'p> {
    /// Reads a plan. A term weighs its inverse document frequency in the text
    /// index; one that the index was not asked for weighs by how few of the
    /// candidate sentences have it.
    pub(crate) fn read(
        plan: &'p QueryPlan,
        similarities: &SpanSimilarities,
        sentences_with: &HashMap<String, usize>,
        sentences: usize,
    ) -> Self {
        let idfs = similarities.words.iter().zip(&similarities.idfs);
        let idfs: HashMap<&str, f64> = idfs.map(|(word, idf)| (word.as_str(), *idf)).collect();
        let mut seen = HashSet::new();
        let mut terms: Vec<Term> = content_words(plan)
            .into_iter()
            .map(|typed| {
                let stem = stem(&typed);
                let with = sentences_with.get(&stem).copied().unwrap_or(0);
                let local = gannet_stages::idf(sentences, with);
                let weight = idfs.get(typed.as_str()).copied().unwrap_or(local);
                Term {
                    stem,
                    typed,
                    weight,
                }
            })
            .filter(|term| seen.insert(term.stem.clone()))
            .collect();
        let total: f64 = terms.iter().map(|term| term.weight).sum();
        terms
            .iter_mut()
            .for_each(|term| term.weight /= total.max(f64::MIN_POSITIVE));
        Self {
            terms,
            all_words: words(&plan.text).into_iter().collect(),
            focus: focus(plan),
            asks: asks(plan),
            numbered: names_asked(plan),
            plan,
        }
    }

    /// How much of the question's weight these stems hold, 0 to 1.
    pub(crate) fn coverage(&self, stems: &HashSet<String>) -> f64 {
        self.coverage_where(|term| stems.contains(&term.stem))
    }

    /// The weight of the terms for which `holds` is true.
    pub(crate) fn coverage_where(&self, holds: impl Fn(&Term) -> bool) -> f64 {
        let held = self.terms.iter().filter(|term| holds(term));
        held.map(|term| term.weight)
            .fold(0.0, |sum, weight| sum + weight)
    }

    /// The greatest coverage of words of a text that stand together; `stems` is
    /// in the order of the text.
    pub(crate) fn coverage_together(&self, stems: &[String]) -> f64 {
        let place = |stem: &String| self.terms.iter().position(|term| term.stem == *stem);
        let places = stems.iter().enumerate();
        let held: Vec<(usize, usize)> = places
            .filter_map(|(at, stem)| Some((at, place(stem)?)))
            .collect();
        let from = |first: usize| {
            let near = held
                .iter()
                .filter(|(at, _)| (first..first + WORDS_TOGETHER).contains(at));
            let terms: BTreeSet<usize> = near.map(|(_, term)| *term).collect();
            let weights = terms.into_iter().map(|term| self.terms[term].weight);
            weights.fold(0.0, |sum, weight| sum + weight)
        };
        let shares = held.iter().map(|(at, _)| from(*at));
        shares.fold(0.0, f64::max)
    }

    pub(crate) fn asks_for(&self, ask: Ask) -> bool {
        self.asks.contains(&ask)
    }

    /// Whether a stem is one of the question's.
    pub(crate) fn has(&self, stem: &str) -> bool {
        self.terms.iter().any(|term| term.stem == stem)
    }
}

/// What a question asks for, by the host's plan and by its words.
fn asks(plan: &QueryPlan) -> Vec<Ask> {
    let mut asks = Cues::of(plan.language.as_deref()).asks(&plan.text);
    let by_intent = match plan.intent {
        Intent::Cause => Some(Ask::Cause),
        Intent::Fix => Some(Ask::Fix),
        Intent::When | Intent::Latest | Intent::First => Some(Ask::Date),
        Intent::YesNo => Some(Ask::Outcome),
        Intent::Count => Some(Ask::Number),
        _ => None,
    };
    asks.extend(by_intent.filter(|ask| !asks.contains(ask)));
    asks
}

/// The stems after the first question word.
fn focus(plan: &QueryPlan) -> HashSet<String> {
    let cues = Cues::of(plan.language.as_deref());
    let asked: Vec<String> = words(&plan.text);
    let Some(at) = asked.iter().position(|word| cues.is_question_word(word)) else {
        return HashSet::new();
    };
    let after = asked[at + 1..].iter();
    let content = after.filter(|word| !is_stop_word(word) && !cues.is_question_word(word));
    content.take(FOCUS_WORDS).map(|word| stem(word)).collect()
}

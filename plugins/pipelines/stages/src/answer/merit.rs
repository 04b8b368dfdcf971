//! What an entry and a sentence are worth for an answer.

use super::kinds::QuestionKind;
use super::library::{KnownEntry, KnownSentence};
use super::question::Question;

/// What the parts of an entry's worth count. Each part is from 0 to 1.
const OF_WORDS: f64 = 0.6;
const OF_TITLE: f64 = 0.3;
const OF_MEANING: f64 = 0.5;
const OF_RANK: f64 = 0.4;
const OF_PERIOD: f64 = 0.3;
/// An entry that says both the cause and the repair is most often the report.
const OF_SAYING_ALL: f64 = 0.3;
/// What the parts of a sentence's worth count.
const OF_OWN_WORDS: f64 = 0.7;
/// A sentence with the question's words which does not say what is asked.
const OF_WORDS_WITHOUT_ANSWER: f64 = 0.45;
const OF_ANSWER: f64 = 1.2;
/// What an answer counts when that part of the question is answered already.
const OF_ANSWER_AGAIN: f64 = 0.8;
const OF_PAIRS: f64 = 0.3;
const OF_BEST_PASSAGE: f64 = 0.1;
/// The first sentences of an entry say what happened.
const OF_PLACE: f64 = 0.15;
/// What is taken off. A title says what an entry is about, and seldom
/// answers.
const LESS_FOR_TITLE: f64 = 0.35;
const LESS_FOR_INSTRUCTION: f64 = 0.6;
const LESS_FOR_LEANING: f64 = 0.5;
/// `No trip since` does not tell of the last one.
const LESS_FOR_DENIAL: f64 = 0.6;

/// How well an entry fits a question as a whole.
pub(super) fn fit(entry: &KnownEntry) -> f64 {
    OF_WORDS * entry.coverage
        + OF_TITLE * entry.title_coverage
        + OF_MEANING * entry.nearness()
        + OF_RANK / (1.0 + 0.3 * entry.index as f64)
        + OF_PERIOD * entry.of_period
        + if entry.says_all { OF_SAYING_ALL } else { 0.0 }
}

/// How well a sentence itself answers, beside what is said already. `place`
/// is its place in the entry, from 0.
pub(super) fn worth(
    question: &Question,
    sentence: &KnownSentence,
    place: usize,
    said: &[&KnownSentence],
) -> f64 {
    let own_words = match answers_nothing(question, sentence) {
        true => OF_WORDS_WITHOUT_ANSWER,
        false => OF_OWN_WORDS,
    };
    let mut worth = own_words * sentence.coverage
        + worth_of_answers(sentence, said)
        + OF_PAIRS * sentence.share_of_pairs
        + OF_PLACE / (1.0 + place as f64);
    if question.period.is_named() && sentence.is_of_period {
        worth += OF_PERIOD / 2.0;
    }
    if sentence.in_best_passage {
        worth += OF_BEST_PASSAGE;
    }
    if sentence.is_title {
        worth -= LESS_FOR_TITLE;
    }
    if sentence.is_instruction && !asks_what_to_do(question) {
        worth -= LESS_FOR_INSTRUCTION;
    }
    if sentence.leans_on_others && !sentence.is_title {
        worth -= LESS_FOR_LEANING;
    }
    if sentence.denies && question.kind.is_by_time() {
        worth -= LESS_FOR_DENIAL;
    }
    worth
}

/// Whether a sentence answers a part of the question that no other does.
pub(super) fn answers_open_part(sentence: &KnownSentence, said: &[&KnownSentence]) -> bool {
    sentence
        .answers
        .iter()
        .enumerate()
        .any(|(part, strength)| *strength > strength_said(part, said))
}

/// Whether a sentence that answers would be known by its words, and this one
/// has none.
fn answers_nothing(question: &Question, sentence: &KnownSentence) -> bool {
    question.kinds.iter().any(|kind| kind.has_words())
        && sentence.answers.iter().all(|strength| *strength <= 0.0)
}

fn worth_of_answers(sentence: &KnownSentence, said: &[&KnownSentence]) -> f64 {
    let parts = sentence.answers.iter().enumerate();
    let strengths = parts.map(|(part, strength)| {
        match strength_said(part, said) >= *strength && !said.is_empty() {
            true => OF_ANSWER_AGAIN * strength,
            false => OF_ANSWER * strength,
        }
    });
    sentence.topic * strengths.sum::<f64>()
}

fn strength_said(part: usize, said: &[&KnownSentence]) -> f64 {
    said.iter()
        .filter_map(|other| other.answers.get(part))
        .fold(0.0, |best, strength| best.max(*strength))
}

/// A question for a repair may be answered by an instruction.
fn asks_what_to_do(question: &Question) -> bool {
    question.kind == QuestionKind::Repair && question.kinds.len() == 1
}

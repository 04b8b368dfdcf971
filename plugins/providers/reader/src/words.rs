//! The stored words of sentences, and their features for a question.

use std::ops::RangeFrom;

use gannet_model::{features, flag};
use gannet_plugin::search::SpanWord;

use crate::cues::Ask;
use crate::question_vectors::QuestionVectors;

features! {
    /// What is known of a word of a sentence.
    WordFeatures {
        /// Whether it has a digit, and whether it has no letter beside it.
        digit,
        number,
        /// Whether it begins with a capital and is not the first stored word
        /// of its sentence.
        capital,
        /// Whether it is a word of the question.
        asked,
        /// The greatest cosine with a word of the question.
        nearest,
        /// The cosine with the words after the question word.
        focus,
        /// The share of its sentence's words that are in the question.
        asked_share,
        /// The log-odds of the probability that its sentence answers.
        odds,
    }
}

/// The first features, which are flags, are multiplied with what the question
/// asks for.
const FLAGS: usize = 4;

const ASKS: [(&str, Option<Ask>); 10] = [
    ("cause", Some(Ask::Cause)),
    ("fix", Some(Ask::Fix)),
    ("number", Some(Ask::Number)),
    ("duration", Some(Ask::Duration)),
    ("date", Some(Ask::Date)),
    ("name", Some(Ask::Name)),
    ("place", Some(Ask::Place)),
    ("outcome", Some(Ask::Outcome)),
    ("manner", Some(Ask::Manner)),
    ("nothing", None),
];

/// The least probability whose log-odds are taken.
const LEAST_PROBABILITY: f32 = 1e-4;

/// A word of a sentence that has a stored vector.
#[derive(Debug, Clone, PartialEq)]
pub struct Word {
    /// The byte of the `raw_text` of its entry with which it begins.
    pub start: usize,
    /// The signs of its vector.
    pub signs: Vec<u8>,
    /// Its features; the odds of its sentence are not known yet.
    pub features: WordFeatures,
}

impl Word {
    /// The words of one sentence of a text.
    pub(crate) fn read_all(
        text: &str,
        found: Vec<SpanWord>,
        question: &QuestionVectors,
    ) -> Vec<Self> {
        let words = found.into_iter().enumerate();
        let words = words.map(|(place, found)| Self::read(text, place, found, question));
        let mut words: Vec<Self> = words.collect();
        let asked = words.iter().map(|word| word.features.asked);
        let share = asked.fold(0.0, |sum, asked| sum + asked) / words.len().max(1) as f32;
        let features = words.iter_mut().map(|word| &mut word.features);
        features.for_each(|features| features.asked_share = share);
        words
    }

    fn read(text: &str, place: usize, found: SpanWord, question: &QuestionVectors) -> Self {
        let word = word_at(text, found.start..);
        let has_digit = word.contains(char::is_numeric);
        let has_capital = word.starts_with(char::is_uppercase);
        let features = WordFeatures {
            digit: flag(has_digit),
            number: flag(has_digit && !word.contains(char::is_alphabetic)),
            capital: flag(has_capital && place > 0),
            asked: flag(question.words.contains(&word.to_lowercase())),
            nearest: found.nearest,
            focus: product_with_signs(&question.focus, &found.signs),
            ..WordFeatures::default()
        };
        Self {
            start: found.start,
            signs: found.signs,
            features,
        }
    }

    /// The inputs of a model, in the order of [`input_names`], for a sentence
    /// of this probability and a question that asks for these things.
    pub(crate) fn inputs(&self, probability: f32, asks: &[Ask]) -> Vec<f32> {
        let share = probability.clamp(LEAST_PROBABILITY, 1.0 - LEAST_PROBABILITY);
        let features = WordFeatures {
            odds: (share / (1.0 - share)).ln(),
            ..self.features.clone()
        };
        let mut inputs = features.values();
        for (_, ask) in ASKS {
            let is_asked = flag(ask.map_or(asks.is_empty(), |ask| asks.contains(&ask)));
            inputs.extend_from_within(..FLAGS);
            let flags = inputs.iter_mut().rev().take(FLAGS);
            flags.for_each(|value| *value *= is_asked);
        }
        inputs
    }
}

/// The names of the inputs of a model of words: the features, and the flags of
/// a word for each thing that a question may ask for.
pub(crate) fn input_names() -> Vec<String> {
    let flags = &WordFeatures::NAMES[..FLAGS];
    let of_ask = |(ask, _)| flags.iter().map(move |flag| format!("{ask}_{flag}"));
    let own = WordFeatures::NAMES.iter().map(|name| (*name).to_owned());
    own.chain(ASKS.into_iter().flat_map(of_ask)).collect()
}

/// The product with a vector of length 1 of these signs. The sum is in a fixed
/// order, so that every processor gives the same result.
pub(crate) fn product_with_signs(vector: &[f32], signs: &[u8]) -> f32 {
    let is_set = |at: usize| {
        signs
            .get(at / 8)
            .is_some_and(|byte| byte >> (at % 8) & 1 == 1)
    };
    let values = vector.iter().enumerate();
    let signed = values.map(|(at, value)| if is_set(at) { *value } else { -*value });
    signed.fold(0.0, |sum, value| sum + value) / (vector.len().max(1) as f32).sqrt()
}

/// The letters and digits at a place of a text.
fn word_at(text: &str, from: RangeFrom<usize>) -> &str {
    let rest = text.get(from).unwrap_or_default();
    let end = rest.find(|c: char| !c.is_alphanumeric());
    &rest[..end.unwrap_or(rest.len())]
}

#[cfg(test)]
mod tests {
    use gannet_plugin::provider::EmbeddingModel;

    use super::*;

    fn question(words: &[&str]) -> QuestionVectors {
        QuestionVectors {
            model: EmbeddingModel::new("test", 4, 100),
            focus: vec![0.5, 0.5, -0.5, -0.5],
            question_word: vec![0.0; 4],
            words: words.iter().map(|word| (*word).to_owned()).collect(),
        }
    }

    fn read(text: &str, starts: &[usize]) -> Vec<WordFeatures> {
        let found = starts.iter().map(|start| SpanWord {
            start: *start,
            nearest: 0.25,
            signs: vec![0b0011],
        });
        let words = Word::read_all(text, found.collect(), &question(&["valve", "4a"]));
        words.into_iter().map(|word| word.features).collect()
    }

    #[test]
    fn the_flags_of_a_word_are_those_of_its_letters_and_digits() {
        let text = "The Valve 4A: 12.5 bar at Grünau";
        let found = read(text, &[4, 10, 14, 26]);
        let flags = |f: &WordFeatures| [f.digit, f.number, f.capital, f.asked];
        // The first stored word has no capital.
        assert_eq!(flags(&found[0]), [0.0, 0.0, 0.0, 1.0]);
        assert_eq!(flags(&found[1]), [1.0, 0.0, 0.0, 1.0]);
        assert_eq!(flags(&found[2]), [1.0, 1.0, 0.0, 0.0]);
        assert_eq!(flags(&found[3]), [0.0, 0.0, 1.0, 0.0]);
        assert!(found.iter().all(|f| f.asked_share == 0.5));
        assert!(found.iter().all(|f| f.nearest == 0.25 && f.focus == 1.0));
        // A place that is inside of a character.
        assert_eq!(flags(&read(text, &[29])[0]), [0.0; 4]);
    }

    #[test]
    fn the_flags_are_multiplied_with_what_is_asked_for() {
        let word = Word {
            start: 0,
            signs: Vec::new(),
            features: WordFeatures {
                digit: 1.0,
                capital: 1.0,
                ..WordFeatures::default()
            },
        };
        let names = input_names();
        let named = |inputs: &[f32]| -> Vec<String> {
            let set = names.iter().zip(inputs).filter(|(_, value)| **value != 0.0);
            set.map(|(name, _)| name.clone()).collect()
        };
        let inputs = word.inputs(0.5, &[Ask::Date]);
        assert_eq!((names.len(), inputs.len()), (48, 48));
        let expected = ["digit", "capital", "date_digit", "date_capital"];
        assert_eq!(named(&inputs), expected);
        assert_eq!(named(&word.inputs(0.5, &[]))[2], "nothing_digit");
        // ln(3), and that of the greatest probability.
        assert!((word.inputs(0.75, &[])[7] - 1.0986).abs() < 1e-3);
        assert!((word.inputs(1.0, &[])[7] - 9.2102).abs() < 1e-3);
    }
}

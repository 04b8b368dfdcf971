//! The vectors of a question that its words of an answer are compared with.

use gannet_plugin::provider::{EmbeddingModel, Embeddings, TokenValues};

use crate::cues::Cues;
use crate::question::FOCUS_WORDS;

/// What an embedder makes of the words of a question.
#[derive(Debug, Clone, PartialEq)]
pub struct QuestionVectors {
    /// The embedder's model.
    pub model: EmbeddingModel,
    /// Of the first words after the question word that are no stop words, or
    /// of the question without one, the sum; of length 1, or zeros.
    pub focus: Vec<f32>,
    /// Of its first question word; zeros without one.
    pub question_word: Vec<f32>,
    /// Its words in lower case without stop words.
    pub(crate) words: Vec<String>,
}

impl QuestionVectors {
    /// Reads what an embedder made of one question; `None` where it made no
    /// token vectors.
    pub(crate) fn read(mut embeddings: Embeddings, cues: &Cues) -> Option<Self> {
        let tokens = embeddings.tokens.pop()?;
        let dimension = embeddings.model.dimension;
        let TokenValues::Floats(vectors) = &tokens.values else {
            return None;
        };
        if dimension == 0 || !tokens.is_whole(dimension) {
            return None;
        }
        let vectors: Vec<&[f32]> = vectors.chunks_exact(dimension).collect();
        let is_question_word = |word: &String| cues.is_question_word(word);
        let at = tokens.words.iter().position(is_question_word);
        let mut stop_words = tokens.stop_words.iter();
        let stop_word = stop_words.find(|stop_word| is_question_word(&stop_word.word));
        let stop_word = stop_word.filter(|word| at.is_none_or(|at| word.words_before <= at));
        let (question_word, words_before) = match (stop_word, at) {
            (Some(word), _) => (word.vector.clone(), word.words_before),
            (None, Some(at)) => (vectors[at].to_vec(), at + 1),
            (None, None) => (vec![0.0; dimension], 0),
        };
        let after = vectors.iter().skip(words_before).take(FOCUS_WORDS);
        let mut focus = vec![0.0; dimension];
        for vector in after {
            focus.iter_mut().zip(*vector).for_each(|(sum, x)| *sum += x);
        }
        Some(Self {
            focus: normalised(focus),
            question_word,
            words: tokens.words,
            model: embeddings.model,
        })
    }
}

fn normalised(vector: Vec<f32>) -> Vec<f32> {
    let square = vector.iter().fold(0.0, |sum: f32, x| sum + x * x);
    match square > 0.0 {
        true => vector.iter().map(|x| x / square.sqrt()).collect(),
        false => vector,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use gannet_plugin::provider::{TokenStopWord, TokenVectors};

    use super::*;

    fn read(stop_words: &[(&str, usize)], words: &[&str]) -> QuestionVectors {
        let vectors: Vec<f32> = (0..words.len())
            .flat_map(|at| [at as f32 + 1.0, 0.0])
            .collect();
        let stop_words = stop_words.iter().map(|(word, words_before)| TokenStopWord {
            word: (*word).to_owned(),
            words_before: *words_before,
            vector: vec![0.0, 9.0],
        });
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        let tokens = TokenVectors::new(words, TokenValues::Floats(vectors))
            .with_stop_words(stop_words.collect());
        let model = EmbeddingModel::new("test", 2, 100);
        let embeddings = Embeddings::new(vec![vec![1.0, 0.0]], model).with_tokens(vec![tokens]);
        QuestionVectors::read(embeddings, Cues::of(None)).unwrap()
    }

    #[test]
    fn the_focus_follows_the_question_word() {
        // "pump 2: the which valve ...": `the` opens no question.
        let found = read(&[("the", 2), ("which", 2)], &["pump", "2", "valve"]);
        assert_eq!(found.question_word, [0.0, 9.0]);
        assert_eq!(found.focus, [1.0, 0.0]);
        let words_after = read(&[("which", 3)], &["pump", "2", "valve"]);
        assert_eq!(words_after.focus, [0.0, 0.0]);
    }

    #[test]
    fn a_question_word_need_not_be_a_stop_word() {
        let found = read(&[("is", 1)], &["whose", "pump"]);
        assert_eq!(found.question_word, [1.0, 0.0]);
    }

    #[test]
    fn without_a_question_word_the_focus_is_at_the_beginning() {
        let found = read(&[("the", 0)], &["pump", "valve"]);
        assert_eq!(found.question_word, [0.0, 0.0]);
        assert_eq!(found.focus, [1.0, 0.0]);
    }
}

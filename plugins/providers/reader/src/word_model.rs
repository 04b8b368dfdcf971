//! The model of words: a score for each word of a sentence, greater where the
//! word is more probably the answer or the beginning of it.
//!
//! A word scores `question · U · (V · signs) + w · inputs`, and that there is
//! no answer `question · U · n + b`: the former are compared with the latter.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use gannet_plugin::provider::EmbeddingModel;
use serde::Deserialize;

use crate::ReaderError;
use crate::cues::Ask;
use crate::question_vectors::QuestionVectors;
use crate::words::{Word, input_names, product_with_signs};

/// Vectors of length 1 are scaled by this for the training.
const SCALE: f32 = 4.0;
/// An input is at most so many deviations from its mean.
const DEVIATIONS: f32 = 4.0;

/// The weights.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WordModel {
    /// Whose vectors the weights are for.
    embedder: EmbedderName,
    /// The names of the inputs.
    features: Vec<String>,
    /// Of the vectors of a question: first those of the focus, then those of
    /// the question word.
    u: Matrix,
    /// Of the signs of a word.
    v: Matrix,
    /// For each input its weight, its mean and its inverse deviation.
    weights: Vec<(f32, f32, f32)>,
    none: Vec<f32>,
    intercept: f32,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct EmbedderName {
    model: String,
    variant: String,
}

/// A matrix, row by row.
#[derive(Debug, Clone, Deserialize)]
#[serde(try_from = "WrittenMatrix")]
struct Matrix {
    columns: usize,
    numbers: Vec<f32>,
}

/// A matrix in eight bits.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenMatrix {
    /// Of each column.
    steps: Vec<f32>,
    /// In base64, row by row; a code times the step of its column is the
    /// number.
    codes: String,
}

/// What the model makes of a question.
#[derive(Debug, PartialEq)]
pub(crate) struct LearnedQuestion {
    /// What the vector of a word is multiplied with.
    vector: Vec<f32>,
    /// The score that there is no answer.
    pub(crate) none: f32,
}

impl WordModel {
    /// Checks that it is for the inputs of the code, and that its parts fit
    /// together.
    ///
    /// # Errors
    /// [`ReaderError::Weights`].
    pub(crate) fn check(self) -> Result<Self, ReaderError> {
        let damaged = |reason: &str| ReaderError::Weights {
            reason: reason.to_owned(),
        };
        if self.features != input_names() {
            return Err(damaged("the model of words was made for other features"));
        }
        let rank = self.none.len();
        let is_whole = self.u.columns == rank
            && self.v.columns == rank
            && self.u.rows() == 2 * self.v.rows()
            && self.weights.len() == self.features.len();
        match is_whole {
            true => Ok(self),
            false => Err(damaged("the parts of the model of words do not fit")),
        }
    }

    /// Whether it was made with the vectors of this model.
    pub(crate) fn is_of(&self, model: &EmbeddingModel) -> bool {
        self.embedder.model == model.name
            && self.embedder.variant == model.variant
            && self.v.rows() == model.dimension
    }

    pub(crate) fn question(&self, question: &QuestionVectors) -> LearnedQuestion {
        let vectors = question.focus.iter().chain(&question.question_word);
        let scaled: Vec<f32> = vectors.map(|x| SCALE * x).collect();
        let learned = self.u.transposed_times(&scaled);
        let products = learned.iter().zip(&self.none).map(|(x, none)| x * none);
        LearnedQuestion {
            none: products.fold(0.0, |sum, x| sum + x) + self.intercept,
            vector: self.v.times(&learned),
        }
    }

    /// The score of a word of a sentence of this probability.
    pub(crate) fn score(
        &self,
        question: &LearnedQuestion,
        word: &Word,
        probability: f32,
        asks: &[Ask],
    ) -> f32 {
        let by_vector = SCALE * product_with_signs(&question.vector, &word.signs);
        let inputs = word.inputs(probability, asks).into_iter();
        inputs
            .zip(&self.weights)
            .fold(by_vector, |sum, (x, (weight, mean, scale))| {
                sum + weight * ((x - mean) * scale).clamp(-DEVIATIONS, DEVIATIONS)
            })
    }
}

impl TryFrom<WrittenMatrix> for Matrix {
    type Error = ReaderError;

    fn try_from(written: WrittenMatrix) -> Result<Self, ReaderError> {
        let columns = written.steps.len();
        let codes = STANDARD.decode(&written.codes);
        let codes = codes.map_err(|error| ReaderError::Weights {
            reason: format!("a matrix is not base64: {error}"),
        })?;
        if columns == 0 || !codes.len().is_multiple_of(columns) {
            return Err(ReaderError::Weights {
                reason: format!("{} numbers are no rows of {columns}", codes.len()),
            });
        }
        let steps = written.steps.iter().cycle();
        let numbers = codes.iter().zip(steps);
        Ok(Self {
            columns,
            numbers: numbers
                .map(|(code, step)| f32::from(code.cast_signed()) * step)
                .collect(),
        })
    }
}

impl Matrix {
    fn rows(&self) -> usize {
        self.numbers.len() / self.columns
    }

    fn times(&self, vector: &[f32]) -> Vec<f32> {
        let rows = self.numbers.chunks_exact(self.columns);
        let product = |row: &[f32]| {
            let products = row.iter().zip(vector).map(|(a, x)| a * x);
            products.fold(0.0, |sum, x| sum + x)
        };
        rows.map(product).collect()
    }

    fn transposed_times(&self, vector: &[f32]) -> Vec<f32> {
        let mut sums = vec![0.0; self.columns];
        for (row, x) in self.numbers.chunks_exact(self.columns).zip(vector) {
            sums.iter_mut().zip(row).for_each(|(sum, a)| *sum += a * x);
        }
        sums
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use serde_json::{Value, json};

    use super::*;
    use crate::words::WordFeatures;

    /// Of two dimensions and rank 2.
    fn written() -> Value {
        let mut weights = vec![[0.0, 0.0, 1.0]; 48];
        // Of `digit`, and of `odds`.
        weights[0] = [2.0, 0.5, 2.0];
        weights[7] = [10.0, 0.0, 100.0];
        json!({
            "embedder": { "model": "test", "variant": "int8" },
            "features": input_names(),
            // (1, 0), (0, 2), (-1, 0), (0, 4)
            "u": { "steps": [1.0, 2.0], "codes": "AQAAAf8AAAI=" },
            // (1, 0), (0, 1)
            "v": { "steps": [1.0, 1.0], "codes": "AQAAAQ==" },
            "weights": weights,
            "none": [1.0, -1.0],
            "intercept": 0.5,
        })
    }

    fn read(written: &Value) -> Result<WordModel, String> {
        let model: WordModel =
            serde_json::from_value(written.clone()).map_err(|error| error.to_string())?;
        model.check().map_err(|error| error.to_string())
    }

    fn vectors() -> QuestionVectors {
        QuestionVectors {
            model: EmbeddingModel::new("test", 2, 100).with_variant("int8"),
            focus: vec![1.0, 0.0],
            question_word: vec![0.5, 0.25],
            words: Vec::new(),
        }
    }

    #[test]
    fn a_word_scores_by_its_vector_and_its_inputs() {
        let model = read(&written()).unwrap();
        let question = model.question(&vectors());
        // The vectors are (4, 0, 2, 1), so that U gives (4 - 2, 4).
        assert_eq!(question.vector, [2.0, 4.0]);
        assert!((question.none - (2.0 - 4.0 + 0.5)).abs() < 1e-6);
        let word = Word {
            start: 0,
            signs: vec![0b01],
            features: WordFeatures {
                digit: 1.0,
                ..WordFeatures::default()
            },
        };
        // 4 · (2 - 4) / √2, and 2 · 1 of the digit; the odds are beyond the
        // limit on both sides.
        let by_vector = -8.0 / 2.0_f32.sqrt() + 2.0;
        for (probability, by_odds) in [(0.5, 0.0), (0.9, 40.0), (0.1, -40.0)] {
            let score = model.score(&question, &word, probability, &[]);
            assert!((score - by_vector - by_odds).abs() < 1e-5, "{score}");
        }
    }

    #[test]
    fn it_is_for_one_embedder() {
        let (model, own) = (read(&written()).unwrap(), vectors().model);
        assert!(model.is_of(&own));
        assert!(!model.is_of(&own.clone().with_variant("f32")));
        let other = EmbeddingModel::new("other", 2, 100).with_variant("int8");
        assert!(!model.is_of(&other));
        let longer = EmbeddingModel::new("test", 3, 100).with_variant("int8");
        assert!(!model.is_of(&longer));
    }

    #[test]
    fn weights_that_do_not_fit_are_refused() {
        let faults = [
            ("/features/3", json!("gone"), "other features"),
            ("/none", json!([1.0]), "do not fit"),
            ("/weights", json!([[0.0, 0.0, 1.0]]), "do not fit"),
            ("/u", written()["v"].clone(), "do not fit"),
            ("/v/codes", json!("AQAA"), "3 numbers"),
            ("/v/codes", json!("?"), "base64"),
        ];
        for (place, value, message) in faults {
            let mut broken = written();
            *broken.pointer_mut(place).unwrap() = value;
            let error = read(&broken).unwrap_err();
            assert!(error.contains(message), "{place}: {error}");
        }
    }
}

//! The weights of the reader, which are compiled in.

use std::sync::OnceLock;

use gannet_model::{Model, check_version};
use gannet_plugin::descriptor::ModelCard;
use serde::Deserialize;

use crate::ReaderError;
use crate::answered::AnswerFeatures;
use crate::features::SentenceFeatures;
use crate::word_model::WordModel;
use crate::word_scores::WordScores;

/// The version of the meaning of the features. It is raised when a feature
/// changes and keeps its name; weights of another version are refused.
pub const FEATURES_VERSION: u32 = 1;

pub(crate) const FILE: &str = include_str!("../model/reader.json");

/// All weights.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Weights {
    /// Where they come from.
    pub(crate) card: ModelCard,
    pub(crate) budget: Budget,
    /// With token vectors, and without.
    pub(crate) with_vectors: Models,
    pub(crate) without_vectors: Models,
}

/// The two models of one kind of store.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Models {
    /// The probability that a sentence holds the answer or a part of it.
    pub(crate) sentence: Model,
    /// The probability that the chosen sentences answer.
    pub(crate) answer: Model,
    /// The scores of the words of sentences, and the probability that the
    /// chosen sentences answer by a model that has them.
    #[serde(default)]
    words: Option<WordModel>,
    #[serde(default)]
    answer_with_words: Option<Model>,
}

/// When there are enough sentences; see `choose.rs`.
#[derive(Debug, Clone, Copy, Deserialize)]
pub(crate) struct Budget {
    /// The probability that one of the chosen sentences answers, were they
    /// independent, that is enough.
    pub(crate) enough: f32,
    /// What a further sentence adds to it at least, per 100 characters.
    pub(crate) gain: f32,
}

impl Weights {
    /// The compiled weights, read once.
    ///
    /// # Errors
    /// [`ReaderError`], only where the file and the code disagree; a test
    /// reads them.
    pub(crate) fn builtin() -> Result<&'static Self, ReaderError> {
        static BUILTIN: OnceLock<Weights> = OnceLock::new();
        if let Some(weights) = BUILTIN.get() {
            return Ok(weights);
        }
        let weights = Self::read(FILE)?;
        Ok(BUILTIN.get_or_init(|| weights))
    }

    pub(crate) fn read(text: &str) -> Result<Self, ReaderError> {
        let weights = serde_json::from_str(text);
        let weights: Self = weights.map_err(|error| ReaderError::Weights {
            reason: error.to_string(),
        })?;
        check_version(weights.card.features_version, FEATURES_VERSION)?;
        Ok(Self {
            card: weights.card.with_bytes(text.len() as u64),
            with_vectors: weights.with_vectors.bind()?,
            without_vectors: weights.without_vectors.bind()?,
            budget: weights.budget,
        })
    }
}

impl Models {
    /// The model of words and the one of answers that has its scores.
    pub(crate) fn of_words(&self) -> Option<(&WordModel, &Model)> {
        self.words.as_ref().zip(self.answer_with_words.as_ref())
    }

    fn bind(self) -> Result<Self, ReaderError> {
        if self.words.is_some() != self.answer_with_words.is_some() {
            return Err(ReaderError::Weights {
                reason: "`words` and `answer_with_words` stand together".to_owned(),
            });
        }
        let with_words = [AnswerFeatures::NAMES, WordScores::NAMES].concat();
        let answer_with_words = self.answer_with_words.map(|model| model.bind(&with_words));
        Ok(Self {
            sentence: self.sentence.bind(SentenceFeatures::NAMES)?,
            answer: self.answer.bind(AnswerFeatures::NAMES)?,
            words: self.words.map(WordModel::check).transpose()?,
            answer_with_words: answer_with_words.transpose()?,
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn the_weights_fit_the_features() {
        Weights::builtin().unwrap();
    }

    #[test]
    fn weights_of_another_version_are_refused() {
        let of_version = |version: u32| format!("\"features_version\":{version}");
        let text = FILE.replacen(&of_version(FEATURES_VERSION), &of_version(99), 1);
        let error = Weights::read(&text).unwrap_err();
        assert!(error.to_string().contains("99"), "{error}");
    }

    #[test]
    fn weights_of_an_unknown_feature_are_refused() {
        let text = FILE.replacen("\"coverage\"", "\"colour\"", 1);
        let error = Weights::read(&text).unwrap_err();
        assert!(error.to_string().contains("colour"), "{error}");
    }

    #[test]
    fn an_unknown_part_of_the_file_is_refused() {
        let text = FILE.replacen("\"budget\"", "\"other\":1,\"budget\"", 1);
        let error = Weights::read(&text).unwrap_err();
        assert!(error.to_string().contains("other"), "{error}");
    }
}

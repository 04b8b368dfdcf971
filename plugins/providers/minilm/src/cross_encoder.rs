//! A cross-encoder: a model that reads question and text together.

use std::path::Path;

use crate::Error;
use crate::encoder::{Classifier, Encoder, Scratch};
use crate::kernels::Kernels;
use crate::opened::Opened;
use crate::threads::in_threads;
use crate::tokenizer::{Query, Tokenizer};

/// A reranker: a BERT encoder with a pooler and a classifier of one label,
/// such as ms-marco-MiniLM-L-6-v2, with its tokenizer.
///
/// It is immutable and can be shared between threads.
pub struct CrossEncoder {
    tokenizer: Tokenizer,
    encoder: Encoder,
    classifier: Classifier,
    kernels: &'static Kernels,
}

impl CrossEncoder {
    /// Opens a weights file made by [`import`](crate::import); or, when `path`
    /// is a folder, the `BertForSequenceClassification` in it as it is, in
    /// 32-bit floats, which is exact and several times slower.
    ///
    /// # Errors
    /// [`Error::Weights`] when a file is damaged; [`Error::OtherKind`] when the
    /// model is an embedder; [`Error::Unsupported`] when a folder holds a model
    /// this encoder cannot run.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let opened = Opened::open(path)?;
        let Some(classifier) = opened.classifier else {
            return Err(Error::OtherKind {
                path: path.to_owned(),
                found: "an embedder",
                wanted: "a reranker",
                advice: "set a BertForSequenceClassification model here, and set this one as \
                         `model_path` of the provider `builtin`",
            });
        };
        Ok(Self {
            tokenizer: opened.tokenizer,
            encoder: opened.encoder,
            classifier,
            kernels: Kernels::best(),
        })
    }

    /// How relevant each document is to the query, in the order of the
    /// documents: the classifier's logit as it is, higher is better. A score
    /// depends on its own pair alone. `threads` may work at once; 0 stands for
    /// as many as the machine has.
    pub fn score(&self, query: &str, documents: &[&str], threads: usize) -> Vec<f32> {
        let query = self.tokenizer.query(query);
        let length_of = |index: usize| documents[index].len();
        let score = |index: usize, scratch: &mut Scratch| {
            self.score_on(self.kernels, &query, documents[index], scratch)
        };
        in_threads(documents.len(), threads, length_of, score)
    }

    fn score_on(
        &self,
        kernels: &Kernels,
        query: &Query,
        document: &str,
        scratch: &mut Scratch,
    ) -> f32 {
        let pair = self.tokenizer.pair(query, document, self.max_tokens());
        let encoder = &self.encoder;
        let state = encoder.encode_pair(&pair.ids, pair.second, kernels, scratch);
        self.classifier.logit(state, kernels)
    }

    /// Pairs are cut at this many tokens, `[CLS]` and both `[SEP]` among them.
    pub fn max_tokens(&self) -> usize {
        self.encoder.shape().max_tokens
    }

    /// The model's name, such as `ms-marco-MiniLM-L-6-v2`.
    pub fn model_id(&self) -> &str {
        &self.encoder.shape().model_id
    }

    /// The kind of arithmetic: `int8` or `f32`.
    pub fn variant(&self) -> &'static str {
        self.encoder.variant()
    }

    /// The instruction set in use, such as `avx512-vnni`. It has no influence
    /// on the scores.
    pub fn instruction_set(&self) -> &'static str {
        self.kernels.name()
    }
}

impl std::fmt::Debug for CrossEncoder {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("CrossEncoder")
            .field("shape", self.encoder.shape())
            .field("variant", &self.variant())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use super::*;
    use crate::tiny::TinyModel;

    #[test]
    fn every_instruction_set_gives_the_same_scores() {
        let tiny = TinyModel::cross_encoder();
        for model in [
            CrossEncoder::open(tiny.folder()).unwrap(),
            tiny.import_reranker().unwrap(),
        ] {
            let query = model.tokenizer.query("why was the beam lost");
            for document in ["", "valve open", &"pumps and valves ".repeat(30)] {
                let scores: Vec<u32> = Kernels::available()
                    .map(|kernels| {
                        let mut scratch = Scratch::default();
                        let score = model.score_on(kernels, &query, document, &mut scratch);
                        score.to_bits()
                    })
                    .collect();
                assert!(scores.iter().all(|bits| *bits == scores[0]), "{scores:?}");
            }
        }
    }
}

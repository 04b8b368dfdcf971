//! A model with its tokenizer, ready to embed texts.

use std::path::Path;
use std::sync::OnceLock;

use crate::Error;
use crate::builtin;
use crate::encoder::{Encoder, Scratch};
use crate::kernels::Kernels;
use crate::opened::Opened;
use crate::threads::in_threads;
use crate::tokenizer::Tokenizer;

/// A sentence embedder: a BERT encoder with its tokenizer.
///
/// It is immutable and can be shared between threads.
pub struct MiniLm {
    tokenizer: Tokenizer,
    encoder: Encoder,
    kernels: &'static Kernels,
}

impl MiniLm {
    /// all-MiniLM-L6-v2 in eight bits, from the binary itself. The first call
    /// takes some milliseconds, later ones nothing.
    ///
    /// # Errors
    /// Only when the binary was built with a damaged weights file.
    pub fn builtin() -> Result<&'static Self, Error> {
        static BUILTIN: OnceLock<MiniLm> = OnceLock::new();
        if let Some(model) = BUILTIN.get() {
            return Ok(model);
        }
        let model = Self::new(Opened::from_static(builtin::bytes())?);
        Ok(BUILTIN.get_or_init(|| model))
    }

    /// Opens a weights file made by [`quantize`](crate::quantize) or
    /// [`import`](crate::import); or, when `path` is a folder, the BERT model
    /// in it as it is, in 32-bit floats, which is exact and several times
    /// slower.
    ///
    /// # Errors
    /// [`Error::Weights`] when a file is damaged; [`Error::OtherKind`] when the
    /// model is a reranker; [`Error::Unsupported`] when a folder holds a model
    /// this encoder cannot run.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let opened = Opened::open(path)?;
        if opened.classifier.is_some() {
            return Err(Error::OtherKind {
                path: path.to_owned(),
                found: "a reranker",
                wanted: "an embedder",
                advice: "set it as `path` of the provider `cross_encoder`",
            });
        }
        Ok(Self::new(opened))
    }

    fn new(opened: Opened) -> Self {
        Self {
            tokenizer: opened.tokenizer,
            encoder: opened.encoder,
            kernels: Kernels::best(),
        }
    }

    /// The vectors of texts, in their order; each has length 1. `threads` may
    /// work at once; 0 stands for as many as the machine has.
    ///
    /// # Errors
    /// None at present; a model that is open can embed every text.
    pub fn embed(&self, texts: &[&str], threads: usize) -> Result<Vec<Vec<f32>>, Error> {
        let length_of = |index: usize| texts[index].len();
        let embed = |index: usize, scratch: &mut Scratch| self.embed_with(texts[index], scratch);
        Ok(in_threads(texts.len(), threads, length_of, embed))
    }

    /// The vector of one text, on this thread.
    ///
    /// # Errors
    /// None at present; a model that is open can embed every text.
    pub fn embed_one(&self, text: &str) -> Result<Vec<f32>, Error> {
        Ok(self.embed_with(text, &mut Scratch::default()))
    }

    fn embed_with(&self, text: &str, scratch: &mut Scratch) -> Vec<f32> {
        let ids = self.tokenizer.encode(text, self.max_tokens());
        self.encoder.encode(&ids, self.kernels, scratch)
    }

    /// The length of the vectors.
    pub fn dimension(&self) -> usize {
        self.encoder.shape().hidden
    }

    /// Texts are cut at this many tokens, `[CLS]` and `[SEP]` among them.
    pub fn max_tokens(&self) -> usize {
        self.encoder.shape().max_tokens
    }

    /// The model's name, such as `all-MiniLM-L6-v2`.
    pub fn model_id(&self) -> &str {
        &self.encoder.shape().model_id
    }

    /// The kind of arithmetic: `int8` or `f32`. Vectors of different variants
    /// of a model should not be mixed in one index.
    pub fn variant(&self) -> &'static str {
        self.encoder.variant()
    }

    /// The instruction set in use, such as `avx512-vnni`. It has no influence
    /// on the vectors.
    pub fn instruction_set(&self) -> &'static str {
        self.kernels.name()
    }

    /// How many tokens a text has, `[CLS]` and `[SEP]` among them; not cut.
    pub fn count_tokens(&self, text: &str) -> usize {
        self.tokenizer.count(text)
    }

    /// The tokenizer.
    pub fn tokenizer(&self) -> &Tokenizer {
        &self.tokenizer
    }

    /// The same model on another instruction set, for the tests that compare
    /// them.
    #[cfg(test)]
    pub(crate) fn embed_on(&self, kernels: &Kernels, text: &str) -> Vec<f32> {
        let ids = self.tokenizer.encode(text, self.max_tokens());
        self.encoder.encode(&ids, kernels, &mut Scratch::default())
    }
}

impl std::fmt::Debug for MiniLm {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("MiniLm")
            .field("shape", self.encoder.shape())
            .field("variant", &self.variant())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use super::*;

    #[test]
    fn every_instruction_set_gives_the_same_vectors() {
        let model = MiniLm::builtin().unwrap();
        let sets: Vec<&Kernels> = Kernels::available().collect();
        let long = "The ion pump of sector four tripped; pressure 3e-8 mbar. ".repeat(30);
        for text in ["", "why did the beam trip?", &long[..170], &long] {
            let scalar = model.embed_on(sets[sets.len() - 1], text);
            for kernels in &sets {
                let bits = |vector: &[f32]| vector.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
                let vector = model.embed_on(kernels, text);
                assert!(
                    bits(&vector) == bits(&scalar),
                    "{} on {text:?}",
                    kernels.name()
                );
            }
        }
    }
}

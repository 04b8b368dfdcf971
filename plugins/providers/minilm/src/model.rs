//! A model with its tokenizer, ready to embed texts.

use std::path::Path;
use std::sync::OnceLock;

use gannet_plugin::provider::TokenStopWord;
use gannet_plugin::query::is_stop_word;

use crate::Error;
use crate::builtin;
use crate::encoder::{Encoder, Scratch};
use crate::kernels::Kernels;
use crate::opened::Opened;
use crate::threads::in_threads;
use crate::tokenizer::Tokenizer;

/// A text as an encoder reads it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct EmbeddedText {
    /// Its vector, of length 1.
    pub vector: Vec<f32>,
    /// Its words, as the tokenizer splits and folds them, without punctuation,
    /// English stop words, and words that the vocabulary does not know.
    pub words: Vec<String>,
    /// The mean state of the pieces of each word, of length 1, one word after
    /// the other.
    pub word_vectors: Vec<f32>,
    /// The stop words, with vectors of the same kind.
    pub stop_words: Vec<TokenStopWord>,
}

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

    /// Whether [`embed_with_words`](Self::embed_with_words) can be called:
    /// not for a model that pools `[CLS]`, whose last layer computes the state
    /// of that token alone.
    pub fn has_word_vectors(&self) -> bool {
        self.encoder.keeps_states()
    }

    /// What `pack` makes of each text, in their order: of its vector, as
    /// [`embed`](Self::embed) gives it, and of the vectors of its words, which
    /// the same pass through the encoder computes. Packing each text at once
    /// saves memory: the words of one passage take 100 kB.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for a model without word vectors.
    pub fn embed_with_words<T: Send>(
        &self,
        texts: &[&str],
        threads: usize,
        pack: impl Fn(EmbeddedText) -> T + Sync,
    ) -> Result<Vec<T>, Error> {
        if !self.has_word_vectors() {
            return Err(Error::unsupported(
                "it computes no vectors of single words".to_owned(),
            ));
        }
        let length_of = |index: usize| texts[index].len();
        let embed = |index: usize, scratch: &mut Scratch| {
            pack(self.embed_words_with(texts[index], self.kernels, scratch))
        };
        Ok(in_threads(texts.len(), threads, length_of, embed))
    }

    fn embed_words_with(
        &self,
        text: &str,
        kernels: &Kernels,
        scratch: &mut Scratch,
    ) -> EmbeddedText {
        let (ids, words) = self.tokenizer.encode_with_words(text, self.max_tokens());
        let vector = self.encoder.encode(&ids, kernels, scratch);
        let mut embedded = EmbeddedText {
            vector,
            words: Vec::with_capacity(words.len()),
            word_vectors: Vec::with_capacity(words.len() * self.dimension()),
            stop_words: Vec::new(),
        };
        let has_letters = |text: &str| text.chars().any(char::is_alphanumeric);
        for word in words.into_iter().filter(|word| has_letters(&word.text)) {
            let state = self.encoder.mean_state(word.pieces, kernels, scratch);
            if is_stop_word(&word.text) {
                embedded.stop_words.push(TokenStopWord {
                    word: word.text,
                    words_before: embedded.words.len(),
                    vector: state,
                });
                continue;
            }
            embedded.word_vectors.extend(state);
            embedded.words.push(word.text);
        }
        embedded
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

    #[test]
    fn the_vectors_of_words_come_with_the_vector_and_are_the_same_on_every_processor() {
        let model = MiniLm::builtin().unwrap();
        let text = "Why did the klystron's RF-2 trip? \u{1f600} In the end: a leak.";
        let scratch = &mut Scratch::default();
        let best = model.embed_words_with(text, model.kernels, scratch);
        let words = ["klystron", "s", "rf", "2", "trip", "end", "leak"];
        assert_eq!(best.words, words);
        assert_eq!(best.vector, model.embed_one(text).unwrap());
        assert_eq!(best.word_vectors.len(), words.len() * model.dimension());
        let stop_words = best.stop_words.iter();
        let stop_words: Vec<_> = stop_words.map(|w| (&*w.word, w.words_before)).collect();
        let expected = [
            ("why", 0),
            ("did", 0),
            ("the", 0),
            ("in", 5),
            ("the", 5),
            ("a", 6),
        ];
        assert_eq!(stop_words, expected);
        let of_stop_words = best.stop_words.iter().map(|word| &word.vector[..]);
        let of_words = best.word_vectors.chunks(model.dimension());
        for vector in of_words.chain(of_stop_words) {
            let length: f32 = vector.iter().map(|x| x * x).sum();
            assert!((length - 1.0).abs() < 1e-5, "{length}");
        }
        for kernels in Kernels::available() {
            let other = model.embed_words_with(text, kernels, scratch);
            assert!(other == best, "{}", kernels.name());
        }
    }

    #[test]
    fn a_word_that_the_limit_cuts_keeps_the_pieces_before_it() {
        let model = MiniLm::builtin().unwrap();
        let text = format!("{}unpressurized leak", "valve ".repeat(252));
        let found = model.embed_words_with(&text, model.kernels, &mut Scratch::default());
        assert_eq!(found.words.len(), 253);
        assert_eq!(found.words[252], "unpressurized");
        assert_eq!(found.word_vectors.len(), 253 * model.dimension());
    }
}

//! The built-in embedder: all-MiniLM-L6-v2 in pure Rust.
//!
//! It computes embeddings of 384 dimensions; sentences with similar meaning have
//! embeddings with similar directions. The model is part of the binary and needs
//! no download or installation.
//!
//! ```
//! use gannet_minilm::MiniLm;
//!
//! let model = MiniLm::builtin()?;
//! let vectors = model.embed(
//!     &[
//!         "the beam was lost after a klystron trip",
//!         "a radio-frequency fault stopped the machine",
//!         "the canteen serves soup on Fridays",
//!     ],
//!     0, // as many threads as the machine has
//! )?;
//! let likeness = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f32>();
//! assert_eq!(vectors[0].len(), model.dimension());
//! assert!(likeness(&vectors[0], &vectors[1]) > likeness(&vectors[0], &vectors[2]) + 0.2);
//! # Ok::<(), gannet_minilm::Error>(())
//! ```
//!
//! Vectors are normalized, so their dot product is their cosine similarity.
//!
//! # How it works
//!
//! A text is split into at most [`MiniLm::max_tokens`] word pieces
//! ([`Tokenizer`]). Six layers of a BERT encoder compute a state for each piece;
//! the vector is the mean of the states.
//!
//! Weights and the inputs of the linear layers are quantized to eight bits, and
//! the sums of their products are exact integers. All other arithmetic uses
//! 32-bit floats in a fixed order. Therefore **every processor gives the same
//! bits**: an index built on one machine can be searched on another. The instruction set (AVX-512 VNNI,
//! AVX-VNNI, AVX2, NEON, or none) is chosen at run time.
//!
//! Against the reference library, the cosine between a vector of this crate
//! and the exact one is 0.9989 on average over 128 abstracts of papers; of
//! very short texts it is lower (a single word: 0.992).
//!
//! # Other models
//!
//! [`import`] converts another BERT embedder (bge-small, e5-small) to a weights
//! file for [`MiniLm::open`]. [`quantize`] rebuilds the built-in file from the
//! published model, bit for bit. [`MiniLm::open`] also runs a model folder with
//! 32-bit floats, which is exact and slower.
//!
//! [`import`] also converts a cross-encoder (ms-marco-MiniLM-L-6-v2), which scores
//! how well a text answers a question by reading both together. [`CrossEncoder`]
//! runs it on the same encoder, with token types, a pooler and a classifier of one
//! label.

mod builtin;
mod convert;
mod cross_encoder;
mod encoder;
mod error;
mod kernels;
mod model;
mod opened;
mod provider;
mod shape;
mod source;
mod threads;
mod tokenizer;
mod weights;

#[cfg(test)]
#[path = "../tests/tiny/mod.rs"]
mod tiny;

pub use convert::{Converted, ModelKind, import, quantize};
pub use cross_encoder::CrossEncoder;
pub use error::Error;
pub use model::{EmbeddedText, MiniLm};
pub use provider::{Builtin, CrossEncoderReranker, RerankerSettings, Settings};
pub use tokenizer::Tokenizer;

// The random models of the tests name this crate as a test beside it does.
#[cfg(test)]
extern crate self as gannet_minilm;

//! The builtin embedder: all-MiniLM-L6-v2 in pure Rust.
//!
//! A sentence goes in, a vector of 384 numbers comes out; sentences that mean
//! similar things have vectors that point in similar directions. The model is
//! in the binary: nothing is downloaded and nothing must be installed.
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
//! Vectors have length 1, so that their dot product is their cosine.
//!
//! # How it works
//!
//! A text is cut into word pieces ([`Tokenizer`]), at most
//! [`MiniLm::max_tokens`]. Six layers of a BERT encoder turn the pieces into
//! states, whose mean is the vector.
//!
//! Weights and the inputs of the linear layers have eight bits; all sums of
//! their products are exact integers. The other arithmetic is in 32-bit
//! floats, with every operation in an order that is written down once for all
//! processors. So **every processor gives the same bits**: an index built on
//! one machine can be searched on another. The instruction set (AVX-512 VNNI,
//! AVX-VNNI, AVX2, NEON, or none) is chosen at run time.
//!
//! Against the reference library, the cosine between a vector of this crate
//! and the exact one is 0.9989 on average over 128 abstracts of papers; of
//! very short texts it is lower (a single word: 0.992).
//!
//! # Other models
//!
//! [`import`] makes a weights file of another BERT embedder (bge-small,
//! e5-small), which [`MiniLm::open`] runs. [`quantize`] makes the builtin
//! file anew from the published model, bit for bit. [`MiniLm::open`] also runs
//! a model folder as it is, in 32-bit floats: exact, and slower.
//!
//! [`import`] also takes a cross-encoder (ms-marco-MiniLM-L-6-v2), a model that
//! reads a question and a text together and says how well they fit. It runs on
//! the same encoder as a [`CrossEncoder`], with token types, a pooler and a
//! classifier of one label.

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
pub use model::MiniLm;
pub use provider::{Builtin, CrossEncoderReranker, RerankerSettings, Settings};
pub use tokenizer::Tokenizer;

// The random models of the tests name this crate as a test beside it does.
#[cfg(test)]
extern crate self as gannet_minilm;

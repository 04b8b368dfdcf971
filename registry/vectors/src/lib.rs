//! How vectors become codes, and codes become scores: what an index of vectors
//! shares with those who compare vectors without one.
//!
//! A vector is stored with two bytes a dimension, the upper of which are int8
//! codes by themselves, and with one bit a dimension ([`quantize`]). The inner
//! loops over these codes are in [`kernels`], in the best form that the
//! processor runs. Questions are compared with the words of passages by
//! [`QuestionWords`], and entries with saved queries by [`ThresholdScan`].
//!
//! ```
//! use gannet_vectors::ThresholdScan;
//!
//! let mut saved = ThresholdScan::new(3);
//! saved.push(&[1.0, 0.0, 0.0], 0.9)?;
//! saved.push(&[0.0, 1.0, 0.0], 0.9)?;
//! let near = saved.near(&[0.1, 2.0, 0.0])?;
//! assert_eq!(near[0].0, 1);
//! # Ok::<(), gannet_vectors::InvalidVector>(())
//! ```

mod bit_counts;
mod invalid_vector;
pub mod kernels;
mod late_interaction;
pub mod quantize;
#[doc(hidden)]
pub mod testing;
mod threshold;

pub use invalid_vector::InvalidVector;
pub use late_interaction::{QuestionVector, QuestionWords, are_signs_of};
pub use threshold::ThresholdScan;

/// Most dimensions that a vector can have.
pub const MAX_DIMENSION: usize = 8_192;

//! The contract of the indexes over the records.
//!
//! An index is a projection of the records: it follows their sequence of
//! changes, knows how far it got, and can be lost and made again at any time.
//! Rows of the records have numbers, and a filter is the set of the rows that
//! pass it ([`Bitmap`]).
//!
//! | | texts | vectors |
//! |---|---|---|
//! | makes and opens an index in a folder | [`TextEngine`] | [`VectorEngine`] |
//! | is searched | [`TextIndex`] | [`VectorIndex`] |
//! | follows the changes | [`TextWriter`] | [`VectorIndex`] |
//!
//! A store knows these traits only. It finds an engine by its name among those
//! that are linked into the program ([`Registration`]), so an engine is a crate
//! that a program names, and nothing else changes.
//!
//! ```
//! use gannet_index::Bitmap;
//!
//! let mut allowed = Bitmap::new(1_000);
//! allowed.set(3);
//! allowed.set(999);
//! assert_eq!(allowed.count_between(0, 500), 1);
//! ```

mod bitmap;
mod changes;
mod comparison;
pub mod conformance;
mod contents;
mod engines;
mod error;
mod field_values;
mod field_weights;
mod matches;
mod micros;
mod position;
mod text;
mod text_request;
mod vectors;
mod verified_files;

pub use bitmap::Bitmap;
pub use changes::{EntryRow, RowBatch, TextChanges};
pub use comparison::cosine;
pub use contents::{BrokenSegment, Contents, DamagedFile, Depth};
pub use engines::{Registration, configured_vector_engine, text_engine, vector_engine};
pub use error::{EngineError, IndexError};
pub use field_values::{Collected, FieldValues, LONGEST_VALUE, is_listed};
pub use field_weights::FieldWeights;
pub use matches::{FoldedValue, MatchCounts, MatchRequest, Matching, folded_value};
pub use micros::micros_from;
pub use position::Position;
pub use text::{RecoveredText, TextEngine, TextHits, TextIndex, TextWriter};
pub use text_request::TextRequest;
pub use vectors::{
    Access, AllowedRows, FilterKey, MAX_PASSAGES, PassageHit, VectorChanges, VectorEngine,
    VectorIndex, VectorSpec,
};
pub use verified_files::{UnverifiedFile, VerifiedFiles};

//! The vector index: a flat scan in two levels over files mapped into memory.
//!
//! A projection of the records: it can be lost and rebuilt at any time. Each
//! vector is kept with one bit a dimension (the sign after subtracting the
//! mean), with int8 codes and a scale, and with a second byte that the codes
//! round off: 2.1 bytes a dimension, and 12 a vector. A search scans the bits of
//! all rows, scores the nearest in int8, and the best of these in both bytes.
//! There is no graph: nothing to train, an insertion is an append, and a
//! filter is a bitmap of rows that leaves exactness alone.
//!
//! ```
//! use gannet_index_flat::{IndexSpec, VectorIndex};
//!
//! # let folder = tempfile::tempdir()?;
//! let spec = IndexSpec { model: "my-model".into(), dimension: 3 };
//! let mut index = VectorIndex::open(folder.path(), spec)?;
//! index.insert(100, &[1.0, 0.0, 0.0])?;
//! index.insert(200, &[0.0, 1.0, 0.0])?;
//! index.insert(300, &[0.8, 0.6, 0.0])?;
//!
//! let hits = index.search(&[1.0, 0.1, 0.0], 2, None)?;
//! assert_eq!(hits.iter().map(|hit| hit.key).collect::<Vec<_>>(), [100, 300]);
//!
//! let allowed = index.rows_where(|key| key >= 200);
//! let hits = index.search(&[1.0, 0.1, 0.0], 1, Some(&allowed))?;
//! assert_eq!(hits[0].key, 300);
//!
//! index.seal(17)?; // the change sequence applied so far
//! assert_eq!(index.applied_seq(), 17);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! On disk, a folder holds a `manifest` and segment files. Each is written
//! beside its place, synced and renamed; replacing the manifest is the
//! commit, so a crash leaves the state before or after it.

mod best;
mod bit_counts;
mod commit;
mod compaction;
mod comparison;
#[cfg(test)]
mod damage_tests;
mod error;
mod header;
mod index;
mod kernels;
mod late_interaction;
mod manifest;
mod mapping;
mod nearest;
mod quantize;
mod replace_file;
mod rows;
mod search;
mod segment;
mod segment_writer;
mod tail;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod threshold;

pub use compaction::{Compaction, MergedSegment};
pub use error::VectorError;
pub use index::VectorIndex;
pub use kernels::kernel_names;
pub use late_interaction::{QuestionVector, QuestionWords, are_signs_of};
pub use threshold::ThresholdScan;

/// Most dimensions that a vector can have.
pub const MAX_DIMENSION: usize = 8_192;

/// With more segments than this, [`VectorIndex::compact`] merges the small ones.
pub const MAX_SEGMENTS: usize = 8;

/// When the tail has this many rows, its owner should [`seal`](VectorIndex::seal):
/// the tail is scanned in int8, at some 0.03 ms a thousand rows.
pub const TAIL_ROWS: usize = 8_192;

/// Which vectors an index holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexSpec {
    /// The id of the embedding model. Files of another model are refused.
    pub model: String,
    /// Dimensions of its vectors, 1 to [`MAX_DIMENSION`].
    pub dimension: usize,
}

/// A row found by a search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VectorHit {
    /// Its ordinal, valid until the next compaction.
    pub row: usize,
    /// The key it was inserted with.
    pub key: u64,
    /// Cosine to the query, -1 to 1.
    pub cosine: f32,
}

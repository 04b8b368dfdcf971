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
//! use gannet_index::VectorSpec;
//! use gannet_index_flat::FlatIndex;
//!
//! # let folder = tempfile::tempdir()?;
//! let spec = VectorSpec { model: "my-model".into(), dimension: 3 };
//! let mut index = FlatIndex::open(folder.path(), spec)?;
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
mod commit;
mod compaction;
mod comparison;
#[cfg(test)]
mod damage_tests;
mod engine;
mod error;
mod header;
mod index;
mod manifest;
mod mapping;
mod nearest;
mod passages;
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

pub use compaction::{Compaction, MergedSegment};
pub use engine::FlatEngine;
pub use error::VectorError;
pub use index::FlatIndex;

use gannet_index::VectorSpec;

/// With more segments than this, [`FlatIndex::compact`] merges the small ones.
pub const MAX_SEGMENTS: usize = 8;

/// When the tail has this many rows, its owner should [`seal`](FlatIndex::seal):
/// the tail is scanned in int8, at some 0.03 ms a thousand rows.
pub const TAIL_ROWS: usize = 8_192;

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

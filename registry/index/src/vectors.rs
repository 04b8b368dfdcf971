//! A vector index: what an engine implements, and what it answers.
//!
//! An index holds the vectors of one model: those of the passages of entries. It
//! is searched by many callers at once, while one thread brings it up to the
//! records.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::bitmap::Bitmap;
use crate::error::IndexError;

/// Passages of an entry that an index takes; the vectors of further ones are left
/// out. So many are some 400 MB of text.
pub const MAX_PASSAGES: u64 = 1 << 20;

/// Changes of vectors since a number, in order.
#[derive(Debug)]
pub struct VectorChanges {
    /// Rows of the entries whose vectors changed, those that have none now
    /// included.
    pub docs: Vec<i64>,
    /// Their vectors now: row, ordinal of the passage, vector.
    pub vectors: Vec<(i64, i64, Vec<f32>)>,
    /// The number that is reached when these are applied.
    pub reached: i64,
    /// The mark of that change.
    pub mark: Option<i64>,
    /// Whether more is waiting.
    pub more: bool,
}

/// Which vectors an index holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VectorSpec {
    /// What tells the vectors of this model and these records from all others.
    /// Files of others are refused.
    pub model: String,
    /// Dimensions of the vectors.
    pub dimension: usize,
}

/// A passage that was found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PassageHit {
    /// The row of its entry in the records.
    pub doc: i64,
    /// Its ordinal in the entry.
    pub ordinal: i64,
    /// Cosine to the query, -1 to 1.
    pub cosine: f32,
}

/// What a set of allowed rows depends on: an index may keep such sets, each
/// under its key.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FilterKey {
    /// The tenant and the filter.
    pub name: String,
    /// The state of the text index, or of the records, that the set was made of.
    pub generation: u64,
}

/// The rows of the records whose passages may be found; `None` when all may. Read
/// once for a key that the index does not keep.
pub type AllowedRows<'a> = &'a dyn Fn() -> Result<Option<Bitmap>, IndexError>;

/// For what an index is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// To bring it up to the records: files that were verified are noted.
    Write,
    /// To search it, while another process writes it.
    Read,
    /// To compare it with the records, while another process writes it: files are
    /// not verified on opening.
    Inspect,
}

/// The vectors of one model. A clone of the pointer shares the index.
pub trait VectorIndex: Send + Sync {
    /// The last change that was applied, on disk or not.
    fn applied(&self) -> i64;

    /// The mark of that change in the records.
    fn mark(&self) -> Option<i64>;

    /// The last change that is on disk.
    fn committed(&self) -> i64;

    /// Whether another process has written since this was opened.
    fn is_stale(&self) -> bool;

    /// Vectors that are in memory only.
    fn uncommitted(&self) -> usize;

    /// With so many vectors in memory only it should be committed.
    fn commit_after(&self) -> usize;

    /// Takes changes over; they are found at once. A vector that no index takes,
    /// such as one with a number that is not finite, is left out with a warning:
    /// the records hold it until its entry is embedded again.
    ///
    /// # Errors
    /// The engine failed.
    fn apply(&self, changes: &VectorChanges) -> Result<(), IndexError>;

    /// Puts everything on disk.
    ///
    /// # Errors
    /// It cannot be written; nothing has changed.
    fn commit(&self) -> Result<(), IndexError>;

    /// Merges small files while searches go on. Returns whether there was
    /// anything to do.
    ///
    /// # Errors
    /// A file is damaged or cannot be written; nothing has changed.
    fn compact(&self) -> Result<bool, IndexError> {
        Ok(false)
    }

    /// Whether [`search`](Self::search) waits for a server: it is then called on
    /// a thread that may wait. All other calls are, but for those that read a
    /// number.
    fn waits(&self) -> bool {
        false
    }

    /// The best passages by cosine, best first, among the allowed rows.
    ///
    /// # Errors
    /// Those of reading `rows`, and a vector that cannot be compared.
    fn search(
        &self,
        vector: &[f32],
        limit: usize,
        key: &FilterKey,
        rows: AllowedRows<'_>,
    ) -> Result<Vec<PassageHit>, IndexError>;

    /// Vectors that can be found.
    fn vectors(&self) -> usize;

    /// Entries that have a vector here. One pass over all vectors.
    fn entries(&self) -> u64;

    /// How many passages an entry has on average, at least 1. Rough: entries
    /// that are gone may count.
    fn passages_per_entry(&self) -> f64 {
        (self.vectors() as f64 / self.entries().max(1) as f64).max(1.0)
    }

    /// Compares every byte on disk with its checksum, and returns everything
    /// that does not fit.
    fn damage(&self) -> Vec<IndexError>;

    /// Vectors that can be found, but for those of these rows. One pass over all.
    fn vectors_except(&self, docs: &HashSet<i64>) -> u64;

    /// How many of these vectors (row, ordinal, vector) cannot be found as they
    /// are here.
    fn differing(&self, vectors: &[(i64, i64, Vec<f32>)]) -> u64;
}

/// Makes and opens vector indexes, each in a folder of its own.
pub trait VectorEngine: Send + Sync {
    /// Its name in the configuration.
    fn name(&self) -> &'static str;

    /// This engine with settings of the configuration; `None` where it has none
    /// and is used as it is. Nothing is opened or asked.
    ///
    /// # Errors
    /// [`IndexError::InvalidSettings`].
    fn with_settings(
        &self,
        settings: &Map<String, Value>,
    ) -> Result<Option<Arc<dyn VectorEngine>>, IndexError> {
        match settings.keys().next() {
            None => Ok(None),
            Some(first) => Err(IndexError::InvalidSettings {
                engine: self.name(),
                reason: format!("it has none, and `{first}` is set"),
            }),
        }
    }

    /// Opens the index in a folder; one that is not there is empty.
    ///
    /// # Errors
    /// [`IndexError::is_damage`] when the files are of no use.
    fn open(
        &self,
        folder: &Path,
        spec: &VectorSpec,
        access: Access,
    ) -> Result<Arc<dyn VectorIndex>, IndexError>;

    /// Starts an empty index, whatever was in the folder.
    ///
    /// # Errors
    /// The folder cannot be written.
    fn create(&self, folder: &Path, spec: &VectorSpec) -> Result<Arc<dyn VectorIndex>, IndexError>;
}

//! The vectors of one model as a projection of the records.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use crate::embedded::records::{ModelRow, VectorChanges};
use crate::error::StoreError;
use crate::vector::{
    Bitmap, Compaction, IndexSpec, MergedSegment, TAIL_ROWS, VectorHit, VectorIndex,
};

/// Passages that an entry can have: a key is the entry's row and the passage's
/// ordinal in its lowest 12 bits.
pub(crate) const PASSAGES: u64 = 1 << 12;

/// Filters that are kept.
const KEPT: usize = 64;

/// A passage that was found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct FoundPassage {
    pub(crate) doc: i64,
    pub(crate) ordinal: i64,
    pub(crate) cosine: f32,
}

/// The vectors of one model.
pub(crate) struct ModelIndex {
    /// The model's number in the records.
    model: i64,
    index: VectorIndex,
    folder: PathBuf,
    /// The last change that was applied, on disk or not.
    applied: i64,
    /// Rows of the records that ever had a vector here.
    present: Bitmap,
    changed_on_disk: Option<SystemTime>,
    filters: Mutex<HashMap<FilterKey, Arc<Bitmap>>>,
}

/// What a set of allowed vectors depends on.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct FilterKey {
    /// The tenant and the filter.
    pub(crate) name: String,
    /// The state of the text index, which made the set of entries.
    pub(crate) generation: u64,
}

impl ModelIndex {
    /// Opens the vectors in their folder. Damaged ones, and those of another
    /// database or variant, are thrown away when this process may write.
    pub(crate) fn open(
        root: &Path,
        model: &ModelRow,
        origin: &str,
        may_write: bool,
    ) -> Result<Self, StoreError> {
        let folder = root.join(folder_name(&model.name));
        let spec = spec_of(model, origin);
        let index = match VectorIndex::open(&folder, spec.clone()) {
            Err(error) if error.calls_for_rebuild() && may_write => {
                tracing::warn!(%error, model = model.name, "vectors are made anew from the records");
                VectorIndex::create(&folder, spec)?
            }
            opened => opened?,
        };
        Ok(Self::over(model.model, index, folder))
    }

    fn over(model: i64, index: VectorIndex, folder: PathBuf) -> Self {
        let mut present = Bitmap::default();
        for key in index.row_keys() {
            note_present(&mut present, doc_of(key));
        }
        Self {
            model,
            applied: index.applied_seq().cast_signed(),
            changed_on_disk: changed_at(&folder),
            index,
            folder,
            present,
            filters: Mutex::default(),
        }
    }

    /// Whether these are the vectors of this model, and not of one that had
    /// its name before.
    pub(crate) fn is_of(&self, model: &ModelRow) -> bool {
        self.model == model.model
    }

    /// Whether another process has written since this was opened.
    pub(crate) fn is_stale(&self) -> bool {
        changed_at(&self.folder) != self.changed_on_disk
    }

    /// The last change that is in it.
    pub(crate) fn applied(&self) -> i64 {
        self.applied
    }

    /// Takes changes over; they are found at once.
    pub(crate) fn apply(&mut self, changes: &VectorChanges) -> Result<(), StoreError> {
        let mut replaced = Bitmap::default();
        for &doc in &changes.docs {
            if self.present.get(row_of(doc)) {
                note_present(&mut replaced, doc.unsigned_abs());
            }
        }
        if !replaced.is_empty() {
            self.index.delete_where(|key| {
                replaced.get(usize::try_from(doc_of(key)).unwrap_or(usize::MAX))
            });
        }
        for (doc, ordinal, vector) in &changes.vectors {
            let Some(key) = key_of(*doc, *ordinal) else {
                tracing::warn!(
                    doc,
                    "an entry has too many passages; the last ones are left out"
                );
                continue;
            };
            self.index.insert(key, vector)?;
            note_present(&mut self.present, doc.unsigned_abs());
        }
        self.applied = changes.reached;
        self.forget_filters();
        if self.index.tail_rows() >= TAIL_ROWS {
            self.seal()?;
        }
        Ok(())
    }

    /// Whether there is anything that the disk does not have.
    pub(crate) fn is_unsealed(&self) -> bool {
        self.applied != self.index.applied_seq().cast_signed()
    }

    /// Puts everything on disk.
    pub(crate) fn seal(&mut self) -> Result<(), StoreError> {
        self.index.seal(self.applied.unsigned_abs())?;
        self.changed_on_disk = changed_at(&self.folder);
        Ok(())
    }

    /// Many small files that are better merged. Running that takes seconds
    /// and no lock; [`finish_compaction`](Self::finish_compaction) ends it.
    pub(crate) fn plan_compaction(&mut self) -> Option<Compaction> {
        self.index.plan_compaction()
    }

    /// Puts merged vectors in the place of their sources.
    pub(crate) fn finish_compaction(&mut self, merged: MergedSegment) -> Result<(), StoreError> {
        self.index.finish_compaction(merged)?;
        self.changed_on_disk = changed_at(&self.folder);
        self.forget_filters();
        Ok(())
    }

    /// The best passages, best first. `rows` are the rows of the records that
    /// are allowed; the set is remembered under `key`.
    pub(crate) fn search(
        &self,
        vector: &[f32],
        limit: usize,
        key: &FilterKey,
        rows: impl FnOnce() -> Result<Option<Bitmap>, StoreError>,
    ) -> Result<Vec<FoundPassage>, StoreError> {
        let allowed = self.allowed(key, rows)?;
        let hits = self.index.search(vector, limit, allowed.as_deref())?;
        Ok(hits.iter().map(found).collect())
    }

    /// Vectors that are not deleted.
    pub(crate) fn live_rows(&self) -> usize {
        self.index.live_rows()
    }

    fn forget_filters(&self) {
        let mut kept = self.filters.lock().unwrap_or_else(PoisonError::into_inner);
        kept.clear();
    }

    fn allowed(
        &self,
        key: &FilterKey,
        rows: impl FnOnce() -> Result<Option<Bitmap>, StoreError>,
    ) -> Result<Option<Arc<Bitmap>>, StoreError> {
        let lock = || self.filters.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(kept) = lock().get(key) {
            return Ok(Some(Arc::clone(kept)));
        }
        let Some(rows) = rows()? else {
            return Ok(None);
        };
        let allowed = Arc::new(
            self.index
                .rows_where(|key| rows.get(usize::try_from(doc_of(key)).unwrap_or(usize::MAX))),
        );
        let mut kept = lock();
        if kept.len() >= KEPT {
            kept.clear();
        }
        kept.insert(key.clone(), Arc::clone(&allowed));
        Ok(Some(allowed))
    }
}

/// What the files of a model's vectors are signed with.
pub(crate) fn spec_of(model: &ModelRow, origin: &str) -> IndexSpec {
    IndexSpec {
        model: format!("{} {} {origin} {}", model.name, model.variant, model.model),
        dimension: usize::try_from(model.dimension).unwrap_or(0),
    }
}

/// The key of a passage; `None` when an entry cannot have so many.
pub(crate) fn key_of(doc: i64, ordinal: i64) -> Option<u64> {
    let ordinal = ordinal.unsigned_abs();
    (ordinal < PASSAGES).then(|| doc.unsigned_abs() * PASSAGES + ordinal)
}

/// The entry and the passage of a key.
pub(crate) fn place_of(key: u64) -> (i64, i64) {
    (doc_of(key).cast_signed(), (key % PASSAGES).cast_signed())
}

fn found(hit: &VectorHit) -> FoundPassage {
    let (doc, ordinal) = place_of(hit.key);
    FoundPassage {
        doc,
        ordinal,
        cosine: hit.cosine,
    }
}

fn doc_of(key: u64) -> u64 {
    key / PASSAGES
}

fn row_of(doc: i64) -> usize {
    usize::try_from(doc).unwrap_or(usize::MAX)
}

fn note_present(rows: &mut Bitmap, doc: u64) {
    let row = usize::try_from(doc).unwrap_or(usize::MAX);
    if row >= rows.len() {
        rows.resize((row + 1).next_power_of_two());
    }
    rows.set(row);
}

fn changed_at(folder: &Path) -> Option<SystemTime> {
    std::fs::metadata(folder.join("manifest"))
        .and_then(|manifest| manifest.modified())
        .ok()
}

/// A model's name as the name of a folder: what is no letter, digit, dot or
/// dash becomes `%` and two hexadecimal digits.
pub(crate) fn folder_name(model: &str) -> String {
    let mut name = String::with_capacity(model.len());
    for byte in model.bytes() {
        if byte.is_ascii_alphanumeric() || byte == b'-' || (byte == b'.' && !name.is_empty()) {
            name.push(char::from(byte));
        } else {
            name.push_str(&format!("%{byte:02x}"));
        }
    }
    name
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use super::*;

    #[test]
    fn a_models_folder_lies_inside_the_store_whatever_its_name() {
        assert_eq!(folder_name("all-MiniLM-L6-v2"), "all-MiniLM-L6-v2");
        assert_eq!(folder_name("../x"), "%2e.%2fx");
        assert_ne!(folder_name("a/b"), folder_name("a%2fb"));
    }
}

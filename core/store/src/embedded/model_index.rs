//! The vectors of one model as a projection of the records.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use crate::embedded::model_folder::folder_name;
use crate::embedded::records::{ModelRow, VectorChanges};
use crate::error::StoreError;
use gannet_index::Bitmap;
use gannet_index_flat::{
    Compaction, IndexSpec, MergedSegment, VectorError, VectorHit, VectorIndex,
};

/// Passages that an entry can have: a key is the entry's row and the passage's
/// ordinal in its lowest 20 bits. So many are some 400 MB of text.
pub(crate) const PASSAGES: u64 = 1 << 20;

/// As for the text: asking the records at every search would cost a part of
/// the search that is felt.
const CAUGHT_UP_FOR: Duration = Duration::from_millis(100);

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
    model: ModelRow,
    index: VectorIndex,
    folder: PathBuf,
    /// The last change that was applied, on disk or not.
    applied: i64,
    /// The mark of that change in the records.
    mark: Option<i64>,
    /// Rows of the records that ever had a vector here.
    present: Bitmap,
    changed_on_disk: Option<SystemTime>,
    /// When the records were last seen to have nothing newer.
    caught_up: Mutex<Option<Instant>>,
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
        let index = match open_verified(&folder, &spec, may_write) {
            Err(error) if error.calls_for_rebuild() && may_write => {
                tracing::warn!(%error, model = model.name, "vectors are rebuilt from the records");
                VectorIndex::create(&folder, spec)?
            }
            opened => opened?,
        };
        Ok(Self::over(model, index, folder))
    }

    /// Starts without vectors, whatever was in the folder.
    pub(crate) fn create(root: &Path, model: &ModelRow, origin: &str) -> Result<Self, StoreError> {
        let folder = root.join(folder_name(&model.name));
        let index = VectorIndex::create(&folder, spec_of(model, origin))?;
        Ok(Self::over(model, index, folder))
    }

    fn over(model: &ModelRow, index: VectorIndex, folder: PathBuf) -> Self {
        let mut present = Bitmap::default();
        for key in index.row_keys() {
            note_present(&mut present, doc_of(key));
        }
        Self {
            model: model.clone(),
            applied: index.applied_seq().cast_signed(),
            mark: index.mark(),
            changed_on_disk: changed_at(&folder),
            index,
            folder,
            present,
            caught_up: Mutex::default(),
            filters: Mutex::default(),
        }
    }

    /// The model, as it was in the records when this was opened.
    pub(crate) fn model(&self) -> &ModelRow {
        &self.model
    }

    /// Whether these are the vectors of this model, and not of one that had
    /// its name before.
    pub(crate) fn is_of(&self, model: &ModelRow) -> bool {
        self.model.model == model.model
    }

    /// Whether another process has written since this was opened.
    pub(crate) fn is_stale(&self) -> bool {
        changed_at(&self.folder) != self.changed_on_disk
    }

    /// The last change that is in it.
    pub(crate) fn applied(&self) -> i64 {
        self.applied
    }

    /// The mark of that change, see [`Records::mark_at`](crate::embedded::records::Records::mark_at).
    pub(crate) fn mark(&self) -> Option<i64> {
        self.mark
    }

    /// Whether the records had nothing newer a moment ago.
    pub(crate) fn was_caught_up(&self) -> bool {
        let last = *self
            .caught_up
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        last.is_some_and(|at| at.elapsed() < CAUGHT_UP_FOR)
    }

    /// Notes that the records have nothing newer.
    pub(crate) fn note_caught_up(&self) {
        let mut last = self
            .caught_up
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        *last = Some(Instant::now());
    }

    /// Vectors that are in memory only.
    pub(crate) fn tail_rows(&self) -> usize {
        self.index.tail_rows()
    }

    /// Takes changes over; they are found at once. A vector that no index
    /// takes, because a number in it is not finite, is left out with a
    /// warning: the records hold it until its entry is embedded anew.
    pub(crate) fn apply(&mut self, changes: &VectorChanges) -> Result<(), StoreError> {
        let mut left_out = Vec::new();
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
            let inserted = match key_of(*doc, *ordinal) {
                Some(key) => self.index.insert(key, vector).map(|_| true),
                None => Ok(false),
            };
            match inserted {
                Ok(true) => note_present(&mut self.present, doc.unsigned_abs()),
                Ok(false) | Err(VectorError::NotFinite | VectorError::WrongDimension { .. }) => {
                    left_out.push(*doc);
                }
                Err(error) => return Err(error.into()),
            }
        }
        self.applied = changes.reached;
        self.mark = changes.mark;
        self.forget_filters();
        if let Some(first) = left_out.first() {
            tracing::warn!(
                vectors = left_out.len(),
                first_entry = first,
                folder = %self.folder.display(),
                "vectors cannot be searched: they hold numbers that are not finite, or are too \
                 many for one entry; fix the embedding provider and run `gannet enhance --force`"
            );
        }
        Ok(())
    }

    /// The last change that is on disk.
    pub(crate) fn sealed(&self) -> i64 {
        self.index.applied_seq().cast_signed()
    }

    /// Whether there is anything that the disk does not have.
    pub(crate) fn is_unsealed(&self) -> bool {
        self.applied != self.sealed()
    }

    /// Puts everything on disk.
    pub(crate) fn seal(&mut self) -> Result<(), StoreError> {
        let applied = self.applied.unsigned_abs();
        self.index.seal_marked(applied, self.mark)?;
        self.changed_on_disk = changed_at(&self.folder);
        Ok(())
    }

    /// Compares files that were written since the index was opened with their
    /// checksums, so that the next process need not. Best effort: a damaged
    /// file is not listed, and found at the next start.
    pub(crate) fn verify_new_segments(&self) {
        if let Err(error) = self.index.verify_new_segments(true) {
            tracing::debug!(%error, "the vectors cannot be verified now");
        }
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

    /// Entries that have a vector here. One pass over all keys.
    pub(crate) fn entries(&self) -> u64 {
        let deleted = self.index.deleted();
        let mut entries = Bitmap::default();
        for (row, key) in self.index.row_keys().enumerate() {
            if !deleted.get(row) {
                note_present(&mut entries, doc_of(key));
            }
        }
        entries.count() as u64
    }

    /// Vectors that are not deleted.
    pub(crate) fn live_rows(&self) -> usize {
        self.index.live_rows()
    }

    /// How many passages an entry has on average, at least 1. Entries that are
    /// gone count until the index is rebuilt.
    pub(crate) fn passages_per_entry(&self) -> f64 {
        let entries = self.present.count().max(1);
        (self.live_rows() as f64 / entries as f64).max(1.0)
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

/// Opens an index whose new files fit their checksums.
fn open_verified(
    folder: &Path,
    spec: &IndexSpec,
    may_write: bool,
) -> Result<VectorIndex, VectorError> {
    let index = open_beside_writer(folder, spec)?;
    index.verify_new_segments(may_write)?;
    Ok(index)
}

/// How often an index is opened that another process replaces meanwhile.
const TRIES: usize = 5;

/// Opens an index that another process may be writing: a segment that is gone
/// was merged since the manifest was read.
pub(crate) fn open_beside_writer(
    folder: &Path,
    spec: &IndexSpec,
) -> Result<VectorIndex, VectorError> {
    let mut tries = 0;
    loop {
        tries += 1;
        match VectorIndex::open(folder, spec.clone()) {
            Err(VectorError::Corrupt { .. }) if tries < TRIES => {}
            opened => return opened,
        }
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

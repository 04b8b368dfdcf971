//! The passages of entries in an index of rows: what a key means, and which rows
//! a filter leaves.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::SystemTime;

use gannet_index::{
    AllowedRows, Bitmap, FilterKey, IndexError, MAX_PASSAGES, PassageHit, VectorChanges,
    VectorIndex,
};

use super::manifest::manifest_path;
use super::{FlatIndex, TAIL_ROWS, VectorError, VectorHit};

/// Filters that are kept.
const KEPT: usize = 64;

/// The vectors of the passages of entries.
pub(super) struct PassageIndex {
    state: RwLock<State>,
    /// The rows that filters leave. Read and written under the lock of the state,
    /// so that they fit its rows.
    filters: Mutex<HashMap<FilterKey, Arc<Bitmap>>>,
}

struct State {
    index: FlatIndex,
    /// The last change that was applied, on disk or not.
    applied: i64,
    /// The mark of that change in the records.
    mark: Option<i64>,
    /// Rows of the records that ever had a vector here.
    present: Bitmap,
    changed_on_disk: Option<SystemTime>,
}

impl PassageIndex {
    pub(super) fn over(index: FlatIndex) -> Self {
        let mut present = Bitmap::default();
        for key in index.row_keys() {
            note(&mut present, doc_of(key));
        }
        let state = State {
            applied: index.applied_seq().cast_signed(),
            mark: index.mark(),
            changed_on_disk: changed_at(index.folder()),
            index,
            present,
        };
        Self {
            state: RwLock::new(state),
            filters: Mutex::default(),
        }
    }

    // What a panic under one of these locks left is judged by the checks of the
    // index, not by the panic.

    fn read(&self) -> RwLockReadGuard<'_, State> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, State> {
        self.state.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Best effort: a damaged file is not listed, and found at the next start.
    fn verify_new_segments(&self) {
        if let Err(error) = self.read().index.verify_new_segments(true) {
            tracing::debug!(%error, "the vectors cannot be verified now");
        }
    }

    fn forget_filters(&self) {
        let mut kept = self.filters.lock().unwrap_or_else(PoisonError::into_inner);
        kept.clear();
    }

    /// The rows of the index that are allowed; `None` when all are.
    fn allowed(
        &self,
        index: &FlatIndex,
        key: &FilterKey,
        rows: AllowedRows<'_>,
    ) -> Result<Option<Arc<Bitmap>>, IndexError> {
        let lock = || self.filters.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(kept) = lock().get(key) {
            return Ok(Some(Arc::clone(kept)));
        }
        let Some(rows) = rows()? else {
            return Ok(None);
        };
        let allowed = Arc::new(index.rows_where(|key| rows.get(row_of(doc_of(key)))));
        let mut kept = lock();
        if kept.len() >= KEPT {
            kept.clear();
        }
        kept.insert(key.clone(), Arc::clone(&allowed));
        Ok(Some(allowed))
    }
}

impl VectorIndex for PassageIndex {
    fn applied(&self) -> i64 {
        self.read().applied
    }

    fn mark(&self) -> Option<i64> {
        self.read().mark
    }

    fn committed(&self) -> i64 {
        self.read().index.applied_seq().cast_signed()
    }

    fn is_stale(&self) -> bool {
        let state = self.read();
        changed_at(state.index.folder()) != state.changed_on_disk
    }

    fn uncommitted(&self) -> usize {
        self.read().index.tail_rows()
    }

    fn commit_after(&self) -> usize {
        TAIL_ROWS
    }

    fn apply(&self, changes: &VectorChanges) -> Result<(), IndexError> {
        let mut state = self.write();
        let applied = state.apply(changes);
        self.forget_filters();
        Ok(applied?)
    }

    fn commit(&self) -> Result<(), IndexError> {
        self.write().seal()?;
        // A merge compares what it reads and what it writes.
        if !self.read().index.is_to_be_compacted() {
            self.verify_new_segments();
        }
        Ok(())
    }

    fn compact(&self) -> Result<bool, IndexError> {
        // The guard of a condition would be held through the merge.
        let planned = self.write().index.plan_compaction();
        let Some(compaction) = planned else {
            return Ok(false);
        };
        let merged = compaction.run()?;
        let mut state = self.write();
        state.index.finish_compaction(merged)?;
        state.changed_on_disk = changed_at(state.index.folder());
        self.forget_filters();
        drop(state);
        self.verify_new_segments();
        Ok(true)
    }

    fn search(
        &self,
        vector: &[f32],
        limit: usize,
        key: &FilterKey,
        rows: AllowedRows<'_>,
    ) -> Result<Vec<PassageHit>, IndexError> {
        let state = self.read();
        let allowed = self.allowed(&state.index, key, rows)?;
        let hits = state.index.search(vector, limit, allowed.as_deref())?;
        Ok(hits.iter().map(passage_of).collect())
    }

    fn vectors(&self) -> usize {
        self.read().index.live_rows()
    }

    fn entries(&self) -> u64 {
        let state = self.read();
        let deleted = state.index.deleted();
        let mut entries = Bitmap::default();
        for (row, key) in state.index.row_keys().enumerate() {
            if !deleted.get(row) {
                note(&mut entries, doc_of(key));
            }
        }
        entries.count() as u64
    }

    fn passages_per_entry(&self) -> f64 {
        let state = self.read();
        let entries = state.present.count().max(1);
        (state.index.live_rows() as f64 / entries as f64).max(1.0)
    }

    fn damage(&self) -> Vec<IndexError> {
        let damage = self.read().index.damage();
        damage.into_iter().map(IndexError::from).collect()
    }

    fn vectors_except(&self, docs: &HashSet<i64>) -> u64 {
        let state = self.read();
        let deleted = state.index.deleted();
        let keys = state.index.row_keys().enumerate();
        let counted = keys
            .filter(|(row, key)| !deleted.get(*row) && !docs.contains(&doc_of(*key).cast_signed()));
        counted.count() as u64
    }

    fn differing(&self, vectors: &[(i64, i64, Vec<f32>)]) -> u64 {
        let by_key: HashMap<u64, &[f32]> = vectors
            .iter()
            .filter_map(|(doc, ordinal, vector)| Some((key_of(*doc, *ordinal)?, &vector[..])))
            .collect();
        let state = self.read();
        let rows = state.index.live_rows_of(&by_key.keys().copied().collect());
        let is_held = |(key, vector): &(&u64, &&[f32])| {
            rows.get(*key)
                .is_some_and(|&row| state.index.holds(row, vector))
        };
        by_key.iter().filter(|pair| !is_held(pair)).count() as u64
    }
}

impl State {
    fn apply(&mut self, changes: &VectorChanges) -> Result<(), VectorError> {
        let mut left_out = Vec::new();
        let mut replaced = Bitmap::default();
        for doc in &changes.docs {
            if self.present.get(row_of(doc.unsigned_abs())) {
                note(&mut replaced, doc.unsigned_abs());
            }
        }
        if !replaced.is_empty() {
            self.index
                .delete_where(|key| replaced.get(row_of(doc_of(key))));
        }
        for (doc, ordinal, vector) in &changes.vectors {
            let inserted = match key_of(*doc, *ordinal) {
                Some(key) => self.index.insert(key, vector).map(|_| true),
                None => Ok(false),
            };
            match inserted {
                Ok(true) => note(&mut self.present, doc.unsigned_abs()),
                Ok(false) | Err(VectorError::Invalid(_)) => left_out.push(*doc),
                Err(error) => return Err(error),
            }
        }
        self.applied = changes.reached;
        self.mark = changes.mark;
        if let Some(first) = left_out.first() {
            tracing::warn!(
                vectors = left_out.len(),
                first_entry = first,
                folder = %self.index.folder().display(),
                "vectors cannot be searched: they hold numbers that are not finite, or are too \
                 many for one entry; fix the embedding provider and run `gannet enhance --force`"
            );
        }
        Ok(())
    }

    fn seal(&mut self) -> Result<(), VectorError> {
        let applied = self.applied.unsigned_abs();
        self.index.seal_marked(applied, self.mark)?;
        self.changed_on_disk = changed_at(self.index.folder());
        Ok(())
    }
}

/// The key of a passage, its entry's row and its ordinal in the lowest bits;
/// `None` when an entry cannot have so many.
fn key_of(doc: i64, ordinal: i64) -> Option<u64> {
    let ordinal = ordinal.unsigned_abs();
    (ordinal < MAX_PASSAGES).then(|| doc.unsigned_abs() * MAX_PASSAGES + ordinal)
}

fn doc_of(key: u64) -> u64 {
    key / MAX_PASSAGES
}

fn passage_of(hit: &VectorHit) -> PassageHit {
    PassageHit {
        doc: doc_of(hit.key).cast_signed(),
        ordinal: (hit.key % MAX_PASSAGES).cast_signed(),
        cosine: hit.cosine,
    }
}

fn row_of(doc: u64) -> usize {
    usize::try_from(doc).unwrap_or(usize::MAX)
}

fn note(rows: &mut Bitmap, doc: u64) {
    let row = row_of(doc);
    if row >= rows.len() {
        rows.resize((row + 1).next_power_of_two());
    }
    rows.set(row);
}

fn changed_at(folder: &Path) -> Option<SystemTime> {
    std::fs::metadata(manifest_path(folder))
        .and_then(|manifest| manifest.modified())
        .ok()
}

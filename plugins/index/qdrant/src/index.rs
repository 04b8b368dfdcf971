//! The vectors of one model: a collection, and what is not committed to it.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::SystemTime;

use gannet_index::{
    AllowedRows, FilterKey, IndexError, PassageHit, VectorChanges, VectorIndex, VectorSpec, cosine,
};

use super::collection::{Collection, Counts, State};
use super::error::QdrantError;
use super::filter::AllowedPassages;
use super::marker::written_at;
use super::tail::{Tail, id_of, passage_of};

/// Vectors in memory after which they are committed.
const COMMIT_AFTER: usize = 4_096;
/// Filters that are kept.
const KEPT: usize = 64;
/// How near two vectors are that are taken for the same: the server normalises
/// what it stores.
const SAME: f32 = 1e-5;

/// The vectors of one model.
pub(crate) struct QdrantIndex {
    pub(super) collection: Collection,
    pub(super) folder: PathBuf,
    pub(super) spec: VectorSpec,
    state: RwLock<Held>,
    /// Held by whoever takes changes over or commits them.
    changing: Mutex<()>,
    /// The server said that the collection is gone, or has other vectors.
    is_lost: AtomicBool,
    filters: Mutex<HashMap<FilterKey, Arc<AllowedPassages>>>,
}

/// The folder of an index, as it was before anything of it was read.
pub(crate) struct Place {
    folder: PathBuf,
    written_at: Option<SystemTime>,
}

impl Place {
    pub(crate) fn now(folder: &Path) -> Self {
        Self {
            folder: folder.to_path_buf(),
            written_at: written_at(folder),
        }
    }
}

/// What is known without asking.
#[derive(Clone)]
pub(super) struct Held {
    pub(super) applied: i64,
    pub(super) mark: Option<i64>,
    pub(super) committed: i64,
    /// What the last commit was to reach, also one whose end is not known.
    pub(super) attempted: i64,
    pub(super) tail: Arc<Tail>,
    /// What the collection had at the last commit.
    pub(super) stored: Counts,
    /// Those of it that the tail replaces.
    pub(super) covered: Counts,
    pub(super) is_there: bool,
    pub(super) written_at: Option<SystemTime>,
}

impl QdrantIndex {
    /// Of a folder without an index; the first commit makes the collection.
    pub(super) fn absent(collection: Collection, place: Place, spec: &VectorSpec) -> Self {
        let held = Held {
            applied: 0,
            mark: None,
            committed: 0,
            attempted: 0,
            tail: Arc::default(),
            stored: Counts::default(),
            covered: Counts::default(),
            is_there: false,
            written_at: place.written_at,
        };
        Self {
            collection,
            folder: place.folder,
            spec: spec.clone(),
            state: RwLock::new(held),
            changing: Mutex::default(),
            is_lost: AtomicBool::new(false),
            filters: Mutex::default(),
        }
    }

    /// Of a collection as it is.
    pub(super) fn over(
        collection: Collection,
        place: Place,
        spec: &VectorSpec,
        state: &State,
        stored: Counts,
    ) -> Self {
        let index = Self::absent(collection, place, spec);
        let mut held = index.write();
        held.applied = state.applied;
        held.mark = state.mark;
        held.committed = state.applied;
        held.attempted = state.applied;
        held.stored = stored;
        held.is_there = true;
        drop(held);
        index
    }

    // What a panic under one of these locks left is whole: values are replaced.

    pub(super) fn read(&self) -> RwLockReadGuard<'_, Held> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn write(&self) -> RwLockWriteGuard<'_, Held> {
        self.state.write().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn begin_change(&self) -> MutexGuard<'_, ()> {
        self.changing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes where the collection is of no use any more: it is then opened again,
    /// and made again from the records.
    pub(super) fn noting<T>(&self, asked: Result<T, QdrantError>) -> Result<T, QdrantError> {
        if matches!(asked, Err(QdrantError::Damaged { .. })) {
            self.is_lost.store(true, Ordering::Release);
        }
        asked
    }

    fn allowed(
        &self,
        key: &FilterKey,
        rows: AllowedRows<'_>,
    ) -> Result<Option<Arc<AllowedPassages>>, IndexError> {
        let lock = || self.filters.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(kept) = lock().get(key) {
            return Ok(Some(Arc::clone(kept)));
        }
        let Some(rows) = rows()? else {
            return Ok(None);
        };
        let allowed = Arc::new(AllowedPassages::new(rows));
        let mut kept = lock();
        if kept.len() >= KEPT {
            kept.clear();
        }
        kept.insert(key.clone(), Arc::clone(&allowed));
        Ok(Some(allowed))
    }

    /// The nearest passages of the collection.
    fn nearest(
        &self,
        held: &Held,
        vector: &[f32],
        limit: usize,
        allowed: Option<&AllowedPassages>,
    ) -> Result<Vec<PassageHit>, QdrantError> {
        let condition = allowed.and_then(|allowed| allowed.condition.as_ref());
        let except = &held.tail.replaced;
        // More than there are costs memory and finds nothing.
        let most = held.stored.vectors.max(1);
        let mut wanted = limit.min(most);
        loop {
            let found = self.collection.nearest(vector, wanted, condition, except)?;
            let is_everything = found.len() < wanted || wanted == most;
            let hits = found.iter().map(|point| passage_of(point.id, point.score));
            let is_wanted = |hit: &PassageHit| {
                let is_allowed = allowed.is_none_or(|rows| rows.has(hit.doc));
                // A commit may be writing what the tail has.
                is_allowed && !held.tail.entries.contains_key(&hit.doc)
            };
            let hits: Vec<PassageHit> = hits.filter(is_wanted).collect();
            if is_everything || hits.len() >= limit {
                return Ok(hits);
            }
            wanted = wanted.saturating_mul(4).min(most);
        }
    }

    fn check(&self, vector: &[f32]) -> Result<(), QdrantError> {
        if vector.len() != self.spec.dimension {
            return Err(QdrantError::WrongDimension {
                expected: self.spec.dimension,
                found: vector.len(),
            });
        }
        match self.spec.takes(vector) {
            true => Ok(()),
            false => Err(QdrantError::NotFinite),
        }
    }

    fn count_except(&self, docs: &HashSet<i64>) -> Result<u64, QdrantError> {
        let held = self.read().clone();
        let in_tail = held.tail.entries.iter();
        let in_tail = in_tail.filter(|(doc, _)| docs.contains(doc));
        let in_tail: usize = in_tail.map(|(_, vectors)| vectors.len()).sum();
        let is_stored = |doc: &&i64| !held.tail.entries.contains_key(*doc);
        let elsewhere: Vec<i64> = docs.iter().filter(is_stored).copied().collect();
        let on_server = match held.is_there {
            true => self.collection.count_of(&elsewhere)?.vectors,
            false => 0,
        };
        let left = held.vectors().saturating_sub(in_tail + on_server);
        Ok(left as u64)
    }

    fn count_same(&self, vectors: &[(i64, i64, Vec<f32>)]) -> Result<u64, QdrantError> {
        let held = self.read().clone();
        let mut expected: HashMap<u64, &[f32]> = HashMap::new();
        let mut same = 0;
        for (doc, ordinal, vector) in vectors {
            match (held.tail.entries.get(doc), id_of(*doc, *ordinal)) {
                (Some(own), _) => {
                    let is_same =
                        |(at, own): &(i64, Vec<f32>)| at == ordinal && is_near(own, vector);
                    same += u64::from(own.iter().any(is_same));
                }
                (None, Some(id)) if held.is_there => {
                    expected.insert(id, vector);
                }
                (None, _) => {}
            }
        }
        let ids: Vec<u64> = expected.keys().copied().collect();
        for (id, own) in self.collection.vectors(&ids)? {
            let is_same = expected
                .get(&id)
                .is_some_and(|vector| is_near(&own, vector));
            same += u64::from(is_same);
        }
        Ok(same)
    }
}

fn is_near(left: &[f32], right: &[f32]) -> bool {
    left == right || (left.len() == right.len() && 1.0 - cosine(left, right) < SAME)
}

impl Held {
    pub(super) fn vectors(&self) -> usize {
        let uncovered = self.stored.vectors.saturating_sub(self.covered.vectors);
        uncovered + self.tail.vectors
    }

    pub(super) fn entries(&self) -> u64 {
        let uncovered = self.stored.entries.saturating_sub(self.covered.entries);
        uncovered + self.tail.embedded()
    }
}

impl VectorIndex for QdrantIndex {
    fn applied(&self) -> i64 {
        self.read().applied
    }

    fn mark(&self) -> Option<i64> {
        self.read().mark
    }

    fn committed(&self) -> i64 {
        self.read().committed
    }

    fn is_stale(&self) -> bool {
        self.is_lost.load(Ordering::Acquire) || written_at(&self.folder) != self.read().written_at
    }

    fn uncommitted(&self) -> usize {
        self.read().tail.vectors
    }

    fn commit_after(&self) -> usize {
        COMMIT_AFTER
    }

    fn apply(&self, changes: &VectorChanges) -> Result<(), IndexError> {
        Ok(self.noting(self.take_over(changes))?)
    }

    fn commit(&self) -> Result<(), IndexError> {
        self.put_on_server()
    }

    fn waits(&self) -> bool {
        true
    }

    fn search(
        &self,
        vector: &[f32],
        limit: usize,
        key: &FilterKey,
        rows: AllowedRows<'_>,
    ) -> Result<Vec<PassageHit>, IndexError> {
        self.check(vector)?;
        let allowed = self.allowed(key, rows)?;
        let allowed = allowed.as_deref();
        if limit == 0 || allowed.is_some_and(AllowedPassages::is_nothing) {
            return Ok(Vec::new());
        }
        let held = self.read().clone();
        let mut hits: Vec<PassageHit> = held.tail.compare(vector, allowed).collect();
        if held.is_there && held.stored.vectors > 0 {
            hits.extend(self.noting(self.nearest(&held, vector, limit, allowed))?);
        }
        hits.sort_by(|a, b| {
            let by_cosine = b.cosine.total_cmp(&a.cosine);
            by_cosine.then_with(|| (a.doc, a.ordinal).cmp(&(b.doc, b.ordinal)))
        });
        hits.truncate(limit);
        Ok(hits)
    }

    fn vectors(&self) -> usize {
        self.read().vectors()
    }

    fn entries(&self) -> u64 {
        self.read().entries()
    }

    fn damage(&self) -> Vec<IndexError> {
        let held = self.read().clone();
        if !held.is_there {
            return Vec::new();
        }
        let counted = || {
            let state = self.collection.state()?;
            let counts = self.collection.count_all()?;
            self.collection.check_counts(&state, counts)
        };
        let checks = [self.collection.check_health(), counted()];
        let damage = checks.into_iter().filter_map(Result::err);
        damage.map(IndexError::from).collect()
    }

    fn vectors_except(&self, docs: &HashSet<i64>) -> u64 {
        // The trait has no error here; `damage` says what is wrong.
        self.count_except(docs).unwrap_or_else(|error| {
            tracing::warn!(%error, "the vectors on the server cannot be counted");
            0
        })
    }

    fn differing(&self, vectors: &[(i64, i64, Vec<f32>)]) -> u64 {
        let same = self.count_same(vectors).unwrap_or_else(|error| {
            tracing::warn!(%error, "the vectors on the server cannot be compared");
            0
        });
        (vectors.len() as u64).saturating_sub(same)
    }
}

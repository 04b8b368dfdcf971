//! Example: a vector index of one's own, which compares every vector.
//!
//! A program that embeds the host links it by `use gannet_plain_index as _;`, and
//! its configuration says `store: { vectors: plain }`. One file has everything.

use std::collections::HashSet;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use gannet_api::inventory;
use gannet_index::{
    Access, AllowedRows, FilterKey, IndexError, PassageHit, Registration, VectorChanges,
    VectorEngine, VectorIndex, VectorSpec, cosine,
};
use serde::{Deserialize, Serialize};

/// Makes and opens indexes.
pub struct PlainEngine;

inventory::submit! { Registration::Vectors(&PlainEngine) }

struct PlainIndex {
    path: PathBuf,
    spec: VectorSpec,
    state: Mutex<State>,
}

/// The file. Each passage is the row of its entry, its ordinal, and its vector.
#[derive(Default, Serialize, Deserialize)]
struct State {
    model: String,
    applied: i64,
    mark: Option<i64>,
    passages: Vec<(i64, i64, Vec<f32>)>,
    #[serde(skip)]
    committed: i64,
    #[serde(skip)]
    uncommitted: usize,
    #[serde(skip)]
    written_at: Option<SystemTime>,
}

impl VectorEngine for PlainEngine {
    fn name(&self) -> &'static str {
        "plain"
    }
    fn open(
        &self,
        folder: &Path,
        spec: &VectorSpec,
        _: Access,
    ) -> Result<Arc<dyn VectorIndex>, IndexError> {
        let index = PlainIndex::empty(folder, spec);
        let written_at = index.written_at();
        match fs::read(&index.path) {
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(IndexError::io("read", &index.path, error)),
            Ok(bytes) => *index.state() = decode(&bytes, spec)?,
        }
        index.state().written_at = written_at;
        Ok(Arc::new(index))
    }
    fn create(&self, folder: &Path, spec: &VectorSpec) -> Result<Arc<dyn VectorIndex>, IndexError> {
        let index = PlainIndex::empty(folder, spec);
        index.commit()?;
        Ok(Arc::new(index))
    }
}

/// A file is a checksum in eight letters, and JSON.
fn decode(bytes: &[u8], spec: &VectorSpec) -> Result<State, IndexError> {
    let (sum, json) = bytes.split_at_checked(8).unwrap_or_default();
    let is_whole = format!("{:08x}", crc32fast::hash(json)).as_bytes() == sum;
    match serde_json::from_slice::<State>(json) {
        Ok(state) if is_whole && state.model == spec.model => Ok(State {
            committed: state.applied,
            ..state
        }),
        _ => Err(IndexError::Damaged("not the vectors of the model".into())),
    }
}

impl PlainIndex {
    fn empty(folder: &Path, spec: &VectorSpec) -> Self {
        let state = State {
            model: spec.model.clone(),
            ..State::default()
        };
        Self {
            path: folder.join("vectors.json"),
            spec: spec.clone(),
            state: Mutex::new(state),
        }
    }
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
    fn written_at(&self) -> Option<SystemTime> {
        fs::metadata(&self.path)
            .and_then(|file| file.modified())
            .ok()
    }
    fn write(&self, state: &State) -> io::Result<()> {
        let json = serde_json::to_string(state)?;
        let text = format!("{:08x}{json}", crc32fast::hash(json.as_bytes()));
        let beside = self.path.with_extension("new");
        fs::create_dir_all(self.path.with_file_name(""))?;
        fs::write(&beside, text)?;
        fs::File::open(&beside)?.sync_all()?;
        fs::rename(&beside, &self.path)
    }
}

impl VectorIndex for PlainIndex {
    fn applied(&self) -> i64 {
        self.state().applied
    }
    fn mark(&self) -> Option<i64> {
        self.state().mark
    }
    fn committed(&self) -> i64 {
        self.state().committed
    }
    fn is_stale(&self) -> bool {
        self.written_at() != self.state().written_at
    }
    fn uncommitted(&self) -> usize {
        self.state().uncommitted
    }
    fn commit_after(&self) -> usize {
        10_000
    }
    fn apply(&self, changes: &VectorChanges) -> Result<(), IndexError> {
        let mut state = self.state();
        let docs: HashSet<_> = changes.docs.iter().collect();
        state.passages.retain(|(doc, ..)| !docs.contains(doc));
        let usable = changes.vectors.iter().filter(|own| self.spec.takes(&own.2));
        state.passages.extend(usable.cloned());
        state.uncommitted += changes.vectors.len();
        (state.applied, state.mark) = (changes.reached, changes.mark);
        Ok(())
    }
    fn commit(&self) -> Result<(), IndexError> {
        let mut state = self.state();
        let written = self.write(&state);
        written.map_err(|error| IndexError::io("write", &self.path, error))?;
        (state.committed, state.uncommitted) = (state.applied, 0);
        state.written_at = self.written_at();
        Ok(())
    }
    fn search(
        &self,
        vector: &[f32],
        limit: usize,
        _: &FilterKey,
        rows: AllowedRows<'_>,
    ) -> Result<Vec<PassageHit>, IndexError> {
        if !self.spec.takes(vector) {
            return Err(IndexError::Failed("the vector cannot be compared".into()));
        }
        let rows = rows()?;
        let is_allowed = |doc: i64| rows.as_ref().is_none_or(|rows| rows.get(doc as usize));
        let hit = |(doc, ordinal, own): &(i64, i64, Vec<f32>)| PassageHit {
            doc: *doc,
            ordinal: *ordinal,
            cosine: cosine(vector, own),
        };
        let state = self.state();
        let passages = state.passages.iter().filter(|own| is_allowed(own.0));
        let mut hits: Vec<PassageHit> = passages.map(hit).collect();
        hits.sort_by(|a, b| b.cosine.total_cmp(&a.cosine));
        hits.truncate(limit);
        Ok(hits)
    }
    fn vectors(&self) -> usize {
        self.state().passages.len()
    }
    fn entries(&self) -> u64 {
        let docs: HashSet<i64> = self.state().passages.iter().map(|own| own.0).collect();
        docs.len() as u64
    }
    fn damage(&self) -> Vec<IndexError> {
        let read = fs::read(&self.path).map_err(|error| IndexError::io("read", &self.path, error));
        let read = read.and_then(|bytes| decode(&bytes, &self.spec));
        read.err().into_iter().collect()
    }
    fn vectors_except(&self, docs: &HashSet<i64>) -> u64 {
        let state = self.state();
        let others = state.passages.iter().filter(|own| !docs.contains(&own.0));
        others.count() as u64
    }
    fn differing(&self, vectors: &[(i64, i64, Vec<f32>)]) -> u64 {
        let state = self.state();
        let others = vectors.iter().filter(|own| !state.passages.contains(own));
        others.count() as u64
    }
}

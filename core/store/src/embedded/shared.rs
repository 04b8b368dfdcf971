//! What the callers of a store and its indexing thread share.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::{Duration, Instant};

use crate::embedded::model_index::ModelIndex;
use crate::embedded::records::Records;
use crate::embedded::text::TextIndex;
use crate::error::StoreError;
use crate::options::EmbeddedOptions;

/// What the callers of a store and its indexing thread share.
pub(crate) struct Shared {
    pub(crate) options: EmbeddedOptions,
    pub(crate) records: Records,
    /// The database's name, see [`Records::origin`].
    pub(crate) origin: String,
    text: RwLock<Arc<TextIndex>>,
    models: RwLock<BTreeMap<String, Arc<RwLock<ModelIndex>>>>,
    is_writer: AtomicBool,
    text_sequence: AtomicI64,
    /// When the text index was last seen to have everything.
    caught_up: Mutex<Option<Instant>>,
}

/// For how long an index that had everything is taken to have it still:
/// asking the records at every search would cost a tenth of the search.
const CAUGHT_UP_FOR: Duration = Duration::from_millis(100);

impl Shared {
    pub(crate) fn new(
        options: EmbeddedOptions,
        records: Records,
        origin: String,
        text: TextIndex,
    ) -> Self {
        Self {
            options,
            records,
            origin,
            text: RwLock::new(Arc::new(text)),
            models: RwLock::default(),
            is_writer: AtomicBool::new(false),
            text_sequence: AtomicI64::new(0),
            caught_up: Mutex::default(),
        }
    }

    /// The text index as it is now.
    pub(crate) fn text(&self) -> Arc<TextIndex> {
        Arc::clone(&read(&self.text))
    }

    pub(crate) fn replace_text(&self, text: TextIndex) {
        *write(&self.text) = Arc::new(text);
    }

    /// A model's vectors, when they were opened.
    pub(crate) fn model(&self, name: &str) -> Option<Arc<RwLock<ModelIndex>>> {
        read(&self.models).get(name).cloned()
    }

    pub(crate) fn models(&self) -> Vec<(String, Arc<RwLock<ModelIndex>>)> {
        read(&self.models)
            .iter()
            .map(|(name, index)| (name.clone(), Arc::clone(index)))
            .collect()
    }

    pub(crate) fn put_model(&self, name: &str, index: ModelIndex) {
        write(&self.models).insert(name.to_owned(), Arc::new(RwLock::new(index)));
    }

    pub(crate) fn drop_model(&self, name: &str) {
        write(&self.models).remove(name);
    }

    /// Whether this process writes the indexes.
    pub(crate) fn is_writer(&self) -> bool {
        self.is_writer.load(Ordering::Acquire)
    }

    pub(crate) fn set_writer(&self, is_writer: bool) {
        self.is_writer.store(is_writer, Ordering::Release);
    }

    /// The last change that searches of the text see.
    pub(crate) fn text_sequence(&self) -> i64 {
        self.text_sequence.load(Ordering::Acquire)
    }

    /// Whether entries were written that searches of the text do not see yet.
    pub(crate) async fn is_behind(&self) -> Result<bool, StoreError> {
        let last = *self
            .caught_up
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if last.is_some_and(|at| at.elapsed() < CAUGHT_UP_FOR) {
            return Ok(false);
        }
        let is_behind = self.records.waiting_for_text(self.text_sequence()).await?;
        if !is_behind {
            *self
                .caught_up
                .lock()
                .unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
        }
        Ok(is_behind)
    }

    pub(crate) fn set_text_sequence(&self, sequence: i64) {
        self.text_sequence.store(sequence, Ordering::Release);
    }

    pub(crate) fn text_path(&self) -> PathBuf {
        self.options.path.join("text")
    }

    pub(crate) fn vectors_path(&self) -> PathBuf {
        self.options.path.join("vectors")
    }

    pub(crate) fn lock_path(&self) -> PathBuf {
        self.options.path.join("writer.lock")
    }
}

// A panic while one of these locks is held can only come from a projection.
// What it left is judged by its own checks, not by the panic.

pub(crate) fn read<T>(lock: &RwLock<T>) -> RwLockReadGuard<'_, T> {
    lock.read().unwrap_or_else(PoisonError::into_inner)
}

pub(crate) fn write<T>(lock: &RwLock<T>) -> RwLockWriteGuard<'_, T> {
    lock.write().unwrap_or_else(PoisonError::into_inner)
}

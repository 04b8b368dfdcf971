//! What the callers of a store and its indexing thread share.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::{Duration, Instant};

use crate::embedded::model_index::ModelIndex;
use crate::embedded::records::{ModelRow, Records};
use crate::error::StoreError;
use crate::options::EmbeddedOptions;
use gannet_index::{TextEngine, TextIndex, VectorEngine, configured_vector_engine, text_engine};

/// What the callers of a store and its indexing thread share.
pub(crate) struct Shared {
    pub(crate) options: EmbeddedOptions,
    pub(crate) records: Records,
    /// The database's name, see [`Records::origin`].
    pub(crate) origin: String,
    pub(crate) text_engine: &'static dyn TextEngine,
    pub(crate) vector_engine: Arc<dyn VectorEngine>,
    text: RwLock<TextState>,
    /// Why the text index cannot follow the records.
    text_trouble: Mutex<Option<String>>,
    /// Something in the text index may be damaged.
    is_text_suspect: AtomicBool,
    models: RwLock<BTreeMap<String, Arc<ModelIndex>>>,
    /// Why the vectors of a model cannot be followed.
    failed_models: RwLock<BTreeMap<String, String>>,
    is_writer: AtomicBool,
    text_sequence: AtomicI64,
    /// When the text index was last seen to have everything.
    caught_up: Mutex<Option<Instant>>,
}

/// What searches of the text see.
enum TextState {
    Open(Arc<dyn TextIndex>),
    /// It is there, and cannot be opened for this reason.
    Unreadable(String),
}

/// For how long an index that had everything is taken to have it still:
/// asking the records at every search would cost a tenth of the search.
const CAUGHT_UP_FOR: Duration = Duration::from_millis(100);

impl Shared {
    /// Of a store whose indexes are not open yet: nothing is found.
    ///
    /// # Errors
    /// An engine of the options is not linked into the program.
    pub(crate) fn new(
        options: EmbeddedOptions,
        records: Records,
        origin: String,
    ) -> Result<Self, StoreError> {
        let text_engine = text_engine(&options.text_engine)?;
        let vector_engine =
            configured_vector_engine(&options.vector_engine, &options.vector_settings)?;
        let nothing = text_engine.nothing(options.field_weights)?;
        Ok(Self {
            options,
            records,
            origin,
            text_engine,
            vector_engine,
            text: RwLock::new(TextState::Open(nothing)),
            text_trouble: Mutex::default(),
            is_text_suspect: AtomicBool::new(false),
            models: RwLock::default(),
            failed_models: RwLock::default(),
            is_writer: AtomicBool::new(false),
            text_sequence: AtomicI64::new(0),
            caught_up: Mutex::default(),
        })
    }

    /// The text index as it is now.
    ///
    /// # Errors
    /// [`StoreError::TextUnreadable`] while it cannot be opened.
    pub(crate) fn text(&self) -> Result<Arc<dyn TextIndex>, StoreError> {
        match &*read(&self.text) {
            TextState::Open(text) => Ok(Arc::clone(text)),
            TextState::Unreadable(reason) => Err(StoreError::TextUnreadable {
                reason: reason.clone(),
            }),
        }
    }

    pub(crate) fn replace_text(&self, text: Arc<dyn TextIndex>) {
        *write(&self.text) = TextState::Open(text);
    }

    /// The text index cannot be opened. One that was opened before is searched
    /// on: its files stay as they are while it has them.
    pub(crate) fn text_unreadable(&self, error: &StoreError) {
        let reason = error.to_string();
        self.set_text_trouble(Some(reason.clone()));
        if self.text_sequence() == 0 {
            *write(&self.text) = TextState::Unreadable(reason);
        }
    }

    /// The text index as it was opened is not believed any more.
    pub(crate) fn forget_text(&self) {
        self.set_text_sequence(0);
        let reason = "it is being verified".to_owned();
        *write(&self.text) = TextState::Unreadable(reason);
    }

    /// Why the text index cannot follow the records; `None` when it does.
    pub(crate) fn text_trouble(&self) -> Option<String> {
        lock(&self.text_trouble).clone()
    }

    pub(crate) fn set_text_trouble(&self, reason: Option<String>) {
        *lock(&self.text_trouble) = reason;
    }

    /// A search failed as it does on damaged files: the indexing thread is to
    /// verify them.
    pub(crate) fn suspect_text(&self) {
        self.is_text_suspect.store(true, Ordering::Release);
    }

    pub(crate) fn take_text_suspicion(&self) -> bool {
        self.is_text_suspect.swap(false, Ordering::AcqRel)
    }

    /// A model's vectors, when they were opened.
    pub(crate) fn model(&self, name: &str) -> Option<Arc<ModelIndex>> {
        read(&self.models).get(name).cloned()
    }

    /// A model by its name. That of open vectors is not looked up: the indexing
    /// thread opens others when the model becomes another one.
    pub(crate) async fn model_row(&self, name: &str) -> Result<Option<ModelRow>, StoreError> {
        let opened = self.model(name);
        match opened.map(|index| index.model.clone()) {
            Some(model) => Ok(Some(model)),
            None => self.records.model(name).await,
        }
    }

    pub(crate) fn models(&self) -> Vec<(String, Arc<ModelIndex>)> {
        read(&self.models)
            .iter()
            .map(|(name, index)| (name.clone(), Arc::clone(index)))
            .collect()
    }

    pub(crate) fn put_model(&self, name: &str, index: Arc<ModelIndex>) {
        write(&self.models).insert(name.to_owned(), index);
    }

    /// Lets go of the models that are not wanted.
    pub(crate) fn keep_models(&self, is_wanted: impl Fn(&str) -> bool) {
        let is_known = |name: &String| is_wanted(name);
        if !read(&self.models).keys().all(is_known) {
            write(&self.models).retain(|name, _| is_wanted(name));
        }
        if !read(&self.failed_models).keys().all(is_known) {
            write(&self.failed_models).retain(|name, _| is_wanted(name));
        }
    }

    /// Notes why the vectors of a model cannot be followed, or that they can.
    /// What is new is logged.
    pub(crate) fn note_followed(&self, name: &str, error: Option<&StoreError>) {
        let Some(error) = error else {
            if read(&self.failed_models).contains_key(name) {
                write(&self.failed_models).remove(name);
            }
            return;
        };
        let reason = error.to_string();
        let known = write(&self.failed_models).insert(name.to_owned(), reason);
        if known.is_none() {
            tracing::warn!(%error, model = name, "vectors cannot follow the records; trying again");
        }
    }

    /// Models whose vectors cannot be followed, with the reason.
    pub(crate) fn failures(&self) -> BTreeMap<String, String> {
        read(&self.failed_models).clone()
    }

    /// Why the vectors of a model cannot be followed.
    pub(crate) fn failure_of(&self, name: &str) -> Option<String> {
        read(&self.failed_models).get(name).cloned()
    }

    pub(crate) fn drop_model(&self, name: &str) {
        write(&self.models).remove(name);
    }

    /// An error when the vectors of any model cannot be followed.
    pub(crate) fn check_models(&self) -> Result<(), StoreError> {
        match read(&self.failed_models).iter().next() {
            None => Ok(()),
            Some((model, reason)) => Err(StoreError::VectorsUnusable {
                model: model.clone(),
                reason: reason.clone(),
            }),
        }
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
        let last = *lock(&self.caught_up);
        if last.is_some_and(|at| at.elapsed() < CAUGHT_UP_FOR) {
            return Ok(false);
        }
        let is_behind = self.is_text_behind(i64::MAX).await?;
        if !is_behind {
            *lock(&self.caught_up) = Some(Instant::now());
        }
        Ok(is_behind)
    }

    /// Whether searches of the text do not see an entry that was written or
    /// deleted up to change `wanted`. Changes of vectors alone do not concern
    /// the text, and leave its position where it is.
    pub(crate) async fn is_text_behind(&self, wanted: i64) -> Result<bool, StoreError> {
        let reached = self.text_sequence();
        Ok(reached < wanted && self.records.waiting_for_text(reached, wanted).await?)
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

fn read<T>(lock: &RwLock<T>) -> RwLockReadGuard<'_, T> {
    lock.read().unwrap_or_else(PoisonError::into_inner)
}

fn write<T>(lock: &RwLock<T>) -> RwLockWriteGuard<'_, T> {
    lock.write().unwrap_or_else(PoisonError::into_inner)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

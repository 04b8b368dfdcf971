//! What went wrong, or was read in a particular way, on the way of an answer
//! that succeeded all the same.

use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};

/// A note beside a result.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Diagnostic {
    /// How much it matters.
    pub level: Level,
    /// Where it comes from, dotted: `rag.retrieve.keyword`.
    pub source: String,
    /// What happened, for a person.
    pub message: String,
    /// What sort of thing it was, for a program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
}

/// How much a diagnostic matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Good to know.
    Info,
    /// The result may be less than it could be.
    Warning,
    /// A part failed.
    Error,
}

impl Diagnostic {
    /// An `info` note.
    pub fn info(source: impl Into<String>, message: impl Into<String>) -> Self {
        Self::new(Level::Info, source, message)
    }

    /// A warning.
    pub fn warning(source: impl Into<String>, message: impl Into<String>) -> Self {
        Self::new(Level::Warning, source, message)
    }

    /// An error.
    pub fn error(source: impl Into<String>, message: impl Into<String>) -> Self {
        Self::new(Level::Error, source, message)
    }

    /// This diagnostic with a category.
    #[must_use]
    pub fn category(mut self, category: impl Into<String>) -> Self {
        self.category = Some(category.into());
        self
    }

    /// A note of this level.
    pub fn new(level: Level, source: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            level,
            source: source.into(),
            message: message.into(),
            category: None,
        }
    }
}

/// Collects the diagnostics of one call. Clones share one list.
#[derive(Debug, Clone, Default)]
pub struct Diagnostics(Arc<Mutex<Vec<Diagnostic>>>);

impl Diagnostics {
    /// Adds one.
    pub fn add(&self, diagnostic: Diagnostic) {
        self.lock().push(diagnostic);
    }

    /// Adds several, in order.
    pub fn extend(&self, diagnostics: impl IntoIterator<Item = Diagnostic>) {
        self.lock().extend(diagnostics);
    }

    /// Takes all that were collected, leaving none.
    pub fn take(&self) -> Vec<Diagnostic> {
        std::mem::take(&mut self.lock())
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Diagnostic>> {
        // A panic while holding the lock can only have been in `push`; the
        // list is whole in any case.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

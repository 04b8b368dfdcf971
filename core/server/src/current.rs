//! A value that a reload replaces while requests go on with the old one.

use std::sync::{Arc, PoisonError, RwLock};

/// The value of now. Whoever got it before a replacement keeps the old one.
#[derive(Debug)]
pub(crate) struct Current<T>(RwLock<Arc<T>>);

impl<T> Current<T> {
    pub fn new(value: T) -> Self {
        Self(RwLock::new(Arc::new(value)))
    }

    /// The value of now.
    pub fn get(&self) -> Arc<T> {
        // An assignment leaves no half of a value behind.
        self.0
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Replaces the value for whoever asks from now on.
    pub fn replace(&self, value: T) {
        let value = Arc::new(value);
        let mut current = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let old = std::mem::replace(&mut *current, value);
        // Dropped without the lock: the end of a value may take a while.
        drop(current);
        drop(old);
    }
}

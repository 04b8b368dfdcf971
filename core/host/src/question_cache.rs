//! The embeddings of questions that were asked before: encoding a question
//! takes a good part of a search, and the same one is asked again by a page
//! that is reloaded, by the next page of results, by saved pages and by a
//! second mode.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use gannet_api::Embeddings;
use lru::LruCache;

/// Questions whose embeddings are kept. One of ten words takes about 20 kB.
/// A zero would not compile.
const QUESTIONS: NonZeroUsize = NonZeroUsize::new(100).unwrap();
/// Bytes of a question that is kept, so that pasted pages do not take the room.
const BYTES: usize = 500;

/// The embeddings of the questions that were asked last.
pub(crate) struct QuestionCache {
    kept: Mutex<LruCache<Key, Embeddings>>,
    hits: AtomicU64,
    misses: AtomicU64,
}

/// Which provider embedded which text.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Key {
    provider: String,
    text: String,
}

/// How often the embedding of a question was known and how often not.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct QuestionCacheCounts {
    /// Questions whose embedding was known.
    pub hits: u64,
    /// Questions that were embedded.
    pub misses: u64,
}

impl Default for QuestionCache {
    fn default() -> Self {
        Self {
            kept: Mutex::new(LruCache::new(QUESTIONS)),
            hits: AtomicU64::new(0),
            misses: AtomicU64::new(0),
        }
    }
}

impl QuestionCache {
    /// What this provider made of a question, where that is known.
    pub(crate) fn get(&self, provider: &str, text: &str) -> Option<Embeddings> {
        let key = Key::new(provider, text);
        let known = self.lock(|kept| kept.get(&key).cloned());
        let count = match known {
            Some(_) => &self.hits,
            None => &self.misses,
        };
        count.fetch_add(1, Ordering::Relaxed);
        known
    }

    /// Keeps what this provider made of a question.
    pub(crate) fn keep(&self, provider: &str, text: &str, embeddings: &Embeddings) {
        if text.len() <= BYTES {
            let (key, embeddings) = (Key::new(provider, text), embeddings.clone());
            self.lock(|kept| kept.put(key, embeddings));
        }
    }

    pub(crate) fn counts(&self) -> QuestionCacheCounts {
        QuestionCacheCounts {
            hits: self.hits.load(Ordering::Relaxed),
            misses: self.misses.load(Ordering::Relaxed),
        }
    }

    fn lock<T>(&self, with: impl FnOnce(&mut LruCache<Key, Embeddings>) -> T) -> T {
        // A panic while the lock is held can only have been in a clone; the
        // map is whole in any case.
        with(&mut self.kept.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Key {
    fn new(provider: &str, text: &str) -> Self {
        Self {
            provider: provider.to_owned(),
            text: text.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use gannet_api::EmbeddingModel;

    use super::*;

    fn embeddings(value: f32) -> Embeddings {
        Embeddings::new(vec![vec![value]], EmbeddingModel::new("test", 1, 10))
    }

    #[test]
    fn a_question_is_known_by_its_provider_and_its_text() {
        let cache = QuestionCache::default();
        cache.keep("a", "pump", &embeddings(1.0));
        assert_eq!(cache.get("a", "pump").unwrap().vectors, [[1.0]]);
        assert!(cache.get("b", "pump").is_none());
        assert!(cache.get("a", "pumps").is_none());
        let counts = QuestionCacheCounts { hits: 1, misses: 2 };
        assert_eq!(cache.counts(), counts);
    }

    #[test]
    fn the_question_that_was_asked_the_longest_ago_makes_room() {
        let cache = QuestionCache::default();
        for number in 0..=QUESTIONS.get() {
            cache.keep("a", &number.to_string(), &embeddings(0.0));
            assert!(cache.get("a", "0").is_some());
        }
        assert!(cache.get("a", "1").is_none());
        assert!(cache.get("a", "0").is_some());
    }

    #[test]
    fn a_pasted_page_is_not_kept() {
        let cache = QuestionCache::default();
        let page = "pump ".repeat(BYTES);
        cache.keep("a", &page, &embeddings(0.0));
        assert!(cache.get("a", &page).is_none());
    }
}

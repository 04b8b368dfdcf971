//! What the host remembers of a request and of each call in it.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use gannet_api::{Entry, Error, Filter, Hit, Result, limits};

use super::shown::ShownEntries;

/// What all calls of one request share.
#[derive(Debug, Default)]
pub(crate) struct RequestState {
    calls: AtomicU32,
    is_degraded: AtomicBool,
    shown: ShownEntries,
}

impl RequestState {
    /// The entries that were read for the request.
    pub fn shown(&self) -> &ShownEntries {
        &self.shown
    }

    /// Counts a call of a module or a pipeline.
    ///
    /// # Errors
    /// [`Error::InvalidInput`] when the request made too many.
    pub fn count_call(&self, name: &str) -> Result<()> {
        if self.calls.fetch_add(1, Ordering::Relaxed) < limits::CALLS {
            return Ok(());
        }
        Err(Error::invalid_input(format!(
            "this request called modules more than {} times, `{name}` the last; check \
             `retrieval_modules` for modules that call each other in a circle",
            limits::CALLS
        )))
    }

    /// Notes that a part of the result was dropped.
    pub fn degrade(&self) {
        self.is_degraded.store(true, Ordering::Relaxed);
    }

    /// Whether a part of the result was dropped.
    pub fn is_degraded(&self) -> bool {
        self.is_degraded.load(Ordering::Relaxed)
    }
}

/// One call of a module or a pipeline within a request. Clones share all.
#[derive(Debug, Clone)]
pub(crate) struct CallScope(Arc<Parts>);

#[derive(Debug)]
struct Parts {
    request: Arc<RequestState>,
    filter: Filter,
    given: Mutex<HashMap<String, Given>>,
}

/// How far the host knows an entry that its services gave.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Given {
    /// It is there; whether it passes the call's filter was not looked at.
    Unchecked,
    /// It passes the call's filter.
    Passed,
}

impl CallScope {
    /// A call with this filter, to which nothing was given yet.
    pub fn new(request: Arc<RequestState>, filter: Filter) -> Self {
        Self(Arc::new(Parts {
            request,
            filter,
            given: Mutex::default(),
        }))
    }

    /// What the request's calls share.
    pub fn request(&self) -> &Arc<RequestState> {
        &self.0.request
    }

    /// What an entry must be to be found by the call.
    pub fn filter(&self) -> &Filter {
        &self.0.filter
    }

    /// Remembers the hits of a search with this filter.
    pub fn give_hits(&self, hits: &[Hit], filter: &Filter) {
        let given = match filter.implies(&self.0.filter) {
            true => Given::Passed,
            false => Given::Unchecked,
        };
        self.remember(hits.iter().map(|hit| (hit.entry_id.as_str(), given)));
    }

    /// Remembers entries that were read.
    pub fn give_entries(&self, entries: &[Entry]) {
        self.remember(entries.iter().map(|entry| {
            let given = match self.0.filter.matches(entry) {
                true => Given::Passed,
                false => Given::Unchecked,
            };
            (entry.entry_id.as_str(), given)
        }));
    }

    /// What is known of an entry; `None` when no service gave it.
    pub fn given(&self, entry_id: &str) -> Option<Given> {
        self.lock().get(entry_id).copied()
    }

    fn remember<'a>(&self, entries: impl Iterator<Item = (&'a str, Given)>) {
        let mut known = self.lock();
        for (id, given) in entries {
            match known.get_mut(id) {
                Some(before) => *before = (*before).max(given),
                None => {
                    known.insert(id.to_owned(), given);
                }
            }
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<String, Given>> {
        // A panic while the lock is held can only have been in an insert; the
        // map is whole in any case.
        let given = &self.0.given;
        given.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use gannet_api::{Condition, FilterField, ScoreKind};

    use super::*;

    #[test]
    fn hits_of_a_search_without_the_calls_filter_are_not_known_to_pass() {
        let of_lee = Filter::none().and(FilterField::Author, Condition::Contains("lee".into()));
        let scope = CallScope::new(Arc::default(), of_lee.clone());
        let hit = |id: &str| Hit::new(id, "logbook", 1.0, ScoreKind::Bm25);
        scope.give_hits(&[hit("a"), hit("b")], &Filter::none());
        assert_eq!(scope.given("a"), Some(Given::Unchecked));
        scope.give_hits(&[hit("a")], &of_lee);
        scope.give_hits(&[hit("a")], &Filter::none());
        assert_eq!(scope.given("a"), Some(Given::Passed));
        assert_eq!(scope.given("b"), Some(Given::Unchecked));
        assert_eq!(scope.given("c"), None);
    }
}

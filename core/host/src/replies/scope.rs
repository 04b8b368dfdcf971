//! What the host remembers of a request and of each call in it.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gannet_api::{Answer, Embeddings, Entry, Error, Filter, Hit, QueryPlan, Result, limits};
use serde_json::Value;

use crate::ignored_words::IgnoredWords;
use crate::planning::QuestionKey;

use super::shown::ShownEntries;
use super::tokens::ReadTokens;

/// What all calls of one request share.
#[derive(Debug, Default)]
pub(crate) struct RequestState {
    calls: AtomicU32,
    is_degraded: AtomicBool,
    searched_store: AtomicBool,
    counted_none: AtomicBool,
    shown: ShownEntries,
    tokens: ReadTokens,
    plans: Mutex<Vec<(QuestionKey, Arc<QueryPlan>)>>,
    questions: Mutex<VecDeque<Question>>,
    relevance: Mutex<HashMap<(AskedBy, String), f64>>,
    ignored: IgnoredWords,
}

/// To what an entry is relevant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum AskedBy {
    /// The question as a whole.
    Question,
    /// The set that it asks of.
    Set,
}

impl AskedBy {
    /// What the entries of an answer with these details were asked for.
    pub fn of(details: Option<&Value>) -> Self {
        match details.is_some_and(|details| details.get("set").is_some()) {
            true => Self::Set,
            false => Self::Question,
        }
    }
}

/// Plans that a request keeps; a pipeline rewrites its question a few times.
const MOST_PLANS: usize = 8;

/// A question as an embedder gave it.
#[derive(Debug)]
struct Question {
    provider: String,
    text: String,
    embeddings: Embeddings,
}

/// Questions that a request remembers: it has one, and a few rewritten ones.
const QUESTIONS: usize = 8;

impl RequestState {
    /// A request whose plans leave out what was read in these words.
    pub fn ignoring(words: &[String]) -> Self {
        Self {
            ignored: IgnoredWords::new(words),
            ..Self::default()
        }
    }

    /// The words whose reading is left out of plans.
    pub fn ignored(&self) -> &IgnoredWords {
        &self.ignored
    }

    /// The entries that were read for the request.
    pub fn shown(&self) -> &ShownEntries {
        &self.shown
    }

    /// The token vectors that were read for the request.
    pub fn tokens(&self) -> &ReadTokens {
        &self.tokens
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

    /// The plan of a question that was planned in this request.
    pub fn plan(&self, question: &QuestionKey) -> Option<Arc<QueryPlan>> {
        let plans = self.plans.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = plans.iter().find(|(key, _)| key == question);
        kept.map(|(_, plan)| plan.clone())
    }

    /// Keeps the plan of a question, if there is room.
    pub fn keep_plan(&self, question: QuestionKey, plan: Arc<QueryPlan>) {
        let mut plans = self.plans.lock().unwrap_or_else(PoisonError::into_inner);
        if plans.len() < MOST_PLANS {
            plans.push((question, plan));
        }
    }

    /// Notes that a part of the result was dropped.
    pub fn degrade(&self) {
        self.is_degraded.store(true, Ordering::Relaxed);
    }

    /// Notes that a plugin searched the store.
    pub fn note_store_search(&self) {
        self.searched_store.store(true, Ordering::Relaxed);
    }

    /// Whether a plugin searched the store for the request.
    pub fn has_searched_store(&self) -> bool {
        self.searched_store.load(Ordering::Relaxed)
    }

    /// Notes that the host counted a set by its conditions, which is empty.
    pub fn note_counted_none(&self) {
        self.counted_none.store(true, Ordering::Relaxed);
    }

    /// Whether the host counted an empty set for the request.
    pub fn has_counted_none(&self) -> bool {
        self.counted_none.load(Ordering::Relaxed)
    }

    /// A question's embeddings by the provider that was asked for, where this
    /// request has embedded it before.
    pub fn question(&self, provider: &str, text: &str) -> Option<Embeddings> {
        let questions = self.questions();
        let is_it = |known: &&Question| known.provider == provider && known.text == text;
        let known = questions.iter().find(is_it);
        known.map(|known| known.embeddings.clone())
    }

    /// Remembers how relevant entries are to what a pipeline asked about.
    pub fn keep_relevance(&self, by: AskedBy, known: impl Iterator<Item = (String, f64)>) {
        let mut relevance = self
            .relevance
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        relevance.extend(known.map(|(id, probability)| ((by, id), probability)));
    }

    /// The relevance of an entry, where a pipeline asked for it.
    pub fn relevance(&self, by: AskedBy, entry_id: &str) -> Option<f64> {
        let relevance = self
            .relevance
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        relevance.get(&(by, entry_id.to_owned())).copied()
    }

    /// Whether any question was encoded.
    pub fn has_encoded_question(&self) -> bool {
        !self.questions().is_empty()
    }

    /// Remembers the embeddings of a question.
    pub fn keep_question(&self, provider: &str, text: &str, embeddings: &Embeddings) {
        let mut questions = self.questions();
        if questions.len() == QUESTIONS {
            questions.pop_front();
        }
        questions.push_back(Question {
            provider: provider.to_owned(),
            text: text.to_owned(),
            embeddings: embeddings.clone(),
        });
    }

    fn questions(&self) -> MutexGuard<'_, VecDeque<Question>> {
        // A panic while the lock is held can only have been in a push; the
        // list is whole in any case.
        let questions = self.questions.lock();
        questions.unwrap_or_else(PoisonError::into_inner)
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
    known: Mutex<HashMap<String, FilterCheck>>,
}

/// What the host knows of an entry that its services returned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum FilterCheck {
    /// It exists; it was not compared with the call's filter.
    Unchecked,
    /// It passes the call's filter.
    Passed,
}

impl CallScope {
    /// A call with this filter, to which nothing was returned yet.
    pub fn new(request: Arc<RequestState>, filter: Filter) -> Self {
        Self(Arc::new(Parts {
            request,
            filter,
            known: Mutex::default(),
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
    pub fn note_hits(&self, hits: &[Hit], filter: &Filter) {
        let check = match filter.implies(&self.0.filter) {
            true => FilterCheck::Passed,
            false => FilterCheck::Unchecked,
        };
        self.remember(hits.iter().map(|hit| (hit.entry_id.as_str(), check)));
    }

    /// Remembers entries that were read.
    pub fn note_entries(&self, entries: &[Entry]) {
        self.remember(entries.iter().map(|entry| {
            let check = match self.0.filter.matches(entry) {
                true => FilterCheck::Passed,
                false => FilterCheck::Unchecked,
            };
            (entry.entry_id.as_str(), check)
        }));
    }

    /// Remembers what an answer is made from, as the call that made it knows
    /// it.
    pub fn note_answer(&self, answer: &Answer, made_by: &Self) {
        let same = made_by.0.filter.implies(&self.0.filter);
        let ids = answer.citations.iter().chain(&answer.sources);
        let known = ids.filter_map(|id| {
            let check = match same {
                true => made_by.check_of(id)?,
                false => FilterCheck::Unchecked,
            };
            Some((id.as_str(), check))
        });
        let known: Vec<_> = known.collect();
        self.remember(known.into_iter());
    }

    /// What is known of an entry; `None` when no service returned it.
    pub fn check_of(&self, entry_id: &str) -> Option<FilterCheck> {
        self.lock().get(entry_id).copied()
    }

    fn remember<'a>(&self, entries: impl Iterator<Item = (&'a str, FilterCheck)>) {
        let mut known = self.lock();
        for (id, check) in entries {
            match known.get_mut(id) {
                Some(before) => *before = (*before).max(check),
                None => {
                    known.insert(id.to_owned(), check);
                }
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, FilterCheck>> {
        // A panic while the lock is held can only have been in an insert; the
        // map is whole in any case.
        let known = &self.0.known;
        known.lock().unwrap_or_else(PoisonError::into_inner)
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
        scope.note_hits(&[hit("a"), hit("b")], &Filter::none());
        assert_eq!(scope.check_of("a"), Some(FilterCheck::Unchecked));
        scope.note_hits(&[hit("a")], &of_lee);
        scope.note_hits(&[hit("a")], &Filter::none());
        assert_eq!(scope.check_of("a"), Some(FilterCheck::Passed));
        assert_eq!(scope.check_of("b"), Some(FilterCheck::Unchecked));
        assert_eq!(scope.check_of("c"), None);
    }
}

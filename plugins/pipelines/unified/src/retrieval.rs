//! Retrieve: the modules of each domain, all at once, each domain within its
//! own time.

use std::time::Duration;

use futures::future::{join, join_all};
use gannet_plugin::filter::Filter;
use gannet_plugin::host::{Diagnostics, Level};
use gannet_plugin::prelude::{Diagnostic, Error, Result, SearchRequest};
use gannet_stages::{ModuleHits, OnError, RetrievalPlan, all_failed, plan_legs, retrieve};

use crate::domains::Domain;
use crate::run::Run;
use crate::time_order;

/// Domains in scope that are searched by themselves, at most: a caller can name
/// any.
const SCOPED_AT_MOST: usize = 5;

/// What one domain gave.
pub(crate) struct Leg {
    /// Its name; empty for the search of everything.
    pub(crate) domain: String,
    /// Whether only those of its entries were searched that are of the things
    /// and times which the question names.
    pub(crate) is_part: bool,
    pub(crate) lists: Vec<ModuleHits>,
    /// Whether some of its modules failed.
    pub(crate) is_partial: bool,
    /// Why it gave nothing at all.
    pub(crate) failure: Option<Failure>,
}

/// Why a domain gave nothing.
pub(crate) struct Failure {
    /// What failed first: `timeout`, `store`, …
    pub(crate) category: String,
    pub(crate) error: Error,
}

impl Run<'_> {
    /// Searches every domain. Where domains are open, everything is searched
    /// at once, and those in scope by themselves too, so that they are there
    /// however much others have to say.
    ///
    /// # Errors
    /// All domains failed; or one did and `on_error` is `fail`.
    pub(crate) async fn search_domains(&self) -> Result<Vec<Leg>> {
        let searched = self.searched_domains();
        let legs = join_all(searched.iter().map(|domain| self.search_domain(domain)));
        let (legs, named) = join(legs, self.search_named(&searched)).await;
        let mut answered = Vec::with_capacity(legs.len());
        for (leg, notes) in legs {
            self.context.diagnostics.extend(notes);
            answered.push(leg);
        }
        let failed = answered.iter().filter(|leg| leg.failure.is_some()).count();
        let must_fail = self.settings.on_error == OnError::Fail && failed > 0;
        if failed == answered.len() || must_fail {
            return Err(self.failure(answered));
        }
        answered.extend(named);
        Ok(answered)
    }

    /// The last of something may be far down among all that fits its words. So
    /// the entries of the things and times that such a question names are
    /// searched by themselves too, where a filter can tell them. What fails
    /// here is noted by the search for the question itself.
    async fn search_named(&self, searched: &[Domain]) -> Vec<Leg> {
        let steps = match self.is_by_time() {
            true => plan_legs(&self.host),
            false => Vec::new(),
        };
        let together = steps.into_iter().next().unwrap_or_default();
        let of_store = |domain: &&Domain| domain.name.is_empty() || !domain.clauses.is_empty();
        let narrowed: Vec<Domain> = together
            .iter()
            .flat_map(|leg| {
                let of_store = searched.iter().filter(of_store);
                of_store.map(move |domain| domain.with_clauses(&leg.clauses))
            })
            .collect();
        let legs = join_all(narrowed.iter().map(|domain| self.search_domain(domain))).await;
        let answered = legs.into_iter().filter(|(leg, _)| leg.failure.is_none());
        let parts = answered.map(|(leg, _)| Leg {
            is_part: true,
            ..leg
        });
        parts.collect()
    }

    fn searched_domains(&self) -> Vec<Domain> {
        if !self.domains.are_open() {
            return self.domains.configured().to_vec();
        }
        let in_scope = self
            .plan
            .scope
            .iter()
            .take(SCOPED_AT_MOST)
            .filter_map(|name| self.domains.get(name));
        std::iter::once(self.domains.everything())
            .chain(in_scope)
            .collect()
    }

    async fn search_domain(&self, domain: &Domain) -> (Leg, Vec<Diagnostic>) {
        let limit = Duration::try_from_secs_f64(domain.timeout_seconds).unwrap_or(Duration::MAX);
        let deadline = self.context.call.deadline.at_most(limit);
        let mut own = self.context.with_deadline(deadline);
        own.diagnostics = Diagnostics::default();
        let filter = domain.narrowed(&self.request.filter);
        let modules = domain.modules.iter();
        let plan = RetrievalPlan {
            pipeline: match domain.name.as_str() {
                "" => self.name(),
                name => format!("{}.{name}", self.name()),
            },
            requests: modules
                .map(|module| (module.clone(), self.request_of(&filter)))
                .collect(),
            on_error: self.settings.on_error,
        };
        let mut leg = Leg {
            domain: domain.name.clone(),
            is_part: false,
            lists: Vec::new(),
            is_partial: false,
            failure: None,
        };
        let outcome = retrieve(plan, &own).await;
        let notes = own.diagnostics.take();
        match outcome {
            Ok(retrieved) => {
                leg.lists = retrieved.lists;
                leg.is_partial = retrieved.degraded;
            }
            Err(error) => {
                // One error stands for those of all modules; each has its note.
                let mut failed = notes.iter().filter(|note| note.level == Level::Error);
                let category = failed.find_map(|note| note.category.clone());
                let category = category.unwrap_or_else(|| error.category().to_owned());
                leg.failure = Some(Failure { category, error });
            }
        }
        (leg, notes)
    }

    fn request_of(&self, filter: &Filter) -> SearchRequest {
        let at_least = match self.is_by_time() {
            true => time_order::POOL,
            false => 0,
        };
        let candidates = self.settings.candidates.max(self.request.limit);
        let candidates = candidates.max(at_least);
        let mut request = SearchRequest::new(&self.plan.search_text, candidates);
        request.syntax = self.plan.syntax;
        request.filter = filter.clone();
        request
    }

    fn failure(&self, legs: Vec<Leg>) -> Error {
        let failures = legs.into_iter().filter_map(|leg| {
            let named = if leg.domain.is_empty() {
                "all"
            } else {
                &leg.domain
            };
            let named = named.to_owned();
            leg.failure.map(|failure| (named, failure.error))
        });
        let mut failures: Vec<(String, Error)> = failures.collect();
        match failures.len() {
            1 => failures.swap_remove(0).1,
            _ => all_failed(&format!("{}.retrieve", self.name()), failures),
        }
    }
}

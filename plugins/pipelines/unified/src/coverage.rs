//! Coverage: what each domain had to say, so that a page can tell "nothing
//! fits" from "nothing is there" and "it did not answer".

use std::collections::BTreeMap;

use futures::future::join_all;
use gannet_plugin::filter::{Condition, FilterField, TimeRange};
use gannet_plugin::host::Diagnostics;
use gannet_plugin::search::TextSearch;
use serde::Serialize;

use crate::ranking::Ranked;
use crate::retrieval::Leg;
use crate::run::Run;

/// Domains that are listed, at most.
const DOMAINS_AT_MOST: usize = 20;

/// What the domains had to say.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Coverage {
    pub(crate) domains: Vec<DomainCoverage>,
    /// Whether any entry can be searched at all.
    pub(crate) corpus_ready: bool,
    /// Whether the domains in scope have entries. Without a scope it says the
    /// same as `corpus_ready`; a scope of unknown domains has none.
    pub(crate) scope_ready: bool,
}

/// What one domain had to say.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DomainCoverage {
    pub(crate) domain: String,
    pub(crate) in_scope: bool,
    /// Hits among those that were ranked.
    pub(crate) hits: usize,
    pub(crate) status: Status,
    /// Why it failed, as a category: `timeout`, `store`, …
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) failure: Option<String>,
}

/// How a domain answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Status {
    /// It gave hits.
    Ok,
    /// Some of its modules failed.
    Partial,
    /// It has entries, and none fits.
    NoMatch,
    /// It has no entries.
    Empty,
    /// It did not answer.
    Failed,
}

impl Run<'_> {
    /// The coverage of what the domains gave. Of those without a hit it is
    /// found out whether they have entries.
    pub(crate) async fn coverage(&self, legs: &[Leg], ranked: &Ranked) -> Coverage {
        let mut hits: BTreeMap<&str, usize> = BTreeMap::new();
        for hit in &ranked.hits {
            *hits.entry(&hit.domain).or_default() += 1;
        }
        let mut names: Vec<&str> = hits.keys().copied().collect();
        let searched = legs.iter().map(|leg| leg.domain.as_str());
        names.extend(searched.filter(|name| !name.is_empty()));
        names.extend(self.plan.scope.iter().map(String::as_str));
        names.sort_unstable();
        names.dedup();
        // Those with the most hits are listed, by name.
        if names.len() > DOMAINS_AT_MOST {
            names.sort_by_key(|name| {
                let is_outside = self.plan.scope.is_empty() || !self.is_in_scope(name);
                (is_outside, std::cmp::Reverse(hits.get(name).copied()))
            });
            names.truncate(DOMAINS_AT_MOST);
            names.sort_unstable();
        }
        let of_each = names.into_iter().map(|name| {
            let found = hits.get(name).copied().unwrap_or_default();
            self.coverage_of(name, found, legs.iter().find(|leg| leg.domain == name))
        });
        let domains = join_all(of_each).await;
        let has_entries = |one: &DomainCoverage| one.status != Status::Empty;
        let corpus_ready = match ranked.hits.is_empty() && domains.iter().all(|d| !has_entries(d)) {
            true => self.has_entries(None).await,
            false => true,
        };
        let mut in_scope = domains.iter().filter(|one| one.in_scope);
        Coverage {
            scope_ready: match self.plan.scope.is_empty() {
                true => corpus_ready && self.plan.unknown_scope.is_empty(),
                false => in_scope.any(has_entries),
            },
            corpus_ready,
            domains,
        }
    }

    async fn coverage_of(&self, name: &str, hits: usize, leg: Option<&Leg>) -> DomainCoverage {
        let failure = leg.and_then(|leg| leg.failure.as_ref());
        let status = match (failure, hits) {
            (Some(_), _) => Status::Failed,
            (None, 0) => match self.has_entries(Some(name)).await {
                true => Status::NoMatch,
                false => Status::Empty,
            },
            (None, _) if leg.is_some_and(|leg| leg.is_partial) => Status::Partial,
            (None, _) => Status::Ok,
        };
        DomainCoverage {
            domain: name.to_owned(),
            in_scope: !self.plan.scope.is_empty() && self.is_in_scope(name),
            hits,
            status,
            failure: failure.map(|failure| failure.category.clone()),
        }
    }

    /// Whether a domain has entries that pass the filter of the request, or
    /// whether there are any at all. What cannot be found out is taken for
    /// granted, and so is what only a module of its own knows.
    async fn has_entries(&self, domain: Option<&str>) -> bool {
        let known = domain.and_then(|name| self.domains.get(name));
        if domain.is_some() && known.as_ref().is_none_or(|known| known.clauses.is_empty()) {
            return true;
        }
        let filter = match &known {
            Some(known) => known.narrowed(&self.request.filter),
            None => self.request.filter.clone(),
        };
        let mut probe = TextSearch::new("", 1);
        // Every entry has a time: a search without words lists what a filter
        // lets through, and needs one.
        let any_time = Condition::Time(TimeRange::default());
        probe.filter = filter.and(FilterField::Timestamp, any_time);
        probe.fuzzy = false;
        let mut own = self.context.clone();
        own.diagnostics = Diagnostics::default();
        own.text_search(probe)
            .await
            .map_or(true, |found| !found.is_empty())
    }
}

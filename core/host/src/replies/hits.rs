//! Hits of a module or a pipeline, checked against the entries that they name.

use std::collections::{HashMap, HashSet};

use gannet_api::{Diagnostic, Entry, Hit, limits};
use gannet_store::{Store, StoreError};

use super::scope::{CallScope, FilterCheck};
use super::size::{shrink_entry, shrink_hit};
use crate::quarantine::PluginName;

/// Where diagnostics about dropped results come from.
pub(crate) const SOURCE: &str = "service.results";

/// What the host found out about entries that a plugin named.
pub(super) struct Verdicts<'a> {
    scope: &'a CallScope,
    read: HashMap<String, Verdict>,
}

/// What the host knows of an entry that a plugin named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It is there and passes the call's filter.
    Passes,
    /// It is there, and the call's filter leaves it out.
    Outside,
    /// It came with its hit, the store does not hold it, and the call's filter
    /// leaves it out. No module can ask the store about it before.
    GivenOutside,
    /// The tenant has no such entry.
    Unknown,
}

impl<'a> Verdicts<'a> {
    /// Reads those of the entries that are not known to pass. The services of
    /// the host keep to the filter of a search: their hits need no second look.
    pub async fn on(
        ids: impl Iterator<Item = &str>,
        store: &Store,
        tenant: &str,
        scope: &'a CallScope,
    ) -> Result<Self, StoreError> {
        let unsure = ids.filter(|id| scope.check_of(id) != Some(FilterCheck::Passed));
        let unsure: HashSet<&str> = unsure.collect();
        let unsure: Vec<String> = unsure.into_iter().map(str::to_owned).collect();
        let shown = scope.request().shown();
        let entries = match unsure.is_empty() {
            true => Vec::new(),
            false => shown.entries(store, tenant, &unsure).await?,
        };
        let read = entries.into_iter().map(|entry| {
            let verdict = match scope.filter().matches(&entry) {
                true => Verdict::Passes,
                false if shown.is_not_stored(&entry.entry_id) => Verdict::GivenOutside,
                false => Verdict::Outside,
            };
            (entry.entry_id, verdict)
        });
        Ok(Self {
            scope,
            read: read.collect(),
        })
    }

    /// What is known of this entry.
    pub fn of(&self, entry_id: &str) -> Verdict {
        match self.scope.check_of(entry_id) {
            Some(FilterCheck::Passed) => Verdict::Passes,
            _ => *self.read.get(entry_id).unwrap_or(&Verdict::Unknown),
        }
    }
}

/// How many hits were dropped, by reason.
#[derive(Debug, Default)]
struct Dropped {
    not_finite: usize,
    without_id: usize,
    twice: usize,
    outside: usize,
    given_outside: usize,
    unknown: usize,
}

/// Drops hits that cannot be shown: of entries that fail the filter or that
/// are not there, with a score that is not finite, of an entry that was there
/// before. Of the rest at most `limit` stay, in order, each cut to the
/// contract's limits. A diagnostic names the plugin and the numbers.
///
/// # Errors
/// [`StoreError`] when entries cannot be read.
pub(crate) async fn check_hits(
    hits: &mut Vec<Hit>,
    limit: usize,
    plugin: PluginName<'_>,
    (store, tenant): (&Store, &str),
    scope: &CallScope,
) -> Result<Option<Diagnostic>, StoreError> {
    let mut dropped = Dropped::default();
    let mut seen = HashSet::new();
    hits.retain(|hit| dropped.let_through(hit) && dropped.is_first(&mut seen, hit));
    hits.truncate(limit);
    hits.iter_mut().for_each(shrink_hit);
    let given = take_entries(hits, tenant);
    scope.request().shown().give(given);
    let ids = hits.iter().map(|hit| hit.entry_id.as_str());
    let verdicts = Verdicts::on(ids, store, tenant, scope).await?;
    hits.retain(|hit| match verdicts.of(&hit.entry_id) {
        Verdict::Passes => true,
        Verdict::Outside => {
            dropped.outside += 1;
            false
        }
        Verdict::GivenOutside => {
            dropped.given_outside += 1;
            false
        }
        Verdict::Unknown => {
            dropped.unknown += 1;
            false
        }
    });
    if dropped.faults() > 0 {
        scope.request().degrade();
    }
    Ok(dropped.diagnostic(plugin))
}

/// The entries that came with hits, as entries of the tenant that asks.
fn take_entries(hits: &mut [Hit], tenant: &str) -> Vec<Entry> {
    let with_entry = hits.iter_mut().filter_map(|hit| {
        let mut entry = *hit.entry.take()?;
        if entry.entry_id != hit.entry_id {
            return None;
        }
        shrink_entry(&mut entry);
        tenant.clone_into(&mut entry.tenant);
        hit.kind.clone_from(&entry.kind);
        Some(entry)
    });
    with_entry.collect()
}

impl Dropped {
    fn let_through(&mut self, hit: &Hit) -> bool {
        let has_id = (1..=limits::ID_BYTES).contains(&hit.entry_id.len());
        self.without_id += usize::from(!has_id);
        self.not_finite += usize::from(has_id && !hit.score.is_finite());
        has_id && hit.score.is_finite()
    }

    fn is_first(&mut self, seen: &mut HashSet<String>, hit: &Hit) -> bool {
        let is_first = seen.insert(hit.entry_id.clone());
        self.twice += usize::from(!is_first);
        is_first
    }

    /// A second hit of an entry takes nothing from the result, and the filter
    /// of what the store does not hold is the host's work.
    fn faults(&self) -> usize {
        self.not_finite + self.without_id + self.outside + self.unknown
    }

    fn diagnostic(&self, plugin: PluginName<'_>) -> Option<Diagnostic> {
        let reasons = [
            (self.outside, "outside the filter"),
            (
                self.given_outside,
                "outside the filter and not in the store",
            ),
            (self.unknown, "of unknown entries"),
            (self.not_finite, "with a score that is not finite"),
            (self.without_id, "without a usable entry id"),
            (self.twice, "of an entry that came before"),
        ];
        let reasons = reasons.into_iter().filter(|(count, _)| *count > 0);
        let reasons: Vec<String> = reasons
            .map(|(count, reason)| format!("{count} {reason}"))
            .collect();
        if reasons.is_empty() {
            return None;
        }
        let hits = match self.faults() + self.given_outside + self.twice {
            1 => "1 hit of".to_owned(),
            number => format!("{number} hits of"),
        };
        let message = format!("dropped {hits} {plugin}: {}", reasons.join(", "));
        Some(match self.faults() {
            0 if self.given_outside > 0 => Diagnostic::info(SOURCE, message).category("filtered"),
            0 => Diagnostic::info(SOURCE, message).category("duplicate"),
            _ => Diagnostic::warning(SOURCE, message).category("invalid_result"),
        })
    }
}

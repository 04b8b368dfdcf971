//! One poll of a source: an ingestion by whoever holds the claim.

use std::sync::Arc;
use std::time::Duration;

use gannet_api::FetchRequest;
use gannet_store::{RunStatus, WorkClaim};
use jiff::Timestamp;

use super::board::WatchState;
use super::changes::Changes;
use super::full_read::FullRead;
use super::scheduler::{Poll, Polled};
use super::{Watch, WatchedSource};
use crate::config::Missing;
use crate::{Gannet, HostError, IngestReport, IngestRequest, RunEnd, Stop};

/// Runs that are looked at for one that read an adapter.
const RUNS: usize = 1000;

/// What happens to a source, for whoever shows it.
#[derive(Debug, Clone)]
pub enum WatchEvent {
    /// It was read.
    Polled {
        /// Which source.
        source: String,
        /// What came of it.
        report: IngestReport,
    },
    /// It could not be read.
    Failed {
        /// Which source.
        source: String,
        /// Why.
        error: String,
    },
    /// Another process follows it; this one waits for its end.
    Elsewhere {
        /// Which source.
        source: String,
    },
    /// It waits until `gannet ingest` has read its adapter once.
    NotIngested {
        /// Which source.
        source: String,
    },
    /// It failed too often and is not followed any more.
    GivenUp {
        /// Which source.
        source: String,
    },
}

/// Why a poll read nothing.
enum Skipped {
    Elsewhere,
    NotIngested,
}

/// A source with what its polls share.
pub(super) struct SourcePoll {
    watch: Arc<Watch>,
    pub(super) source: WatchedSource,
    stop: Stop,
    claim: Option<WorkClaim>,
    changes: Changes,
    /// What it was doing, so that each change is told once.
    was: WatchState,
}

impl SourcePoll {
    pub(super) fn new(watch: Arc<Watch>, source: WatchedSource, stop: Stop) -> Self {
        let own = watch.gannet().store_path().to_owned();
        Self {
            changes: Changes::of(source.path.clone(), own),
            watch,
            source,
            stop,
            claim: None,
            was: WatchState::Waiting,
        }
    }

    /// It is not followed any more, for this reason.
    pub(super) async fn end(mut self, state: WatchState) {
        self.set(state);
        if state == WatchState::GivenUp {
            self.tell(WatchEvent::GivenUp {
                source: self.source.name.clone(),
            });
            tracing::error!(
                source = self.source.name,
                failures = self.source.policy.max_consecutive_failures,
                "the source failed too often and is not followed any more; reload the \
                 configuration to follow it again"
            );
        }
        self.keep().await;
        if let Some(claim) = self.claim.take()
            && let Err(error) = claim.release().await
        {
            tracing::debug!(%error, "the claim of a source ended with its connection");
        }
    }

    async fn read(&mut self, gannet: &Gannet) -> Result<Result<IngestReport, Skipped>, HostError> {
        let is_dry = self.watch.options.dry_run;
        if !is_dry && !self.holds_claim(gannet).await? {
            return Ok(Err(Skipped::Elsewhere));
        }
        if self.source.policy.require_initial_ingest && !was_read(gannet, &self.source).await? {
            return Ok(Err(Skipped::NotIngested));
        }
        self.set(WatchState::Polling);
        self.changes.begin().await;
        // A dry run keeps nothing, also not that it was one.
        let full = FullRead::of(&self.source).filter(|_| !is_dry);
        let began = Timestamp::now();
        let is_full = match &full {
            Some(full) => full.begin(gannet.store(), began).await?,
            None => false,
        };
        let request = self.request(is_full);
        let report = gannet.ingest(request, &self.stop, |_| {}).await?;
        if let Some(full) = full.filter(|_| report.end == RunEnd::Finished) {
            full.finished(gannet.store(), began, &report).await?;
        }
        Ok(Ok(report))
    }

    fn request(&self, from_start: bool) -> IngestRequest {
        IngestRequest {
            adapter: Some(self.source.adapter.clone()),
            fetch: FetchRequest::default().with_source(self.source.source.clone()),
            tenant: self.source.tenant.clone(),
            dry_run: self.watch.options.dry_run,
            from_start,
            cursor_at_end: from_start,
            delete_missing: self.source.missing == Missing::Delete,
        }
    }

    /// Whether this process is the one that follows the source. A claim that
    /// was lost with its connection is claimed again.
    async fn holds_claim(&mut self, gannet: &Gannet) -> Result<bool, HostError> {
        if let Some(claim) = &mut self.claim
            && claim.is_held().await
        {
            return Ok(true);
        }
        let name = &self.source.name;
        self.claim = gannet.store().claim_source(name).await?;
        if self.claim.is_none() {
            return Ok(false);
        }
        self.watch.board.take_over(gannet.store(), name).await?;
        Ok(true)
    }

    fn set(&mut self, state: WatchState) {
        self.was = state;
        self.watch.board.change(&self.source.name, |report| {
            report.state = state;
            report.next_poll = None;
        });
    }

    fn tell(&self, event: WatchEvent) {
        (self.watch.options.on_event)(event);
    }

    /// Keeps the report where other processes see it, as the one that follows the
    /// source. It is for people: a poll does not fail by it.
    async fn keep(&self) {
        if self.watch.options.dry_run || self.claim.is_none() {
            return;
        }
        let gannet = self.watch.gannet();
        if let Err(error) = self.watch.board.keep(gannet.store(), &self.source).await {
            tracing::warn!(%error, source = self.source.name, "the state of a source is not kept");
        }
    }

    fn skipped(&mut self, skipped: Skipped) -> Polled {
        let name = self.source.name.clone();
        let (state, polled) = match skipped {
            Skipped::Elsewhere => (WatchState::Elsewhere, Polled::Elsewhere),
            Skipped::NotIngested => (WatchState::NotIngested, Polled::Read),
        };
        if self.was != state {
            self.tell(match skipped {
                Skipped::Elsewhere => WatchEvent::Elsewhere { source: name },
                Skipped::NotIngested => WatchEvent::NotIngested { source: name },
            });
        }
        self.set(state);
        polled
    }
}

impl Poll for SourcePoll {
    async fn poll(&mut self) -> Polled {
        // The configuration of now: an adapter may have other settings.
        let gannet = self.watch.gannet();
        let read = self.read(&gannet).await;
        let (board, name) = (self.watch.board.clone(), self.source.name.clone());
        let now = Timestamp::now();
        match read {
            Ok(Err(skipped)) => self.skipped(skipped),
            Ok(Ok(report)) => {
                board.change(&name, |one| one.succeeded(&report.counts, now));
                tracing::debug!(source = name, counts = ?report.counts, "polled");
                self.tell(WatchEvent::Polled {
                    source: name,
                    report,
                });
                self.was = WatchState::Waiting;
                Polled::Read
            }
            Err(error) => {
                let error = error.to_string();
                board.change(&name, |one| one.failed(&error, now));
                tracing::warn!(source = name, error, "a poll failed");
                self.tell(WatchEvent::Failed {
                    source: name,
                    error,
                });
                self.was = WatchState::Waiting;
                Polled::Failed
            }
        }
    }

    async fn changed(&mut self) {
        self.changes.next().await;
    }

    async fn waits(&mut self, wait: Duration) {
        let next = Timestamp::now().checked_add(wait).ok();
        self.watch.board.change(&self.source.name, |report| {
            if report.state == WatchState::Polling {
                report.state = WatchState::Waiting;
            }
            report.next_poll = next;
        });
        self.keep().await;
    }
}

/// Whether a run has read the adapter of a source to its end.
async fn was_read(gannet: &Gannet, source: &WatchedSource) -> Result<bool, HostError> {
    let runs = gannet.store().runs(RUNS).await?;
    Ok(runs
        .iter()
        .any(|run| run.source_system == source.adapter && run.outcome.status == RunStatus::Success))
}

//! What runs on a schedule: sources, digests, saved searches and the outbox.

use std::sync::Arc;
use std::time::{Duration, Instant};

use gannet_store::WorkClaim;
use jiff::Timestamp;

use super::scheduler::{Poll, Polled, Schedule, Timing};
use super::{Watch, WatchedSource};
use crate::config::{Adopt, DigestConfig, WatchConfig};
use crate::{Gannet, HostError, Stop};

/// How often the outbox is looked at, beside whenever something is put into it
/// by this process.
const OUTBOX: Duration = Duration::from_secs(10);
/// How often entries are looked for that saved searches may find: any process
/// may have written them.
const ARRIVALS: Duration = Duration::from_secs(1);
/// How often old notes of the outbox are deleted.
const FORGET: Duration = Duration::from_hours(6);

/// What runs on a schedule.
#[derive(Debug, Clone, PartialEq)]
pub enum Job {
    /// A source is read.
    Source(WatchedSource),
    /// A digest is made.
    Digest {
        /// Its name.
        name: String,
        /// What it is; a change begins it again.
        config: DigestConfig,
    },
    /// New entries are matched against the saved searches.
    SavedSearches,
    /// Messages are delivered.
    Outbox,
}

impl From<WatchedSource> for Job {
    fn from(source: WatchedSource) -> Self {
        Self::Source(source)
    }
}

impl Job {
    /// Its name among all jobs.
    pub(super) fn name(&self) -> String {
        match self {
            Self::Source(source) => source.name.clone(),
            Self::Digest { name, .. } => format!("service.digest.{name}"),
            Self::SavedSearches => "service.saved_searches".to_owned(),
            Self::Outbox => "service.outbox".to_owned(),
        }
    }
}

impl Gannet {
    /// What the service runs by its configuration: sources with an interval,
    /// digests, saved searches, and the outbox where there are deliveries.
    pub fn scheduled_jobs(&self) -> Vec<Job> {
        let sources = self.scheduled_sources().into_iter().map(Job::Source);
        let digests = self.config().digests.iter();
        let digests = digests.filter(|(_, digest)| digest.enabled);
        let digests = digests.map(|(name, config)| Job::Digest {
            name: name.clone(),
            config: config.clone(),
        });
        let mut deliveries = self.config().deliveries.values();
        let outbox = deliveries.any(|one| one.enabled).then_some(Job::Outbox);
        // A database that is only read keeps no searches.
        let keeps_state = self.store_config().adopt == Adopt::None;
        let searches = keeps_state.then_some(Job::SavedSearches);
        sources
            .chain(digests)
            .chain(searches)
            .chain(outbox)
            .collect()
    }

    /// Delivers what waits, unless another process does. Returns whether this
    /// one did.
    ///
    /// # Errors
    /// [`HostError::Store`].
    pub async fn deliver_here(&self, now: Timestamp) -> Result<bool, HostError> {
        let claim = self.store().claim_source(&Job::Outbox.name()).await?;
        let Some(claim) = claim else {
            return Ok(false);
        };
        self.deliver_due(now, &Stop::default()).await?;
        claim.release().await?;
        Ok(true)
    }
}

/// A job of the host itself with what its runs share.
pub(super) struct JobPoll {
    watch: Arc<Watch>,
    job: Job,
    stop: Stop,
    claim: Option<WorkClaim>,
    forgot: Option<Instant>,
}

impl JobPoll {
    pub(super) fn new(watch: Arc<Watch>, job: Job, stop: Stop) -> Self {
        Self {
            watch,
            job,
            stop,
            claim: None,
            forgot: None,
        }
    }

    /// When it runs. It is never given up: a server of mail may be away for
    /// days.
    pub(super) fn schedule(&self) -> Result<Schedule, HostError> {
        let timing = match &self.job {
            Job::Digest { name, .. } => Timing::Cron(self.watch.gannet().scheduled_digest(name)?.1),
            Job::SavedSearches => Timing::Every(ARRIVALS),
            Job::Outbox | Job::Source(_) => Timing::Every(OUTBOX),
        };
        Ok(Schedule {
            timing,
            policy: WatchConfig {
                max_consecutive_failures: u32::MAX,
                ..WatchConfig::default()
            },
            once: self.watch.options.once,
        })
    }

    pub(super) async fn end(self) {
        if let Some(claim) = self.claim
            && let Err(error) = claim.release().await
        {
            tracing::debug!(%error, "the claim of a job ended with its connection");
        }
    }

    async fn run(&mut self, gannet: &Gannet) -> Result<Polled, HostError> {
        if self.job == Job::SavedSearches && !gannet.has_saved_searches().await? {
            return Ok(Polled::Read);
        }
        if !self.holds_claim(gannet).await? {
            return Ok(Polled::Elsewhere);
        }
        let now = Timestamp::now();
        match &self.job {
            Job::Digest { name, .. } => {
                if let Some(message) = gannet.make_due_digest(name, now).await? {
                    tracing::info!(digest = name, message_id = message.id, "a digest was made");
                }
            }
            Job::SavedSearches => {
                gannet.match_arrivals(now, &self.stop).await?;
                if self.may_forget() {
                    gannet.forget_old_matches(now).await?;
                }
            }
            Job::Outbox | Job::Source(_) => {
                gannet.deliver_due(now, &self.stop).await?;
                if self.may_forget() {
                    gannet.forget_delivered(now).await?;
                }
            }
        }
        Ok(Polled::Read)
    }

    /// Whether it is time to delete what is old.
    fn may_forget(&mut self) -> bool {
        let is_time = self.forgot.is_none_or(|last| last.elapsed() > FORGET);
        if is_time {
            self.forgot = Some(Instant::now());
        }
        is_time
    }

    /// Of all processes on a store one runs a job.
    async fn holds_claim(&mut self, gannet: &Gannet) -> Result<bool, HostError> {
        if let Some(claim) = &mut self.claim
            && claim.is_held().await
        {
            return Ok(true);
        }
        self.claim = gannet.store().claim_source(&self.job.name()).await?;
        Ok(self.claim.is_some())
    }
}

impl Poll for JobPoll {
    async fn poll(&mut self) -> Polled {
        let gannet = self.watch.gannet();
        match self.run(&gannet).await {
            Ok(polled) => polled,
            Err(error) => {
                tracing::warn!(job = self.job.name(), %error, "a scheduled job failed");
                Polled::Failed
            }
        }
    }

    async fn changed(&mut self) {
        let gannet = self.watch.gannet();
        match &self.job {
            Job::Outbox => gannet.services().lasting().outbox.notified().await,
            Job::Digest { .. } | Job::SavedSearches | Job::Source(_) => {
                std::future::pending().await
            }
        }
    }

    async fn waits(&mut self, _wait: Duration) {}
}

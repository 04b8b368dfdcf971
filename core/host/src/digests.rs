//! Digests on a schedule: made by the pipeline `digest`, put into the outbox.

use gannet_api::{Condition, FilterField, TimeRange};
use gannet_store::{Finding, StateKey, Store, StoreOptions};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::config::{Config, CronSchedule, DigestConfig};
use crate::delivery::{Message, MessageEntry, MessageKind, id_part};
use crate::kept_state;
use crate::search::MAX_RESULTS;
use crate::{Gannet, HostError, SearchInput, SearchResult};

/// The pipeline that makes them.
const MODE: &str = "digest";
/// For whom the store remembers them.
const OWNER: &str = "service.digests";
/// How late one may be made where a service makes them and nothing fails.
const USUAL_WAIT: SignedDuration = SignedDuration::from_mins(10);

/// How far a scheduled digest is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DigestProgress {
    /// The end of the time of the last one; before the first one, when it was
    /// first seen.
    pub until: Timestamp,
    /// Whether there was one.
    pub was_made: bool,
}

/// A scheduled digest of the configuration, and how it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DigestStatus {
    /// Its name.
    pub name: String,
    /// Its cron line.
    pub schedule: String,
    /// When the last one was made for.
    pub last: Option<Timestamp>,
    /// When the next one is due.
    pub next: Option<Timestamp>,
    /// Since when one is due that is not made.
    pub due: Option<Timestamp>,
}

impl DigestStatus {
    fn of(
        (name, digest): (&str, &DigestConfig),
        schedule: &CronSchedule,
        progress: Option<&DigestProgress>,
        now: Timestamp,
    ) -> Self {
        let due = progress.and_then(|one| schedule.next_after(one.until));
        Self {
            name: name.to_owned(),
            schedule: digest.schedule.clone(),
            last: progress.filter(|one| one.was_made).map(|one| one.until),
            next: schedule.next_after(now),
            due: due.filter(|due| *due <= now),
        }
    }

    /// What is wrong with it at this instant; `None` where nothing is.
    pub fn trouble(&self, now: Timestamp) -> Option<String> {
        let due = self.due?;
        let is_late = due.duration_until(now) > USUAL_WAIT;
        is_late.then(|| {
            format!(
                "the digest `{}` is not made, which is due since {due:.0}",
                self.name
            )
        })
    }
}

impl Gannet {
    /// Makes a scheduled digest where a time of its schedule has come since the
    /// last one, and puts it into the outbox. Of several missed times the last
    /// one counts, and its digest begins where the last one ended. A digest
    /// that is seen for the first time is made from its next time on. Returns
    /// the message.
    ///
    /// # Errors
    /// What the pipeline or the store failed with; the digest is still due then.
    pub async fn make_due_digest(
        &self,
        name: &str,
        now: Timestamp,
    ) -> Result<Option<Message>, HostError> {
        let (digest, schedule) = self.scheduled_digest(name)?;
        let Some(progress) = self.digest_progress(name).await? else {
            let seen = DigestProgress {
                until: now,
                was_made: false,
            };
            self.set_digest_progress(name, &seen).await?;
            return Ok(None);
        };
        let Some(due) = schedule.last_between(progress.until, now) else {
            return Ok(None);
        };
        let message = self.digest(name, digest, (progress.until, due)).await?;
        self.enqueue(&message, &digest.deliver_to).await?;
        let made = DigestProgress {
            until: due,
            was_made: true,
        };
        self.set_digest_progress(name, &made).await?;
        Ok(Some(message))
    }

    /// Makes a scheduled digest at once, from the last one until now, and puts
    /// it into the outbox. Its schedule does not change.
    ///
    /// # Errors
    /// What the pipeline or the store failed with, and for an unknown name.
    pub async fn make_digest(&self, name: &str, now: Timestamp) -> Result<Message, HostError> {
        let (digest, schedule) = self.scheduled_digest(name)?;
        let progress = self.digest_progress(name).await?;
        let last = progress.map(|progress| progress.until);
        // The first one has the time of one round.
        let round = || {
            let next = schedule.next_after(now)?;
            let length = schedule.next_after(next)?.duration_since(next);
            now.checked_sub(length).ok()
        };
        let from = last.or_else(round).unwrap_or(Timestamp::MIN);
        let message = self.digest(name, digest, (from, now)).await?;
        self.enqueue(&message, &digest.deliver_to).await?;
        Ok(message)
    }

    /// The scheduled digests of the configuration, and how they are.
    ///
    /// # Errors
    /// [`HostError::Store`] when the store cannot be read.
    pub async fn digest_statuses(&self, now: Timestamp) -> Result<Vec<DigestStatus>, HostError> {
        let mut statuses = Vec::new();
        let digests = self.config().digests.iter();
        for (name, digest) in digests.filter(|(_, digest)| digest.enabled) {
            let progress = self.digest_progress(name).await?;
            let (_, schedule) = self.scheduled_digest(name)?;
            let status =
                DigestStatus::of((name.as_str(), digest), &schedule, progress.as_ref(), now);
            statuses.push(status);
        }
        Ok(statuses)
    }

    /// A digest of the configuration, and its times.
    pub(crate) fn scheduled_digest(
        &self,
        name: &str,
    ) -> Result<(&DigestConfig, CronSchedule), HostError> {
        let digest = self.config().digests.get(name);
        let digest = digest.ok_or_else(|| gannet_api::Error::NotFound {
            what: "digest".to_owned(),
            name: name.to_owned(),
            hint: "; see `digests` in the configuration".to_owned(),
        })?;
        let schedule = CronSchedule::new(&digest.schedule, timezone_of(self.config(), digest));
        let key = format!("digests.{name}.schedule");
        let schedule = schedule.map_err(|fault| gannet_api::Error::configuration(key, fault))?;
        Ok((digest, schedule))
    }

    async fn digest(
        &self,
        name: &str,
        digest: &DigestConfig,
        (last, until): (Timestamp, Timestamp),
    ) -> Result<Message, HostError> {
        let zone = timezone_of(self.config(), digest);
        let zone = TimeZone::get(zone).map_err(|error| {
            let key = format!("digests.{name}.timezone");
            gannet_api::Error::configuration(key, error.to_string())
        })?;
        let since = digest.since.as_deref();
        let time = match since {
            Some(_) => self.time_between_at(&until.to_zoned(zone), since, None)?,
            None => TimeRange::default(),
        };
        let time = TimeRange {
            from: time.from.or(Some(last)),
            until: Some(until),
        };
        if time.from.is_some_and(|from| from >= until) {
            let message =
                format!("`digests.{name}.since` is not before {until:.0}, when this digest ends");
            return Err(gannet_api::Error::invalid_input(message).into());
        }
        let pairs: Vec<(String, String)> = digest.filter.clone().into_iter().collect();
        let filter = self.filter(&pairs)?;
        // Without words: the filter says all.
        let mut input = SearchInput::new(String::new());
        input.mode = Some(MODE.to_owned());
        input.max_results = Some(MAX_RESULTS);
        input.filter = filter.and(FilterField::Timestamp, Condition::Time(time));
        input.params = params(digest);
        input.tenant.clone_from(&digest.tenant);
        let result = self.search(input).await?;
        Ok(self.message_of(name, digest, result, until))
    }

    fn message_of(
        &self,
        name: &str,
        digest: &DigestConfig,
        mut result: SearchResult,
        until: Timestamp,
    ) -> Message {
        let text = result.answer.unwrap_or_default();
        let heading = text.lines().next().unwrap_or_default();
        let entries = result.entries.iter();
        let entries = entries.map(|hit| MessageEntry::new(&hit.entry, self.entry_url(&hit.entry)));
        let time = until.strftime("%Y%m%dT%H%M%SZ");
        Message {
            id: format!("digest.{}.{time}", id_part(name)),
            kind: MessageKind::Digest,
            name: name.to_owned(),
            tenant: digest.tenant.clone(),
            title: format!("{name}: {}", heading.trim_end_matches('.')),
            entries: entries.collect(),
            created_at: until,
            details: result.extensions.remove(MODE).unwrap_or_default(),
            text,
        }
    }

    async fn digest_progress(&self, name: &str) -> Result<Option<DigestProgress>, HostError> {
        Ok(kept_state::read(self.store(), &key(name)).await?)
    }

    async fn set_digest_progress(
        &self,
        name: &str,
        progress: &DigestProgress,
    ) -> Result<(), HostError> {
        Ok(kept_state::write(self.store(), &key(name), Some(progress)).await?)
    }
}

/// The time zone of the schedule, and of the times that the digest names.
fn timezone_of<'c>(config: &'c Config, digest: &'c DigestConfig) -> &'c str {
    digest.timezone.as_ref().unwrap_or(&config.timezone)
}

/// The digests that are late, of a store that is not open.
pub(crate) async fn findings(options: &StoreOptions, config: &Config) -> Vec<Finding> {
    let check = "digests";
    if !config.digests.values().any(|one| one.enabled) {
        return Vec::new();
    }
    let kept = match Store::remembered(options, OWNER, gannet_api::DEFAULT_TENANT).await {
        Ok(kept) => kept,
        Err(error) => {
            let advice = "run `gannet index verify --deep`, which looks at every part";
            return vec![Finding::fail(check, error.to_string(), advice)];
        }
    };
    let now = Timestamp::now();
    let digests = config.digests.iter().filter(|(_, one)| one.enabled);
    let late = digests.filter_map(|(name, digest)| {
        let schedule = CronSchedule::new(&digest.schedule, timezone_of(config, digest)).ok()?;
        let (_, progress) = kept.iter().find(|(key, _)| key == name)?;
        let progress: DigestProgress = serde_json::from_str(progress).ok()?;
        let status = DigestStatus::of((name.as_str(), digest), &schedule, Some(&progress), now);
        status.trouble(now)
    });
    let advice = "run `gannet serve`, which makes it, or `gannet digest --deliver NAME`, which \
                  says why it cannot be made";
    late.map(|late| Finding::warn(check, late, advice))
        .collect()
}

fn params(digest: &DigestConfig) -> Map<String, Value> {
    let params = [
        ("by", digest.by.clone().map(Value::from)),
        ("max_chars", digest.max_chars.map(Value::from)),
        ("timezone", digest.timezone.clone().map(Value::from)),
    ];
    let params = params.into_iter();
    let params = params.filter_map(|(name, value)| Some((name.to_owned(), value?)));
    params.collect()
}

fn key(name: &str) -> StateKey {
    kept_state::key(OWNER, gannet_api::DEFAULT_TENANT, name)
}

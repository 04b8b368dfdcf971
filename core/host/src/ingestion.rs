//! Ingestion: records of a source become entries of the store.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use gannet_api::{
    Call, Deadline, Entry, Error, FetchRequest, PluginKind, Record, RecordStream, RejectedRecord,
    Result as ApiResult,
};
use gannet_store::{RunOutcome, RunStatus, StoreError};
use jiff::Timestamp;
use serde::{Serialize, Serializer};

use crate::quarantine::PluginName;
use crate::rejects::RejectFile;
use crate::source::{Source, entry_bytes};
use crate::{Gannet, HostError, Stop};

/// After so many records without a usable one, a source is given up.
const HOPELESS: u64 = 1_000;
/// A batch is written when it has so many bytes, whatever the number of its
/// entries.
const BATCH_BYTES: usize = 16 << 20;
/// How much of a record that is too large is kept with its reason.
const KEPT_BYTES: usize = 64 << 10;

/// What is to be ingested.
#[derive(Debug, Clone)]
pub struct IngestRequest {
    /// Which adapter; the configured one when missing.
    pub adapter: Option<String>,
    /// What the adapter fetches, and how much of it.
    pub fetch: FetchRequest,
    /// Whose entries they become.
    pub tenant: String,
    /// Read and check everything, store nothing.
    pub dry_run: bool,
}

/// With the configured adapter, for the default tenant.
impl Default for IngestRequest {
    fn default() -> Self {
        Self {
            adapter: None,
            fetch: FetchRequest::default(),
            tenant: gannet_api::DEFAULT_TENANT.to_owned(),
            dry_run: false,
        }
    }
}

/// How far an ingestion is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct IngestProgress {
    /// Records read.
    pub read: u64,
    /// Records there are, where the source can tell.
    pub total: Option<u64>,
    /// Entries that are new.
    pub added: u64,
    /// Entries whose text or data changed.
    pub updated: u64,
    /// Entries that were there already, the same.
    pub unchanged: u64,
    /// Records that were kept aside.
    pub rejected: u64,
}

/// How an ingestion ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RunEnd {
    /// The whole source was read.
    Finished,
    /// It was asked to stop; running it again goes on.
    Stopped,
}

/// What an ingestion did.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct IngestReport {
    /// What was read and what became of it.
    #[serde(flatten)]
    pub counts: IngestProgress,
    /// How it ended.
    pub end: RunEnd,
    /// The records that were kept aside, if any.
    pub rejects: Option<PathBuf>,
    /// How long it took, in seconds.
    #[serde(rename = "elapsed_s", serialize_with = "as_seconds")]
    pub elapsed: Duration,
}

impl IngestReport {
    /// Of a run that was stopped before its source gave anything.
    fn nothing_read(started: Instant) -> Self {
        Self {
            counts: IngestProgress::default(),
            end: RunEnd::Stopped,
            rejects: None,
            elapsed: started.elapsed(),
        }
    }
}

pub(crate) fn as_seconds<S: Serializer>(
    duration: &Duration,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(duration.as_secs_f64())
}

impl Gannet {
    /// Reads a source and stores its entries, in batches. What is reported as
    /// added or updated is durable. Ingesting the same source again changes
    /// nothing, so that a run that was stopped or killed is simply repeated.
    ///
    /// # Errors
    /// An unknown adapter, a source that cannot be read, a store that cannot
    /// be written. What was stored before stays.
    pub async fn ingest(
        &self,
        request: IngestRequest,
        stop: &Stop,
        mut progress: impl FnMut(IngestProgress),
    ) -> Result<IngestReport, HostError> {
        let started = Instant::now();
        let name = request.adapter.as_deref().unwrap_or(self.default_adapter());
        let mut fetch = request.fetch;
        if fetch.source.is_none() {
            fetch.source = self.default_source().map(str::to_owned);
        }
        let stream = tokio::select! {
            biased;
            stream = self.fetch(name, fetch, &request.tenant) => stream?,
            () = stop.raised() => return Ok(IngestReport::nothing_read(started)),
        };
        let run = match request.dry_run {
            true => 0,
            false => self.store().begin_run(name).await?,
        };
        let mut ingestion = Ingestion {
            gannet: self,
            adapter: name,
            tenant: request.tenant,
            dry_run: request.dry_run,
            counts: IngestProgress {
                total: stream.total,
                ..IngestProgress::default()
            },
            batch: Vec::new(),
            batch_bytes: 0,
            rejects: RejectFile::new(self.reject_file(), run),
            latest: None,
        };
        let source = Source::start(stream);
        let mut read = ingestion.read_all(source, stop, &mut progress).await;
        // What was read before the source failed is kept; the first error is
        // the one that is reported.
        let stored = ingestion.store_batch().await;
        read = read.and_then(|end| stored.map(|()| end));
        progress(ingestion.counts);
        if !request.dry_run {
            let outcome = ingestion.outcome(&read);
            let finished = self.store().finish_run(run, outcome).await;
            let flushed = self.flush().await;
            read = read.and_then(|end| Ok(finished.and(flushed).map(|()| end)?));
        }
        Ok(IngestReport {
            end: read?,
            counts: ingestion.counts,
            rejects: ingestion.rejects.path().map(PathBuf::from),
            elapsed: started.elapsed(),
        })
    }

    /// Waits until what was written can be found. Where another process
    /// writes the indexes and is slow, that is noted and no error: everything
    /// is stored.
    pub(crate) async fn flush(&self) -> Result<(), StoreError> {
        match self.store().flush().await {
            Err(error @ (StoreError::Behind { .. } | StoreError::CopyBehind { .. })) => {
                tracing::warn!(
                    %error,
                    "everything is stored; it is found as soon as the process that writes the \
                     search indexes has taken it over"
                );
                Ok(())
            }
            flushed => flushed,
        }
    }

    async fn fetch(
        &self,
        name: &str,
        request: FetchRequest,
        tenant: &str,
    ) -> ApiResult<RecordStream> {
        let adapter = self.services().catalog().adapter(name).cloned();
        let adapter = adapter.ok_or_else(|| Error::NotFound {
            what: PluginKind::Adapter.label().to_owned(),
            name: name.to_owned(),
            hint: format!(
                "; there are: {}",
                self.services()
                    .catalog()
                    .names(PluginKind::Adapter)
                    .join(", ")
            ),
        })?;
        let call = Call::new(self.next_request_id(), tenant, Deadline::NEVER);
        let plugin = PluginName {
            kind: PluginKind::Adapter,
            name,
        };
        let context = self.services().context(call, plugin);
        let work = async move { adapter.fetch(request, &context).await };
        let services = self.services();
        services.isolate(plugin, Deadline::NEVER, work).await
    }
}

/// One ingestion under way.
struct Ingestion<'a> {
    gannet: &'a Gannet,
    adapter: &'a str,
    tenant: String,
    dry_run: bool,
    counts: IngestProgress,
    batch: Vec<Entry>,
    batch_bytes: usize,
    rejects: RejectFile,
    latest: Option<Timestamp>,
}

impl Ingestion<'_> {
    async fn read_all(
        &mut self,
        mut source: Source,
        stop: &Stop,
        progress: &mut impl FnMut(IngestProgress),
    ) -> Result<RunEnd, HostError> {
        loop {
            // A source that hangs does not keep the run from being stopped.
            let record = tokio::select! {
                biased;
                record = self.next_record(&mut source) => record?,
                () = stop.raised() => return Ok(RunEnd::Stopped),
            };
            let Some(record) = record else {
                return Ok(RunEnd::Finished);
            };
            self.counts.read += 1;
            self.take(record)?;
            self.refuse_hopeless_source()?;
            if self.is_batch_full() {
                self.store_batch().await?;
                progress(self.counts);
            }
            if stop.is_raised() {
                return Ok(RunEnd::Stopped);
            }
        }
    }

    fn is_batch_full(&self) -> bool {
        self.batch.len() >= self.gannet.ingest_batch_size() || self.batch_bytes >= BATCH_BYTES
    }

    async fn next_record(&self, source: &mut Source) -> ApiResult<Option<Record>> {
        let next = source.next().await;
        let plugin = PluginName {
            kind: PluginKind::Adapter,
            name: self.adapter,
        };
        let quarantine = self.gannet.services().quarantine();
        quarantine.note(plugin, next)
    }

    fn take(&mut self, record: Record) -> Result<(), HostError> {
        match record {
            Record::Entry(mut entry) => {
                let bytes = entry_bytes(&entry);
                let limit = self.gannet.max_record_bytes();
                if bytes > limit {
                    return self.take(Record::Rejected(too_large(*entry, bytes, limit)));
                }
                self.batch_bytes += bytes;
                entry.tenant.clone_from(&self.tenant);
                self.latest = self.latest.max(Some(entry.timestamp));
                self.batch.push(*entry);
            }
            Record::Rejected(rejected) => {
                self.counts.rejected += 1;
                if !self.dry_run {
                    self.rejects.keep(&rejected)?;
                }
            }
        }
        Ok(())
    }

    /// A source of which nothing can be used is probably in another format.
    fn refuse_hopeless_source(&self) -> Result<(), HostError> {
        let nothing_usable = self.counts.rejected == self.counts.read;
        match nothing_usable && self.counts.rejected >= HOPELESS {
            true => Err(Error::invalid_input(format!(
                "all of the first {HOPELESS} records were rejected; check the source, or use \
                 another adapter"
            ))
            .into()),
            false => Ok(()),
        }
    }

    async fn store_batch(&mut self) -> Result<(), HostError> {
        self.rejects.flush()?;
        let batch = std::mem::take(&mut self.batch);
        self.batch_bytes = 0;
        if self.dry_run || batch.is_empty() {
            return Ok(());
        }
        let records = batch.len() as u64;
        let report = self.gannet.store().upsert(batch).await?;
        // Of records with one id in a batch the last one counts, and the
        // others as what it changed.
        let replaced = records - report.added - report.updated - report.unchanged;
        self.counts.added += report.added;
        self.counts.updated += report.updated + replaced;
        self.counts.unchanged += report.unchanged;
        Ok(())
    }

    fn outcome(&self, read: &Result<RunEnd, HostError>) -> RunOutcome {
        RunOutcome {
            status: match read {
                Ok(RunEnd::Finished) => RunStatus::Success,
                Ok(RunEnd::Stopped) => RunStatus::Stopped,
                Err(_) => RunStatus::Failed,
            },
            added: self.counts.added,
            updated: self.counts.updated,
            unchanged: self.counts.unchanged,
            rejected: self.rejects.count(),
            error: read.as_ref().err().map(ToString::to_string),
            latest_timestamp: self.latest,
        }
    }
}

fn too_large(entry: Entry, bytes: usize, limit: usize) -> RejectedRecord {
    let mut raw = entry.raw_text;
    raw.truncate(raw.floor_char_boundary(KEPT_BYTES));
    RejectedRecord {
        position: format!("entry `{}`", entry.entry_id),
        entry_id: Some(entry.entry_id),
        reason: format!(
            "it has {bytes} bytes, more than `ingestion.max_record_bytes` ({limit}); only the \
             beginning is kept here"
        ),
        raw,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_become_those_of_the_default_tenant_unless_another_one_is_named() {
        let request = IngestRequest::default();
        assert_eq!(request.tenant, gannet_api::DEFAULT_TENANT);
    }
}

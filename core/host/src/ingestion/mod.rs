//! Ingestion: records of a source become entries of the store.

mod cursor;
mod file_kind;
mod file_list;
mod file_text;
mod missing;
mod other_sources;
mod reasons;
mod run;
mod source_plan;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use gannet_api::{
    Call, Deadline, Error, FetchRequest, PluginKind, RecordStream, Result as ApiResult,
};
use gannet_store::{RunOutcome, StoreError};
use jiff::Timestamp;
use serde::{Serialize, Serializer};

use self::cursor::SourceCursor;
use self::missing::Given;
use self::other_sources::warn_of_other_sources;
pub use self::reasons::RejectReason;
use self::run::Ingestion;
pub(crate) use self::run::id_fault;
pub use self::source_plan::{PlannedRun, SkippedFiles, SourcePlan};
use crate::publishing::unseen;
use crate::quarantine::PluginName;
use crate::source::Source;
use crate::{Gannet, HostError, Stop};

/// Runs among which one that has just begun is looked for.
const LATEST_RUNS: usize = 100;

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
    /// Read the source from its beginning, whatever was read before. Without
    /// it an adapter that has cursors goes on where it stopped.
    pub from_start: bool,
    /// Keep the cursor only when the source was read to its end: a run that
    /// fails leaves the one of before. Without it a run that is cut off goes
    /// on where it stopped.
    pub cursor_at_end: bool,
    /// Delete the entries of the source systems that the source gives and that
    /// it does not give any more. Of an adapter that goes on where it stopped,
    /// those of the span that it reads completely
    /// ([`complete_since`](RecordStream::complete_since)), and none where it
    /// names no span. Without effect with `since`, `until` or `limit`.
    pub delete_missing: bool,
}

/// With the configured adapter, for the default tenant.
impl Default for IngestRequest {
    fn default() -> Self {
        Self {
            adapter: None,
            fetch: FetchRequest::default(),
            tenant: gannet_api::DEFAULT_TENANT.to_owned(),
            dry_run: false,
            from_start: false,
            cursor_at_end: false,
            delete_missing: false,
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
    /// Records that cannot become entries.
    pub rejected: u64,
    /// Entries that the source no longer has, and that were there.
    pub deleted: u64,
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
    /// Whether it began at the beginning of the source.
    #[serde(skip)]
    pub from_beginning: bool,
    /// The records that were kept aside, if any.
    pub rejects: Option<PathBuf>,
    /// Why they were rejected, the most frequent reason first.
    pub reasons: Vec<RejectReason>,
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
            from_beginning: false,
            rejects: None,
            reasons: Vec::new(),
            elapsed: started.elapsed(),
        }
    }
}

impl IngestReport {
    /// This run and one that followed it, as one.
    #[must_use]
    pub fn and(mut self, next: Self) -> Self {
        let counts = &mut self.counts;
        counts.read += next.counts.read;
        counts.total = counts
            .total
            .zip(next.counts.total)
            .map(|(one, other)| one + other);
        counts.added += next.counts.added;
        counts.updated += next.counts.updated;
        counts.unchanged += next.counts.unchanged;
        counts.rejected += next.counts.rejected;
        counts.deleted += next.counts.deleted;
        self.reasons.extend(next.reasons);
        self.reasons
            .sort_by_key(|reason| std::cmp::Reverse(reason.count));
        Self {
            end: next.end,
            from_beginning: self.from_beginning && next.from_beginning,
            rejects: self.rejects.or(next.rejects),
            elapsed: self.elapsed + next.elapsed,
            ..self
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
        let cursor = SourceCursor::of(name, &fetch, &request.tenant);
        if let (Some(cursor), false) = (&cursor, request.from_start) {
            fetch.cursor = cursor.read(self.store()).await?;
        }
        let goes_on = fetch.cursor.is_some();
        let has_named_files = !fetch.files.is_empty();
        let is_open = fetch.since.is_none()
            && fetch.until.is_none()
            && fetch.limit.is_none()
            && !has_named_files;
        // It begins before the source is opened, which may read all of it.
        let run = match request.dry_run {
            true => 0,
            false => self.store().begin_run(name).await?,
        };
        let given = match is_open && request.delete_missing && !request.dry_run {
            true => Some(Given::since(self.beginning_of(run).await?)),
            false => None,
        };
        let stream = tokio::select! {
            biased;
            stream = self.fetch(name, fetch, &request.tenant) => stream,
            () = stop.raised() => {
                if !request.dry_run {
                    self.store().finish_run(run, RunOutcome::stopped()).await?;
                }
                return Ok(IngestReport::nothing_read(started));
            }
        };
        let stream = match stream {
            Ok(stream) => stream,
            Err(error) if request.dry_run => return Err(error.into()),
            Err(error) => return Err(self.note_unopened(run, error).await),
        };
        let complete_since = stream.complete_since;
        let mut ingestion = Ingestion::new(
            self,
            name,
            (&request.tenant, request.dry_run),
            run,
            stream.total,
        );
        ingestion.cursor = cursor;
        ingestion.is_hopeful = has_named_files;
        ingestion.cursor_at_end = request.cursor_at_end;
        ingestion.given = given.and_then(|given| given.of_stream(complete_since, goes_on));
        if !request.dry_run {
            ingestion.unseen = unseen::ids(self.store(), &request.tenant).await?;
        }
        let plugin = PluginName {
            kind: PluginKind::Adapter,
            name,
        };
        let runtime = self.services().instances().runtime(plugin);
        let source = Source::start(stream, plugin.to_string(), &runtime);
        let mut read = ingestion.read_all(source, stop, &mut progress).await;
        // What was read before the source failed is kept; the first error is
        // the one that is reported.
        let stored = ingestion.store_batch().await;
        read = read.and_then(|end| stored.map(|()| end));
        if matches!(read, Ok(RunEnd::Finished)) {
            let finished = ingestion.finish().await;
            read = read.and_then(|end| finished.map(|()| end));
        }
        progress(ingestion.counts);
        warn_of_other_sources(name, &ingestion.written);
        if !request.dry_run {
            let outcome = ingestion.outcome(&read);
            let finished = self.store().finish_run(run, outcome).await;
            let flushed = self.flush().await;
            read = read.and_then(|end| Ok(finished.and(flushed).map(|()| end)?));
        }
        Ok(IngestReport {
            end: read?,
            from_beginning: is_open && !goes_on,
            counts: ingestion.counts,
            rejects: ingestion.rejected_records().map(PathBuf::from),
            reasons: ingestion.reasons.sorted(),
            elapsed: started.elapsed(),
        })
    }

    /// When a run began, by the clock that also says when entries were written.
    async fn beginning_of(&self, run: i64) -> Result<Timestamp, StoreError> {
        let runs = self.store().runs(LATEST_RUNS).await?;
        let own = runs.into_iter().find(|one| one.run == run);
        Ok(own.map_or_else(Timestamp::now, |own| own.started_at))
    }

    /// A source that cannot be opened is a failed run too.
    async fn note_unopened(&self, run: i64, error: Error) -> HostError {
        let outcome = RunOutcome::failed(error.to_string());
        if let Err(other) = self.store().finish_run(run, outcome).await {
            tracing::warn!(error = %other, "the failed run is not in the history");
        }
        error.into()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_become_those_of_the_default_tenant_unless_another_one_is_named() {
        let request = IngestRequest::default();
        assert_eq!(request.tenant, gannet_api::DEFAULT_TENANT);
    }
}

//! What HTTP and MCP have in common: the host, how many searches it runs at
//! once, and what is counted and logged of them.

use std::sync::Arc;
use std::time::Duration;

use gannet_core::api::Entry;
use gannet_core::config::ServerConfig;
use gannet_core::store::StoreError;
use gannet_core::{
    Gannet, HostError, InstanceReport, PublishError, RetrieverResponse, SearchInput, SearchResult,
};
use serde_json::{Map, Value};

use crate::admission::{Lane, Permit};
use crate::auth::{AuditEvent, AuditLog, Caller, Scope};
use crate::background::Background;
use crate::disclosure::Disclosure;
use crate::drafts::Drafts;
use crate::log_writer::LogWriters;
use crate::login::missing_scope;
use crate::metrics::Metrics;
use crate::problem::Problem;
use crate::query_log::{QueryLog, QueryRecord};
use crate::search_record::SearchRecord;
use crate::state::Lasting;
use crate::traces::SearchSpan;
use crate::work::Work;

/// What every surface of the service shares. A reload makes a new one.
pub(crate) struct Backend {
    pub gannet: Gannet,
    /// Searches that compute.
    pub searches: Lane,
    /// Searches that wait for a chat model.
    pub model_searches: Lane,
    /// Searches that may wait for another server or for a loaded plugin.
    pub remote_searches: Lane,
    /// Texts that a client has embedded or ranked: a long list must not keep
    /// searches waiting.
    pub inference: Lane,
    pub audit: AuditLog,
    pub query_log: QueryLog,
    /// What writes both.
    pub logs: Arc<LogWriters>,
    pub metrics: Arc<Metrics>,
    pub background: Arc<Background>,
    /// Where drafts are kept that a person opens in the web interface; none
    /// where nothing but MCP is served.
    pub drafts: Option<Arc<Drafts>>,
    disclosure: Disclosure,
}

/// Why there is no result.
#[derive(Debug)]
pub(crate) enum SearchFailure {
    /// It was not started, or broke off.
    Refused(Problem),
    /// The host failed.
    Host(HostError),
}

impl Backend {
    /// Stores entries that somebody wrote, each with its line in the audit log,
    /// and has them enhanced.
    ///
    /// # Errors
    /// What the store failed with; nothing is stored then.
    pub async fn store(&self, caller: &Caller, entries: Vec<Entry>) -> Result<(), StoreError> {
        let ids: Vec<String> = entries.iter().map(|entry| entry.entry_id.clone()).collect();
        self.gannet.store().upsert(entries).await?;
        for entry_id in &ids {
            let event = AuditEvent::EntryStored { entry_id };
            self.audit.note(&caller.name, &event).await;
        }
        self.background.wake();
        Ok(())
    }

    /// Writes an entry that is stored into the facility's logbook, with a line
    /// in the audit log.
    ///
    /// # Errors
    /// See [`PublishError`].
    pub async fn publish_stored(
        &self,
        caller: &Caller,
        entry_id: &str,
    ) -> Result<Entry, PublishError> {
        let published = self.gannet.publish_stored(&caller.tenant, entry_id, None);
        let entry = published.await?;
        self.note_published(caller, &entry).await;
        self.background.wake();
        Ok(entry)
    }

    /// Adds to the audit log that an entry is in the facility's logbook.
    pub async fn note_published(&self, caller: &Caller, entry: &Entry) {
        let event = AuditEvent::EntryPublished {
            entry_id: &entry.entry_id,
            source_system: &entry.source_system,
        };
        self.audit.note(&caller.name, &event).await;
    }

    pub fn new(gannet: Gannet, lasting: &Lasting) -> Self {
        let config: &ServerConfig = &gannet.config().server;
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let wait = Duration::from_secs(config.queue_timeout_seconds);
        let lane = |size| Lane::new(size, config.max_queued, wait);
        let searches = config.max_searches.unwrap_or(processors);
        Self {
            searches: lane(searches),
            inference: lane(searches.div_ceil(2)),
            model_searches: lane(config.max_model_searches),
            remote_searches: lane(config.max_remote_searches),
            audit: AuditLog::of_service(&config.audit_log, &lasting.logs),
            query_log: QueryLog::of(
                &config.query_log,
                &lasting.logs,
                lasting.metrics.dropped_queries(),
            ),
            logs: lasting.logs.clone(),
            metrics: lasting.metrics.clone(),
            background: lasting.background.clone(),
            drafts: None,
            disclosure: Disclosure::of(&gannet),
            gannet,
        }
    }

    /// The same beside a web interface, which shows these drafts.
    pub fn with_drafts(mut self, drafts: Arc<Drafts>) -> Self {
        self.drafts = Some(drafts);
        self
    }

    /// Room for a search, as soon as there is some.
    ///
    /// # Errors
    /// 503 where there is no room; 403 when a chat model may be asked and the
    /// caller lacks the scope `ask`.
    pub async fn admit(
        &self,
        caller: &Caller,
        mode: Option<&str>,
        params: &Map<String, Value>,
    ) -> Result<Permit, Problem> {
        let mode = mode.unwrap_or(self.gannet.default_mode());
        if !self.gannet.may_ask_chat_model(mode, params) {
            return self.lane_without_model(mode).admit().await;
        }
        if !caller.may(Scope::Ask) {
            return Err(missing_scope(Scope::Ask));
        }
        self.model_searches.admit().await
    }

    /// Where searches in this mode run that ask no chat model.
    pub fn lane_without_model(&self, mode: &str) -> &Lane {
        match self.gannet.may_wait_for_others(mode) {
            true => &self.remote_searches,
            false => &self.searches,
        }
    }

    /// A search begins: it is in the audit log from here on.
    pub async fn begin(&self, caller: &Caller, mode: &str, query: &str) -> SearchRecord {
        let event = AuditEvent::Query { mode, query };
        self.audit.note(&caller.name, &event).await;
        let line = self.query_log.begin(caller, mode, query);
        let logged = line.as_ref().and_then(QueryRecord::query);
        let span = SearchSpan::begin(mode, logged);
        SearchRecord::new(mode, line, span, self.metrics.clone())
    }

    /// Searches as soon as there is room for it.
    ///
    /// # Errors
    /// [`SearchFailure::Refused`] as in [`admit`](Self::admit) and for a
    /// search that panicked; else what the host failed with.
    pub async fn search(
        &self,
        caller: &Caller,
        input: SearchInput,
    ) -> Result<SearchResult, SearchFailure> {
        let permit = self.admit(caller, input.mode.as_deref(), &input.params);
        let permit = permit.await?;
        let gannet = self.gannet.clone();
        let mode = input.mode.as_deref().unwrap_or(gannet.default_mode());
        let record = self.begin(caller, mode, &input.query).await;
        let work = Work::start(permit, async move { gannet.search(input).await });
        let result = match work.answer().await {
            Ok(answer) => answer.map_err(SearchFailure::from),
            Err(problem) => Err(problem.into()),
        };
        record.end(result.as_ref().ok());
        result.map(|result| self.for_caller(caller, result))
    }

    /// A result as this caller may see it.
    pub fn for_caller(&self, caller: &Caller, mut result: SearchResult) -> SearchResult {
        result.diagnostics = self.disclosure.shown(caller, result.diagnostics);
        result
    }

    /// What is wrong with a plugin, as this caller may see it.
    pub fn reason_for_caller(&self, caller: &Caller, report: &InstanceReport) -> Option<String> {
        let reason = report.reason.as_deref()?;
        Some(self.disclosure.reason(caller, &report.name, reason))
    }

    /// The same for a response of the Retriever.
    pub fn retrieval_for_caller(
        &self,
        caller: &Caller,
        mut response: RetrieverResponse,
    ) -> RetrieverResponse {
        let metadata = &mut response.metadata;
        let diagnostics = std::mem::take(&mut metadata.diagnostics);
        metadata.diagnostics = self.disclosure.shown(caller, diagnostics);
        response
    }
}

impl From<Problem> for SearchFailure {
    fn from(problem: Problem) -> Self {
        Self::Refused(problem)
    }
}

impl From<HostError> for SearchFailure {
    fn from(error: HostError) -> Self {
        Self::Host(error)
    }
}

impl From<SearchFailure> for Problem {
    fn from(failure: SearchFailure) -> Self {
        match failure {
            SearchFailure::Refused(problem) => problem,
            SearchFailure::Host(error) => error.into(),
        }
    }
}

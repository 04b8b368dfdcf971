//! What a plugin is given with every call.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::{
    ChatRequest, ChatStream, Descriptor, Diagnostic, Diagnostics, EmbedRequest, Embeddings, Entry,
    Error, Event, Events, Filter, Found, Hit, Host, HttpRequest, HttpResponse,
    LateInteractionRequest, PipelineRequest, PipelineRun, PlanRequest, QueryPlan, RerankRequest,
    RerankScore, Result, RunRequest, ScoreKind, SearchRequest, Session, SpanSimilarities,
    SpanSimilarityRequest, StateRequest, TextSearch, VectorSearch,
};

/// Who asks, and until when an answer is of use.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Call {
    /// Names the request in logs and diagnostics.
    pub request_id: Arc<str>,
    /// Whose entries may be seen.
    pub tenant: Arc<str>,
    /// When the caller stops waiting.
    pub deadline: Deadline,
    /// How many modules and pipelines are between the surface and this call.
    /// The host refuses a chain that is too long, so that two modules that
    /// call each other end.
    pub depth: u8,
    /// How many other Gannets the question came over before this one; 0 where
    /// somebody asked this one. A module that asks another Gannet tells it one
    /// more, and stops at a limit, so that two that ask each other end.
    pub hops: u8,
}

impl Call {
    /// The header of an HTTP request by which one Gannet tells another
    /// [`hops`](Self::hops).
    pub const HOPS_HEADER: &'static str = "gannet-hops";

    /// A call from a surface.
    pub fn new(
        request_id: impl Into<Arc<str>>,
        tenant: impl Into<Arc<str>>,
        deadline: Deadline,
    ) -> Self {
        Self {
            request_id: request_id.into(),
            tenant: tenant.into(),
            deadline,
            depth: 0,
            hops: 0,
        }
    }

    /// This call with another deadline.
    #[must_use]
    pub fn with_deadline(&self, deadline: Deadline) -> Self {
        Self {
            deadline,
            ..self.clone()
        }
    }
}

/// A point in time after which nobody waits any more, or none.
#[derive(Debug, Clone, Copy)]
pub struct Deadline(Option<Instant>);

impl Deadline {
    /// No deadline.
    pub const NEVER: Self = Self(None);

    /// This long from now.
    pub fn after(duration: Duration) -> Self {
        Self(Instant::now().checked_add(duration))
    }

    /// What is left; zero once it has passed, `None` without a deadline.
    pub fn remaining(self) -> Option<Duration> {
        self.0
            .map(|at| at.saturating_duration_since(Instant::now()))
    }

    /// Whether it has passed.
    pub fn has_passed(self) -> bool {
        self.remaining() == Some(Duration::ZERO)
    }

    /// The deadline of a part of the work: 80 % of what is left, so that the
    /// whole can still be put together when the part runs out of time.
    #[must_use]
    pub fn for_part(self) -> Self {
        match self.remaining() {
            Some(remaining) => Self::after(remaining.mul_f64(0.8)),
            None => Self::NEVER,
        }
    }

    /// The earlier of this deadline and a limit from now.
    #[must_use]
    pub fn at_most(self, limit: Duration) -> Self {
        match self.remaining() {
            Some(remaining) if remaining <= limit => self,
            _ => Self::after(limit),
        }
    }
}

/// What a plugin is given with every call: who asks, the host's services,
/// a place for diagnostics and one for events.
#[derive(Clone)]
pub struct Context {
    /// Who asks, and until when.
    pub call: Call,
    /// Notes for the result.
    pub diagnostics: Diagnostics,
    /// Where progress is streamed to.
    pub events: Events,
    host: Arc<dyn Host>,
}

impl Context {
    /// A context for one call.
    pub fn new(call: Call, host: Arc<dyn Host>) -> Self {
        Self {
            call,
            diagnostics: Diagnostics::default(),
            events: Events::default(),
            host,
        }
    }

    /// This context with a listener for events.
    #[must_use]
    pub fn with_events(mut self, events: Events) -> Self {
        self.events = events;
        self
    }

    /// The same call with another deadline; diagnostics and events are shared.
    #[must_use]
    pub fn with_deadline(&self, deadline: Deadline) -> Self {
        Self {
            call: self.call.with_deadline(deadline),
            ..self.clone()
        }
    }

    /// The host's services, for what has no shorthand here.
    pub fn host(&self) -> &Arc<dyn Host> {
        &self.host
    }

    /// Adds a note to the result.
    pub fn diagnose(&self, diagnostic: Diagnostic) {
        self.diagnostics.add(diagnostic);
    }

    /// Tells whoever listens.
    pub fn emit(&self, event: Event) {
        self.events.emit(event);
    }

    /// Searches the text index; its notes join the result's.
    pub async fn text_search(&self, request: TextSearch) -> Result<Vec<Hit>> {
        let found = self.host.text_search(&self.call, request).await?;
        Ok(self.keep_diagnostics(found))
    }

    /// Searches the vector index.
    pub async fn vector_search(&self, request: VectorSearch) -> Result<Vec<Hit>> {
        let found = self.host.vector_search(&self.call, request).await?;
        Ok(self.keep_diagnostics(found))
    }

    /// Asks another search module, by the name that it has in the
    /// configuration.
    pub async fn search_module(&self, name: &str, request: SearchRequest) -> Result<Vec<Hit>> {
        let found = self.host.search_module(&self.call, name, request).await?;
        Ok(self.keep_diagnostics(found))
    }

    /// Reads entries by id, in the order asked; unknown ids are left out.
    pub async fn entries(&self, ids: Vec<String>) -> Result<Vec<Entry>> {
        self.host.entries(&self.call, ids).await
    }

    /// Hits of entries that something outside of the host named, such as a
    /// service: those that are there and that the request's filter lets
    /// through, in the order given, at most as many as the request asks for.
    pub async fn hits_of(
        &self,
        request: &SearchRequest,
        score_kind: ScoreKind,
        found: impl IntoIterator<Item = (String, f64)>,
    ) -> Result<Vec<Hit>> {
        let found: Vec<(String, f64)> = found.into_iter().collect();
        let ids = found.iter().map(|(id, _)| id.clone()).collect();
        let entries = self.entries(ids).await?;
        let wanted = entries.iter().filter(|entry| request.filter.matches(entry));
        let kinds: HashMap<&str, &str> = wanted
            .map(|entry| (entry.entry_id.as_str(), entry.kind.as_str()))
            .collect();
        let hits = found.into_iter().filter_map(|(id, score)| {
            let kind = kinds.get(id.as_str())?;
            Some(Hit::new(id, *kind, score, score_kind))
        });
        Ok(hits.take(request.limit).collect())
    }

    /// Embeds texts.
    pub async fn embed(&self, request: EmbedRequest) -> Result<Embeddings> {
        self.host.embed(&self.call, request).await
    }

    /// Scores entries against a question, word by word: for each entry, in
    /// the order asked, the greatest value over its passages of
    /// `Σ idf(t) · max over w of cosine(t, sign(w)) / Σ idf(t)`, with the words
    /// `t` of the question and `w` of the passage; −1 to 1. `None` for an entry
    /// without token vectors, or that the filter leaves out; for all where the
    /// host, the store or the embedder has none.
    pub async fn late_interaction(
        &self,
        request: LateInteractionRequest,
    ) -> Result<Vec<Option<f64>>> {
        let wanted = request.entry_ids.len();
        let service = LateInteractionRequest::SERVICE;
        let scores: Vec<Option<f64>> = match self.ask(service, &request).await {
            Err(error) if error.is_missing_service() => return Ok(vec![None; wanted]),
            scores => scores?,
        };
        match scores.len() == wanted {
            true => Ok(scores),
            false => Err(Error::internal(format!(
                "the service `{service}` gave {} scores for {wanted} entries",
                scores.len()
            ))),
        }
    }

    /// How similar spans of entries are to a question, from stored token
    /// vectors. Nothing for all spans where the host, the store or the
    /// embedder has none.
    ///
    /// # Errors
    /// [`Error::Internal`] when the host answers for other spans than asked.
    pub async fn span_similarity(
        &self,
        request: SpanSimilarityRequest,
    ) -> Result<SpanSimilarities> {
        let service = SpanSimilarityRequest::SERVICE;
        let asked = request.entries.iter().map(|entry| entry.spans.len());
        let found: SpanSimilarities = match self.ask(service, &request).await {
            Err(error) if error.is_missing_service() => SpanSimilarities::default(),
            found => found?,
        };
        let answered = found.entries.iter().map(Vec::len);
        if !found.entries.is_empty() && !answered.eq(asked) {
            return Err(Error::internal(format!(
                "the service `{service}` answered for other spans than asked"
            )));
        }
        Ok(found)
    }

    /// Scores documents against a query.
    pub async fn rerank(&self, request: RerankRequest) -> Result<Vec<RerankScore>> {
        self.host.rerank(&self.call, request).await
    }

    /// The plan of a question, for a pipeline that rewrote the one it was
    /// asked. The filter is that of the searches to come: its times and values
    /// are strict parts of the plan.
    ///
    /// # Errors
    /// [`Error::NotFound`](crate::Error::NotFound) from a host that is older
    /// than this service.
    pub async fn query_plan(
        &self,
        text: impl Into<String>,
        filter: &Filter,
    ) -> Result<Arc<QueryPlan>> {
        let request = PlanRequest::new(text, filter.clone());
        let plan: QueryPlan = self.ask(PlanRequest::SERVICE, &request).await?;
        Ok(Arc::new(plan))
    }

    /// Makes a request to another server, which the settings of the instance
    /// that asks have to name. The host follows no redirect, connects to no private
    /// network that the configuration does not name, reads 16 MiB at most, and
    /// gives up at the call's deadline, or after 30 seconds unless the request
    /// says something else.
    ///
    /// # Errors
    /// [`Error::Provider`] for a server that does not answer, or with a status
    /// that is not one of the 200s, unless the request takes any; [`Error::Timeout`];
    /// [`Error::InvalidInput`] for an address that may not be called.
    pub async fn http(&self, request: HttpRequest) -> Result<HttpResponse> {
        let payload = request.to_bytes()?;
        let answer = self.host.call(&self.call, HttpRequest::SERVICE, payload);
        HttpResponse::from_bytes(&answer.await?)
    }

    /// What this instance kept under a key, for the tenant of the call.
    ///
    /// # Errors
    /// [`Error::Store`]; [`Error::NotFound`] from a host that keeps nothing.
    pub async fn state(&self, key: impl Into<String>) -> Result<Option<String>> {
        let request = StateRequest::Read { key: key.into() };
        self.ask_for_state(&request).await
    }

    /// Keeps a value under a key, also over a restart of the host, or forgets
    /// it. The value is that of this instance and of the tenant of the call, of
    /// at most [`limits::STATE_VALUE_BYTES`](crate::limits::STATE_VALUE_BYTES).
    /// Of two calls that write at once, the later counts.
    ///
    /// # Errors
    /// [`Error::InvalidInput`] for what is too long; [`Error::Store`].
    pub async fn set_state(&self, key: impl Into<String>, value: Option<String>) -> Result<()> {
        let key = key.into();
        self.ask_for_state(&StateRequest::Write { key, value })
            .await
            .map(drop)
    }

    /// The conversation of this id, as this instance remembers it for the
    /// tenant of the call. Ids are the caller's: a parameter, or what else names
    /// a conversation.
    pub fn session(&self, id: impl Into<String>) -> Session<'_> {
        let id = id.into();
        Session { context: self, id }
    }

    /// Runs another pipeline, by the name that it has in the configuration, and
    /// gives its whole answer with what it told on the way; its notes join
    /// the result's. Its events are not passed on to whoever streams. It is one
    /// step further from the surface, as a module is.
    ///
    /// # Errors
    /// The pipeline's own; [`Error::NotFound`] for a name that is not on, and
    /// from a host that is older than this service; [`Error::InvalidInput`]
    /// when too many call each other in a row.
    pub async fn run_pipeline(&self, name: &str, request: PipelineRequest) -> Result<PipelineRun> {
        let request = RunRequest::new(name, request);
        let mut run: PipelineRun = self.ask(RunRequest::SERVICE, &request).await?;
        self.diagnostics
            .extend(std::mem::take(&mut run.diagnostics));
        Ok(run)
    }

    async fn ask_for_state(&self, request: &StateRequest) -> Result<Option<String>> {
        self.ask(StateRequest::SERVICE, request).await
    }

    /// Asks a service that speaks JSON.
    pub(crate) async fn ask<T: DeserializeOwned>(
        &self,
        service: &str,
        request: &impl Serialize,
    ) -> Result<T> {
        let unreadable =
            |error| Error::internal(format!("JSON of the service `{service}`: {error}"));
        let payload = serde_json::to_vec(request).map_err(unreadable)?;
        let answer = self.host.call(&self.call, service, payload).await?;
        serde_json::from_slice(&answer).map_err(unreadable)
    }

    /// Asks a chat model.
    pub async fn chat(&self, request: ChatRequest) -> Result<ChatStream> {
        self.host.chat(&self.call, request).await
    }

    /// What is registered and switched on, sorted by kind and name; without
    /// examples.
    pub fn descriptors(&self) -> Arc<[Descriptor]> {
        self.host.descriptors()
    }

    fn keep_diagnostics(&self, found: Found) -> Vec<Hit> {
        self.diagnostics.extend(found.diagnostics);
        found.hits
    }
}

//! The host's services as one plugin call sees them.

use std::sync::Arc;
use std::time::Instant;

use futures::future::FutureExt;
use gannet_api::{
    AttachmentRequest, Call, ChatRequest, ChatStream, Descriptor, EmbedRequest, Embeddings, Entry,
    Error, Filter, Found, Host, HttpRequest, LateInteractionRequest, MetricRequest, PlanRequest,
    ReadRequest, RecurrenceRequest, RelevanceRequest, RerankRequest, RerankScore, Result,
    ResultFuture, RunRequest, SearchRequest, SessionRequest, SetRequest, SpanSimilarityRequest,
    StateRequest, TextSearch, VectorSearch,
};

use crate::attachments;
use crate::instance_key::InstanceKey;
use crate::isolate::within;
use crate::plugin_state;
use crate::replies::{CallScope, RequestState};
use crate::services::{Services, WeakServices};

/// The services, bound to the call that they were given with: whatever call a
/// plugin passes, it reads the entries of that call's tenant, within its
/// deadline, no nearer to the surface than it, and it calls the servers of its
/// own instance.
///
/// A call that was left behind, or a thread of a plugin, may hold this for as
/// long as it likes: it does not keep the host's parts alive.
pub(crate) struct BoundHost {
    services: WeakServices,
    call: Call,
    instance: InstanceKey,
    scope: Option<CallScope>,
}

impl BoundHost {
    pub(crate) fn new(
        services: &Services,
        call: &Call,
        instance: InstanceKey,
        scope: Option<CallScope>,
    ) -> Self {
        Self {
            services: services.downgrade(),
            call: call.clone(),
            instance,
            scope,
        }
    }

    /// Remembers what a search with this filter found.
    fn note(&self, found: Found, filter: &Filter) -> Found {
        if let Some(scope) = &self.scope {
            scope.note_hits(&found.hits, filter);
        }
        found
    }

    /// What the calls of this request share. Outside of a search each call of
    /// a module is a request of its own.
    fn request(&self) -> Arc<RequestState> {
        let request = self.scope.as_ref().map(|scope| scope.request().clone());
        request.unwrap_or_default()
    }

    /// Within a search hits are highlighted when they are shown; most
    /// candidates are not. Outside of one this is the last that the host sees
    /// of them.
    async fn highlight(
        &self,
        services: &Services,
        call: &Call,
        request: &RequestState,
        found: &mut Found,
    ) -> Result<()> {
        if self.scope.is_some() {
            return Ok(());
        }
        let (store, hits) = (services.store(), &mut found.hits);
        let marking = request.shown().highlight_all(store, &call.tenant, hits);
        let marking = async { Ok(marking.await?) };
        within("highlighting", call.deadline, marking).await
    }

    fn services(&self) -> Result<Services> {
        self.services.upgrade().ok_or_else(|| Error::Unavailable {
            message: "the host was closed".to_owned(),
        })
    }

    fn bound(&self, requested: &Call) -> Call {
        let deadline = match self.call.deadline.remaining() {
            Some(left) => requested.deadline.at_most(left),
            None => requested.deadline,
        };
        let mut call = self.call.with_deadline(deadline);
        call.depth = requested.depth.max(call.depth);
        call.hops = requested.hops.max(call.hops);
        call
    }
}

impl Host for BoundHost {
    fn text_search<'a>(&'a self, call: &'a Call, request: TextSearch) -> ResultFuture<'a, Found> {
        let call = self.bound(call);
        async move {
            let services = self.services()?;
            let (filter, is_marked) = (request.filter.clone(), request.highlights);
            let state = self.request();
            state.note_store_search();
            let search = services.search_text(&call, request, self.instance.name());
            let text = within("text search", call.deadline, search).await?;
            if is_marked {
                state.shown().mark(&text.hits, text.highlighter);
            }
            let mut found = Found::new(text.hits).with_diagnostics(text.diagnostics);
            self.highlight(&services, &call, &state, &mut found).await?;
            Ok(self.note(found, &filter))
        }
        .boxed()
    }

    fn vector_search<'a>(
        &'a self,
        call: &'a Call,
        request: VectorSearch,
    ) -> ResultFuture<'a, Found> {
        let call = self.bound(call);
        async move {
            let services = self.services()?;
            let filter = request.filter.clone();
            self.request().note_store_search();
            let search = services.search_vectors(&call, request);
            let found = within("vector search", call.deadline, search).await?;
            Ok(self.note(found, &filter))
        }
        .boxed()
    }

    fn search_module<'a>(
        &'a self,
        call: &'a Call,
        name: &'a str,
        request: SearchRequest,
    ) -> ResultFuture<'a, Found> {
        let call = self.bound(call);
        async move {
            let services = self.services()?;
            let filter = request.filter.clone();
            let state = self.request();
            let answered = services.ask_module(&call, name, request, state.clone());
            let mut found = answered.await?;
            self.highlight(&services, &call, &state, &mut found).await?;
            Ok(self.note(found, &filter))
        }
        .boxed()
    }

    fn entries<'a>(&'a self, call: &'a Call, ids: Vec<String>) -> ResultFuture<'a, Vec<Entry>> {
        let call = self.bound(call);
        async move {
            let services = self.services()?;
            let (store, state) = (services.store(), self.request());
            let read = async { Ok(state.shown().entries(store, &call.tenant, &ids).await?) };
            let entries = within("reading entries", call.deadline, read).await?;
            if let Some(scope) = &self.scope {
                scope.note_entries(&entries);
            }
            Ok(entries)
        }
        .boxed()
    }

    fn embed<'a>(&'a self, call: &'a Call, request: EmbedRequest) -> ResultFuture<'a, Embeddings> {
        let call = self.bound(call);
        async move {
            let services = self.services()?;
            let state = self.request();
            let instance = self.instance.name();
            services.embed_texts(&call, request, instance, &state).await
        }
        .boxed()
    }

    fn rerank<'a>(
        &'a self,
        call: &'a Call,
        request: RerankRequest,
    ) -> ResultFuture<'a, Vec<RerankScore>> {
        let call = self.bound(call);
        async move { self.services()?.rerank_texts(&call, request).await }.boxed()
    }

    fn chat<'a>(&'a self, call: &'a Call, request: ChatRequest) -> ResultFuture<'a, ChatStream> {
        let call = self.bound(call);
        async move { self.services()?.start_chat(&call, request).await }.boxed()
    }

    fn descriptors(&self) -> Arc<[Descriptor]> {
        let services = self.services.upgrade();
        services.map_or_else(
            || Arc::new([]) as Arc<[Descriptor]>,
            |host| host.descriptors(),
        )
    }

    fn call<'a>(
        &'a self,
        call: &'a Call,
        service: &'a str,
        payload: Vec<u8>,
    ) -> ResultFuture<'a, Vec<u8>> {
        let call = self.bound(call);
        async move {
            match service {
                PlanRequest::SERVICE => {
                    let (services, state) = (self.services()?, self.request());
                    let answer = services.answer_plan_request(&call, &payload, &state);
                    answer.await
                }
                SetRequest::SERVICE => {
                    self.request().note_store_search();
                    let (services, state) = (self.services()?, self.request());
                    let name = self.instance.name();
                    let answer = services.answer_set_request(&call, &payload, name, &state);
                    answer.await
                }
                RelevanceRequest::SERVICE => {
                    let (services, state) = (self.services()?, self.request());
                    let name = self.instance.name();
                    let answer = services.answer_relevance_request(&call, &payload, name, &state);
                    within("relevance", call.deadline, answer).await
                }
                HttpRequest::SERVICE => {
                    let services = self.services()?;
                    let answer = services.outgoing().answer(&call, &self.instance, &payload);
                    answer.await
                }
                StateRequest::SERVICE => {
                    let services = self.services()?;
                    let answer =
                        plugin_state::answer(services.store(), &call, &self.instance, &payload);
                    within("keeping state", call.deadline, answer).await
                }
                SessionRequest::SERVICE => {
                    let (services, now) = (self.services()?, Instant::now());
                    let sessions = &services.lasting().sessions;
                    sessions.answer(&call, &self.instance, &payload, now)
                }
                // Without waiting: plugins do not wait for it either.
                MetricRequest::SERVICE => {
                    let services = self.services()?;
                    let metrics = &services.lasting().metrics;
                    metrics.answer(&self.instance, &payload)
                }
                AttachmentRequest::SERVICE => {
                    let services = self.services()?;
                    let folder = services.attachments();
                    let read = attachments::answer(folder, &call.tenant, &payload);
                    within("reading an attachment", call.deadline, read).await
                }
                RunRequest::SERVICE => self.run_pipeline(&call, &payload).await,
                LateInteractionRequest::SERVICE => self.late_interaction(&call, &payload).await,
                SpanSimilarityRequest::SERVICE => self.span_similarity(&call, &payload).await,
                ReadRequest::SERVICE => self.read(&call, &payload).await,
                RecurrenceRequest::SERVICE => self.recurrence(&call, &payload).await,
                _ => Err(Error::missing_service(service)),
            }
        }
        .boxed()
    }
}

impl BoundHost {
    async fn run_pipeline(&self, call: &Call, payload: &[u8]) -> Result<Vec<u8>> {
        let unreadable = |error| unreadable(RunRequest::SERVICE, &error);
        let asked: RunRequest = serde_json::from_slice(payload).map_err(unreadable)?;
        let filter = asked.request.filter.clone();
        let services = self.services()?;
        let (run, given) = services.ask_pipeline(call, asked, self.request()).await?;
        if let Some(scope) = &self.scope {
            scope.note_hits(&run.answer.hits, &filter);
            scope.note_answer(&run.answer, &given);
        }
        serde_json::to_vec(&run).map_err(unreadable)
    }

    async fn late_interaction(&self, call: &Call, payload: &[u8]) -> Result<Vec<u8>> {
        let service = LateInteractionRequest::SERVICE;
        let unreadable = |error| unreadable(service, &error);
        let request = serde_json::from_slice(payload).map_err(unreadable)?;
        let (services, state) = (self.services()?, self.request());
        let scores = services.late_interaction(call, request, self.instance.name(), &state);
        let scores = within("late interaction", call.deadline, scores).await?;
        serde_json::to_vec(&scores).map_err(unreadable)
    }

    async fn span_similarity(&self, call: &Call, payload: &[u8]) -> Result<Vec<u8>> {
        let service = SpanSimilarityRequest::SERVICE;
        let unreadable = |error| unreadable(service, &error);
        let request = serde_json::from_slice(payload).map_err(unreadable)?;
        let (services, state) = (self.services()?, self.request());
        let found = services.span_similarity(call, request, self.instance.name(), &state);
        let found = within("comparing spans", call.deadline, found).await?;
        serde_json::to_vec(&found).map_err(unreadable)
    }

    async fn recurrence(&self, call: &Call, payload: &[u8]) -> Result<Vec<u8>> {
        let unreadable = |error| unreadable(RecurrenceRequest::SERVICE, &error);
        let request: RecurrenceRequest = serde_json::from_slice(payload).map_err(unreadable)?;
        let services = self.services()?;
        self.request().note_store_search();
        let found = services.answer_recurrence_request(call, &request);
        let (found, entries) = within("recurrence", call.deadline, found).await?;
        if let Some(scope) = &self.scope {
            scope.note_entries(&entries);
        }
        serde_json::to_vec(&found).map_err(unreadable)
    }

    async fn read(&self, call: &Call, payload: &[u8]) -> Result<Vec<u8>> {
        let unreadable = |error| unreadable(ReadRequest::SERVICE, &error);
        let request = serde_json::from_slice(payload).map_err(unreadable)?;
        let services = self.services()?;
        let reading = services.read_passages(call, request, self.request());
        let reading = reading.await?;
        serde_json::to_vec(&reading).map_err(unreadable)
    }
}

/// The error of a request or a reply that is not the JSON of a service.
fn unreadable(service: &str, error: &serde_json::Error) -> Error {
    Error::invalid_input(format!("the request of the service `{service}`: {error}"))
}

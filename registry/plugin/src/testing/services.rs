//! The services of the fake host.

use std::sync::Arc;

use futures::StreamExt;
use futures::future::{FutureExt, ready};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::fake_host::{FakeHost, Script};
use super::modules::{ask, deeper};
use super::{HashEmbedderForTests, ModuleCall, sets, text, vectors};
use gannet_api::query::{QueryOptions, parse};
use gannet_api::{
    Call, ChatRequest, ChatStream, Descriptor, EmbedRequest, Embeddings, Entry, Error, Filter,
    Found, Host, HttpRequest, HttpResponse, LateInteractionRequest, MetricRequest, PlanRequest,
    PluginKind, QueryPlan, QuerySyntax, ReadRequest, Reading, RecurrenceRequest, RelevanceRequest,
    RerankRequest, RerankScore, Result, ResultFuture, RunRequest, SearchRequest, SessionRequest,
    SetRequest, SpanSimilarityRequest, StateRequest, TextSearch, VectorSearch,
};

impl FakeHost {
    /// The entries that a call may see and a filter lets through.
    fn visible<'a>(
        &'a self,
        call: &'a Call,
        filter: &'a Filter,
    ) -> impl Iterator<Item = &'a Entry> {
        self.entries
            .iter()
            .filter(|entry| entry.tenant == *call.tenant && filter.matches(entry))
    }

    fn query_plan(&self, payload: &[u8]) -> Result<Vec<u8>> {
        as_json(payload, |request: &PlanRequest| {
            if let Some(script) = &self.scripts.query_plan {
                return script(request);
            }
            let options = QueryOptions::default();
            let query = parse(&request.text, QuerySyntax::Operators, &options);
            Ok(QueryPlan::of_terms(&request.text, query))
        })
    }

    fn http(&self, payload: &[u8], script: &Script<HttpRequest, HttpResponse>) -> Result<Vec<u8>> {
        let request = HttpRequest::from_bytes(payload)?;
        let any_status = request.any_status;
        let answer = script(&request);
        self.remember(|calls| calls.http.push(request));
        match any_status {
            true => answer?.to_bytes(),
            false => answer?.checked("server")?.to_bytes(),
        }
    }

    fn run_pipeline(&self, call: &Call, payload: &[u8]) -> Result<Vec<u8>> {
        deeper(call)?;
        as_json(payload, |asked: &RunRequest| {
            let name = asked.pipeline.clone();
            let not_found = || Error::not_found(PluginKind::Pipeline.label(), &name);
            let script = self.scripts.pipelines.get(&name).ok_or_else(not_found)?;
            let run = script(&asked.request);
            self.remember(|calls| calls.pipelines.push((name.clone(), asked.request.clone())));
            run
        })
    }

    fn read(&self, request: &ReadRequest) -> Result<Reading> {
        self.remember(|calls| calls.reads.push(request.clone()));
        match &self.scripts.read {
            Some(script) => script(request),
            None => Err(not_scripted(
                PluginKind::Reader,
                request.provider.as_deref(),
                "FakeHost::on_read",
            )),
        }
    }

    async fn ask_module(&self, call: &Call, name: &str, request: SearchRequest) -> Result<Found> {
        let not_found = || Error::not_found(PluginKind::SearchModule.label(), name);
        let module = self.modules.get(name).ok_or_else(not_found)?;
        ask(module, request, self.context_of(deeper(call)?)).await
    }
}

impl Host for FakeHost {
    fn text_search<'a>(&'a self, call: &'a Call, request: TextSearch) -> ResultFuture<'a, Found> {
        let answer = match &self.scripts.text_search {
            Some(script) => script(&request),
            None => Ok(text::search(self.visible(call, &request.filter), &request)),
        };
        self.remember(|calls| calls.text_searches.push(request));
        ready(answer).boxed()
    }

    fn vector_search<'a>(
        &'a self,
        call: &'a Call,
        request: VectorSearch,
    ) -> ResultFuture<'a, Found> {
        let answer = match &self.scripts.vector_search {
            Some(script) => script(&request),
            None => {
                let entries = self.visible(call, &request.filter);
                vectors::search(entries, &self.vectors, &request).map(Found::new)
            }
        };
        self.remember(|calls| calls.vector_searches.push(request));
        ready(answer).boxed()
    }

    fn search_module<'a>(
        &'a self,
        call: &'a Call,
        name: &'a str,
        request: SearchRequest,
    ) -> ResultFuture<'a, Found> {
        let asked = ModuleCall {
            name: name.to_owned(),
            request: request.clone(),
            call: call.clone(),
        };
        self.remember(|calls| calls.search_modules.push(asked));
        self.ask_module(call, name, request).boxed()
    }

    fn entries<'a>(&'a self, call: &'a Call, ids: Vec<String>) -> ResultFuture<'a, Vec<Entry>> {
        let everything = Filter::none();
        let entry = |id: &String| {
            let mut visible = self.visible(call, &everything);
            visible.find(|entry| entry.entry_id == *id).cloned()
        };
        let entries = ids.iter().filter_map(entry).collect();
        self.remember(|calls| calls.entries.push(ids));
        ready(Ok(entries)).boxed()
    }

    fn embed<'a>(&'a self, _call: &'a Call, request: EmbedRequest) -> ResultFuture<'a, Embeddings> {
        let answer = match &self.scripts.embed {
            Some(script) => script(&request),
            None => {
                let texts = request.texts.iter();
                Ok(Embeddings::new(
                    texts
                        .map(|text| HashEmbedderForTests::embed(text))
                        .collect(),
                    HashEmbedderForTests::model(),
                ))
            }
        };
        self.remember(|calls| calls.embeds.push(request));
        ready(answer).boxed()
    }

    fn rerank<'a>(
        &'a self,
        _call: &'a Call,
        request: RerankRequest,
    ) -> ResultFuture<'a, Vec<RerankScore>> {
        let answer = match &self.scripts.rerank {
            Some(script) => script(&request),
            None => Err(not_scripted(
                PluginKind::Reranker,
                request.provider.as_deref(),
                "FakeHost::on_rerank",
            )),
        };
        self.remember(|calls| calls.reranks.push(request));
        ready(answer).boxed()
    }

    fn chat<'a>(&'a self, _call: &'a Call, request: ChatRequest) -> ResultFuture<'a, ChatStream> {
        let answer = match &self.scripts.chat {
            Some(script) => script(&request).map(|chunks| futures::stream::iter(chunks).boxed()),
            None => Err(not_scripted(
                PluginKind::ChatModel,
                request.provider.as_deref(),
                "FakeHost::on_chat",
            )),
        };
        self.remember(|calls| calls.chats.push(request));
        ready(answer).boxed()
    }

    fn descriptors(&self) -> Arc<[Descriptor]> {
        let modules = self.modules.values();
        modules.map(|module| module.descriptor.clone()).collect()
    }

    fn call<'a>(
        &'a self,
        call: &'a Call,
        service: &'a str,
        payload: Vec<u8>,
    ) -> ResultFuture<'a, Vec<u8>> {
        let scripts = &self.scripts;
        let answer = match service {
            PlanRequest::SERVICE => self.query_plan(&payload),
            SetRequest::SERVICE => as_json(&payload, |asked: &SetRequest| {
                Ok(sets::members(self.visible(call, &asked.filter), asked))
            }),
            LateInteractionRequest::SERVICE if let Some(script) = &scripts.late_interaction => {
                as_json(&payload, |asked| script(asked))
            }
            RelevanceRequest::SERVICE if let Some(script) = &scripts.relevance => {
                as_json(&payload, |asked| script(asked))
            }
            RecurrenceRequest::SERVICE if let Some(script) = &scripts.recurrence => {
                as_json(&payload, |asked| script(asked))
            }
            SpanSimilarityRequest::SERVICE if let Some(script) = &scripts.span_similarity => {
                as_json(&payload, |asked| script(asked))
            }
            ReadRequest::SERVICE => as_json(&payload, |asked| self.read(asked)),
            HttpRequest::SERVICE if let Some(script) = &scripts.http => self.http(&payload, script),
            RunRequest::SERVICE => self.run_pipeline(call, &payload),
            SessionRequest::SERVICE => {
                as_json(&payload, |asked| Ok(self.converse(&call.tenant, asked)))
            }
            MetricRequest::SERVICE => as_json(&payload, |asked: &MetricRequest| {
                self.remember(|calls| calls.metrics.push(asked.clone()));
                Ok(())
            }),
            StateRequest::SERVICE => as_json(&payload, |asked| Ok(self.keep(asked))),
            _ => Err(Error::missing_service(service)),
        };
        ready(answer).boxed()
    }
}

/// Answers a request in JSON in JSON.
fn as_json<Request: DeserializeOwned, Answer: Serialize>(
    payload: &[u8],
    answer: impl FnOnce(&Request) -> Result<Answer>,
) -> Result<Vec<u8>> {
    let unreadable = |error: serde_json::Error| Error::internal(error.to_string());
    let request = serde_json::from_slice(payload).map_err(unreadable)?;
    serde_json::to_vec(&answer(&request)?).map_err(unreadable)
}

/// What a host says that has no such provider, and how a test gives it one.
fn not_scripted(kind: PluginKind, provider: Option<&str>, builder: &str) -> Error {
    Error::NotFound {
        what: kind.label().to_owned(),
        name: provider.unwrap_or("default").to_owned(),
        hint: format!("; a test scripts one with `{builder}`"),
    }
}

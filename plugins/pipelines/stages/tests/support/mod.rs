//! A small host in memory whose modules do as they are told.
#![allow(dead_code, reason = "each test program uses its part")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

pub mod reader;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::task::Poll;

use futures::future::BoxFuture;
use gannet_plugin::host::{Call, Deadline, Host};
use gannet_plugin::prelude::{
    Context, Descriptor, Diagnostic, Entry, Error, Hit, Result, SearchRequest,
};
use gannet_plugin::provider::{
    ChatChunk, ChatRequest, ChatStream, EmbedRequest, Embeddings, ReadRequest, Reading,
    RerankRequest, RerankScore,
};
use gannet_plugin::search::{Found, RelevanceRequest, ScoreKind, TextSearch, VectorSearch};

/// The host: what it holds, and what it was asked.
#[derive(Default)]
pub struct FakeHost {
    pub modules: BTreeMap<String, Module>,
    pub entries: Vec<Entry>,
    pub scores: Option<Result<Vec<RerankScore>>>,
    pub chat: Option<Result<Vec<Result<ChatChunk>>>>,
    /// What its reader answers; [`reader::read`] where a test says nothing.
    pub reading: Option<Result<Reading>>,
    /// The name of a reader that fails.
    pub broken_reader: Option<&'static str>,
    /// The relevance of entries by their ids; none where a test says nothing.
    pub relevance: BTreeMap<String, f64>,
    pub descriptors: Vec<Descriptor>,
    pub searches: Mutex<Vec<(String, SearchRequest, Deadline)>>,
    pub chats: Mutex<Vec<ChatRequest>>,
    pub readings: Mutex<Vec<ReadRequest>>,
}

/// What a module answers, after this many polls.
#[derive(Clone)]
pub struct Module {
    pub outcome: Result<Vec<Hit>>,
    pub polls: usize,
    pub note: Option<String>,
}

impl FakeHost {
    pub fn with_module(mut self, name: &str, outcome: Result<Vec<Hit>>) -> Self {
        let module = Module {
            outcome,
            polls: 0,
            note: None,
        };
        self.modules.insert(name.to_owned(), module);
        self
    }

    pub fn with_entries(mut self, entries: &[Entry]) -> Self {
        self.entries = entries.to_vec();
        self
    }

    /// How many hits each search asked for, in order.
    pub fn asked_limits(&self) -> Vec<usize> {
        let searches = self.searches.lock().unwrap();
        searches
            .iter()
            .map(|(_, request, _)| request.limit)
            .collect()
    }

    pub fn context(self) -> (Arc<Self>, Context) {
        let host = Arc::new(self);
        let call = Call::new("request-1", "default", Deadline::NEVER);
        let context = Context::new(call, host.clone());
        (host, context)
    }
}

/// Hits of one kind with falling scores.
pub fn hits(score_kind: ScoreKind, ids: &[&str]) -> Vec<Hit> {
    let score = |at: usize| 1.0 - 0.05 * at as f64;
    ids.iter()
        .enumerate()
        .map(|(at, id)| Hit::new(*id, "logbook", score(at), score_kind))
        .collect()
}

pub fn entry(id: &str, text: &str) -> Entry {
    Entry::new(id, "log", "2024-03-15T10:30:00Z".parse().unwrap(), text)
}

pub fn store_is_down() -> Error {
    Error::Store {
        message: "connection refused".to_owned(),
        retryable: true,
    }
}

/// Is pending so many times before it is done.
async fn after_polls(mut polls: usize) {
    std::future::poll_fn(|task| {
        if polls == 0 {
            return Poll::Ready(());
        }
        polls -= 1;
        task.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

fn not_offered<T: Send + 'static>() -> BoxFuture<'static, Result<T>> {
    Box::pin(async { Err(Error::not_found("service", "of this host")) })
}

impl Host for FakeHost {
    fn text_search<'a>(&'a self, _: &'a Call, _: TextSearch) -> BoxFuture<'a, Result<Found>> {
        not_offered()
    }

    fn vector_search<'a>(&'a self, _: &'a Call, _: VectorSearch) -> BoxFuture<'a, Result<Found>> {
        not_offered()
    }

    fn search_module<'a>(
        &'a self,
        call: &'a Call,
        name: &'a str,
        request: SearchRequest,
    ) -> BoxFuture<'a, Result<Found>> {
        Box::pin(async move {
            let asked = (name.to_owned(), request, call.deadline);
            self.searches.lock().unwrap().push(asked);
            let module = self.modules.get(name).cloned();
            let module = module.ok_or_else(|| Error::not_found("search module", name))?;
            after_polls(module.polls).await;
            let diagnostics = module.note.map(|note| Diagnostic::info(name, note));
            Ok(Found::new(module.outcome?).with_diagnostics(diagnostics.into_iter().collect()))
        })
    }

    fn entries<'a>(&'a self, _: &'a Call, ids: Vec<String>) -> BoxFuture<'a, Result<Vec<Entry>>> {
        let known = |id: &String| self.entries.iter().find(|e| e.entry_id == *id).cloned();
        let found = ids.iter().filter_map(known).collect();
        Box::pin(async move { Ok(found) })
    }

    fn embed<'a>(&'a self, _: &'a Call, _: EmbedRequest) -> BoxFuture<'a, Result<Embeddings>> {
        not_offered()
    }

    fn rerank<'a>(
        &'a self,
        _: &'a Call,
        _: RerankRequest,
    ) -> BoxFuture<'a, Result<Vec<RerankScore>>> {
        let reply = self.scores.clone();
        Box::pin(async move { reply.unwrap_or_else(|| Err(Error::not_found("reranker", "any"))) })
    }

    fn chat<'a>(&'a self, _: &'a Call, request: ChatRequest) -> BoxFuture<'a, Result<ChatStream>> {
        self.chats.lock().unwrap().push(request);
        let reply = self.chat.clone();
        Box::pin(async move {
            let chunks = reply.unwrap_or_else(|| Err(Error::not_found("chat model", "any")))?;
            let stream: ChatStream = Box::pin(futures::stream::iter(chunks));
            Ok(stream)
        })
    }

    fn descriptors(&self) -> Arc<[Descriptor]> {
        self.descriptors.clone().into()
    }

    fn call<'a>(
        &'a self,
        _: &'a Call,
        service: &'a str,
        payload: Vec<u8>,
    ) -> BoxFuture<'a, Result<Vec<u8>>> {
        Box::pin(async move {
            if service == RelevanceRequest::SERVICE && !self.relevance.is_empty() {
                let request: RelevanceRequest = serde_json::from_slice(&payload).unwrap();
                let ids = request.entry_ids.iter();
                let known: Vec<Option<f64>> =
                    ids.map(|id| self.relevance.get(id).copied()).collect();
                return Ok(serde_json::to_vec(&known).unwrap());
            }
            if service != ReadRequest::SERVICE {
                return Err(Error::missing_service(service));
            }
            let request: ReadRequest = serde_json::from_slice(&payload).unwrap();
            let is_broken =
                self.broken_reader.is_some() && request.provider.as_deref() == self.broken_reader;
            let reading = match is_broken {
                true => Some(Err(Error::internal("it is down"))),
                false => self.reading.clone(),
            };
            let reading = reading.unwrap_or_else(|| Ok(reader::read(&request)));
            self.readings.lock().unwrap().push(request);
            Ok(serde_json::to_vec(&reading?).unwrap())
        })
    }
}

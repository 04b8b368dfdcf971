//! The fake host: what it holds, and how a test fills it.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use super::modules::{Module, ScriptedModule};
use super::vectors::EntryVectors;
use super::{Calls, HashEmbedderForTests};
use gannet_api::{
    Call, ChatChunk, ChatRequest, Context, DEFAULT_TENANT, Deadline, Descriptor, EmbedRequest,
    Embeddings, Entry, Error, Found, HttpRequest, HttpResponse, LateInteractionRequest,
    PassageEmbedding, PassageEmbeddings, PipelineRequest, PipelineRun, PlanRequest, QueryPlan,
    ReadRequest, Reading, Recurrence, RecurrenceRequest, RelevanceRequest, RerankRequest,
    RerankScore, Result, SearchModule, SearchRequest, SessionRequest, SpanSimilarities,
    SpanSimilarityRequest, StateRequest, TextSearch, VectorSearch,
};
use serde_json::Value;

/// What a test says that a service answers.
pub(super) type Script<Request, Answer> = Arc<dyn Fn(&Request) -> Result<Answer> + Send + Sync>;

/// A host in memory. Clones remember calls in one list.
///
/// Without scripts its services are:
///
/// | service | answers |
/// |---|---|
/// | text search | entries that meet the query, read by [`query`](gannet_api::query): words, phrases, operators, patterns and fields; those of the most occurrences first. All words in a row must be there; with [`QuerySyntax::Plain`](gannet_api::QuerySyntax::Plain) any word counts. A word is a run of letters and digits, letter case aside; there is no stemming and no repair of typing errors. A query without words lists what the filter lets through, newest first |
/// | vector search | entries by the cosine of their best passage, among those of [`with_vectors`](Self::with_vectors) |
/// | search module | the module that was added under the name |
/// | entries | those that were added |
/// | embed | vectors by [`HashEmbedderForTests`], whichever provider is named |
/// | query plan | a plan with the words of the question: no times, no entities |
/// | HTTP, recurrence | [`Error::NotFound`], as of a host that is older than the service |
/// | state | what was kept in this host |
/// | session | what was kept in this host |
/// | metrics | nothing; they are in [`calls`](Self::calls) |
/// | pipeline | what [`on_pipeline`](Self::on_pipeline) says under the name |
/// | late interaction | no scores, as of a store without token vectors |
/// | rerank, read, chat | [`Error::NotFound`], as of a host that has no such provider |
///
/// Every search keeps to the call's tenant and to
/// [`Filter::matches`](gannet_api::Filter::matches). Deadlines are passed on and
/// never enforced.
#[derive(Clone, Default)]
pub struct FakeHost {
    pub(super) entries: Vec<Entry>,
    pub(super) vectors: Vec<EntryVectors>,
    pub(super) modules: BTreeMap<String, Module>,
    pub(super) scripts: Scripts,
    state: Arc<Mutex<BTreeMap<String, String>>>,
    sessions: Arc<Mutex<BTreeMap<(String, String), Value>>>,
    calls: Arc<Mutex<Calls>>,
}

/// The scripts of services.
#[derive(Clone, Default)]
pub(super) struct Scripts {
    pub(super) text_search: Option<Script<TextSearch, Found>>,
    pub(super) vector_search: Option<Script<VectorSearch, Found>>,
    pub(super) embed: Option<Script<EmbedRequest, Embeddings>>,
    pub(super) rerank: Option<Script<RerankRequest, Vec<RerankScore>>>,
    pub(super) read: Option<Script<ReadRequest, Reading>>,
    pub(super) query_plan: Option<Script<PlanRequest, QueryPlan>>,
    pub(super) chat: Option<Script<ChatRequest, Vec<Result<ChatChunk>>>>,
    pub(super) http: Option<Script<HttpRequest, HttpResponse>>,
    pub(super) pipelines: BTreeMap<String, Script<PipelineRequest, PipelineRun>>,
    pub(super) late_interaction: Option<Script<LateInteractionRequest, Vec<Option<f64>>>>,
    pub(super) relevance: Option<Script<RelevanceRequest, Vec<Option<f64>>>>,
    pub(super) recurrence: Option<Script<RecurrenceRequest, Recurrence>>,
    pub(super) span_similarity: Option<Script<SpanSimilarityRequest, SpanSimilarities>>,
}

impl FakeHost {
    /// Answers a request for the state of the instance, of which there is one.
    pub(super) fn keep(&self, request: &StateRequest) -> Option<String> {
        // A test that panicked while it held the lock is over.
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        match request {
            StateRequest::Read { key } => return state.get(key).cloned(),
            StateRequest::Write {
                key,
                value: Some(value),
            } => drop(state.insert(key.clone(), value.clone())),
            StateRequest::Write { key, value: None } => drop(state.remove(key)),
            _ => {}
        }
        None
    }

    /// Answers a request for a session of the instance, of which there is one.
    pub(super) fn converse(&self, tenant: &str, request: &SessionRequest) -> Option<Value> {
        let sessions = self.sessions.lock();
        // A test that panicked while it held the lock is over.
        let mut sessions = sessions.unwrap_or_else(PoisonError::into_inner);
        let place = |id: &String| (tenant.to_owned(), id.clone());
        match request {
            SessionRequest::Read { id } => return sessions.get(&place(id)).cloned(),
            SessionRequest::Write {
                id,
                value: Some(value),
            } => drop(sessions.insert(place(id), value.clone())),
            SessionRequest::Write { id, value: None } => drop(sessions.remove(&place(id))),
            _ => {}
        }
        None
    }

    /// Adds entries.
    #[must_use]
    pub fn with_entries(mut self, entries: impl IntoIterator<Item = Entry>) -> Self {
        self.entries.extend(entries);
        self
    }

    /// Adds the vectors of an entry.
    #[must_use]
    pub fn with_vectors(
        mut self,
        entry_id: impl Into<String>,
        embeddings: PassageEmbeddings,
    ) -> Self {
        self.vectors.push(EntryVectors {
            entry_id: entry_id.into(),
            embeddings,
        });
        self
    }

    /// Adds a vector to each entry that was added before: its whole text, by
    /// [`HashEmbedderForTests`].
    #[must_use]
    pub fn with_hashed_vectors(mut self) -> Self {
        let hashed = self.entries.iter().map(|entry| EntryVectors {
            entry_id: entry.entry_id.clone(),
            embeddings: PassageEmbeddings::new(
                HashEmbedderForTests::NAME.to_owned(),
                vec![PassageEmbedding::new(
                    0..entry.raw_text.len(),
                    HashEmbedderForTests::embed(&entry.raw_text),
                )],
            ),
        });
        self.vectors.extend(hashed);
        self
    }

    /// Adds a search module under a name. It is called with a context of this
    /// host, so that it finds what the host holds.
    #[must_use]
    pub fn with_search_module<M: SearchModule>(self, name: impl Into<String>, module: M) -> Self {
        let name = name.into();
        let mut descriptor = M::descriptor();
        descriptor.name.clone_from(&name);
        self.with_module(Module {
            descriptor,
            search: Arc::new(module),
        })
    }

    /// Adds a search module that answers what a test says.
    #[must_use]
    pub fn on_search_module(
        self,
        name: impl Into<String>,
        answer: impl Fn(&SearchRequest) -> Result<Found> + Send + Sync + 'static,
    ) -> Self {
        let name = name.into();
        self.with_module(Module {
            descriptor: Descriptor::search_module(&name, &name, "Answers what a test says."),
            search: Arc::new(ScriptedModule(Arc::new(answer))),
        })
    }

    /// Adds a pipeline that answers what a test says.
    #[must_use]
    pub fn on_pipeline(
        mut self,
        name: impl Into<String>,
        answer: impl Fn(&PipelineRequest) -> Result<PipelineRun> + Send + Sync + 'static,
    ) -> Self {
        let scripts = &mut self.scripts.pipelines;
        scripts.insert(name.into(), Arc::new(answer));
        self
    }

    /// Answers chat requests with these texts, one after another, each in one
    /// piece. A request beyond the last is [`Error::Internal`].
    #[must_use]
    pub fn with_replies<T: Into<String>>(self, replies: impl IntoIterator<Item = T>) -> Self {
        let replies: VecDeque<String> = replies.into_iter().map(Into::into).collect();
        let replies = Mutex::new(replies);
        self.on_chat(move |_| {
            let mut left = replies.lock().unwrap_or_else(PoisonError::into_inner);
            let reply = left
                .pop_front()
                .ok_or_else(|| Error::internal("the test has no more replies"))?;
            Ok(vec![
                Ok(ChatChunk::Token(reply)),
                Ok(ChatChunk::End("stop".to_owned())),
            ])
        })
    }

    /// A context of the tenant `default`, without a deadline, on this host.
    pub fn context(&self) -> Context {
        let call = Call::new("test", DEFAULT_TENANT, Deadline::NEVER);
        self.context_of(call)
    }

    /// A context of a call on this host.
    pub fn context_of(&self, call: Call) -> Context {
        Context::new(call, Arc::new(self.clone()))
    }

    /// What was asked until now.
    pub fn calls(&self) -> Calls {
        let mut calls = Calls::default();
        self.remember(|asked| calls.clone_from(asked));
        calls
    }

    /// Writes into the list of calls.
    pub(super) fn remember(&self, write: impl FnOnce(&mut Calls)) {
        // A panic while the lock is held can only have been in a push; the
        // lists are whole in any case.
        write(&mut self.calls.lock().unwrap_or_else(PoisonError::into_inner));
    }

    fn with_module(mut self, module: Module) -> Self {
        self.modules.insert(module.descriptor.name.clone(), module);
        self
    }
}

/// Writes the methods by which a test answers a service.
macro_rules! scripted {
    ($($(#[$doc:meta])+ $method:ident: $script:ident($request:ty) -> $answer:ty;)+) => {
        impl FakeHost {$(
            $(#[$doc])+
            #[must_use]
            pub fn $method(
                mut self,
                answer: impl Fn(&$request) -> Result<$answer> + Send + Sync + 'static,
            ) -> Self {
                self.scripts.$script = Some(Arc::new(answer));
                self
            }
        )+}
    };
}

scripted! {
    /// Answers text searches.
    on_text_search: text_search(TextSearch) -> Found;

    /// Answers vector searches.
    on_vector_search: vector_search(VectorSearch) -> Found;

    /// Answers wishes for vectors. The answer is passed on as it is, even
    /// where a real host would refuse it.
    on_embed: embed(EmbedRequest) -> Embeddings;

    /// Answers wishes for relevance scores.
    on_rerank: rerank(RerankRequest) -> Vec<RerankScore>;

    /// Answers requests to readers. The answer is passed on as it is, even
    /// where a real host would refuse it.
    on_read: read(ReadRequest) -> Reading;

    /// Answers questions for query plans.
    on_query_plan: query_plan(PlanRequest) -> QueryPlan;

    /// Answers requests for scores of entries by their words.
    on_late_interaction: late_interaction(LateInteractionRequest) -> Vec<Option<f64>>;

    /// Answers requests for the relevance of entries.
    on_relevance: relevance(RelevanceRequest) -> Vec<Option<f64>>;

    /// Answers requests for events like an entry or a text.
    on_recurrence: recurrence(RecurrenceRequest) -> Recurrence;

    /// Answers requests for the similarity of spans of entries.
    on_span_similarity: span_similarity(SpanSimilarityRequest) -> SpanSimilarities;

    /// Answers requests to other servers, see
    /// [`Context::http`](gannet_api::Context::http). A status that is not one of the
    /// 200s becomes the error that a host makes of it.
    on_http: http(HttpRequest) -> HttpResponse;

    /// Answers chat requests with the pieces of a completion. An `Err` among
    /// them is a stream that breaks there.
    on_chat: chat(ChatRequest) -> Vec<Result<ChatChunk>>;
}

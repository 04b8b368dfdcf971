//! Pipelines: a question in, an answer with citations out.

use std::collections::BTreeMap;
use std::future::Future;
use std::sync::Arc;

use futures::future::{BoxFuture, FutureExt};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::lifecycle::{dyn_lifecycle, lifecycle, lifecycle_of};
use crate::{ChatMessage, Context, Descriptor, Filter, Hit, QueryPlan, Result, Settings, Setup};

/// A pipeline, as its author writes it. It reaches search modules by name
/// through [`Context::search_module`](crate::Context::search_module);
/// [`Setup::retrieval_modules`] says which the configuration gives it.
pub trait Pipeline: Send + Sync + Sized + 'static {
    /// The name of the pipeline among those of its kind: lower-case letters,
    /// digits and single underscores. The configuration names it so.
    const NAME: &'static str;

    /// What the configuration can set, with defaults.
    type Settings: Settings;

    /// What the pipeline is, for people and programs.
    fn descriptor() -> Descriptor;

    /// Makes an instance. Runs once, at start.
    fn new(settings: Self::Settings, setup: &Setup) -> Result<Self>;

    lifecycle!();

    /// Answers the question.
    fn run(
        &self,
        request: PipelineRequest,
        context: &Context,
    ) -> impl Future<Output = Result<Answer>> + Send;
}

/// [`Pipeline`] behind a pointer; implemented for every pipeline.
pub trait DynPipeline: Send + Sync {
    dyn_lifecycle!();

    /// See [`Pipeline::run`].
    fn run<'a>(
        &'a self,
        request: PipelineRequest,
        context: &'a Context,
    ) -> BoxFuture<'a, Result<Answer>>;
}

impl<P: Pipeline> DynPipeline for P {
    lifecycle_of!(Pipeline);

    fn run<'a>(
        &'a self,
        request: PipelineRequest,
        context: &'a Context,
    ) -> BoxFuture<'a, Result<Answer>> {
        Pipeline::run(self, request, context).boxed()
    }
}

/// What a pipeline is asked.
#[derive(Debug, Clone, PartialEq)]
pub struct PipelineRequest {
    /// The question.
    pub query: String,
    /// How many entries the result holds at most, at least 1.
    pub limit: usize,
    /// What an entry must be to be found at all.
    pub filter: Filter,
    /// Values of the pipeline's parameters that this call sets.
    pub params: Map<String, Value>,
    /// What was said before, oldest first.
    pub history: Vec<ChatMessage>,
    /// What the host read in the question. The host fills it in when it is
    /// missing or its text is not the query. A host that is older than the
    /// plan leaves it out.
    pub plan: Option<Arc<QueryPlan>>,
}

impl PipelineRequest {
    /// A request without filter, parameters and history.
    pub fn new(query: impl Into<String>, limit: usize) -> Self {
        Self {
            query: query.into(),
            limit,
            filter: Filter::none(),
            params: Map::new(),
            history: Vec::new(),
            plan: None,
        }
    }

    /// These settings of a pipeline with what this call sets in their place.
    ///
    /// # Errors
    /// [`Error::InvalidInput`](crate::Error::InvalidInput) when a parameter is
    /// of another type or out of its bounds.
    pub fn settings<S: Settings>(&self, settings: &S) -> Result<S> {
        settings.for_call(&self.params)
    }

    /// One parameter of this call, where it is set.
    ///
    /// # Errors
    /// [`Error::InvalidInput`](crate::Error::InvalidInput) when it is set to
    /// something of another type.
    pub fn param<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>> {
        crate::param(&self.params, name)
    }
}

/// What a pipeline answers.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Answer {
    /// The entries in order.
    pub hits: Vec<Hit>,
    /// The answer in words, with citation marks.
    pub answer: Option<String>,
    /// How far the answer can be trusted.
    pub answer_status: Option<AnswerStatus>,
    /// Ids of the entries that the answer cites, in order of first mention.
    pub citations: Vec<String>,
    /// Ids of the entries that the answer was made from.
    pub sources: Vec<String>,
    /// Search modules that contributed.
    pub search_modes_used: Vec<String>,
    /// How the answer came about, in a sentence.
    pub reasoning: String,
    /// What the pipeline decided before it searched, beside the host's
    /// [`QueryPlan`]. Results show it as `pipeline_details.plan`.
    pub plan: Option<Value>,
    /// Statistics and traces of the pipeline's own.
    pub pipeline_details: Option<Value>,
    /// Whether a part failed and the rest stands for the whole.
    pub degraded: bool,
    /// What the pipeline gives beyond the parts above, by key: `cards`,
    /// `coverage`. Results show it as `extensions`; a surface that knows a key
    /// draws it, others pass it on.
    pub extensions: BTreeMap<String, Value>,
}

/// How far an answer can be trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnswerStatus {
    /// Every sentence cites an entry that was found, and what is cited covers
    /// the question.
    Grounded,
    /// The closest entries, which may not answer the question.
    Partial,
    /// The question could mean several things.
    Clarify,
    /// What was found does not answer the question.
    Insufficient,
    /// A model answered and cited nothing.
    Uncited,
}

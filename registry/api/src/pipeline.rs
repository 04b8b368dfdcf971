//! Pipelines: a question in, an answer with citations out.

use std::future::Future;
use std::ops::Range;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::lifecycle::{behind_pointer, dyn_lifecycle, of_every_kind};
use crate::readable::known_or_none;
use crate::setters::setters;
use crate::{ChatMessage, Context, Filter, Hit, QueryPlan, Result, ResultFuture, Settings};

/// A pipeline, as its author writes it. It reaches search modules by name
/// through [`Context::search_module`](crate::Context::search_module);
/// [`Setup::retrieval_modules`](crate::Setup::retrieval_modules) says which the
/// configuration gives it.
pub trait Pipeline: Send + Sync + Sized + 'static {
    of_every_kind!();

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
    ) -> ResultFuture<'a, Answer>;
}

behind_pointer!(Pipeline as DynPipeline {
    run(request: PipelineRequest) -> Answer;
});

/// What a pipeline is asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PipelineRequest {
    /// The question.
    pub query: String,
    /// How many entries the result holds at most, at least 1.
    pub limit: usize,
    /// What an entry must be to be found at all.
    #[serde(default)]
    pub filter: Filter,
    /// Values of the pipeline's parameters that this call sets.
    #[serde(default)]
    pub params: Map<String, Value>,
    /// What was said before, oldest first.
    #[serde(default)]
    pub history: Vec<ChatMessage>,
    /// What the host read in the question. The host fills it in when it is
    /// missing or its text is not the query. A host that is older than the
    /// plan leaves it out.
    #[serde(default)]
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

setters!(PipelineRequest {
    with_filter(filter: Filter),
    with_params(params: Map<String, Value>),
    with_history(history: Vec<ChatMessage>),
    with_plan(plan: impl Into<Option<Arc<QueryPlan>>>),
});

/// What a pipeline answers.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Answer {
    /// The entries in order.
    pub hits: Vec<Hit>,
    /// The answer in words, with citation marks.
    pub answer: Option<String>,
    /// How far the answer can be trusted.
    #[serde(deserialize_with = "known_or_none")]
    pub answer_status: Option<AnswerStatus>,
    /// The probability that the answer is right, 0 to 1; none where the
    /// pipeline does not know it.
    pub answer_confidence: Option<f64>,
    /// The words of the answer that answer the question: byte ranges of
    /// `answer`, in order and apart from each other.
    pub answer_highlights: Vec<Range<usize>>,
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
    /// What the pipeline has to say beside all that, by names of its own.
    /// Results of every surface show it as `extensions`.
    pub extensions: Map<String, Value>,
}

impl Answer {
    /// These entries, without words.
    pub fn new(hits: Vec<Hit>) -> Self {
        Self {
            hits,
            ..Self::default()
        }
    }

    /// With something beside the rest, under a name of the pipeline's own.
    #[must_use]
    pub fn with_extension(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.extensions.insert(name.into(), value.into());
        self
    }
}

setters!(Answer {
    with_answer(answer: impl Into<Option<String>>),
    with_answer_status(answer_status: impl Into<Option<AnswerStatus>>),
    with_answer_confidence(answer_confidence: impl Into<Option<f64>>),
    with_answer_highlights(answer_highlights: Vec<Range<usize>>),
    with_citations(citations: Vec<String>),
    with_sources(sources: Vec<String>),
    with_search_modes_used(search_modes_used: Vec<String>),
    with_reasoning(reasoning: impl Into<String>),
    with_plan(plan: impl Into<Option<Value>>),
    with_pipeline_details(pipeline_details: impl Into<Option<Value>>),
    with_degraded(degraded: bool),
});

/// How far an answer can be trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnswerStatus {
    /// Every sentence cites an entry that was found, and what is cited answers
    /// the question with a probability of `grounded_probability` at least, or
    /// is a set that the store counted. An empty set has nothing to cite.
    Grounded,
    /// Every sentence cites an entry that was found, and may not answer the
    /// question.
    Partial,
    /// The question could mean several things.
    Clarify,
    /// What was found does not answer the question.
    Insufficient,
    /// A model answered and cited nothing.
    Uncited,
}

//! The contract between Gannet and its plugins.
//!
//! A plugin is one of four exported kinds: a [`SearchModule`] finds entries,
//! a [`Pipeline`] answers questions, an [`Adapter`] brings entries in, an
//! [`Enhancer`] adds to them. Providers ([`Embedder`], [`Reranker`],
//! [`Reader`], [`ChatModel`]) are registered the same way. Each says what it is by a
//! [`Descriptor`], is made from settings of its own type, and is called with
//! a [`Context`] that carries who asks, until when, and the [`Host`]'s
//! services.
//!
//! Authors depend on `gannet-plugin`, which re-exports this crate and adds
//! `export_plugin!`. The doc of [`SearchModule`] shows a whole module.

mod adapter;
mod attachment_text;
mod context;
mod descriptor;
mod diagnostic;
mod enhancer;
mod entry;
mod error;
mod event;
mod example;
mod filter;
mod hit;
mod host;
mod http;
mod late_interaction;
mod lifecycle;
pub mod limits;
mod metric;
mod pipeline;
mod pipeline_run;
mod place;
mod plan;
mod prompts;
mod provider;
mod publish;
pub mod query;
mod readable;
mod recurrence;
mod registration;
mod relevance;
mod search_module;
mod secret;
mod session;
mod setters;
mod settings;
mod span_similarity;
mod state;
mod time_names;
mod tool;

#[doc(hidden)]
pub use inventory;

pub use adapter::{
    Adapter, DynAdapter, FetchRequest, MAX_CURSOR_BYTES, Record, RecordStream, RejectedRecord,
};
pub use attachment_text::{
    ATTACHMENT_TEXT, AttachmentRequest, AttachmentText, attachment_metadata,
};
pub use context::{Call, Context, Deadline};
pub use descriptor::{
    Category, Descriptor, Exposure, InstanceDescription, ModelCard, Needs, ParameterDescriptor,
    ParameterOption, ParameterType, PluginKind, Retrieval, TrainingData, schema_of,
};
pub use diagnostic::{Diagnostic, Diagnostics, Level};
pub use enhancer::{DynEnhancer, Enhanced, Enhancer, PassageEmbedding, PassageEmbeddings, Patch};
pub use entry::{
    Attachment, DEFAULT_KIND, DEFAULT_TENANT, DELIVERED_MESSAGE, EnhancementStatus, Entry,
    OWN_SOURCE,
};
pub use error::{Error, Result, ResultFuture};
pub use event::{Event, Events};
pub use example::{Example, Expected};
pub use filter::{
    Condition, Filter, FilterClause, FilterField, NumberRange, TimeRange, fold, scalar_text,
};
pub use hit::{Highlight, Hit, Matched, Passage, Provenance, ScoreKind, sort_hits};
pub use host::{Found, Host, QuerySyntax, TextSearch, VectorSearch};
pub use http::{HttpRequest, HttpResponse};
pub use late_interaction::{
    LateInteractionRequest, TokenEmbeddings, TokenOccurrence, TokenStopWord, TokenValues,
    TokenVectors, push_signs, sign_bytes,
};
pub use lifecycle::Health;
pub use metric::MetricRequest;
pub use pipeline::{Answer, AnswerStatus, DynPipeline, Pipeline, PipelineRequest};
pub use pipeline_run::{PipelineRun, RunRequest};
pub use place::{PlaceField, places_of};
pub use plan::{
    EntityKind, GroupBy, Intent, PlanEntity, PlanRequest, PlanSource, PlanTime, Precision,
    QueryPlan, SetCertainty, SetGroup, SetMeasure, SetMember, SetMembers, SetOperation, SetQuery,
    SetRequest, TimeOrder,
};
pub use prompts::Prompts;
pub use provider::{
    ChatChunk, ChatMessage, ChatModel, ChatRequest, ChatRole, ChatStream, ChatTool, DynChatModel,
    DynEmbedder, DynReader, DynReranker, EmbedPurpose, EmbedRequest, Embedder, EmbeddingModel,
    Embeddings, ReadPassage, ReadRequest, ReadSpan, Reader, Reading, RerankRequest, RerankScore,
    Reranker, ToolCall,
};
pub use publish::{Credentials, PublishRequest, Published, Writing};
#[doc(hidden)]
pub use readable::known_or_none;
pub use recurrence::{Recurrence, RecurrenceRequest, SimilarEvent};
pub use registration::{Plugin, Registration, Setup};
pub use relevance::RelevanceRequest;
pub use search_module::{DynSearchModule, SearchModule, SearchRequest, param};
pub use secret::Secret;
pub use session::{Session, SessionRequest};
#[doc(hidden)]
pub use settings::out_of_bounds;
pub use settings::{Bounded, NoSettings, Settings, read_settings};
pub use span_similarity::{
    EntrySpans, SpanSimilarities, SpanSimilarity, SpanSimilarityRequest, SpanWord, TokenPlace,
    push_places, split_places,
};
pub use state::StateRequest;
pub use time_names::time_name_rank;
pub use tool::{ReadOptions, Tool, ToolError};

//! The contract by what it is about. What the prelude has is not repeated.

/// Parts of a descriptor.
pub mod descriptor {
    pub use gannet_api::{
        Category, Expected, Exposure, InstanceDescription, ModelCard, Needs, ParameterDescriptor,
        ParameterOption, ParameterType, PluginKind, Retrieval, TrainingData, schema_of,
    };
}

/// Enhancers: what they add to entries.
pub mod enhance {
    pub use gannet_api::{DynEnhancer, Enhanced, PassageEmbedding, PassageEmbeddings, Patch};
}

/// Parts of an entry.
pub mod entry {
    pub use gannet_api::{
        ATTACHMENT_TEXT, Attachment, AttachmentRequest, AttachmentText, DEFAULT_KIND,
        DEFAULT_TENANT, EnhancementStatus, PlaceField, attachment_metadata, places_of,
    };
}

/// Filters: what an entry must be to be found at all.
pub mod filter {
    pub use gannet_api::{
        Condition, Filter, FilterClause, FilterField, NumberRange, TimeRange, fold, scalar_text,
    };
}

/// The call and the services of the host, for what
/// [`Context`](crate::prelude::Context) has no shorthand for.
pub mod host {
    pub use gannet_api::{
        Call, Deadline, Diagnostics, Health, Host, Level, MetricRequest, Session, SessionRequest,
        StateRequest,
    };
}

/// Requests to other servers, which the host makes.
pub mod http {
    pub use gannet_api::{HttpRequest, HttpResponse};
}

/// Pipelines: what they answer and tell, and the tools that agents see.
pub mod pipeline {
    pub use gannet_api::{
        AnswerStatus, DynPipeline, Event, Events, PipelineRun, ReadOptions, RunRequest, Tool,
        ToolError,
    };
}

/// Writing entries into a facility's logbook.
pub mod publish {
    pub use gannet_api::{Credentials, PublishRequest, Published, Writing};
}

/// The query plan: what the host read in a question.
pub mod plan {
    pub use gannet_api::{
        EntityKind, GroupBy, Intent, PlanEntity, PlanRequest, PlanSource, PlanTime, Precision,
        QueryPlan, SetCertainty, SetGroup, SetMeasure, SetMember, SetMembers, SetOperation,
        SetQuery, SetRequest, TimeOrder,
    };
}

/// Embedders, rerankers, readers and chat models.
pub mod provider {
    pub use gannet_api::{
        ChatChunk, ChatMessage, ChatModel, ChatRequest, ChatRole, ChatStream, ChatTool,
        DynChatModel, DynEmbedder, DynReader, DynReranker, EmbedPurpose, EmbedRequest, Embedder,
        EmbeddingModel, Embeddings, ReadPassage, ReadRequest, ReadSpan, Reader, Reading,
        RerankRequest, RerankScore, Reranker, TokenEmbeddings, TokenOccurrence, TokenPlace,
        TokenStopWord, TokenValues, TokenVectors, ToolCall, push_places, push_signs, sign_bytes,
        split_places,
    };
}

/// Search modules: what they are asked, what they find, and the searches of the
/// host.
pub mod search {
    pub use gannet_api::{
        DynSearchModule, EntrySpans, Found, Highlight, LateInteractionRequest, Matched, Passage,
        Provenance, QuerySyntax, Recurrence, RecurrenceRequest, RelevanceRequest, ScoreKind,
        SimilarEvent, SpanSimilarities, SpanSimilarity, SpanSimilarityRequest, SpanWord,
        TextSearch, VectorSearch, param, sort_hits,
    };
}

/// What an instance is made from, and how plugins are registered.
pub mod setup {
    pub use gannet_api::{Bounded, Plugin, Prompts, Registration, Secret, Settings, read_settings};
}

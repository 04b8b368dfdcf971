//! What a host was asked.

use gannet_api::{
    Call, ChatRequest, EmbedRequest, HttpRequest, MetricRequest, PipelineRequest, ReadRequest,
    RerankRequest, SearchRequest, TextSearch, VectorSearch,
};

/// What a [`FakeHost`](super::FakeHost) was asked, each list in order. Calls
/// that failed are here too.
#[derive(Debug, Clone, Default)]
pub struct Calls {
    /// Searches of the text index.
    pub text_searches: Vec<TextSearch>,
    /// Searches of the vector index.
    pub vector_searches: Vec<VectorSearch>,
    /// Search modules that were asked.
    pub search_modules: Vec<ModuleCall>,
    /// Pipelines that were run, by the names that they were asked for.
    pub pipelines: Vec<(String, PipelineRequest)>,
    /// Ids of entries, one list a call.
    pub entries: Vec<Vec<String>>,
    /// Wishes for vectors.
    pub embeds: Vec<EmbedRequest>,
    /// Wishes for relevance scores.
    pub reranks: Vec<RerankRequest>,
    /// What readers were asked.
    pub reads: Vec<ReadRequest>,
    /// Requests to other servers.
    pub http: Vec<HttpRequest>,
    /// What was counted and timed.
    pub metrics: Vec<MetricRequest>,
    /// What chat models were asked.
    pub chats: Vec<ChatRequest>,
}

/// One call of a search module.
#[derive(Debug, Clone)]
pub struct ModuleCall {
    /// The module, by the name that it was asked for.
    pub name: String,
    /// What it was asked.
    pub request: SearchRequest,
    /// On whose behalf, and until when, as the caller said.
    pub call: Call,
}

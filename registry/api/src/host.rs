//! The services that the host offers to plugins.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::setters::setters;
use crate::{
    Call, ChatRequest, ChatStream, Descriptor, Diagnostic, EmbedRequest, Embeddings, Entry, Filter,
    Hit, RerankRequest, RerankScore, ResultFuture, SearchRequest,
};

/// The services that the host offers to plugins.
///
/// Authors use them through [`Context`](crate::Context), which carries the
/// call. The host applies the call's tenant to every search, ends each service
/// at the call's deadline, and contains panics of the modules that it calls.
pub trait Host: Send + Sync {
    /// Searches the text index.
    fn text_search<'a>(&'a self, call: &'a Call, request: TextSearch) -> ResultFuture<'a, Found>;

    /// Searches the vector index.
    fn vector_search<'a>(
        &'a self,
        call: &'a Call,
        request: VectorSearch,
    ) -> ResultFuture<'a, Found>;

    /// Asks a search module by the name that it has in the configuration.
    fn search_module<'a>(
        &'a self,
        call: &'a Call,
        name: &'a str,
        request: SearchRequest,
    ) -> ResultFuture<'a, Found>;

    /// Reads entries by id, in the order asked; unknown ids are left out.
    fn entries<'a>(&'a self, call: &'a Call, ids: Vec<String>) -> ResultFuture<'a, Vec<Entry>>;

    /// Embeds texts.
    fn embed<'a>(&'a self, call: &'a Call, request: EmbedRequest) -> ResultFuture<'a, Embeddings>;

    /// Scores documents against a query.
    fn rerank<'a>(
        &'a self,
        call: &'a Call,
        request: RerankRequest,
    ) -> ResultFuture<'a, Vec<RerankScore>>;

    /// Asks a chat model.
    fn chat<'a>(&'a self, call: &'a Call, request: ChatRequest) -> ResultFuture<'a, ChatStream>;

    /// What is registered and switched on, sorted by kind and name; without
    /// examples, which are for docs and tests. It is asked for in every call,
    /// so that all share one list.
    fn descriptors(&self) -> Arc<[Descriptor]>;

    /// The door for services that are younger than this trait: a name and
    /// JSON in, JSON out. An unknown service is [`Error::NotFound`](crate::Error::NotFound).
    fn call<'a>(
        &'a self,
        call: &'a Call,
        service: &'a str,
        payload: Vec<u8>,
    ) -> ResultFuture<'a, Vec<u8>>;
}

/// How a query text is read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum QuerySyntax {
    /// The whole query language: operators, phrases, fields.
    #[default]
    Operators,
    /// Words only, for text that a program builds: no operators, stop words
    /// dropped, any word counts.
    Plain,
}

/// A search of the text index.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct TextSearch {
    /// The query text.
    pub query: String,
    /// How it is read.
    pub syntax: QuerySyntax,
    /// What an entry must be to be found at all.
    pub filter: Filter,
    /// How many hits at most.
    pub limit: usize,
    /// Whether the hits get fragments of text with the matching places marked.
    /// The host makes them for the entries that a result shows, when it is
    /// complete: the hits that a module gets in a search have none yet.
    pub highlights: bool,
    /// Whether a word that is in no entry is replaced by its nearest ones.
    pub fuzzy: bool,
}

impl TextSearch {
    /// A search with the whole query language, without highlights.
    pub fn new(query: impl Into<String>, limit: usize) -> Self {
        Self {
            query: query.into(),
            syntax: QuerySyntax::Operators,
            filter: Filter::none(),
            limit,
            highlights: false,
            fuzzy: true,
        }
    }
}

setters!(TextSearch {
    with_syntax(syntax: QuerySyntax),
    with_filter(filter: Filter),
    with_highlights(highlights: bool),
    with_fuzzy(fuzzy: bool),
});

/// A search of the vector index.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct VectorSearch {
    /// The question's vector, of the model's dimension.
    pub vector: Vec<f32>,
    /// Which model made it; the default embedder's when missing.
    pub model: Option<String>,
    /// What an entry must be to be found at all.
    pub filter: Filter,
    /// Maximum number of entries.
    pub limit: usize,
    /// The least cosine similarity.
    pub min_similarity: Option<f32>,
}

impl VectorSearch {
    /// A search with a vector of the default embedder.
    pub fn new(vector: Vec<f32>, limit: usize) -> Self {
        Self {
            vector,
            model: None,
            filter: Filter::none(),
            limit,
            min_similarity: None,
        }
    }
}

setters!(VectorSearch {
    with_model(model: impl Into<Option<String>>),
    with_filter(filter: Filter),
    with_min_similarity(min_similarity: impl Into<Option<f32>>),
});

/// What a search found, with its notes.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Found {
    /// The hits in order.
    pub hits: Vec<Hit>,
    /// Notes for the result.
    pub diagnostics: Vec<Diagnostic>,
}

impl Found {
    /// Hits, without notes.
    pub fn new(hits: Vec<Hit>) -> Self {
        Self {
            hits,
            diagnostics: Vec::new(),
        }
    }
}

setters!(Found {
    with_diagnostics(diagnostics: Vec<Diagnostic>),
});

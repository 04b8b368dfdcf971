//! What providers of models are asked and answer. Chat is open and rare:
//! requests and pieces of completions cross as JSON.

use abi_stable::StableAbi;
use abi_stable::std_types::{ROption, RString, RVec};
use gannet_api::{
    EmbedPurpose, EmbedRequest, EmbeddingModel, Embeddings, RerankRequest, RerankScore,
    TokenEmbeddings, TokenVectors,
};
use serde::{Deserialize, Serialize};

use super::search::limit;
use super::{from_slot, list, option, to_slot, unlist, unoption};

/// An [`EmbedRequest`].
#[repr(C)]
#[derive(StableAbi, Debug, Clone)]
pub struct AbiEmbedRequest {
    /// The texts.
    pub texts: RVec<RString>,
    /// 0 for a question, 1 for texts to be found.
    pub purpose: u8,
    /// Which provider.
    pub provider: ROption<RString>,
    /// `{"tokens": true}` where the vectors of the words are wanted.
    pub extra_json: RString,
}

/// An [`EmbeddingModel`].
#[repr(C)]
#[derive(StableAbi, Debug, Clone)]
pub struct AbiEmbeddingModel {
    /// The model's name.
    pub name: RString,
    /// How the numbers are made.
    pub variant: RString,
    /// Numbers a vector.
    pub dimension: u64,
    /// Tokens a text at most.
    pub max_tokens: u64,
    /// For what comes later.
    pub extra_json: RString,
}

/// [`Embeddings`].
#[repr(C)]
#[derive(StableAbi, Debug, Clone)]
pub struct AbiEmbeddings {
    /// The vectors.
    pub made: AbiVectors,
    /// What they are.
    pub model: AbiEmbeddingModel,
}

/// What an embedder makes of texts: [`TokenEmbeddings`].
#[repr(C)]
#[derive(StableAbi, Debug, Clone)]
pub struct AbiVectors {
    /// One a text, in order.
    pub vectors: RVec<RVec<f32>>,
    /// `{"tokens": […]}` where the vectors of the words are given.
    pub extra_json: RString,
}

/// A [`RerankRequest`].
#[repr(C)]
#[derive(StableAbi, Debug, Clone)]
pub struct AbiRerankRequest {
    /// The question.
    pub query: RString,
    /// The texts to be scored.
    pub documents: RVec<RString>,
    /// Which provider.
    pub provider: ROption<RString>,
    /// For what comes later.
    pub extra_json: RString,
}

/// A [`RerankScore`].
#[repr(C)]
#[derive(StableAbi, Debug, Clone, Copy)]
pub struct AbiRerankScore {
    /// Which document, from 0.
    pub index: u64,
    /// Its relevance.
    pub score: f64,
}

/// What younger hosts and plugins add to an [`EmbedRequest`].
#[derive(Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct EmbedRequestExtra {
    tokens: bool,
}

/// What younger hosts and plugins add to [`Embeddings`].
#[derive(Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct EmbeddingsExtra {
    tokens: Vec<TokenVectors>,
}

impl From<EmbedRequest> for AbiEmbedRequest {
    fn from(request: EmbedRequest) -> Self {
        let extra = EmbedRequestExtra {
            tokens: request.tokens,
        };
        Self {
            texts: list(request.texts),
            purpose: match request.purpose {
                EmbedPurpose::Query => 0,
                EmbedPurpose::Document => 1,
            },
            provider: option(request.provider),
            extra_json: to_slot(&extra),
        }
    }
}

impl From<AbiEmbedRequest> for EmbedRequest {
    fn from(request: AbiEmbedRequest) -> Self {
        let extra: EmbedRequestExtra = from_slot(&request.extra_json);
        EmbedRequest::new(
            unlist(request.texts),
            match request.purpose {
                0 => EmbedPurpose::Query,
                _ => EmbedPurpose::Document,
            },
        )
        .with_provider(unoption(request.provider))
        .with_tokens(extra.tokens)
    }
}

impl From<EmbeddingModel> for AbiEmbeddingModel {
    fn from(model: EmbeddingModel) -> Self {
        Self {
            name: model.name.into(),
            variant: model.variant.into(),
            dimension: model.dimension as u64,
            max_tokens: model.max_tokens as u64,
            extra_json: RString::new(),
        }
    }
}

impl From<AbiEmbeddingModel> for EmbeddingModel {
    fn from(model: AbiEmbeddingModel) -> Self {
        EmbeddingModel::new(model.name, limit(model.dimension), limit(model.max_tokens))
            .with_variant(model.variant)
    }
}

impl From<TokenEmbeddings> for AbiVectors {
    fn from(made: TokenEmbeddings) -> Self {
        let extra = EmbeddingsExtra {
            tokens: made.tokens,
        };
        Self {
            vectors: list(made.vectors),
            extra_json: to_slot(&extra),
        }
    }
}

impl From<AbiVectors> for TokenEmbeddings {
    fn from(made: AbiVectors) -> Self {
        let extra: EmbeddingsExtra = from_slot(&made.extra_json);
        TokenEmbeddings::new(unlist(made.vectors), extra.tokens)
    }
}

impl From<Embeddings> for AbiEmbeddings {
    fn from(embeddings: Embeddings) -> Self {
        let made = TokenEmbeddings::new(embeddings.vectors, embeddings.tokens);
        Self {
            made: made.into(),
            model: embeddings.model.into(),
        }
    }
}

impl From<AbiEmbeddings> for Embeddings {
    fn from(embeddings: AbiEmbeddings) -> Self {
        let made = TokenEmbeddings::from(embeddings.made);
        Embeddings::new(made.vectors, embeddings.model.into()).with_tokens(made.tokens)
    }
}

impl From<RerankRequest> for AbiRerankRequest {
    fn from(request: RerankRequest) -> Self {
        Self {
            query: request.query.into(),
            documents: list(request.documents),
            provider: option(request.provider),
            extra_json: RString::new(),
        }
    }
}

impl From<AbiRerankRequest> for RerankRequest {
    fn from(request: AbiRerankRequest) -> RerankRequest {
        RerankRequest::new(request.query, unlist(request.documents))
            .with_provider(unoption(request.provider))
    }
}

impl From<RerankScore> for AbiRerankScore {
    fn from(score: RerankScore) -> Self {
        Self {
            index: score.index as u64,
            score: score.score,
        }
    }
}

impl From<AbiRerankScore> for RerankScore {
    fn from(score: AbiRerankScore) -> RerankScore {
        RerankScore::new(limit(score.index), score.score)
    }
}

//! What searches are asked.

use abi_stable::StableAbi;
use abi_stable::std_types::{ROption, RString, RVec};
use gannet_api::{Error, QuerySyntax, SearchRequest, TextSearch, VectorSearch};

use super::extra::{plan_in, plan_out};
use super::{option, read_slot, to_slot, unoption};

/// A [`SearchRequest`].
#[repr(C)]
#[derive(StableAbi, Debug, Clone)]
pub struct AbiSearchRequest {
    /// The question.
    pub query: RString,
    /// 0 for the whole query language, 1 for words only.
    pub syntax: u8,
    /// How many hits at most.
    pub limit: u64,
    /// What an entry must be.
    pub filter_json: RString,
    /// Values of the module's parameters.
    pub params_json: RString,
    /// The query plan, and what comes later.
    pub extra_json: RString,
}

/// A [`TextSearch`].
#[repr(C)]
#[derive(StableAbi, Debug, Clone)]
pub struct AbiTextSearch {
    /// The query text.
    pub query: RString,
    /// 0 for the whole query language, 1 for words only.
    pub syntax: u8,
    /// Whether pieces of text are wanted.
    pub highlights: bool,
    /// Whether a word that is in no entry is replaced by its nearest ones.
    pub fuzzy: bool,
    /// How many hits at most.
    pub limit: u64,
    /// What an entry must be.
    pub filter_json: RString,
    /// For what comes later.
    pub extra_json: RString,
}

/// A [`VectorSearch`].
#[repr(C)]
#[derive(StableAbi, Debug, Clone)]
pub struct AbiVectorSearch {
    /// The question's vector.
    pub vector: RVec<f32>,
    /// Which model made it.
    pub model: ROption<RString>,
    /// What an entry must be.
    pub filter_json: RString,
    /// Maximum number of entries.
    pub limit: u64,
    /// The least cosine similarity.
    pub min_similarity: ROption<f32>,
    /// For what comes later.
    pub extra_json: RString,
}

fn number_of(syntax: QuerySyntax) -> u8 {
    match syntax {
        QuerySyntax::Operators => 0,
        QuerySyntax::Plain => 1,
    }
}

fn syntax(number: u8) -> QuerySyntax {
    match number {
        1 => QuerySyntax::Plain,
        _ => QuerySyntax::Operators,
    }
}

/// A limit of the other side; more than fits is as much as fits.
pub(super) fn limit(limit: u64) -> usize {
    usize::try_from(limit).unwrap_or(usize::MAX)
}

impl From<SearchRequest> for AbiSearchRequest {
    fn from(request: SearchRequest) -> Self {
        Self {
            query: request.query.into(),
            syntax: number_of(request.syntax),
            limit: request.limit as u64,
            filter_json: to_slot(&request.filter),
            params_json: to_slot(&request.params),
            extra_json: plan_out(request.plan.as_ref()),
        }
    }
}

impl TryFrom<AbiSearchRequest> for SearchRequest {
    type Error = Error;

    fn try_from(request: AbiSearchRequest) -> Result<Self, Error> {
        Ok(SearchRequest::new(request.query, limit(request.limit))
            .with_syntax(syntax(request.syntax))
            .with_filter(read_slot("the filter", &request.filter_json)?)
            .with_params(read_slot("the parameters", &request.params_json)?)
            .with_plan(plan_in(&request.extra_json)))
    }
}

impl From<TextSearch> for AbiTextSearch {
    fn from(request: TextSearch) -> Self {
        Self {
            query: request.query.into(),
            syntax: number_of(request.syntax),
            highlights: request.highlights,
            fuzzy: request.fuzzy,
            limit: request.limit as u64,
            filter_json: to_slot(&request.filter),
            extra_json: RString::new(),
        }
    }
}

impl TryFrom<AbiTextSearch> for TextSearch {
    type Error = Error;

    fn try_from(request: AbiTextSearch) -> Result<Self, Error> {
        Ok(TextSearch::new(request.query, limit(request.limit))
            .with_syntax(syntax(request.syntax))
            .with_filter(read_slot("the filter", &request.filter_json)?)
            .with_highlights(request.highlights)
            .with_fuzzy(request.fuzzy))
    }
}

impl From<VectorSearch> for AbiVectorSearch {
    fn from(request: VectorSearch) -> Self {
        Self {
            vector: request.vector.into(),
            model: option(request.model),
            filter_json: to_slot(&request.filter),
            limit: request.limit as u64,
            min_similarity: request.min_similarity.into(),
            extra_json: RString::new(),
        }
    }
}

impl TryFrom<AbiVectorSearch> for VectorSearch {
    type Error = Error;

    fn try_from(request: AbiVectorSearch) -> Result<Self, Error> {
        Ok(
            VectorSearch::new(request.vector.into(), limit(request.limit))
                .with_model(unoption(request.model))
                .with_filter(read_slot("the filter", &request.filter_json)?)
                .with_min_similarity(request.min_similarity),
        )
    }
}

//! What crosses the boundary, as layouts that both sides check.
//!
//! Structs that cross by value are frozen within a major version of the
//! contract: what comes later goes into their `extra_json`, which is empty
//! when there is nothing. Enums cross as integers, so that an unknown value
//! is a value and not a broken layout. JSON slots are empty for "nothing".

mod call;
mod enhanced;
mod entry;
mod error;
mod extra;
mod hit;
mod json;
mod pipeline;
mod provider;
mod publish;
mod search;

pub use call::{AbiCall, AbiDiagnostic};
pub use enhanced::{AbiEnhanced, AbiPassageEmbedding, AbiPassageEmbeddings, AbiPatch};
pub use entry::{AbiEntry, AbiFetchRequest, AbiOtherRecord, AbiRecord, AbiRecordBatch, AbiTime};
pub(crate) use entry::{record_in, record_out};
pub use error::{AbiError, AbiResult};
pub(crate) use extra::{complete_since_in, complete_since_out};
pub use hit::{AbiFound, AbiHighlight, AbiHit, AbiPassage, AbiProvenance, AbiRange};
pub(crate) use json::{from_json, from_slot, read_slot, to_json, to_slot, unreadable};
pub use pipeline::{AbiAnswer, AbiPipelineRequest};
pub use provider::{
    AbiEmbedRequest, AbiEmbeddingModel, AbiEmbeddings, AbiRerankRequest, AbiRerankScore, AbiVectors,
};
pub(crate) use publish::{
    not_made, not_offered, publish_in, publish_out, published_in, published_out,
};
pub use search::{AbiSearchRequest, AbiTextSearch, AbiVectorSearch};

use abi_stable::std_types::{ROption, RVec};

/// A list of one side as a list of the other.
pub(crate) fn list<A, B: From<A>>(items: impl IntoIterator<Item = A>) -> RVec<B> {
    let items: Vec<B> = items.into_iter().map(B::from).collect();
    items.into()
}

/// A list that crossed, as a list of this side.
pub(crate) fn unlist<A, B: From<A>>(items: RVec<A>) -> Vec<B> {
    items.into_iter().map(B::from).collect()
}

/// An optional value as one of the other side.
pub(crate) fn option<A, B: From<A>>(value: Option<A>) -> ROption<B> {
    value.map(B::from).into()
}

/// An optional value that crossed.
pub(crate) fn unoption<A, B: From<A>>(value: ROption<A>) -> Option<B> {
    value.into_option().map(B::from)
}

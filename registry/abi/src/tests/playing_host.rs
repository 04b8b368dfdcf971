//! A host that answers each service in a way that is easy to recognise.

use std::sync::Arc;

use futures::future::{BoxFuture, FutureExt, ready};
use futures::stream::{StreamExt, iter};
use gannet_api::{
    Call, ChatChunk, ChatRequest, ChatStream, Descriptor, EmbedRequest, Embeddings, Entry, Error,
    Found, Hit, Host, RerankRequest, RerankScore, Result, ScoreKind, SearchRequest, TextSearch,
    VectorSearch,
};

/// Answers text searches with one hit that repeats the query, and panics when
/// the query says so.
pub(super) struct PlayingHost;

impl Host for PlayingHost {
    fn text_search<'a>(
        &'a self,
        call: &'a Call,
        request: TextSearch,
    ) -> BoxFuture<'a, Result<Found>> {
        async move {
            if request.query == "host panics" {
                panic!("in the host");
            }
            let filter = serde_json::to_string(&request.filter).unwrap();
            let hit = Hit::new(request.query, filter, 2.0, ScoreKind::Bm25);
            let mut found = Found::new(vec![hit; request.limit]);
            found.hits[0].explain = Some(serde_json::json!({ "tenant": &*call.tenant }));
            Ok(found)
        }
        .boxed()
    }

    fn vector_search<'a>(&'a self, _: &'a Call, _: VectorSearch) -> BoxFuture<'a, Result<Found>> {
        unused()
    }

    fn search_module<'a>(
        &'a self,
        _: &'a Call,
        _: &'a str,
        _: SearchRequest,
    ) -> BoxFuture<'a, Result<Found>> {
        unused()
    }

    fn entries<'a>(&'a self, _: &'a Call, _: Vec<String>) -> BoxFuture<'a, Result<Vec<Entry>>> {
        unused()
    }

    fn embed<'a>(&'a self, _: &'a Call, _: EmbedRequest) -> BoxFuture<'a, Result<Embeddings>> {
        unused()
    }

    fn rerank<'a>(
        &'a self,
        _: &'a Call,
        _: RerankRequest,
    ) -> BoxFuture<'a, Result<Vec<RerankScore>>> {
        unused()
    }

    fn chat<'a>(&'a self, _: &'a Call, _: ChatRequest) -> BoxFuture<'a, Result<ChatStream>> {
        let pieces = [
            ChatChunk::Token("a".to_owned()),
            ChatChunk::End("stop".to_owned()),
        ];
        ready(Ok(iter(pieces.map(Ok)).boxed())).boxed()
    }

    fn descriptors(&self) -> Arc<[Descriptor]> {
        Arc::new([])
    }

    fn call<'a>(&'a self, _: &'a Call, _: &'a str, _: Vec<u8>) -> BoxFuture<'a, Result<Vec<u8>>> {
        unused()
    }
}

fn unused<T: Send + 'static>() -> BoxFuture<'static, Result<T>> {
    ready(Err(Error::internal("not asked in these tests"))).boxed()
}

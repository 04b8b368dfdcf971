//! Providers of a dylib as if they were linked in.

use futures::future::{BoxFuture, FutureExt};
use gannet_api::{
    ChatRequest, ChatStream, Context, DynChatModel, DynEmbedder, DynReader, DynReranker,
    EmbedPurpose, EmbedRequest, EmbeddingModel, Health, ReadRequest, Reading, RerankRequest,
    RerankScore, Result, ResultFuture, TokenEmbeddings,
};

use super::instances::{Foreign, foreign_lifecycle, received};
use crate::chat::pieces_in;
use crate::layout::{from_json, to_json, unlist};
use crate::vtable::{ChatModelObject, EmbedderObject, ReaderObject, RerankerObject};

/// An embedder. What its vectors are is asked once: it does not change, and
/// is wanted in every call.
pub(super) struct ForeignEmbedder {
    embedder: Foreign<EmbedderObject>,
    model: EmbeddingModel,
    has_token_vectors: bool,
}

impl ForeignEmbedder {
    pub(super) fn new(embedder: Foreign<EmbedderObject>) -> Result<Self> {
        let model = embedder.calls.model().into_result()?;
        Ok(Self {
            model: model.into(),
            has_token_vectors: embedder.calls.has_token_vectors(),
            embedder,
        })
    }

    async fn make(&self, request: EmbedRequest, context: &Context) -> Result<TokenEmbeddings> {
        let embedder = &self.embedder;
        let made = embedder
            .calls
            .embed(request.into(), embedder.context(context));
        Ok(received(made.await, context)?.into())
    }
}

impl DynEmbedder for ForeignEmbedder {
    fn start<'a>(&'a self, context: &'a Context) -> ResultFuture<'a, ()> {
        self.embedder.start(context).boxed()
    }

    fn stop(&self) -> BoxFuture<'_, ()> {
        self.embedder.stop().boxed()
    }

    fn health<'a>(&'a self, context: &'a Context) -> ResultFuture<'a, Health> {
        self.embedder.health(context).boxed()
    }

    fn model(&self) -> EmbeddingModel {
        self.model.clone()
    }

    fn embed<'a>(
        &'a self,
        texts: Vec<String>,
        purpose: EmbedPurpose,
        context: &'a Context,
    ) -> ResultFuture<'a, Vec<Vec<f32>>> {
        let request = EmbedRequest::new(texts, purpose);
        async move { Ok(self.make(request, context).await?.vectors) }.boxed()
    }

    fn has_token_vectors(&self) -> bool {
        self.has_token_vectors
    }

    fn embed_with_tokens<'a>(
        &'a self,
        texts: Vec<String>,
        purpose: EmbedPurpose,
        context: &'a Context,
    ) -> ResultFuture<'a, TokenEmbeddings> {
        let mut request = EmbedRequest::new(texts, purpose);
        request.tokens = true;
        self.make(request, context).boxed()
    }
}

impl DynReranker for Foreign<RerankerObject> {
    foreign_lifecycle!();

    fn rerank<'a>(
        &'a self,
        query: String,
        documents: Vec<String>,
        context: &'a Context,
    ) -> ResultFuture<'a, Vec<RerankScore>> {
        async move {
            let request = RerankRequest::new(query, documents);
            let scores = self.calls.rerank(request.into(), self.context(context));
            Ok(unlist(received(scores.await, context)?))
        }
        .boxed()
    }
}

impl DynReader for Foreign<ReaderObject> {
    foreign_lifecycle!();

    fn read<'a>(&'a self, request: ReadRequest, context: &'a Context) -> ResultFuture<'a, Reading> {
        async move {
            let read = self.calls.read(to_json(&request)?, self.context(context));
            from_json("the answer of a reader", &received(read.await, context)?)
        }
        .boxed()
    }
}

impl DynChatModel for Foreign<ChatModelObject> {
    foreign_lifecycle!();

    fn chat<'a>(
        &'a self,
        request: ChatRequest,
        context: &'a Context,
    ) -> ResultFuture<'a, ChatStream> {
        async move {
            let stream = self.calls.chat(to_json(&request)?, self.context(context));
            Ok(pieces_in(received(stream.await, context)?))
        }
        .boxed()
    }
}

//! Providers of the author's as objects that answer over the boundary.

use std::sync::Arc;

use abi_stable::sabi_trait::TD_Opaque;
use abi_stable::std_types::{ROption, RString, RVec};
use async_ffi::{FfiFuture, FutureExt as _};
use futures::lock::Mutex;
use futures::stream::StreamExt;
use gannet_api::{
    ChatStream, DynChatModel, DynEmbedder, DynReader, DynReranker, EmbedRequest, RerankRequest,
    TokenEmbeddings,
};

use super::call::call;
use super::runtime::{Owned, Workplace};
use crate::chat::piece_out;
use crate::layout::{
    AbiEmbedRequest, AbiEmbeddingModel, AbiError, AbiRerankRequest, AbiRerankScore, AbiResult,
    AbiVectors, from_json, list, to_json,
};
use crate::vtable::{
    AbiChatModel, AbiChatStream, AbiChatStream_TO, AbiContext, AbiEmbedder, AbiOutcomeFuture,
    AbiReader, AbiReranker, ChatStreamObject,
};

pub(super) struct EmbedderExport(pub(super) Owned<Arc<dyn DynEmbedder>>);

impl AbiEmbedder for EmbedderExport {
    fn model(&self) -> AbiResult<AbiEmbeddingModel> {
        let model = self.0.share().and_then(|embedder| {
            let workplace = self.0.workplace();
            workplace.run_now(|| embedder.model())
        });
        model.map(Into::into).map_err(AbiError::from).into()
    }

    fn has_token_vectors(&self) -> bool {
        let asked = self.0.share().and_then(|embedder| {
            let workplace = self.0.workplace();
            workplace.run_now(|| embedder.has_token_vectors())
        });
        asked.unwrap_or(false)
    }

    fn embed(&self, request: AbiEmbedRequest, context: AbiContext) -> AbiOutcomeFuture<AbiVectors> {
        let embedder = self.0.share();
        call(self.0.workplace(), context, |context| async move {
            let EmbedRequest {
                texts,
                purpose,
                tokens,
                ..
            } = request.into();
            let embedder = embedder?;
            if tokens {
                let made = embedder.embed_with_tokens(texts, purpose, &context).await?;
                return Ok(made.into());
            }
            let made =
                TokenEmbeddings::new(embedder.embed(texts, purpose, &context).await?, Vec::new());
            Ok(made.into())
        })
    }
}

pub(super) struct RerankerExport(pub(super) Owned<Arc<dyn DynReranker>>);

impl AbiReranker for RerankerExport {
    fn rerank(
        &self,
        request: AbiRerankRequest,
        context: AbiContext,
    ) -> AbiOutcomeFuture<RVec<AbiRerankScore>> {
        let reranker = self.0.share();
        call(self.0.workplace(), context, |context| async move {
            let request: RerankRequest = request.into();
            let reranker = reranker?;
            let scores = reranker.rerank(request.query, request.documents, &context);
            Ok(list(scores.await?))
        })
    }
}

pub(super) struct ReaderExport(pub(super) Owned<Arc<dyn DynReader>>);

impl AbiReader for ReaderExport {
    fn read(&self, request_json: RString, context: AbiContext) -> AbiOutcomeFuture<RString> {
        let reader = self.0.share();
        call(self.0.workplace(), context, |context| async move {
            let request = from_json("a request to a reader", &request_json)?;
            to_json(&reader?.read(request, &context).await?)
        })
    }
}

pub(super) struct ChatModelExport(pub(super) Owned<Arc<dyn DynChatModel>>);

impl AbiChatModel for ChatModelExport {
    fn chat(
        &self,
        request_json: RString,
        context: AbiContext,
    ) -> AbiOutcomeFuture<ChatStreamObject> {
        let model = self.0.share();
        let workplace = self.0.workplace().clone();
        call(self.0.workplace(), context, |context| async move {
            let request = from_json("a chat request", &request_json)?;
            let stream = model?.chat(request, &context).await?;
            let pieces = PiecesExport::new(stream, &workplace);
            Ok(AbiChatStream_TO::from_value(pieces, TD_Opaque))
        })
    }
}

/// A completion of the author's model. The lock is for the compiler: the host
/// has one call under way at a time.
struct PiecesExport(Owned<Arc<Mutex<ChatStream>>>);

impl PiecesExport {
    fn new(stream: ChatStream, workplace: &Arc<Workplace>) -> Self {
        Self(Owned::new(Arc::new(Mutex::new(stream)), workplace))
    }
}

impl AbiChatStream for PiecesExport {
    fn next(&self) -> FfiFuture<ROption<AbiResult<RString>>> {
        let stream = self.0.share();
        let next = self.0.workplace().clone().run(async move {
            let stream = stream?;
            let piece = stream.lock().await.next().await;
            Ok(piece.map(piece_out))
        });
        async move {
            let piece = match next.await {
                Ok(None) => return ROption::RNone,
                Ok(Some(piece)) => piece,
                Err(error) => Err(error),
            };
            ROption::RSome(piece.map_err(AbiError::from).into())
        }
        .into_ffi()
    }
}

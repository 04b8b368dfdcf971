//! The host's services as the author's code sees them.

use std::sync::Arc;

use futures::future::{BoxFuture, FutureExt};
use gannet_api::{
    Call, ChatRequest, ChatStream, Context, Descriptor, EmbedRequest, Embeddings, Entry, Error,
    Event, Events, Found, Host, RerankRequest, RerankScore, Result, ResultFuture, SearchRequest,
    TextSearch, VectorSearch,
};

use crate::chat::pieces_in;
use crate::descriptors::list_in;
use crate::layout::{AbiResult, list, to_json, unlist, unreadable};
use crate::vtable::{AbiContext, AbiFuture, HostObject};

/// The context of a call that came over the boundary.
pub(super) fn context_in(context: AbiContext) -> Context {
    let host = Arc::new(ForeignHost(context.host));
    let here = Context::new(context.call.into(), host);
    match context.events.into_option() {
        None => here,
        Some(listener) => here.with_events(Events::to(move |event: Event| {
            // An event has no part that cannot be written as JSON.
            listener.emit(serde_json::to_string(&event).unwrap_or_default().into());
        })),
    }
}

/// The host of another image.
struct ForeignHost(HostObject);

impl Host for ForeignHost {
    fn text_search<'a>(&'a self, call: &'a Call, request: TextSearch) -> ResultFuture<'a, Found> {
        received(self.0.text_search(call.into(), request.into()))
    }

    fn vector_search<'a>(
        &'a self,
        call: &'a Call,
        request: VectorSearch,
    ) -> ResultFuture<'a, Found> {
        received(self.0.vector_search(call.into(), request.into()))
    }

    fn search_module<'a>(
        &'a self,
        call: &'a Call,
        name: &'a str,
        request: SearchRequest,
    ) -> ResultFuture<'a, Found> {
        received(
            self.0
                .search_module(call.into(), name.into(), request.into()),
        )
    }

    fn entries<'a>(&'a self, call: &'a Call, ids: Vec<String>) -> ResultFuture<'a, Vec<Entry>> {
        let entries = self.0.entries(call.into(), list(ids));
        async move {
            let entries = result(entries.await)?;
            entries.into_iter().map(Entry::try_from).collect()
        }
        .boxed()
    }

    fn embed<'a>(&'a self, call: &'a Call, request: EmbedRequest) -> ResultFuture<'a, Embeddings> {
        received(self.0.embed(call.into(), request.into()))
    }

    fn rerank<'a>(
        &'a self,
        call: &'a Call,
        request: RerankRequest,
    ) -> ResultFuture<'a, Vec<RerankScore>> {
        let scores = self.0.rerank(call.into(), request.into());
        async move { Ok(unlist(result(scores.await)?)) }.boxed()
    }

    fn chat<'a>(&'a self, call: &'a Call, request: ChatRequest) -> ResultFuture<'a, ChatStream> {
        async move {
            let stream = self.0.chat(call.into(), to_json(&request)?);
            Ok(pieces_in(result(stream.await)?))
        }
        .boxed()
    }

    fn descriptors(&self) -> Arc<[Descriptor]> {
        let json = result(self.0.descriptors_json());
        let list = json.and_then(|json| list_in(&json).map_err(unreadable));
        list.unwrap_or_else(|error| {
            tracing::warn!("the host's list of plugins cannot be read: {error}");
            Arc::default()
        })
    }

    fn call<'a>(
        &'a self,
        call: &'a Call,
        service: &'a str,
        payload: Vec<u8>,
    ) -> ResultFuture<'a, Vec<u8>> {
        received(self.0.call(call.into(), service.into(), payload.into()))
    }
}

/// A result of the other side as one of this side.
fn result<T>(result: AbiResult<T>) -> Result<T> {
    result.into_result().map_err(Error::from)
}

fn received<A, B>(pending: AbiFuture<A>) -> BoxFuture<'static, Result<B>>
where
    A: Send + Into<B> + 'static,
{
    async move { Ok(result(pending.await)?.into()) }.boxed()
}

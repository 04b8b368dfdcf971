//! The host's services as an object that answers over the boundary.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context as TaskContext, Poll};

use abi_stable::sabi_trait::TD_Opaque;
use abi_stable::std_types::{ROption, RString, RVec};
use async_ffi::{FfiFuture, FutureExt as _};
use futures::future::FutureExt as _;
use futures::lock::Mutex;
use futures::stream::StreamExt;
use gannet_api::{Call, ChatStream, Context, Error, Event, Events, Host, Result};

use super::lent::Lent;
use crate::chat::piece_out;
use crate::contain::{Contained, contained};
use crate::descriptors::list_out;
use crate::layout::{
    AbiCall, AbiEmbedRequest, AbiEmbeddings, AbiEntry, AbiError, AbiFound, AbiRerankRequest,
    AbiRerankScore, AbiResult, AbiSearchRequest, AbiTextSearch, AbiVectorSearch, from_json, list,
    unlist, unreadable,
};
use crate::vtable::{
    AbiChatStream, AbiChatStream_TO, AbiContext, AbiEvents, AbiEvents_TO, AbiFuture, AbiHost,
    AbiHost_TO, ChatStreamObject,
};

/// Does something where the host's runtime can be reached. A plugin with a
/// runtime of its own polls the host's futures on its own threads, where the
/// host's timers and sockets would not be found.
pub type EnterHost = Arc<dyn Fn(&mut dyn FnMut()) + Send + Sync>;

/// A call's context for the other side.
pub(super) fn context_out(context: &Context, enter_host: &EnterHost) -> AbiContext {
    let services = Services(Lent::new(context.host().clone(), enter_host));
    let events = context.events.are_wanted().then(|| {
        let listener = Listener(Lent::new(context.events.clone(), enter_host));
        AbiEvents_TO::from_value(listener, TD_Opaque)
    });
    AbiContext {
        call: (&context.call).into(),
        host: AbiHost_TO::from_value(services, TD_Opaque),
        events: events.into(),
        extra_json: RString::new(),
    }
}

struct Services(Lent<Arc<dyn Host>>);

impl Services {
    /// Runs a service: its panics are errors, and it finds its own runtime.
    fn serve<T, Work>(&self, work: impl FnOnce(Arc<dyn Host>) -> Work) -> AbiFuture<T>
    where
        T: Send + 'static,
        Work: Future<Output = Result<T>> + Send + 'static,
    {
        let served = InHost {
            work: Some(Contained::new(work(self.0.value().clone()))),
            enter_host: self.0.enter_host().clone(),
        };
        served.map(answer).into_ffi()
    }
}

impl AbiHost for Services {
    fn text_search(&self, call: AbiCall, request: AbiTextSearch) -> AbiFuture<AbiFound> {
        self.serve(|host| async move {
            let found = host.text_search(&call.into(), request.try_into()?).await?;
            Ok(found.into())
        })
    }

    fn vector_search(&self, call: AbiCall, request: AbiVectorSearch) -> AbiFuture<AbiFound> {
        self.serve(|host| async move {
            let found = host
                .vector_search(&call.into(), request.try_into()?)
                .await?;
            Ok(found.into())
        })
    }

    fn search_module(
        &self,
        call: AbiCall,
        name: RString,
        request: AbiSearchRequest,
    ) -> AbiFuture<AbiFound> {
        self.serve(|host| async move {
            let call: Call = call.into();
            let found = host.search_module(&call, &name, request.try_into()?);
            Ok(found.await?.into())
        })
    }

    fn entries(&self, call: AbiCall, ids: RVec<RString>) -> AbiFuture<RVec<AbiEntry>> {
        self.serve(|host| async move { Ok(list(host.entries(&call.into(), unlist(ids)).await?)) })
    }

    fn embed(&self, call: AbiCall, request: AbiEmbedRequest) -> AbiFuture<AbiEmbeddings> {
        self.serve(|host| async move { Ok(host.embed(&call.into(), request.into()).await?.into()) })
    }

    fn rerank(&self, call: AbiCall, request: AbiRerankRequest) -> AbiFuture<RVec<AbiRerankScore>> {
        self.serve(|host| async move { Ok(list(host.rerank(&call.into(), request.into()).await?)) })
    }

    fn chat(&self, call: AbiCall, request_json: RString) -> AbiFuture<ChatStreamObject> {
        let enter_host = self.0.enter_host().clone();
        self.serve(|host| async move {
            let request = from_json("a chat request", &request_json)?;
            let pieces = host.chat(&call.into(), request).await?;
            let pieces = Pieces(Lent::new(Arc::new(Mutex::new(pieces)), &enter_host));
            Ok(AbiChatStream_TO::from_value(pieces, TD_Opaque))
        })
    }

    fn descriptors_json(&self) -> AbiResult<RString> {
        let json = contained(|| list_out(&self.0.value().descriptors()));
        answer(json.map(|json| json.map_err(unreadable)))
    }

    fn call(&self, call: AbiCall, service: RString, payload: RVec<u8>) -> AbiFuture<RVec<u8>> {
        self.serve(|host| async move {
            let call: Call = call.into();
            let answer = host.call(&call, &service, payload.into());
            Ok(answer.await?.into())
        })
    }
}

/// A completion on its way to the plugin.
struct Pieces(Lent<Arc<Mutex<ChatStream>>>);

impl AbiChatStream for Pieces {
    fn next(&self) -> FfiFuture<ROption<AbiResult<RString>>> {
        let pieces = self.0.value().clone();
        let next = InHost {
            work: Some(Contained::new(
                async move { pieces.lock().await.next().await },
            )),
            enter_host: self.0.enter_host().clone(),
        };
        async move {
            let piece = next.await.transpose()?;
            let json = piece.map(piece_out);
            Some(answer(json))
        }
        .map(ROption::from)
        .into_ffi()
    }
}

struct Listener(Lent<Events>);

impl AbiEvents for Listener {
    fn emit(&self, event_json: RString) {
        // An event that is younger than this host is nothing that its
        // surfaces could show; a listener that panics has nobody to tell.
        if let Ok(event) = serde_json::from_str::<Event>(&event_json) {
            let _ = contained(|| self.0.value().emit(event));
        }
    }
}

/// Work of the host that another image may poll and drop.
struct InHost<T> {
    work: Option<Contained<T>>,
    enter_host: EnterHost,
}

impl<T> Future for InHost<T> {
    type Output = Result<T>;

    fn poll(mut self: Pin<&mut Self>, task: &mut TaskContext<'_>) -> Poll<Self::Output> {
        let this = &mut *self;
        let Some(work) = &mut this.work else {
            return Poll::Ready(Err(Error::internal("a service was polled after its end")));
        };
        let mut polled = Poll::Pending;
        (this.enter_host)(&mut || polled = work.poll_unpin(task));
        polled
    }
}

impl<T> Drop for InHost<T> {
    fn drop(&mut self) {
        let mut work = self.work.take();
        (self.enter_host)(&mut || drop(work.take()));
    }
}

/// A service's outcome for the other side: its error, or that of its panic,
/// which is the host's and not the plugin's that asked.
fn answer<T>(outcome: Result<Result<T>>) -> AbiResult<T> {
    let outcome = outcome.unwrap_or_else(|error| match error {
        Error::Panicked { message, .. } => Err(Error::Panicked {
            plugin: "the host".to_owned(),
            message,
        }),
        other => Err(other),
    });
    outcome.map_err(AbiError::from).into()
}

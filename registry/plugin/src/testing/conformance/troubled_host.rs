//! Hosts that are worse than the fake one: one fails, one lets its callers
//! wait.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;

use futures::future::{FutureExt, ready};

use crate::testing::FakeHost;
use gannet_api::{
    Call, ChatRequest, ChatStream, Context, DEFAULT_TENANT, Deadline, Descriptor, EmbedRequest,
    Embeddings, Entry, Error, Found, Host, RerankRequest, RerankScore, ResultFuture, SearchRequest,
    TextSearch, VectorSearch,
};

/// A host in trouble.
pub(super) struct TroubledHost {
    host: FakeHost,
    trouble: Trouble,
}

/// What is wrong with a host.
#[derive(Clone)]
pub(super) enum Trouble {
    /// Every service fails with this error.
    Fails(Error),
    /// Every service answers only when it is polled a second time, so that a
    /// call can be interrupted in it.
    Stalls,
}

impl TroubledHost {
    /// A context on a host in this trouble.
    pub(super) fn context(host: &FakeHost, trouble: Trouble) -> Context {
        let host = Self {
            host: host.clone(),
            trouble,
        };
        let call = Call::new("test", DEFAULT_TENANT, Deadline::NEVER);
        Context::new(call, Arc::new(host))
    }

    fn troubled<'a, T: Send + 'a>(&self, answer: ResultFuture<'a, T>) -> ResultFuture<'a, T> {
        match &self.trouble {
            Trouble::Fails(error) => ready(Err(error.clone())).boxed(),
            Trouble::Stalls => pending_once().then(|()| answer).boxed(),
        }
    }
}

fn pending_once() -> impl Future<Output = ()> + Send {
    let mut polled = false;
    poll_fn(move |context| {
        if polled {
            return Poll::Ready(());
        }
        polled = true;
        context.waker().wake_by_ref();
        Poll::Pending
    })
}

impl Host for TroubledHost {
    fn text_search<'a>(&'a self, call: &'a Call, request: TextSearch) -> ResultFuture<'a, Found> {
        self.troubled(self.host.text_search(call, request))
    }

    fn vector_search<'a>(
        &'a self,
        call: &'a Call,
        request: VectorSearch,
    ) -> ResultFuture<'a, Found> {
        self.troubled(self.host.vector_search(call, request))
    }

    fn search_module<'a>(
        &'a self,
        call: &'a Call,
        name: &'a str,
        request: SearchRequest,
    ) -> ResultFuture<'a, Found> {
        self.troubled(self.host.search_module(call, name, request))
    }

    fn entries<'a>(&'a self, call: &'a Call, ids: Vec<String>) -> ResultFuture<'a, Vec<Entry>> {
        self.troubled(self.host.entries(call, ids))
    }

    fn embed<'a>(&'a self, call: &'a Call, request: EmbedRequest) -> ResultFuture<'a, Embeddings> {
        self.troubled(self.host.embed(call, request))
    }

    fn rerank<'a>(
        &'a self,
        call: &'a Call,
        request: RerankRequest,
    ) -> ResultFuture<'a, Vec<RerankScore>> {
        self.troubled(self.host.rerank(call, request))
    }

    fn chat<'a>(&'a self, call: &'a Call, request: ChatRequest) -> ResultFuture<'a, ChatStream> {
        self.troubled(self.host.chat(call, request))
    }

    fn descriptors(&self) -> Arc<[Descriptor]> {
        match self.trouble {
            Trouble::Fails(_) => Arc::new([]),
            Trouble::Stalls => self.host.descriptors(),
        }
    }

    fn call<'a>(
        &'a self,
        call: &'a Call,
        service: &'a str,
        payload: Vec<u8>,
    ) -> ResultFuture<'a, Vec<u8>> {
        self.troubled(self.host.call(call, service, payload))
    }
}

/// Errors of a host, each of another sort.
pub(super) fn host_errors() -> [Error; 4] {
    [
        Error::internal("the host is in trouble"),
        Error::Store {
            message: "the disk is full".to_owned(),
            retryable: false,
        },
        Error::Timeout {
            operation: "a host service".to_owned(),
            limit: std::time::Duration::from_secs(1),
        },
        Error::Unavailable {
            message: "the host restarts".to_owned(),
        },
    ]
}

//! Requests that are answered before their body was read, as refused ones are.
//! The connection ends after the answer, since what is left of the body stands
//! before the next request; the answer says so, so that a client opens another
//! connection for its next request.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use axum::body::Body;
use http::header::CONNECTION;
use http::{HeaderValue, Request, Response};
use http_body::{Body as _, Frame, SizeHint};
use hyper::body::{Bytes, Incoming};

/// Whether the body of a request was read to its end.
#[derive(Clone)]
pub(crate) struct BodyRead(Arc<AtomicBool>);

impl BodyRead {
    /// The request, and what tells whether its body was read.
    pub(crate) fn of(request: Request<Incoming>) -> (Request<Body>, Self) {
        let read = Self(Arc::new(AtomicBool::new(request.body().is_end_stream())));
        let watched = request.map(|body| {
            Body::new(WatchedBody {
                body,
                read: read.clone(),
            })
        });
        (watched, read)
    }

    /// The answer, which says that the connection ends where that is so.
    pub(crate) fn tell<B>(&self, mut answer: Response<B>) -> Response<B> {
        if !self.0.load(Ordering::Relaxed) {
            let close = HeaderValue::from_static("close");
            answer.headers_mut().insert(CONNECTION, close);
        }
        answer
    }
}

/// A body that notes when its end was read.
struct WatchedBody {
    body: Incoming,
    read: BodyRead,
}

impl http_body::Body for WatchedBody {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let frame = Pin::new(&mut self.body).poll_frame(context);
        let is_end = matches!(frame, Poll::Ready(None)) || self.body.is_end_stream();
        if is_end {
            self.read.0.store(true, Ordering::Relaxed);
        }
        frame
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

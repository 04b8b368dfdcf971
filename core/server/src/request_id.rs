//! The id of each request: taken from `x-request-id` or made, given back in
//! the same header, in the log and in problems.

use axum::extract::Request;
use axum::http::{HeaderName, HeaderValue};
use axum::middleware::Next;
use axum::response::Response;
use tracing::Instrument;

use crate::problem::Problem;
use crate::random;
use crate::traces::Trace;

/// The header.
pub(crate) const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// Bytes of a client's id at most.
const LONGEST: usize = 128;

/// The id of a request.
#[derive(Clone)]
pub(crate) struct RequestId(pub String);

/// Gives each request its id, and each problem its body.
pub(crate) async fn identify(mut request: Request, next: Next) -> Response {
    let id = given(&request).unwrap_or_else(|| random::hex(16));
    request.extensions_mut().insert(RequestId(id.clone()));
    let (method, path) = (request.method().clone(), request.uri().path().to_owned());
    // Of the highest level, so that every line that is logged has it.
    let trace = request.extensions().get::<Trace>().cloned();
    let trace_id = trace.as_ref().map(Trace::id);
    let span = tracing::error_span!("request", id, %method, path, trace_id);
    let answer = within(id.clone(), next.run(request));
    let mut response = answer.instrument(span).await;
    if let Some(problem) = response.extensions_mut().remove::<Problem>() {
        let headers = std::mem::take(response.headers_mut());
        response = problem.of_request(&id).into_body();
        for (name, value) in &headers {
            response.headers_mut().entry(name).or_insert(value.clone());
        }
    }
    if let Ok(value) = HeaderValue::from_str(&id) {
        response.headers_mut().insert(X_REQUEST_ID, value);
    }
    response.extensions_mut().insert(RequestId(id));
    response
}

tokio::task_local! {
    static CURRENT: String;
}

/// Work of the request of this id.
pub(crate) fn within<F: Future>(id: String, work: F) -> impl Future<Output = F::Output> {
    CURRENT.scope(id, work)
}

/// The id of the request that this task works for.
pub(crate) fn current() -> Option<String> {
    CURRENT.try_with(Clone::clone).ok()
}

/// The client's own id, where it is one that can stand in a log.
fn given(request: &Request) -> Option<String> {
    let id = request.headers().get(X_REQUEST_ID)?.to_str().ok()?;
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.:".contains(&byte);
    let is_id = (1..=LONGEST).contains(&id.len()) && id.bytes().all(is_plain);
    is_id.then(|| id.to_owned())
}

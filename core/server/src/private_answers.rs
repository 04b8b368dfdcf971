//! Headers that keep answers from shared caches, and browsers from guessing
//! their type.

use axum::extract::Request;
use axum::http::{HeaderValue, header};
use axum::middleware::Next;
use axum::response::Response;

/// Adds the headers where an answer does not have its own. A cache does not
/// know that `X-API-Key` says whose answer it is.
pub(crate) async fn mark(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    let no_store = HeaderValue::from_static("no-store");
    let nosniff = HeaderValue::from_static("nosniff");
    let headers = response.headers_mut();
    headers.entry(header::CACHE_CONTROL).or_insert(no_store);
    let sniffing = headers.entry(header::X_CONTENT_TYPE_OPTIONS);
    sniffing.or_insert(nosniff);
    response
}

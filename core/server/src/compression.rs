//! Responses compressed with gzip, for clients that take it. Streams are left
//! as they are.

use std::io::Write;

use axum::body::{Body, HttpBody, to_bytes};
use axum::extract::Request;
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use flate2::Compression;
use flate2::write::GzEncoder;

/// Shorter bodies gain nothing.
const SHORTEST: u64 = 1024;

/// Compresses the text of a response.
pub(crate) async fn compress(request: Request, next: Next) -> Response {
    let accepted = request.headers().get(header::ACCEPT_ENCODING);
    let accepted = accepted.and_then(|accepted| accepted.to_str().ok());
    let is_accepted = accepted.is_some_and(takes_gzip);
    let mut response = next.run(request).await;
    if is_text(&response) {
        let vary = HeaderValue::from_static("accept-encoding");
        response.headers_mut().append(header::VARY, vary);
    }
    // Only what is whole in memory: the exact length is known.
    let length = response.body().size_hint().exact();
    if !is_accepted || !is_text(&response) || length.is_none_or(|length| length < SHORTEST) {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    let Ok(bytes) = to_bytes(body, usize::MAX).await else {
        return StatusCode::INTERNAL_SERVER_ERROR.into_response();
    };
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    let compressed = encoder.write_all(&bytes).and_then(|()| encoder.finish());
    let Ok(compressed) = compressed else {
        return Response::from_parts(parts, Body::from(bytes));
    };
    parts.headers.remove(header::CONTENT_LENGTH);
    let gzip = HeaderValue::from_static("gzip");
    parts.headers.insert(header::CONTENT_ENCODING, gzip);
    Response::from_parts(parts, Body::from(compressed))
}

fn takes_gzip(accepted: &str) -> bool {
    accepted.split(',').any(|coding| {
        let (name, weight) = coding.split_once(';').unwrap_or((coding, ""));
        let is_refused = ["q=0", "q=0.0", "q=0.00", "q=0.000"].contains(&weight.trim());
        name.trim().eq_ignore_ascii_case("gzip") && !is_refused
    })
}

fn is_text(response: &Response) -> bool {
    let media = response.headers().get(header::CONTENT_TYPE);
    let media = media.and_then(|media| media.to_str().ok()).unwrap_or("");
    let is_compressed = response.headers().contains_key(header::CONTENT_ENCODING);
    !is_compressed
        && [
            "application/json",
            "image/svg+xml",
            "text/css",
            "text/html",
            "text/javascript",
            "text/plain",
        ]
        .iter()
        .any(|one| media.starts_with(one))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gzip_is_taken_where_it_is_named_and_not_refused() {
        assert!(takes_gzip("gzip, deflate, br"));
        assert!(takes_gzip("br;q=1.0, GZIP;q=0.5"));
        assert!(!takes_gzip("br, gzip;q=0"));
        assert!(!takes_gzip("identity"));
    }
}

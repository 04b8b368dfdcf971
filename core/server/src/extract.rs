//! Bodies, query strings and paths of requests, whose faults are [`Problem`]s.

use axum::body::Bytes;
use axum::extract::{FromRequest, FromRequestParts, Path, Query, Request};
use axum::http::request::Parts;
use axum::http::{StatusCode, header};
use percent_encoding::percent_decode_str;
use serde::de::DeserializeOwned;

use crate::faults::{of_query, read_object, with_nearest};
use crate::problem::Problem;

/// A JSON body.
pub(crate) struct JsonBody<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for JsonBody<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self, Problem> {
        // A page of another origin cannot send this type without asking.
        if !is_json(&request) {
            let detail = "the body must be JSON, with the header `Content-Type: application/json`";
            let status = StatusCode::UNSUPPORTED_MEDIA_TYPE;
            return Err(Problem::new(status, "unsupported_media_type", detail));
        }
        let body = Bytes::from_request(request, state).await;
        let body = body.map_err(|_| Problem::invalid("the body could not be read"))?;
        Ok(Self(read_object(&body)?))
    }
}

fn is_json(request: &Request) -> bool {
    let media = request.headers().get(header::CONTENT_TYPE);
    let media = media.and_then(|media| media.to_str().ok()).unwrap_or("");
    let media = media.split(';').next().unwrap_or("").trim();
    media.eq_ignore_ascii_case("application/json")
}

/// How axum begins what is wrong with a query string.
const QUERY_FAULT: &str = "Failed to deserialize query string: ";

/// The parameters of a query string.
pub(crate) struct QueryOf<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for QueryOf<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let query = parts.uri.query().unwrap_or("");
        if percent_decode_str(query).decode_utf8().is_err() {
            return Err(Problem::invalid("the query string is not valid UTF-8"));
        }
        match Query::from_request_parts(parts, state).await {
            Ok(Query(value)) => Ok(Self(value)),
            Err(rejection) => {
                let text = rejection.body_text();
                let fault = text.strip_prefix(QUERY_FAULT).unwrap_or(&text);
                Err(of_query(&with_nearest(fault)))
            }
        }
    }
}

/// The parameters of a path.
pub(crate) struct PathOf<T>(pub T);

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<S> for PathOf<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        match Path::from_request_parts(parts, state).await {
            Ok(Path(value)) => Ok(Self(value)),
            // Bytes that are not UTF-8: nothing has such a name.
            Err(_) => Err(Problem::invalid("the path is not valid UTF-8")),
        }
    }
}

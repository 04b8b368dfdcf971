//! Who may ask: the host that is addressed, the origin of a page, the number
//! of requests of an address, the size and the time of a body.

use std::net::{IpAddr, SocketAddr};
use std::time::{Duration, Instant};

use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Version, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use gannet_core::config::ServerConfig;
use http_body_util::LengthLimitError;

use crate::auth::Caller;
use crate::network::network_of;
use crate::problem::Problem;
use crate::state::App;
use crate::stream::{stopped, stopping};
use crate::web;

/// Where uploads go, which may be larger.
pub(crate) const UPLOAD: &str = "/api/entries/upload";
/// Headers that pages of listed origins may send: keys, MCP, traces.
const SENT_BY_PAGES: &str = "authorization, x-api-key, content-type, idempotency-key, \
    x-request-id, traceparent, last-event-id, mcp-session-id, mcp-protocol-version";
/// Headers of answers that they may read beside those that any page may.
const READ_BY_PAGES: &str = "x-request-id, retry-after, mcp-session-id, content-disposition";
/// Probes, which cost nothing and are never refused for their number.
const PROBES: [&str; 2] = ["/healthz", "/readyz"];

/// The other end of a connection.
#[derive(Clone, Copy)]
pub(crate) struct Peer(pub SocketAddr);

/// Refuses requests to names that are not this host's: a page whose name an
/// attacker points at this machine would be of the same origin (DNS
/// rebinding). Refuses pages of other origins.
pub(crate) async fn check_origin(State(app): State<App>, request: Request, next: Next) -> Response {
    // What is in front of the server may have looked at the other one.
    if request.headers().get_all(header::HOST).iter().count() > 1 {
        let detail = "the request has several headers `Host`; send one";
        return Problem::bad_request("repeated_header", detail).into_response();
    }
    let host = host_of(&request);
    if host.is_empty() {
        // No browser leaves the host out, so this is no page of another name.
        // On an address that others reach a name says which service is meant.
        let is_old = request.version() == Version::HTTP_10;
        return match is_old && is_local_name(&app.config().host) {
            true => next.run(request).await,
            false => host_missing().into_response(),
        };
    }
    if !is_own_host(app.config(), &host) {
        let detail = format!("this server is not `{host}`; see `server.allowed_hosts`");
        let status = StatusCode::MISDIRECTED_REQUEST;
        return Problem::new(status, "host_not_allowed", detail).into_response();
    }
    let Some(origin) = text(request.headers(), header::ORIGIN) else {
        return next.run(request).await;
    };
    let allowed = &app.config().allowed_origins;
    let is_listed = allowed.iter().any(|one| one.eq_ignore_ascii_case(&origin));
    if !is_listed && !is_same_origin(&origin, &host) {
        let detail = "pages of this origin may not call the server; see `server.allowed_origins`";
        return Problem::new(StatusCode::FORBIDDEN, "origin_not_allowed", detail).into_response();
    }
    let is_preflight = request.method() == Method::OPTIONS;
    let mut response = match is_preflight && is_listed {
        true => StatusCode::NO_CONTENT.into_response(),
        false => next.run(request).await,
    };
    if is_listed {
        share_with(response.headers_mut(), &origin);
    }
    response
}

fn host_missing() -> Problem {
    let detail = "the request names no host; send the header `Host`, which HTTP/1.0 may leave out \
                  only where the service listens on this machine alone";
    Problem::bad_request("host_missing", detail)
}

/// Whether a host of the settings is this machine alone.
fn is_local_name(host: &str) -> bool {
    let ip = host.trim_matches(['[', ']']).parse::<IpAddr>();
    host.eq_ignore_ascii_case("localhost") || ip.is_ok_and(|ip| ip.to_canonical().is_loopback())
}

/// CORS headers for an origin that is listed.
fn share_with(headers: &mut HeaderMap, origin: &str) {
    let Ok(origin) = HeaderValue::from_str(origin) else {
        return;
    };
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    headers.append(header::VARY, HeaderValue::from_static("origin"));
    let methods = HeaderValue::from_static("GET, POST, DELETE");
    headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, methods);
    let sent = HeaderValue::from_static(SENT_BY_PAGES);
    headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, sent);
    let read = HeaderValue::from_static(READ_BY_PAGES);
    headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, read);
}

fn host_of(request: &Request) -> String {
    let of_header = text(request.headers(), header::HOST);
    let of_uri = || request.uri().authority().map(ToString::to_string);
    of_header.or_else(of_uri).unwrap_or_default()
}

/// IP addresses cannot be pointed elsewhere; names must be listed.
fn is_own_host(config: &ServerConfig, host: &str) -> bool {
    let name = without_port(host);
    let is_address = name.trim_matches(['[', ']']).parse::<IpAddr>().is_ok();
    let mut names = config.allowed_hosts.iter();
    is_address
        || name.eq_ignore_ascii_case("localhost")
        || name.eq_ignore_ascii_case(&config.host)
        || names.any(|one| name.eq_ignore_ascii_case(one))
}

/// A host as it stands in the header `Host`, without its port.
pub(crate) fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    }
}

fn is_same_origin(origin: &str, host: &str) -> bool {
    let of_origin = origin.split_once("://").map(|(_, authority)| authority);
    of_origin.is_some_and(|authority| authority.eq_ignore_ascii_case(host))
}

/// Refuses an address that asks too often.
pub(crate) async fn limit_rate(State(app): State<App>, request: Request, next: Next) -> Response {
    let peer = request.extensions().get::<Peer>().map(|peer| peer.0.ip());
    let path = request.uri().path();
    // The page loads its files at once, and they cost nothing either.
    let is_free = PROBES.contains(&path) || web::is_page(path);
    if let (Some(peer), false) = (peer, is_free)
        && let Err(seconds) = app.rate_limit.take(network_of(peer), Instant::now())
    {
        let detail = "too many requests from this address; see `server.requests_per_minute`";
        let problem = Problem::new(StatusCode::TOO_MANY_REQUESTS, "rate_limited", detail);
        return problem.retry_after(seconds).into_response();
    }
    next.run(request).await
}

/// The same for the key or token that a caller showed, whatever address it
/// comes from: behind a proxy all have one.
pub(crate) async fn limit_rate_of_key(
    State(app): State<App>,
    request: Request,
    next: Next,
) -> Response {
    let caller = request.extensions().get::<Caller>();
    let key = caller.filter(|caller| caller.has_key());
    let key = key.map(|caller| caller.name.clone());
    if let Some(key) = key
        && let Err(seconds) = app.key_limit.take(key, Instant::now())
    {
        let detail = "too many requests with this key; see `server.requests_per_minute_of_key`";
        let problem = Problem::new(StatusCode::TOO_MANY_REQUESTS, "rate_limited", detail);
        return problem.retry_after(seconds).into_response();
    }
    next.run(request).await
}

/// Answers a request that the stopping service has no time left for. Streams
/// have begun to answer before and end by themselves.
pub(crate) async fn end_with_the_service(
    State(app): State<App>,
    request: Request,
    next: Next,
) -> Response {
    let seconds = app.config().shutdown_timeout_seconds.saturating_sub(1);
    let time = Duration::from_secs(seconds);
    tokio::select! {
        response = next.run(request) => response,
        () = stopped(app.lasting.stop.clone(), time) => stopping().into_response(),
    }
}

/// Reads the body, within its limits of size and time, before the handler
/// runs: a slow client holds a connection and nothing else.
pub(crate) async fn read_body(State(app): State<App>, request: Request, next: Next) -> Response {
    let config = app.config();
    let is_upload = request.uri().path() == UPLOAD;
    let (limit, key) = match is_upload {
        true => (config.max_upload_bytes, "server.max_upload_bytes"),
        false => (config.max_body_bytes, "server.max_body_bytes"),
    };
    let too_large = || {
        let detail = format!("the body has more than {limit} bytes; see `{key}`");
        Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", detail).into_response()
    };
    let (parts, body) = request.into_parts();
    let length = text(&parts.headers, header::CONTENT_LENGTH);
    let length = length.and_then(|length| length.parse::<usize>().ok());
    if length.is_some_and(|length| length > limit) {
        return too_large();
    }
    let time = Duration::from_secs(config.read_timeout_seconds);
    match tokio::time::timeout(time, to_bytes(body, limit)).await {
        Ok(Ok(bytes)) => {
            next.run(Request::from_parts(parts, Body::from(bytes)))
                .await
        }
        Ok(Err(error)) if is_over_the_limit(&error) => too_large(),
        Ok(Err(error)) => {
            tracing::debug!(%error, "a body was not read");
            let detail = "the body ended early, or its chunks are not valid";
            Problem::bad_request("incomplete_body", detail).into_response()
        }
        Err(_) => {
            let detail = "the body did not arrive in time; see `server.read_timeout_seconds`";
            Problem::new(StatusCode::REQUEST_TIMEOUT, "read_timeout", detail).into_response()
        }
    }
}

fn is_over_the_limit(error: &axum::Error) -> bool {
    let cause = std::error::Error::source(error);
    cause.is_some_and(|cause| cause.is::<LengthLimitError>())
}

fn text(headers: &HeaderMap, name: header::HeaderName) -> Option<String> {
    let value = headers.get(name)?;
    Some(String::from_utf8_lossy(value.as_bytes()).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_and_listed_names_are_own_hosts() {
        let config = ServerConfig {
            allowed_hosts: vec!["search.example".to_owned()],
            ..ServerConfig::default()
        };
        for own in [
            "127.0.0.1:8085",
            "[::1]:8085",
            "localhost",
            "Search.Example:80",
            "10.1.2.3",
        ] {
            assert!(is_own_host(&config, own), "{own}");
        }
        for other in [
            "",
            "evil.example",
            "localhost.evil.example:8085",
            "127.0.0.1.evil.example",
        ] {
            assert!(!is_own_host(&config, other), "{other}");
        }
    }

    #[test]
    fn an_origin_is_the_same_with_host_and_port() {
        assert!(is_same_origin("http://127.0.0.1:8085", "127.0.0.1:8085"));
        assert!(!is_same_origin("http://127.0.0.1:9000", "127.0.0.1:8085"));
        assert!(!is_same_origin("null", "127.0.0.1:8085"));
    }
}

//! Who sends a request, and whether that caller may use the route.

use axum::extract::{Request, State};
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::auth::{AuthError, Caller, Scope};
use crate::guard::Peer;
use crate::problem::Problem;
use crate::state::App;
use crate::web;

/// Routes that tell nothing of the entries: probes and the description of the
/// interface; beside them the files of the web interface.
const OPEN: [&str; 5] = ["/healthz", "/readyz", "/health", "/openapi.json", "/docs"];

/// Puts the [`Caller`] into the extensions of a request, or refuses it.
pub(crate) async fn authenticate(
    State(app): State<App>,
    mut request: Request,
    next: Next,
) -> Response {
    let path = request.uri().path();
    if OPEN.contains(&path) || web::is_page(path) {
        request.extensions_mut().insert(Caller::nobody());
        return next.run(request).await;
    }
    let Some(peer) = request.extensions().get::<Peer>().copied() else {
        return Problem::unavailable("unavailable", "the connection has no address")
            .into_response();
    };
    let scope = scope_of(request.method(), path);
    let login = app
        .authenticator
        .authenticate(request.headers(), peer.0.ip());
    match login.await {
        Ok(caller) if caller.may(scope) => {
            request.extensions_mut().insert(caller);
            next.run(request).await
        }
        Ok(_) => missing_scope(scope).into_response(),
        Err(error) => refused(&error),
    }
}

/// A request of a caller who may not do what it asks for.
pub(crate) fn missing_scope(scope: Scope) -> Problem {
    let detail = format!("the API key or token lacks the scope `{scope}`");
    Problem::new(StatusCode::FORBIDDEN, "missing_scope", detail)
}

/// What is written needs `ingest`, whatever else is read needs `search`.
/// Searches that ask a chat model need `ask` in addition, see
/// [`Backend::admit`](crate::backend::Backend::admit).
fn scope_of(method: &Method, path: &str) -> Scope {
    let is_writing = *method == Method::POST
        && (path.starts_with("/api/entries") || path.starts_with("/api/drafts"));
    match is_writing {
        true => Scope::Ingest,
        false => Scope::Search,
    }
}

fn refused(error: &AuthError) -> Response {
    let status = StatusCode::from_u16(error.status());
    let status = status.unwrap_or(StatusCode::SERVICE_UNAVAILABLE);
    let code = match error {
        AuthError::Missing => "login_required",
        AuthError::Refused(_) => "login_refused",
        AuthError::TooMany { .. } => "too_many_failed_logins",
        _ => "login_unavailable",
    };
    let mut problem = Problem::new(status, code, error.public());
    if let AuthError::TooMany { retry_after } = error {
        problem = problem.retry_after(retry_after.as_secs().max(1));
    }
    let mut response = problem.into_response();
    if status == StatusCode::UNAUTHORIZED {
        let scheme = HeaderValue::from_static("Bearer");
        response
            .headers_mut()
            .insert(header::WWW_AUTHENTICATE, scheme);
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writing_needs_the_scope_to_ingest() {
        for path in ["/api/entries", "/api/entries/batch", "/api/drafts"] {
            assert_eq!(scope_of(&Method::POST, path), Scope::Ingest, "{path}");
            assert_eq!(scope_of(&Method::GET, path), Scope::Search, "{path}");
        }
        assert_eq!(scope_of(&Method::POST, "/api/search"), Scope::Search);
    }
}

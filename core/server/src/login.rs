//! Who sends a request, and whether that caller may use the route.

use axum::extract::{Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::access::Access;
use crate::auth::{AuthError, Caller, Scope};
use crate::guard::Peer;
use crate::problem::Problem;
use crate::state::App;

/// Puts the [`Caller`] into the extensions of a request, or refuses it.
pub(crate) async fn authenticate(
    State(app): State<App>,
    mut request: Request,
    next: Next,
) -> Response {
    let access = Access::of(request.method(), request.uri().path());
    if access == Access::Open {
        request.extensions_mut().insert(Caller::nobody());
        return next.run(request).await;
    }
    let Some(peer) = request.extensions().get::<Peer>().copied() else {
        return Problem::unavailable("unavailable", "the connection has no address")
            .into_response();
    };
    let login = app
        .authenticator
        .authenticate(request.headers(), peer.0.ip());
    match login.await {
        Ok(caller) => match access.lacks(&caller) {
            Some(scope) => missing_scope(scope).into_response(),
            None => {
                request.extensions_mut().insert(caller);
                next.run(request).await
            }
        },
        Err(error) => refused(&error),
    }
}

/// A request of a caller who may not do what it asks for.
pub(crate) fn missing_scope(scope: Scope) -> Problem {
    let detail = format!("the API key or token lacks the scope `{scope}`");
    Problem::new(StatusCode::FORBIDDEN, "missing_scope", detail)
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

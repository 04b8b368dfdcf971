//! All routes, with what every request passes before its handler.

use axum::Router;
use axum::body::Body;
use axum::extract::{DefaultBodyLimit, Request};
use axum::http::StatusCode;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::response::Response;
use axum::routing::any;

use crate::mcp::McpHttp;
use crate::openapi::{self, Document};
use crate::problem::Problem;
use crate::routes::Routes;
use crate::state::App;
use crate::{
    ariel, compression, feedback, guard, login, metrics, openai, private_answers, probes,
    request_id, retriever, saved_searches, site, stream, traces, unified, web,
};

/// The document of all routes, and the routes.
pub(crate) fn routes(is_login_required: bool) -> (Router<App>, Document) {
    let mut routes = Routes::new(is_login_required);
    ariel::add(&mut routes);
    site::add(&mut routes);
    saved_searches::add(&mut routes);
    feedback::add(&mut routes);
    stream::add(&mut routes);
    retriever::add(&mut routes);
    unified::add(&mut routes);
    openai::add(&mut routes);
    probes::add(&mut routes);
    let about = ("Operations", "This document", &[][..]);
    routes.get_file("/openapi.json", about, "application/json", openapi::json);
    let about = ("Operations", "This document as a page", &[][..]);
    routes.get_file("/docs", about, "text/html", openapi::docs);
    let (router, document) = routes.finish();
    (router, Document::new(document))
}

/// The service. Of the layers the last one is the outermost.
pub(crate) fn router(routes: Router<App>, app: App) -> Router {
    let mcp = app.mcp.clone();
    web::add(routes)
        .route("/mcp", any(move |request| mcp_answer(mcp.clone(), request)))
        .fallback(no_such_route)
        .method_not_allowed_fallback(method_not_allowed)
        .layer(from_fn_with_state(app.clone(), guard::end_with_the_service))
        // `read_body` has the limits of this service.
        .layer(DefaultBodyLimit::disable())
        .layer(from_fn_with_state(app.clone(), guard::read_body))
        .layer(from_fn_with_state(app.clone(), guard::limit_rate_of_key))
        .layer(from_fn_with_state(app.clone(), login::authenticate))
        .layer(from_fn_with_state(app.clone(), guard::limit_rate))
        .layer(from_fn_with_state(app.clone(), guard::check_origin))
        .layer(from_fn(openai::in_openais_form))
        .layer(from_fn_with_state(app.clone(), metrics::count))
        .layer(from_fn(request_id::identify))
        .layer(from_fn_with_state(app.clone(), traces::trace_request))
        .layer(from_fn(compression::compress))
        .layer(from_fn(private_answers::mark))
        .with_state(app)
}

/// The Model Context Protocol over Streamable HTTP, which describes itself.
async fn mcp_answer(mcp: McpHttp, request: Request) -> Response {
    mcp.handle(request).await.map(Body::new)
}

async fn no_such_route() -> Problem {
    let detail = "there is no such route; see /docs";
    Problem::new(StatusCode::NOT_FOUND, "no_such_route", detail)
}

async fn method_not_allowed() -> Problem {
    let detail = "the route does not have this method; see /docs";
    Problem::new(StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", detail)
}

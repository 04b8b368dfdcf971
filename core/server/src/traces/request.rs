//! The span of a request.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::{Instant, SystemTime};

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, header};
use axum::middleware::Next;
use axum::response::Response;
use http_body::{Frame, SizeHint};
use serde_json::Value;

use super::context::SpanContext;
use super::exporter::Exporter;
use super::span::{Span, SpanKind};
use crate::guard::without_port;
use crate::request_id::RequestId;
use crate::state::App;

/// The trace of a request, in its response.
const X_TRACE_ID: HeaderName = HeaderName::from_static("x-trace-id");
/// Characters of a path that a span holds.
const LONGEST_PATH: usize = 256;

/// The trace that a request belongs to, and where its spans go.
#[derive(Debug, Clone)]
pub(crate) struct Trace {
    pub(super) context: SpanContext,
    /// `None` where no traces are sent, or this one is not wanted.
    pub(super) exporter: Option<Exporter>,
}

impl Trace {
    /// The trace that the headers name, or a new one where traces are sent.
    fn of(headers: &HeaderMap, exporter: Option<Exporter>) -> Option<Self> {
        let context = match SpanContext::continued(headers) {
            Some(context) => context,
            None if exporter.is_some() => SpanContext::root(),
            None => return None,
        };
        let exporter = exporter.filter(|_| context.is_sampled);
        Some(Self { context, exporter })
    }

    /// The id of the trace: 32 hexadecimal digits.
    pub fn id(&self) -> &str {
        &self.context.trace_id
    }
}

tokio::task_local! {
    static CURRENT: Option<Trace>;
}

/// Work that belongs to this trace.
pub(crate) fn within<F: Future>(trace: Option<Trace>, work: F) -> impl Future<Output = F::Output> {
    CURRENT.scope(trace, work)
}

/// The trace that this task works for.
pub(super) fn current() -> Option<Trace> {
    CURRENT.try_with(Clone::clone).ok().flatten()
}

/// What supervisors ask every few seconds.
const NOT_TRACED: [&str; 3] = ["/healthz", "/readyz", "/metrics"];

/// Makes a span of each request, those of supervisors left out.
pub(crate) async fn trace_request(
    State(app): State<App>,
    mut request: Request,
    next: Next,
) -> Response {
    let is_traced = !NOT_TRACED.contains(&request.uri().path());
    let exporter = app.traces.clone().filter(|_| is_traced);
    let Some(trace) = Trace::of(request.headers(), exporter) else {
        return next.run(request).await;
    };
    let span = RequestSpan::begin(&request, trace.clone());
    request.extensions_mut().insert(trace.clone());
    let trace_id = HeaderValue::from_str(trace.id());
    let mut response = within(Some(trace), next.run(request)).await;
    if let Ok(trace_id) = trace_id {
        response.headers_mut().insert(X_TRACE_ID, trace_id);
    }
    match span {
        Some(span) => span.until_end_of(response),
        None => response,
    }
}

/// The span of a request under way; it is sent when this is dropped.
struct RequestSpan {
    exporter: Exporter,
    span: Option<Span>,
    started: Instant,
}

impl RequestSpan {
    /// `None` where the trace is not sent.
    fn begin(request: &Request, trace: Trace) -> Option<Self> {
        let exporter = trace.exporter?;
        let route = request.extensions().get::<MatchedPath>();
        let route = route.map(MatchedPath::as_str);
        let method = known(request.method());
        let mut attributes = vec![text("http.request.method", method)];
        if method == OTHER {
            let original = request.method().as_str();
            attributes.push(text("http.request.method_original", original));
        }
        attributes.extend(route.map(|route| text("http.route", route)));
        // Without the query string: it may hold a query.
        attributes.push(text("url.path", request.uri().path()));
        attributes.push(text("url.scheme", "http"));
        let host = request.headers().get(header::HOST);
        let host = host.and_then(|host| host.to_str().ok());
        attributes.extend(host.into_iter().flat_map(server));
        let name = match (method, route) {
            (OTHER, Some(route)) => format!("HTTP {route}"),
            (OTHER, None) => "HTTP".to_owned(),
            (method, Some(route)) => format!("{method} {route}"),
            (method, None) => method.to_owned(),
        };
        Some(Self {
            exporter,
            span: Some(Span {
                context: trace.context,
                name,
                kind: SpanKind::Server,
                started: SystemTime::now(),
                took: Default::default(),
                attributes,
                is_error: false,
            }),
            started: Instant::now(),
        })
    }

    /// The response, with which the span ends.
    fn until_end_of(mut self, response: Response) -> Response {
        if let Some(span) = &mut self.span {
            let status = response.status();
            let code = Value::from(status.as_u16());
            let name = "http.response.status_code".to_owned();
            span.attributes.push((name, code));
            if let Some(RequestId(id)) = response.extensions().get() {
                span.attributes.push(text("gannet.request_id", id));
            }
            if status.is_server_error() {
                span.is_error = true;
                span.attributes.push(text("error.type", status.as_str()));
            }
        }
        response.map(|body| Body::new(TracedBody { body, _span: self }))
    }
}

impl Drop for RequestSpan {
    fn drop(&mut self) {
        if let Some(mut span) = self.span.take() {
            span.took = self.started.elapsed();
            self.exporter.export(span);
        }
    }
}

/// A body that holds the span of its request.
struct TracedBody {
    body: Body,
    _span: RequestSpan,
}

impl HttpBody for TracedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// The host that a request is addressed to, and its port where it says one.
fn server(host: &str) -> impl Iterator<Item = (String, Value)> {
    let name = without_port(host);
    let port = host[name.len()..].trim_start_matches(':').parse::<u16>();
    let address = text("server.address", name);
    let port = port
        .ok()
        .map(|port| ("server.port".to_owned(), port.into()));
    std::iter::once(address).chain(port)
}

/// What stands for methods that the conventions do not know.
const OTHER: &str = "_OTHER";

fn known(method: &Method) -> &'static str {
    match method.as_str() {
        "GET" => "GET",
        "POST" => "POST",
        "PUT" => "PUT",
        "DELETE" => "DELETE",
        "HEAD" => "HEAD",
        "OPTIONS" => "OPTIONS",
        "PATCH" => "PATCH",
        "TRACE" => "TRACE",
        "CONNECT" => "CONNECT",
        _ => OTHER,
    }
}

fn text(name: &str, value: &str) -> (String, Value) {
    let value: String = value.chars().take(LONGEST_PATH).collect();
    (name.to_owned(), value.into())
}

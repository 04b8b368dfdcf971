//! MCP over Streamable HTTP: a service to be mounted at `/mcp`.

use std::convert::Infallible;
use std::fmt::Display;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use futures::future::BoxFuture;
use http::header::RETRY_AFTER;
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode};
use http_body::Body;
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};

use super::McpServer;
use super::sessions::{Owner, Sessions};
use crate::auth::Caller;
use crate::work::to_its_end;

const SESSION_ID: &str = "mcp-session-id";
const PROTOCOL_VERSION: &str = "mcp-protocol-version";
/// The first version of the protocol whose requests have no session.
const FIRST_WITHOUT_SESSIONS: &str = "2026-07-28";
/// Seconds after which a caller with too many sessions may try again.
const SECONDS_TO_WAIT: &str = "60";
/// The largest request that is read.
const MOST_BYTES: usize = 2 << 20;

/// How MCP is offered over HTTP.
#[derive(Debug, Clone)]
pub struct McpHttpOptions {
    /// Values of the `Host` header that are accepted, with or without a port:
    /// a page of another site that names this machine cannot use it.
    pub allowed_hosts: Vec<String>,
    /// Values of the `Origin` header that are accepted. Requests of programs
    /// have none and are accepted. `None` where something in front checks it.
    pub allowed_origins: Option<Vec<String>>,
    /// Whether a request without a [`Caller`] in its extensions is refused;
    /// it is one of the local user otherwise.
    pub requires_caller: bool,
}

/// For clients on this machine.
impl Default for McpHttpOptions {
    fn default() -> Self {
        Self {
            allowed_hosts: ["localhost", "127.0.0.1", "::1"].map(str::to_owned).into(),
            allowed_origins: Some(Vec::new()),
            requires_caller: false,
        }
    }
}

/// The MCP service. It implements `tower_service::Service`; clones share the
/// sessions.
#[derive(Clone)]
pub struct McpHttp {
    service: StreamableHttpService<McpServer, LocalSessionManager>,
    sessions: Sessions,
    requires_caller: bool,
    end: Arc<dyn Fn() + Send + Sync>,
}

/// A response; its body may be a stream of events.
pub type McpResponse = Response<BoxBody<Bytes, Infallible>>;

impl McpHttp {
    /// The service over this server.
    pub fn new(server: McpServer, options: McpHttpOptions) -> Self {
        let mut config = StreamableHttpServerConfig::default()
            .with_allowed_hosts(options.allowed_hosts)
            .with_max_request_body_bytes(MOST_BYTES);
        if let Some(origins) = options.allowed_origins {
            config = config
                .with_allowed_origins(origins)
                .enforce_origin_validation();
        }
        let token = config.cancellation_token.clone();
        let sessions = Sessions::default();
        let service = move || Ok(server.clone());
        Self {
            service: StreamableHttpService::new(service, sessions.manager(), config),
            sessions,
            requires_caller: options.requires_caller,
            end: Arc::new(move || token.cancel()),
        }
    }

    /// Ends every session and its streams.
    pub fn close(&self) {
        (self.end)();
    }

    /// Answers a request. A session can be used by the caller who opened it;
    /// for others it does not exist.
    pub async fn handle<B>(&self, mut request: Request<B>) -> McpResponse
    where
        B: Body + Send + 'static,
        B::Error: Display,
        B::Data: Send + 'static,
    {
        let sent = request.extensions().get::<Caller>().cloned();
        let caller = match (sent, self.requires_caller) {
            (Some(caller), _) => caller,
            (None, false) => Caller::local(),
            (None, true) => return refusal(StatusCode::UNAUTHORIZED, "log in first"),
        };
        let owner = (caller.name.clone(), caller.tenant.clone());
        request.extensions_mut().insert(caller);
        let is_post = request.method() == Method::POST;
        let Some(session) = session_id(request.headers()) else {
            return match is_post {
                true => self.open(request, owner).await,
                false => self.service.handle(request).await,
            };
        };
        if !self.sessions.is_of(session, &owner) {
            return refusal(StatusCode::NOT_FOUND, "there is no such session");
        }
        let is_end = request.method() == Method::DELETE;
        let mut response = self.service.handle(request).await;
        if is_end && response.status() == StatusCode::ACCEPTED {
            // The session has ended, and does not only end later. The protocol
            // names no status; the official clients take 200 and 204.
            *response.status_mut() = StatusCode::NO_CONTENT;
            *response.body_mut() = Full::default().boxed();
        }
        response
    }

    /// Answers a request that may open a session, which has its place from
    /// before it is opened.
    async fn open<B>(&self, request: Request<B>, owner: Owner) -> McpResponse
    where
        B: Body + Send + 'static,
        B::Error: Display,
        B::Data: Send + 'static,
    {
        let Some(place) = self.sessions.reserve(owner).await else {
            return too_many_sessions();
        };
        let has_sessions = has_sessions(request.headers());
        let service = self.service.clone();
        let opened = async move {
            let response = service.handle(request).await;
            if let Some(session) = session_id(response.headers()) {
                place.keep_for(session);
            }
            response
        };
        if !has_sessions {
            return opened.await;
        }
        // When the client disconnects meanwhile, its session is there all the
        // same, and has to be counted.
        to_its_end(opened).await.unwrap_or_else(|_| {
            let message = "the request failed unexpectedly";
            refusal(StatusCode::INTERNAL_SERVER_ERROR, message)
        })
    }
}

impl<B> tower_service::Service<Request<B>> for McpHttp
where
    B: Body + Send + 'static,
    B::Error: Display,
    B::Data: Send + 'static,
{
    type Response = McpResponse;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<McpResponse, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let service = self.clone();
        Box::pin(async move { Ok(service.handle(request).await) })
    }
}

fn session_id(headers: &HeaderMap) -> Option<&str> {
    headers.get(SESSION_ID)?.to_str().ok()
}

/// Whether requests of this version of the protocol have sessions.
fn has_sessions(headers: &HeaderMap) -> bool {
    let version = headers.get(PROTOCOL_VERSION);
    let version = version.and_then(|version| version.to_str().ok());
    version.is_none_or(|version| version < FIRST_WITHOUT_SESSIONS)
}

fn too_many_sessions() -> McpResponse {
    let message = "too many sessions of this key are open; end some, or wait";
    let mut response = refusal(StatusCode::SERVICE_UNAVAILABLE, message);
    let seconds = HeaderValue::from_static(SECONDS_TO_WAIT);
    response.headers_mut().insert(RETRY_AFTER, seconds);
    response
}

fn refusal(status: StatusCode, message: &'static str) -> McpResponse {
    let mut response = Response::new(Full::new(Bytes::from_static(message.as_bytes())).boxed());
    *response.status_mut() = status;
    response
}

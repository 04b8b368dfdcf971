//! MCP over Streamable HTTP: a service to be mounted at `/mcp`.

use std::collections::HashMap;
use std::convert::Infallible;
use std::fmt::Display;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use futures::future::BoxFuture;
use http::{HeaderMap, Method, Request, Response, StatusCode};
use http_body::Body;
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full};
use rmcp::transport::streamable_http_server::session::SessionManager;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::sync::Mutex;

use super::McpServer;
use crate::auth::Caller;

const SESSION_ID: &str = "mcp-session-id";
/// Sessions of one caller at most. One that is idle for five minutes ends.
const MOST_SESSIONS: usize = 100;
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
    sessions: Arc<LocalSessionManager>,
    owners: Arc<Mutex<Owners>>,
    requires_caller: bool,
    end: Arc<dyn Fn() + Send + Sync>,
}

/// Whose session it is: the name and the tenant.
type Owner = (String, String);
/// By the id of the session.
type Owners = HashMap<String, Owner>;
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
        let sessions = Arc::new(LocalSessionManager::default());
        let service = move || Ok(server.clone());
        Self {
            service: StreamableHttpService::new(service, sessions.clone(), config),
            sessions,
            owners: Arc::default(),
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
    {
        let sent = request.extensions().get::<Caller>().cloned();
        let caller = match (sent, self.requires_caller) {
            (Some(caller), _) => caller,
            (None, false) => Caller::local(),
            (None, true) => return refusal(StatusCode::UNAUTHORIZED, "log in first"),
        };
        let owner = (caller.name.clone(), caller.tenant.clone());
        if let Some(session) = session_id(request.headers())
            && self.owners.lock().await.get(session) != Some(&owner)
        {
            return refusal(StatusCode::NOT_FOUND, "there is no such session");
        }
        let begins = request.method() == Method::POST && session_id(request.headers()).is_none();
        if begins && self.sessions_of(&owner).await >= MOST_SESSIONS {
            let message = "too many sessions of this key are open; end some, or wait";
            return refusal(StatusCode::SERVICE_UNAVAILABLE, message);
        }
        request.extensions_mut().insert(caller);
        let is_end = request.method() == Method::DELETE;
        let mut response = self.service.handle(request).await;
        if is_end && response.status() == StatusCode::ACCEPTED {
            // The session has ended, and does not only end later. The protocol
            // names no status; the official clients take 200 and 204.
            *response.status_mut() = StatusCode::NO_CONTENT;
            *response.body_mut() = Full::default().boxed();
        }
        if let Some(session) = session_id(response.headers()) {
            self.remember(session, owner).await;
        }
        response
    }

    async fn remember(&self, session: &str, owner: Owner) {
        let mut owners = self.owners.lock().await;
        if owners.contains_key(session) {
            return;
        }
        self.forget_ended(&mut owners).await;
        owners.insert(session.to_owned(), owner);
    }

    /// How many sessions a caller has open.
    async fn sessions_of(&self, owner: &Owner) -> usize {
        let mut owners = self.owners.lock().await;
        let count = |owners: &Owners| owners.values().filter(|one| *one == owner).count();
        if count(&owners) >= MOST_SESSIONS {
            self.forget_ended(&mut owners).await;
        }
        count(&owners)
    }

    async fn forget_ended(&self, owners: &mut Owners) {
        let mut open = Owners::new();
        for (id, owner) in owners.drain() {
            // A session that cannot be looked up has ended.
            let known = self.sessions.has_session(&id.as_str().into()).await;
            if known.unwrap_or(false) {
                open.insert(id, owner);
            }
        }
        *owners = open;
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

fn refusal(status: StatusCode, message: &'static str) -> McpResponse {
    let mut response = Response::new(Full::new(Bytes::from_static(message.as_bytes())).boxed());
    *response.status_mut() = status;
    response
}

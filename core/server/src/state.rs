//! What every handler has at hand.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::FromRequestParts;
use axum::http::request::Parts as RequestParts;
use gannet_core::config::ServerConfig;
use gannet_core::{Gannet, SearchInput, SearchResult, Stop};
use tokio::sync::{Mutex, OwnedSemaphorePermit};

use crate::admission::Lane;
use crate::attachments::AttachmentFolder;
use crate::auth::{Authenticator, Caller, Scope};
use crate::background::Background;
use crate::drafts::Drafts;
use crate::login::missing_scope;
use crate::mcp::{McpHttp, McpHttpOptions, McpServer};
use crate::metrics::Metrics;
use crate::openapi::Document;
use crate::problem::Problem;
use crate::rate_limit::RateLimit;
use crate::work::Work;

/// What every handler has at hand, with who sent its request. Clones share
/// everything.
#[derive(Clone)]
pub(crate) struct App {
    parts: Arc<Parts>,
    caller: Arc<Caller>,
}

pub(crate) struct Parts {
    pub gannet: Gannet,
    pub authenticator: Authenticator,
    pub mcp: McpHttp,
    /// Searches that compute.
    pub searches: Lane,
    /// Searches that wait for a chat model.
    pub model_searches: Lane,
    pub rate_limit: RateLimit,
    pub metrics: Metrics,
    pub attachments: AttachmentFolder,
    pub drafts: Drafts,
    pub background: Background,
    /// Held while an entry is written under an idempotency key.
    pub keyed_writes: Mutex<()>,
    /// Raised when the service stops.
    pub stop: Stop,
    document: Document,
}

impl std::ops::Deref for App {
    type Target = Parts;

    fn deref(&self) -> &Parts {
        &self.parts
    }
}

impl App {
    pub fn new(
        gannet: Gannet,
        authenticator: Authenticator,
        document: Document,
        stop: Stop,
    ) -> Self {
        let config = gannet.config().server.clone();
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let wait = Duration::from_secs(config.queue_timeout_seconds);
        let lane = |size| Lane::new(size, config.max_queued, wait);
        let folder: PathBuf = gannet.store_path().join("attachments");
        let mcp = McpHttp::new(
            McpServer::new(gannet.clone()),
            McpHttpOptions {
                // Checked for every route, see `guard::check_origin`.
                allowed_hosts: Vec::new(),
                allowed_origins: config.allowed_origins.clone(),
                requires_caller: true,
            },
        );
        let parts = Parts {
            authenticator,
            mcp,
            searches: lane(config.max_searches.unwrap_or(processors)),
            model_searches: lane(config.max_model_searches),
            rate_limit: RateLimit::new(config.requests_per_minute),
            metrics: Metrics::default(),
            attachments: AttachmentFolder::new(folder),
            drafts: Drafts::default(),
            background: Background::default(),
            keyed_writes: Mutex::default(),
            gannet,
            stop,
            document,
        };
        Self {
            parts: Arc::new(parts),
            caller: Arc::new(Caller::nobody()),
        }
    }

    /// Whose entries are seen and written.
    pub fn tenant(&self) -> &str {
        &self.caller.tenant
    }

    /// Whether the caller may do this.
    ///
    /// # Errors
    /// 403.
    pub fn require(&self, scope: Scope) -> Result<(), Problem> {
        match self.caller.may(scope) {
            true => Ok(()),
            false => Err(missing_scope(scope)),
        }
    }

    /// The settings of the service.
    pub fn config(&self) -> &ServerConfig {
        &self.gannet.config().server
    }

    /// The description of the interface.
    pub fn document(&self) -> &Document {
        &self.document
    }

    /// Room for a search, as soon as there is some.
    ///
    /// # Errors
    /// 503 where there is no room; 403 when a chat model may be asked and the
    /// caller lacks the scope `ask`.
    pub async fn admit(&self, input: &SearchInput) -> Result<OwnedSemaphorePermit, Problem> {
        let mode = input.mode.as_deref();
        let mode = mode.unwrap_or(self.gannet.default_mode());
        if !self.gannet.may_ask_chat_model(mode, &input.params) {
            return self.searches.admit().await;
        }
        self.require(Scope::Ask)?;
        self.model_searches.admit().await
    }

    /// Searches as soon as there is room for it.
    ///
    /// # Errors
    /// 503 where there is no room; else what the search failed with.
    pub async fn search(&self, input: SearchInput) -> Result<SearchResult, Problem> {
        let permit = self.admit(&input).await?;
        let app = self.clone();
        let work = async move { app.gannet.search(input).await };
        let result = Work::start(permit, work).answer().await??;
        self.metrics.searched(&result);
        Ok(result)
    }

    /// Runs work that computes as soon as there is room for it.
    ///
    /// # Errors
    /// 503 where there is no room; else what the work failed with.
    pub async fn compute<T: Send + 'static, E: Into<Problem> + Send + 'static>(
        &self,
        work: impl Future<Output = Result<T, E>> + Send + 'static,
    ) -> Result<T, Problem> {
        let permit = self.searches.admit().await?;
        Work::start(permit, work)
            .answer()
            .await?
            .map_err(Into::into)
    }
}

/// With the caller of the request, whom [`authenticate`](crate::login) found.
impl FromRequestParts<App> for App {
    type Rejection = Problem;

    async fn from_request_parts(request: &mut RequestParts, app: &App) -> Result<Self, Problem> {
        let caller = request.extensions.get::<Caller>().cloned();
        Ok(Self {
            parts: app.parts.clone(),
            caller: Arc::new(caller.unwrap_or_else(Caller::nobody)),
        })
    }
}

//! What every handler has at hand.

use std::net::IpAddr;
use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::request::Parts as RequestParts;
use gannet_core::config::ServerConfig;
use gannet_core::{Gannet, SearchInput, SearchResult, Stop, WatchBoard};
use tokio::sync::Mutex;

use crate::admission::Lane;
use crate::attachments::AttachmentFolder;
use crate::auth::{Authenticator, Caller};
use crate::backend::Backend;
use crate::background::Background;
use crate::drafts::Drafts;
use crate::hops;
use crate::log_writer::LogWriters;
use crate::mcp::McpHttp;
use crate::metrics::Metrics;
use crate::openapi::Document;
use crate::problem::Problem;
use crate::rate_limit::RateLimit;
use crate::schedule::Schedule;
use crate::store_health::LastHealth;
use crate::traces::{Exporter, Exports};
use crate::unified::UnifiedState;
use crate::work::Work;

/// What every handler has at hand, with who sent its request. Clones share
/// everything.
#[derive(Clone)]
pub(crate) struct App {
    parts: Arc<Parts>,
    caller: Arc<Caller>,
    /// How many other Gannets its question came over.
    hops: u8,
}

pub(crate) struct Parts {
    pub gannet: Gannet,
    pub backend: Arc<Backend>,
    pub authenticator: Authenticator,
    pub mcp: McpHttp,
    pub rate_limit: Arc<RateLimit<IpAddr>>,
    pub key_limit: Arc<RateLimit<String>>,
    /// Where the traces of requests go, if anywhere.
    pub traces: Option<Exporter>,
    pub attachments: AttachmentFolder,
    pub lasting: Lasting,
    document: Document,
}

/// What stays while the configuration is replaced.
#[derive(Clone, Default)]
pub(crate) struct Lasting {
    pub metrics: Arc<Metrics>,
    pub background: Arc<Background>,
    /// When the retention was applied, and when it is again.
    pub retention: Arc<Schedule>,
    /// The sources that are followed.
    pub watching: WatchBoard,
    pub drafts: Arc<Drafts>,
    /// Held while an entry is written under an idempotency key.
    pub keyed_writes: Arc<Mutex<()>>,
    /// What unified search remembers between requests.
    pub unified: Arc<UnifiedState>,
    /// What sends traces.
    pub exports: Arc<Exports>,
    /// What writes the audit log and the query log.
    pub logs: Arc<LogWriters>,
    /// How the store was when a probe asked last.
    pub store_health: Arc<LastHealth>,
    /// Raised when the service stops.
    pub stop: Stop,
}

/// What stays while the configuration is replaced, as long as its own settings
/// are the same.
pub(crate) struct Kept {
    pub rate_limit: Arc<RateLimit<IpAddr>>,
    pub key_limit: Arc<RateLimit<String>>,
    pub traces: Option<Exporter>,
}

impl std::ops::Deref for App {
    type Target = Parts;

    fn deref(&self) -> &Parts {
        &self.parts
    }
}

impl App {
    pub fn new(
        backend: Arc<Backend>,
        authenticator: Authenticator,
        mcp: McpHttp,
        document: Document,
        kept: Kept,
        lasting: Lasting,
    ) -> Self {
        let gannet = backend.gannet.clone();
        let folder = gannet.config().store.attachments();
        let parts = Parts {
            authenticator,
            mcp,
            rate_limit: kept.rate_limit,
            key_limit: kept.key_limit,
            traces: kept.traces,
            attachments: AttachmentFolder::new(folder),
            gannet,
            backend,
            lasting,
            document,
        };
        Self {
            parts: Arc::new(parts),
            caller: Arc::new(Caller::nobody()),
            hops: 0,
        }
    }

    /// Whose entries are seen and written.
    pub fn tenant(&self) -> &str {
        &self.caller.tenant
    }

    /// Who sent the request.
    pub fn caller(&self) -> &Caller {
        &self.caller
    }

    /// The settings of the service.
    pub fn config(&self) -> &ServerConfig {
        &self.gannet.config().server
    }

    /// The description of the interface.
    pub fn document(&self) -> &Document {
        &self.document
    }

    /// Searches as soon as there is room for it.
    ///
    /// # Errors
    /// 503 where there is no room; else what the search failed with.
    pub async fn search(&self, mut input: SearchInput) -> Result<SearchResult, Problem> {
        input.hops = self.hops;
        Ok(self.backend.search(&self.caller, input).await?)
    }

    /// Runs work that computes as soon as there is room for it.
    ///
    /// # Errors
    /// 503 where there is no room; else what the work failed with.
    pub async fn compute<T: Send + 'static, E: Into<Problem> + Send + 'static>(
        &self,
        work: impl Future<Output = Result<T, E>> + Send + 'static,
    ) -> Result<T, Problem> {
        self.compute_in(&self.backend.searches, work).await
    }

    /// The same for a search in this mode that asks no chat model.
    ///
    /// # Errors
    /// As [`compute`](Self::compute).
    pub async fn search_without_model<T: Send + 'static, E: Into<Problem> + Send + 'static>(
        &self,
        mode: &str,
        work: impl Future<Output = Result<T, E>> + Send + 'static,
    ) -> Result<T, Problem> {
        let lane = self.backend.lane_without_model(mode);
        self.compute_in(lane, work).await
    }

    /// The same for a list of texts that a model embeds or ranks.
    ///
    /// # Errors
    /// As [`compute`](Self::compute).
    pub async fn infer<T: Send + 'static, E: Into<Problem> + Send + 'static>(
        &self,
        work: impl Future<Output = Result<T, E>> + Send + 'static,
    ) -> Result<T, Problem> {
        self.compute_in(&self.backend.inference, work).await
    }

    async fn compute_in<T: Send + 'static, E: Into<Problem> + Send + 'static>(
        &self,
        lane: &Lane,
        work: impl Future<Output = Result<T, E>> + Send + 'static,
    ) -> Result<T, Problem> {
        let permit = lane.admit().await?;
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
            hops: hops::of(&request.headers),
        })
    }
}

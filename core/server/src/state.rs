//! What every handler has at hand.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use gannet_core::api::DEFAULT_TENANT;
use gannet_core::config::ServerConfig;
use gannet_core::{Gannet, SearchInput, SearchResult, Stop};
use tokio::sync::Mutex;

use crate::admission::Lane;
use crate::attachments::AttachmentFolder;
use crate::background::Background;
use crate::drafts::Drafts;
use crate::metrics::Metrics;
use crate::openapi::Document;
use crate::problem::Problem;
use crate::rate_limit::RateLimit;
use crate::work::Work;

/// Whose entries are seen and written.
pub(crate) const TENANT: &str = DEFAULT_TENANT;

/// What every handler has at hand. Clones share everything.
#[derive(Clone)]
pub(crate) struct App(Arc<Parts>);

pub(crate) struct Parts {
    pub gannet: Gannet,
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
        &self.0
    }
}

impl App {
    pub fn new(gannet: Gannet, document: Document, stop: Stop) -> Self {
        let config = gannet.config().server.clone();
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let wait = Duration::from_secs(config.queue_timeout_seconds);
        let lane = |size| Lane::new(size, config.max_queued, wait);
        let folder: PathBuf = gannet.store_path().join("attachments");
        Self(Arc::new(Parts {
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
        }))
    }

    /// The settings of the service.
    pub fn config(&self) -> &ServerConfig {
        &self.gannet.config().server
    }

    /// The description of the interface.
    pub fn document(&self) -> &Document {
        &self.document
    }

    /// The lane of a search.
    pub fn lane(&self, input: &SearchInput) -> &Lane {
        let mode = input.mode.as_deref();
        let mode = mode.unwrap_or(self.gannet.default_mode());
        match self.gannet.may_ask_chat_model(mode, &input.params) {
            true => &self.model_searches,
            false => &self.searches,
        }
    }

    /// Searches as soon as there is room for it.
    ///
    /// # Errors
    /// 503 where there is no room; else what the search failed with.
    pub async fn search(&self, input: SearchInput) -> Result<SearchResult, Problem> {
        let permit = self.lane(&input).admit().await?;
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

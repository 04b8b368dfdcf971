//! The service as it answers now, and how a new configuration takes its place.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use gannet_core::config::Config;
use gannet_core::{Gannet, HostError};
use tokio::sync::Mutex;

use crate::ServerError;
use crate::auth::{AuditEvent, AuditLog, Authenticator, Caller};
use crate::backend::Backend;
use crate::current::Current;
use crate::exposure::check_exposure;
use crate::log_file;
use crate::mcp::{McpHttp, McpHttpOptions, McpServer};
use crate::rate_limit::RateLimit;
use crate::router::{router, routes};
use crate::serve::BindOptions;
use crate::state::{App, Kept, Lasting};

/// Why a new configuration was not taken. The old one goes on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReloadError {
    /// The host does not take it.
    #[error(transparent)]
    Host(#[from] HostError),
    /// The service does not take it.
    #[error(transparent)]
    Server(#[from] ServerError),
    /// Making the new host panicked.
    #[error("the new configuration could not be tried: {0}")]
    Panicked(#[from] tokio::task::JoinError),
}

/// Replaces the configuration of a running service. Clones share it.
#[derive(Clone)]
pub struct Reloader(Arc<Epochs>);

impl Reloader {
    pub(crate) fn new(epochs: Arc<Epochs>) -> Self {
        Self(epochs)
    }

    /// Takes a new configuration whole, or leaves the old one whole. Requests
    /// under way end on the old one.
    ///
    /// # Errors
    /// [`ReloadError`]; nothing has changed then.
    pub async fn reload(&self, config: Config) -> Result<(), ReloadError> {
        self.0.reload(config).await
    }

    /// Notes in the audit log that a new configuration was refused before it
    /// came here, as when its file cannot be read.
    pub async fn refused(&self, reason: &str) {
        self.0.note_reload(Some(reason)).await;
    }
}

/// The service of one configuration.
pub(crate) struct Epoch {
    pub app: App,
    pub router: Router,
}

/// The service of the configuration of now.
pub(crate) struct Epochs {
    pub current: Current<Epoch>,
    pub lasting: Lasting,
    pub mcp: McpHttp,
    mcp_server: McpServer,
    addresses: Vec<SocketAddr>,
    options: BindOptions,
    /// Held while a configuration is taken.
    reloading: Mutex<()>,
}

impl Epochs {
    /// # Errors
    /// [`ServerError`] for settings that the service does not take.
    pub fn new(
        gannet: Gannet,
        addresses: Vec<SocketAddr>,
        options: BindOptions,
    ) -> Result<Self, ServerError> {
        let lasting = Lasting::default();
        let authenticator = checked(&gannet, &addresses, options, &lasting)?;
        let backend = Backend::new(gannet, &lasting).with_drafts(lasting.drafts.clone());
        let backend = Arc::new(backend);
        let mcp_server = McpServer::over(backend.clone());
        let mcp = McpHttp::new(
            mcp_server.clone(),
            McpHttpOptions {
                // Checked for every route, see `guard::check_origin`.
                allowed_hosts: Vec::new(),
                allowed_origins: None,
                requires_caller: true,
            },
        );
        let kept = kept(&backend.gannet, None, &lasting)?;
        let epoch = epoch(backend, authenticator, mcp.clone(), kept, lasting.clone());
        epoch.app.attachments.remove_drafts();
        Ok(Self {
            current: Current::new(epoch),
            lasting,
            mcp,
            mcp_server,
            addresses,
            options,
            reloading: Mutex::default(),
        })
    }

    async fn reload(&self, config: Config) -> Result<(), ReloadError> {
        let _reloading = self.reloading.lock().await;
        let outcome = self.replace(config).await;
        let refused = outcome.as_ref().err().map(ToString::to_string);
        self.note_reload(refused.as_deref()).await;
        outcome
    }

    async fn note_reload(&self, refused: Option<&str>) {
        let audit = self.current.get().app.backend.audit.clone();
        let event = AuditEvent::Reloaded { refused };
        audit.note(&Caller::local().name, &event).await;
    }

    async fn replace(&self, config: Config) -> Result<(), ReloadError> {
        let old = self.current.get().app.gannet.clone();
        // Plugins are made, which may take a while.
        let made = tokio::task::spawn_blocking(move || old.reconfigured(config));
        let gannet = made.await??;
        let authenticator = checked(&gannet, &self.addresses, self.options, &self.lasting)?;
        let authenticator = authenticator.with_failures_of(&self.current.get().app.authenticator);
        let backend = Backend::new(gannet, &self.lasting);
        let backend = Arc::new(backend.with_drafts(self.lasting.drafts.clone()));
        backend.audit.note_plugin_files(&backend.gannet).await;
        backend.gannet.start_plugins().await;
        let (mcp, lasting) = (self.mcp.clone(), self.lasting.clone());
        let kept = kept(&backend.gannet, Some(&self.current.get().app), &lasting)?;
        let epoch = epoch(backend.clone(), authenticator, mcp, kept, lasting);
        self.current.replace(epoch);
        self.mcp_server.replace(backend);
        self.lasting.watching.reload();
        Ok(())
    }
}

fn epoch(
    backend: Arc<Backend>,
    authenticator: Authenticator,
    mcp: McpHttp,
    kept: Kept,
    lasting: Lasting,
) -> Epoch {
    let (routes, document) = routes(authenticator.is_required());
    let app = App::new(backend, authenticator, mcp, document, kept, lasting);
    Epoch {
        router: router(routes, app.clone()),
        app,
    }
}

/// What goes on as it is where its settings have not changed, and is new
/// elsewhere.
fn kept(gannet: &Gannet, old: Option<&App>, lasting: &Lasting) -> Result<Kept, ServerError> {
    let config = &gannet.config().server;
    let per_minute = config.requests_per_minute;
    let same_limit = old.filter(|old| old.config().requests_per_minute == per_minute);
    let per_key = config.requests_per_minute_of_key;
    let same_key_limit = old.filter(|old| old.config().requests_per_minute_of_key == per_key);
    let traces = match old.filter(|old| old.config().traces == config.traces) {
        Some(old) => old.traces.clone(),
        None => {
            let counts = lasting.metrics.spans.clone();
            lasting.exports.start(&config.traces, counts)?
        }
    };
    Ok(Kept {
        rate_limit: match same_limit {
            Some(old) => old.rate_limit.clone(),
            None => Arc::new(RateLimit::new(per_minute)),
        },
        key_limit: match same_key_limit {
            Some(old) => old.key_limit.clone(),
            None => Arc::new(RateLimit::new(per_key)),
        },
        traces,
    })
}

/// Settings that must fit together before the service answers.
fn checked(
    gannet: &Gannet,
    addresses: &[SocketAddr],
    options: BindOptions,
    lasting: &Lasting,
) -> Result<Authenticator, ServerError> {
    let config = &gannet.config().server;
    check_exposure(gannet, &config.host, addresses, options.insecure)?;
    log_file::check(config)?;
    let authenticator = Authenticator::of(config, gannet.store_path())?;
    let audit = AuditLog::of_service(&config.audit_log, &lasting.logs);
    Ok(authenticator.with_audit_log(audit))
}

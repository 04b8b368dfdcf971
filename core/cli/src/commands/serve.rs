//! `gannet serve`: the HTTP service.

use std::time::Duration;

use gannet_core::Gannet;
use gannet_core::config::{self, LoadOptions};
use gannet_server::auth::AuditLog;
use gannet_server::{BindOptions, Reloader, Server};

use crate::arguments::{Common, ServeArguments};
use crate::failure::{Exit, Failure};
use crate::hangups::Hangups;
use crate::running_service::RunningService;
use crate::{session, signals};

/// How long the rest may take after the requests: the plugins end, and the
/// store is closed.
const AFTER_REQUESTS: Duration = Duration::from_secs(5);

/// Serves until Ctrl-C or SIGTERM. Prints the address once it is listened on.
pub async fn run(common: &Common, wanted: &ServeArguments) -> Result<Exit, Failure> {
    let mut settings = Vec::new();
    if let Some(host) = &wanted.host {
        settings.push(("server.host", host.clone()));
    }
    if let Some(port) = wanted.port {
        settings.push(("server.port", port.to_string()));
    }
    let sources = session::lasting_options(common, &settings)?;
    let gannet = session::open_for_service(common, &settings).await?;
    AuditLog::of(&gannet.config().server.audit_log).add_plugin_files(&gannet);
    let options = BindOptions {
        insecure: wanted.insecure,
    };
    let server = Server::bind(gannet.clone(), options).await?;
    let hangups = Hangups::new()?;
    let reloads = Reloads {
        reloader: server.reloader(),
        sources,
        running: announce(&gannet, &server),
    };
    let seconds = gannet.config().server.shutdown_timeout_seconds;
    let grace = Duration::from_secs(seconds) + AFTER_REQUESTS;
    let stop = signals::stop_within("the running requests", grace);
    outln!("listening on http://{}", server.address());
    // The plugins of the first configuration end with it.
    let store = gannet.store().clone();
    drop(gannet);
    tokio::select! {
        () = server.run(stop.clone()) => {}
        () = reloads.run(hangups) => {}
    }
    store.close().await?;
    Ok(Exit::unless(&stop))
}

/// So that `gannet reload` finds the service.
fn announce(gannet: &Gannet, server: &Server) -> Option<RunningService> {
    let folder = gannet.store_path();
    match RunningService::announce(folder, server.address().to_string()) {
        Ok(Some(running)) => Some(running),
        Ok(None) => {
            tracing::warn!(
                "`gannet reload` reaches the other service of {}",
                folder.display()
            );
            None
        }
        Err(error) => {
            tracing::warn!(%error, "`gannet reload` cannot find this service");
            None
        }
    }
}

/// What a SIGHUP does.
struct Reloads {
    reloader: Reloader,
    sources: LoadOptions,
    running: Option<RunningService>,
}

impl Reloads {
    /// Reads the configuration again at each SIGHUP, for ever.
    async fn run(mut self, mut hangups: Hangups) {
        loop {
            hangups.next().await;
            let error = self.reload().await.err();
            match &error {
                None => tracing::info!("the new configuration is used"),
                Some(error) => tracing::error!(error, "the old configuration stays"),
            }
            if let Some(running) = &mut self.running
                && let Err(error) = running.reloaded(error)
            {
                tracing::warn!(%error, "`gannet reload` cannot be answered");
            }
        }
    }

    async fn reload(&self) -> Result<(), String> {
        let loaded = match config::load(self.sources.clone()) {
            Ok(loaded) => loaded,
            Err(error) => {
                let reason = error.to_string();
                self.reloader.refused(&reason).await;
                return Err(reason);
            }
        };
        for notice in &loaded.notices {
            tracing::warn!("{notice}");
        }
        let reloaded = self.reloader.reload(loaded.config).await;
        reloaded.map_err(|error| error.to_string())
    }
}

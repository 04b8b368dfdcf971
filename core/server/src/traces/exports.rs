//! The exporters of the service: one for each configuration that was used.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use gannet_core::Stop;
use gannet_core::config::TracesConfig;
use gannet_outbound::{Origin, OutboundClient, OutboundError, OutboundOptions};
use reqwest::Url;
use tokio::task::JoinSet;

use super::exporter::{Exporter, SpanCounts};
use super::headers::Headers;
use super::otlp::Collector;

/// How long the collector may take for a request.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(5);
/// How long spans are sent after the last request has ended.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(2);

/// The tasks that send spans.
#[derive(Default)]
pub(crate) struct Exports {
    tasks: Mutex<JoinSet<()>>,
    /// Raised when no more spans come.
    flush: Stop,
}

impl Exports {
    /// Starts the exporter of a configuration; `None` where none is wanted.
    ///
    /// # Errors
    /// [`OutboundError`] for an endpoint that is not the address of a server.
    pub fn start(
        &self,
        config: &TracesConfig,
        counts: Arc<SpanCounts>,
    ) -> Result<Option<Exporter>, OutboundError> {
        let endpoint = config.endpoint.as_ref().filter(|_| config.enabled);
        let Some(endpoint) = endpoint else {
            return Ok(None);
        };
        let origin = Origin::configured(endpoint)?;
        let options = OutboundOptions {
            allow_private_addresses: config.allow_private_addresses,
            timeout: Some(REQUEST_TIMEOUT),
            ..OutboundOptions::default()
        };
        let endpoint = Url::parse(endpoint.trim());
        let collector = Collector {
            client: OutboundClient::new(origin, options)?,
            endpoint: endpoint.map_err(|error| OutboundError::Address(error.to_string()))?,
            headers: Headers::of(config),
            service_name: config.service_name.clone(),
        };
        let (exporter, task) = Exporter::new(collector, counts, self.flush.clone());
        let mut tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        while tasks.try_join_next().is_some() {}
        tasks.spawn(task.run());
        Ok(Some(exporter))
    }

    /// Sends what waits, for a limited time.
    pub async fn flush(&self) {
        let mut tasks = {
            let mut tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
            std::mem::take(&mut *tasks)
        };
        self.flush.raise();
        let ended = async { while tasks.join_next().await.is_some() {} };
        if tokio::time::timeout(FLUSH_TIMEOUT, ended).await.is_err() {
            tracing::warn!("some traces could not be sent before the end");
        }
    }
}

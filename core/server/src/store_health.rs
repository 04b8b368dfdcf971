//! Whether the store can be read and searched, for probes. They need no key, so
//! however many come, the store is asked once a second.

use std::time::{Duration, Instant};

use gannet_core::Gannet;
use tokio::sync::Mutex;

/// How long what was found is told again.
const FRESH: Duration = Duration::from_secs(1);

/// What was found last, and when.
#[derive(Default)]
pub(crate) struct LastHealth(Mutex<Option<(Instant, StoreHealth)>>);

/// What is wrong with a store, in words that name no file and no server.
#[derive(Debug, Clone, Default)]
pub(crate) struct StoreHealth {
    /// What keeps searches from being answered.
    pub missing: Vec<String>,
    /// What searches go on without.
    pub degraded: Vec<String>,
}

impl LastHealth {
    /// How the store is, or was within the last second. Those who ask at once
    /// wait for one examination.
    pub async fn of(&self, gannet: &Gannet) -> StoreHealth {
        let mut last = self.0.lock().await;
        match &*last {
            Some((at, health)) if at.elapsed() < FRESH => health.clone(),
            _ => {
                let health = examine(gannet).await;
                *last = Some((Instant::now(), health.clone()));
                health
            }
        }
    }
}

/// The causes go into the log: they may name files and servers.
async fn examine(gannet: &Gannet) -> StoreHealth {
    let mut health = StoreHealth::default();
    match gannet.store().stats().await {
        Ok(stats) => {
            if let Some(reason) = &stats.text_trouble {
                tracing::warn!(reason, "the text index does not follow the records");
                let missing = "the text index cannot be used".to_owned();
                health.missing.push(missing);
            }
            for (model, reason) in &stats.vector_failures {
                tracing::warn!(model, reason, "vectors cannot be searched");
                let degraded = format!("the vectors of model `{model}` cannot be searched");
                health.degraded.push(degraded);
            }
        }
        Err(error) => {
            tracing::warn!(%error, "the store cannot be read");
            health.missing.push("the store cannot be read".to_owned());
        }
    }
    health
}

//! Enhancement of what was written, one run after another.

use std::time::Duration;

use gannet_core::{EnhanceRequest, Gannet, Stop};
use tokio::sync::Notify;

use crate::schedule::Schedule;

/// How often entries that failed are looked for. Each has its own time from
/// when on it is tried again.
const RETRY: Duration = Duration::from_secs(60);

/// Tells the enhancement that entries wait for it.
#[derive(Default)]
pub(crate) struct Background {
    written: Notify,
    /// When it ran. It runs again when entries are written, and while some
    /// have failed.
    pub schedule: Schedule,
}

impl Background {
    /// Entries were written.
    pub fn wake(&self) {
        self.written.notify_one();
    }

    /// Enhances what waits whenever something was written, and what failed
    /// when it is due again, until the service stops. A failed run is logged;
    /// the next one does what it left.
    pub async fn run(&self, gannet: impl Fn() -> Gannet, stop: &Stop) {
        // Some may have failed before the service started.
        let mut may_have_failed = true;
        loop {
            tokio::select! {
                () = self.written.notified() => {}
                () = tokio::time::sleep(RETRY), if may_have_failed => {
                    may_have_failed = has_failed(&gannet()).await;
                    if !may_have_failed {
                        continue;
                    }
                }
                () = stop.raised() => return,
            }
            let request = EnhanceRequest {
                only_due: true,
                ..EnhanceRequest::default()
            };
            self.schedule.begin();
            let outcome = gannet().enhance(request, stop, |_| {}).await;
            self.schedule.end(outcome.is_err(), None);
            if let Err(error) = outcome {
                tracing::error!(%error, "enhancement of written entries failed");
            }
            may_have_failed = true;
        }
    }
}

/// Whether an entry failed in a module that is on. When that cannot be read,
/// it is looked for again later.
async fn has_failed(gannet: &Gannet) -> bool {
    match gannet.failed_enhancements().await {
        Ok(count) => count > 0,
        Err(error) => {
            tracing::warn!(%error, "entries that failed could not be counted");
            true
        }
    }
}

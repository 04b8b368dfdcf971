//! Enhancement of what was written, one run after another.

use std::time::Duration;

use gannet_core::{EnhanceRequest, Gannet, Stop};
use tokio::sync::Notify;

use crate::schedule::Schedule;

/// How often entries are looked for that wait or failed. One that failed has
/// its own time from when on it is tried again.
const RETRY: Duration = Duration::from_secs(60);

/// Tells the enhancement that entries wait for it.
#[derive(Default)]
pub(crate) struct Background {
    written: Notify,
    /// When it ran. It runs again when entries are written, and while some
    /// wait or have failed.
    pub schedule: Schedule,
}

impl Background {
    /// Entries were written.
    pub fn wake(&self) {
        self.written.notify_one();
    }

    /// Enhances what waits at the start and whenever something was written,
    /// and what failed when it is due again, until the service stops. A failed
    /// run is logged; the next one does what it left.
    pub async fn run(&self, gannet: impl Fn() -> Gannet, stop: &Stop) {
        // A process that ended before may have left entries.
        if has_unenhanced(&gannet()).await {
            self.wake();
        }
        let mut may_wait = true;
        loop {
            tokio::select! {
                () = self.written.notified() => {}
                () = tokio::time::sleep(RETRY), if may_wait => {
                    may_wait = has_unenhanced(&gannet()).await;
                    if !may_wait {
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
            may_wait = true;
        }
    }
}

/// Whether an entry waits for a module that is on. When that cannot be read,
/// it is looked for again later.
async fn has_unenhanced(gannet: &Gannet) -> bool {
    match gannet.has_unenhanced().await {
        Ok(has) => has,
        Err(error) => {
            tracing::warn!(%error, "entries to enhance could not be counted");
            true
        }
    }
}

//! Enhancement of what was written, one run after another.

use gannet_core::{EnhanceRequest, Gannet, Stop};
use tokio::sync::Notify;

use crate::schedule::Schedule;

/// Tells the enhancement that entries wait for it.
#[derive(Default)]
pub(crate) struct Background {
    written: Notify,
    /// When it ran. It runs again when entries are written.
    pub schedule: Schedule,
}

impl Background {
    /// Entries were written.
    pub fn wake(&self) {
        self.written.notify_one();
    }

    /// Enhances what waits whenever something was written, until the service
    /// stops. A failed run is logged; the next one does what it left.
    pub async fn run(&self, gannet: impl Fn() -> Gannet, stop: &Stop) {
        loop {
            tokio::select! {
                () = self.written.notified() => {}
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
        }
    }
}

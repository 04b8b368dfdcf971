//! Enhancement of what was written, one run after another.

use gannet_core::{EnhanceRequest, Gannet, Stop};
use tokio::sync::Notify;

/// Tells the enhancement that entries wait for it.
#[derive(Default)]
pub(crate) struct Background(Notify);

impl Background {
    /// Entries were written.
    pub fn wake(&self) {
        self.0.notify_one();
    }

    /// Enhances what waits whenever something was written, until the service
    /// stops. A failed run is logged; the next one does what it left.
    pub async fn run(&self, gannet: impl Fn() -> Gannet, stop: &Stop) {
        loop {
            tokio::select! {
                () = self.0.notified() => {}
                () = stop.raised() => return,
            }
            let request = EnhanceRequest {
                only_due: true,
                ..EnhanceRequest::default()
            };
            if let Err(error) = gannet().enhance(request, stop, |_| {}).await {
                tracing::error!(%error, "enhancement of written entries failed");
            }
        }
    }
}

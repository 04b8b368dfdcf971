//! The sources that the service follows, and its other scheduled jobs.

use std::sync::Arc;

use gannet_core::{Stop, Watch, WatchEvent, WatchOptions};

use crate::reload::Epochs;

/// Follows the sources of the configuration that have an interval, makes its
/// digests and delivers messages, until the service stops. What comes in is
/// enhanced.
pub(crate) async fn run(epochs: Arc<Epochs>, stop: &Stop) {
    let background = epochs.lasting.background.clone();
    let board = epochs.lasting.watching.clone();
    let options = WatchOptions {
        on_event: Arc::new(move |event| {
            if let WatchEvent::Polled { report, .. } = event
                && report.counts.added + report.counts.updated > 0
            {
                background.wake();
            }
        }),
        ..WatchOptions::default()
    };
    let watch = Watch::new(
        move || epochs.current.get().app.gannet.clone(),
        |gannet| Ok(gannet.scheduled_jobs()),
        board,
        options,
    );
    if let Err(error) = watch.run(stop).await {
        tracing::error!(%error, "no source is followed");
    }
}

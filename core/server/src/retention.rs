//! Deleting what is older than `retention` allows, once a day.

use std::time::Duration;

use gannet_core::{Gannet, Stop};
use jiff::Timestamp;

/// How often.
const EVERY: Duration = Duration::from_secs(24 * 60 * 60);

/// Applies the retention of the configuration of each time, first at the
/// start, until the service stops. What fails is logged and tried again the
/// next day.
pub(crate) async fn run(gannet: impl Fn() -> Gannet, stop: &Stop) {
    loop {
        tokio::select! {
            () = apply(gannet()) => {}
            () = stop.raised() => return,
        }
        tokio::select! {
            () = tokio::time::sleep(EVERY) => {}
            () = stop.raised() => return,
        }
    }
}

async fn apply(gannet: Gannet) {
    if !gannet.config().retention.is_set() {
        return;
    }
    match gannet.apply_retention(Timestamp::now()).await {
        Ok(report) => tracing::info!(
            entries = report.purged.entries,
            attachments = report.purged.attachments,
            query_log_lines = report.query_log_lines,
            audit_log_lines = report.audit_log_lines,
            question_log_lines = report.question_log_lines,
            "deleted what is older than the retention allows"
        ),
        Err(error) => tracing::error!(%error, "the retention could not be applied"),
    }
}

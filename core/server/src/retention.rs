//! Deleting what is older than `retention` allows, once a day.

use std::time::Duration;

use gannet_core::{Gannet, Stop};
use jiff::Timestamp;

use crate::auth::{AuditEvent, AuditLog, Caller};
use crate::state::Lasting;

/// How often.
const EVERY: Duration = Duration::from_hours(24);

/// Applies the retention of the configuration of each time, first at the
/// start, until the service stops. What fails is logged and tried again the
/// next day.
pub(crate) async fn run(gannet: impl Fn() -> Gannet, lasting: &Lasting, stop: &Stop) {
    loop {
        tokio::select! {
            () = apply(gannet(), lasting) => {}
            () = stop.raised() => return,
        }
        tokio::select! {
            () = tokio::time::sleep(EVERY) => {}
            () = stop.raised() => return,
        }
    }
}

async fn apply(gannet: Gannet, lasting: &Lasting) {
    let schedule = &lasting.retention;
    if !gannet.config().retention.is_set() {
        return;
    }
    schedule.begin();
    let outcome = gannet.apply_retention(Timestamp::now()).await;
    let next = Timestamp::now().checked_add(EVERY);
    schedule.end(outcome.is_err(), next.ok());
    match outcome {
        Ok(report) => {
            let config = &gannet.config().server.audit_log;
            let audit = AuditLog::of_service(config, &lasting.logs);
            let event = AuditEvent::retention(&report);
            audit.note(&Caller::local().name, &event).await;
            tracing::info!(
                entries = report.purged.entries,
                attachments = report.purged.attachments,
                unnamed_attachments = report.purged.unnamed_attachments,
                query_log_lines = report.query_log_lines,
                audit_log_lines = report.audit_log_lines,
                question_log_lines = report.question_log_lines,
                feedback = report.feedback,
                "deleted what is older than the retention allows"
            );
        }
        Err(error) => tracing::error!(%error, "the retention could not be applied"),
    }
}

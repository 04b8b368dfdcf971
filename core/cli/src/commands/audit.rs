//! What the one at the terminal did, in the audit log.

use gannet_core::config::Config;
use gannet_server::auth::{AuditEvent, AuditLog, Caller};

/// Adds an event to the log of a configuration, if it has one. It is in the
/// file when this returns: the program may end at once.
pub fn audit(config: &Config, event: &AuditEvent<'_>) {
    AuditLog::of(&config.server.audit_log).add(&Caller::local().name, event);
}

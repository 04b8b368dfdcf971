//! The audit log: who was refused, and what administrators did.

use std::io::Write;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gannet_core::config::AuditLogConfig;
use gannet_core::{Gannet, Purged, RetentionReport, redacted};
use jiff::Timestamp;
use serde::Serialize;
use serde_json::{Value, json};

use super::{ApiKey, Caller, Scope};
use crate::log_file;

/// The version of a line's form.
const SCHEMA_VERSION: u32 = 1;

/// The audit log of a configuration: a line of JSON per event, or nothing.
/// Clones share everything.
#[derive(Debug, Clone)]
pub struct AuditLog(Arc<Settings>);

#[derive(Debug)]
struct Settings {
    path: Option<PathBuf>,
    queries: bool,
}

/// Something that is logged.
#[derive(Debug, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
#[non_exhaustive]
pub enum AuditEvent<'a> {
    /// A login failed.
    LoginFailed {
        /// Where it came from.
        address: IpAddr,
        /// Why.
        reason: &'a str,
    },
    /// An API key was made.
    KeyCreated {
        /// Its id.
        id: &'a str,
        /// What it is for.
        name: &'a str,
        /// What its holder may do.
        scopes: Vec<Scope>,
        /// Whose entries its holder sees.
        tenant: &'a str,
    },
    /// An API key was revoked.
    KeyRevoked {
        /// Its id.
        id: &'a str,
    },
    /// A plugin file was loaded, or refused.
    PluginFile {
        /// The file, as configured.
        file: &'a str,
        /// Its checksum.
        sha256: Option<&'a str>,
        /// Why it was refused.
        refused: Option<&'a str>,
    },
    /// A caller stored an entry.
    EntryStored {
        /// The entry.
        entry_id: &'a str,
    },
    /// An entry was written into the facility's logbook.
    EntryPublished {
        /// Its id there.
        entry_id: &'a str,
        /// The logbook.
        source_system: &'a str,
    },
    /// Entries were deleted for good.
    Purged {
        /// How many.
        entries: u64,
        /// Files of them.
        attachments: u64,
    },
    /// What is older than the configuration allows was deleted.
    RetentionApplied {
        /// Entries.
        entries: u64,
        /// Files of them.
        attachments: u64,
    },
    /// A store was filled from a backup.
    Restored {
        /// Entries in it.
        entries: u64,
    },
    /// The indexes are made again from the records.
    IndexRebuildStarted,
    /// A new configuration took the place of the old one, or was refused.
    Reloaded {
        /// Why it was refused.
        refused: Option<&'a str>,
    },
    /// A caller searched.
    Query {
        /// The search module or pipeline.
        mode: &'a str,
        /// The query.
        query: &'a str,
    },
}

impl<'a> AuditEvent<'a> {
    /// That a key was made.
    pub fn key_created(key: &'a ApiKey) -> Self {
        Self::KeyCreated {
            id: &key.id,
            name: &key.name,
            scopes: key.scopes.iter().copied().collect(),
            tenant: &key.tenant,
        }
    }

    /// That entries were deleted.
    pub fn purged(purged: Purged) -> Self {
        Self::Purged {
            entries: purged.entries,
            attachments: purged.attachments,
        }
    }

    /// That the retention was applied.
    pub fn retention(report: &RetentionReport) -> Self {
        Self::RetentionApplied {
            entries: report.purged.entries,
            attachments: report.purged.attachments,
        }
    }
}

impl AuditLog {
    /// The log of a configuration.
    pub fn of(config: &AuditLogConfig) -> Self {
        Self(Arc::new(Settings {
            path: config.path.clone(),
            queries: config.queries,
        }))
    }

    /// Adds an event by a caller; queries only where they are switched on.
    /// That it cannot be written is logged, and never an error of the request.
    pub fn add(&self, actor: &str, event: &AuditEvent<'_>) {
        let Some(path) = &self.0.path else {
            return;
        };
        if matches!(event, AuditEvent::Query { .. }) && !self.0.queries {
            return;
        }
        let line = line(actor, event, Timestamp::now());
        if let Err(error) = append(path, &line) {
            tracing::error!(%error, path = %path.display(), "the audit log cannot be written");
        }
    }

    /// Adds the plugin files of a host that was opened.
    pub fn add_plugin_files(&self, gannet: &Gannet) {
        for report in gannet.plugin_files() {
            let event = AuditEvent::PluginFile {
                file: &report.file,
                sha256: report.sha256.as_deref(),
                refused: report.reason.as_deref(),
            };
            self.add(&Caller::local().name, &event);
        }
    }
}

/// With what reads like a secret taken out.
fn line(actor: &str, event: &AuditEvent<'_>, at: Timestamp) -> Value {
    let mut line = json!({ "schema_version": SCHEMA_VERSION, "at": at, "actor": actor });
    if let (Value::Object(line), Value::Object(event)) = (&mut line, redacted(json!(event))) {
        line.extend(event);
    }
    line
}

/// One write a line, so that lines of several processes do not mix.
fn append(path: &Path, line: &Value) -> std::io::Result<()> {
    let mut file = log_file::open(path)?;
    file.write_all(format!("{line}\n").as_bytes())
}

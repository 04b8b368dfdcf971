//! The audit log: who was refused, and what administrators did. No line of it
//! is dropped: what is logged waits until its line is in the file.

use std::io::Write;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gannet_core::config::AuditLogConfig;
use gannet_core::registry::loading::FileReport;
use gannet_core::{Gannet, Purged, RetentionReport, redacted};
use jiff::Timestamp;
use serde::Serialize;
use serde_json::{Value, json};

use super::{ApiKey, Caller, Scope};
use crate::log_file;
use crate::log_writer::{LogWriter, LogWriters, Outcome};
use crate::work::to_its_end;

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
    /// None outside of the service, and where the system gives no thread.
    writer: Option<Arc<LogWriter>>,
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
        /// Uploaded files, of them and such that no entry named.
        attachments: u64,
    },
    /// What is older than the configuration allows was deleted.
    RetentionApplied {
        /// Entries.
        entries: u64,
        /// Uploaded files, of them and such that no entry named.
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

    /// That a plugin file was loaded or refused.
    fn plugin_file(report: &'a FileReport) -> Self {
        Self::PluginFile {
            file: &report.file,
            sha256: report.sha256.as_deref(),
            refused: report.reason.as_deref(),
        }
    }

    /// That entries were deleted.
    pub fn purged(purged: Purged) -> Self {
        Self::Purged {
            entries: purged.entries,
            attachments: purged.attachments + purged.unnamed_attachments,
        }
    }

    /// That the retention was applied.
    pub fn retention(report: &RetentionReport) -> Self {
        Self::RetentionApplied {
            entries: report.purged.entries,
            attachments: report.purged.attachments + report.purged.unnamed_attachments,
        }
    }
}

impl AuditLog {
    /// The log of a configuration, for programs that write little and end soon.
    pub fn of(config: &AuditLogConfig) -> Self {
        Self::with(config, None)
    }

    /// The log of a service, whose lines a thread writes.
    pub(crate) fn of_service(config: &AuditLogConfig, logs: &LogWriters) -> Self {
        let path = config.path.as_deref();
        Self::with(config, path.and_then(|path| logs.of(path)))
    }

    fn with(config: &AuditLogConfig, writer: Option<Arc<LogWriter>>) -> Self {
        Self(Arc::new(Settings {
            path: config.path.clone(),
            queries: config.queries,
            writer,
        }))
    }

    /// Adds an event by a caller; queries only where they are switched on. It
    /// is in the file when this returns. That it cannot be written is logged,
    /// and never an error of the request.
    pub fn add(&self, actor: &str, event: &AuditEvent<'_>) {
        if let Some(line) = self.line(actor, event) {
            self.append(&line);
        }
    }

    /// The same without holding up the executor. The line is written also when
    /// whoever waits for it is gone.
    pub(crate) async fn note(&self, actor: &str, event: &AuditEvent<'_>) {
        let Some(line) = self.line(actor, event) else {
            return;
        };
        let log = self.clone();
        let written = to_its_end(async move { log.write(&line).await });
        if written.await.is_err() {
            tracing::error!("a line of the audit log may not be written");
        }
    }

    /// Adds the plugin files of a host that was opened.
    pub fn add_plugin_files(&self, gannet: &Gannet) {
        for report in gannet.plugin_files() {
            self.add(&Caller::local().name, &AuditEvent::plugin_file(report));
        }
    }

    /// The same without holding up the executor.
    pub(crate) async fn note_plugin_files(&self, gannet: &Gannet) {
        for report in gannet.plugin_files() {
            let event = AuditEvent::plugin_file(report);
            self.note(&Caller::local().name, &event).await;
        }
    }

    /// The line of an event that is logged.
    fn line(&self, actor: &str, event: &AuditEvent<'_>) -> Option<String> {
        self.0.path.as_ref()?;
        let is_query = matches!(event, AuditEvent::Query { .. });
        let is_logged = !is_query || self.0.queries;
        is_logged.then(|| line(actor, event, Timestamp::now()).to_string())
    }

    async fn write(&self, line: &str) {
        let outcome = match &self.0.writer {
            Some(writer) => writer.write(line).await,
            None => Outcome::Closed,
        };
        // There is no thread, or it has ended because the service stops.
        if outcome == Outcome::Closed {
            self.append(line);
        }
    }

    fn append(&self, line: &str) {
        let Some(path) = &self.0.path else {
            return;
        };
        if let Err(error) = append(path, line) {
            tracing::error!(%error, path = %path.display(), "the audit log cannot be written");
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
fn append(path: &Path, line: &str) -> std::io::Result<()> {
    let mut file = log_file::open(path)?;
    file.write_all(format!("{line}\n").as_bytes())
}

//! Deleting entries for good: also what they left in the files of the store.

use std::io::ErrorKind;
use std::path::Path;

use gannet_api::{Attachment, Condition, Entry, Filter, FilterClause, FilterField, TimeRange};
use gannet_store::ListRequest;
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;

use crate::old_lines::delete_old_lines;
use crate::{Gannet, HostError};

/// Entries that are deleted at once.
const BATCH: usize = 500;
/// Where uploaded files are served.
const UPLOADED: &str = "/api/attachments/";

/// What was deleted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Purged {
    /// Entries.
    pub entries: u64,
    /// Files that were uploaded with them.
    pub attachments: u64,
}

/// What was deleted because of its age.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct RetentionReport {
    /// Entries and their files.
    #[serde(flatten)]
    pub purged: Purged,
    /// Lines of the query log.
    pub query_log_lines: u64,
    /// Lines of the audit log.
    pub audit_log_lines: u64,
    /// Lines of the question log.
    pub question_log_lines: u64,
}

impl Gannet {
    /// The filter for entries before an instant.
    pub fn before(instant: Timestamp) -> FilterClause {
        FilterClause {
            field: FilterField::Timestamp,
            condition: Condition::Time(TimeRange {
                from: None,
                until: Some(instant),
            }),
        }
    }

    /// Deletes the entries of a tenant that match, their uploaded files, and
    /// what they left in the files of the store. Deletes nothing for an empty
    /// filter.
    ///
    /// # Errors
    /// [`HostError::Store`] or [`HostError::File`]; entries may be deleted by
    /// then. The same call again does the rest.
    pub async fn purge(&self, tenant: &str, filter: &Filter) -> Result<Purged, HostError> {
        let purged = self.delete_matching(tenant, filter).await?;
        if purged.entries > 0 {
            self.store().erase().await?;
        }
        Ok(purged)
    }

    /// Deletes what is older than `retention` of the configuration says.
    ///
    /// # Errors
    /// As [`purge`](Self::purge), and for a log that cannot be rewritten.
    pub async fn apply_retention(&self, now: Timestamp) -> Result<RetentionReport, HostError> {
        let config = self.config();
        let limits = &config.retention;
        let mut report = RetentionReport::default();
        if let Some(days) = limits.entries_days {
            report.purged = self.purge_older(age_limit(now, days)).await?;
        }
        let logs = [
            (limits.query_log_days, &config.server.query_log.path),
            (limits.audit_log_days, &config.server.audit_log.path),
            (limits.question_log_days, &config.question_log.path),
        ];
        let mut lines = [0; 3];
        for ((days, path), lines) in logs.into_iter().zip(&mut lines) {
            if let (Some(days), Some(path)) = (days, path) {
                *lines = delete_old_lines(path, age_limit(now, days))?;
            }
        }
        [
            report.query_log_lines,
            report.audit_log_lines,
            report.question_log_lines,
        ] = lines;
        Ok(report)
    }

    /// The entries of all tenants.
    async fn purge_older(&self, limit: Timestamp) -> Result<Purged, HostError> {
        let filter = Filter {
            clauses: vec![Self::before(limit)],
        };
        let mut sum = Purged::default();
        for tenant in self.store().tenants().await? {
            let purged = self.delete_matching(&tenant, &filter).await?;
            sum.entries += purged.entries;
            sum.attachments += purged.attachments;
        }
        if sum.entries > 0 {
            self.store().erase().await?;
        }
        Ok(sum)
    }

    async fn delete_matching(&self, tenant: &str, filter: &Filter) -> Result<Purged, HostError> {
        let mut purged = Purged::default();
        if filter.is_empty() {
            return Ok(purged);
        }
        loop {
            let request = ListRequest {
                filter: filter.clone(),
                ..ListRequest::newest(BATCH)
            };
            let entries = self.store().list(tenant, request).await?.entries;
            if entries.is_empty() {
                return Ok(purged);
            }
            let ids: Vec<String> = entries.iter().map(|entry| entry.entry_id.clone()).collect();
            let deleted = self.store().delete(tenant, &ids).await?;
            if deleted == 0 {
                // Read from a replica that is behind.
                self.store().flush().await?;
            }
            purged.entries += deleted;
            purged.attachments += self.delete_files(&entries)?;
        }
    }

    fn delete_files(&self, entries: &[Entry]) -> Result<u64, HostError> {
        let folder = self.config().store.attachments();
        let attachments = entries.iter().flat_map(|entry| &entry.attachments);
        let mut deleted = 0;
        for id in attachments.filter_map(uploaded_id) {
            // Beside the file there is one with its name and type.
            deleted += u64::from(remove(&folder.join(id))?);
            remove(&folder.join(format!("{id}.json")))?;
        }
        Ok(deleted)
    }
}

/// The id of an uploaded file, which is hexadecimal and so no path.
pub(crate) fn uploaded_id(attachment: &Attachment) -> Option<&str> {
    let id = attachment.url.as_deref()?.strip_prefix(UPLOADED)?;
    let is_id = !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_id.then_some(id)
}

/// Whether there was such a file: those that another host took are there.
fn remove(path: &Path) -> Result<bool, HostError> {
    match std::fs::remove_file(path) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(source) => Err(HostError::File {
            path: path.to_path_buf(),
            source,
        }),
    }
}

/// The instant so many days ago; the beginning of the calendar where there is
/// none.
fn age_limit(now: Timestamp, days: u32) -> Timestamp {
    now.saturating_sub(SignedDuration::from_hours(24 * i64::from(days)))
        .unwrap_or(Timestamp::MIN)
}

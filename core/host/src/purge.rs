//! Deleting entries for good: also what they left in the files of the store.

use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::path::Path;

use gannet_api::{Attachment, Condition, Entry, Filter, FilterClause, FilterField, TimeRange};
use gannet_store::ListRequest;
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;

use crate::old_lines::{count_old_lines, delete_old_lines};
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

/// What was deleted because of its age, or would be.
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
        let purged = match self.config().retention.entries_days {
            Some(days) => self.purge_older(age_limit(now, days)).await?,
            None => Purged::default(),
        };
        let lines = self.for_each_log(now, delete_old_lines)?;
        Ok(RetentionReport::of(purged, lines))
    }

    /// What [`apply_retention`](Self::apply_retention) would delete. Nothing is
    /// deleted; every entry that is too old is read.
    ///
    /// # Errors
    /// [`HostError::Store`], and [`HostError::File`] for a log that cannot be
    /// read.
    pub async fn beyond_retention(&self, now: Timestamp) -> Result<RetentionReport, HostError> {
        let purged = match self.config().retention.entries_days {
            Some(days) => self.count_older(age_limit(now, days)).await?,
            None => Purged::default(),
        };
        let lines = self.for_each_log(now, count_old_lines)?;
        Ok(RetentionReport::of(purged, lines))
    }

    /// The lines of query log, audit log and question log that something is
    /// done to, since they are too old.
    fn for_each_log(
        &self,
        now: Timestamp,
        of_lines_before: impl Fn(&Path, Timestamp) -> Result<u64, HostError>,
    ) -> Result<[u64; 3], HostError> {
        let config = self.config();
        let limits = &config.retention;
        let logs = [
            (limits.query_log_days, &config.server.query_log.path),
            (limits.audit_log_days, &config.server.audit_log.path),
            (limits.question_log_days, &config.question_log.path),
        ];
        let mut lines = [0; 3];
        for ((days, path), lines) in logs.into_iter().zip(&mut lines) {
            if let (Some(days), Some(path)) = (days, path) {
                *lines = of_lines_before(path, age_limit(now, days))?;
            }
        }
        Ok(lines)
    }

    /// The entries of all tenants.
    async fn purge_older(&self, limit: Timestamp) -> Result<Purged, HostError> {
        let filter = older_than(limit);
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

    /// The entries of all tenants, and their files that are here.
    async fn count_older(&self, limit: Timestamp) -> Result<Purged, HostError> {
        let mut entries = 0;
        let mut files = BTreeSet::new();
        for tenant in self.store().tenants().await? {
            let mut after = None;
            loop {
                let request = ListRequest {
                    filter: older_than(limit),
                    after,
                    ..ListRequest::newest(BATCH)
                };
                let page = self.store().list(&tenant, request).await?;
                entries += page.entries.len() as u64;
                files.extend(uploaded_ids(&page.entries).map(str::to_owned));
                after = page.next;
                if after.is_none() {
                    break;
                }
            }
        }
        let folder = self.config().store.attachments();
        let here = files.iter().filter(|id| folder.join(id).exists());
        Ok(Purged {
            entries,
            attachments: here.count() as u64,
        })
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
        let mut deleted = 0;
        for id in uploaded_ids(entries) {
            // Beside the file there is one with its name and type.
            deleted += u64::from(remove(&folder.join(id))?);
            remove(&folder.join(format!("{id}.json")))?;
        }
        Ok(deleted)
    }
}

impl RetentionReport {
    /// With the lines of query log, audit log and question log.
    fn of(purged: Purged, lines: [u64; 3]) -> Self {
        let [query_log_lines, audit_log_lines, question_log_lines] = lines;
        Self {
            purged,
            query_log_lines,
            audit_log_lines,
            question_log_lines,
        }
    }
}

fn older_than(limit: Timestamp) -> Filter {
    Filter {
        clauses: vec![Gannet::before(limit)],
    }
}

/// The ids of the uploaded files of entries.
fn uploaded_ids(entries: &[Entry]) -> impl Iterator<Item = &str> {
    let attachments = entries.iter().flat_map(|entry| &entry.attachments);
    attachments.filter_map(uploaded_id)
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

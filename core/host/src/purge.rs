//! Deleting entries for good: also what they left in the files of the store.

use std::path::Path;

use gannet_api::{Condition, Filter, FilterClause, FilterField, TimeRange};
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;

use crate::old_lines::{count_old_lines, delete_old_lines};
use crate::uploaded_files::{Going, Mentions, UploadedFiles};
use crate::{Feedback, Gannet, HostError};

/// What was deleted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Purged {
    /// Entries.
    pub entries: u64,
    /// Files that were uploaded with them, and that no other entry names.
    pub attachments: u64,
    /// Uploaded files that no entry named before.
    pub unnamed_attachments: u64,
}

/// What was deleted because of its age, or would be.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct RetentionReport {
    /// Entries and uploaded files.
    #[serde(flatten)]
    pub purged: Purged,
    /// Lines of the query log.
    pub query_log_lines: u64,
    /// Lines of the audit log.
    pub audit_log_lines: u64,
    /// Lines of the question log.
    pub question_log_lines: u64,
    /// Feedback.
    pub feedback: u64,
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

    /// Deletes the entries of a tenant that match, the feedback that names them,
    /// their uploaded files that no other entry names, and what they left in the files of the store; also
    /// uploaded files that no entry names since a day or longer. Deletes nothing
    /// for an empty filter.
    ///
    /// # Errors
    /// [`HostError::Store`] or [`HostError::File`]; entries may be deleted by
    /// then. The same call again does the rest; files of entries that are
    /// deleted already are removed once they are a day old.
    pub async fn purge(&self, tenant: &str, filter: &Filter) -> Result<Purged, HostError> {
        if filter.is_empty() {
            return Ok(Purged::default());
        }
        let mut gone = Mentions::default();
        let entries = self.delete_matching(tenant, filter, &mut gone).await?;
        self.end_purge(entries, &gone).await
    }

    /// What [`purge`](Self::purge) would delete. Nothing is deleted.
    ///
    /// # Errors
    /// As [`purge`](Self::purge).
    pub async fn would_purge(&self, tenant: &str, filter: &Filter) -> Result<Purged, HostError> {
        if filter.is_empty() {
            return Ok(Purged::default());
        }
        let going = Going {
            tenant: Some(tenant),
            filter,
        };
        let mut gone = Mentions::default();
        let entries = self.count_matching(tenant, filter, &mut gone).await?;
        self.would_end_purge(entries, &gone, Some(going)).await
    }

    /// Deletes what is older than `retention` of the configuration says.
    ///
    /// # Errors
    /// As [`purge`](Self::purge), and for a log that cannot be rewritten.
    pub async fn apply_retention(&self, now: Timestamp) -> Result<RetentionReport, HostError> {
        let days = self.config().retention.entries_days;
        let limit = days.map(|days| age_limit(now, days));
        let purged = self.purge_older(limit).await?;
        let lines = self.for_each_log(now, delete_old_lines)?;
        let mut report = RetentionReport::of(purged, lines);
        if let Some(days) = self.config().retention.feedback_days {
            report.feedback = self.delete_old_feedback(age_limit(now, days)).await?;
        }
        Ok(report)
    }

    /// What [`apply_retention`](Self::apply_retention) would delete. Nothing is
    /// deleted; every entry that is too old is read.
    ///
    /// # Errors
    /// [`HostError::Store`], and [`HostError::File`] for a log that cannot be
    /// read.
    pub async fn beyond_retention(&self, now: Timestamp) -> Result<RetentionReport, HostError> {
        let days = self.config().retention.entries_days;
        let limit = days.map(|days| age_limit(now, days));
        let purged = self.count_older(limit).await?;
        let lines = self.for_each_log(now, count_old_lines)?;
        let mut report = RetentionReport::of(purged, lines);
        if let Some(days) = self.config().retention.feedback_days {
            report.feedback = self.count_old_feedback(age_limit(now, days)).await?;
        }
        Ok(report)
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

    /// The entries of all tenants that are older, and files.
    async fn purge_older(&self, limit: Option<Timestamp>) -> Result<Purged, HostError> {
        let (mut entries, mut gone) = (0, Mentions::default());
        if let Some(filter) = limit.map(older_than) {
            for tenant in self.store().tenants().await? {
                entries += self.delete_matching(&tenant, &filter, &mut gone).await?;
            }
        }
        self.end_purge(entries, &gone).await
    }

    /// The same, without deleting.
    async fn count_older(&self, limit: Option<Timestamp>) -> Result<Purged, HostError> {
        let filter = limit.map(older_than);
        let (mut entries, mut gone) = (0, Mentions::default());
        if let Some(filter) = &filter {
            for tenant in self.store().tenants().await? {
                entries += self.count_matching(&tenant, filter, &mut gone).await?;
            }
        }
        let going = filter.as_ref().map(|filter| Going {
            tenant: None,
            filter,
        });
        self.would_end_purge(entries, &gone, going).await
    }

    /// Deletes entries, and notes the files that they name.
    async fn delete_matching(
        &self,
        tenant: &str,
        filter: &Filter,
        gone: &mut Mentions,
    ) -> Result<u64, HostError> {
        let feedback = self.feedback_rows(tenant).await?;
        let mut count = 0;
        loop {
            let entries = self.entries_page(tenant, filter, None).await?.entries;
            if entries.is_empty() {
                return Ok(count);
            }
            let ids: Vec<String> = entries.iter().map(|entry| entry.entry_id.clone()).collect();
            let deleted = self.store().delete(tenant, &ids).await?;
            if deleted == 0 {
                // Read from a replica that is behind.
                self.store().flush().await?;
            }
            let is_of_them = |one: &Feedback| one.names_any(&ids);
            self.delete_where(tenant, &feedback, is_of_them).await?;
            count += deleted;
            for entry in &entries {
                gone.add(tenant, entry);
            }
        }
    }

    /// The same, without deleting.
    async fn count_matching(
        &self,
        tenant: &str,
        filter: &Filter,
        gone: &mut Mentions,
    ) -> Result<u64, HostError> {
        let (mut count, mut after) = (0, None);
        loop {
            let page = self.entries_page(tenant, filter, after).await?;
            count += page.entries.len() as u64;
            for entry in &page.entries {
                gone.add(tenant, entry);
            }
            after = page.next;
            if after.is_none() {
                return Ok(count);
            }
        }
    }

    /// Once so many entries are deleted: removes what is left of them in the
    /// files of the store, and uploaded files that are needed no more.
    async fn end_purge(&self, entries: u64, gone: &Mentions) -> Result<Purged, HostError> {
        if entries > 0 {
            self.store().erase().await?;
        }
        let unneeded = self.unneeded_files(gone, None).await?;
        let files = UploadedFiles::of(self);
        Ok(Purged {
            entries,
            attachments: files.remove(&unneeded.of_deleted)?,
            unnamed_attachments: files.remove(&unneeded.unnamed)?,
        })
    }

    /// The same, without removing.
    async fn would_end_purge(
        &self,
        entries: u64,
        gone: &Mentions,
        going: Option<Going<'_>>,
    ) -> Result<Purged, HostError> {
        let unneeded = self.unneeded_files(gone, going).await?;
        let files = UploadedFiles::of(self);
        Ok(Purged {
            entries,
            attachments: files.count(&unneeded.of_deleted),
            unnamed_attachments: files.count(&unneeded.unnamed),
        })
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
            feedback: 0,
        }
    }
}

fn older_than(limit: Timestamp) -> Filter {
    Filter {
        clauses: vec![Gannet::before(limit)],
    }
}

/// The instant so many days ago; the beginning of the calendar where there is
/// none.
fn age_limit(now: Timestamp, days: u32) -> Timestamp {
    now.saturating_sub(SignedDuration::from_hours(24 * i64::from(days)))
        .unwrap_or(Timestamp::MIN)
}

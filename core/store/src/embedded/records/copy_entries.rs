//! Entries of a copy.

use std::collections::{BTreeMap, HashMap};

use gannet_api::{EnhancementStatus, Entry};
use serde_json::Value;
use sqlx::AssertSqlSafe;

use super::copy::CopyWrite;
use super::upsert::{Enhancements, delete_docs, write_changed};
use super::{Records, json_list, json_numbers};
use crate::error::{SqliteContext, StoreError};
use crate::incoming::prepare;

/// An entry as it is at the original.
#[derive(Debug, Clone)]
pub(crate) struct CopiedEntry {
    /// The original's number for it, or for this version of it.
    pub(crate) source: i64,
    pub(crate) entry: Entry,
}

impl Records {
    /// The ids of a tenant with the number of the version that is here; of
    /// all entries, or of these.
    pub(crate) async fn copied_versions(
        &self,
        tenant: &str,
        ids: Option<&[String]>,
    ) -> Result<HashMap<String, Option<i64>>, StoreError> {
        let statement = match ids {
            None => {
                "SELECT e.entry_id, c.source FROM entries e \
                 LEFT JOIN copied_entries c ON c.doc = e.doc WHERE e.tenant = ?1 AND ?2 = '[]'"
            }
            Some(_) => {
                "SELECT e.entry_id, c.source FROM json_each(?2) j \
                 CROSS JOIN entries e ON e.tenant = ?1 AND e.entry_id = j.value \
                 LEFT JOIN copied_entries c ON c.doc = e.doc"
            }
        };
        let rows: Vec<(String, Option<i64>)> = sqlx::query_as(statement)
            .bind(tenant)
            .bind(json_list(ids.unwrap_or_default()))
            .fetch_all(&self.sequential)
            .await
            .doing("read the versions of copied entries")?;
        Ok(rows.into_iter().collect())
    }

    /// The numbers that the original has for what is here.
    pub(crate) async fn copied_sources(&self) -> Result<Vec<i64>, StoreError> {
        sqlx::query_scalar("SELECT source FROM copied_entries")
            .fetch_all(&self.sequential)
            .await
            .doing("read the numbers of copied entries")
    }
}

impl CopyWrite {
    /// Writes entries; those with the same content stay as they are.
    pub(crate) async fn put_entries(
        &mut self,
        entries: &[CopiedEntry],
        enhancements: Enhancements,
    ) -> Result<(), StoreError> {
        let copies = entries.iter().map(|copied| copied.entry.clone()).collect();
        write_changed(self.connection(), prepare(copies)?, enhancements).await?;
        let sources = entries.iter().map(|copied| {
            let entry = &copied.entry;
            Value::from_iter([
                Value::from(entry.tenant.as_str()),
                Value::from(entry.entry_id.as_str()),
                Value::from(copied.source),
            ])
        });
        sqlx::query(
            "INSERT INTO copied_entries (doc, source) \
             SELECT e.doc, j.value ->> 2 FROM json_each(?) j CROSS JOIN entries e \
             ON e.tenant = j.value ->> 0 AND e.entry_id = j.value ->> 1 \
             WHERE true ON CONFLICT (doc) DO UPDATE SET source = excluded.source",
        )
        .bind(Value::from_iter(sources).to_string())
        .execute(self.connection())
        .await
        .doing("note the numbers of copied entries")?;
        Ok(())
    }

    /// Replaces what is known of how far each module got with entries, which
    /// are named by the original's numbers.
    pub(crate) async fn put_statuses(
        &mut self,
        statuses: &[(i64, BTreeMap<String, EnhancementStatus>)],
    ) -> Result<(), StoreError> {
        let sources: Vec<i64> = statuses.iter().map(|(source, _)| *source).collect();
        sqlx::query(
            "DELETE FROM enhancement_status WHERE doc IN (SELECT c.doc FROM json_each(?) j \
             CROSS JOIN copied_entries c ON c.source = j.value)",
        )
        .bind(json_numbers(&sources))
        .execute(self.connection())
        .await
        .doing("copy enhancement states")?;
        let rows = statuses.iter().flat_map(|(source, of_entry)| {
            of_entry
                .iter()
                .map(|(module, status)| status_row(*source, module, status))
        });
        sqlx::query(
            "INSERT INTO enhancement_status (doc, module, status, at, attempts, error) \
             SELECT c.doc, j.value ->> 1, j.value ->> 2, j.value ->> 3, j.value ->> 4, \
             j.value ->> 5 FROM json_each(?) j CROSS JOIN copied_entries c \
             ON c.source = j.value ->> 0 WHERE true ON CONFLICT DO NOTHING",
        )
        .bind(Value::from_iter(rows).to_string())
        .execute(self.connection())
        .await
        .doing("copy enhancement states")?;
        Ok(())
    }

    /// Deletes the entries that the original has these numbers for.
    pub(crate) async fn delete_sources(&mut self, sources: &[i64]) -> Result<(), StoreError> {
        let docs = sqlx::query_scalar(
            "SELECT c.doc FROM json_each(?) j CROSS JOIN copied_entries c ON c.source = j.value",
        )
        .bind(json_numbers(sources))
        .fetch_all(self.connection())
        .await
        .doing("find entries to delete")?;
        self.delete_copies(&docs).await
    }

    /// Deletes a tenant's entries by id.
    pub(crate) async fn delete_ids(
        &mut self,
        tenant: &str,
        ids: &[String],
    ) -> Result<(), StoreError> {
        let docs = sqlx::query_scalar(
            "SELECT e.doc FROM json_each(?2) j \
             CROSS JOIN entries e ON e.tenant = ?1 AND e.entry_id = j.value",
        )
        .bind(tenant)
        .bind(json_list(ids))
        .fetch_all(self.connection())
        .await
        .doing("find entries to delete")?;
        self.delete_copies(&docs).await
    }

    async fn delete_copies(&mut self, docs: &[i64]) -> Result<(), StoreError> {
        delete_docs(self.connection(), docs).await?;
        for table in ["copied_entries", "copied_vectors"] {
            let statement =
                format!("DELETE FROM {table} WHERE doc IN (SELECT value FROM json_each(?))");
            sqlx::query(AssertSqlSafe(statement))
                .bind(json_numbers(docs))
                .execute(self.connection())
                .await
                .doing("delete entries")?;
        }
        Ok(())
    }
}

/// `[source, module, status, at, attempts, error]`.
fn status_row(source: i64, module: &str, status: &EnhancementStatus) -> Value {
    let (name, at, attempts, error) = match status {
        EnhancementStatus::Pending => ("pending", 0, 0, None),
        EnhancementStatus::Complete { completed_at } => {
            ("complete", completed_at.as_microsecond(), 0, None)
        }
        EnhancementStatus::Failed {
            failed_at,
            error,
            attempts,
        } => (
            "failed",
            failed_at.as_microsecond(),
            *attempts,
            Some(error.as_str()),
        ),
    };
    Value::from_iter([
        Value::from(source),
        Value::from(module),
        Value::from(name),
        Value::from(at),
        Value::from(attempts),
        Value::from(error),
    ])
}

//! What is remembered for plugins.

use sqlx::SqliteExecutor;

use super::{Records, now_micros};
use crate::error::{SqliteContext, StoreError};
use crate::request::StateKey;

impl Records {
    pub(crate) async fn plugin_state(&self, key: &StateKey) -> Result<Option<String>, StoreError> {
        sqlx::query_scalar(
            "SELECT value FROM plugin_state WHERE owner = ? AND tenant = ? AND key = ?",
        )
        .bind(&key.owner)
        .bind(&key.tenant)
        .bind(&key.key)
        .fetch_optional(&self.readers)
        .await
        .doing("read the state of a plugin")
    }

    pub(crate) async fn set_plugin_state(
        &self,
        key: &StateKey,
        value: Option<&str>,
    ) -> Result<(), StoreError> {
        self.refuse_when_read_only("keep the state of a plugin")?;
        write_state(&self.writer, key, value).await
    }

    pub(crate) async fn plugin_state_bytes(&self, owner: &str) -> Result<u64, StoreError> {
        let bytes: i64 = sqlx::query_scalar(
            "SELECT coalesce(sum(length(CAST(key AS BLOB)) + length(CAST(value AS BLOB))), 0) \
             FROM plugin_state WHERE owner = ?",
        )
        .bind(owner)
        .fetch_one(&self.readers)
        .await
        .doing("measure the state of a plugin")?;
        Ok(bytes.unsigned_abs())
    }

    pub(crate) async fn plugin_state_keys(
        &self,
        owner: &str,
        tenant: &str,
    ) -> Result<Vec<String>, StoreError> {
        sqlx::query_scalar("SELECT key FROM plugin_state WHERE owner = ? AND tenant = ?")
            .bind(owner)
            .bind(tenant)
            .fetch_all(&self.readers)
            .await
            .doing("list the state of a plugin")
    }

    pub(crate) async fn plugin_states(
        &self,
        owner: &str,
        tenant: &str,
    ) -> Result<Vec<(String, String)>, StoreError> {
        sqlx::query_as("SELECT key, value FROM plugin_state WHERE owner = ? AND tenant = ?")
            .bind(owner)
            .bind(tenant)
            .fetch_all(&self.readers)
            .await
            .doing("read the state of a plugin")
    }

    /// Everything that is remembered, for a backup.
    pub(crate) async fn all_plugin_state(&self) -> Result<Vec<(StateKey, String)>, StoreError> {
        let rows: Vec<(String, String, String, String)> =
            sqlx::query_as("SELECT owner, tenant, key, value FROM plugin_state")
                .fetch_all(&self.readers)
                .await
                .doing("read the state of plugins")?;
        let with_key = |(owner, tenant, key, value)| (StateKey { owner, tenant, key }, value);
        Ok(rows.into_iter().map(with_key).collect())
    }
}

pub(super) async fn write_state(
    connection: impl SqliteExecutor<'_>,
    key: &StateKey,
    value: Option<&str>,
) -> Result<(), StoreError> {
    let written = match value {
        Some(value) => sqlx::query(
            "INSERT INTO plugin_state (owner, tenant, key, value, updated_at) \
             VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET value = excluded.value, \
             updated_at = excluded.updated_at",
        )
        .bind(&key.owner)
        .bind(&key.tenant)
        .bind(&key.key)
        .bind(value)
        .bind(now_micros()),
        None => sqlx::query("DELETE FROM plugin_state WHERE owner = ? AND tenant = ? AND key = ?")
            .bind(&key.owner)
            .bind(&key.tenant)
            .bind(&key.key),
    };
    written
        .execute(connection)
        .await
        .doing("keep the state of a plugin")?;
    Ok(())
}

//! What is remembered for plugins.

use sqlx::PgExecutor;

use super::PostgresStore;
use super::retry::again;
use crate::error::{DatabaseContext, StoreError};
use crate::request::StateKey;

impl PostgresStore {
    /// What was remembered under a key.
    pub async fn plugin_state(&self, key: &StateKey) -> Result<Option<String>, StoreError> {
        again!({
            sqlx::query_scalar(
                "SELECT value FROM gannet_plugin_state \
                 WHERE owner = $1 AND tenant = $2 AND key = $3",
            )
            .bind(&key.owner)
            .bind(&key.tenant)
            .bind(&key.key)
            .fetch_optional(&self.pool)
            .await
            .doing("read the state of a plugin")
        })
    }

    /// Remembers a value under a key, or forgets it.
    pub async fn set_plugin_state(
        &self,
        key: &StateKey,
        value: Option<&str>,
    ) -> Result<(), StoreError> {
        again!({ write_state(&self.pool, key, value).await })
    }

    /// Bytes of the keys and values that are remembered for one owner.
    pub async fn plugin_state_bytes(&self, owner: &str) -> Result<u64, StoreError> {
        let bytes: i64 = again!({
            sqlx::query_scalar(
                "SELECT coalesce(sum(octet_length(key) + octet_length(value)), 0)::bigint \
                 FROM gannet_plugin_state WHERE owner = $1",
            )
            .bind(owner)
            .fetch_one(&self.pool)
            .await
            .doing("measure the state of a plugin")
        })?;
        Ok(bytes.unsigned_abs())
    }

    /// The keys under which something is remembered for one owner and tenant.
    pub async fn plugin_state_keys(
        &self,
        owner: &str,
        tenant: &str,
    ) -> Result<Vec<String>, StoreError> {
        again!({
            sqlx::query_scalar(
                "SELECT key FROM gannet_plugin_state WHERE owner = $1 AND tenant = $2",
            )
            .bind(owner)
            .bind(tenant)
            .fetch_all(&self.pool)
            .await
            .doing("list the state of a plugin")
        })
    }

    /// The keys and values that are remembered for one owner and tenant.
    pub async fn plugin_states(
        &self,
        owner: &str,
        tenant: &str,
    ) -> Result<Vec<(String, String)>, StoreError> {
        again!({
            sqlx::query_as(
                "SELECT key, value FROM gannet_plugin_state WHERE owner = $1 AND tenant = $2",
            )
            .bind(owner)
            .bind(tenant)
            .fetch_all(&self.pool)
            .await
            .doing("read the state of a plugin")
        })
    }

    /// Everything that is remembered, for a backup.
    pub(crate) async fn all_plugin_state(&self) -> Result<Vec<(StateKey, String)>, StoreError> {
        let rows: Vec<(String, String, String, String)> =
            sqlx::query_as("SELECT owner, tenant, key, value FROM gannet_plugin_state")
                .fetch_all(&self.pool)
                .await
                .doing("read the state of plugins")?;
        let with_key = |(owner, tenant, key, value)| (StateKey { owner, tenant, key }, value);
        Ok(rows.into_iter().map(with_key).collect())
    }
}

pub(super) async fn write_state(
    connection: impl PgExecutor<'_>,
    key: &StateKey,
    value: Option<&str>,
) -> Result<(), StoreError> {
    let written = match value {
        Some(value) => sqlx::query(
            "INSERT INTO gannet_plugin_state (owner, tenant, key, value) \
             VALUES ($1, $2, $3, $4) ON CONFLICT (owner, tenant, key) \
             DO UPDATE SET value = excluded.value, updated_at = now()",
        )
        .bind(&key.owner)
        .bind(&key.tenant)
        .bind(&key.key)
        .bind(value),
        None => sqlx::query(
            "DELETE FROM gannet_plugin_state WHERE owner = $1 AND tenant = $2 AND key = $3",
        )
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

//! Ingestion runs, and what is remembered for plugins.

use super::EmbeddedStore;
use crate::error::StoreError;
use crate::request::{IngestionRun, RunOutcome, StateKey};

impl EmbeddedStore {
    /// What was remembered under a key.
    pub async fn plugin_state(&self, key: &StateKey) -> Result<Option<String>, StoreError> {
        self.records().plugin_state(key).await
    }

    /// Remembers a value under a key, or forgets it.
    pub async fn set_plugin_state(
        &self,
        key: &StateKey,
        value: Option<&str>,
    ) -> Result<(), StoreError> {
        self.records().set_plugin_state(key, value).await
    }

    /// Bytes of the keys and values that are remembered for one owner.
    pub async fn plugin_state_bytes(&self, owner: &str) -> Result<u64, StoreError> {
        self.records().plugin_state_bytes(owner).await
    }

    /// The keys under which something is remembered for one owner and tenant.
    pub async fn plugin_state_keys(
        &self,
        owner: &str,
        tenant: &str,
    ) -> Result<Vec<String>, StoreError> {
        self.records().plugin_state_keys(owner, tenant).await
    }

    /// The keys and values that are remembered for one owner and tenant.
    pub async fn plugin_states(
        &self,
        owner: &str,
        tenant: &str,
    ) -> Result<Vec<(String, String)>, StoreError> {
        self.records().plugin_states(owner, tenant).await
    }

    /// Notes that an ingestion begins; returns its number.
    pub async fn begin_run(&self, source_system: &str) -> Result<i64, StoreError> {
        self.records().begin_run(source_system).await
    }

    /// Notes how an ingestion ended.
    pub async fn finish_run(&self, run: i64, outcome: RunOutcome) -> Result<(), StoreError> {
        self.records().finish_run(run, outcome).await
    }

    /// The latest ingestion runs, newest first.
    pub async fn runs(&self, limit: usize) -> Result<Vec<IngestionRun>, StoreError> {
        self.records().runs(limit).await
    }
}

//! The values of fields and the counts of words, from the text index.

use super::EmbeddedStore;
use crate::error::StoreError;
use gannet_index::{FieldValues, IndexError};

impl EmbeddedStore {
    /// The values of every field that has at most `most` of them, as far as
    /// the text index got.
    pub async fn field_values(
        &self,
        tenant: &str,
        most: usize,
    ) -> Result<Vec<FieldValues>, StoreError> {
        match self.0.shared.text()?.field_values(tenant, most) {
            Err(IndexError::Unsupported { .. }) => Ok(Vec::new()),
            values => Ok(values?),
        }
    }

    /// In how many entries of all tenants each word is, stemmed as in texts.
    pub async fn document_counts(
        &self,
        _tenant: &str,
        words: &[String],
    ) -> Result<Vec<u64>, StoreError> {
        Ok(self.0.shared.text()?.document_counts(words)?)
    }

    /// How rare words are, see [`Store::idfs`](crate::Store::idfs).
    pub async fn idfs(&self, _tenant: &str, words: &[String]) -> Result<Vec<f64>, StoreError> {
        Ok(self.0.shared.text()?.idfs(words)?)
    }

    /// Another number whenever the text index shows something new.
    pub async fn values_version(&self) -> Result<u64, StoreError> {
        Ok(self.0.shared.text()?.generation())
    }
}

//! Who enhances and who follows sources: in a mirror the database knows, over
//! ARIEL's the folder.

use super::{ArielStore, MirroredStore};
use crate::claim::WorkClaim;
use crate::error::StoreError;

impl MirroredStore {
    pub(crate) async fn claim_enhancement(
        &self,
        module: &str,
    ) -> Result<Option<WorkClaim>, StoreError> {
        self.postgres().await?.claim_enhancement(module).await
    }

    pub(crate) async fn claim_source(&self, source: &str) -> Result<Option<WorkClaim>, StoreError> {
        self.postgres().await?.claim_source(source).await
    }
}

impl ArielStore {
    pub(crate) async fn claim_enhancement(
        &self,
        module: &str,
    ) -> Result<Option<WorkClaim>, StoreError> {
        self.copy().claim_enhancement(module).await
    }

    pub(crate) async fn claim_source(&self, source: &str) -> Result<Option<WorkClaim>, StoreError> {
        self.copy().claim_source(source).await
    }
}

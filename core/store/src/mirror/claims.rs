//! Who enhances: in a mirror the database knows, over ARIEL's the folder.

use super::{ArielStore, MirroredStore};
use crate::claim::EnhancementClaim;
use crate::error::StoreError;

impl MirroredStore {
    pub(crate) async fn claim_enhancement(
        &self,
        module: &str,
    ) -> Result<Option<EnhancementClaim>, StoreError> {
        self.postgres().await?.claim_enhancement(module).await
    }
}

impl ArielStore {
    pub(crate) async fn claim_enhancement(
        &self,
        module: &str,
    ) -> Result<Option<EnhancementClaim>, StoreError> {
        self.copy().claim_enhancement(module).await
    }
}

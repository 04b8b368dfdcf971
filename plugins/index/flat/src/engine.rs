//! The engine as the contract of indexes has it.

use std::path::Path;
use std::sync::Arc;

use gannet_api::inventory;
use gannet_index::{Access, IndexError, Registration, VectorEngine, VectorIndex, VectorSpec};

use super::passages::PassageIndex;
use super::{FlatIndex, VectorError};

/// Vector indexes that are scanned from end to end.
#[derive(Debug, Clone, Copy)]
pub struct FlatEngine;

inventory::submit! { Registration::Vectors(&FlatEngine) }

/// How often an index is opened that another process replaces meanwhile.
const TRIES: usize = 5;

impl VectorEngine for FlatEngine {
    fn name(&self) -> &'static str {
        "flat"
    }

    fn open(
        &self,
        folder: &Path,
        spec: &VectorSpec,
        access: Access,
    ) -> Result<Arc<dyn VectorIndex>, IndexError> {
        let index = open_beside_writer(folder, spec)?;
        if access != Access::Inspect {
            index.verify_new_segments(access == Access::Write)?;
        }
        Ok(Arc::new(PassageIndex::over(index)))
    }

    fn create(&self, folder: &Path, spec: &VectorSpec) -> Result<Arc<dyn VectorIndex>, IndexError> {
        let index = FlatIndex::create(folder, spec.clone())?;
        Ok(Arc::new(PassageIndex::over(index)))
    }
}

/// Opens an index that another process may be writing: a segment that is gone
/// was merged since the manifest was read.
fn open_beside_writer(folder: &Path, spec: &VectorSpec) -> Result<FlatIndex, VectorError> {
    let mut tries = 0;
    loop {
        tries += 1;
        match FlatIndex::open(folder, spec.clone()) {
            Err(VectorError::Corrupt { .. }) if tries < TRIES => {}
            opened => return opened,
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::FlatEngine;

    #[test]
    fn it_keeps_the_contract_of_indexes() {
        let folder = tempfile::tempdir().unwrap();
        gannet_index::conformance::check_vectors(&FlatEngine, folder.path());
    }
}

//! A folder whose database is gone.

use std::path::Path;

use crate::error::StoreError;

/// Refuses a folder with indexes and without records: a new database there
/// would look like a store that lost nothing.
pub(crate) fn check_for_lost_records(folder: &Path) -> Result<(), StoreError> {
    let has_index = folder.join("text/meta.json").exists()
        || std::fs::read_dir(folder.join("vectors"))
            .is_ok_and(|mut entries| entries.next().is_some());
    if has_index && !folder.join("store.db").exists() {
        return Err(StoreError::RecordsLost {
            path: folder.to_owned(),
        });
    }
    Ok(())
}

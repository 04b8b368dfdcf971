//! The pages of a folder's database.

use std::path::Path;

use super::records::Records;
use crate::error::StoreError;
use crate::finding::Finding;

const CHECK: &str = "database";
const RESTORE: &str = "stop every process that uses the folder, restore a copy of `store.db`, \
    remove `store.db-wal` and `store.db-shm`, then run `gannet index rebuild` and ingest the \
    sources again; without a copy, remove the folder and ingest the sources again";
/// A database of so many bytes is read whole in about a second.
const SMALL: u64 = 256 << 20;
/// How much SQLite says of the damage at most.
const LINES: i64 = 5;

/// Looks for damage in the pages of the database: in all of them when it is
/// small, or with `deep`. Changes nothing.
pub(crate) async fn verify_pages(folder: &Path, deep: bool) -> Finding {
    match look(&folder.join("store.db"), deep).await {
        Ok(finding) => finding,
        Err(error) => Finding::fail(CHECK, error.to_string(), RESTORE),
    }
}

async fn look(path: &Path, deep: bool) -> Result<Finding, StoreError> {
    let metadata = std::fs::metadata(path).map_err(|error| StoreError::io("read", path, error))?;
    let bytes = metadata.len();
    if !deep && bytes > SMALL {
        let message = format!("{bytes} bytes; `--deep` reads all of them");
        return Ok(Finding::ok(CHECK, message));
    }
    let records = Records::open_to_read(path).await?;
    let damage = records.damaged_pages(LINES).await;
    records.close().await;
    let damage = damage?;
    Ok(match damage.is_empty() {
        true => Finding::ok(CHECK, format!("{bytes} bytes, every page in order")),
        false => Finding::fail(CHECK, damage.join("; "), RESTORE),
    })
}

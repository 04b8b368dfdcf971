//! Comparing the indexes of a folder with its records.
//!
//! Nothing is changed and no lock is taken: another process may go on writing.

mod text;
mod vectors;

use std::path::Path;

use crate::embedded::records::Records;
use crate::error::StoreError;
use crate::finding::{Finding, counted};
use crate::options::EmbeddedOptions;
use gannet_index::{configured_vector_engine, text_engine};

const RESTORE: &str = "when the database is damaged: stop every process that uses the folder, \
    restore a backup of `store.db`, remove `store.db-wal` and `store.db-shm`, then run \
    `gannet index rebuild` and ingest the sources again; without a backup, remove the folder and \
    ingest the sources again";
const INGEST_AGAIN: &str = "ingest their sources again, or restore a backup of `store.db`";
const OTHER_ENGINE: &str =
    "name an index that is linked into the program, with the settings that it takes";
/// Entries that are named, of those that are damaged.
const NAMED: usize = 5;
/// A database of so many bytes is read whole in about a second.
const SMALL: u64 = 256 << 20;
/// What SQLite says at most of damage in the database.
const DAMAGE_LINES: usize = 10;

/// Compares the indexes of a folder with its records. `deep` also reads every
/// byte of the indexes, every vector of the records, and every page of a large
/// database.
pub(crate) async fn verify(options: &EmbeddedOptions, deep: bool) -> Vec<Finding> {
    let engines = (
        text_engine(&options.text_engine),
        configured_vector_engine(&options.vector_engine, &options.vector_settings),
    );
    let (text_engine, vector_engine) = match engines {
        (Ok(text), Ok(vectors)) => (text, vectors),
        (Err(error), _) | (_, Err(error)) => {
            return vec![Finding::fail("indexes", error.to_string(), OTHER_ENGINE)];
        }
    };
    let path = options.path.join("store.db");
    let records = match Records::open_to_read(&path).await {
        Ok(records) => records,
        Err(error) => {
            return vec![Finding::fail("records", error.to_string(), RESTORE)];
        }
    };
    let folder = &options.path;
    let mut findings = Vec::new();
    let parts = [
        (
            "records",
            verify_records(&records, deep, deep || is_small(&path)).await,
        ),
        (
            "text index",
            text::verify(&records, text_engine, &folder.join("text"), deep).await,
        ),
        (
            "vectors",
            vectors::verify(
                &records,
                vector_engine.as_ref(),
                &folder.join("vectors"),
                deep,
            )
            .await,
        ),
    ];
    records.close().await;
    for (check, found) in parts {
        findings.extend(
            found.unwrap_or_else(|error| vec![Finding::fail(check, error.to_string(), RESTORE)]),
        );
    }
    findings
}

fn is_small(database: &Path) -> bool {
    std::fs::metadata(database).is_ok_and(|file| file.len() <= SMALL)
}

async fn verify_records(
    records: &Records,
    deep: bool,
    whole: bool,
) -> Result<Vec<Finding>, StoreError> {
    let entries = counted(records.count_all().await?, "entry", "entries");
    if !whole {
        let message = format!("{entries}; `--deep` reads every page of the database");
        return Ok(vec![Finding::ok("records", message)]);
    }
    let damage = records.damage(DAMAGE_LINES).await?;
    if !damage.is_empty() {
        return Ok(vec![Finding::fail("records", damage.join("; "), RESTORE)]);
    }
    if deep && let Some(finding) = damaged_entries(records).await? {
        return Ok(vec![finding]);
    }
    let message = format!("{entries}, no damaged page in the database");
    Ok(vec![Finding::ok("records", message)])
}

/// Entries that are not those that were stored: SQLite keeps no checksums.
async fn damaged_entries(records: &Records) -> Result<Option<Finding>, StoreError> {
    let damaged = records.damaged_entries().await?;
    if damaged.is_empty() {
        return Ok(None);
    }
    let named: Vec<String> = damaged
        .iter()
        .take(NAMED)
        .map(|id| format!("`{id}`"))
        .collect();
    let message = format!(
        "{}: {}",
        counted(damaged.len() as u64, "damaged entry", "damaged entries"),
        named.join(", ")
    );
    Ok(Some(Finding::fail("records", message, INGEST_AGAIN)))
}

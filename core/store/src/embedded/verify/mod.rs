//! Comparing the indexes of a folder with its records.
//!
//! Nothing is changed and no lock is taken: another process may go on writing.

mod text;
mod vectors;

use crate::embedded::records::Records;
use crate::error::StoreError;
use crate::finding::Finding;
use crate::options::EmbeddedOptions;

const RESTORE: &str = "when the database is damaged, restore a backup of `store.db`";
/// What SQLite says at most of damage in the database.
const DAMAGE_LINES: usize = 10;

/// Compares the indexes of a folder with its records. `deep` also reads every
/// byte of the indexes and every vector of the records.
pub(crate) async fn verify(options: &EmbeddedOptions, deep: bool) -> Vec<Finding> {
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
        ("records", verify_records(&records, deep).await),
        (
            "text index",
            text::verify(&records, &folder.join("text"), deep).await,
        ),
        (
            "vectors",
            vectors::verify(&records, &folder.join("vectors"), deep).await,
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

async fn verify_records(records: &Records, deep: bool) -> Result<Vec<Finding>, StoreError> {
    let entries = records.count_all().await?;
    if !deep {
        let message = format!("{entries} entries");
        return Ok(vec![Finding::ok("records", message)]);
    }
    let damage = records.damage(DAMAGE_LINES).await?;
    Ok(match damage.is_empty() {
        true => vec![Finding::ok(
            "records",
            format!("{entries} entries, every page of the database as it should be"),
        )],
        false => vec![Finding::fail("records", damage.join("; "), RESTORE)],
    })
}

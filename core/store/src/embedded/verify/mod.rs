//! Comparing the indexes of a folder with its records.
//!
//! Nothing is changed and no lock is taken: another process may go on writing.

mod vectors;

use crate::embedded::records::Records;
use crate::finding::Finding;
use crate::options::EmbeddedOptions;

/// Compares the indexes of a folder with its records. `deep` also reads every
/// byte of the indexes and every vector of the records.
pub(crate) async fn verify(options: &EmbeddedOptions, deep: bool) -> Vec<Finding> {
    let path = options.path.join("store.db");
    let records = match Records::open_to_read(&path).await {
        Ok(records) => records,
        Err(error) => {
            let advice = "run `gannet doctor`; restore a backup when the database is damaged";
            return vec![Finding::fail("records", error.to_string(), advice)];
        }
    };
    let findings = vectors::verify(&records, &options.path.join("vectors"), deep).await;
    records.close().await;
    findings.unwrap_or_else(|error| {
        let advice = "run `gannet doctor`; restore a backup when the database is damaged";
        vec![Finding::fail("vectors", error.to_string(), advice)]
    })
}

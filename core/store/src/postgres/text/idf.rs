//! How rare words are in the entries.

use sqlx::PgConnection;

use super::statistics::Statistics;
use crate::error::StoreError;
use crate::postgres::clean::holds_nul;
use gannet_analysis::{idf, terms_of, text_analyser};

/// The inverse document frequency of each word; of one that the analyser
/// splits, that of its rarest part. A word that is in no entry is as rare as
/// can be.
pub(in crate::postgres) async fn idfs(
    connection: &mut PgConnection,
    tenant: &str,
    words: &[String],
) -> Result<Vec<f64>, StoreError> {
    let mut analyser = text_analyser();
    let parts: Vec<Vec<String>> = words
        .iter()
        .map(|word| match holds_nul(word) {
            // No entry in the database has it.
            true => Vec::new(),
            false => terms_of(&mut analyser, word),
        })
        .collect();
    let mut statistics = Statistics::default();
    let terms: Vec<String> = parts.iter().flatten().cloned().collect();
    statistics.look_up(connection, tenant, &terms).await?;
    let documents = statistics.documents as u64;
    let of_word = |parts: &Vec<String>| {
        let found = parts.iter().map(|part| statistics.documents_with(part));
        idf(documents, found.min().unwrap_or(0))
    };
    Ok(parts.iter().map(of_word).collect())
}

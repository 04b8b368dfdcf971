//! What is in a folder, read without opening it for work.

use std::collections::BTreeMap;

use gannet_api::DEFAULT_TENANT;

use super::records::Records;
use crate::error::StoreError;
use crate::options::EmbeddedOptions;
use crate::summary::{Summary, with_waiting};

/// What the records of a folder say.
pub(crate) async fn summary(
    options: &EmbeddedOptions,
    modules: &[String],
    model: Option<&str>,
) -> Result<Summary, StoreError> {
    let records = Records::open_to_read(&options.path.join("store.db")).await?;
    let summary = read(&records, modules, model).await;
    records.close().await;
    summary
}

/// What is remembered for one owner and tenant, by key.
pub(crate) async fn remembered(
    options: &EmbeddedOptions,
    owner: &str,
    tenant: &str,
) -> Result<Vec<(String, String)>, StoreError> {
    let records = Records::open_to_read(&options.path.join("store.db")).await?;
    let states = records.plugin_states(owner, tenant).await;
    records.close().await;
    states
}

async fn read(
    records: &Records,
    modules: &[String],
    model: Option<&str>,
) -> Result<Summary, StoreError> {
    let mut counts = records.enhancement_counts().await?;
    let mut enhancement = BTreeMap::new();
    for module in modules {
        let of_module = counts.remove(module).unwrap_or_default();
        let waiting = records.pending_count(module).await?;
        enhancement.insert(module.clone(), with_waiting(of_module, waiting));
    }
    let without_vectors = match model {
        Some(model) => {
            records
                .vector_coverage(DEFAULT_TENANT, model)
                .await?
                .missing
        }
        None => 0,
    };
    Ok(Summary {
        entries: records.count_all().await?,
        without_vectors,
        enhancement,
    })
}

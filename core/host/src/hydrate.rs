//! Puts the entries to the hits.

use std::collections::HashMap;

use gannet_api::{Diagnostic, Entry, Hit};
use gannet_store::{Store, StoreError};

use crate::replies::ShownEntries;
use crate::result::SearchHit;

/// Reads the entries of the hits, those that were not read for the request
/// before, highlights and numbers them. An entry that was deleted
/// since it was found is left out, with a note.
pub(crate) async fn hydrate(
    (store, tenant): (&Store, &str),
    hits: Vec<Hit>,
    shown: &ShownEntries,
    notes: &mut Vec<Diagnostic>,
) -> Result<Vec<SearchHit>, StoreError> {
    let ids: Vec<String> = hits.iter().map(|hit| hit.entry_id.clone()).collect();
    let mut entries: HashMap<String, Entry> = shown
        .entries(store, tenant, &ids)
        .await?
        .into_iter()
        .map(|entry| (entry.entry_id.clone(), entry))
        .collect();
    let mut found = Vec::with_capacity(hits.len());
    for mut hit in hits {
        match entries.remove(&hit.entry_id) {
            Some(entry) => {
                shown.highlight(&mut hit, &entry);
                let rank = found.len() + 1;
                found.push(SearchHit::new(hit, entry, rank));
            }
            None => notes.push(gone(&hit.entry_id)),
        }
    }
    Ok(found)
}

fn gone(entry_id: &str) -> Diagnostic {
    let message = format!("entry `{entry_id}` does not exist or is a duplicate; ignored");
    Diagnostic::info("service.hydrate", message)
}

//! The entries that a text names by their ids.

use std::collections::BTreeSet;

use gannet_plugin::prelude::{Context, Entry, Result};
use gannet_plugin::query::possible_ids;

/// Words of an entry that may be ids at most.
const MOST_IDS: usize = 100;
/// Ids that the host is asked for at once.
const BATCH: usize = 500;

/// Of the words that may be ids, those that are.
///
/// # Errors
/// The host's.
pub(crate) async fn known_ids(entries: &[Entry], context: &Context) -> Result<BTreeSet<String>> {
    let named: BTreeSet<&str> = entries.iter().flat_map(named_ids).collect();
    let named: Vec<String> = named.into_iter().map(str::to_owned).collect();
    let mut known = BTreeSet::new();
    for ids in named.chunks(BATCH) {
        let found = context.entries(ids.to_vec()).await?;
        known.extend(found.into_iter().map(|entry| entry.entry_id));
    }
    Ok(known)
}

/// What may be an id in the text of an entry and in what its source links it
/// to, but its own.
pub(crate) fn named_ids(entry: &Entry) -> impl Iterator<Item = &str> {
    let linked = entry.metadata.get("linked_to").and_then(|id| id.as_str());
    let texts = std::iter::once(entry.raw_text.as_str()).chain(linked);
    let own = entry.entry_id.as_str();
    texts
        .flat_map(possible_ids)
        .filter(move |word| *word != own)
        .take(MOST_IDS)
}

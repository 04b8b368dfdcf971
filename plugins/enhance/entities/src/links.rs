//! The entries that an entry names by their ids.

use std::collections::BTreeSet;

use gannet_plugin::prelude::{Context, Entry, Result};
use gannet_plugin::query::first_named_ids;

/// Words of an entry that may be ids at most.
const MOST_IDS: usize = 200;
/// Ids that the host is asked for at once.
const BATCH: usize = 500;

/// Of what may be ids in these entries, those that are.
///
/// # Errors
/// The host's.
pub(crate) async fn known_ids(entries: &[Entry], context: &Context) -> Result<BTreeSet<String>> {
    let of_entry = |entry| first_named_ids(entry, MOST_IDS);
    let named: BTreeSet<String> = entries.iter().flat_map(of_entry).collect();
    let named: Vec<String> = named.into_iter().collect();
    let mut known = BTreeSet::new();
    for ids in named.chunks(BATCH) {
        let found = context.entries(ids.to_vec()).await?;
        known.extend(found.into_iter().map(|entry| entry.entry_id));
    }
    Ok(known)
}

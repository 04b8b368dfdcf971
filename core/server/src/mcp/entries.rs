//! `entry_get` and `entries_by_ids`: entries by id.

use gannet_core::api::Entry;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::arguments;
use super::entry_view::{EntryView, WholeEntry};
use super::failure::ToolFailure;
use super::server::Call;

pub(super) const GET: &str = "entry_get";
pub(super) const GET_DESCRIPTION: &str = "\
Returns one entry with its full text, metadata and attachments.";

pub(super) const BY_IDS: &str = "entries_by_ids";
pub(super) const BY_IDS_DESCRIPTION: &str = "\
Returns up to 50 entries by id. Texts are shortened to 1000 characters; `entry_get` returns the \
full text of one entry.";

/// Characters of the text of each of several entries (ARIEL's limit).
const TEXT_CHARS: usize = 1000;

/// Which entry.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct EntryArguments {
    /// Id of the entry, as a search shows it.
    entry_id: String,
}

/// Which entries.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct EntriesArguments {
    /// Ids of entries.
    #[schemars(length(min = 1, max = 50))]
    entry_ids: Vec<String>,
}

/// Several entries.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct EntriesReply {
    /// Number of entries below.
    results_found: usize,
    /// The entries, in the order asked.
    entries: Vec<EntryView>,
    /// Ids that no entry has.
    not_found: Vec<String>,
}

/// Reads one entry.
///
/// # Errors
/// A [`ToolFailure`]: not found, or the store cannot be read.
pub(super) async fn get(call: &Call<'_>, given: Value) -> Result<WholeEntry, ToolFailure> {
    let EntryArguments { entry_id } = arguments::read(given)?;
    let found = call.gannet.entry(&call.caller.tenant, &entry_id).await?;
    let found = found.map(|entry| call.views.whole(&entry));
    found.ok_or_else(|| {
        ToolFailure::not_found(format!("no entry has the id `{}`", shortened(&entry_id)))
            .suggest("use an id as a search shows it, without `#` and brackets")
    })
}

/// Reads several entries.
///
/// # Errors
/// A [`ToolFailure`] where the store cannot be read.
pub(super) async fn by_ids(call: &Call<'_>, given: Value) -> Result<EntriesReply, ToolFailure> {
    let EntriesArguments { entry_ids } = arguments::read(given)?;
    let tenant = &call.caller.tenant;
    let found = call.gannet.entries(tenant, &entry_ids).await?;
    let is_found = |id: &String| found.iter().any(|entry: &Entry| entry.entry_id == *id);
    let not_found = entry_ids.iter().filter(|id| !is_found(id)).cloned();
    let view = |entry| call.views.view(entry, TEXT_CHARS);
    Ok(EntriesReply {
        results_found: found.len(),
        not_found: not_found.collect(),
        entries: found.iter().map(view).collect(),
    })
}

/// An id, where it is repeated in a message.
fn shortened(id: &str) -> String {
    id.chars().take(60).collect()
}

//! `gannet entry delete`: takes entries out of the store.

use gannet_core::Gannet;
use gannet_core::api::{DEFAULT_TENANT, Entry};
use serde_json::json;

use crate::arguments::{Common, DeleteArguments, Format};
use crate::commands::confirm::{confirm, refuse_without_terminal};
use crate::failure::{Exit, Failure};
use crate::render::{GOOD, number, print_json, safe_line, title};
use crate::session;

/// Deletes the entries, or none when an id is unknown.
pub async fn run(common: &Common, wanted: DeleteArguments) -> Result<Exit, Failure> {
    let gannet = session::open_existing(common).await?;
    let mut ids = wanted.ids;
    ids.sort_unstable();
    ids.dedup();
    let entries = gannet.store().entries(DEFAULT_TENANT, &ids).await?;
    refuse_unknown(&ids, &entries)?;
    if !wanted.yes {
        refuse_without_terminal()?;
        entries.iter().for_each(print);
        if !confirm(&format!("delete {}?", counted(entries.len() as u64)))? {
            return Ok(Exit::Done);
        }
    }
    let deleted = delete(&gannet, &ids).await?;
    match common.format {
        Format::Table => {
            entries.iter().for_each(print);
            outln!("{GOOD}deleted{GOOD:#} {}", counted(deleted));
        }
        format => print_json(&json!({ "deleted": ids }), format)?,
    }
    gannet.close().await?;
    Ok(Exit::Done)
}

/// Deletes, and waits until the entries cannot be found any more.
async fn delete(gannet: &Gannet, ids: &[String]) -> Result<u64, Failure> {
    let deleted = gannet.store().delete(DEFAULT_TENANT, ids).await?;
    gannet.delete_feedback_of(DEFAULT_TENANT, ids).await?;
    gannet.store().flush().await?;
    Ok(deleted)
}

fn refuse_unknown(ids: &[String], entries: &[Entry]) -> Result<(), Failure> {
    let is_known = |id: &String| entries.iter().any(|entry| entry.entry_id == *id);
    let unknown: Vec<String> = ids
        .iter()
        .filter(|id| !is_known(id))
        .map(|id| format!("`{id}`"))
        .collect();
    match unknown.is_empty() {
        true => Ok(()),
        false => Err(Failure::usage(format!(
            "no entry has the id {}; nothing was deleted",
            unknown.join(" or ")
        ))),
    }
}

fn print(entry: &Entry) {
    outln!("{}  {}", safe_line(&entry.entry_id), title(entry));
}

fn counted(entries: u64) -> String {
    number::count(entries, "entry", "entries")
}

//! `gannet entry`: entries as they are stored.

mod create;
mod delete;
mod list;

use gannet_core::api::DEFAULT_TENANT;

use crate::arguments::{Common, EntryCommand, Format};
use crate::failure::{Exit, Failure};
use crate::render::{Clock, print_entry, print_json};
use crate::session;

/// Shows, lists, writes or deletes.
pub async fn run(common: &Common, command: EntryCommand) -> Result<Exit, Failure> {
    match command {
        EntryCommand::Show { id } => show(common, &id).await,
        EntryCommand::List(wanted) => list::run(common, wanted).await,
        EntryCommand::Delete(wanted) => delete::run(common, wanted).await,
        EntryCommand::Create(wanted) => create::run(common, wanted).await,
        EntryCommand::Publish(wanted) => create::publish(common, wanted).await,
    }
}

async fn show(common: &Common, id: &str) -> Result<Exit, Failure> {
    let gannet = session::open_existing(common).await?;
    let found = gannet.entry(DEFAULT_TENANT, id).await?;
    let Some(entry) = found else {
        return Err(Failure::usage(format!("no entry has the id `{id}`")));
    };
    match common.format {
        Format::Table => print_entry(&entry, &Clock::of(&gannet)),
        format => print_json(&entry, format)?,
    }
    gannet.close().await?;
    Ok(Exit::Done)
}

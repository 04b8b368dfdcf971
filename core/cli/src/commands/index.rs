//! `gannet index`: the indexes against the records.

use gannet_core::store::{Health, RebuildScope};
use gannet_core::{Gannet, doctor};

use super::doctor::print_findings;
use crate::arguments::{Common, Format, IndexCommand, IndexPart};
use crate::failure::{Exit, Failure};
use crate::render::{DIM, GOOD, print_json, print_json_list};
use crate::session;

/// Verifies or rebuilds.
pub async fn run(common: &Common, command: IndexCommand) -> Result<Exit, Failure> {
    match command {
        IndexCommand::Verify { deep } => verify(common, deep).await,
        IndexCommand::Rebuild { part } => rebuild(common, part).await,
    }
}

/// Opens nothing and changes nothing; ends with 1 when something is broken.
async fn verify(common: &Common, deep: bool) -> Result<Exit, Failure> {
    let loaded = session::configuration(common, &[])?;
    session::check_folder(&loaded)?;
    let findings = doctor::verify(&loaded.config, deep).await;
    match common.format {
        Format::Table => print_findings(&findings),
        Format::Jsonl => print_json_list(&findings, Format::Jsonl)?,
        _ => print_json(&findings, Format::Json)?,
    }
    let is_broken = findings.iter().any(|one| one.health == Health::Fail);
    Ok(match is_broken {
        true => Exit::Unwell,
        false => Exit::Done,
    })
}

/// Opens the store and rebuilds; ends with a look at what came of it.
async fn rebuild(common: &Common, part: IndexPart) -> Result<Exit, Failure> {
    let gannet = session::open_existing(common).await?;
    let (scope, name) = match part {
        IndexPart::Text => (RebuildScope::Text, "text index"),
        IndexPart::Vectors => (RebuildScope::Vectors, "vector indexes"),
        IndexPart::All => (RebuildScope::All, "indexes"),
    };
    gannet.store().rebuild(scope).await?;
    print_rebuilt(&gannet, name, common.format).await?;
    gannet.close().await?;
    Ok(Exit::Done)
}

async fn print_rebuilt(gannet: &Gannet, name: &str, format: Format) -> Result<(), Failure> {
    let stats = gannet.store().stats().await?;
    match format {
        Format::Table => outln!(
            "{GOOD}rebuilt{GOOD:#} the {name} {DIM}of {} entries{DIM:#}",
            stats.entries
        ),
        format => print_json(&stats, format)?,
    }
    Ok(())
}

//! `gannet backup` and `gannet restore`.

use gannet_core::backup::{self, Backup};

use gannet_server::auth::AuditEvent;

use super::audit::audit;
use crate::arguments::{BackupArguments, Common, Format, RestoreArguments};
use crate::failure::{Exit, Failure};
use crate::render::{DIM, GOOD, number, print_json};
use crate::session;

/// Makes a backup, or checks one.
pub async fn create(common: &Common, wanted: &BackupArguments) -> Result<Exit, Failure> {
    if wanted.check {
        let backup = backup::check(&wanted.folder).await?;
        return print("checked", &backup, common.format);
    }
    let loaded = session::configuration(common, &[])?;
    session::check_folder(&loaded)?;
    let backup = backup::create(&loaded.config, &wanted.folder)
        .await
        .map_err(|error| Failure::from(error).located(&loaded))?;
    print("backed up", &backup, common.format)
}

/// Checks a backup and puts it into the configuration's empty store.
pub async fn restore(common: &Common, wanted: &RestoreArguments) -> Result<Exit, Failure> {
    let loaded = session::configuration(common, &[])?;
    let backup = backup::restore(&loaded.config, &wanted.folder)
        .await
        .map_err(|error| Failure::from(error).located(&loaded))?;
    let entries = backup.counts.entries;
    audit(&loaded.config, &AuditEvent::Restored { entries });
    print("restored", &backup, common.format)
}

fn print(done: &str, backup: &Backup, format: Format) -> Result<Exit, Failure> {
    match format {
        Format::Table => {
            let counts = &backup.counts;
            let entries = number::count(counts.entries, "entry", "entries");
            let vectors = number::count(counts.vectors.values().sum(), "vector", "vectors");
            let bytes = number::bytes(backup.files.values().map(|file| file.bytes).sum());
            let at = backup.created_at.strftime("%Y-%m-%d %H:%M:%S UTC");
            outln!("{GOOD}{done}{GOOD:#} {entries}, {vectors}, {bytes} {DIM}as of {at}{DIM:#}");
        }
        format => print_json(backup, format)?,
    }
    Ok(Exit::Done)
}

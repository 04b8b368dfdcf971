//! `gannet migrate`: the store's database in this program's schema.

use gannet_core::Gannet;
use gannet_core::config::StoreKind;
use gannet_core::store::MigrationReport;

use crate::arguments::{Common, Format, MigrateArguments};
use crate::failure::{Exit, Failure};
use crate::render::{GOOD, HEADING, print_json};
use crate::session;

/// Migrates, or says what would be done.
pub async fn run(common: &Common, wanted: &MigrateArguments) -> Result<Exit, Failure> {
    let loaded = session::configuration(common, &[])?;
    session::check_folder(&loaded)?;
    let kind = loaded.config.store.kind;
    let report = Gannet::migrate(&loaded.config, wanted.dry_run)
        .await
        .map_err(|error| Failure::from(error).located(&loaded))?;
    match common.format {
        Format::Table => print(&report, kind, wanted.dry_run),
        format => print_json(&report, format)?,
    }
    Ok(Exit::Done)
}

fn print(report: &MigrationReport, kind: StoreKind, dry_run: bool) {
    anstream::println!("{HEADING}{}{HEADING:#}", report.store);
    let entries = report.entries;
    if report.is_current() {
        let why = match kind {
            StoreKind::Embedded => "; a folder is brought up to date whenever it is opened",
            StoreKind::Postgres => "",
        };
        anstream::println!(
            "{GOOD}current{GOOD:#} schema {}, {entries} entries{why}",
            report.to
        );
        return;
    }
    let (done, adopted) = match dry_run {
        true => ("would migrate", "would be adopted"),
        false => ("migrated", "adopted"),
    };
    if report.from < report.to {
        let steps = report.steps.join(", ");
        anstream::println!(
            "{GOOD}{done}{GOOD:#} schema {} to {} ({steps})",
            report.from,
            report.to
        );
    }
    if report.adopted > 0 {
        anstream::println!(
            "{GOOD}{adopted}{GOOD:#} {} entries of ARIEL",
            report.adopted
        );
    }
    anstream::println!("{entries} entries");
}

//! `gannet migrate`: migrates the store's database to this version's schema.

use gannet_core::Gannet;
use gannet_core::config::StoreKind;
use gannet_core::store::MigrationReport;

use crate::arguments::{Common, Format, MigrateArguments};
use crate::failure::{Exit, Failure};
use crate::render::{GOOD, HEADING, number, print_json};
use crate::session;

/// Migrates, or shows what a migration would do.
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
    outln!("{HEADING}{}{HEADING:#}", report.store);
    let entries = number::count(report.entries, "entry", "entries");
    if report.is_current() {
        let why = match kind {
            StoreKind::Embedded => "; a store in a folder is migrated whenever it is opened",
            StoreKind::Postgres => "",
        };
        outln!("{GOOD}current{GOOD:#} schema {}, {entries}{why}", report.to);
        return;
    }
    let (done, adopted) = match dry_run {
        true => ("would migrate", "would be adopted"),
        false => ("migrated", "adopted"),
    };
    if report.from < report.to {
        let steps = report.steps.join(", ");
        outln!(
            "{GOOD}{done}{GOOD:#} schema {} to {} ({steps})",
            report.from,
            report.to
        );
    }
    if report.adopted > 0 {
        outln!(
            "{GOOD}{adopted}{GOOD:#} {} of ARIEL",
            number::count(report.adopted, "entry", "entries")
        );
    }
    outln!("{entries}");
}

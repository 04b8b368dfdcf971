//! `gannet store`: a store as a whole.

use std::ffi::OsStr;
use std::path::Path;

use gannet_core::backup;
use gannet_core::config::{self, Config, LoadOptions};
use gannet_core::store::RecordCounts;
use gannet_server::auth::AuditEvent;

use super::audit::audit;
use crate::arguments::{Common, CopyStoreArguments, Format, StoreCommand};
use crate::failure::{Exit, Failure};
use crate::progress::Bar;
use crate::render::{DIM, GOOD, number, print_json};
use crate::session;

pub async fn run(common: &Common, command: StoreCommand) -> Result<Exit, Failure> {
    match command {
        StoreCommand::Copy(wanted) => copy(common, &wanted).await,
    }
}

async fn copy(common: &Common, wanted: &CopyStoreArguments) -> Result<Exit, Failure> {
    let from = named(common, &wanted.from)?;
    session::check_store(&from.store)?;
    let to = named(common, &wanted.to)?;
    let bar = Bar::new("entries");
    let progress = |step: &str, done, total| bar.show(step, done, Some(total));
    let counts = backup::copy(&from, &to, progress).await?;
    drop(bar);
    let entries = counts.entries;
    audit(&to, &AuditEvent::Restored { entries });
    print(&counts, common.format)?;
    Ok(Exit::Done)
}

/// The configuration of a store that is named by a folder, the URL of a
/// database, or a configuration file. Of a folder nothing else counts: what the
/// configuration here says of a store is said of another one.
fn named(common: &Common, text: &str) -> Result<Config, Failure> {
    let is_url = ["postgres://", "postgresql://"]
        .iter()
        .any(|scheme| text.starts_with(scheme));
    if is_url {
        return Ok(session::configuration(common, &session::in_database(text))?.config);
    }
    let path = Path::new(text);
    let ending = path.extension().and_then(OsStr::to_str);
    if matches!(ending, Some("yml" | "yaml")) {
        let options = LoadOptions::of_process(Some(path.to_owned()), Vec::new());
        return Ok(config::load(options)?.config);
    }
    let mut config = Config::default();
    config.store.path = std::path::absolute(path)?;
    Ok(config)
}

fn print(counts: &RecordCounts, format: Format) -> Result<(), Failure> {
    match format {
        Format::Table => {
            let entries = number::count(counts.entries, "entry", "entries");
            let vectors = number::count(counts.vectors.values().sum(), "vector", "vectors");
            let models: Vec<&str> = counts.vectors.keys().map(String::as_str).collect();
            let of = match models.is_empty() {
                true => String::new(),
                false => format!(" of {}", models.join(", ")),
            };
            outln!("{GOOD}copied{GOOD:#} {entries}, {vectors}{DIM}{of}{DIM:#}");
            Ok(())
        }
        format => Ok(print_json(counts, format)?),
    }
}

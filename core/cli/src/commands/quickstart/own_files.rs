//! `gannet quickstart PATH`: a store with somebody's own files, and searches
//! for what they are about.

use std::path::Path;

use gannet_core::api::DEFAULT_TENANT;
use gannet_core::config::StoreKind;
use gannet_core::store::ListRequest;
use gannet_core::{Gannet, SearchInput};

use super::topics::topics;
use super::{ENTRIES_SHOWN, data};
use crate::arguments::{Common, IngestArguments};
use crate::commands::config_file::{config_file, write_new};
use crate::commands::ingest;
use crate::failure::{Exit, Failure};
use crate::render::{ACCENT, Clock, DIM, GOOD, HEADING, print_sources, quoted};
use crate::session;

/// Entries that are looked through for searches, the latest ones.
const LOOKED_AT: usize = 500;
/// Searches that are shown.
const SEARCHES: usize = 3;

/// Ingests what there is, embeds it, and searches it.
pub async fn run(common: &Common, path: &str) -> Result<Exit, Failure> {
    if !Path::new(path).exists() {
        return Err(Failure::usage(format!(
            "there is no file or folder `{path}`"
        )));
    }
    let wanted = IngestArguments {
        source: Some(path.to_owned()),
        accept: has_plan(common, path).await?,
        ..IngestArguments::default()
    };
    if ingest::run(common, wanted).await? == Exit::Stopped {
        return Ok(Exit::Stopped);
    }
    let gannet = session::open_existing(common).await?;
    write_configuration(common, &gannet)?;
    outln!("{HEADING}Store{HEADING:#} {}", gannet.store_place());
    let page = ListRequest::newest(LOOKED_AT);
    let page = gannet.store().list(DEFAULT_TENANT, page).await?;
    let queries = topics(&page.entries, SEARCHES);
    for query in &queries {
        search(&gannet, query).await?;
    }
    let gannet_at = format!("gannet{}", data(common));
    let question = queries.first().map_or("…", String::as_str);
    outln!(
        "{DIM}Ask your own:{DIM:#}       {gannet_at} ask {}",
        quoted(&format!("what is known about {question}?"))
    );
    outln!(
        "{DIM}Read it again later:{DIM:#} {gannet_at} ingest {}",
        quoted(path)
    );
    gannet.close().await?;
    Ok(Exit::Done)
}

/// Whether adapters are found by the kinds of the files: then columns of tables
/// may be proposed.
async fn has_plan(common: &Common, path: &str) -> Result<bool, Failure> {
    let gannet = session::open(common).await?;
    let plan = gannet.source_plan(path)?;
    gannet.close().await?;
    Ok(plan.is_some())
}

/// One search, with its first hits.
async fn search(gannet: &Gannet, query: &str) -> Result<(), Failure> {
    outln!("\n{ACCENT}?{ACCENT:#} {HEADING}{query}{HEADING:#}\n");
    let mut input = SearchInput::new(query);
    // The first searches work without a chat model, also when one is configured.
    input.params.insert("answer".to_owned(), "entries".into());
    let mut result = gannet.search(input).await?;
    result.entries.truncate(ENTRIES_SHOWN);
    result.citations.clear();
    print_sources(&result, &Clock::of(gannet), false);
    Ok(())
}

/// Writes a configuration with the place of the store where there is none.
fn write_configuration(common: &Common, gannet: &Gannet) -> Result<(), Failure> {
    let (file, store) = (config_file(common), gannet.store_config());
    if file.exists() || store.kind == StoreKind::Postgres {
        return Ok(());
    }
    let path = serde_json::to_string(&store.path)?;
    let text = format!(
        "# `gannet config show` prints every setting and its value.\nstore:\n  path: {path}\n"
    );
    write_new(&file, &text)?;
    outln!("{GOOD}wrote{GOOD:#} {}", file.display());
    Ok(())
}

//! `gannet quickstart`: a store with somebody's own files, or with the demo
//! logbook and three answers.

mod own_files;
mod topics;

use gannet_core::api::{DEFAULT_TENANT, FetchRequest};
use gannet_core::config::{Loaded, StoreKind};
use gannet_core::{Gannet, IngestRequest, SearchInput};
use serde::Deserialize;

use crate::arguments::{Common, Format, QuickstartArguments};
use crate::commands::enhance::print_enhancement;
use crate::commands::ingest;
use crate::failure::{Exit, Failure};
use crate::render::{ACCENT, Clock, DIM, HEADING, Layout, number, print_result, quoted};
use crate::{session, signals};

/// A year of a fictional light source.
const DEMO_LOGBOOK: &str = include_str!("../../../../demo/logbook.json");

/// The questions asked at the end.
const QUESTIONS: [&str; 3] = [
    "what was wrong with the circulator flow switch?",
    "when did the RF cavity last trip, and what fixed it?",
    "why did the wiggler quench?",
];

/// Entries shown with each answer or search.
const ENTRIES_SHOWN: usize = 3;

/// Sets up the store, ingests the files that are named or the demo logbook,
/// embeds them and searches or asks.
pub async fn run(common: &Common, wanted: QuickstartArguments) -> Result<Exit, Failure> {
    if common.format != Format::Table {
        return Err(Failure::usage(
            "quickstart has no JSON output; use `gannet ask --format json`",
        ));
    }
    match &wanted.path {
        Some(path) => own_files::run(common, path).await,
        None => run_demo(common, wanted).await,
    }
}

async fn run_demo(common: &Common, wanted: QuickstartArguments) -> Result<Exit, Failure> {
    let gannet = session::open_as(configuration(common, &wanted)?).await?;
    let stop = signals::stop_after("this batch");
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("demo-logbook.json");
    std::fs::write(&file, DEMO_LOGBOOK)?;
    if gannet.store_config().kind == StoreKind::Postgres {
        refuse_other_entries(&gannet).await?;
    }
    outln!("{HEADING}Store{HEADING:#} {}", gannet.store_place());

    let request = IngestRequest {
        adapter: Some("generic_json".to_owned()),
        fetch: FetchRequest::default().with_source(file.display().to_string()),
        ..IngestRequest::default()
    };
    let report = ingest::ingest(&gannet, request, &stop).await?;
    ingest::print(&report, false);
    print_enhancement(&ingest::enhance_all(&gannet, &stop).await?);
    if stop.is_raised() {
        gannet.close().await?;
        return Ok(Exit::Stopped);
    }

    for question in QUESTIONS {
        outln!("\n{ACCENT}?{ACCENT:#} {HEADING}{question}{HEADING:#}\n");
        let mut input = SearchInput::new(question);
        input.mode = Some("rag".to_owned());
        // The first answers work without a chat model, also when one is configured.
        input.params.insert("answer".to_owned(), "entries".into());
        let mut result = gannet.search(input).await?;
        result.entries.truncate(ENTRIES_SHOWN);
        let clock = Clock::of(&gannet);
        print_result(&result, Format::Table, Layout::AnswerFirst, &clock, false)?;
    }
    outln!(
        "\n{DIM}Ask your own:{DIM:#} {}gannet{} ask \"why was the flow switch replaced?\"",
        variables(&wanted),
        data(common),
    );
    gannet.close().await?;
    Ok(Exit::Done)
}

/// With `--store`, only that database is used: no copy, no replica.
fn configuration(common: &Common, wanted: &QuickstartArguments) -> Result<Loaded, Failure> {
    let Some(uri) = &wanted.store else {
        return session::configuration(common, &[]);
    };
    session::configuration(common, &session::in_database(uri))
}

/// Refuses to mix the demo with the entries of a facility.
async fn refuse_other_entries(gannet: &Gannet) -> Result<(), Failure> {
    let entries = gannet.store().stats().await?.entries;
    let of_demo = gannet.store().entries(DEFAULT_TENANT, &demo_ids()?).await?;
    if entries == of_demo.len() as u64 {
        return Ok(());
    }
    Err(Failure::usage(format!(
        "{} holds {} other than the demo; name an empty database",
        gannet.store_place(),
        number::count(entries, "entry", "entries")
    )))
}

fn demo_ids() -> Result<Vec<String>, Failure> {
    let demo: Demo = serde_json::from_str(DEMO_LOGBOOK)?;
    Ok(demo.entries.into_iter().map(|entry| entry.id).collect())
}

#[derive(Deserialize)]
struct Demo {
    entries: Vec<DemoEntry>,
}

#[derive(Deserialize)]
struct DemoEntry {
    id: String,
}

/// The flag that selects the same store again.
fn data(common: &Common) -> String {
    match &common.data {
        Some(folder) => format!(" --data {}", quoted(&folder.display().to_string())),
        None => String::new(),
    }
}

/// The URI may contain a password, so it is not printed.
fn variables(wanted: &QuickstartArguments) -> &'static str {
    match wanted.store {
        Some(_) => "GANNET__STORE__KIND=postgres GANNET__STORE__URI=… ",
        None => "",
    }
}

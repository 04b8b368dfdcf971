//! `gannet quickstart`: from nothing to a cited answer.

use gannet_core::api::{DEFAULT_TENANT, FetchRequest};
use gannet_core::{IngestRequest, SearchInput};

use crate::arguments::{Common, Format};
use crate::commands::enhance::print_enhancement;
use crate::commands::ingest;
use crate::failure::{Exit, Failure};
use crate::render::{ACCENT, DIM, HEADING, print_result};
use crate::session;

/// A year of an invented light source.
const DEMO_LOGBOOK: &str = include_str!("../../../../demo/logbook.json");

/// The questions that are asked at the end.
const QUESTIONS: [&str; 3] = [
    "what caused the RF trips in spring and what fixed them?",
    "when did the RF cavity last trip, and what fixed it?",
    "why did the wiggler quench?",
];

/// Entries that are shown with each answer.
const ENTRIES_SHOWN: usize = 3;

/// Sets up the store, ingests the demo logbook, embeds it and asks.
pub async fn run(common: &Common) -> Result<Exit, Failure> {
    if common.format != Format::Table {
        return Err(Failure::usage(
            "quickstart is for people and prints no JSON; `gannet ask --format json` does",
        ));
    }
    let gannet = session::open(common).await?;
    let stop = session::stop_on_interrupt();
    let folder = gannet.store_path().to_owned();
    let file = folder.join("demo-logbook.json");
    std::fs::write(&file, DEMO_LOGBOOK)?;
    anstream::println!("{HEADING}Store{HEADING:#} {}", folder.display());

    let request = IngestRequest {
        adapter: Some("generic_json".to_owned()),
        fetch: FetchRequest {
            source: Some(file.display().to_string()),
            ..FetchRequest::default()
        },
        tenant: DEFAULT_TENANT.to_owned(),
        dry_run: false,
    };
    let report = ingest::ingest(&gannet, request, &stop).await?;
    ingest::print(&report, false);
    print_enhancement(&ingest::enhance_all(&gannet, &stop).await?);

    for question in QUESTIONS {
        anstream::println!("\n{ACCENT}?{ACCENT:#} {HEADING}{question}{HEADING:#}\n");
        let mut input = SearchInput::new(question);
        input.mode = Some("rag".to_owned());
        let mut result = gannet.search(input).await?;
        result.entries.truncate(ENTRIES_SHOWN);
        print_result(&result, Format::Table)?;
    }
    let data = match &common.data {
        Some(folder) => format!(" --data {}", folder.display()),
        None => String::new(),
    };
    anstream::println!(
        "\n{DIM}Ask your own:{DIM:#} gannet{data} ask \"which pumps were replaced?\""
    );
    gannet.close().await?;
    Ok(Exit::Done)
}

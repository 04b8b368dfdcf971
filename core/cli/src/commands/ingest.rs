//! `gannet ingest`: reads entries from a source into the store.

use std::path::Path;

use gannet_core::api::{DEFAULT_TENANT, FetchRequest, TimeRange};
use gannet_core::{
    EnhanceReport, EnhanceRequest, Gannet, IngestReport, IngestRequest, RunEnd, Stop,
};
use serde::Serialize;

use crate::arguments::{Common, Format, IngestArguments};
use crate::commands::enhance::{print_enhancement, refuse_useless_run};
use crate::failure::{Exit, Failure};
use crate::progress::Bar;
use crate::render::{DIM, GOOD, WARNING, number, print_json};
use crate::{session, signals};

/// Reads the source, then runs the enhancement modules on new entries.
pub async fn run(common: &Common, wanted: IngestArguments) -> Result<Exit, Failure> {
    let gannet = session::open(common).await?;
    let stop = signals::stop_after("this batch");
    let enhance = !wanted.no_enhance && !wanted.dry_run;
    let request = request(&gannet, wanted)?;
    let dry_run = request.dry_run;
    let is_part = request.fetch.since.is_some() || request.fetch.until.is_some();
    let report = ingest(&gannet, request, &stop).await?;
    if common.format == Format::Table {
        print(&report, dry_run);
    }
    let mut outcome = Outcome {
        ingested: report,
        enhanced: Vec::new(),
    };
    if enhance && outcome.ingested.end == RunEnd::Finished {
        outcome.enhanced = enhance_all(&gannet, &stop).await?;
    }
    match common.format {
        Format::Table => print_enhancement(&outcome.enhanced),
        format => print_json(&outcome, format)?,
    }
    gannet.close().await?;
    // Of a part it is not known how many good records lie outside of it.
    if !is_part {
        refuse_useless_source(&outcome.ingested)?;
    }
    // The entries are stored, and were reported.
    refuse_useless_run(&outcome.enhanced)?;
    Ok(Exit::unless(&stop))
}

/// A source of which nothing can be used is the wrong one, or was read by the
/// wrong adapter.
fn refuse_useless_source(report: &IngestReport) -> Result<(), Failure> {
    let counts = &report.counts;
    if counts.read == 0 || counts.rejected < counts.read {
        return Ok(());
    }
    Err(Failure::usage(format!(
        "{} rejected; check the source, or name another adapter with `--adapter`",
        match counts.read {
            1 => "the only record was".to_owned(),
            read => format!("all {} records were", number::grouped(read)),
        }
    )))
}

/// The output with `--format json`.
#[derive(Serialize)]
struct Outcome {
    ingested: IngestReport,
    enhanced: Vec<EnhanceReport>,
}

/// Ingests with a progress bar.
pub async fn ingest(
    gannet: &Gannet,
    request: IngestRequest,
    stop: &Stop,
) -> Result<IngestReport, Failure> {
    let bar = Bar::new("records");
    Ok(gannet
        .ingest(request, stop, |step| bar.ingest(step))
        .await?)
}

/// Runs all enhancement modules with a progress bar.
pub async fn enhance_all(gannet: &Gannet, stop: &Stop) -> Result<Vec<EnhanceReport>, Failure> {
    let bar = Bar::new("entries");
    let everything = EnhanceRequest {
        only_due: true,
        ..EnhanceRequest::default()
    };
    let reports = gannet.enhance(everything, stop, |step| bar.enhance(&step));
    Ok(reports.await?)
}

fn request(gannet: &Gannet, wanted: IngestArguments) -> Result<IngestRequest, Failure> {
    let since = wanted.since.map(|text| instant(gannet, "--since", &text));
    let until = wanted.until.map(|text| instant(gannet, "--until", &text));
    let since = since.transpose()?.and_then(|range| range.from);
    let until = until.transpose()?.and_then(|range| range.from);
    if let (Some(since), Some(until)) = (since, until)
        && since >= until
    {
        return Err(Failure::usage(format!(
            "--since ({since}) is not before --until ({until}): no record is between them"
        )));
    }
    let source = wanted.source.or(wanted.named_source);
    let by_ending = source.as_deref().and_then(adapter_by_ending);
    Ok(IngestRequest {
        adapter: wanted.adapter.or(by_ending),
        fetch: FetchRequest::default()
            .with_source(source)
            .with_since(since)
            .with_until(until)
            .with_limit(wanted.limit),
        tenant: DEFAULT_TENANT.to_owned(),
        dry_run: wanted.dry_run,
        from_start: wanted.from_start,
        cursor_at_end: false,
        delete_missing: false,
    })
}

fn instant(gannet: &Gannet, flag: &str, text: &str) -> Result<TimeRange, Failure> {
    gannet.time_span(text).ok_or_else(|| {
        Failure::usage(format!(
            "{flag}: `{text}` is not a valid date; example: 2024-06-12"
        ))
    })
}

/// The adapter for files with this extension.
pub fn adapter_by_ending(source: &str) -> Option<String> {
    let ending = Path::new(source).extension()?.to_str()?;
    match ending.to_ascii_lowercase().as_str() {
        "jsonl" | "ndjson" => Some("jsonl".to_owned()),
        "json" => Some("generic_json".to_owned()),
        "csv" | "tsv" => Some("csv".to_owned()),
        _ => None,
    }
}

/// Prints what an ingestion did.
pub fn print(report: &IngestReport, dry_run: bool) {
    let counts = &report.counts;
    let seconds = report.elapsed.as_secs_f64();
    if dry_run {
        let usable = counts.read - counts.rejected;
        outln!(
            "dry run: {usable} of {} can be stored; nothing was stored",
            number::count(counts.read, "record", "records")
        );
    } else {
        outln!(
            "{GOOD}ingested{GOOD:#} {} new, {} changed, {} unchanged {DIM}in {seconds:.1} s, \
             {}{DIM:#}",
            counts.added,
            counts.updated,
            counts.unchanged,
            number::rate(counts.read as f64 / seconds.max(0.001), "records"),
        );
    }
    if counts.deleted > 0 {
        let deleted = number::count(counts.deleted, "entry", "entries");
        outln!("{WARNING}deleted{WARNING:#} {deleted} that the source no longer has");
    }
    if counts.rejected > 0 {
        let place = match &report.rejects {
            Some(path) => format!("; see {}", path.display()),
            None => String::new(),
        };
        outln!(
            "{WARNING}rejected{WARNING:#} {}{place}",
            number::count(counts.rejected, "record", "records")
        );
    }
    if report.end == RunEnd::Stopped {
        outln!("{WARNING}stopped{WARNING:#} before the end; run the command again to continue");
    }
}
